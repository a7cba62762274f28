// What createSampler promises, through the package's public entry.
import assert from "node:assert/strict";
import test from "node:test";
import { LastInchError, createSampler } from "lastinch";
import { distribution, kept, logs, near, withSampler } from "./sampler-tools.js";

const cat = Float32Array.of(6, 5, 4.5, 3.5, 2, 0); // mat sofa floor bed moon banana
const weather = Float32Array.of(3.1, 2.4, 1.9, 1.2, 0.9, 0.4, -0.2, -0.8);
const die = logs(0.6, 0.25, 0.1, 0.05);
const places = logs(0.33, 0.22, 0.14, 0.11, 0.07, 0.055, 0.035, 0.025, 0.01, 0.005);

test("equal logits are equally probable however large they are", async () => {
  for (const size of [0, 1e4, 1e20, -1e20, 3e38]) {
    const row = new Float32Array(40).fill(size);
    assert.deepEqual(await kept(row, { epsilonCutoff: 0.1 }), [0], `${size}`);
    assert.equal((await kept(row, { epsilonCutoff: 0.02 })).length, 40, `${size}`);
    assert.equal((await kept(row, { xtcProbability: 1, xtcThreshold: 0.1 })).length, 40, `${size}`);
    assert.equal((await kept(row, { xtcProbability: 1, xtcThreshold: 0.02 })).length, 1, `${size}`);
    const { stages } = await withSampler({ vocabSize: 40, epsilonCutoff: 0.1 }, (sampler) => sampler.trace(row));
    near([stages.at(-1).threshold], [1 / 40], 1e-6);
  }
});

test("six tokens: logits become the worked example's distribution", async () => {
  const { tokens, probabilities } = await distribution(cat);
  assert.deepEqual(tokens, [0, 1, 2, 3, 4, 5]);
  near(probabilities, [0.590357, 0.21718, 0.131727, 0.048459, 0.010813, 0.001463], 1e-6);
});

test("six tokens: temperatures .5 and 2 sharpen and flatten the distribution", async () => {
  near(
    (await distribution(cat, { temperature: 0.5 })).probabilities,
    [0.838784, 0.113517, 0.041761, 0.005652, 0.000281, 0.000005],
    1e-6,
  );
  near(
    (await distribution(cat, { temperature: 2 })).probabilities,
    [0.392076, 0.237806, 0.185204, 0.112332, 0.053062, 0.01952],
    1e-6,
  );
});

test("six tokens: banana is drawn in 200 rolls at temperature 2 with probability .9806", async () => {
  const { probabilities } = await distribution(cat, { temperature: 2 });
  near([1 - (1 - probabilities[5]) ** 200], [0.9806], 5e-5);
});

test("six tokens: top-k 3, top-p .9 and min-p .1 keep the same three", async () => {
  for (const options of [{ topK: 3 }, { topP: 0.9 }, { minP: 0.1 }]) {
    const { tokens, probabilities } = await distribution(cat, options);
    assert.deepEqual(tokens, [0, 1, 2]);
    near(probabilities, [0.628532, 0.231224, 0.140244], 1e-6);
  }
});

test("six tokens: each truncation works on the renormalised survivors of the truncation before", async () => {
  assert.deepEqual((await distribution(cat, { topK: 3, topP: 0.6 })).tokens, [0]);
  assert.deepEqual((await distribution(cat, { topP: 0.6 })).tokens, [0, 1]);
});

test("six tokens: a repetition penalty of 1.25 on mat makes sofa the leader", async () => {
  const { tokens, probabilities } = await distribution(cat, { repetitionPenalty: 1.25 }, [0]);
  assert.deepEqual(tokens.slice(0, 2), [1, 0]);
  near(probabilities.slice(0, 2), [0.369697, 0.302682], 1e-6);
});

test("softmax is a smooth argmax", async () => {
  near((await distribution(Float32Array.of(5, 4.9, 1))).probabilities, [0.51998, 0.4705, 0.00952]);
  near((await distribution(Float32Array.of(8, 4.9, 1))).probabilities, [0.95606, 0.04307, 0.00087], 2e-5);
});

test("the die of 60, 25, 10 and 5 percent is cut and renormalised", async () => {
  near((await distribution(die, { topP: 0.9 })).probabilities, [0.6316, 0.2632, 0.1053], 5e-5);
  near((await distribution(die, { temperature: 0.5 })).probabilities, [0.8276, 0.1437, 0.023, 0.0057], 5e-5);
});

