// Properties of every row of logits and every setting, on rows and settings from fast-check.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createSampler } from "lastinch";
import { distribution, near, normalRow, uniforms, widen, withSampler } from "./sampler-tools.js";

fc.configureGlobal({ seed: 20261, numRuns: 250 });

const real = (min, max) => fc.double({ min, max, noNaN: true });
const each = (...args) => fc.assert(fc.asyncProperty(...args));

// Logits are multiples of 1/16, so sums with such constants are exact and small rows are full of ties.
const sixteenth = fc.integer({ min: -300, max: 300 }).map((n) => n / 16);
const smallRow = fc.array(sixteenth, { minLength: 1, maxLength: 40 }).map((logits) => Float32Array.from(logits));
const largeRow = fc
  .record({ size: fc.integer({ min: 2000, max: 4000 }), seed: fc.nat(), deviation: real(0.1, 5) })
  .map(({ size, seed, deviation }) => normalRow(size, seed, deviation).map((z) => Math.round(16 * z) / 16));
const row = fc.oneof({ weight: 6, arbitrary: smallRow }, { weight: 1, arbitrary: largeRow });

const distinctRow = fc.oneof(
  { weight: 6, arbitrary: fc.uniqueArray(sixteenth, { minLength: 1, maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ size: fc.integer({ min: 2000, max: 4000 }), seed: fc.nat() })
      .map(({ size, seed }) => shuffled(size, seed).map((rank) => rank / 256)),
  },
);

/** 0 .. size - 1 in some order. */
function shuffled(size, seed) {
  const next = uniforms(seed);
  const keys = Array.from({ length: size }, next);
  return keys.map((_, i) => i).sort((a, b) => keys[a] - keys[b]);
}

// Not so close to 0 or 1 that single precision decides.
const share = real(0.001, 0.999);
const temperature = real(0.05, 20);

// Every truncation, with its values from those that keep the fewest tokens to those that keep the most.
const truncations = {
  topK: fc.integer({ min: 1, max: 60 }),
  topP: share,
  typicalP: share,
  tfsZ: share,
  topNSigma: real(0.01, 5),
  topH: real(0.01, 1),
  minP: share.map((p) => 1 - p),
  topA: share.map((p) => 1 - p),
  epsilonCutoff: share.map((p) => 1 - p),
  etaCutoff: share.map((p) => 1 - p),
};
const strictness = { minP: -1, topA: -1, epsilonCutoff: -1, etaCutoff: -1 };
const sometimes = (record) => fc.record(record, { requiredKeys: [] });
const anyTruncations = sometimes({ ...truncations, temperature, minKeep: fc.integer({ min: 1, max: 5 }) });

test("permuting the vocabulary permutes the result", () => {
  const anyPenalties = sometimes({
    repetitionPenalty: real(0.71, 1.39),
    frequencyPenalty: real(-1.03, 1.07),
    presencePenalty: real(-1.03, 1.07),
    noRepeatNgram: fc.constant(2),
  });
  return each(
    distinctRow,
    fc.nat(),
    anyTruncations,
    anyPenalties,
    fc.array(fc.nat(), { maxLength: 8 }),
    async (logits, seed, options, penalties, history) => {
      const at = shuffled(logits.length, seed);
      const permuted = new Float32Array(logits.length);
      at.forEach((to, from) => (permuted[to] = logits[from]));
      const ids = history.map((id) => id % logits.length);
      // In a small vocabulary every token may be banned.
      const run = (input, output) =>
        distribution(input, { ...options, ...penalties }, output).catch(({ code }) => code);
      const expected = await run(Float32Array.from(logits), ids);
      const actual = await run(
        permuted,
        ids.map((id) => at[id]),
      );
      if (typeof expected === "string") return assert.equal(actual, expected);
      assert.deepEqual(
        actual.tokens,
        expected.tokens.map((id) => at[id]),
      );
      near(actual.probabilities, expected.probabilities, 1e-9);
    },
  );
});

