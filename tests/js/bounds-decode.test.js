// Drafting and searching at the edges: what is recorded of a guess, when guessing pauses, where a bound begins to hold.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { Constraints } from "../../web/decode/constraint.js";
import { Guesser } from "../../web/decode/drafters/guesser.js";
import { Lookahead } from "../../web/decode/drafters/lookahead.js";
import { Lookup, lookupDraft } from "../../web/decode/drafters/lookup.js";
import { TextMemory } from "../../web/decode/drafters/text-memory.js";
import { Pace } from "../../web/decode/drafters/draft-pace.js";
import { checkOption } from "../../web/decode/named-options.js";
import { Scratch } from "../../web/decode/scratch.js";
import { StopStrings } from "../../web/decode/stop-strings.js";
import { power } from "../../web/core/power.js";
import { instantiate } from "../../web/core/wasm.js";
import { collect, countForwards, load, rowsOf } from "./decode-tools.js";
import { randomModel, scriptedModel } from "./tiny-gguf.js";

/** A guesser with given guesses, which run only if `choose` says so, and the calls to its pace. */
function shadowed(guesses, choose = () => 0) {
  const noted = [];
  class Told extends Guesser {
    guess() {
      return { tokens: guesses.shift() ?? [], kind: 4 };
    }
  }
  const pace = { isFixed: false, choose, noteOutcome: (...outcome) => noted.push(outcome) };
  const guesser = new Told({ settings: { sampler: { given: { eos: [2] } } } }, pace);
  const propose = (tokens, pending = []) => guesser.propose({ sequence: { tokens }, pending }, 8);
  return { guesser, propose, noted };
}

test("the pace learns from a guess that was not run once the text shows how much was right", () => {
  const { propose, noted } = shadowed([[7, 8], [], [], [5], [6, 6]]);
  assert.deepEqual(propose([1, 2]), []);
  propose([1, 2], [7]); // one is right, the other may still be
  assert.deepEqual(noted, []);
  propose([1, 2, 7], [9]);
  assert.deepEqual(noted, [[4, 1, true]]);
  propose([1, 2, 7, 9]);
  assert.deepEqual(noted.length, 1);
  propose([1, 2, 7, 9, 5]);
  assert.deepEqual(noted.slice(1), [[4, 1, false]]);
  propose([1, 2, 7, 9, 5, 3]);
  assert.deepEqual(noted.slice(2), [[4, 0, true]]);
});

test("after seventeen wrong guesses in a row drafting pauses for every other eight tokens, until a guess is right", () => {
  for (const start of [1, 9]) {
    const { guesser, propose, noted } = shadowed(Array.from({ length: 200 }, () => [9]));
    const text = Array(start).fill(3);
    for (; text.length < 80; text.push(3)) {
      const mayRest = noted.length >= 17;
      propose(text);
      assert.equal(
        guesser.isResting,
        mayRest && (text.length >> 3) % 2 === 1,
        `${noted.length} wrong at ${text.length}`,
      );
    }
  }
});

test("the pace learns how a guess was found, and how much of it was right", () => {
  const { guesser, propose, noted } = shadowed([[7, 8, 9]], (_, count) => count);
  const lane = { proposals: propose([1, 2]), continuation: { isOver: false } };
  assert.deepEqual(lane.proposals, [7, 8, 9]);
  guesser.settle(lane, 1);
  guesser.settle({ proposals: [] }, 0);
  guesser.settle({ ...lane, continuation: { isOver: true } }, 1);
  assert.deepEqual(noted, [
    [4, 1, true],
    [4, 1, false],
  ]);
});

test("a guess is proposed up to the first token that a grammar refuses, and not beyond the end", () => {
  for (const [guess, expected] of [
    [
      [7, 8, 5, 9],
      [7, 8],
    ],
    [[5, 7], []],
    [
      [7, 2, 8],
      [7, 2],
    ],
  ]) {
    const accepted = [];
    const matcher = {
      accept: (token) => token !== 5 && accepted.push(token) > 0,
      rollback: (count) => (accepted.length -= count),
    };
    const { guesser } = shadowed([guess], (_, count) => count);
    const lane = { sequence: { tokens: [1, 3] }, pending: [], constraint: { matcher } };
    assert.deepEqual(guesser.propose(lane, 8), expected);
    assert.deepEqual(accepted, [], "the matcher is back where it was");
  }
});

