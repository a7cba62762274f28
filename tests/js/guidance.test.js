// Rows of logits are combined before a token is chosen: classifier-free guidance, contrastive decoding, DoLa. The
// references are the papers' formulas in float64, on rows that the models compute one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { cutLayers, randomGguf } from "../vectors/gguf-files.js";
import {
  argmax,
  collect,
  collectAll,
  countForwards,
  load,
  logSoftmax,
  rowsOf,
  shipped,
  softmax,
} from "./decode-tools.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const prompt = "Once upon a time, there was a little";
const near = (actual, expected, tolerance, what) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} against ${expected}`);

/**
 * Checks a text token by token: each token's probability is that of the combined row, and its other numbers are those
 * of the model's own row.
 * @param {{ tokens: any[] }} result
 * @param {Float32Array[]} own
 * @param {(i: number) => Float64Array} combined
 */
function checkTokens({ tokens }, own, combined, { isGreedy = false } = {}) {
  assert.equal(own.length, tokens.length);
  tokens.forEach(({ id, probability, rawLogprob, logits }, i) => {
    const expected = combined(i);
    if (isGreedy) near(expected[id], expected[argmax(expected)], 1e-4, `the best at ${i}`);
    else near(probability, softmax(expected)[id], 2e-5, `probability at ${i}`);
    near(rawLogprob, logSoftmax(own[i])[id], 1e-5, `rawLogprob at ${i}`);
    if (logits) assert.deepEqual(logits, own[i]);
  });
}

/** Guidance of Sanchez et al. (2023): moves log-probabilities away from the unconditional ones. */
function guided(conditional, unconditional, scale) {
  const [c, u] = [logSoftmax(conditional), logSoftmax(unconditional)];
  return c.map((value, i) => u[i] + scale * (value - u[i]));
}

/** Contrastive decoding of Li et al. (2023), as log-probabilities. */
function contrasted(strong, weak, weight = 1, plausibility = 0.1) {
  const [s, w] = [logSoftmax(strong), logSoftmax(weak)];
  const bound = Math.log(plausibility) + Math.max(...s);
  return s.map((value, i) => (value >= bound ? value - weight * w[i] : -Infinity));
}

/** Jensen-Shannon divergence. */
function divergence(a, b) {
  const [p, q] = [softmax(a), softmax(b)];
  let sum = 0;
  p.forEach((x, i) => {
    const middle = (x + q[i]) / 2;
    if (x) sum += (x / 2) * Math.log(x / middle);
    if (q[i]) sum += (q[i] / 2) * Math.log(q[i] / middle);
  });
  return sum;
}

test("guidance draws from the guided distribution, and reports the model's own beside it", async () => {
  const model = await load(shipped("storyteller"));
  const ids = await model.tokenize(prompt, { bos: true });
  for (const [options, negative] of [
    [{ guidance: 1.5 }, [1]],
    [
      { guidance: 3, negativePrompt: "The king was old and the" },
      await model.tokenize("The king was old and the", { bos: true }),
    ],
    [{ guidance: 0.5, negativePrompt: [1, 300, 301] }, [1, 300, 301]],
    [{ guidance: 0 }, [1]],
    [{ guidance: 1.7, negativePrompt: "The".repeat(40) }, await model.tokenize("The".repeat(40), { bos: true })],
  ]) {
    const result = await collect(model.generate(ids, { ...options, seed: 4, maxTokens: 30, captureLogits: true }));
    const own = await rowsOf(model, ids, result.ids);
    const other = await rowsOf(model, negative, result.ids);
    checkTokens(result, own, (i) => guided(own[i], other[i], options.guidance));
    const greedy = await collect(model.generate(ids, { ...options, temperature: 0, maxTokens: 30 }));
    const [mine, theirs] = [await rowsOf(model, ids, greedy.ids), await rowsOf(model, negative, greedy.ids)];
    checkTokens(greedy, mine, (i) => guided(mine[i], theirs[i], options.guidance), { isGreedy: true });
  }
  model.dispose();
});

test("guidance 1 changes nothing, and without a BOS the prompt's last token is the unconditional prompt", async () => {
  const model = await load(randomGguf({ layers: 1, context: 64 }));
  const ids = [1, 280, 290];
  const plain = await collect(model.generate(ids, { seed: 7, maxTokens: 20 }));
  const one = await collect(model.generate(ids, { seed: 7, maxTokens: 20, guidance: 1, negativePrompt: [1, 5] }));
  assert.deepEqual(one.ids, plain.ids);
  assert.throws(() => model.generate(ids, { negativePrompt: "x" }), { name: "TypeError", code: "conflict" });
  assert.throws(() => model.generate(ids, { guidance: 2, dola: "low" }), { code: "conflict" });
  await assert.rejects(collect(model.generate(ids, { guidance: 2, negativePrompt: [] })), { code: "out-of-range" });
  model.dispose();

  const bare = await load(
    randomModel({ extra: { "tokenizer.ggml.bos_token_id": ["uint32", 0xffffffff] }, addBos: false }),
  );
  assert.equal(bare.config.bos, null);
  const given = [70, 71, 72];
  const result = await collect(bare.generate(given, { guidance: 2, seed: 3, maxTokens: 12, bannedTokens: [2] }));
  const [own, other] = [await rowsOf(bare, given, result.ids), await rowsOf(bare, [72], result.ids)];
  const banned = (row) => row.map((value, id) => (id === 2 ? -Infinity : value));
  checkTokens(result, own, (i) => banned(guided(own[i], other[i], 2)));
  bare.dispose();
});

test("the longer of prompt and negative prompt fills the context", async () => {
  const model = await load(randomModel({ context: 16 }));
  const run = (ids, negative) =>
    collect(model.generate(ids, { guidance: 2, negativePrompt: negative, seed: 1, bannedTokens: [2] }));
  const many = (count) => Array.from({ length: count }, (_, i) => 40 + i);
  for (const [own, other, length] of [
    [4, 10, 7],
    [10, 4, 7],
    [2, 16, 1],
    [16, 2, 1],
  ]) {
    const { ids, finishReason } = await run(many(own), many(other));
    assert.equal(ids.length, length);
    assert.equal(finishReason, "context");
  }
  await assert.rejects(run([40], many(17)), { name: "LastInchError", code: "model-context-full" });
  model.dispose();
});

test("guidance combines with several continuations, lookup drafts, beams, a grammar and healing", async () => {
  const model = await load(shipped("storyteller"));
  const ids = await model.tokenize(prompt, { bos: true });
  const guidance = { guidance: 2, negativePrompt: "The dog" };
  const plain = { ...guidance, seed: 11, maxTokens: 24 };
  const group = await collectAll(model.generate(ids, { ...plain, n: 3 }));
  for (const [stream, one] of group.entries())
    assert.deepEqual(one.ids, (await collect(model.generate(ids, { ...plain, stream }))).ids);

  const repeating = "The cat sat. The dog sat. The cat sat. The dog";
  const alone = await collect(model.generate(repeating, { ...plain, temperature: 0 }));
  const drafted = await collect(
    model.generate(repeating, { ...plain, temperature: 0, draft: "lookup", draftTokens: 4 }),
  );
  assert.deepEqual(drafted.ids, alone.ids);
  assert.ok(drafted.usage.draftedTokens > 0);
  drafted.tokens.forEach(({ rawLogprob }, i) => assert.equal(rawLogprob, alone.tokens[i].rawLogprob));

  const grammar = await compileGrammar({
    vocabulary: model.vocabulary,
    regex: " (girl|boy|cat) named [A-Z][a-z]{2,8}\\.",
  });
  for (const extra of [{}, { n: 2 }, { draft: "lookup" }]) {
    const results = extra.n ? await collectAll(model.generate(prompt, { ...plain, ...extra, grammar })) : [];
    if (!extra.n) results.push(await collect(model.generate(prompt, { ...plain, ...extra, grammar })));
    for (const { text } of results) assert.match(text, /^ (girl|boy|cat) named [A-Z][a-z]{2,8}\.$/);
  }
  grammar.dispose();

  // A search scores beams by the combined rows, and a wider search finds nothing worse.
  const negative = await model.tokenize("The dog", { bos: true });
  const guidedScore = async ({ ids: text }) => {
    const [own, other] = [await rowsOf(model, ids, text), await rowsOf(model, negative, text)];
    return text.reduce((sum, id, i) => sum + logSoftmax(guided(own[i], other[i], 2))[id], 0);
  };
  const search = { ...guidance, maxTokens: 6, bannedTokens: [2] };
  const beams = await collectAll(model.generate(ids, { ...search, beams: 6, n: 2 }));
  const scores = [await guidedScore(beams[0]), await guidedScore(beams[1])];
  assert.ok(scores[0] >= scores[1], `${scores}`);
  assert.ok(scores[0] >= (await guidedScore(await collect(model.generate(ids, { ...search, temperature: 0 })))));
  const raw = await rowsOf(model, ids, beams[0].ids);
  beams[0].tokens.forEach(({ id, rawLogprob }, i) => near(rawLogprob, logSoftmax(raw[i])[id], 1e-5, `beam ${i}`));

  const healed = await collect(
    model.generate("Once upon a time, there was a lit", { ...plain, guidance: 1.2, heal: true }),
  );
  const cut = (await model.tokenize("Once upon a time, there was a lit", { bos: true })).slice(0, -1);
  assert.equal(await model.detokenize([...cut, ...healed.ids]), "Once upon a time, there was a lit" + healed.text);
  model.dispose();
});

test("a guided text is the same when other texts displace its sequences", async () => {
  const model = await load(randomModel({ context: 256, vocabulary: vocabularyOf([..."abcdefghij"]) }));
  const options = { guidance: 2, negativePrompt: [1, 50], seed: 5, bannedTokens: [2], maxTokens: 150 };
  const alone = await collect(model.generate([1, 60], options));
  const resting = model.generate([1, 60], options);
  const first = (await resting.next()).value;
  // The reader pauses and the model runs ahead and stops. Then many other texts take the seats.
  for (let i = 0; i < 3; i++)
    await collectAll(model.generate([1, 70 + i], { n: 64, maxTokens: 3, seed: i, bannedTokens: [2] }));
  const rest = await collect(resting);
  assert.deepEqual([first.tokens[0].id, ...rest.ids], alone.ids);
  model.dispose();
});

test("guidance, contrast and DoLa free their memory", async () => {
  await countForwards(async (counter) => {
    const model = await load(randomGguf({ layers: 3 }));
    const run = (options) => collect(model.generate([1, 300], { maxTokens: 12, seed: 1, ...options }));
    // Every seat is taken by sequences longer than those to come.
    for (const first of [300, 301])
      await collectAll(model.generate([1, first], { n: 64, maxTokens: 16, seed: first, bannedTokens: [2] }));
    for (const options of [{ guidance: 2 }, { contrast: { model } }, { dola: "low" }, { penaltyAlpha: 0.5, topK: 5 }]) {
      await run(options);
      const { byteLength } = counter.memory.buffer;
      for (let i = 0; i < 40; i++) await run(options);
      assert.equal(counter.memory.buffer.byteLength, byteLength, Object.keys(options)[0]);
    }
    model.dispose();
  });
});

test("contrastive decoding subtracts the weaker model's log-probabilities from plausible tokens", async () => {
  const [model, draft] = [await load(shipped("storyteller")), await load(shipped("draft"))];
  const ids = await model.tokenize(prompt, { bos: true });
  for (const given of [{}, { weight: 0.5, plausibility: 0.3 }, { weight: 0, plausibility: 0 }]) {
    const contrast = { model: draft, ...given };
    const result = await collect(model.generate(ids, { contrast, seed: 6, maxTokens: 30, captureLogits: true }));
    const [own, weak] = [await rowsOf(model, ids, result.ids), await rowsOf(draft, ids, result.ids)];
    const combined = (i) => contrasted(own[i], weak[i], given.weight, given.plausibility);
    checkTokens(result, own, combined);
    for (const [i, { id }] of result.tokens.entries()) assert.ok(combined(i)[id] > -Infinity);
  }
  // Weight 0 without a cut is the model alone.
  const none = await collect(
    model.generate(ids, { contrast: { model: draft, weight: 0, plausibility: 0 }, seed: 6, maxTokens: 30 }),
  );
  const plain = await collect(model.generate(ids, { seed: 6, maxTokens: 30 }));
  assert.deepEqual(none.ids, plain.ids);
  // Contrasted with itself, a model finds all plausible tokens equally good.
  const self = await collect(model.generate(ids, { contrast: { model }, seed: 2, maxTokens: 10 }));
  const own = await rowsOf(model, ids, self.ids);
  self.tokens.forEach(({ probability }, i) => {
    const count = contrasted(own[i], own[i]).filter((value) => value > -Infinity).length;
    near(probability, 1 / count, 1e-5, `one of ${count}`);
  });
  const plausible = { contrast: { model: draft }, seed: 3, maxTokens: 20 };
  const group = await collectAll(model.generate(ids, { ...plausible, n: 3 }));
  for (const [stream, one] of group.entries())
    assert.deepEqual(one.ids, (await collect(model.generate(ids, { ...plausible, stream }))).ids);
  const lookup = await collect(model.generate(ids, { ...plausible, temperature: 0, draft: "lookup", draftTokens: 3 }));
  const greedy = await collect(model.generate(ids, { ...plausible, temperature: 0 }));
  assert.deepEqual(lookup.ids, greedy.ids);
  const doubled = await collect(model.generate(ids, { ...plausible, temperature: 0, draft, draftTokens: 3 }));
  assert.deepEqual(doubled.ids, greedy.ids);
  for (const one of [model, draft]) one.dispose();
});

test("if a grammar or a ban leaves nothing plausible, the model's own distribution counts", async () => {
  const [model, draft] = [await load(shipped("storyteller")), await load(shipped("draft"))];
  const ids = await model.tokenize(prompt, { bos: true });
  // The likeliest token is banned, and hardly anything else is plausible.
  const contrast = { model: draft, plausibility: 1 };
  const [best] = (await collect(model.generate(ids, { contrast, temperature: 0, maxTokens: 1 }))).ids;
  const { tokens } = await collect(model.generate(ids, { contrast, bannedTokens: [best], seed: 1, maxTokens: 1 }));
  const row = (await model.forward(ids)).map((logit, id) => (id === best ? -Infinity : logit));
  near(tokens[0].probability, softmax(row)[tokens[0].id], 1e-5, "probability");
  const regex = " (zebra|queen) (of|in) [A-Z]{3}\\.";
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex });
  const plain = { grammar, seed: 3, maxTokens: 30 };
  for (const source of [{ contrast: { model: draft } }, { dola: "low" }, { guidance: 3 }])
    for (const way of [{}, { n: 2 }, { beams: 2 }, { draft, draftTokens: 3 }, { temperature: 0 }]) {
      const all = [];
      for await (const chunk of model.generate(ids, { ...plain, ...source, ...way }))
        if (!chunk.index) all.push(chunk.text);
      assert.match(all.join(""), new RegExp(`^${regex}$`), Object.keys({ ...source, ...way }).join());
    }
  // A row without an allowed token is still an error.
  const nothing = { allowedTokens: [5], bannedTokens: [5], eos: [] };
  await assert.rejects(collect(model.generate(ids, { ...nothing, dola: "low" })), { code: "nothing-left" });
  grammar.dispose();
  for (const one of [model, draft]) one.dispose();
});

test("an abort, or leaving the loop, ends combined texts and leaves the models usable", async () => {
  const [model, draft] = [await load(shipped("storyteller")), await load(shipped("draft"))];
  const plain = { seed: 5, bannedTokens: [2], maxTokens: 60 };
  const expected = await collect(model.generate(prompt, plain));
  for (const options of [
    { guidance: 2 },
    { guidance: 2, n: 64 },
    { contrast: { model: draft } },
    { dola: "high" },
    { penaltyAlpha: 0.6, topK: 4 },
  ]) {
    const controller = new AbortController();
    const reasons = [];
    for await (const { finishReason } of model.generate(prompt, { ...plain, ...options, signal: controller.signal })) {
      reasons.push(finishReason);
      if (reasons.length === 5) controller.abort();
    }
    assert.equal(reasons.at(-1), "abort");
    assert.equal(reasons.length, 6);
    for await (const _ of model.generate(prompt, { ...plain, ...options })) break;
    assert.deepEqual((await collect(model.generate(prompt, plain))).ids, expected.ids);
    const whole = await collect(model.generate(prompt, { ...plain, ...options, n: 1, maxTokens: 10 }));
    assert.equal(whole.ids.length, 10);
  }
  for (const one of [model, draft]) one.dispose();
});

test("the weaker model must have the same vocabulary and thread, and must not be disposed while in use", async () => {
  const bytes = randomModel();
  const model = await load(bytes);
  const [elsewhere, other] = [
    await load(bytes, { worker: true }),
    await load(randomModel({ vocabulary: vocabularyOf(["x"]) })),
  ];
  const contrast = (theirs) => () => model.generate([1], { contrast: { model: theirs } });
  assert.throws(contrast(elsewhere), { name: "TypeError", code: "conflict", message: /thread/ });
  assert.throws(contrast(other), { name: "TypeError", code: "conflict", message: /vocabulary/ });
  assert.throws(contrast(undefined), { name: "TypeError", code: "bad-type" });
  assert.throws(() => model.generate([1], { contrast: { model, wieght: 2 } }), { code: "unknown-option" });

  const amateur = await load(randomModel({ seed: 2 }));
  const options = { contrast: { model: amateur }, seed: 1, bannedTokens: [2], maxTokens: 50 };
  const generation = model.generate([1], options);
  const waiting = model.generate([1], options);
  await generation.next();
  amateur.dispose();
  await assert.rejects(collect(generation), { name: "LastInchError", code: "disposed" });
  await assert.rejects(collect(waiting), { name: "LastInchError", code: "disposed" });
  assert.throws(contrast(amateur), { code: "disposed" });
  // The model itself still works.
  assert.equal((await collect(model.generate([1], { seed: 1, bannedTokens: [2], maxTokens: 5 }))).ids.length, 5);
  const brief = await load(randomModel({ seed: 3, context: 8 }));
  const short = await collect(model.generate([1, 50], { ...options, contrast: { model: brief } }));
  assert.equal(short.finishReason, "context");
  assert.equal(short.ids.length, 7);
  const long = Array.from({ length: 9 }, () => 50);
  await assert.rejects(collect(model.generate(long, { ...options, contrast: { model: brief } })), {
    code: "model-context-full",
  });
  for (const one of [model, elsewhere, other, brief]) one.dispose();
});

test("DoLa subtracts the early layer that is farthest from the last", async () => {
  for (const [file, count] of [
    [randomGguf({ layers: 5 }), 5],
    [shipped("storyteller"), 5],
  ]) {
    const model = await load(file);
    const early = [];
    for (let layers = 1; layers < count; layers++) early.push(await load(cutLayers(file, layers)));
    const ids = [1, 300, 301, 302];
    const chosen = new Set();
    for (const [dola, layers] of [
      ["low", [0, 1]],
      ["high", [2, 3]],
      [
        [3, 0, 3],
        [0, 3],
      ],
      [[1], [1]],
    ]) {
      const result = await collect(model.generate(ids, { dola, seed: 8, maxTokens: 25, captureLogits: true }));
      const own = await rowsOf(model, ids, result.ids);
      const rows = await Promise.all(early.map((cut) => rowsOf(cut, ids, result.ids)));
      checkTokens(result, own, (i) => {
        const distances = layers.map((layer) => divergence(own[i], rows[layer][i]));
        const layer = layers[argmax(distances)];
        chosen.add(layer);
        return contrasted(own[i], rows[layer][i]);
      });
      const greedy = await collect(model.generate(ids, { dola, temperature: 0, maxTokens: 15 }));
      const lookup = await collect(model.generate(ids, { dola, temperature: 0, maxTokens: 15, draft: "lookup" }));
      assert.deepEqual(lookup.ids, greedy.ids);
    }
    assert.ok(chosen.size > 1);
    const group = await collectAll(model.generate(ids, { dola: "low", seed: 3, maxTokens: 12, n: 3 }));
    for (const [stream, one] of group.entries())
      assert.deepEqual(
        one.ids,
        (await collect(model.generate(ids, { dola: "low", seed: 3, maxTokens: 12, stream }))).ids,
      );
    for (const one of [model, ...early]) one.dispose();
  }
});

test("DoLa needs layers that come before the last", async () => {
  const model = await load(randomModel());
  assert.throws(() => model.generate([1], { dola: "low" }), { name: "RangeError", code: "conflict" });
  model.dispose();
  const three = await load(randomGguf({ layers: 3 }));
  for (const dola of [[2], [-1], [0.5]]) assert.throws(() => three.generate([1], { dola }), { name: "RangeError" });
  for (const dola of ["middle", [], 1]) assert.throws(() => three.generate([1], { dola }), { name: "TypeError" });
  // A text with DoLa does not affect the texts after it.
  const plain = await collect(three.generate([1, 300], { seed: 2, maxTokens: 10 }));
  await collect(three.generate([1, 300], { seed: 2, maxTokens: 10, dola: "high" }));
  assert.deepEqual((await collect(three.generate([1, 300], { seed: 2, maxTokens: 10 }))).ids, plain.ids);
  three.dispose();
});