test("probabilities sum to 1, most probable first, ties by lower id", () =>
  each(row, anyTruncations, async (logits, options) => {
    const { tokens, probabilities } = await distribution(logits, options);
    near([probabilities.reduce((a, b) => a + b)], [1], 1e-9);
    for (let i = 1; i < tokens.length; i++) {
      assert.ok(probabilities[i] <= probabilities[i - 1]);
      if (logits[tokens[i]] === logits[tokens[i - 1]]) assert.ok(tokens[i] > tokens[i - 1]);
    }
  }));

test("adding a constant to all logits changes nothing without penalties", () =>
  each(row, fc.integer({ min: -8000, max: 8000 }), anyTruncations, async (logits, constant, options) => {
    const moved = logits.map((z) => z + constant / 16);
    const expected = await distribution(logits, options);
    const actual = await distribution(moved, options);
    assert.deepEqual(actual.tokens, expected.tokens);
    near(actual.probabilities, expected.probabilities, 1e-9);
  }));

test("temperature keeps the ranks", () =>
  each(row, temperature, sometimes({ dynatempRange: real(0.1, 5) }), async (logits, heat, dynamic) =>
    assert.deepEqual(
      (await distribution(logits, { temperature: heat, ...dynamic })).tokens,
      (await distribution(logits)).tokens,
    ),
  ));

test("the likeliest token survives every truncation but typical, XTC and adaptive-p", () => {
  const { typicalP, ...others } = truncations;
  assert.ok(typicalP);
  const mirostat = fc.record({ mirostat: fc.constantFrom(1, 2), mirostatTau: real(0, 10) });
  return each(row, fc.oneof(sometimes({ ...others, temperature }), mirostat), async (logits, options) =>
    assert.equal((await distribution(logits, options)).tokens[0], logits.indexOf(Math.max(...logits))),
  );
});

for (const [name, values] of Object.entries({
  ...truncations,
  "mirostatTau of mirostat 1": real(0, 10),
  "mirostatTau of mirostat 2": real(0, 10),
  "xtcThreshold of XTC": share,
  "minKeep of top-p": fc.integer({ min: 1, max: 50 }),
}))
  test(`a stricter ${name} never keeps a token that a laxer one removes`, () => {
    const [option, , mechanism] = name.split(" ");
    const others = {
      mirostat: { mirostat: Number(name.at(-1)) },
      XTC: { xtcProbability: 1 },
      "top-p": { topP: 0.1 },
    }[mechanism];
    return fc.assert(
      fc.asyncProperty(row, fc.tuple(values, values), temperature, async (logits, pair, heat) => {
        const [low, high] = pair.sort((a, b) => a - b);
        const [strict, loose] = strictness[option] === -1 ? [high, low] : [low, high];
        const keep = async (value) =>
          (await distribution(logits, { temperature: heat, ...others, [option]: value })).tokens;
        const wide = new Set(await keep(loose));
        for (const token of await keep(strict)) assert.ok(wide.has(token), `${token} is kept by ${strict} only`);
      }),
      { numRuns: 100 },
    );
  });

