// Mistakes that other samplers make or have made. Each test checks that ours does not.
import assert from "node:assert/strict";
import test from "node:test";
import { createSampler } from "lastinch";
import { distribution, kept, logs, near, normalRow, ranking, softmax, withSampler } from "./sampler-tools.js";

const five = Float32Array.of(3, 2, 1, 0, -1);
const just = 1 - 2 ** -53; // the largest number below 1
const webllmMask = -3.4028234663852886e38; // the smallest float32

test("probabilities are over the whole vocabulary, not over the fifty likeliest", async () => {
  const { tokens, probabilities } = await distribution(new Float32Array(1000));
  assert.equal(tokens.length, 1000);
  near([probabilities[0], probabilities[999]], [0.001, 0.001], 1e-12);
});

test("temperature gives the softmax of the scaled logits, from the coldest to the hottest", async () => {
  for (const temperature of [0.05, 0.2, 0.5, 1, 1.5, 2, 10, 1000])
    near((await distribution(five, { temperature })).probabilities, softmax(five, temperature), 1e-7);
});

test("temperature is applied once, whatever other stages run", async () => {
  const options = { temperature: 0.5, topK: 4, topP: 0.9999, minP: 1e-4, repetitionPenalty: 1, logitBias: { 4: 0 } };
  for (const order of ["default", "llamacpp", "hf", "vllm"]) {
    const { probabilities } = await distribution(five, { ...options, order });
    near([probabilities[0] / probabilities[1]], [Math.exp(1 / 0.5)], 1e-5);
  }
});

test("probabilities sum to 1 at a temperature of .001", async () => {
  for (const size of [3, 64, 1000, 32000]) {
    const row = normalRow(size, size, 0.01);
    const { probabilities } = await distribution(row, { temperature: 0.001 });
    near([probabilities.reduce((a, b) => a + b)], [1], 1e-9);
  }
});

test("logits beyond the range of exp do not overflow", async () => {
  const moved = five.map((z) => z + 1000);
  near((await distribution(moved)).probabilities, softmax(five), 1e-7);
  assert.deepEqual(await kept(Float32Array.of(3e38, -9e29, 0)), [0, 2, 1]);
});

test("top-p keeps the token that crosses p, and stops when the sum is exactly p", async () => {
  const even = new Float32Array(8);
  for (let count = 1; count <= 7; count++) {
    assert.equal((await kept(even, { topP: count / 8 - 1e-5 })).length, count);
    assert.equal((await kept(even, { topP: count / 8 })).length, count);
    assert.equal((await kept(even, { topP: count / 8 + 1e-5 })).length, count + 1);
  }
});

test("top-p is exact at .33, .55 and .80 of ten places, just below and above", async () => {
  const places = logs(0.33, 0.22, 0.14, 0.11, 0.07, 0.055, 0.035, 0.025, 0.01, 0.005);
  for (const [p, count] of [
    [0.33, 1],
    [0.55, 2],
    [0.8, 4],
  ]) {
    assert.equal((await kept(places, { topP: p - 1e-5 })).length, count);
    assert.equal((await kept(places, { topP: p + 1e-5 })).length, count + 1);
  }
});

test("top-p 0 keeps the likeliest token, and top-p 1 everything", async () => {
  assert.deepEqual(await kept(five, { topP: 0 }), [0]);
  assert.deepEqual(await kept(five, { topP: 1 }), [0, 1, 2, 3, 4]);
});

test("the nucleus of p = .999 among 151,936 tokens equals that of float64 sums", async () => {
  const row = normalRow(151936, 7);
  const p = softmax(row).sort((a, b) => b - a);
  let [sum, count] = [0, 0];
  while (sum < 0.999) sum += p[count++];
  // A float32 sum is off by about a thousand tokens; a margin below 1e-6 is two dozen of these.
  const actual = (await kept(row, { topP: 0.999 })).length;
  const margin = Math.abs(p.slice(Math.min(actual, count), Math.max(actual, count)).reduce((a, b) => a + b, 0));
  assert.ok(margin < 1e-6, `${actual} tokens, not ${count}`);
});

test("every truncation that is on takes effect", async () => {
  const row = normalRow(1000, 3, 1);
  for (const options of [
    ...[{ topP: 0.1 }, { minP: 0.9 }, { typicalP: 0.1 }, { epsilonCutoff: 0.005 }, { etaCutoff: 1 }],
    ...[{ topK: 3 }, { topNSigma: 0.5 }, { topH: 0.3 }, { tfsZ: 0.3 }, { mirostat: 2, mirostatTau: 1 }],
  ])
    assert.ok((await kept(row, options)).length < 300, JSON.stringify(options));
});