test("eight weather words keep their ranks at every temperature", async () => {
  for (const temperature of [0.2, 0.7, 2]) {
    const { tokens, probabilities } = await distribution(weather, { temperature });
    assert.deepEqual(tokens, [0, 1, 2, 3, 4, 5, 6, 7]);
    const powers = Array.from(weather, (z) => Math.exp((z - weather[0]) / temperature));
    const total = powers.reduce((a, b) => a + b);
    near(
      probabilities,
      powers.map((power) => power / total),
      1e-12,
    );
  }
});

test("ten places: top-p just above and below .87 keeps 6 and 5", async () => {
  assert.equal((await distribution(places, { topP: 0.87 + 1e-4 })).tokens.length, 6);
  assert.equal((await distribution(places, { topP: 0.87 - 1e-4 })).tokens.length, 5);
  near((await distribution(places, { topP: 0.9 })).probabilities, [0.357, 0.238, 0.151, 0.119, 0.076, 0.059], 5e-4);
});

test("frequency and presence penalties subtract by count, and count only generated tokens", () =>
  withSampler({ vocabSize: 6, frequencyPenalty: 0.5, presencePenalty: 0.25 }, (sampler) => {
    sampler.accept([1, 1, 1], { prompt: true });
    sampler.accept([0, 0]);
    assert.equal(sampler.trace(cat).logits[0], 6 - 2 * 0.5 - 0.25);
    assert.equal(sampler.trace(cat).logits[1], 5);
    sampler.set({ countScope: "context" });
    assert.equal(sampler.trace(cat).logits[1], 5 - 3 * 0.5 - 0.25);
  }));

test("the order of penalties is the system's: llama.cpp penalises repetition first, WebLLM last", async () => {
  const logits = Float32Array.of(1.5, 0, 0);
  const options = { vocabSize: 3, repetitionPenalty: 1.3, frequencyPenalty: 0.5, presencePenalty: 0.4 };
  for (const [order, expected] of [
    ["llamacpp", 1.5 / 1.3 - 1.4],
    ["webllm", (1.5 - 1.4) / 1.3],
  ])
    await withSampler({ ...options, order }, (sampler) => {
      sampler.accept([0, 0]);
      near([sampler.trace(logits).logits[0]], [expected], 1e-6);
    });
});

test("a truncation keeps different tokens before the temperature than after it", async () => {
  const logits = Float32Array.of(3, 2, 1, 0, -1);
  const count = async (options) => (await kept(logits, options)).length;
  assert.equal(await count({ temperature: 0.5, minP: 0.1, order: "llamacpp" }), 3);
  assert.equal(await count({ temperature: 0.5, minP: 0.1 }), 2);
  assert.equal(await count({ temperature: 2, minP: 0.1, order: "llamacpp" }), 3);
  assert.equal(await count({ temperature: 2, minP: 0.1 }), 5);
  assert.equal(await count({ temperature: 0.5, topP: 0.8, order: "llamacpp" }), 2);
  assert.equal(await count({ temperature: 0.5, topP: 0.8 }), 1);
  assert.equal(await count({ temperature: 2, topP: 0.8, order: ["top_p", "temperature"] }), 2);
  assert.equal(await count({ temperature: 2, topP: 0.8 }), 3);
});

test("ties at the k-th place go to the lower ids, or all stay if the system keeps them", async () => {
  const logits = Float32Array.of(1, 2, 2, 2, 0);
  assert.deepEqual((await distribution(logits, { topK: 2 })).tokens, [1, 2]);
  assert.deepEqual((await distribution(logits, { topK: 2, order: "hf" })).tokens, [1, 2, 3]);
});