test("extreme logits and settings give a distribution, and tokens from it", () => {
  const extreme = fc.oneof(
    real(-10, 10),
    fc.constantFrom(0, -0, 1e-45, -1e-38, 88.8, -104, 1e4, -1e4, 1e29, -9e29, 3e38, -3.4e38, -Infinity),
  );
  const edge = fc.constantFrom(0, 1e-300, 1e-9, 1e-7, 1e-6, 0.5, 1 - 1e-7, 1 - 2 ** -53, 1);
  const options = sometimes({
    ...{ topP: edge, minP: edge, typicalP: edge, epsilonCutoff: edge, etaCutoff: edge, topH: edge, tfsZ: edge },
    ...{ xtcProbability: edge, xtcThreshold: edge, dynatempRange: fc.constantFrom(1e-9, 0.3, 1e6) },
    ...{ topK: fc.constantFrom(1, 2, 2 ** 32 - 1), topNSigma: fc.constantFrom(1e-300, 1e-9, 1, 1000) },
    ...{ temperature: fc.constantFrom(1e-300, 1e-30, 1e-6, 1e-3, 1e3, 1e6), adaptiveTarget: fc.constantFrom(0, 1) },
    ...{ topA: edge, pLess: fc.constantFrom(true, "normalised"), entropyEquilibrium: fc.constant(1) },
    ...{ smoothingFactor: fc.constantFrom(1e-300, 1, 100), smoothingCurve: fc.constantFrom(1, 2, 3) },
    ...{ minKeep: fc.constantFrom(2, 1048576), draw: fc.constant("gumbel"), dynatempExponent: fc.constantFrom(0, 100) },
  });
  return each(fc.array(extreme, { maxLength: 40 }), options, (values, given) => {
    const logits = Float32Array.from([1, ...values]);
    return withSampler({ vocabSize: logits.length, ...given }, (sampler) => {
      const { tokens, probabilities } = sampler.distribution(logits);
      near([probabilities.reduce((a, b) => a + b)], [1], 1e-9);
      assert.ok(probabilities.every((p) => p >= 0));
      for (const token of [sampler.pick(0, logits), sampler.pick(1 - 2 ** -53, logits), sampler.sample(logits)])
        assert.ok(probabilities[tokens.indexOf(token)] > 0, `token ${token} has probability 0`);
      assert.ok(sampler.lastProbability > 0 && sampler.lastProbability <= 1 + 1e-9);
      const { raw, processed } = sampler.information(logits, { top: 1 });
      for (const { entropy, choices } of [raw, processed]) assert.ok(entropy >= -1e-9 && choices >= 1 - 1e-9);
    });
  });
});

test("a trace, the distribution and the information agree", () =>
  each(row, anyTruncations, fc.nat(), (logits, options, at) =>
    withSampler({ vocabSize: logits.length, ...options, bannedTokens: logits.length > 1 ? [0] : [] }, (sampler) => {
      const { tokens, probabilities } = sampler.distribution(logits);
      const { kept, removedBy, stages } = sampler.trace(logits);
      assert.deepEqual(kept, tokens);
      const removed = stages.map((_, stage) => removedBy.filter((by) => by === stage).length);
      for (const [i, { before, after }] of stages.entries()) {
        assert.equal(removed[i], before - after);
        assert.equal(before, i ? stages[i - 1].after : logits.length);
      }
      assert.ok(tokens.every((token) => removedBy[token] === 255));
      assert.equal(stages.at(-1).after, tokens.length);
      const rank = at % tokens.length;
      const { processed } = sampler.information(logits, { token: tokens[rank], top: Math.min(5, logits.length) });
      assert.deepEqual([processed.rank, processed.survivors], [rank + 1, tokens.length]);
      near([Math.exp(processed.logprob)], [probabilities[rank]]);
      assert.deepEqual(
        processed.top.map(({ token }) => token),
        [...tokens.slice(0, 5)],
      );
    }),
  ));

