// Contrastive search against the paper's formula in float64, on rows and hidden states of a model that shows its
// states.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { randomGguf, showStates } from "../vectors/gguf-files.js";
import { argmax, collect, countForwards, load, logSoftmax, shipped, softmax, warmUp } from "./decode-tools.js";
import { randomModel } from "./tiny-gguf.js";

/** Cosine similarity. */
function cosine(a, b) {
  let [dot, first, second] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    first += a[i] * a[i];
    second += b[i] * b[i];
  }
  return dot / Math.sqrt(first * second);
}

/** Su et al. (2022), step by step. `margins` receives the margin by which each token won. */
async function search(model, shown, dim, prompt, { alpha, k, steps, margins = [] }) {
  const ids = [...prompt];
  const ranks = [];
  for (let step = 0; step < steps; step++) {
    const probabilities = softmax(await model.forward(ids));
    const order = Array.from(probabilities.keys()).sort((a, b) => probabilities[b] - probabilities[a] || a - b);
    const states = (await shown.forward(ids, { rows: "all" })).map((row) => row.slice(0, dim));
    const scores = [];
    for (const id of order.slice(0, k)) {
      const state = (await shown.forward([id], { keep: ids.length })).slice(0, dim);
      const likeness = Math.max(...states.map((other) => cosine(state, other)));
      scores.push((1 - alpha) * probabilities[id] - alpha * likeness);
    }
    const best = argmax(scores);
    margins.push(scores[best] - Math.max(...scores.filter((_, i) => i !== best)));
    ranks.push(best);
    ids.push(order[best]);
  }
  return { ids: ids.slice(prompt.length), ranks };
}

for (const [name, file, dim] of [
  ["the storyteller", shipped("storyteller"), 192],
  ["a model of random weights", randomGguf(), 96],
])
  test(`contrastive search chooses as the paper says: ${name}`, async () => {
    const [model, shown] = [await load(file), await load(showStates(file))];
    const prompt = [1, 300, 420, 500, 333];
    const ranks = new Set();
    for (const [alpha, k] of [
      [0.6, 4],
      [0.3, 8],
      [0.9, 3],
      [1, 2],
    ]) {
      const margins = [];
      const expected = await search(model, shown, dim, prompt, { alpha, k, steps: 24, margins });
      const options = { penaltyAlpha: alpha, topK: k, maxTokens: 24, bannedTokens: [], eos: [] };
      const result = await collect(model.generate(prompt, { ...options, captureLogits: true }));
      // Where two candidates are equally good, rounding may choose the other one.
      const sure = margins.findIndex((margin) => margin < 1e-5);
      const length = sure < 0 ? 24 : sure;
      assert.ok(length > 8);
      assert.deepEqual(result.ids.slice(0, length), expected.ids.slice(0, length));
      expected.ranks.slice(0, length).forEach((rank) => ranks.add(rank));
      const rows = await model.forward([...prompt, ...result.ids.slice(0, -1)], { rows: "all" });
      for (const [i, { id, probability, rawLogprob, logits }] of result.tokens.entries()) {
        assert.deepEqual(logits, rows[prompt.length - 1 + i]);
        assert.ok(Math.abs(rawLogprob - logSoftmax(logits)[id]) < 1e-6);
        assert.ok(Math.abs(probability - Math.exp(rawLogprob)) < 1e-6);
      }
    }
    assert.ok(ranks.size > 1);
    for (const one of [model, shown]) one.dispose();
  });

test("a smaller alpha is nearer to greedy, and 0 switches contrastive search off", async () => {
  const model = await load(shipped("storyteller"));
  const prompt = "Lily wanted to";
  const greedy = await collect(model.generate(prompt, { temperature: 0, maxTokens: 80 }));
  const nearly = await collect(model.generate(prompt, { penaltyAlpha: 1e-9, topK: 5, maxTokens: 80 }));
  assert.deepEqual(nearly.ids, greedy.ids);
  const off = await collect(model.generate(prompt, { penaltyAlpha: 0, topK: 5, maxTokens: 20, seed: 3 }));
  assert.deepEqual(off.ids, (await collect(model.generate(prompt, { topK: 5, maxTokens: 20, seed: 3 }))).ids);
  // Greedily this prompt ends in a loop; contrastive search leaves it.
  const repeated = ({ ids }) => 1 - new Set(ids.map((_, i) => ids.slice(i, i + 4).join())).size / ids.length;
  const text = await collect(model.generate(prompt, { penaltyAlpha: 0.6, topK: 4, maxTokens: 150 }));
  const loop = await collect(model.generate(prompt, { temperature: 0, maxTokens: 150 }));
  assert.ok(repeated(text) < repeated(loop) / 2, `${repeated(text)} against ${repeated(loop)}`);
  model.dispose();
});

