// How the page measures: all calls in turn, so that a slow moment meets them alike; medians; and a verdict on whether
// the device was quiet enough for a ratio.

/** @typedef {{ median: number, spread: number }} Summary half of the samples lie within `spread` times the median */

/** Beyond this share a median says more about what else ran than about what was measured. */
const MOST_SPREAD = 0.3;

/** @param {number[]} samples @returns {Summary} */
export function summarise(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.floor(share * (sorted.length - 1))];
  return { median: at(0.5), spread: (at(0.75) - at(0.25)) / at(0.5) };
}

/** @param {Summary[]} summaries of what is compared */
export const isDisturbed = (...summaries) =>
  summaries.some(({ median, spread }) => !(median > 0) || !(spread <= MOST_SPREAD));

/**
 * How many times the second is the first, or null where one of them was disturbed.
 * @param {Summary} one
 * @param {Summary} other
 */
export const ratioOf = (one, other) => (isDisturbed(one, other) ? null : other.median / one.median);

/**
 * Samples of each call, in turn. A call that takes less than `shortest` is repeated, since clocks of pages tick slowly.
 * @param {Record<string, () => unknown>} calls each does the same work every time
 * @param {{ rounds: number, shortest: number, now?: () => number }} how shortest in ms
 * @returns {Promise<Record<string, number[]>>} ms of one call
 */
export async function interleave(calls, { rounds, shortest, now = () => performance.now() }) {
  /** @type {Record<string, number[]>} */
  const samples = {};
  /** @type {Record<string, number>} */
  const repeats = {};
  for (const [name, call] of Object.entries(calls)) {
    samples[name] = [];
    repeats[name] = 0;
    await call(); // warm-up: engines compile what runs often
    const start = now();
    do {
      await call();
      repeats[name]++;
    } while (now() - start < shortest);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const start = now();
      for (let i = 0; i < repeats[name]; i++) await call();
      samples[name].push((now() - start) / repeats[name]);
    }
  }
  return samples;
}

/**
 * Top-p as most pages do it: softmax, sort everything, walk.
 * @param {Float32Array} logits
 * @param {number} temperature
 * @param {number} p
 */
export function usualTopP(logits, temperature, p) {
  const peak = logits.reduce((a, b) => Math.max(a, b));
  const weights = Array.from(logits, (z) => Math.exp((z - peak) / temperature));
  const total = weights.reduce((a, b) => a + b);
  const sorted = weights
    .map((weight, id) => ({ id, probability: weight / total }))
    .sort((a, b) => b.probability - a.probability);
  let sum = 0;
  let kept = 0;
  while (kept < sorted.length && sum < p) sum += sorted[kept++].probability;
  let rest = Math.random() * sum;
  for (let i = 0; i < kept; i++) if ((rest -= sorted[i].probability) < 0) return sorted[i].id;
  return sorted[kept - 1].id;
}

/** A row like a model's, always the same: normal numbers, and 300 likely tokens. @param {number} size */
export function modelLikeRow(size) {
  let state = 12345;
  const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const row = Float32Array.from({ length: size }, () => -2 + 2.2 * normal());
  for (let i = 0; i < 300; i++) row[Math.floor(uniform() * size)] = 6 + 3 * normal();
  return row;
}