test("set makes the sampler that createSampler would have made", () => {
  const orders = fc.constantFrom("default", "llamacpp", "hf", "vllm", "webllm", ["frequency", "top_p"]);
  const options = sometimes({
    ...{
      ...truncations,
      temperature,
      order: orders,
      logitBias: fc.constant({ 0: -2 }),
      bannedTokens: fc.constant([1]),
    },
    ...{ allowedTokens: fc.constant([0, 1, 2]), frequencyPenalty: real(0.1, 1), repetitionPenalty: real(1.1, 2) },
    ...{ penaltyWindow: fc.nat(4), countScope: fc.constant("context"), badWords: fc.constant([[2]]) },
    ...{ dryMultiplier: real(0.1, 1), noRepeatNgram: fc.constant(2), tokenCount: fc.constant(5) },
  });
  return each(
    options,
    options,
    fc.array(fc.nat(5), { maxLength: 12 }),
    fc.nat(9),
    async (before, after, history, cut) => {
      const logits = normalRow(6, 3);
      const run = (sampler) => [sampler.distribution(logits), sampler.sample(logits), sampler.trace(logits)];
      const fill = (sampler, from, to) => {
        sampler.accept(history.slice(from, to).slice(0, 2), { prompt: true });
        sampler.accept(history.slice(from, to).slice(2));
      };
      const attempt = async (use) => use().catch(({ code }) => code);
      const expected = await attempt(() =>
        withSampler({ vocabSize: 6, ...after }, (sampler) => {
          fill(sampler, 0, cut);
          fill(sampler, cut);
          return run(sampler);
        }),
      );
      const undone = Object.fromEntries(Object.keys(before).map((name) => [name, undefined]));
      const sampler = await createSampler({ vocabSize: 6, seed: 1, ...before }).catch(() => undefined);
      if (!sampler) return;
      fill(sampler, 0, cut);
      const actual = await attempt(async () => {
        sampler.set({ ...undone, ...after });
        fill(sampler, cut);
        return run(sampler);
      });
      sampler.dispose();
      assert.deepEqual(actual, expected);
    },
  );
});

test("the input is unchanged after every method", () => {
  const options = {
    ...{ repetitionPenalty: 1.3, frequencyPenalty: 0.2, presencePenalty: 0.1, penaltyWindow: 5, dryMultiplier: 1 },
    ...{ noRepeatNgram: 3, logitBias: { 0: 0.7 }, bannedTokens: [1], sequenceBias: [[[0, 2], -1]], badWords: [[2, 3]] },
    ...{ eos: [4], minTokens: 2, lengthDecay: 1.1, topP: 0.9, xtcProbability: 0.5, adaptiveTarget: 0.3 },
  };
  return each(
    fc.array(fc.integer({ min: 0, max: 0x7bff }), { minLength: 6, maxLength: 60 }),
    fc.array(fc.nat(5), { maxLength: 12 }),
    (bits, history) => {
      const halves = Uint16Array.from(bits);
      const floats = Float32Array.from(bits, widen);
      return withSampler({ vocabSize: bits.length, ...options }, (sampler) => {
        sampler.accept(history);
        sampler.logits.set(floats);
        for (const input of [floats, halves, undefined]) {
          const before = input?.slice();
          for (const use of [
            () => sampler.distribution(input),
            () => sampler.trace(input),
            () => sampler.information(input, { token: 0, top: 3 }),
            () => sampler.pick(0.5, input),
            () => sampler.sample(input),
          ]) {
            use();
            assert.deepEqual(input, before);
            assert.deepEqual(sampler.logits, floats);
          }
        }
      });
    },
  );
});

test("float16 input gives the same result as its float32 values", () => {
  // Every finite value, even subnormal ones, and -Infinity. The first token is never masked.
  const half = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 0x7bff }) },
    { weight: 20, arbitrary: fc.integer({ min: 0x8000, max: 0xfbff }) },
    { weight: 1, arbitrary: fc.constant(0xfc00) },
  );
  return each(fc.array(half, { minLength: 1, maxLength: 70 }), anyTruncations, async (bits, options) => {
    const halves = Uint16Array.from([0, ...bits]);
    const floats = Float32Array.from(halves, widen);
    assert.deepEqual(await distribution(halves, options), await distribution(floats, options));
  });
});