test("the pace can learn of more right guesses than it would propose", () => {
  const pace = new Pace([0.5], true);
  pace.noteOutcome(0, 20, true);
  pace.noteOutcome(0, 15, true);
  pace.noteOutcome(0, 15, false);
});

test("after a stop string nothing is shown", () => {
  const stops = new StopStrings(["ab"]);
  assert.equal(stops.push("xa"), "x");
  assert.equal(stops.push("bc"), "");
  assert.equal(stops.push("more"), "");
  assert.ok(stops.isStopped);
  assert.equal(stops.end(), "");
});

test("scratch memory keeps its content when it grows, and is freed once", () => {
  const freed = [];
  const floats = Float32Array.from({ length: 400 }, (_, i) => i);
  let next = 16;
  const exports = {
    li_memory_alloc: (size) => (next += size) - size,
    li_memory_free: (address) => void freed.push(address),
  };
  const scratch = new Scratch({ exports, views: () => ({ floats }) });
  const first = scratch.reserve(10);
  assert.equal(scratch.reserve(8), first);
  const content = floats.slice(first / 4, first / 4 + 10);
  const second = scratch.reserve(50);
  assert.deepEqual(floats.slice(second / 4, second / 4 + 10), content);
  assert.deepEqual(freed, [first]);
  scratch.dispose();
  scratch.dispose();
  assert.deepEqual(freed, [first, second]);
});

test("a text of no tokens is one chunk, with an index only where there are several texts", async () => {
  const model = await load(randomModel());
  const [single] = (await collect(model.generate("ab", { maxTokens: 0 }))).chunks;
  assert.deepEqual([single.finishReason, single.tokens, "index" in single], ["length", [], false]);
  const { chunks } = await collect(model.generate("ab", { maxTokens: 0, n: 2 }));
  assert.deepEqual(
    chunks.map(({ index }) => index),
    [0, 1],
  );
  model.dispose();
});

test("a draft ends with the text, and proposes its likeliest tokens, even after a rejection", async () => {
  const { bytes } = scriptedModel({ script: ["a", "b", "c"] });
  const reciter = await load(bytes);
  const recited = await collect(reciter.generate([1], { temperature: 0, draft: reciter, draftTokens: 8 }));
  assert.deepEqual([recited.finishReason, recited.usage.draftedTokens], ["eos", 4]);
  reciter.dispose();

  const [model, draft] = [
    await load(randomModel({ context: 128 })),
    await load(randomModel({ context: 128, seed: 2 })),
  ];
  const allowed = [40, 50, 60, 70];
  const [prompt, maxTokens] = [[1, 50, 60], 40];
  const options = { temperature: 0, allowedTokens: allowed, maxTokens };
  const plain = await collect(model.generate(prompt, options));
  const drafted = await collect(model.generate(prompt, { ...options, draft, draftTokens: 1 }));
  assert.deepEqual(drafted.ids, plain.ids);
  const rows = await rowsOf(draft, prompt, plain.ids);
  const likeliest = rows.map((row) => allowed.reduce((best, id) => (row[id] > row[best] ? id : best), allowed[0]));
  let [proposed, accepted] = [0, 0];
  for (let at = 0; at < maxTokens; at++) {
    if (at === maxTokens - 1) break; // the last token has no draft
    proposed++;
    if (likeliest[at] !== plain.ids[at]) continue;
    accepted++;
    at++;
  }
  assert.ok(accepted > 3 && accepted < proposed - 3);
  assert.deepEqual([drafted.usage.draftedTokens, drafted.usage.acceptedTokens], [proposed, accepted]);
  model.dispose();
  draft.dispose();
});

