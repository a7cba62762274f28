// The parts of drafting that need no model: lookup, the memory of texts and the pace.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "../bench/grammar-random.js";
import { lookupDraft } from "../../web/decode/drafters/lookup.js";
import { TextMemory } from "../../web/decode/drafters/text-memory.js";
import { Pace } from "../../web/decode/drafters/draft-pace.js";
import { drafting } from "../../web/decode/drafters/drafting.js";

test("lookup finds the most recent of the longest matches, and copies the tokens that followed", () => {
  //            0  1  2  3  4  5  6  7  8  9 10 11
  const text = [1, 2, 3, 9, 2, 3, 4, 7, 2, 3, 5, 1];
  assert.deepEqual(lookupDraft([...text, 2, 3], { count: 3 }), [9, 2, 3], "1 2 3 is longer than 2 3");
  assert.deepEqual(lookupDraft([...text, 2, 3], { ngram: 2, count: 3 }), [5, 1, 2], "the last 2 3");
  assert.deepEqual(lookupDraft([...text, 8, 4]), [], "one token is not enough");
  assert.deepEqual(lookupDraft([...text, 8, 4], { least: 1, count: 2 }), [7, 2]);
  assert.deepEqual(lookupDraft(text, { ngram: 1, count: 2 }), [2, 3]);
  assert.deepEqual(lookupDraft([5, 6, 5, 6], { count: 5 }), [5, 6, 5, 6, 5], "a repetition goes round");
  assert.deepEqual(lookupDraft([7, 7, 7], { count: 2 }), [7, 7]);
  assert.deepEqual(lookupDraft(Uint32Array.of(1, 2, 3, 1, 2), { count: 1 }), [3]);
  for (const ids of [[], [1], [1, 2, 3]]) assert.deepEqual(lookupDraft(ids), []);
  assert.deepEqual(lookupDraft([1, 2, 1, 2], { count: 0 }), []);
});

test("the memory finds the longest recent match in other texts, and copies to the text's end only", () => {
  const memory = new TextMemory();
  const find = (ids, count = 9) => {
    const { length, next } = memory.find(ids, 16);
    return [length, length ? memory.copy(next, count) : []];
  };
  assert.deepEqual(find([1, 2, 3]), [0, []], "nothing is known");
  memory.learn([1, 2, 3, 4, 5, 6], 0);
  memory.learn([9, 2, 3, 4, 7, 8], 0);
  assert.deepEqual(find([5, 2, 3, 4]), [3, [7, 8]], "the more recent");
  assert.deepEqual(find([1, 2, 3, 4]), [4, [5, 6]], "the longer");
  assert.deepEqual(find([1, 2, 3, 4], 1), [4, [5]]);
  assert.deepEqual(find([0, 3, 4]), [0, []], "two tokens are not enough");
  assert.deepEqual(find([4, 5, 6]), [0, []], "nothing follows");
  assert.deepEqual(find([6, 9, 2]), [0, []], "texts do not join");
  memory.learn([1, 2, 3, 4, 5, 6, 20, 21], 6);
  assert.deepEqual(find([4, 5, 6]), [3, [20, 21]], "the known part leads to what is new");
  memory.learn([4, 5, 6], 3);
  memory.learn([], 0);
  assert.deepEqual(find([4, 5, 6]), [3, [20, 21]]);
});

test("the memory equals a plain search of the last 262,144 tokens", () => {
  const memory = new TextMemory();
  const all = [];
  const next = randomFrom(4);
  const random = (below) => Math.floor(next() * below);
  const at = (ids, i) => (i < 0 ? -2 : ids[i]);
  for (let round = 0; all.length < 700_000; round++) {
    const ids = Array.from({ length: 1 + random(3000) }, () => random(300));
    const [start, length] = [random(all.length + 1), random(40)];
    if (round) ids.push(...all.slice(start, start + length).filter((id) => id >= 0));
    const kept = all.slice(-(2 ** 18));
    let [best, place] = [2, 0];
    for (let i = kept.length - 2; i >= 2; i--) {
      let same = 0;
      while (same < 16 && at(kept, i - same) === at(ids, ids.length - 1 - same)) same++;
      if (same > best && kept[i + 1] !== -1) [best, place] = [same, i + 1];
    }
    const found = memory.find(ids, 16);
    assert.equal(found.length, best > 2 ? best : 0, `round ${round}`);
    const end = kept.indexOf(-1, place);
    if (best > 2) assert.deepEqual(memory.copy(found.next, 4), kept.slice(place, Math.min(end, place + 4)));
    memory.learn(ids, 0);
    all.push(...ids, -1);
  }
});

