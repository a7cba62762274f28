// How many tokens are drafted when the pace decides, under a clock that forward passes drive.
import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, load } from "./decode-tools.js";
import { scriptedModel } from "./tiny-gguf.js";

const recited = Array.from({ length: 250 }, (_, byte) => byte);
const target = scriptedModel({ script: recited }).bytes;
const right = target;
/** Is right within each ten tokens, and wrong about what follows them. */
const often = scriptedModel({
  script: Array.from({ length: 250 }, (_, i) => recited[10 * (24 - Math.floor(i / 10)) + (i % 10)]),
}).bytes;
const wrong = scriptedModel({ script: recited.toReversed() }).bytes;
/** Milliseconds of a pass, and of each row. */
const cheap = { pass: 0.02, row: 0.001 };
const dear = { pass: 3, row: 0 };

/**
 * Writes greedily with a draft. Only forward passes take time. Returns what was written, the clock at the end, and the rows
 * that the draft has computed.
 * @param {{ draft: Uint8Array, price: { pass: number, row: number }, prompt?: number[], maxTokens?: number,
 *   draftTokens?: number | "auto" }} given
 */
async function timed({ draft, price, prompt = [1], maxTokens = 200, draftTokens = "auto" }) {
  const { instantiate } = WebAssembly;
  const { now } = performance;
  const prices = [{ pass: 1, row: 0.02 }, price];
  const rows = [0, 0];
  let clock = 0;
  let loaded = 0;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const own = loaded;
    const li_model_forward = (model, count) => {
      clock += prices[own].pass + count * prices[own].row;
      rows[own] += count;
      return exports.li_model_forward(model, count);
    };
    return { exports: { ...exports, li_model_forward } };
  };
  performance.now = () => clock;
  try {
    const model = await load(target);
    loaded++;
    const other = await load(draft);
    const options = { temperature: 0, maxTokens, draft: other, draftTokens };
    const { ids, usage } = await collect(model.generate(prompt, options));
    model.dispose();
    other.dispose();
    return { ids, usage, clock, rows: rows[1] };
  } finally {
    WebAssembly.instantiate = instantiate;
    performance.now = now;
  }
}

test("a cheap draft that is right soon writes most of the text", async () => {
  const { ids, usage, clock } = await timed({ draft: right, price: cheap });
  assert.deepEqual(
    ids,
    recited.slice(0, 200).map((byte) => 3 + byte),
  );
  assert.ok(usage.passes < 60, `${usage.passes} passes`);
  assert.ok(clock < 120, `${clock} ms`);
});

test("a draft is given up if it is wrong, or if it takes longer than the model", async () => {
  const mistaken = await timed({ draft: wrong, price: cheap });
  assert.ok(mistaken.usage.draftedTokens > 0);
  assert.ok(mistaken.usage.draftedTokens < 50, `${mistaken.usage.draftedTokens} drafted`);
  assert.equal(mistaken.usage.acceptedTokens, 0);
  const slow = await timed({ draft: right, price: dear });
  assert.ok(slow.usage.draftedTokens > 0);
  assert.ok(slow.usage.draftedTokens < 12, `${slow.usage.draftedTokens} drafted`);
});

test("a draft on trial reads the last tokens of a long text, and a draft that pays reads all", async () => {
  const prompt = [1, ...recited.slice(0, 150).map((byte) => 3 + byte)];
  const onTrial = await timed({ draft: wrong, price: cheap, prompt, maxTokens: 60 });
  const { draftedTokens } = onTrial.usage;
  assert.ok(draftedTokens > 0 && onTrial.rows < 15 * draftedTokens, `${onTrial.rows} rows`);
  assert.ok(onTrial.rows >= 24);
  const paying = await timed({ draft: often, price: cheap, prompt: prompt.slice(0, 101), maxTokens: 140 });
  // If the draft had not read the whole text, there would be no more rows than these.
  const trial = 24 + paying.usage.draftedTokens + paying.usage.passes;
  assert.ok(paying.rows > trial + 101, `${paying.rows} rows`);
  assert.ok(paying.rows <= trial + 101 + 140, `${paying.rows} rows`);
});

test("a draft on trial reads no token twice", async () => {
  const prompt = [1, ...recited.slice(0, 100).map((byte) => 3 + byte)];
  for (const maxTokens of [20, 24, 30, 40]) {
    const { usage, rows } = await timed({ draft: right, price: cheap, prompt, maxTokens });
    assert.ok(usage.acceptedTokens > 0);
    assert.equal(usage.acceptedTokens, usage.draftedTokens);
    // The last 24 tokens of the text, the drafted tokens, and for each pass with a draft the token that the target
    // added.
    assert.ok(rows <= 24 + usage.draftedTokens + usage.passes, `${rows} rows, ${JSON.stringify(usage)}`);
  }
});

test("with a fixed number of proposals a draft reads the whole text", async () => {
  const prompt = [1, ...recited.slice(0, 100).map((byte) => 3 + byte)];
  const { usage, rows } = await timed({ draft: right, price: cheap, prompt, maxTokens: 8, draftTokens: 3 });
  assert.equal(usage.draftedTokens, 6);
  // The last proposal is not run, and the target adds a token to each three.
  assert.equal(rows, prompt.length + 2 + 2 + 2);
});
