// The sampler's knobs: ranges, and the stops of their sliders, which lie close where a small move matters.
import { nearestStop as nearest } from "../web/widgets/shared/knobs.js";

/**
 * @typedef {object} Knob
 * @property {string} key the sampler's name for it
 * @property {string} param its name in the address
 * @property {string} label
 * @property {string} help
 * @property {number} min
 * @property {number} max
 * @property {number} initial
 * @property {number} [off] the value that switches it off
 * @property {boolean} [isWhole]
 * @property {number[]} stops
 * @property {(value: number) => string} remark in words, where the number alone does not say it
 */

/**
 * @param {number} from
 * @param {number} to
 * @param {number} step
 */
function range(from, to, step) {
  const count = Math.round((to - from) / step);
  return Array.from({ length: count + 1 }, (_, i) => Number((from + i * step).toFixed(3)));
}

/** @param {number} off */
const remarkOff = (off) => (/** @type {number} */ value) => (value === off ? "off" : "");

/** @type {Knob[]} */
export const knobs = [
  {
    key: "temperature",
    param: "T",
    label: "Temperature",
    help: "Divides the logits. Below 1 the favourites win more often; above 1 the outsiders do.",
    min: 0,
    max: 5,
    initial: 0.8,
    stops: [...range(0, 1, 0.05), ...range(1.1, 1.5, 0.1), 1.75, 2, 2.5, 3, 4, 5],
    remark: (value) => (value === 0 ? "greedy" : value === 1 ? "as\u00a0is" : ""),
  },
  {
    key: "topK",
    param: "k",
    label: "Top-k",
    help: "Keeps the k likeliest tokens, however sure the model is.",
    min: 0,
    max: 100_000,
    initial: 0,
    off: 0,
    isWhole: true,
    stops: [0, ...range(1, 10, 1), 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000],
    remark: remarkOff(0),
  },
  {
    key: "topP",
    param: "p",
    label: "Top-p",
    help: "Keeps the smallest set of tokens that together are this likely.",
    min: 0,
    max: 1,
    initial: 0.95,
    off: 1,
    stops: [...range(0, 0.85, 0.05), ...range(0.86, 1, 0.01)],
    remark: remarkOff(1),
  },
  {
    key: "minP",
    param: "minp",
    label: "Min-p",
    help: "Keeps tokens at least this fraction as likely as the likeliest.",
    min: 0,
    max: 1,
    initial: 0,
    off: 0,
    stops: [0, 0.005, ...range(0.01, 0.1, 0.01), 0.12, 0.15, 0.2, 0.25, ...range(0.3, 1, 0.1)],
    remark: remarkOff(0),
  },
  {
    key: "repetitionPenalty",
    param: "rep",
    label: "Repetition penalty",
    help: "Pushes down every token that the prompt or the story already has.",
    min: 1,
    max: 2,
    initial: 1,
    off: 1,
    stops: [...range(1, 1.3, 0.02), ...range(1.35, 2, 0.05)],
    remark: remarkOff(1),
  },
];

/** @returns {Record<string, number>} */
export const initialSettings = () => Object.fromEntries(knobs.map(({ key, initial }) => [key, initial]));

/**
 * The slider's place for a value: the nearest stop.
 * @param {Knob} knob
 * @param {number} value
 */
export const nearestStop = ({ stops }, value) => nearest(stops, value);

/**
 * The settings in a few words: "temperature 0.8, top-p 0.95".
 * @param {Record<string, number>} settings
 */
export function describeSettings(settings) {
  const active = knobs.filter(({ key, off }) => settings[key] !== undefined && settings[key] !== off);
  return active.map(({ key, label }) => `${label.toLowerCase()} ${settings[key]}`).join(", ");
}