test("lookup equals a plain search, on random texts", () => {
  let state = 1;
  const random = (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 65536) % below;
  for (let i = 0; i < 500; i++) {
    const ids = Array.from({ length: random(60) }, () => random(3));
    const [ngram, least, count] = [4, 1 + random(3), 1 + random(8)];
    let expected = [];
    for (let length = ngram; length >= least && !expected.length; length--)
      for (let end = ids.length - 1; end >= length && !expected.length; end--) {
        if (ids.slice(end - length, end).join() !== ids.slice(ids.length - length).join()) continue;
        expected = [...ids.slice(end)];
        while (expected.length < count) expected.push(expected[expected.length - (ids.length - end)]);
        expected.length = count;
      }
    assert.deepEqual(lookupDraft(ids, { ngram, least, count }), expected, `${ids}`);
  }
});

test("lookup checks its arguments", () => {
  assert.throws(() => lookupDraft(5), { name: "TypeError", code: "bad-type" });
  assert.throws(() => lookupDraft([1], { ngram: 2.5 }), { message: /ngram/ });
  assert.throws(() => lookupDraft([1], { ngram: 0 }), { name: "RangeError", code: "out-of-range" });
  assert.throws(() => lookupDraft([1], { ngram: 2, least: 3 }), { name: "RangeError" });
  assert.throws(() => lookupDraft([1], { tokens: 3 }), { name: "TypeError", code: "unknown-option" });
});

/**
 * Writes a text with a draft whose tokens are accepted at rate `a`. A further row of the model costs `row` plain
 * passes, a token of the draft `draft`; a tenth of all times is noise, and the clock ticks in steps of `tick` ms.
 * Returns the speed relative to a text without a draft, that of the best fixed number of proposals, and what proposals
 * cost beside the passes, as a share of them.
 */
function pretend({ a, row, draft, tick = 0, tokens = 4000, seed = 1, isFree = false }) {
  let state = seed;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const pace = new Pace([0.75], isFree);
  const plain = 0.17;
  let [time, written, noise, passes, extra] = [0, 0, 0, 0, 0];
  const now = () => (tick ? Math.floor(time / tick) * tick : time);
  while (written < tokens) {
    pace.begin(1);
    const count = pace.choose(0, 31);
    let began = now();
    time += count * draft * plain;
    if (count && !isFree) pace.noteDraft(count, now() - began);
    began = now();
    noise = 0.9 + 0.2 * random();
    time += plain * (1 + row * count) * noise;
    passes++;
    extra += count * (row + draft);
    let accepted = 0;
    while (accepted < count && random() < a) accepted++;
    if (count) pace.noteOutcome(0, accepted, accepted < count);
    else if (isFree) pace.noteOutcome(0, Number(random() < a), false);
    pace.notePass(1 + count, 1 + accepted, now() - began);
    written += 1 + accepted;
  }
  const gains = [0, 1, 3, 7, 15].map((k) => (1 - a ** (k + 1)) / (1 - a) / (1 + k * row + k * draft));
  return { gain: (written * plain) / time, best: Math.max(...gains), extra: extra / passes };
}

test("where drafting pays, the pace reaches most of the possible gain", () => {
  for (const [a, row, draft] of [
    [0.7, 0.02, 0.1],
    [0.9, 0.3, 0.1],
    [0.98, 0.6, 0.05],
    [0.8, 0.1, 0.3],
  ])
    for (const tick of [0, 0.1]) {
      const { gain, best } = pretend({ a, row, draft, tick });
      assert.ok(gain > 1 + 0.7 * (best - 1), `${gain} of ${best}`);
    }
});

test("where drafting does not pay, it costs next to nothing", () => {
  for (const [a, row, draft] of [
    [0.02, 0.8, 0.2],
    [0.69, 0.85, 0.25],
    [0.5, 0.8, 0],
    [0.9, 0.4, 3],
    [0.01, 2, 5],
  ])
    for (const tick of [0, 0.1, 1])
      for (const tokens of [300, 4000]) {
        const { gain } = pretend({ a, row, draft, tick, tokens });
        // With a clock of whole milliseconds, a short first text may consist of trials.
        assert.ok(gain > (tick === 1 && tokens === 300 ? 0.92 : 0.95), `${gain} with ${[a, row, draft, tick, tokens]}`);
      }
});

test("where drafting would gain less than a tenth, texts are written without, and trials cost 3 % of the rows", () => {
  for (const [a, row, draft] of [
    [0.66, 0.5, 0.05],
    [0.6, 0.35, 0.2],
    [0.75, 0.4, 0.3],
    [0.5, 0.45, 0],
  ])
    for (const seed of [1, 2, 3]) {
      const { gain, best, extra } = pretend({ a, row, draft, seed, tokens: 8000 });
      assert.ok(best < 1.09 && gain > 0.98, `${gain} of ${best}`);
      assert.ok(extra < 0.03, `${extra} with ${[a, row, draft]}`);
    }
});

