// Rows on a GPU: the kernels on SwiftShader bring the part that their twin brings, and samplers choose as from the whole
// row. Speeds there mean nothing; bytes and round trips do.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { examplesOf } from "../markdown.js";
import { rounds } from "../rounds.js";
import { openSite } from "./site.js";

const { site, driver, close } = await openSite("chromium");
after(close);
await driver.open(`${site.origin}/tests/browser/blank.html`);

test("sampleFrom chooses the token of the whole row, and reads at most 16 KB in one round trip where it is proved", async (t) => {
  // Numbers 13 apart meet all options, and each with other shapes and sizes.
  let gathered = 0;
  let most = 0;
  const [end, stride] = rounds([2500, 1], [13 * 48, 13]);
  // A busy machine answers a few numbers in time.
  for (let first = 0; first < end; first += 4 * stride) {
    const { wrong, largest, trips, rows, listed } = await driver.evaluate(
      async (...given) => (await import("/tests/browser/gpu-page.js")).run(...given),
      first,
      Math.min(end, first + 4 * stride),
      stride,
    );
    assert.deepEqual(wrong, []);
    assert.ok(largest <= 16384 && trips <= 1, `${largest} bytes, ${trips} round trips`);
    most = Math.max(most, largest);
    gathered = Math.max(gathered, listed);
    for (const [options, { steps, needed }] of Object.entries(rows))
      totals.set(options, plus(totals.get(options), steps, needed));
    if (first % 400 === 0) t.diagnostic(`number ${first} of ${end}`);
  }
  assert.ok(most > 12000, `${most} bytes`);
  assert.ok(gathered > 2, `${gathered} logits were gathered`);
  for (const [options, [steps, needed]] of totals) console.log(`${needed} of ${steps} rows needed: ${options}`);
  const [steps, needed] = totals.get(JSON.stringify({ temperature: 1 })) ?? [];
  assert.ok(steps && needed === steps, "temperature alone needs every row");
});

/** Steps, and rows that were needed, by options. @type {Map<string, [number, number]>} */
const totals = new Map();
const plus = ([steps, needed] = [0, 0], more = 0, some = 0) =>
  /** @type {[number, number]} */ ([steps + more, needed + some]);

test("a wrong buffer, a busy sampler and a lost device are errors that change nothing", async () => {
  const { codes, drawn, probability, isSameDistribution, isSameInformation } = await driver.evaluate(async () =>
    (await import("/tests/browser/gpu-page.js")).refusals(),
  );
  assert.deepEqual(codes, {
    usage: "TypeError gpu-buffer",
    short: "RangeError wrong-length",
    offset: "RangeError out-of-range",
    beyond: "RangeError wrong-length",
    type: "TypeError bad-type",
    wake: "TypeError bad-type",
    name: "TypeError unknown-option",
    device: "TypeError bad-type",
    other: "TypeError gpu-buffer",
    noBuffer: "TypeError gpu-buffer",
    noBufferWhole: "TypeError gpu-buffer",
    token: "RangeError out-of-range",
    top: "TypeError bad-type",
    nan: "LastInchError logits-nan",
    sample: "LastInchError busy",
    set: "LastInchError busy",
    second: "LastInchError busy",
    disposedFirst: "LastInchError disposed",
    disposedReading: "LastInchError disposed",
    tokenLost: "RangeError out-of-range",
    lost: "LastInchError gpu-lost",
    lostAgain: "LastInchError gpu-lost",
    disposed: "LastInchError disposed",
  });
  for (const [from, expected] of drawn) assert.equal(from, expected);
  assert.ok(probability[0] > 0 && probability[0] < 1);
  assert.deepEqual(new Set(probability).size, 1);
  assert.ok(isSameDistribution && isSameInformation);
});

test("steps make nothing anew, many at once keep the buffers of sixteen, and samplers share memory", async () => {
  const made = await driver.evaluate(async () => (await import("/tests/browser/gpu-page.js")).economy());
  const { bindGroups, kept, destroyed, memories, scratches } = made;
  assert.deepEqual(bindGroups, [3, 3]); // one for the buffers, and two rows
  assert.equal(kept, 5 * 16);
  assert.equal(destroyed, 5 * 8);
  assert.equal(memories, 1);
  assert.equal(scratches, 1);
});

test("the example of the documentation writes the tokens that rows of the page give", async () => {
  const [example, ...others] = examplesOf("demos/docs/gpu.md", "js in-page");
  assert.equal(others.length, 0);
  const [text, expected] = await driver.evaluate(async (code) => {
    const { rowsOfExample } = await import("/tests/browser/gpu-page.js");
    const logged = [];
    const { log } = console;
    console.log = (value) => logged.push(value);
    const source = code.replace('"lastinch"', `"${location.origin}/dist/index.js"`);
    await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    console.log = log;
    return [logged[0], await rowsOfExample()];
  }, example);
  assert.equal(text.length, 21);
  assert.ok(new Set(text).size > 10);
  assert.deepEqual(text, expected);
});
