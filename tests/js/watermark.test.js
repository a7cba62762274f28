// Watermarks: the marked tokens, their distribution over keys, repeated windows, detectors and refusals, against
// definitions written apart (watermark-reference.js).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  compileGrammar,
  createDecoder,
  createGroup,
  createSampler,
  createWatermarkDetector,
  detectWatermark,
} from "lastinch";
import { openDecode } from "../../web/sampler/decode-module.js";
import { readWatermark } from "../../web/sampler/watermark-options.js";
import { withMemory } from "../../web/core/memory.js";
import { rounds } from "../rounds.js";
import { count, pValue } from "./chi-square.js";
import { MARKED_DIGEST, markedStream } from "../vectors/marked-stream.js";
import { collect, collectAll, load, shipped } from "./decode-tools.js";
import { withSampler } from "./sampler-tools.js";
import { binomialTail, choose, gammaTail, layerWeights, scores, weightTails } from "./watermark-reference.js";

const schemes = ["gumbel", "green", "synthid"];
const storyteller = await load(shipped("storyteller"));
after(() => storyteller.dispose());

let state = 7;
const random = (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 65536) % below;
const noise = () => random(4096) / 1024 - 2;

const marks = [
  { scheme: "gumbel", key: "k" },
  { scheme: "green", key: "a key of more than sixteen bytes, é", gamma: 0.3, delta: 1.5 },
  { scheme: "synthid", key: "sixteen bytes ab", window: 2 },
  { scheme: "gumbel", key: "0123456789abcdefg", window: 1 },
  { scheme: "green", key: "x", window: 7 },
  { scheme: "synthid", key: "y", window: 5, depth: 3 },
];

test("a marked text is the definition's, token for token, after penalties, truncations and masks", async () => {
  const options = [
    {},
    { temperature: 0.7, topK: 5, repetitionPenalty: 1.2 },
    { topP: 0.8, frequencyPenalty: 0.3, bannedTokens: [3] },
    { minP: 0.1, temperature: 1.6, allowedTokens: [0, 2, 4, 5, 9, 11] },
  ];
  for (const mark of marks)
    for (const [i, option] of options.entries()) {
      const seed = 2 ** 40 + i;
      const given = { vocabSize: 12, seed, ...option };
      const text = [1, 2, 3].map((id) => ({ id, isPrompt: true }));
      let [marked, left] = [0, 0];
      await withSampler({ ...given, watermark: mark }, async (sampler) => {
        sampler.accept([1, 2, 3], { prompt: true });
        for (let step = 0; step < 50; step++) {
          const row = Float32Array.from({ length: 12 }, noise);
          const { tokens, probabilities } = sampler.distribution(row);
          const survivors = new Map(Array.from(tokens, (token, at) => [token, probabilities[at]]));
          const expected = choose(mark, survivors, text, seed);
          const token = sampler.sample(row);
          if (expected.margin > 1e-5) assert.equal(token, expected.token, `${JSON.stringify({ mark, option, step })}`);
          assert.ok(Math.abs(sampler.lastProbability - survivors.get(token)) < 1e-6, "the probability is the unmarked");
          if (expected.isMarked) marked++;
          else left++;
          text.push({ id: token });
        }
      });
      assert.ok(marked > 3 && left > 0, `${marked} marked, ${left} left to the seed`);
    }
});

test("where a window comes again the seed draws, until the text is taken back or begins anew", async () => {
  const row = Float32Array.of(0, 0.5, 0.2, -0.3);
  for (const scheme of schemes) {
    const watermark = { scheme, key: "again", window: 1 };
    let differs = 0;
    for (let key = 0; key < 20; key++) {
      const marked = await createSampler({ vocabSize: 4, seed: 3, watermark: { ...watermark, key: `${key}` } });
      marked.accept([2, 2], { prompt: true });
      const first = marked.snapshot();
      const one = marked.sample(row);
      differs += Number(one !== 1);
      marked.accept(2);
      // Behind a token of the prompt the window was free; now the output has followed it.
      const seeded = await createSampler({ vocabSize: 4, seed: 3 });
      seeded.accept([2, 2], { prompt: true });
      seeded.accept([one, 2]);
      assert.equal(marked.sample(row), seeded.sample(row), scheme);
      marked.restore(first);
      assert.equal(marked.sample(row), one);
      marked.reset();
      marked.accept([2, 2], { prompt: true });
      assert.equal(marked.sample(row), one);
      // Marked by another key, it goes on as a sampler that has had that key from the beginning.
      const changed = marked.clone({ watermark: { ...watermark, key: "another" } });
      const fresh = await createSampler({ vocabSize: 4, seed: 3, watermark: { ...watermark, key: "another" } });
      fresh.accept([2, 2], { prompt: true });
      fresh.accept(one);
      assert.equal(changed.sample(row), fresh.sample(row));
      for (const sampler of [marked, seeded, changed, fresh]) sampler.dispose();
    }
    assert.ok(differs > 0, "the key decides the first token");
  }
});

