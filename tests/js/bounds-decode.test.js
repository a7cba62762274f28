// Drafting and searching at their edges: what is noted of a guess, when guessing rests, where a bound begins to hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Guesser } from "../../web/decode/drafters/guesser.js";
import { Lookahead } from "../../web/decode/drafters/lookahead.js";
import { Lookup, lookupDraft } from "../../web/decode/drafters/lookup.js";
import { Pace } from "../../web/decode/drafters/pace.js";
import { power } from "../../web/core/power.js";
import { instantiate } from "../../web/core/wasm.js";
import { collect, countForwards, load } from "./decode-tools.js";
import { randomModel } from "./tiny-gguf.js";

/** A guesser of what a test says, whose guesses are never run, and what its pace was told. */
function shadowed(guesses) {
  const noted = [];
  class Told extends Guesser {
    guess() {
      return { tokens: guesses.shift() ?? [], kind: 4 };
    }
  }
  const pace = { isFixed: false, choose: () => 0, noteOutcome: (...outcome) => noted.push(outcome) };
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
  const { guesser, propose, noted } = shadowed(Array.from({ length: 200 }, () => [9]));
  const text = [1];
  while (noted.length < 16) {
    propose(text);
    assert.equal(guesser.isResting, false, `${noted.length} wrong`);
    text.push(3);
  }
  const rests = [];
  while (text.length < 80) {
    propose(text);
    rests.push(guesser.isResting);
    text.push(3);
  }
  assert.equal(noted.length - rests.filter((isResting) => !isResting).length, 16);
  const first = 80 - rests.length;
  rests.forEach((isResting, i) => assert.equal(isResting, i > 0 && ((first + i) >> 3) % 2 === 1, `at ${first + i}`));
});

/** A drafter by lookahead to which a row of logits is the token that it is likeliest to be followed by. */
async function lookahead({ isFixed = false, contextLength = 256 } = {}) {
  const { exports, views } = await instantiate("sampler", () => new URL("../../dist/sampler.wasm", import.meta.url));
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

test("with a number for draftTokens, lookahead begins with the text itself", async () => {
  const drafter = await lookahead({ isFixed: true });
  assert.deepEqual(drafter.guess([4, 5, 6], 4).tokens, [4, 5, 6, 4]);
});

test("lookup takes any count, and its pace counts long matches as the longest", () => {
  assert.deepEqual(lookupDraft([1, 2], { count: 2 ** 32 - 1 }), []);
  assert.throws(() => lookupDraft([1, 2], { count: 2 ** 32 }), { name: "RangeError" });
  const lookup = new Lookup({ settings: { sampler: { given: { eos: [] } } } }, { isFixed: true });
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
  // Four rows of the target; of the draft one for each proposal, and one for the last proposal before.
  assert.equal((await rows(24)) - (await rows(16)), 2 * (4 + 3 + 1));
});

test("where all drafts are accepted at almost no cost, fifteen tokens are proposed at a time", () => {
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