/**
 * Runs passes of a pace whose proposals are all accepted, or all rejected, on a machine with an even clock. Returns the
 * numbers chosen.
 * @param {Pace} pace
 * @param {number} passes
 * @param {{ lanes?: number, row: number, draft?: number, isRight: boolean | ((pass: number) => boolean), isFree?: boolean }} machine
 *   row and draft: the time of a further row, and of a token of the draft, in plain passes
 */
function choices(pace, passes, { lanes = 1, row, draft = 0, isRight, isFree = false }) {
  return Array.from({ length: passes }, (_, pass) => {
    const accepted = typeof isRight === "function" ? isRight(pass) : isRight;
    pace.begin(lanes);
    const count = pace.choose(0, 31);
    if (count && !isFree) pace.noteDraft(count, draft * count);
    // A guess that was not run is compared with the text.
    if (count || isFree) pace.noteOutcome(0, accepted ? count || 3 : 0, !accepted);
    pace.notePass(lanes + count, lanes + (accepted ? count : 0), 1 + row * count);
    return count;
  });
}

test("when every guess is expected to be right, three tokens are proposed first, and more step by step", () => {
  const counts = choices(new Pace([1], true), 40, { row: 0, isRight: true, isFree: true });
  assert.deepEqual([...new Set(counts)], [0, 3, 7, 15]);
});

test("a draft that never pays is tried again, each time after twice as many passes, up to 512", () => {
  const counts = choices(new Pace([0.75], false), 4000, { row: 0.8, draft: 0.1, isRight: false });
  const tries = counts.flatMap((count, pass) => (count ? [pass] : []));
  const gaps = tries.slice(1).map((pass, i) => pass - tries[i]);
  assert.ok(tries[0] < 32, `${tries[0]}`);
  assert.deepEqual(gaps, [32, 64, 128, 256, ...Array(gaps.length - 4).fill(512)]);
  assert.equal(gaps.length, 10);
});

test("a draft that becomes right is soon taken up", () => {
  for (const change of [300, 600, 2000]) {
    const isRight = (pass) => pass >= change;
    const counts = choices(new Pace([0.75], false), change + 1500, { row: 0.3, draft: 0.01, isRight });
    const used = counts.slice(change).findIndex((_, i, after) => after.slice(i, i + 20).every((count) => count));
    assert.ok(used >= 0 && used < 1100, `${used} after ${change}`);
  }
});

test("several texts side by side are drafted too", () => {
  const counts = choices(new Pace([0.9], false), 200, { lanes: 4, row: 0.02, draft: 0.01, isRight: true });
  assert.ok(counts.filter((count) => count).length > 180);
});

test("free guesses that would be wrong are never run, and right ones cost no more than their rows", () => {
  const wrong = choices(new Pace([0.3], true), 1000, { row: 0.5, isRight: false, isFree: true });
  assert.ok(wrong.every((count) => count === 0));
  const right = choices(new Pace([0.3], true), 1000, { row: 0.5, isRight: true, isFree: true });
  assert.ok(right.slice(500).filter((count) => count === 15).length > 450);
});

test("drafting still pays under a clock of whole milliseconds when a pass takes a sixth of one", () => {
  for (const tick of [1, 5]) {
    const { gain } = pretend({ a: 0.9, row: 0.02, draft: 0.1, tick, tokens: 16000 });
    assert.ok(gain > 2, `${gain} with ${tick}`);
  }
});

test("each drafter of a model has a pace of its own, whatever its number", () => {
  const engine = { sequences: { branches: 64 } };
  const paceOf = (more, n = 1, by = 2, model = engine) =>
    drafting({ engine: model, source: model.sequences, settings: { n, draft: { by, tokens: "auto" } }, ...more }).pace;
  const [draft, heads] = [{}, { kind: "medusa", count: 4 }];
  const all = [
    () => paceOf({ draft }),
    () => paceOf({ draft: {} }),
    () => paceOf({ heads }),
    () => paceOf({ heads: { kind: "medusa", count: 4 } }),
    () => paceOf({ heads }, 40), // chains
    () => paceOf({ heads: { kind: "eagle" } }),
    () => paceOf({}, 1, "lookup"),
    () => paceOf({}, 1, "lookahead"),
    () => paceOf({ draft }, 1, 2, { sequences: { branches: 64 } }),
  ].map((find) => find());
  assert.equal(new Set(all).size, all.length);
  assert.equal(paceOf({ draft }), all[0]);
  assert.equal(paceOf({ draft }, 3, 5), all[0], "a page has another number for it");
  assert.equal(paceOf({ heads }), all[2]);
  assert.equal(paceOf({ heads }, 30), all[4]);
  assert.equal(paceOf({}, 1, "lookup"), all[6]);
});