test("an option of generate that is a number takes values from its least to its most, and no others", () => {
  const { options } = JSON.parse(
    readFileSync(new URL("../../src/tables/generate-options.json", import.meta.url), "utf8"),
  );
  const ranged = options.filter(({ max }) => max !== undefined);
  assert.ok(ranged.length >= 8);
  for (const { name, min, max } of ranged) {
    for (const value of [min, max]) checkOption(name, value);
    for (const value of [min - 1, max + 1])
      assert.throws(() => checkOption(name, value), { name: "RangeError", code: "out-of-range" }, `${name} ${value}`);
  }
});

test("every generation frees the memory that it takes", async () => {
  const { instantiate } = WebAssembly;
  const held = new Map();
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const counted = { ...exports };
    for (const [maker, breaker] of [
      ["li_memory_alloc", "li_memory_free"],
      ["li_sampler_create", "li_sampler_destroy"],
      ["li_sampler_create_beside", "li_sampler_destroy"],
      ["li_proposal_create", "li_proposal_destroy"],
      ["li_beam_step_create", "li_beam_step_destroy"],
    ]) {
      counted[maker] = (...given) => {
        const address = exports[maker](...given);
        held.set(address, maker);
        return address;
      };
      counted[breaker] = (address) => {
        held.delete(address);
        exports[breaker](address);
      };
    }
    return { exports: counted };
  };
  try {
    const model = await load(randomModel({ context: 128, extra: { "llama.block_count": ["uint32", 1] } }));
    const options = { maxTokens: 12, seed: 3, bannedTokens: [2] };
    for (const way of [
      {},
      { n: 3 },
      { beams: 3 },
      { beams: 3, repetitionPenalty: 1.3, stop: "zzz" },
      { beams: 3, repetitionPenalty: 1.3, captureBeams: true },
      { penaltyAlpha: 0.5, topK: 4 },
      { guidance: 2 },
      { contrast: { model } },
      { draft: "lookup", draftTokens: 3 },
      { draft: "lookahead", draftTokens: 3 },
      { draft: model, draftTokens: 3 },
    ]) {
      // The first text may allocate what the model keeps.
      for (const isFirst of [true, false]) {
        const before = [...held];
        const generation = model.generate([1, 50, 60, 50, 60], { ...options, ...way });
        // Every step comes as a chunk; the reader leaves after the second.
        if (way.captureBeams) for (let i = 0; i < 2; i++) await generation.next();
        await (way.captureBeams ? generation.return() : collect(generation));
        if (way.captureBeams) await collect(model.generate([1], { maxTokens: 1 })); // waits for the end of the other
        if (!isFirst) assert.deepEqual([...held], before, JSON.stringify(Object.keys(way)));
      }
    }
    model.dispose();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
});

/** A lookahead drafter. Its rows of logits are given by their likeliest tokens. */
async function lookahead({ isFixed = false, contextLength = 256 } = {}) {
  const { exports, views } = await instantiate("sampler", (read) =>
    read(new URL("../../build/wasm/sampler.wasm", import.meta.url)),
  );
  const instance = { exports: { ...exports, li_sampler_choose: (_, likeliest) => likeliest }, views };
  const settings = { sampler: { given: { vocabSize: 1000, tokenCount: 1000, eos: [2] } } };
  const pace = { isFixed, choose: (_, count) => count, noteOutcome() {} };
  return new Lookahead({ engine: { instance }, source: { contextLength }, settings }, pace);
}

