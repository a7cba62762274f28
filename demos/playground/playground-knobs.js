// The playground's knobs: their names and initial values. The ranges are those of the widgets.
import { knobs as ranges } from "../../web/widgets/shared/knobs.js";

/**
 * @typedef {object} Knob
 * @property {string} key the sampler's name for it
 * @property {string} param its name in the address
 * @property {string} label
 * @property {string} help
 * @property {number} initial
 * @property {number} [reach] where its slider ends, if before the range
 * @property {Record<number, string>} remarks on values whose number does not say what they do
 */

/** @type {Knob[]} */
const own = [
  {
    key: "temperature",
    param: "T",
    label: "Temperature",
    help: "Divides the logits. Below 1 the favourites win more often; above 1 the outsiders do.",
    initial: 0.8,
    remarks: { 0: "greedy", 1: "as\u00a0is" },
  },
  {
    key: "topK",
    param: "k",
    label: "Top-k",
    help: "Keeps the k likeliest tokens, however sure the model is.",
    initial: 0,
    reach: 100,
    remarks: { 0: "off" },
  },
  {
    key: "topP",
    param: "p",
    label: "Top-p",
    help: "Keeps the smallest set of tokens that together are this likely.",
    initial: 0.95,
    remarks: { 1: "off" },
  },
  {
    key: "minP",
    param: "minp",
    label: "Min-p",
    help: "Keeps tokens at least this fraction as likely as the likeliest.",
    initial: 0,
    remarks: { 0: "off" },
  },
  {
    key: "repetitionPenalty",
    param: "rep",
    label: "Repetition penalty",
    help: "Pushes down every token that the prompt or the story already has.",
    initial: 1,
    remarks: { 1: "off" },
  },
];

export const knobs = own.map((knob) => ({ ...ranges[knob.key], ...knob, isWhole: ranges[knob.key].step === 1 }));

/** @returns {Record<string, number>} */
export const initialSettings = () => Object.fromEntries(knobs.map(({ key, initial }) => [key, initial]));

/**
 * The settings in a few words: "temperature 0.8, top-p 0.95".
 * @param {Record<string, number>} settings
 */
export function describeSettings(settings) {
  const active = knobs.filter(({ key, remarks }) => remarks[settings[key]] !== "off");
  return active.map(({ key, label }) => `${label.toLowerCase()} ${settings[key]}`).join(", ");
}
