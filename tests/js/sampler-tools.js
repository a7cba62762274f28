// Shared by the tests of the sampler.
import assert from "node:assert/strict";
import { createSampler } from "lastinch";

/** Runs `use` with a sampler that is disposed afterwards. */
export async function withSampler(options, use) {
  const sampler = await createSampler({ seed: 1, ...options });
  try {
    return await use(sampler);
  } finally {
    sampler.dispose();
  }
}

/** Ids of the survivors, most probable first, and their probabilities, after a prompt and an output. */
export const distribution = (logits, options = {}, output = [], prompt = []) =>
  withSampler({ vocabSize: logits.length, ...options }, (sampler) => {
    sampler.accept(prompt, { prompt: true });
    sampler.accept(output);
    const { tokens, probabilities } = sampler.distribution(logits);
    return { tokens: [...tokens], probabilities: [...probabilities] };
  });

/** Ids of the survivors, most probable first. */
export const kept = async (logits, options) => (await distribution(logits, options)).tokens;

export function near(actual, expected, tolerance = 5e-6) {
  assert.equal(actual.length, expected.length, `${actual} against ${expected}`);
  expected.forEach((value, i) => assert.ok(Math.abs(actual[i] - value) <= tolerance, `${actual} against ${expected}`));
}

/** Logits whose softmax is the probabilities. */
export const logs = (...probabilities) => Float32Array.from(probabilities, Math.log);

/** Softmax over the whole row, in float64. */
export function softmax(logits, temperature = 1) {
  const peak = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = Array.from(logits, (z) => Math.exp((z - peak) / temperature));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
}

/** Ids by logit descending, ties by id ascending. */
export const ranking = (logits) => Array.from(logits, (_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);

/** Uniform numbers in [0, 1), the same for the same seed (mulberry32). */
export function uniforms(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A row of normally distributed logits. */
export function normalRow(size, seed, deviation = 2.5) {
  const next = uniforms(seed);
  return Float32Array.from(
    { length: size },
    () => deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  );
}

/** A float16's bits as a number. */
export function widen(half) {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const magnitude = exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : half >> 15 ? -Infinity : Infinity;
  return half >> 15 ? -magnitude : magnitude;
}