/** Probabilities of all texts of some tokens, of a sampler without mark. */
async function textsOf(options, rowAfter, length) {
  const expected = new Map();
  const walk = async (text, probability) => {
    if (text.length === length) return expected.set(text.join(), probability);
    await withSampler(options, async (sampler) => {
      sampler.accept([0, 1], { prompt: true });
      sampler.accept(text);
      const { tokens, probabilities } = sampler.distribution(rowAfter(text));
      for (let i = 0; i < tokens.length; i++) await walk([...text, tokens[i]], probability * probabilities[i]);
    });
  };
  await walk([], 1);
  return expected;
}

/** p-value of texts, each under a key of its own: that they have the distribution of a sampler without mark. */
async function ofKeys(mark, length, total, seedOf) {
  const options = { vocabSize: 3, temperature: 0.9, minP: 0.1, presencePenalty: 0.4 };
  const rowAfter = (text) => Float32Array.from([0, 1, 2], (id) => Math.sin(3 * id + text.length + (text.at(-1) ?? 0)));
  const counts = new Map();
  await withSampler({ ...options, watermark: { ...mark, key: "first" } }, async (sampler) => {
    for (let key = 0; key < total; key++) {
      sampler.reset();
      sampler.set({ seed: seedOf(key), watermark: { ...mark, key: `key ${key}` } });
      sampler.accept([0, 1], { prompt: true });
      const text = [];
      while (text.length < length) text.push(sampler.sample(rowAfter(text)));
      count(counts, text.join());
    }
  });
  return pValue(counts, await textsOf(options, rowAfter, length));
}

test("over keys and seeds the texts of gumbel and synthid have the unmarked distribution: chi-square", async () => {
  for (const mark of [
    { scheme: "gumbel", window: 2 },
    { scheme: "synthid", window: 2 },
    { scheme: "synthid", window: 1, depth: 2 },
  ]) {
    const p = await ofKeys(mark, 3, rounds(12000, 4000), (key) => key);
    assert.ok(p > 1e-3, `${JSON.stringify(mark)}: p = ${p}`);
  }
});

// In two draws after this prompt no window comes again.
test("over keys alone gumbel has the unmarked distribution, and synthid has not: its seed draws", async () => {
  const total = rounds(12000, 6000);
  for (const seed of [1, 2]) {
    const p = await ofKeys({ scheme: "gumbel", window: 2 }, 2, total, () => seed);
    assert.ok(p > 1e-3, `gumbel, seed ${seed}: p = ${p}`);
  }
  assert.ok((await ofKeys({ scheme: "synthid", window: 2 }, 2, total, () => 1)) < 1e-3);
});

test("over seeds alone gumbel has one text for each key, and synthid has many", async () => {
  const texts = { gumbel: new Set(), synthid: new Set() };
  for (const scheme of ["gumbel", "synthid"])
    for (let seed = 0; seed < 20; seed++)
      await withSampler({ vocabSize: 500, seed, watermark: { scheme, key: "one" } }, async (sampler) => {
        sampler.accept([1, 2, 3, 4], { prompt: true });
        texts[scheme].add(Array.from({ length: 8 }, () => sampler.sample(new Float32Array(500))).join());
      });
  assert.equal(texts.gumbel.size, 1);
  assert.equal(texts.synthid.size, 20);
});