test("min-p 1 keeps the likeliest token and all that tie with it", async () => {
  assert.deepEqual(await kept(five, { minP: 1 }), [0]);
  assert.deepEqual(await kept(Float32Array.of(1, 2, 0, 2), { minP: 1 }), [1, 3]);
  await assert.rejects(createSampler({ vocabSize: 5, minP: 1.05 }), { code: "out-of-range" });
});

test("top-k 0 is off, and a k beyond the vocabulary keeps everything", async () => {
  assert.equal((await kept(five, { topK: 0 })).length, 5);
  assert.equal((await kept(five, { topK: 5 })).length, 5);
  assert.equal((await kept(five, { topK: 4294967295 })).length, 5);
});

test("top-k keeps exactly k, even if everything ties", async () => {
  for (const k of [1, 7, 64, 999]) {
    const tokens = await kept(new Float32Array(1000), { topK: k });
    assert.deepEqual(
      tokens,
      Array.from({ length: k }, (_, id) => id),
    );
  }
});

test("top-n-sigma 0 is off, not greedy", async () => assert.equal((await kept(five, { topNSigma: 0 })).length, 5));

test("temperature 0 divides by nothing: enormous and tiny logits are compared as they are", async () => {
  assert.deepEqual(await kept(Float32Array.of(-3e29, 1e-45, 0, 1e-45), { temperature: 0 }), [1]);
  assert.deepEqual(await kept(Float32Array.of(3.3e38, 3.4e38, 3.4e38), { temperature: 0 }), [1]);
});

test("a temperature of 1e-6 is not greedy: ties are drawn at random", async () => {
  const row = Float32Array.of(1, 2, 2);
  near((await distribution(row, { temperature: 1e-6 })).probabilities.slice(0, 2), [0.5, 0.5], 1e-9);
  assert.deepEqual((await distribution(row, { temperature: 0 })).probabilities, [1]);
});

test("greedy uses no random number", () =>
  withSampler({ vocabSize: 5, temperature: 2 }, (sampler) => {
    const plain = sampler.clone();
    sampler.set({ temperature: 0 });
    for (let step = 0; step < 5; step++) assert.equal(sampler.sample(five), 0);
    sampler.set({ temperature: 2 });
    for (let step = 0; step < 30; step++) assert.equal(sampler.sample(five), plain.sample(five));
    plain.dispose();
  }));

test("a temperature below 0, NaN or infinite is refused by set too", () =>
  withSampler({ vocabSize: 5 }, (sampler) => {
    for (const temperature of [-1, -1e-9, NaN, Infinity])
      assert.throws(() => sampler.set({ temperature }), { name: "RangeError", code: "out-of-range" });
  }));

test("one NaN anywhere is an error, never a token", async () => {
  for (const options of [{}, { temperature: 0 }, { topK: 3 }, { topK: 3, order: "hf" }, { topP: 0.9 }])
    await withSampler({ vocabSize: 37, ...options }, (sampler) => {
      for (let at = 0; at < 37; at++) {
        const row = normalRow(37, at);
        row[at] = NaN;
        for (const use of ["sample", "distribution", "trace", "information"])
          assert.throws(() => sampler[use](row), { code: "logits-nan" });
      }
      assert.throws(() => sampler.sample(new Float32Array(37).fill(NaN)), { code: "logits-nan" });
    });
});

test("a row with nothing but masked logits is an error, never the last candidate", () =>
  withSampler({ vocabSize: 70, topK: 50 }, (sampler) => {
    for (const mask of [-Infinity, -3.4e38, webllmMask, -1e38])
      assert.throws(() => sampler.sample(new Float32Array(70).fill(mask)), { code: "nothing-left" });
  }));

test("after an error the history, the random stream and the logits are as before", () =>
  withSampler({ vocabSize: 5, presencePenalty: 1, repetitionPenalty: 1.5 }, (sampler) => {
    sampler.accept([0, 1]);
    const plain = sampler.clone();
    const broken = Float32Array.of(1, 2, NaN, 3, Infinity);
    const before = broken.slice();
    assert.throws(() => sampler.sample(broken), { code: "logits-nan" });
    assert.deepEqual(broken, before);
    for (let step = 0; step < 20; step++) assert.equal(sampler.sample(five), plain.sample(five));
    plain.dispose();
  }));

test("token ids that are negative, huge or not integers are refused", () =>
  withSampler({ vocabSize: 5 }, (sampler) => {
    for (const id of [-1789744523, -1, 5, 2 ** 31, 2 ** 32, 1.5, NaN, Infinity])
      assert.throws(() => sampler.accept(id), { name: "RangeError", code: "out-of-range" });
    assert.throws(() => sampler.accept(Int32Array.of(0, -1)), { code: "out-of-range" });
    assert.throws(() => sampler.accept(BigInt64Array.of(5n)), { code: "out-of-range" });
    sampler.accept(BigInt64Array.of(1n));
  }));