test("a step of contrastive search is one pass with a row for each candidate", async () => {
  await countForwards(async (counter) => {
    const model = await load(randomModel());
    await warmUp(model, counter);
    const run = (options) =>
      collect(model.generate([1, 50, 51], { penaltyAlpha: 0.5, topK: 6, bannedTokens: [2], ...options }));
    const { usage } = await run({ maxTokens: 10 });
    assert.equal(counter.forwards, 1 + 10);
    assert.equal(counter.rows, 3 + 6 * 10);
    assert.deepEqual([usage.promptTokens, usage.cachedTokens, usage.completionTokens, usage.passes], [3, 0, 10, 11]);
    // It ends where plain text ends: at a full context, a stop string or the end token.
    const full = await run({});
    assert.equal(full.finishReason, "context");
    assert.equal(full.ids.length, 64 - 3 + 1);
    const stop = full.text.slice(4, 6);
    const stopped = await run({ stop });
    assert.equal(stopped.finishReason, "stop");
    assert.equal(stopped.text, full.text.slice(0, full.text.indexOf(stop)));
    const ended = await run({ eos: full.ids[5] });
    assert.equal(ended.finishReason, "eos");
    // There are as many candidates as a pass has rows.
    counter.forwards = 0;
    await run({ topK: 64, maxTokens: 3 });
    assert.equal(counter.forwards, 1 + 3);
    model.dispose();
  });
});

test("contrastive search takes penalties, a grammar and healing, even after its slots were displaced", async () => {
  const model = await load(randomModel({ context: 256 }));
  const options = { penaltyAlpha: 0.6, topK: 5, bannedTokens: [2], maxTokens: 120, repetitionPenalty: 1.3 };
  const alone = await collect(model.generate([1, 60], options));
  const resting = model.generate([1, 60], options);
  const first = (await resting.next()).value;
  for (let i = 0; i < 3; i++)
    for await (const _ of model.generate([1, 70 + i], { n: 64, maxTokens: 3, seed: i, bannedTokens: [2] }));
  assert.deepEqual([first.tokens[0].id, ...(await collect(resting)).ids], alone.ids);
  model.dispose();

  const storyteller = await load(shipped("storyteller"));
  const search = { penaltyAlpha: 0.6, topK: 5, maxTokens: 20 };
  const grammar = await compileGrammar({
    vocabulary: storyteller.vocabulary,
    regex: " (red|blue) (ball|box)[a-z ]{3,9}\\.",
  });
  assert.match(
    (await collect(storyteller.generate("He had a", { ...search, grammar }))).text,
    /^ (red|blue) (ball|box)[a-z ]{3,9}\.$/,
  );
  grammar.dispose();
  const start = "There was a lit";
  const { text, ids } = await collect(storyteller.generate(start, { ...search, heal: true }));
  const cut = (await storyteller.tokenize(start, { bos: true })).slice(0, -1);
  assert.equal(await storyteller.detokenize([...cut, ...ids]), start + text);
  storyteller.dispose();
});

test("contrastive search refuses options that it does not support", async () => {
  const model = await load(randomModel());
  const refused = (options, code, name = "TypeError") =>
    assert.throws(() => model.generate([1], { penaltyAlpha: 0.5, topK: 4, ...options }), { name, code });
  refused({ topK: 1 }, "out-of-range", "RangeError");
  refused({ topK: 0 }, "out-of-range", "RangeError");
  refused({ topK: 65 }, "out-of-range", "RangeError");
  refused({ penaltyAlpha: 1.1 }, "out-of-range", "RangeError");
  refused({ temperature: 0 }, "conflict");
  refused({ n: 2 }, "conflict");
  refused({ draft: "lookup" }, "conflict");
  refused({ beams: 2 }, "conflict");
  refused({ guidance: 2 }, "conflict");
  refused({ dola: "low" }, "conflict", "RangeError");
  model.dispose();
});

test("no result depends on the engine's Math, whose last bits may differ", async () => {
  const model = await load(randomModel());
  const write = () => collect(model.generate([1, 40], { penaltyAlpha: 0.5, topK: 4, maxTokens: 12, eos: [] }));
  const expected = await write();
  const { exp } = Math;
  Math.exp = () => 0;
  try {
    assert.deepEqual((await write()).tokens, expected.tokens);
  } finally {
    Math.exp = exp;
  }
  model.dispose();
});
