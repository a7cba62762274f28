// The sampler's knobs as sliders: their ranges, and stops, which are close together where a small move matters.

/**
 * @typedef {object} Knob
 * @property {number} min
 * @property {number} max
 * @property {number} [step]
 * @property {number[]} [stops] values of the slider, if they are not evenly spaced
 */

/** @param {number} from @param {number} to @param {number} step */
function range(from, to, step) {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(3)));
}

/** @type {Record<string, Knob>} */
export const knobs = {
  // Closer together below 1, and including 1 and a true 0.
  temperature: { min: 0, max: 5, stops: [...range(0, 1.2, 0.05), ...range(1.3, 2, 0.1), 2.5, 3, 4, 5] },
  topK: { min: 0, max: 1000, step: 1 },
  topP: { min: 0, max: 1, step: 0.01 },
  typicalP: { min: 0, max: 1, step: 0.01 },
  minP: { min: 0, max: 1, step: 0.01 },
  repetitionPenalty: { min: 1, max: 2, step: 0.05 },
  frequencyPenalty: { min: -2, max: 2, step: 0.1 },
  presencePenalty: { min: -2, max: 2, step: 0.1 },
  bias: { min: -10, max: 10, step: 0.5 },
  shift: { min: 0, max: 10, step: 0.5 },
  beams: { min: 1, max: 8, step: 1 },
  lengthPenalty: { min: 0, max: 2, step: 0.1 },
  weight: { min: 0, max: 5, step: 0.1 },
  plausibility: { min: 0, max: 1, step: 0.01 },
  draftTokens: { min: 1, max: 8, step: 1 },
  group: { min: 2, max: 16, step: 1 },
  count: { min: 1, max: 10000, step: 1 },
  // Doubled at each step, up to the contexts of large models.
  positions: { min: 1, max: 131072, step: 1, stops: Array.from({ length: 18 }, (_, i) => 2 ** i) },
  // Of a recording: the ends and the middles of sentences of 7 tokens.
  budget: { min: 0, max: 21, stops: [0, 4, 7, 11, 14, 18, 21] },
  rolls: { min: 1, max: 1000, step: 1 },
  order: { min: 1, max: 5, step: 1 },
  // Tenfold in two steps: below the first nothing seems to happen, above the last all breaks at once.
  learningRate: { min: 0.0001, max: 1, stops: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1] },
  phase: { min: 0, max: 3, step: 1 },
  layer: { min: 0, max: 1000, step: 1 },
  uniform: { min: 0, max: 1 - 2 ** -53 },
  pace: { min: 0, max: 1000 },
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
 * The values of a property: the range of a knob, one of a few names, or several of them, each once, separated by
 * spaces.
 * @typedef {{ knob?: string, oneOf?: unknown[], someOf?: string[] }} Limits
 */

/** The names in a list. @param {unknown} list */
export const namesIn = (list) => String(list).split(/\s+/).filter(Boolean);

/**
 * Whether a property can have a value. No value is allowed too.
 * @param {Limits} limits
 * @param {unknown} value
 */
export function fits({ knob, oneOf, someOf }, value) {
  if (value === undefined) return true;
  if (oneOf) return oneOf.includes(value);
  if (someOf) return namesIn(value).every((name, i, all) => someOf.includes(name) && all.indexOf(name) === i);
  if (!knob) return true;
  const { min, max, step } = knobs[knob];
  return typeof value === "number" && value >= min && value <= max && (step !== 1 || value % 1 === 0);
}