test("the padding of a vocabulary is neither sampled nor read, whatever it holds", async () => {
  const row = Float32Array.of(...five, 99, NaN, Infinity);
  await withSampler({ vocabSize: 8, tokenCount: 5, logitBias: { 6: 50 }, temperature: 9 }, (sampler) => {
    sampler.accept([5, 6]);
    for (let step = 0; step < 200; step++) assert.ok(sampler.sample(row) < 5);
    assert.ok(sampler.pick(just, row) < 5);
    sampler.set({ temperature: 0 });
    assert.equal(sampler.sample(row), 0);
  });
});

test("u = 0 picks the first token that can be chosen, and u just below 1 the last", () =>
  withSampler({ vocabSize: 7 }, (sampler) => {
    const row = Float32Array.of(-Infinity, 0, 1, -200, 2, 0, webllmMask);
    assert.equal(sampler.pick(0, row), 1);
    assert.equal(sampler.pick(just, row), 5);
    for (const u of [1, -0.1, NaN, "0.5"]) assert.throws(() => sampler.pick(u, row));
  }));

test("a token of probability 0 is never picked", () =>
  withSampler({ vocabSize: 3 }, (sampler) => {
    const row = Float32Array.of(-5000, 0, -5000);
    for (const u of [0, 0.5, just]) assert.equal(sampler.pick(u, row), 1);
  }));

test("seed 0 draws like any other seed", async () => {
  const text = (seed) =>
    withSampler({ vocabSize: 50, seed }, (sampler) =>
      Array.from({ length: 100 }, () => sampler.sample(new Float32Array(50))),
    );
  const zero = await text(0);
  assert.ok(new Set(zero).size > 30);
  assert.notDeepEqual(zero, await text(1));
});

test("a sampler's draws do not depend on other samplers", async () => {
  const row = new Float32Array(50);
  const alone = await withSampler({ vocabSize: 50 }, (sampler) =>
    Array.from({ length: 20 }, () => sampler.sample(row)),
  );
  await withSampler({ vocabSize: 50 }, (sampler) =>
    withSampler({ vocabSize: 50, seed: 2 }, (other) => {
      const beside = alone.map(() => (other.sample(row), sampler.sample(row)));
      assert.deepEqual(beside, alone);
    }),
  );
});

test("masked logits count in no mean, deviation, entropy or fit", async () => {
  const row = normalRow(150, 2);
  const masked = Float32Array.from({ length: 450 }, (_, i) => (i % 3 ? [-Infinity, webllmMask][i % 2] : row[i / 3]));
  for (const options of [
    ...[{ topNSigma: 1 }, { typicalP: 0.4 }, { etaCutoff: 0.02 }, { topH: 0.6 }, { tfsZ: 0.9 }, { minKeep: 149 }],
    ...[{ dynatempRange: 0.7 }, { mirostat: 2, mirostatTau: 2 }, { adaptiveTarget: 0.3 }, { epsilonCutoff: 0.01 }],
  ]) {
    const expected = await distribution(row, options);
    const actual = await distribution(masked, options);
    assert.deepEqual(
      actual.tokens,
      expected.tokens.map((id) => 3 * id),
    );
    near(actual.probabilities, expected.probabilities);
  }
});

test("a probability that underflows to 0 adds nothing to an entropy", async () => {
  const row = Float32Array.of(1, 0.5, 0, -5000, -20000);
  const p = softmax(row.slice(0, 3));
  const entropy = -p.reduce((sum, x) => sum + x * Math.log2(x), 0);
  await withSampler({ vocabSize: 5 }, (sampler) => {
    const { raw } = sampler.information(row);
    near([raw.entropy, raw.choices], [entropy, 2 ** entropy]);
  });
  for (const options of [
    { typicalP: 0.9 },
    { etaCutoff: 0.2 },
    { topH: 0.7 },
    { dynatempRange: 0.5, dynatempExponent: 2 },
  ])
    for (const probability of (await distribution(row, options)).probabilities) assert.ok(probability >= 0);
  assert.deepEqual(await kept(row, { typicalP: 0.999 }), [0, 1, 2]);
});

test("dynamic temperature gives numbers, even with one token left or one certain token", async () => {
  for (const row of [five, Float32Array.of(0, -5000, -5000)])
    for (const topK of [0, 1]) {
      const { probabilities } = await distribution(row, { topK, dynatempRange: 1, order: "llamacpp" });
      near([probabilities.reduce((a, b) => a + b)], [1], 1e-9);
    }
});