test("green tokens are more frequent by the factor that delta gives", async () => {
  const [gamma, delta] = [0.25, 1];
  const total = rounds(12000, 4000);
  const sampler = await createSampler({ vocabSize: 400, watermark: { scheme: "green", key: "g", gamma, delta } });
  const detector = await createWatermarkDetector({ scheme: "green", key: "g", gamma });
  for (let i = 0; i < total; i++) detector.add(sampler.sample(new Float32Array(400)));
  const { score, tokensUsed } = detector.result;
  const green = score * tokensUsed;
  const share = (gamma * Math.exp(delta)) / (gamma * Math.exp(delta) + 1 - gamma);
  assert.ok(Math.abs(green - share * tokensUsed) < 4 * Math.sqrt(tokensUsed * share * (1 - share)));
  sampler.dispose();
});

test("a grammar holds in a marked text, and the text is marked where the grammar leaves a choice", async () => {
  const letters = "abcdefghijklmnopqrstuvwxyz0";
  const vocabulary = { tokens: Array.from(letters, (letter) => new TextEncoder().encode(letter)), eos: [] };
  const grammar = await compileGrammar({ vocabulary, regex: "([a-z][a-z]0)*" });
  for (const scheme of schemes) {
    const watermark = { scheme, key: "grammar" };
    const sampler = await createSampler({ vocabSize: 27, grammar: grammar.matcher(), seed: 5, watermark });
    const ids = Array.from({ length: 240 }, () => sampler.sample(new Float32Array(27)));
    assert.match(ids.map((id) => letters[id]).join(""), /^([a-z][a-z]0)*$/);
    const { pValue: p } = await detectWatermark(ids, { scheme, key: "grammar" });
    assert.ok(p < 1e-4, `${scheme}: ${p}`);
    sampler.dispose();
  }
});

/** li_watermark_tail for scores that no text needs to have. */
async function tail(mark, total, used) {
  const instance = await openDecode();
  const { words } = readWatermark({ key: "k", ...mark });
  return withMemory(instance, 4 * words.length, (address) => {
    instance.views().words.set(words, address >>> 2);
    return instance.exports.li_watermark_tail(address, words.length, total, used);
  });
}

const isNear = (actual, expected, message) =>
  assert.ok(Math.abs(actual - expected) <= 1e-9 * expected + 1e-300, `${message}: ${actual}, not ${expected}`);

test("p-values are exact: green by the binomial, gumbel by the gamma, synthid by the sum of weighted bits", async () => {
  for (const gamma of [0.5, 0.25, 0.1, 0.9])
    for (const used of [1, 7, 40, 120])
      for (let k = 0; k <= used + 1; k += Math.ceil(used / 13)) {
        const share = Math.ceil(Math.fround(gamma) * 2 ** 32);
        isNear(await tail({ scheme: "green", gamma }, k, used), binomialTail(k, used, share), `${k} of ${used}`);
      }
  for (const used of [1, 5, 30, 100])
    for (const per of [0, 0.2, 0.8, 1, 1.3, 2.5, 6]) {
      const total = Math.round(1000 * per * used);
      isNear(await tail({ scheme: "gumbel" }, total / 1000, used), gammaTail(total, used), `${total} of ${used}`);
    }
  for (const [depth, used] of [
    [1, 1],
    [1, 9],
    [2, 30],
    [3, 12],
    [7, 3],
    [30, 1],
    [30, 6],
    [32, 4],
  ]) {
    const weights = layerWeights(depth);
    const sum = weights.reduce((a, b) => a + b);
    const tails = weightTails(weights, used);
    for (let at = 0; at < tails.length; at += Math.ceil(tails.length / 40))
      isNear(await tail({ scheme: "synthid", depth }, at / sum, used), tails[at], `${at} of ${depth} * ${used}`);
    isNear(await tail({ scheme: "synthid", depth }, used, used), tails.at(-1), "all ones");
  }
});

test("p-values stay between 0 and 1 for long texts, and fall as the score grows", async () => {
  for (const mark of [
    { scheme: "gumbel" },
    { scheme: "green" },
    { scheme: "synthid" },
    { scheme: "synthid", depth: 1 },
  ])
    for (const used of [1000, 20000]) {
      const mean = mark.scheme === "gumbel" ? 1 : 0.5;
      let last = 1;
      for (const share of [0, 0.5, 0.97, 0.99, 1, 1.005, 1.02, 1.1, 1.5, 2]) {
        const p = await tail(mark, Math.round(mean * used * share), used);
        assert.ok(p >= 0 && p <= last, `${JSON.stringify(mark)} ${share}: ${p} after ${last}`);
        last = p;
      }
      if (mark.scheme !== "gumbel") continue;
      // Near a normal distribution: one deviation above the mean.
      const p = await tail(mark, used + Math.sqrt(used), used);
      assert.ok(Math.abs(p - 0.1587) < 0.005, `${used}: ${p}`);
    }
});

