// The samplers that a page's widgets share, and rows in order.
import { createSampler } from "../../sampler.js";

/** @typedef {import("../../index.js").Sampler} Sampler */
/** @typedef {Record<string, any>} Settings options of the sampler, by their names */

/** One sampler for each length of a row. @type {Map<number, { promise: Promise<Sampler>, sampler?: Sampler }>} */
const samplers = new Map();
/** The last settings of each sampler, which the next call takes back. @type {WeakMap<Sampler, Settings>} */
const given = new WeakMap();

/**
 * The page's sampler for rows of this length.
 * @param {number} vocabSize
 * @returns {Promise<Sampler>}
 */
export function samplerFor(vocabSize) {
  let entry = samplers.get(vocabSize);
  if (!entry) {
    const made = (entry = { promise: createSampler({ vocabSize, seed: 0 }) });
    samplers.set(vocabSize, made);
    made.promise.then(
      (sampler) => Object.assign(made, { sampler }),
      () => samplers.delete(vocabSize),
    );
  }
  return entry.promise;
}

/**
 * The same for a view, which cannot wait: undefined until the sampler is ready; then the widget is drawn again.
 * @param {import("./element.js").LastInchElement} host
 * @param {number} vocabSize
 */
export function readySampler(host, vocabSize) {
  const ready = samplers.get(vocabSize)?.sampler;
  if (!ready)
    samplerFor(vocabSize).then(
      () => host.requestUpdate(),
      (error) => (host.failure = error),
    );
  return ready;
}

/**
 * Resets a shared sampler, and applies these settings.
 * @param {Sampler} sampler
 * @param {Settings} settings
 * @param {readonly number[]} [history] tokens that penalties see
 */
export function configure(sampler, settings, history = []) {
  const former = Object.keys(given.get(sampler) ?? {}).map((name) => [name, undefined]);
  sampler.set({ ...Object.fromEntries(former), seed: 0, ...settings });
  given.set(sampler, settings);
  sampler.reset();
  if (history.length) sampler.accept(history);
}

/** Ids, the largest value first, ties by the lower id. @param {ArrayLike<number>} values */
export const ranked = (values) => Array.from(values, (_, id) => id).sort((a, b) => values[b] - values[a] || a - b);

/** The first `count` of `ranked`, without sorting the rest. @param {ArrayLike<number>} values @param {number} count */
export function topOf(values, count) {
  /** @type {number[]} */
  const top = [];
  for (let id = 0; id < values.length; id++) {
    if (top.length === count && !(values[id] > values[top[count - 1]])) continue;
    let place = Math.min(top.length, count - 1);
    for (; place > 0 && values[id] > values[top[place - 1]]; place--) top[place] = top[place - 1];
    top[place] = id;
  }
  return top;
}

/** Expected surprise in bits. @param {Iterable<number>} probabilities */
export function entropyOf(probabilities) {
  let bits = 0;
  for (const p of probabilities) if (p > 0) bits -= p * Math.log2(p);
  return bits;
}
