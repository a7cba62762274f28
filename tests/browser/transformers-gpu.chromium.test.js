// transformers.js on WebGPU, which is SwiftShader here, with our sampler: the tokens are those of the same logits on the
// CPU. SwiftShader has no halves (shader-f16), so fp16 runs in Node alone (adapter-transformers.slow.test.js).
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { onnxModel } from "../vectors/export-onnx.js";
import { PART_SIZE } from "../../web/core/layouts.js";
import { openSite } from "./site.js";

const { name } = onnxModel("storyteller");

const { site, driver, close } = await openSite("chromium");
after(close);
await driver.open(`${site.origin}/tests/browser/peers.html`);

const page = (method, ...given) =>
  driver.evaluate(
    async (method, given) => (await import("/tests/browser/transformers-gpu-page.js"))[method](...given),
    method,
    given,
  );

/** Bytes of the part of a row that sampleFrom reads. */
const PART = PART_SIZE;
const TOKENS = 8;

// SwiftShader takes minutes for four bits.
for (const dtype of process.env.CHECK_LONG ? ["fp32", "q4"] : ["fp32"])
  test(`${dtype}: rows that are read and rows that stay on the device give the CPU's tokens`, async () => {
    await page("open", name, dtype);
    const recorded = await page("write", TOKENS, { isRecorded: true });
    const expected = await page("choices");
    assert.deepEqual(recorded.ids, expected);
    assert.equal(expected[1].length, TOKENS);
    // The first pass shows what the session's tensors are.
    const first = await page("write", TOKENS, { isFar: true });
    assert.deepEqual(first.ids, expected);
    assert.ok(
      first.reads.slice(2 - 2 * TOKENS).every((bytes) => bytes < PART + 4 * 64),
      first.reads.join(),
    );
    const far = await page("write", TOKENS, { isFar: true });
    assert.deepEqual(far.ids, expected);
    // One read for each text and token: a part and the logits of tokens that were seen.
    assert.equal(far.reads.length, 2 * TOKENS);
    assert.ok(
      far.reads.every((bytes) => bytes >= PART && bytes < PART + 4 * 64),
      far.reads.join(),
    );
    // With the model's own probabilities rows are needed, but not the others of the prompt.
    const both = await page("write", TOKENS, { isFar: true, logprobs: true });
    assert.deepEqual(both.ids, expected);
    assert.deepEqual(both.reads, new Array(TOKENS).fill(2 * 4 * 2048));
    assert.ok(both.rawLogprobs.every((logprob) => logprob < 0));
    assert.equal(await page("write", TOKENS, { isFar: true, isRecorded: true }), "TypeError conflict");
    // For other calls the model is as it was.
    assert.equal((await page("write", TOKENS, { isPlain: true }))[0].length, TOKENS);
  });