// A tournament of one layer counts bits, as half of the tokens are green: the Fourier sum against the binomial one.
test("p-values of long texts are as sharp: one layer of synthid against green with a gamma of one half", async () => {
  for (const used of [1000, 20000, 200000])
    for (const share of [0.45, 0.499, 0.5, 0.501, 0.51, 0.53, 0.6]) {
      const total = Math.round(share * used);
      const green = await tail({ scheme: "green" }, total, used);
      const synthid = await tail({ scheme: "synthid", depth: 1 }, total, used);
      if (green > 1e-250)
        assert.ok(Math.abs(synthid - green) <= 1e-7 * green, `${used}, ${share}: ${synthid}, ${green}`);
    }
});

test("a detector adds the scores of the definition, of each window's first token, in any pieces", async () => {
  for (const mark of marks) {
    const ids = Array.from({ length: 300 }, () => random(3));
    const expected = scores(mark, ids);
    const detector = await createWatermarkDetector(mark);
    for (let at = 0; at < ids.length;) {
      const piece = ids.slice(at, (at += 1 + random(9)));
      detector.add(piece.length === 1 ? piece[0] : Uint32Array.from(piece));
    }
    const { score, pValue: p, tokensUsed } = detector.result;
    assert.equal(tokensUsed, expected.length);
    const mean = expected.reduce((a, b) => a + b) / expected.length;
    assert.ok(Math.abs(score - mean) < 1e-12);
    assert.deepEqual(await detectWatermark(ids, mark), { score, pValue: p, tokensUsed });
  }
  const nothing = await detectWatermark([1, 2, 3, 4], { scheme: "green", key: "k" });
  assert.deepEqual(nothing, { score: NaN, pValue: 1, tokensUsed: 0 });
});

// Whatever a text is, over keys its p-value is uniform (gumbel) or above uniform.
test("an unmarked text seems marked no more often than its p-value says", async () => {
  const keys = rounds(9000, 3000);
  const ids = Array.from({ length: 60 }, () => random(40));
  for (const scheme of schemes) {
    let [tenth, hundredth] = [0, 0];
    for (let key = 0; key < keys; key++) {
      const { pValue: p } = await detectWatermark(ids, { scheme, key: `unmarked ${key}` });
      tenth += Number(p <= 0.1);
      hundredth += Number(p <= 0.01);
    }
    assert.ok(tenth <= keys * 0.1 + 4 * Math.sqrt(keys * 0.09), `${scheme}: ${tenth} of ${keys}`);
    assert.ok(hundredth <= keys * 0.01 + 4 * Math.sqrt(keys * 0.0099), `${scheme}: ${hundredth} of ${keys}`);
    // Not by never firing.
    assert.ok(tenth >= keys * (scheme === "green" ? 0.05 : 0.08), `${scheme}: ${tenth} of ${keys}`);
  }
});

// The sampler leaves a window that came before to the seed: such a token would add chance, not a mark.
test("a detector counts the tokens that the sampler marked, and no others", async () => {
  for (const mark of [
    { scheme: "gumbel", key: "k", window: 1 },
    { scheme: "green", key: "k", window: 1, delta: 50 },
  ]) {
    const sampler = await createSampler({ vocabSize: 12, seed: 9, watermark: mark });
    const ids = [];
    const text = [];
    let marked = 0;
    for (let step = 0; step < 100; step++) {
      const row = new Float32Array(12);
      const probabilities = new Map(Array.from(row, (_, id) => [id, 1 / 12]));
      marked += Number(choose(mark, probabilities, text, 9).isMarked);
      ids.push(sampler.sample(row));
      text.push({ id: ids.at(-1) });
    }
    const { tokensUsed, score } = await detectWatermark(ids, mark);
    assert.ok(marked < 13);
    assert.equal(tokensUsed, marked);
    if (mark.scheme === "green") assert.equal(score, 1);
    sampler.dispose();
  }
});

const begin = "Once upon a time";

