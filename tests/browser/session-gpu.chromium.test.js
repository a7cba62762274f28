// Sessions of onnxruntime-web on WebGPU, which is SwiftShader here: what crosses to the page, and which texts they write.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { onnxModel } from "../vectors/export-onnx.js";
import { PART_SIZE } from "../../web/core/layouts.js";
import { openSite } from "./site.js";

const { name } = onnxModel("draft");

const { site, driver, close } = await openSite("chromium");
after(close);
await driver.open(`${site.origin}/tests/browser/peers.html`);

const write = (given) =>
  driver.evaluate(async (...all) => (await import("/tests/browser/session-gpu-page.js")).write(...all), name, given);

/** Bytes of the part of a row that sampleFrom reads. */
const PART = PART_SIZE;

test("a text on a device is the sampler's choice from its rows, and reads a part of each or the row", async () => {
  const options = { temperature: 0.9, topK: 40, repetitionPenalty: 1.2, seed: 3, maxTokens: 24 };
  const [plain, captured] = await write([options, { ...options, captureLogits: true, logprobs: true }]);
  assert.deepEqual(plain.ids, captured.ids);
  assert.deepEqual(captured.ids, captured.expected);
  assert.equal(plain.ids[0].length, 24);
  assert.ok(plain.tokens.every(({ rawLogprob }) => rawLogprob === undefined));
  assert.ok(captured.tokens.every(({ rawLogprob }) => rawLogprob < 0));
  // One read a token: a part, with the logits of the tokens that were penalised; or the last row alone.
  assert.equal(plain.reads.length, 24);
  assert.ok(
    plain.reads.every((bytes) => bytes >= PART && bytes < PART + 4 * 40),
    plain.reads.join(),
  );
  assert.deepEqual(captured.reads, new Array(24).fill(4 * 2048));
});

test("beams, groups and drafts move keys and values on the device, and write what its rows say", async () => {
  // "The cat sat on the mat." three times, and "The cat"
  const sentence = [1265, 353, 265, 1459, 2007, 302, 585];
  const prompt = [1, 372, 585, ...sentence, ...sentence, ...sentence];
  const beaming = { beams: 3, n: 2, maxTokens: 12, prompt };
  const sampled = [
    { n: 3, seed: 5, topK: 30, maxTokens: 12, prompt },
    { draft: "lookup", temperature: 0, maxTokens: 24, prompt },
  ];
  const far = await write([beaming, ...sampled]);
  // Two arithmetics meet here, of the device and of the CPU: scores are near, and texts need not be the same.
  const [here] = await write([{ ...beaming, isHere: true }]);
  assert.equal(far[0].scores.length, 2);
  far[0].scores.forEach((score, i) => assert.ok(Math.abs(score - here.scores[i]) < 0.01, `${score} ${here.scores[i]}`));
  const captured = await write(sampled.map((options) => ({ ...options, captureLogits: true })));
  captured.forEach(({ ids, expected }, i) => {
    assert.deepEqual(ids, expected);
    assert.deepEqual(far[i + 1].ids, expected);
  });
  const [beams, group, drafted] = far;
  // Of beams the last rows are read, together.
  assert.ok(beams.reads.length <= 12 && beams.reads.every((bytes) => bytes <= 3 * 4 * 2048), beams.reads.join());
  assert.ok(group.reads.every((bytes) => bytes < PART + 4 * 64));
  assert.ok(drafted.usage.acceptedTokens > 0 && drafted.usage.passes < 24);
  // The rows after guesses are read together.
  assert.equal(drafted.reads.length, drafted.usage.passes);
  for (const { sent } of far) assert.equal(sent, 0);
  assert.ok(beams.copies > 0 && drafted.copies > 0);
});

test("rows of halves are the sampler's wherever in a buffer they begin", async () => {
  // Rows have 8,002 bytes. Where they may be bound, or copied, a part is read; inside a word, the row.
  const PART_AND_IDS = PART + 4 * 300;
  const isRead = { 1: false, 2: true, 3: false, 129: false };
  const results = await driver.evaluate(
    async (...given) => (await import("/tests/browser/session-gpu-page.js")).halves(...given),
    name,
    Object.keys(isRead).map(Number),
  );
  assert.equal(results.length, 12);
  for (const { length, options, ids, probabilities, expected, reads } of results) {
    const which = `${length} tokens, ${JSON.stringify(options)}`;
    assert.equal(ids.length, 3);
    assert.deepEqual(
      ids.map((id, i) => [id, probabilities[i]]),
      expected,
      which,
    );
    if (isRead[length]) assert.ok(reads[0] <= 8004, `${which}: ${reads}`);
    else assert.ok(reads[0] >= PART && reads[0] <= PART_AND_IDS, `${which}: ${reads}`);
  }
});

test("a session that is not on the device, or whose device is not given, is refused", async () => {
  const { wasm, mute } = await driver.evaluate(
    async (name) => (await import("/tests/browser/session-gpu-page.js")).refused(name),
    name,
  );
  assert.equal(wasm, "TypeError conflict");
  assert.equal(mute, "TypeError conflict");
});