test("typical keeps tokens of expected surprise, maybe not the likeliest; systems differ on ties and bounds", async () => {
  const four = logs(0.4, 0.2, 0.2, 0.2); // entropy 1.33; surprises .92 and 1.61, so the three are nearer
  assert.deepEqual(await kept(four, { typicalP: 0.3 }), [1, 2]);
  assert.deepEqual(await kept(four, { typicalP: 0.3, order: "hf" }), [1, 2, 3]);
  assert.deepEqual(await kept(four, { typicalP: 0.7 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(four, { typicalP: 0 }), [1]);
  const even = new Float32Array(4);
  assert.deepEqual(await kept(even, { typicalP: 0.5 }), [0, 1]);
  assert.deepEqual(await kept(even, { typicalP: 0.5, order: "llamacpp" }), [0, 1, 2]);
});

test("epsilon cuts at a probability, eta at a lower one if the entropy is high, and the likeliest stays", async () => {
  assert.deepEqual(await kept(places, { epsilonCutoff: 0.1 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(places, { epsilonCutoff: 0.9 }), [0]);
  assert.deepEqual(await kept(die, { epsilonCutoff: 0.3 }), [0]);
  // Entropy 1.033: sqrt(.3) e^-1.033 = .195.
  assert.deepEqual(await kept(die, { etaCutoff: 0.3 }), [0, 1]);
  assert.deepEqual(await kept(Float32Array.of(1, 1, 0), { epsilonCutoff: 0.9 }), [0]);
  assert.deepEqual(await kept(Float32Array.of(1, 1, 0), { epsilonCutoff: 0.9, order: "hf" }), [0, 1]);
});

test("top-n-sigma measures from the largest logit, at any temperature, without masked tokens", async () => {
  for (const temperature of [0.1, 1, 50])
    for (const masked of [[], [-3.4e38, -Infinity]]) {
      const logits = Float32Array.of(3, 2, 1, 0, -1, ...masked); // mean 1, deviation 1.414
      assert.deepEqual(await kept(logits, { topNSigma: 1, temperature }), [0, 1]);
      assert.deepEqual(await kept(logits, { topNSigma: 2, temperature }), [0, 1, 2]);
      assert.deepEqual(await kept(logits, { topNSigma: 1e-9, temperature }), [0]);
    }
});

test("top-h keeps a share of the entropy of the hundred likeliest, and always the first", async () => {
  const halves = logs(0.5, 0.25, 0.125, 0.125); // .5, .5, .375 and .375 bits
  assert.deepEqual(await kept(halves, { topH: 0.2 }), [0]);
  assert.deepEqual(await kept(halves, { topH: 0.4 }), [0]);
  assert.deepEqual(await kept(halves, { topH: 0.6 }), [0, 1]);
  assert.deepEqual(await kept(halves, { topH: 1 }), [0, 1, 2, 3]);
  assert.equal((await kept(new Float32Array(300), { topH: 1 })).length, 100);
});

test("tail-free cuts where the curve has bent enough", async () => {
  const curve = logs(0.3, 0.28, 0.25, 0.1, 0.04, 0.03); // bends .01, .12, .09, .05: running .04, .48, .81, 1
  assert.deepEqual(await kept(curve, { tfsZ: 0.3 }), [0]);
  assert.deepEqual(await kept(curve, { tfsZ: 0.5 }), [0, 1]);
  assert.deepEqual(await kept(curve, { tfsZ: 0.9 }), [0, 1, 2]);
  assert.equal((await kept(new Float32Array(12), { tfsZ: 0.55 })).length, 5);
});

test("top-a cuts at a share of the square of the largest probability", async () => {
  const four = logs(0.5, 0.25, 0.15, 0.1); // the square is .25
  assert.deepEqual(await kept(four, { topA: 0.3 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(four, { topA: 0.5 }), [0, 1, 2]);
  assert.deepEqual(await kept(four, { topA: 0.9 }), [0, 1]);
  assert.deepEqual(await kept(four, { topA: 0.9, minKeep: 3 }), [0, 1, 2]);
});

test("p-less cuts at the probability that two draws agree, or at what exceeds that of equal tokens", async () => {
  const four = logs(0.4, 0.35, 0.15, 0.1); // .315; normalised (4 * .315 - 1) / 3 = .087
  assert.deepEqual(await kept(four, { pLess: false }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(four, { pLess: true }), [0, 1]);
  assert.deepEqual(await kept(four, { pLess: "normalised" }), [0, 1, 2, 3]);
  // Masked tokens count among the equal ones: (8 * .315 - 1) / 7 = .217.
  assert.deepEqual(await kept(Float32Array.of(...four, ...Array(4).fill(-Infinity)), { pLess: "normalised" }), [0, 1]);
  for (const pLess of [true, "normalised"]) assert.equal((await kept(new Float32Array(50), { pLess })).length, 50);
  await assert.rejects(createSampler({ vocabSize: 4, pLess: "normalized" }), {
    name: "RangeError",
    code: "out-of-range",
  });
});

test("entropy equilibrium stops where the entropy of the kept, as a share of its maximum, is below their mass", async () => {
  // The first two: a share of 1, a mass of .8. The first three: .88 and .90.
  const five = logs(0.4, 0.4, 0.101, 0.059, 0.04);
  assert.deepEqual(await kept(five, { entropyEquilibrium: 1 }), [0, 1]);
  assert.deepEqual(await kept(five, { entropyEquilibrium: 1, minKeep: 4 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(logs(0.9, 0.05, 0.05), { entropyEquilibrium: 1 }), [0]);
  assert.equal((await kept(new Float32Array(50), { entropyEquilibrium: 1 })).length, 50);
});

test("smoothing bends logits by the square and the cube of their distance to the largest", async () => {
  const logits = Float32Array.of(5, 4.5, 4, 2);
  const bent = (values, temperature = 1) => {
    const weights = values.map((value) => Math.exp(value / temperature));
    const total = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / total);
  };
  const smoothed = async (options) => (await distribution(logits, options)).probabilities;
  near(await smoothed({ smoothingFactor: 0.5 }), bent([0, -0.125, -0.5, -4.5]), 1e-6);
  near(await smoothed({ smoothingFactor: 0.5, smoothingCurve: 3 }), bent([0, -0.0625, -0.5, -13.5]), 1e-6);
  // The temperature before it divides the distance.
  near(await smoothed({ smoothingFactor: 0.5, temperature: 0.5 }), bent([0, -0.5, -2, -18]), 1e-6);
  const order = ["smoothing", "temperature"];
  near(await smoothed({ smoothingFactor: 0.5, temperature: 0.5, order }), bent([0, -0.125, -0.5, -4.5], 0.5), 1e-6);
  // Typical orders tokens by other keys, and gives the bent logits back.
  const before = { smoothingFactor: 0.5, typicalP: 0.999999, order: ["smoothing", "typical"] };
  near(await smoothed(before), bent([0, -0.125, -0.5, -4.5]), 1e-6);
  assert.deepEqual(await kept(logits, { smoothingFactor: 0.5, topNSigma: 0.5, order: ["smoothing", "top_n_sigma"] }), [
    ...[0, 1, 2],
  ]);
});

test("XTC excludes all top choices but the last, and later stages see the new leader", async () => {
  const xtc = { xtcProbability: 1, xtcThreshold: 0.09 };
  const { tokens, probabilities } = await distribution(die, xtc);
  assert.deepEqual(tokens, [2, 3]);
  near(probabilities, [2 / 3, 1 / 3]);
  assert.deepEqual(await kept(die, { ...xtc, xtcThreshold: 0.3 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(die, { ...xtc, xtcThreshold: 0.51 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(die, { ...xtc, minKeep: 2 }), [2, 3]);
  assert.deepEqual(await kept(die, { ...xtc, minKeep: 3 }), [0, 1, 2, 3]);
  assert.deepEqual(await kept(die, { ...xtc, temperature: 0 }), [0]);
  const order = ["xtc", "min_p", "top_p", "temperature"];
  assert.deepEqual(await kept(die, { ...xtc, minP: 0.4, order }), [2, 3]);
  assert.deepEqual(await kept(die, { ...xtc, minP: 0.6, order }), [2]);
  assert.deepEqual(await kept(die, { ...xtc, topP: 0.6, order }), [2]);
  await withSampler({ vocabSize: 4, ...xtc }, (sampler) => {
    const { stages, removedBy } = sampler.trace(die);
    assert.deepEqual([...removedBy], [1, 1, 255, 255]);
    near([stages[1].threshold, stages[1].mass], [0.09, 0.15], 1e-6);
  });
});

test("XTC draws for every token, on its own stream, and distribution does not draw", () =>
  withSampler({ vocabSize: 4, xtcProbability: 0.5, xtcThreshold: 0.2, seed: 4 }, (sampler) => {
    const replay = sampler.clone();
    const excluded = [];
    for (let step = 0; step < 400; step++) {
      const { tokens } = sampler.distribution(die);
      assert.deepEqual(sampler.trace(die).kept, tokens);
      const token = sampler.sample(die);
      assert.ok(tokens.includes(token));
      assert.equal(replay.sample(die), token);
      excluded.push(!tokens.includes(0));
    }
    const count = excluded.filter(Boolean).length;
    assert.ok(count > 150 && count < 250, `${count} of 400`);
    replay.dispose();
  }));

test("dynamic temperature follows the entropy of the survivors", async () => {
  const logits = logs(0.9, 0.1);
  const share = -(0.9 * Math.log(0.9) + 0.1 * Math.log(0.1)) / Math.LN2; // .469
  const expected = (temperature) => {
    const powers = [0.9 ** (1 / temperature), 0.1 ** (1 / temperature)];
    return powers.map((power) => power / (powers[0] + powers[1]));
  };
  const at = async (options) => (await distribution(logits, { dynatempRange: 0.5, ...options })).probabilities;
  near(await at({}), expected(0.5 + share));
  near(await at({ dynatempExponent: 2 }), expected(0.5 + share ** 2));
  near(await at({ dynatempRange: 2 }), expected(3 * share));
  near(await at({ dynatempExponent: 0 }), expected(1.5));
  near(await at({ temperature: 2 }), expected(1.5 + share));
  near((await distribution(new Float32Array(3), { dynatempRange: 1 })).probabilities, [1 / 3, 1 / 3, 1 / 3]);
  await withSampler({ vocabSize: 2, dynatempRange: 0.5 }, (sampler) =>
    near([...sampler.trace(logits).probabilities], expected(0.5 + share)),
  );
});

test("minKeep holds for every truncation by probability", async () => {
  for (const options of [
    { topP: 0.1 },
    { minP: 0.9 },
    { typicalP: 0.05 },
    { epsilonCutoff: 0.9 },
    { etaCutoff: 0.9 },
    { topH: 0.01 },
    { tfsZ: 0 },
  ]) {
    assert.equal((await kept(places, { ...options, minKeep: 3 })).length, 3, JSON.stringify(options));
    assert.equal((await kept(places, { ...options, minKeep: 99 })).length, 10, JSON.stringify(options));
    assert.ok((await kept(places, options)).length < 3, JSON.stringify(options));
  }
});

test("the presets run the truncations in the order of their systems", async () => {
  const names = async (options) =>
    withSampler({ vocabSize: 10, minKeep: 10, temperature: 2, topK: 9, topP: 0.9, ...options }, (sampler) =>
      sampler
        .trace(places)
        .stages.slice(1)
        .map(({ name }) => name)
        .join(" "),
    );
  const xtc = { xtcProbability: 1, xtcThreshold: 0.01 };
  assert.equal(
    await names({ order: "llamacpp", minP: 0.1, typicalP: 0.9, topNSigma: 1, ...xtc }),
    "top_n_sigma top_k typical top_p min_p xtc temperature",
  );
  assert.equal(
    await names({ order: "hf", minP: 0.1, typicalP: 0.9, epsilonCutoff: 0.1, etaCutoff: 0.1, topH: 0.9 }),
    "temperature top_h top_k top_p min_p typical epsilon eta",
  );
  assert.equal(
    await names({
      ...{ minP: 0.1, typicalP: 0.9, epsilonCutoff: 0.1, etaCutoff: 0.1, topNSigma: 1, topH: 0.9, tfsZ: 0.9 },
      ...xtc,
    }),
    "temperature top_k top_p min_p typical epsilon eta top_n_sigma top_h tfs xtc",
  );
});

test("temperature 0 is one token with probability 1, the lowest id on a tie", async () => {
  assert.deepEqual(await distribution(Float32Array.of(1, 5, 5, 2), { temperature: 0, topP: 0.5 }), {
    tokens: [1],
    probabilities: [1],
  });
});

test("the same seed gives the same tokens and another seed others; a random seed can be read", async () => {
  const run = (options) =>
    withSampler({ vocabSize: 6, ...options }, (sampler) =>
      Array.from({ length: 40 }, () => sampler.sample(cat)).join(),
    );
  assert.equal(await run({ seed: 0 }), await run({ seed: 0 }));
  assert.notEqual(await run({ seed: 0 }), await run({ seed: 2 ** 53 - 1 }));
  const drawn = await createSampler({ vocabSize: 6 });
  assert.ok(Number.isSafeInteger(drawn.seed));
  assert.equal(Array.from({ length: 40 }, () => drawn.sample(cat)).join(), await run({ seed: drawn.seed }));
  drawn.dispose();
});

test("snapshot and restore replay exactly, options included; a clone continues independently", () =>
  withSampler({ vocabSize: 6, presencePenalty: 0.3, temperature: 1.5 }, (sampler) => {
    const tokens = (from, count) => Array.from({ length: count }, () => from.sample(cat)).join();
    sampler.accept([3, 4], { prompt: true });
    tokens(sampler, 10);
    const snapshot = sampler.snapshot();
    const clone = sampler.clone();
    const first = tokens(sampler, 50);
    assert.equal(tokens(clone, 50), first);
    sampler.set({ temperature: 0.1, seed: 99, logitBias: { 2: 5 } });
    assert.notEqual(tokens(sampler, 50), first);
    sampler.restore(snapshot);
    assert.equal(sampler.seed, 1);
    assert.equal(tokens(sampler, 50), first);
    clone.dispose();
    sampler.restore(snapshot);
    assert.equal(tokens(sampler, 50), first);
    assert.throws(() => sampler.restore({ ...snapshot, state: snapshot.state.slice(1) }), { code: "bad-state" });
    assert.throws(() => sampler.restore(undefined), { code: "bad-state" });
  }));

test("float16 bits, the sampler's own row and a Float32Array give the same result", () =>
  withSampler({ vocabSize: 6 }, (sampler) => {
    const halves = Uint16Array.of(0x4600, 0x4500, 0x4480, 0x4300, 0x4000, 0x0000);
    const expected = sampler.distribution(cat);
    assert.deepEqual(sampler.distribution(halves), expected);
    sampler.logits.set(cat);
    assert.deepEqual(sampler.distribution(), expected);
    assert.deepEqual(sampler.distribution(sampler.logits), expected);
  }));

test("the caller's logits keep every bit", () =>
  withSampler(
    { vocabSize: 6, repetitionPenalty: 1.3, logitBias: { 0: -Infinity, 1: 0.1 }, bannedTokens: [4] },
    (sampler) => {
      sampler.accept([0, 1, 2, 3]);
      const logits = cat.slice();
      sampler.logits.set(cat);
      for (const use of ["sample", "distribution", "trace"]) {
        sampler[use](logits);
        sampler[use]();
        assert.deepEqual(logits, cat);
        assert.deepEqual(sampler.logits, cat);
      }
    },
  ));

test("bans, bias, allowed tokens and padding decide what can be chosen", async () => {
  assert.deepEqual((await distribution(cat, { bannedTokens: [0], logitBias: { 5: 10 } })).tokens, [5, 1, 2, 3, 4]);
  assert.deepEqual((await distribution(cat, { logitBias: new Map([[0, -Infinity]]) })).tokens, [1, 2, 3, 4, 5]);
  assert.deepEqual((await distribution(cat, { logitBias: [[1, 2]] })).tokens[0], 1);
  assert.deepEqual((await distribution(cat, { allowedTokens: Uint32Array.of(4, 2) })).tokens, [2, 4]);
  assert.deepEqual((await distribution(cat, { tokenCount: 4 })).tokens, [0, 1, 2, 3]);
});

test("neither bias nor penalty restores a token that the engine masked", async () => {
  const logits = Float32Array.of(1, -3.4e38, -Infinity, 0);
  const options = { logitBias: { 1: 1e9, 2: 100 }, repetitionPenalty: 0.001 };
  assert.deepEqual((await distribution(logits, options, [1, 2])).tokens, [0, 3]);
});

test("a trace says which stage removed each token", () =>
  withSampler({ vocabSize: 6, tokenCount: 5, bannedTokens: [4], topK: 3, minP: 0.3 }, (sampler) => {
    const trace = sampler.trace(cat);
    assert.deepEqual(
      trace.stages.map(({ name, before, after }) => [name, before, after]),
      [
        ["mask", 6, 5],
        ["bias", 5, 4],
        ["top_k", 4, 3],
        ["min_p", 3, 2],
      ],
    );
    assert.deepEqual([...trace.removedBy], [255, 255, 3, 2, 1, 0]);
    assert.deepEqual([...trace.kept], [0, 1]);
    near([trace.stages[3].threshold], [0.3 * 0.628532], 1e-6);
    near([trace.stages[3].mass], [0.628532 + 0.231224], 2e-6);
    assert.equal(trace.stages[0].threshold, null);
    near([trace.probabilities.reduce((a, b) => a + b)], [1], 1e-12);
    assert.equal(trace.logits[4], -Infinity);
  }));

test("unknown options, wrong types and values out of range are refused with the reason", async () => {
  const refused = async (options, name, code, message) =>
    assert.rejects(createSampler({ vocabSize: 6, ...options }), { name, code, message });
  await refused({ topk: 3 }, "TypeError", "unknown-option", /topK/);
  await refused({ nonsense: 1 }, "TypeError", "unknown-option", /temperature/);
  await refused({ topP: 1.5 }, "RangeError", "out-of-range", /from 0 to 1/);
  await refused({ topK: 1.5 }, "RangeError", "out-of-range", /topK/);
  await refused({ temperature: -1 }, "RangeError", "out-of-range", /from 0/);
  await refused({ temperature: NaN }, "RangeError", "out-of-range", /NaN/);
  await refused({ temperature: "1" }, "TypeError", "bad-type", /temperature/);
  await refused({ seed: 2 ** 53 }, "RangeError", "out-of-range", /seed/);
  await refused({ vocabSize: undefined }, "TypeError", "bad-type", /vocabSize/);
  await refused({ tokenCount: 7 }, "RangeError", "out-of-range", /vocabSize/);
  await refused({ logitBias: { 6: 1 } }, "RangeError", "out-of-range", /token 6/);
  await refused({ logitBias: { 1: Infinity } }, "RangeError", "out-of-range", /Infinity/);
  for (const key of ["x", "", " 1", "1 ", "1e0", "0x1", "01", "+1", "1.0", "-0"])
    await refused(
      { logitBias: { [key]: 1 } },
      "RangeError",
      "out-of-range",
      new RegExp(`token ${key.replace("+", "\\+")};`),
    );
  await refused({ bannedTokens: [-1] }, "RangeError", "out-of-range", /token -1/);
  await refused({ allowedTokens: [] }, "RangeError", "out-of-range", /empty/);
  await refused({ topK: 3, top_k: 4 }, "TypeError", "conflict", /top_?k/i);
  await refused({ order: "ollama" }, "RangeError", "out-of-range", /llamacpp/);
  await refused({ order: ["top_q"] }, "RangeError", "out-of-range", /top_p/);
  await refused({ order: ["temperature", "repetition"] }, "RangeError", "bad-order", /come first/);
  await refused({ typicalP: -0.1 }, "RangeError", "out-of-range", /typicalP/);
  await refused({ topNSigma: -1 }, "RangeError", "out-of-range", /from 0/);
  await refused({ minKeep: 0 }, "RangeError", "out-of-range", /from 1/);
  await refused({ dynatempRange: 1, temperature: 0 }, "RangeError", "conflict", /dynatempRange/);
  await refused({ order: "llamacpp", topH: 0.5 }, "RangeError", "conflict", /"top_h"/);
  await refused({ order: "hf", xtcProbability: 0.5 }, "RangeError", "conflict", /"xtc"/);
  await refused({ order: "vllm", typicalP: 0.5 }, "RangeError", "conflict", /typicalP/);
  await refused({ order: "webllm", minP: 0.1 }, "RangeError", "conflict", /minP/);
  await refused({ repetitionScope: "all" }, "RangeError", "out-of-range", /generated/);
  await assert.rejects(createSampler(), { name: "TypeError", code: "bad-type" });
});

test("other systems' spellings are accepted", async () => {
  const options = {
    top_k: 3,
    top_p: 0.99,
    min_p: 0.01,
    repetition_penalty: 1.1,
    penalty_window: 8,
    suppress_tokens: [5],
    typ_p: 0.999,
    eta_cutoff: 1e-6,
    min_tokens_to_keep: 2,
    vocab_size: 6,
  };
  await withSampler(options, (sampler) => {
    assert.equal(sampler.distribution(cat).tokens.length, 3);
    sampler.set({ top_k: 2 });
    assert.equal(sampler.distribution(cat).tokens.length, 2);
  });
});

test("broken logits are errors with a code, never token 0", () =>
  withSampler({ vocabSize: 3 }, (sampler) => {
    for (const temperature of [0, 1]) {
      sampler.set({ temperature });
      const failing = (logits, code) =>
        assert.throws(
          () => sampler.sample(logits),
          (error) => error instanceof LastInchError && error.code === code,
        );
      failing(Float32Array.of(1, NaN, 2), "logits-nan");
      failing(Float32Array.of(1, Infinity, 2), "logits-infinite");
      failing(Float32Array.of(-Infinity, -3.4e38, -Infinity), "nothing-left");
    }
    assert.throws(() => sampler.sample(new Float32Array(4)), { name: "RangeError", code: "wrong-length" });
    assert.throws(() => sampler.sample([1, 2, 3]), { name: "TypeError", code: "bad-type" });
    assert.throws(() => sampler.accept(3), { name: "RangeError", code: "out-of-range" });
    assert.throws(() => sampler.pick(1, new Float32Array(3)), { name: "RangeError", code: "out-of-range" });
    assert.throws(() => sampler.set({ vocabSize: 4 }), { name: "RangeError", code: "out-of-range" });
  }));

test("a refused set changes nothing", () =>
  withSampler({ vocabSize: 6, topK: 2 }, (sampler) => {
    assert.throws(() => sampler.set({ topK: 4, topP: 7 }), RangeError);
    assert.throws(() => sampler.set({ logitBias: { 0: -Infinity }, order: "webllm" }), RangeError);
    assert.deepEqual([...sampler.distribution(cat).tokens], [0, 1]);
  }));

test("use after dispose throws, but disposing twice does not", async () => {
  const sampler = await createSampler({ vocabSize: 6 });
  const snapshot = sampler.snapshot();
  sampler.dispose();
  sampler.dispose();
  for (const use of ["sample", "distribution", "trace", "snapshot", "reset", "clone"])
    assert.throws(() => sampler[use](cat), { code: "disposed" });
  for (const use of [
    () => sampler.accept(1),
    () => sampler.set({ topK: 1 }),
    () => sampler.restore(snapshot),
    () => sampler.pick(0.5, cat),
    () => sampler.logits,
    () => sampler.seed,
    () => sampler.vocabSize,
    () => sampler.lastProbability,
  ])
    assert.throws(use, { code: "disposed" });
});

test("a given row leaves the sampler's own row unchanged", () =>
  withSampler({ vocabSize: 6, temperature: 0 }, (sampler) => {
    sampler.logits.set(cat);
    const other = cat.toReversed();
    const halves = Uint16Array.of(0, 0, 0, 0, 0x4000, 0);
    for (const use of [
      () => sampler.distribution(other),
      () => sampler.trace(halves),
      () => sampler.pick(0.5, other),
      () => sampler.sample(halves),
    ]) {
      use();
      assert.deepEqual(sampler.logits, cat);
      assert.equal(sampler.sample(), 0);
    }
  }));

test("later changes to the caller's lists have no effect", () => {
  const bannedTokens = [5];
  const logitBias = { 1: 2 };
  const order = ["bias", "temperature"];
  return withSampler({ vocabSize: 6, bannedTokens, logitBias, order }, (sampler) => {
    const before = sampler.distribution(cat);
    bannedTokens.push(0);
    logitBias[99] = 1;
    order.push("nonsense");
    sampler.set({ seed: 3 });
    assert.deepEqual(sampler.distribution(cat), before);
  });
});

test("set restores the default of an option that is undefined", () =>
  withSampler({ vocabSize: 6, allowedTokens: [1, 2], topK: 1 }, (sampler) => {
    sampler.set({ allowedTokens: undefined });
    assert.deepEqual([...sampler.distribution(cat).tokens], [0]);
    sampler.set({ top_k: undefined, bannedTokens: [] });
    assert.equal(sampler.distribution(cat).tokens.length, 6);
  }));

test("an option without its stage is refused unless it does nothing", async () => {
  const only = (options) => createSampler({ vocabSize: 6, order: ["top_k"], ...options });
  for (const options of [{ bannedTokens: [] }, { logitBias: {} }, { topP: 1 }, { penaltyWindow: "preset" }])
    (await only(options)).dispose();
  for (const options of [{ bannedTokens: [1] }, { penaltyWindow: 5 }, { countScope: "context" }, { temperature: 0 }])
    await assert.rejects(only(options), { code: "conflict" });
});

test("accept refuses unknown options and arguments that are not tokens", () =>
  withSampler({ vocabSize: 6 }, (sampler) => {
    for (const tokens of [{}, true, null, undefined, 5n, "1"])
      assert.throws(() => sampler.accept(tokens), { name: "TypeError", code: "bad-type" });
    assert.throws(() => sampler.accept(1, { promt: true }), { name: "TypeError", code: "unknown-option" });
    assert.throws(() => sampler.accept(1, { prompt: "no" }), { name: "TypeError", code: "bad-type" });
    assert.throws(() => sampler.accept(1, null), { name: "TypeError", code: "bad-type" });
  }));

test("a refused snapshot leaves options and history unchanged", () =>
  withSampler({ vocabSize: 6, presencePenalty: 1 }, (sampler) => {
    sampler.accept([0, 1]);
    const other = sampler.snapshot();
    sampler.set({ temperature: 0.5 });
    const before = sampler.distribution(cat);
    const state = other.state.slice();
    state[0] ^= 1;
    assert.throws(() => sampler.restore({ options: other.options, state }), { code: "bad-state" });
    assert.deepEqual(sampler.distribution(cat), before);
  }));

test("samplers disposed in any order free their memory", async () => {
  const vocabSize = 50000;
  const open = async (seed) => createSampler({ vocabSize, seed, presencePenalty: 1 });
  const touch = (sampler) => (sampler.logits.fill(1), sampler.sample(), sampler.trace());
  const sizes = [];
  for (let round = 0; round < 6; round++) {
    const samplers = await Promise.all([1, 2, 3, 4].map(open));
    samplers.forEach(touch);
    sizes.push(samplers[0].logits.buffer.byteLength);
    for (const i of [2, 0, 3, 1]) samplers[i].dispose();
  }
  assert.equal(sizes.at(-1), sizes[1]);
});

test("draws follow the distribution, and a given u picks by ascending id", () =>
  withSampler({ vocabSize: 6, seed: 3 }, (sampler) => {
    const seen = new Array(6).fill(0);
    const draws = 100000;
    for (let i = 0; i < draws; i++) seen[sampler.sample(cat)]++;
    const { tokens, probabilities } = sampler.distribution(cat);
    const chiSquare = tokens.reduce(
      (sum, token, i) => sum + (seen[token] - draws * probabilities[i]) ** 2 / (draws * probabilities[i]),
      0,
    );
    assert.ok(chiSquare < 20.5, `chi-square ${chiSquare}`); // 5 degrees of freedom, p = .001
    let sum = 0;
    for (let i = 0; i < 6; i++) {
      sum += probabilities[i];
      assert.equal(sampler.pick(Math.max(0, sum - 1e-4), cat), i);
      if (i < 5) assert.equal(sampler.pick(sum + 1e-4, cat), i + 1);
    }
  }));