test("a story that the storyteller marked is found by its tokens and by its text, and not by another key", async (t) => {
  const heads = await Promise.all(["medusa", "eagle"].map((name) => load(shipped(name))));
  t.after(() => heads.forEach((one) => one.dispose()));
  for (const scheme of schemes) {
    const watermark = { scheme, key: "storyteller" };
    const story = await collect(storyteller.generate(begin, { seed: 11, maxTokens: 160, watermark }));
    const again = await collect(storyteller.generate(begin, { seed: 11, maxTokens: 160, watermark }));
    assert.deepEqual(again.ids, story.ids);
    const found = await detectWatermark(story.ids, watermark);
    assert.ok(found.pValue < 1e-3, `${scheme}: ${found.pValue}`);
    const byText = await detectWatermark(story.text, { ...watermark, vocabulary: storyteller });
    assert.ok(byText.pValue < 1e-2, `${scheme} by text: ${byText.pValue}`);
    const split = await detectWatermark(story.text, { ...watermark, vocabulary: (text) => storyteller.tokenize(text) });
    assert.deepEqual(split, byText);
    const other = await detectWatermark(story.ids, { ...watermark, key: "another" });
    assert.ok(other.pValue > 1e-3, `${scheme}, another key: ${other.pValue}`);
    // Guesses that the sampler confirms change nothing.
    const ways = ["lookup", "lookahead", ...heads].map((draft) => ({ draft, draftTokens: 6 }));
    for (const [i, draft] of ways.entries()) {
      const drafted = await collect(storyteller.generate(begin, { seed: 11, maxTokens: 160, watermark, ...draft }));
      assert.deepEqual(drafted.tokens, story.tokens, `${scheme}, ${i}`);
      if (i > 1) assert.ok(drafted.usage.acceptedTokens > 20, `${drafted.usage.acceptedTokens}`);
    }
  }
  const options = { seed: 4, maxTokens: 60, watermark: { scheme: "green", key: "two" }, bannedStrings: ["was"] };
  const plain = await collectAll(storyteller.generate(begin, { ...options, n: 2 }));
  const guessed = await collectAll(storyteller.generate(begin, { ...options, n: 2, draft: heads[0], draftTokens: 6 }));
  for (const i of [0, 1]) assert.deepEqual(guessed[i].tokens, plain[i].tokens, `text ${i}`);
});

test("several marked texts of one call differ, and each is found", async () => {
  for (const scheme of ["green", "synthid"]) {
    const watermark = { scheme, key: "several" };
    const stories = await collectAll(storyteller.generate(begin, { seed: 2, n: 2, maxTokens: 140, watermark }));
    assert.notEqual(stories[0].text, stories[1].text);
    for (const { ids } of stories) assert.ok((await detectWatermark(ids, watermark)).pValue < 1e-2, scheme);
  }
});

test("gumbel gives clones one text under one key, whatever their streams, and another under another key", async () => {
  const watermark = { scheme: "gumbel", key: "one" };
  const draw = (sampler) => Array.from({ length: 12 }, () => sampler.sample(new Float32Array(500))).join();
  const one = await createSampler({ vocabSize: 500, seed: 1, watermark });
  one.accept([1, 2, 3, 4], { prompt: true });
  const same = one.clone({ stream: 1 });
  const other = one.clone({ stream: 1, watermark: { ...watermark, key: "two" } });
  const text = draw(one);
  assert.equal(draw(same), text);
  assert.notEqual(draw(other), text);
  for (const sampler of [one, same, other]) sampler.dispose();
});

// Bans take tokens back and have others drawn by the same numbers.
test("a text that was taken back holds no banned string, and is found", async () => {
  for (const scheme of schemes) {
    const watermark = { scheme, key: "banned", window: 2 };
    const bannedStrings = [" the", " and", " was"];
    const options = { seed: 3, maxTokens: 160, watermark };
    const free = await collect(storyteller.generate(begin, options));
    assert.match(free.text, / the| and| was/);
    const { ids, text } = await collect(storyteller.generate(begin, { ...options, bannedStrings }));
    assert.doesNotMatch(text, / the| and| was/);
    const { pValue: p } = await detectWatermark(ids, watermark);
    assert.ok(p < 1e-3, `${scheme}: ${p}`);
  }
});

const code = (expected) => (/** @type {any} */ error) =>
  error.code === expected || assert.fail(`${error.code}: ${error}`);

