// The sampler's knobs as sliders: their ranges, and stops that lie close where a small move matters.

/**
 * @typedef {object} Knob
 * @property {number} min
 * @property {number} max
 * @property {number} [step]
 * @property {number[]} [stops] values of the slider, where they do not lie evenly
 */

/** @param {number} from @param {number} to @param {number} step */
function range(from, to, step) {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(3)));
}

/** @type {Record<string, Knob>} */
export const knobs = {
  // Closer together below 1, with 1 itself and a true 0.
  temperature: { min: 0, max: 5, stops: [...range(0, 1.2, 0.05), ...range(1.3, 2, 0.1), 2.5, 3, 4, 5] },
  topK: { min: 0, max: 1000, step: 1 },
  topP: { min: 0, max: 1, step: 0.01 },
  typicalP: { min: 0, max: 1, step: 0.01 },
  minP: { min: 0, max: 1, step: 0.01 },
  repetitionPenalty: { min: 1, max: 2, step: 0.05 },
  frequencyPenalty: { min: -2, max: 2, step: 0.1 },
  presencePenalty: { min: -2, max: 2, step: 0.1 },
  shift: { min: 0, max: 10, step: 0.5 },
  beams: { min: 1, max: 8, step: 1 },
  lengthPenalty: { min: 0, max: 2, step: 0.1 },
  weight: { min: 0, max: 5, step: 0.1 },
  plausibility: { min: 0, max: 1, step: 0.01 },
  draftTokens: { min: 1, max: 8, step: 1 },
  group: { min: 2, max: 16, step: 1 },
  count: { min: 1, max: 10000, step: 1 },
  rolls: { min: 1, max: 1000, step: 1 },
  phase: { min: 0, max: 3, step: 1 },
  uniform: { min: 0, max: 1 - 2 ** -53 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 },
};

/** @param {number[]} stops @param {number} value */
export function nearestStop(stops, value) {
  let best = 0;
  stops.forEach((stop, i) => {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i;
  });
  return best;
}

/**
 * What is wrong with a value, or null. No value is none.
 * @param {string} name of a knob
 * @param {unknown} value
 */
export function rangeProblem(name, value) {
  const { min, max, step } = knobs[name];
  if (value === undefined) return null;
  const isFine = typeof value === "number" && value >= min && value <= max;
  if (isFine && (step !== 1 || Number.isInteger(value))) return null;
  return { key: step === 1 ? "badWhole" : "badKnob", min, max, value: String(value) };
}

/**
 * The same for a property of any kind, with the key of the words that explain it.
 * @param {{ knob?: string, oneOf?: string[], someOf?: string[] }} how someOf: names with spaces between, each once
 * @param {unknown} value
 */
export function problemOf({ knob, oneOf, someOf }, value) {
  if (knob) return rangeProblem(knob, value);
  const names = oneOf ?? someOf;
  if (!names || value === undefined) return null;
  const given = someOf ? String(value).split(/\s+/).filter(Boolean) : [value];
  const bad = given.find((name, i) => !names.includes(/** @type {string} */ (name)) || given.indexOf(name) < i);
  return bad === undefined
    ? null
    : { key: oneOf ? "badChoice" : "badList", names: names.join(", "), value: String(bad) };
}