test("a clone has its own mirostat limit", () => {
  const row = normalRow(100, 4);
  return withSampler({ vocabSize: 100, mirostat: 2, mirostatTau: 1.5, mirostatEta: 0.5 }, (sampler) => {
    for (let step = 0; step < 9; step++) sampler.sample(row);
    const before = sampler.distribution(row);
    const clone = sampler.clone();
    assert.deepEqual(clone.distribution(row), before);
    for (let step = 0; step < 9; step++) clone.sample(row);
    assert.deepEqual(sampler.distribution(row), before);
    clone.dispose();
  });
});

test("a clone has the counts of the penalties, and knows which tokens leave the window", () =>
  withSampler({ vocabSize: 5, frequencyPenalty: 1, penaltyWindow: 3 }, (sampler) => {
    sampler.accept([0, 0, 1]);
    const clone = sampler.clone();
    for (const next of [2, 3, 4]) {
      assert.deepEqual(clone.trace(five).logits, sampler.trace(five).logits);
      clone.accept(next);
      assert.notDeepEqual(clone.trace(five).logits, sampler.trace(five).logits);
      sampler.accept(next);
    }
    assert.deepEqual([...clone.trace(five).logits], [3, 2, 0, -1, -2]);
    clone.dispose();
  }));

test("a clone has the random stream and the average of adaptive-p", () =>
  withSampler({ vocabSize: 100, adaptiveTarget: 0.2 }, (sampler) => {
    const row = normalRow(100, 5);
    for (let step = 0; step < 9; step++) sampler.sample(row);
    const clone = sampler.clone();
    for (let step = 0; step < 30; step++) assert.equal(clone.sample(row), sampler.sample(row));
    clone.dispose();
  }));

test("XTC that excludes nothing leaves the draws as they are", async () => {
  const text = (options) =>
    withSampler({ vocabSize: 5, ...options }, (sampler) => Array.from({ length: 50 }, () => sampler.sample(five)));
  assert.deepEqual(await text({ xtcProbability: 1, xtcThreshold: 0.6 }), await text({}));
});

test("a grammar that allows everything leaves the draws as they are", async () => {
  const grammar = { bitmask: (into) => into.fill(-1), accept() {}, rollback() {} };
  const text = (options) =>
    withSampler({ vocabSize: 5, ...options }, (sampler) => Array.from({ length: 50 }, () => sampler.sample(five)));
  assert.deepEqual(await text({ grammar }), await text({}));
});

test("tokens of the prompt are penalised only if the scope includes the prompt", async () => {
  const options = { repetitionPenalty: 2, presencePenalty: 1 };
  const look = (given) =>
    withSampler({ vocabSize: 5, ...options, ...given }, (sampler) => {
      sampler.accept(0, { prompt: true });
      return sampler.trace(five).logits[0];
    });
  assert.equal(await look({}), 1.5);
  assert.equal(await look({ repetitionScope: "generated" }), 3);
  assert.equal(await look({ countScope: "context" }), 0.5);
});

test("a repetition penalty counts a token once, however often it came, and lowers negative logits too", () =>
  withSampler({ vocabSize: 5, repetitionPenalty: 2 }, (sampler) => {
    sampler.accept([0, 0, 0, 4, 4, 3]);
    assert.deepEqual([...sampler.trace(five).logits], [1.5, 2, 1, 0, -2]);
  }));

test("information separates log-probabilities before and after processing", () =>
  withSampler({ vocabSize: 5, temperature: 0.5, topK: 2, logitBias: { 1: 0.5 } }, (sampler) => {
    const { raw, processed } = sampler.information(five, { token: 1 });
    near([raw.logprob], [Math.log(softmax(five)[1])]);
    near([processed.logprob], [Math.log(softmax([3, 2.5], 0.5)[1])]);
  }));

test("unknown option names are refused", async () => {
  for (const name of [
    "penalty_freq",
    "penalty_present",
    "penalty_repeat",
    "n_prev",
    "samplers_sequence",
    "temp",
    "num_beams",
  ])
    await assert.rejects(createSampler({ vocabSize: 5, [name]: 1 }), { name: "TypeError", code: "unknown-option" });
});

test("the largest vocabularies keep what a float64 reference keeps", async () => {
  const row = normalRow(262144, 9, 2);
  const order = ranking(row);
  assert.deepEqual(await kept(row, { topK: 40 }), order.slice(0, 40));
  const least = row[order[0]] + Math.log(0.01);
  assert.deepEqual(
    await kept(row, { minP: 0.01 }),
    order.filter((id) => row[id] >= least),
  );
});