test("bad marks are refused with a code", async () => {
  const good = { scheme: "gumbel", key: "k" };
  const bad = [
    [{ ...good, scheme: "other" }, "out-of-range"],
    [{ scheme: "gumbel" }, "bad-type"],
    [{ ...good, key: "" }, "out-of-range"],
    [{ ...good, key: "x".repeat(257) }, "out-of-range"],
    [{ ...good, key: [1, 2] }, "bad-type"],
    [{ ...good, key: "\ud800" }, "out-of-range"],
    [{ ...good, window: 0 }, "out-of-range"],
    [{ ...good, window: 33 }, "out-of-range"],
    [{ ...good, gamma: 0.5 }, "conflict"],
    [{ ...good, depth: 30 }, "conflict"],
    [{ ...good, scheme: "green", gamma: 1 }, "out-of-range"],
    [{ ...good, scheme: "green", delta: 0 }, "out-of-range"],
    [{ ...good, scheme: "synthid", depth: 33 }, "out-of-range"],
    [{ ...good, strength: 1 }, "unknown-option"],
    [{ ...good, words: [0, 4, 30] }, "unknown-option"],
    ["gumbel", "bad-type"],
    [null, "bad-type"],
  ];
  for (const [watermark, expected] of bad) {
    await assert.rejects(createSampler({ vocabSize: 4, watermark }), code(expected), JSON.stringify(watermark));
    await assert.rejects(createWatermarkDetector(watermark), code(expected), JSON.stringify(watermark));
    const write = async () => collect(storyteller.generate(begin, { watermark }));
    await assert.rejects(write, code(expected));
  }
  await assert.rejects(detectWatermark("a text", good), code("bad-type"));
  await assert.rejects(detectWatermark("a text", { ...good, vocabulary: storyteller.vocabulary }), code("bad-type"));
  await assert.rejects(detectWatermark([1, -1], good), code("out-of-range"));
});

test("a mark is refused where no draw could carry it", async () => {
  const watermark = { scheme: "gumbel", key: "k" };
  const refused = async (call) => assert.rejects(call, code("conflict"));
  await refused(createSampler({ vocabSize: 4, watermark, temperature: 0 }));
  await refused(createSampler({ vocabSize: 4, watermark, topK: 1 }));
  await refused(createSampler({ vocabSize: 4, watermark, top_k: 1, minKeep: 1 }));
  (await createSampler({ vocabSize: 4, watermark, topK: 1, minKeep: 2 })).dispose();
  await refused(createGroup(2, { vocabSize: 4, watermark }));
  const draft = await load(shipped("draft"));
  for (const options of [
    { temperature: 0 },
    { topK: 1 },
    { beams: 2 },
    { penaltyAlpha: 0.5, topK: 4 },
    { n: 2 },
    { draft },
  ])
    await refused(async () => collect(storyteller.generate(begin, { maxTokens: 4, watermark, ...options })));
  draft.dispose();
  const decoder = await createDecoder({ vocabSize: 4, watermark });
  const row = new Float32Array(4);
  assert.throws(() => decoder.acceptDraft(row, row, 1), code("conflict"));
  decoder.dispose();
  const plain = await createSampler({ vocabSize: 4 });
  assert.throws(() => plain.set({ watermark }), code("conflict"));
  assert.throws(() => plain.clone({ watermark }), code("conflict"));
  const marked = await createSampler({ vocabSize: 4, watermark });
  // What was read is a mark like any other: it may be given again.
  const { watermark: read } = marked.snapshot().options.given;
  assert.deepEqual({ ...read }, { ...watermark, key: new TextEncoder().encode("k"), window: 4 });
  (await createSampler({ vocabSize: 4, watermark: { ...read } })).dispose();
  assert.throws(() => marked.set({ topK: 1 }), code("conflict"));
  assert.throws(() => plain.restore(marked.snapshot()), code("conflict"));
  marked.set({ watermark: undefined });
  assert.ok(!("watermark" in marked.snapshot().options.given));
  marked.dispose();
  plain.sample(row);
  plain.dispose();
});

test("marked texts and p-values have the digest of the C tests", async () => {
  const source = readFileSync(new URL("../c/watermark_test.c", import.meta.url), "utf8");
  assert.ok(source.includes(`MARKED_DIGEST ${MARKED_DIGEST}u`));
  assert.equal(await markedStream({ createSampler, createWatermarkDetector }), MARKED_DIGEST);
});
