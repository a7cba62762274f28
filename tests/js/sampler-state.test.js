// What changes from step to step: half steps, snapshots of other samplers, matchers; and that a failure changes
// nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroup, createSampler } from "lastinch";

const vocabSize = 64;
const row = Float32Array.from({ length: vocabSize }, (_, i) => 3 * Math.sin(i * 12.9898) + Math.cos(i * 78.233));

/** A matcher that allows the tokens of a script one after another. `live` counts the matchers in use. */
function scripted(script, live = { count: 0 }, at = 0) {
  live.count++;
  return {
    get at() {
      return at;
    },
    bitmask(into) {
      into.fill(0);
      into[script[at] >> 5] |= 1 << (script[at] & 31);
    },
    accept: (token) => token === script[at] && ++at > 0,
    rollback: (count) => void (at -= count),
    clone: () => scripted(script, live, at),
    dispose: () => void live.count--,
  };
}

test("a sampler that restores another's snapshot keeps its own matcher", async () => {
  const a = await createSampler({ vocabSize, seed: 1, grammar: scripted([1, 2, 3, 4]) });
  const b = a.clone();
  assert.equal(a.sample(row), 1);
  b.restore(a.snapshot());
  assert.equal(b.sample(row), 2);
  assert.equal(a.sample(row), 2);
  const none = await createSampler({ vocabSize, seed: 1 });
  none.restore(a.snapshot());
  assert.equal(none.sample(row), 3);
  assert.equal(a.sample(row), 3);
});

test("clones and groups dispose of the matchers that they cloned, and of no others", async () => {
  const live = { count: 0 };
  const matcher = scripted([1, 2], live);
  const group = await createGroup(8, { vocabSize, grammar: matcher });
  assert.equal(live.count, 8);
  group.dispose();
  assert.equal(live.count, 1);
});

test("a refused token leaves sampler and matcher unchanged", async () => {
  const matcher = scripted([1, 2, 3]);
  const { accept } = matcher;
  const sampler = await createSampler({ vocabSize, seed: 5, grammar: matcher });
  const before = sampler.snapshot().state;
  for (const broken of [() => false, () => assert.fail("broken")]) {
    matcher.accept = broken;
    assert.throws(() => sampler.sample(row));
    assert.deepEqual(sampler.snapshot().state, before);
  }
  matcher.accept = (token) => (token === 3 ? assert.fail("broken") : accept(token));
  assert.throws(() => sampler.accept([1, 2, 3]));
  assert.equal(matcher.at, 0);
  assert.deepEqual(sampler.snapshot().state, before);
  matcher.accept = accept;
  assert.equal(sampler.sample(row), 1);
});

test("an unusable row leaves every member of a group unchanged", async () => {
  const group = await createGroup(3, { vocabSize, seed: 2 });
  const again = await createGroup(3, { vocabSize, seed: 2 });
  const rows = new Float32Array(3 * vocabSize).fill(0);
  rows[2 * vocabSize + 1] = NaN;
  assert.throws(() => group.sample(rows), { code: "logits-nan" });
  assert.deepEqual(group.sample(row), again.sample(row));
  // A member's own row may be given to all members, and is not changed.
  const [first, second] = group.samplers;
  first.logits.fill(7);
  second.logits.set(row);
  assert.deepEqual(group.sample(second.logits), again.sample(row));
  assert.ok(first.logits.every((logit) => logit === 7));
});

test("pick and accept equal sample, feedback and random numbers included", async () => {
  for (const options of [
    { mirostat: 2, mirostatTau: 3 },
    { adaptiveTarget: 0.3 },
    { xtcProbability: 0.5, xtcThreshold: 0.05, topK: 9 },
    { mirostat: 1, repetitionPenalty: 1.3 },
  ]) {
    const [a, b] = [
      await createSampler({ vocabSize, seed: 9, ...options }),
      await createSampler({ vocabSize, seed: 9, ...options }),
    ];
    for (let step = 0; step < 60; step++) {
      const token = a.sample(row);
      // A u that chooses the same token: the middle of its part of the running sum.
      const { tokens, probabilities } = b.distribution(row);
      let below = 0;
      tokens.forEach((id, i) => (below += id < token ? probabilities[i] : 0));
      const u = below + probabilities[tokens.indexOf(token)] / 2;
      assert.equal(b.pick(u, row), token);
      b.accept(token);
      assert.equal(b.lastProbability, a.lastProbability);
    }
    assert.deepEqual(a.snapshot().state, b.snapshot().state);
  }
});

