// What speculation writes has the distribution of what the target writes alone; and these tests would notice if not.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileGrammar, createSampler, loadModel } from "lastinch";
import { rounds } from "../rounds.js";
import { count, pValue, tail } from "./chi-square.js";
import { eagleFile, medusaFile } from "../vectors/heads-file.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

/** How many times texts of a tiny pair are drawn, 64 at a time. Either number reveals the wrong rules. */
const CALLS = rounds(200, 50);
/** Steps of the real pair. */
const STEPS = rounds(50_000, 12_500);

const here = { worker: false, cache: false };
const file = (name) => readFileSync(new URL(`../../demos/model/${name}.gguf`, import.meta.url));

test("the p-value agrees with tables", () => {
  for (const [x, freedom, p] of [
    [3.841, 1, 0.05],
    [18.307, 10, 0.05],
    [135.807, 100, 0.01],
    [70.065, 100, 0.99],
  ])
    assert.ok(Math.abs(tail(x, freedom) - p) < 2e-4, `${tail(x, freedom)} against ${p}`);
});

/** Runs `use` with another rule in place of li_sampler_verify's, in models that are loaded meanwhile. */
async function withRule(rule, use, onForward = () => {}) {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const li_sampler_verify = (...numbers) => rule(exports, ...numbers);
    const li_model_forward = (...numbers) => {
      onForward(exports);
      return exports.li_model_forward(...numbers);
    };
    return { exports: { ...exports, li_sampler_verify, li_model_forward } };
  };
  try {
    return await use();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

const rules = {
  right: (c, ...numbers) => c.li_sampler_verify(...numbers),
  "accepts whatever the target might choose": (c, sampler, logits, proposal, token, u, v) =>
    c.li_sampler_verify(sampler, logits, proposal, token, 0, v),
  "draws anew from the target, not from the rest": (c, sampler, logits, proposal, token, u, v) => {
    const chosen = c.li_sampler_verify(sampler, logits, proposal, token, u, v);
    return chosen === token ? chosen : c.li_sampler_choose(sampler, logits);
  },
};

// ---- the joint distribution of the first three tokens, from a small vocabulary --------------------------------------

const letters = [259, 260, 261, 262, 263];
const pieces = vocabularyOf([..."abcde"]);
const tiny = (seed) => randomModel({ vocabulary: pieces, dim: 8, seed, context: 16 });
const prompt = [1, 259, 262];

/** The probability of every text of three tokens, as a product of the target's own probabilities. */
async function jointOf(target, { grammar, ...options }) {
  const joint = new Map();
  const extend = async (tokens, probability) => {
    if (tokens.length === 3) return joint.set(tokens.join(), probability);
    const matcher = grammar?.matcher();
    const sampler = await createSampler({ ...options, vocabSize: pieces.length, grammar: matcher });
    sampler.accept(prompt, { prompt: true });
    sampler.accept(tokens);
    const found = sampler.distribution(await target.forward([...prompt, ...tokens]));
    sampler.dispose();
    matcher?.dispose();
    const next = [...found.tokens].map((token, i) => [token, probability * found.probabilities[i]]);
    for (const [token, all] of next) await extend([...tokens, token], all);
  };
  await extend([], 1);
  return joint;
}

/** Counts the texts of a pair over many calls. */
async function drawTexts(pair, options, calls) {
  const counts = new Map();
  let [drafted, passes] = [0, 0];
  for (let seed = 1; seed <= calls; seed++) {
    const texts = Array.from({ length: options.n }, () => []);
    for await (const { index, tokens, usage } of pair.generate(prompt, { ...options, seed })) {
      texts[index ?? 0].push(...tokens.map(({ id }) => id));
      drafted += usage?.draftedTokens ?? 0;
      passes += usage?.passes ?? 0;
    }
    for (const text of texts) count(counts, text.slice(0, 3).join());
  }
  return { counts, drafted, passes };
}

const chains = {
  "as it is": {},
  "truncated, with penalties": { temperature: 0.9, topP: 0.85, repetitionPenalty: 1.5, presencePenalty: 0.5 },
  // Two letters must follow a or b; the first of them is forced, not drawn.
  "under a grammar": { temperature: 1.2, regex: "([ab]cd|[c-e])*" },
};

async function testJoint(chain, draftTokens, calls, { n = 64, draftFile = tiny(22) } = {}) {
  const target = await loadModel(tiny(21), here);
  const draft = await loadModel(draftFile, here);
  const { regex, ...own } = chains[chain];
  const grammar = regex && (await compileGrammar({ vocabulary: target.vocabulary, regex }));
  const options = { temperature: 1, allowedTokens: letters, ...own, grammar };
  const joint = await jointOf(target, options);
  const found = await drawTexts(target, { ...options, maxTokens: 4, draft, draftTokens, n }, calls);
  for (const one of [target, draft, grammar]) one?.dispose();
  return { p: pValue(found.counts, joint), ...found };
}

for (const chain of Object.keys(chains))
  test(`three tokens of a tiny pair have the target's distribution: ${chain}`, async () => {
    const { p, drafted } = await testJoint(chain, 3, CALLS);
    console.log(`# p = ${p.toFixed(3)}`);
    assert.ok(drafted > 50 * CALLS);
    assert.ok(p > 1e-3, `p = ${p}`);
  });

/** Runs `use` with models, loaded meanwhile, whose heads guess the letters, each in another order. */
async function withLetters(use) {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const memory = exports.memory ?? imports.env.memory;
    const li_heads_guess = (_heads, _state, count, width, into, shift = 0) => {
      const words = new Uint32Array(memory.buffer, into, count * width);
      words.forEach((_, i) => (words[i] = letters[((i % width) + Math.floor(i / width) + shift) % width] ?? i % width));
      return 0;
    };
    let asked = 0;
    const li_eagle_choices = (_layer, _logits, width, into) => void li_heads_guess(0, 0, 1, width, into, asked++);
    return { exports: { ...exports, li_heads_guess, li_eagle_choices } };
  };
  try {
    return await use();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

// And how many passes of those of plain texts remain at most. EAGLE's guesses begin with another letter each time, so that
// fewer of the first ones are right: .92 remain, and .81 with Medusa's.
const headsOf = {
  "Medusa's": [medusaFile(tiny(21)), 0.9],
  "EAGLE's": [eagleFile(tiny(21), { layers: [0, 0, 1] }), 0.95],
};
for (const chain of Object.keys(chains))
  for (const [whose, [draftFile, share]] of Object.entries(headsOf))
    test(`three tokens of a tiny model have its distribution when ${whose} guesses are a tree: ${chain}`, async () => {
      // Eight texts at a time: more would leave no room for branches.
      const { p, drafted, passes } = await withLetters(() => testJoint(chain, 6, 4 * CALLS, { n: 8, draftFile }));
      console.log(`# p = ${p.toFixed(3)}, ${drafted} drafted in ${passes} passes`);
      assert.ok(drafted > 10 * CALLS && passes < share * 4 * 32 * CALLS, `${drafted} drafted in ${passes} passes`);
      assert.ok(p > 1e-3, `p = ${p}`);
    });

test("the distribution does not depend on the number of proposals", async () => {
  // The clock pretends by turns that rows and drafts cost nothing, so that drafting pays, and that they cost much.
  const { now } = performance;
  let [time, forwards] = [0, 0];
  performance.now = () => time;
  const tick = (exports) => {
    const isTarget = exports === first;
    first ??= exports;
    time += isTarget || ++forwards % 2000 > 1000 ? 1 : 1e-3;
  };
  let first;
  try {
    const { p, drafted, passes } = await withRule(
      rules.right,
      () => testJoint(Object.keys(chains)[1], "auto", rounds(6000, 3000), { n: 1 }),
      tick,
    );
    console.log(`# p = ${p.toFixed(3)}, ${drafted} drafted in ${passes} passes`);
    assert.ok(drafted > 500 && drafted < 2 * passes, `${drafted} drafted in ${passes} passes`);
    assert.ok(p > 1e-3, `p = ${p}`);
  } finally {
    performance.now = now;
  }
});

for (const rule of Object.keys(rules).slice(1))
  test(`the test of three tokens fails when the rule ${rule}`, async () => {
    const { p } = await withRule(rules[rule], () => testJoint("as it is", 3, CALLS));
    assert.ok(p < 1e-6, `p = ${p}`);
  });

// ---- one step of the real pair, many times --------------------------------------------------------------------------

const target = await loadModel(new Blob([file("storyteller")]), here);
const draft = await loadModel(new Blob([file("draft")]), here);
after(() => {
  target.dispose();
  draft.dispose();
});

const options = { temperature: 0.9, topP: 0.95, minP: 0.002, seed: 17 };

/** The tokens that proposals of the draft lead to, under a rule. */
async function drawSteps(rule, targetRow, draftRow, times) {
  const { resolveOptions } = await import("../../web/sampler/options.js");
  const { Sampler } = await import("../../web/sampler/sampler.js");
  const { instantiate } = await import("../../web/core/wasm.js");
  const instance = await instantiate("decode", (read) =>
    read(new URL("../../build/wasm/decode.wasm", import.meta.url)),
  );
  const { exports: c, views } = instance;
  const { length } = targetRow;
  const sampler = new Sampler(instance, resolveOptions({ ...options, vocabSize: length }));
  const rows = c.li_memory_alloc(8 * length);
  views().floats.set(targetRow, rows / 4);
  views().floats.set(draftRow, rows / 4 + length);
  const proposal = c.li_proposal_create();
  const counts = new Map();
  let accepted = 0;
  for (let i = 0; i < times; i++) {
    const token = c.li_proposal_draw(proposal, sampler.address, rows + 4 * length);
    const chosen = rules[rule](c, sampler.address, rows, proposal, token, -1, -1);
    assert.ok(chosen >= 0, String(chosen));
    // Emitting advances the random stream. Nothing else here depends on it.
    assert.equal(c.li_sampler_emit(sampler.address, chosen), 0);
    accepted += Number(chosen === token);
    count(counts, chosen);
  }
  assert.deepEqual(views().floats.slice(rows / 4, rows / 4 + length), targetRow);
  c.li_proposal_destroy(proposal);
  return { counts, accepted };
}

/** The probabilities of a row, by token. */
async function distributionOf(row) {
  const sampler = await createSampler({ ...options, vocabSize: row.length });
  const { tokens, probabilities } = sampler.distribution(row);
  sampler.dispose();
  return new Map([...tokens].map((token, i) => [token, probabilities[i]]));
}

for (const [text, rule] of [
  ["Once upon a time, there was a little", "right"],
  ...Object.keys(rules).map((name) => ["Lily and Tom wanted to", name]),
])
  test(`steps of the real pair after "${text}": ${rule}`, async () => {
    const ids = await target.tokenize(text, { bos: true });
    const [targetRow, draftRow] = [await target.forward(ids), await draft.forward(ids)];
    const [expected, believed] = [await distributionOf(targetRow), await distributionOf(draftRow)];
    const { counts, accepted } = await drawSteps(rule, targetRow, draftRow, STEPS);
    const p = pValue(counts, expected);
    if (rule !== "right") return assert.ok(p < 1e-6, `p = ${p}`);
    assert.ok(p > 1e-3, `p = ${p}`);
    // Leviathan et al.: the rate of acceptance is the sum of the smaller of the two probabilities.
    let overlap = 0;
    for (const [token, probability] of expected) overlap += Math.min(probability, believed.get(token) ?? 0);
    const error = 4 * Math.sqrt((overlap * (1 - overlap)) / STEPS);
    console.log(`# p = ${p.toFixed(3)}, accepted ${accepted / STEPS}, expected ${overlap.toFixed(4)}`);
    assert.ok(Math.abs(accepted / STEPS - overlap) < error);
  });