/** The uniform number of a draw: 53 bits of Philox4x32-10, whose counter is (step, stream, 0, 0) and whose key is the seed. */
function ownUniform(seed, stream, step) {
  const word = (value) => Number(BigInt.asUintN(32, value));
  let [a, b, c, d] = [step, stream, 0, 0];
  let [low, high] = [word(BigInt(seed)), word(BigInt(seed) >> 32n)];
  for (let round = 0; round < 10; round++) {
    const first = BigInt(a) * 0xd2511f53n;
    const second = BigInt(c) * 0xcd9e8d57n;
    [a, c] = [(word(second >> 32n) ^ b ^ low) >>> 0, (word(first >> 32n) ^ d ^ high) >>> 0];
    [b, d] = [word(second), word(first)];
    low = (low + 0x9e3779b9) >>> 0;
    high = (high + 0xbb67ae85) >>> 0;
  }
  return ((a >>> 5) * 2 ** 26 + (b >>> 6)) / 2 ** 53;
}

test("pick grows with u along the running sum by id, and with the seed's own u gives sample's token", () =>
  each(
    row,
    anyTruncations,
    fc.maxSafeNat(),
    fc.nat(100),
    fc.array(real(0, 1 - 2 ** -53), { minLength: 2, maxLength: 8 }),
    (logits, options, seed, stream, numbers) =>
      withSampler({ vocabSize: logits.length, ...options, seed, stream }, (sampler) => {
        const { tokens, probabilities } = sampler.distribution(logits);
        const byId = [...tokens].map((token, i) => [token, probabilities[i]]).sort((a, b) => a[0] - b[0]);
        let last = -1;
        for (const u of numbers.sort((a, b) => a - b)) {
          const token = sampler.pick(u, logits);
          assert.ok(token >= last);
          last = token;
          let before = 0;
          for (const [id, probability] of byId) {
            if (id === token) assert.ok(before <= u + 1e-6 && u <= before + probability + 1e-6, `${u} picks ${token}`);
            before += probability;
          }
        }
        for (let step = 0; step < 3; step++) {
          const token = sampler.pick(ownUniform(seed, stream, step), logits);
          assert.equal(sampler.sample(logits), token);
        }
      }),
  ));

// Every mechanism that depends on what came before, or on chance.
const ids = (max) => fc.array(fc.nat(max), { minLength: 1, maxLength: 3 });
const vocabulary = 24;
const id = fc.nat(vocabulary - 1);
const stateful = fc
  .tuple(
    sometimes({
      temperature: real(0.3, 3),
      stream: fc.nat(5),
      draw: fc.constant("gumbel"),
      repetitionPenalty: real(0.8, 1.5),
      frequencyPenalty: real(-0.5, 1),
      presencePenalty: real(-0.5, 1),
      dryMultiplier: real(0.1, 3),
      dryBreakers: fc.array(ids(vocabulary - 1), { minLength: 1, maxLength: 2 }),
      noRepeatNgram: fc.integer({ min: 2, max: 4 }),
      sequenceBias: fc.array(fc.tuple(ids(vocabulary - 1), real(-3, 3)), { minLength: 1, maxLength: 4 }),
      badWords: fc.array(fc.array(id, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      forcedFirst: ids(vocabulary - 1),
    }),
    fc.constantFrom(
      {},
      { eos: [3], minTokens: 9 },
      { eos: [3], lengthDecay: 1.05 },
      { maxTokens: 20, forcedLast: [5, 6] },
    ),
    fc.oneof(
      fc.record({ mirostat: fc.constantFrom(1, 2), mirostatTau: real(0.5, 6), mirostatEta: share }),
      fc.record({ adaptiveTarget: share, adaptiveDecay: real(0, 0.99), topP: real(0.5, 0.99) }),
      fc.record({ xtcProbability: share, xtcThreshold: real(0.01, 0.4) }),
      fc.record({ topK: fc.integer({ min: 2, max: 20 }), typicalP: share, minP: real(0, 0.3), dynatempRange: share }),
    ),
    fc.nat(40),
  )
  .map(([options, length, truncation, window]) => {
    if (!options.dryMultiplier) delete options.dryBreakers;
    const counts = options.repetitionPenalty ?? options.frequencyPenalty ?? options.presencePenalty;
    return { ...options, ...length, ...truncation, ...(counts !== undefined && { penaltyWindow: window }) };
  });

const command = fc.oneof(
  { weight: 8, arbitrary: fc.constant(["sample"]) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("accept"), fc.array(id, { maxLength: 6 }), fc.boolean()) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant("look"),
      share.map((u) => u * 0.999),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant("set"),
      fc.constantFrom(
        ...[{ temperature: 0.6 }, { temperature: 1.7 }, { seed: 5 }, { stream: 9 }, { logitBias: { 2: 1.5 } }],
        ...[{ topK: 5 }, { penaltyWindow: 3 }, { repetitionPenalty: 1.2 }, { frequencyPenalty: undefined }],
        ...[{ mirostat: 2, mirostatTau: 2 }, { mirostat: undefined }, { mirostatEta: 0.5 }, { adaptiveTarget: 0.2 }],
        ...[{ adaptiveTarget: -1 }, { xtcProbability: 0.5 }, { draw: "gumbel" }, { dryMultiplier: 2 }],
      ),
    ),
  },
);