test("lookahead guesses the tokens that followed the longest n-gram in the prompt, token by token", async () => {
  const guesses = async (ids, most) => (await lookahead()).guess(ids, most);
  assert.deepEqual(await guesses([1, 2, 3, 4, 1, 2], 4), { tokens: [3, 4, 1, 2], kind: 2 });
  assert.deepEqual(await guesses([5, 6, 7, 5], 2), { tokens: [6, 7], kind: 1 });
  assert.deepEqual(await guesses([1, 2, 3, 9, 2, 4, 1, 2], 1), { tokens: [3], kind: 2 }, "not what followed 2 last");
  assert.deepEqual(await guesses([1, 2, 3, 8, 9, 2, 3, 4, 1, 2, 3], 1), { tokens: [8], kind: 3 });
  assert.deepEqual(await guesses([1, 2, 3], 4), { tokens: [], kind: 0 });
  // All of a long prompt is remembered.
  const long = Array.from({ length: 200 }, (_, i) => 10 + ((i * 7) % 211));
  for (const start of [0, 50, 190])
    assert.deepEqual(
      (await guesses([...long, ...long.slice(start, start + 3)], 5)).tokens,
      long.slice(start + 3, start + 8),
    );
});

test("lookahead continues with the rows after a wrong guess, unless an n-gram matches", async () => {
  const drafter = await lookahead();
  const text = [10, 11, 12];
  drafter.guess(text, 4);
  const lane = { sequence: { tokens: [...text, 60, 61] }, proposals: [60, 61], continuation: { isOver: false } };
  for (const [row, likeliest] of [50, 51, 52].entries()) drafter.see(lane, row, likeliest);
  drafter.settle(lane, 0);
  assert.deepEqual(drafter.guess([...text, 50], 4), { tokens: [51, 52], kind: 0 });
  assert.deepEqual(drafter.guess([8, 9, 61], 1), { tokens: [51], kind: 0 }, "one token alone knows no better");
  assert.deepEqual(drafter.guess([9, 10, 11], 1), { tokens: [12], kind: 2 });
});

test("lookahead guesses nothing after a new token, though its table has few places", async () => {
  const drafter = await lookahead({ contextLength: 1 });
  for (let length = 1; length < 60; length++) {
    const ids = Array.from({ length }, (_, i) => 10 + i);
    drafter.see({ sequence: { tokens: ids.slice(0, -1) }, proposals: [] }, 0, ids.at(-1));
    drafter.settle({ proposals: [], continuation: {} }, 0);
    assert.deepEqual(drafter.guess(ids, 3).tokens, [], `${length} tokens`);
  }
});

test("with a number for draftTokens, lookahead begins with the text itself", async () => {
  const drafter = await lookahead({ isFixed: true });
  assert.deepEqual(drafter.guess([4, 5, 6], 4).tokens, [4, 5, 6, 4]);
});

test("lookup takes any count, and its pace counts every long match as the longest", () => {
  assert.deepEqual(lookupDraft([1, 2], { count: 2 ** 32 - 1 }), []);
  assert.throws(() => lookupDraft([1, 2], { count: 2 ** 32 }), { name: "RangeError" });
  const engine = { texts: new TextMemory() };
  const lookup = new Lookup({ engine, settings: { sampler: { given: { eos: [] } } } }, { isFixed: true });
  for (const [length, kind] of [
    [3, 1],
    [4, 1],
    [5, 2],
    [9, 3],
    [17, 4],
    [100, 4],
  ])
    assert.equal(lookup.guess(Array(length).fill(7), 3).kind, kind, `${length} equal tokens`);
});

test("lookup finds what an earlier text has written or read, and the text stays the same", async () => {
  const model = await load(randomModel({ context: 128 }));
  const options = {
    seed: 3,
    temperature: 0.9,
    frequencyPenalty: 4,
    noRepeatNgram: 1,
    bannedTokens: [2],
    maxTokens: 40,
  };
  const drafted = { ...options, draft: "lookup", draftTokens: 3 };
  const plain = await collect(model.generate([1, 50, 60, 70], options));
  const again = await collect(model.generate([1, 50, 60, 70], drafted));
  assert.deepEqual(again.ids, plain.ids);
  assert.ok(again.usage.passes <= 15, `${again.usage.passes} passes`);
  const other = await load(randomModel({ context: 128 }));
  const first = await collect(other.generate([1, 50, 60, 70], drafted));
  assert.deepEqual(first.ids, plain.ids);
  assert.equal(first.usage.passes, 40, "no token occurs twice, so nothing is guessed");
});