test("feedback restarts when the target changes", async () => {
  const kept = (sampler) => sampler.distribution(row).tokens.length;
  for (const [first, second] of [
    [{ mirostat: 2 }, { mirostatTau: 0.5 }],
    [{ adaptiveTarget: 0.1 }, { adaptiveTarget: 0.9 }],
  ]) {
    const sampler = await createSampler({ vocabSize, seed: 1, ...first });
    for (let step = 0; step < 20; step++) sampler.sample(row);
    sampler.set(second);
    const fresh = await createSampler({ vocabSize, seed: 1, ...first, ...second });
    assert.equal(kept(sampler), kept(fresh));
    assert.deepEqual(sampler.distribution(row).probabilities, fresh.distribution(row).probabilities);
  }
});

test("a snapshot can be cloned by structure; a damaged one is refused and changes nothing", async () => {
  const options = { vocabSize, seed: 4, mirostat: 2, bannedTokens: [1], sequenceBias: [[[2, 3], 1]] };
  const sampler = await createSampler(options);
  sampler.sample(row);
  const snapshot = structuredClone(sampler.snapshot());
  const other = await createSampler({ vocabSize, topK: 4 });
  other.restore(snapshot);
  assert.equal(other.sample(row), sampler.sample(row));
  const { state } = other.snapshot();
  for (const damaged of [
    undefined,
    {},
    { ...snapshot, state: undefined },
    { ...snapshot, state: snapshot.state.subarray(1) },
    { ...snapshot, options: undefined },
    { ...snapshot, options: {} },
    { ...snapshot, options: { ...snapshot.options, given: { ...snapshot.options.given, topK: -1 } } },
    { ...snapshot, options: { ...snapshot.options, given: { vocabSize: 5 } } },
    JSON.parse(JSON.stringify(snapshot)),
  ])
    assert.throws(() => other.restore(damaged), { code: "bad-state" });
  // Only the given options count. The rest is derived again.
  other.restore({ ...snapshot, options: { ...snapshot.options, numbers: new Array(100000).fill(1), lists: [] } });
  other.restore(snapshot);
  assert.equal(other.sample(row), (sampler.restore(snapshot), sampler.sample(row)));
  assert.equal(state.length, other.snapshot().state.length);
});

test("sample without a row is refused until a row has been written", async () => {
  const sampler = await createSampler({ vocabSize, temperature: 0 });
  assert.throws(() => sampler.sample(), { name: "TypeError", code: "bad-type" });
  assert.throws(() => sampler.distribution(undefined), { name: "TypeError", code: "bad-type" });
  sampler.logits.set(row);
  assert.equal(sampler.sample(), sampler.sample(row));
});

test("a penalty makes a token unlikely, never impossible", async () => {
  const alone = { vocabSize, allowedTokens: [1], seed: 1 };
  const dry = await createSampler({ ...alone, dryMultiplier: 1000, dryAllowedLength: 1 });
  for (let step = 0; step < 400; step++) assert.equal(dry.sample(row), 1);
  const repeated = await createSampler({ ...alone, repetitionPenalty: 0.001 });
  repeated.accept(1);
  assert.equal(repeated.sample(row.map(() => 1e36)), 1);
});

test("lengthDecay beyond every float makes eos certain, unless its logit is 0", async () => {
  const sampler = await createSampler({ vocabSize: 4, eos: [0], lengthDecay: 1000 });
  sampler.accept(new Array(300).fill(3));
  assert.deepEqual([...sampler.distribution(Float32Array.of(1, 1, 2, 3)).tokens], [0, 3, 2, 1].slice(0, 4));
  assert.equal(sampler.distribution(Float32Array.of(1, 1, 2, 3)).probabilities[0], 1);
  assert.equal(sampler.distribution(Float32Array.of(0, 1, 2, 3)).tokens[0], 3);
});

test("llamacpp's greedy takes the likeliest token that typical leaves", async () => {
  const logits = Float32Array.from([0.3, 0.14, 0.14, 0.14, 0.14, 0.14], Math.log);
  const chosen = async (options) => (await createSampler({ vocabSize: 6, temperature: 0, ...options })).sample(logits);
  assert.equal(await chosen({ typicalP: 0.2, order: "llamacpp" }), 1);
  assert.equal(await chosen({ xtcProbability: 1, xtcThreshold: 0.1, order: "llamacpp" }), 5);
  assert.equal(await chosen({ typicalP: 0.2 }), 0);
});