/** Carries out commands. Returns what each gave, or the code of its error. */
function carryOut(sampler, commands, seed) {
  const rows = Array.from({ length: 4 }, (_, i) => normalRow(vocabulary, seed + i, 2));
  return commands.map(([name, first, second], i) => {
    const logits = rows[i % rows.length];
    try {
      if (name === "sample") return [sampler.sample(logits), sampler.lastProbability];
      if (name === "accept") return sampler.accept(first, { prompt: second });
      if (name === "set") return sampler.set(first);
      return [
        sampler.pick(first, logits),
        sampler.distribution(logits),
        sampler.information(logits),
        sampler.trace(logits),
      ];
    } catch (error) {
      return error.code ?? error;
    }
  });
}

const commands = fc.array(command, { minLength: 1, maxLength: 25 });

test("a snapshot replays the same tokens, in this sampler or a new one, after any calls", () =>
  each(stateful, commands, commands, fc.nat(), (options, before, after, seed) =>
    withSampler({ vocabSize: vocabulary, ...options }, async (sampler) => {
      carryOut(sampler, before, seed);
      const snapshot = sampler.snapshot();
      const expected = carryOut(sampler, after, seed);
      sampler.restore(snapshot);
      assert.deepEqual(carryOut(sampler, after, seed), expected);
      await withSampler({ vocabSize: vocabulary, seed: 77, temperature: 0 }, (other) => {
        other.restore(snapshot);
        assert.deepEqual(carryOut(other, after, seed), expected);
      });
    }),
  ));

test("a clone continues in the same way, and independently", () =>
  each(stateful, commands, commands, commands, fc.nat(), (options, before, after, elsewhere, seed) =>
    withSampler({ vocabSize: vocabulary, ...options }, (sampler) => {
      carryOut(sampler, before, seed);
      const [clone, stray] = [sampler.clone(), sampler.clone()];
      const expected = after.map((one) => {
        carryOut(stray, elsewhere, seed + 9);
        return carryOut(sampler, [one], seed);
      });
      const actual = after.map((one) => {
        carryOut(stray, elsewhere, seed + 9);
        return carryOut(clone, [one], seed);
      });
      assert.deepEqual(actual, expected);
      clone.dispose();
      stray.dispose();
    }),
  ));

test("distribution, trace and information change no later token", () =>
  each(stateful, fc.nat(), (options, seed) =>
    withSampler({ vocabSize: vocabulary, ...options }, (sampler) => {
      const unseen = sampler.clone();
      for (let step = 0; step < 12; step++) {
        carryOut(sampler, [["look", 0.3]], seed);
        assert.deepEqual(carryOut(sampler, [["sample"]], seed), carryOut(unseen, [["sample"]], seed));
      }
      unseen.dispose();
    }),
  ));
