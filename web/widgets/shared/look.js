// One row of logits under any settings, as the sampler sees it: what each token has, and where it was removed.
import { configure } from "./sampling.js";

/** @typedef {import("./sampling.js").Sampler} Sampler */
/** @typedef {import("./sampling.js").Settings} Settings */

/**
 * @typedef {object} Uncut
 * @property {Float32Array} logits after bias and penalties
 * @property {Float64Array} probabilities at the temperature, over the whole vocabulary, before any truncation
 */

/**
 * @typedef {object} Cut
 * @property {Float64Array} shares probabilities among the survivors; 0 for what was removed
 * @property {(id: number) => string | null} removedBy name of the stage that removed a token; null: kept
 * @property {Uint32Array} kept the survivors, most probable first
 * @property {import("../../index.js").Trace["stages"]} stages in the order they ran
 */

/** @typedef {Uncut & Cut} View */

/**
 * @typedef {object} Survivors
 * @property {number} count
 * @property {Map<number, number>} shares of the likeliest, in order
 */

const KEPT = 255;
/** Answers of uncut that are remembered: a widget with three temperatures moves one at a time. */
const REMEMBERED = 3;

/**
 * What the sampler makes of a row. At temperature 0 `probabilities` are those of temperature 1: what greedy won against.
 * @param {Sampler} sampler of samplerFor
 * @param {Float32Array} logits
 * @param {Settings} settings
 * @param {readonly number[]} [history]
 * @returns {View}
 */
export function look(sampler, logits, settings, history) {
  configure(sampler, settings, history);
  const { removedBy, ...trace } = sampler.trace(logits);
  const { kept, stages, probabilities } = trace;
  let shares = probabilities;
  if (kept.length < logits.length) {
    shares = new Float64Array(logits.length);
    let mass = 0;
    for (const id of kept) mass += probabilities[id];
    for (const id of kept) shares[id] = probabilities[id] / mass;
  }
  const nameOf = (/** @type {number} */ id) => (removedBy[id] === KEPT ? null : stages[removedBy[id]].name);
  const view = { ...trace, shares, removedBy: nameOf };
  return settings.temperature === 0 ? { ...view, ...uncut(sampler, logits, settings, history) } : view;
}

/** @type {({ key: string, row: Float32Array } & Uncut)[]} */
const remembered = [];

/**
 * A row where nothing is cut off. What it was for the same row and settings is not computed again: a widget asks at every move
 * of a slider. At temperature 0 the probabilities are those of temperature 1.
 * @param {Sampler} sampler of samplerFor
 * @param {Float32Array} row
 * @param {Settings} [settings] plain values; truncations among them are left out, but an order must have top_k
 * @param {readonly number[]} [history]
 * @returns {Uncut}
 */
export function uncut(sampler, row, { temperature, topK, topP, minP, typicalP, ...edits } = {}, history = []) {
  const settings = { ...edits, temperature: temperature || 1, topK: 1 };
  const key = JSON.stringify([settings, history]);
  const at = remembered.findIndex((known) => known.key === key && isSame(known.row, row));
  let [known] = at < 0 ? [] : remembered.splice(at, 1);
  if (!known) {
    // A trace puts what is kept in order: one token is quickly done.
    configure(sampler, settings, history);
    const { logits, probabilities } = sampler.trace(row);
    known = { key, row: row.slice(), logits, probabilities };
  }
  remembered.push(known);
  if (remembered.length > REMEMBERED) remembered.shift();
  return known;
}

/** @param {Float32Array} a @param {Float32Array} b */
export const isSame = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

/**
 * How many tokens are left of a row, and what the likeliest then have: no more is made than is shown.
 * @param {Sampler} sampler of samplerFor
 * @param {Float32Array} logits
 * @param {Settings} settings
 * @param {{ top: number, token?: number }} shown how many shares, and that of a token wherever it stands
 * @param {readonly number[]} [history]
 * @returns {Survivors}
 */
export function survivors(sampler, logits, settings, { top, token }, history) {
  configure(sampler, settings, history);
  const { processed } = sampler.information(logits, { top: Math.min(top, logits.length), token });
  const shares = new Map(processed.top.map(({ token: id, logprob }) => [id, Math.exp(logprob)]));
  if (token !== undefined && processed.rank) shares.set(token, Math.exp(/** @type {number} */ (processed.logprob)));
  return { count: processed.survivors, shares };
}

/**
 * How many survivors are none of these, and their share.
 * @param {Survivors} survivors
 * @param {readonly number[]} ids
 */
export function restOf({ count, shares }, ids) {
  let share = 1;
  for (const id of ids)
    if (shares.has(id)) {
      count--;
      share -= shares.get(id) ?? 0;
    }
  // What is left of 1 may be a rounding error, but they do have something.
  return { count, share: count ? Math.max(share, Number.MIN_VALUE) : 0 };
}

/**
 * What all but a few have together: added up, since a difference would be a rounding error where it is small.
 * @param {ArrayLike<number>} values
 * @param {readonly number[]} ids
 */
export function sumBut(values, ids) {
  let sum = 0;
  let start = 0;
  for (const id of [...Uint32Array.from(ids).sort(), values.length]) {
    for (; start < id; start++) sum += values[start];
    start = id + 1;
  }
  return sum;
}