test("a draft model reads its own proposals, and computes each token once", async () => {
  const rows = (maxTokens) =>
    countForwards(async (counter) => {
      const model = await load(randomModel({ context: 128 }));
      const options = { seed: 4, temperature: 0.7, frequencyPenalty: 4, noRepeatNgram: 1, bannedTokens: [2] };
      const { ids, usage } = await collect(
        model.generate([1, 50, 60, 70], { ...options, maxTokens, draft: model, draftTokens: 3 }),
      );
      assert.equal(ids.length, maxTokens);
      assert.equal(usage.acceptedTokens, usage.draftedTokens, "the model would choose what it has drafted");
      assert.equal(usage.passes, maxTokens / 4);
      model.dispose();
      return counter.rows;
    });
  // Four rows of the target. The draft has one row for each proposal, and one for the last proposal of the pass before.
  assert.equal((await rows(24)) - (await rows(16)), 2 * (4 + 3 + 1));
});

test("if all drafts are accepted at almost no cost, fifteen tokens are proposed at a time", () => {
  const pace = new Pace([0.75], false);
  const counts = [];
  for (let pass = 0; pass < 400; pass++) {
    pace.begin(1);
    const count = pace.choose(0, 31);
    counts.push(count);
    if (count) {
      pace.noteDraft(count, 0.01 * count);
      pace.noteOutcome(0, count, false);
    }
    pace.notePass(1 + count, 1 + count, 1 + 0.02 * count);
  }
  assert.ok(
    counts.slice(0, 4).every((count) => count === 0),
    "passes are timed first",
  );
  assert.ok(counts.slice(200).filter((count) => count === 15).length > 180);
  assert.equal(Math.max(...counts), 15);
});

test("powers equal Math.pow up to the limits of a double", () => {
  for (const [base, exponent] of [
    [2, 1023.5],
    [10, 308.2],
    [1.5, 0.25],
    [7, -0.5],
    [2, -1021.5],
    [3, 20],
    [12, -3],
    [1000, 0.001],
  ]) {
    const expected = Math.pow(base, exponent);
    assert.ok(Math.abs(power(base, exponent) / expected - 1) < 1e-13, `${base} ** ${exponent}`);
  }
  assert.equal(power(2, 1024.5), Infinity);
  assert.equal(power(2, -1100.5), 0);
});

test("text that a grammar forces takes one pass, however long", async () => {
  const model = await load(randomModel({ context: 128 }));
  const text = "abcdefghijklmnopqrstuvwxyz0123456789";
  const { text: written, usage } = await collect(model.generate([1, 50], { regex: text, maxTokens: 60 }));
  assert.equal(written, text);
  assert.ok(usage.passes <= 5, `${usage.passes} passes`);
  assert.equal(usage.draftedTokens, 0);
  model.dispose();
});

test("forced tokens end at the number wanted, or before a token whose bytes are not forced", async () => {
  const tokens = [..."abcdef"].map((letter) => new TextEncoder().encode(letter));
  const vocabulary = { tokens: [...tokens, null], eos: [6] };
  const grammar = await compileGrammar({ regex: "abcdef", vocabulary });
  const constraints = new Constraints(vocabulary);
  const constraint = await constraints.open(grammar.posted);
  const forced = (ids, most) => constraint.forced({ encode: () => ids, bytesOf: (id) => tokens[id] }, most);
  const whole = [0, 1, 2, 3, 4, 5];
  // The last token is the model's choice.
  assert.deepEqual(forced(whole, 9), [0, 1, 2, 3, 4]);
  assert.deepEqual(forced(whole, 5), [0, 1, 2, 3, 4]);
  assert.deepEqual(forced(whole, 2), [0, 1]);
  assert.deepEqual(forced(whole, 0), []);
  assert.deepEqual(forced([0, 1, 5, 3, 4, 5], 4), [0, 1]);
  assert.deepEqual(forced([5, 0, 1], 4), []);
  constraint.dispose();
  constraints.dispose();
  grammar.dispose();
});
