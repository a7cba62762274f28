// Reads a file's recommendations for sampling: its keys general.sampling.*, as llama.cpp writes and applies them
// (common_init_sampler_from_model).
import { checkNumber } from "../../core/arguments.js";
import { rangeError, typeError } from "../../core/errors.js";
import { compatibleDefaults } from "../../sampler/defaults.js";
import { editStages, feedbackStages, optionTable, stageNames } from "../../sampler/option-table.js";

/** @typedef {import("../../sampler/option-table.js").SamplerOptions} SamplerOptions */

/** @typedef {import("../../sampler/sampler-types.js").Sampling} Sampling */

const PREFIX = "general.sampling.";

/**
 * Options and their keys. If two contradict each other, the first counts.
 * @type {Record<string, string>}
 */
const keys = {
  temperature: "temp",
  mirostat: "mirostat",
  mirostatTau: "mirostat_tau",
  mirostatEta: "mirostat_eta",
  order: "sequence",
  topK: "top_k",
  topP: "top_p",
  minP: "min_p",
  xtcProbability: "xtc_probability",
  xtcThreshold: "xtc_threshold",
  penaltyWindow: "penalty_last_n",
  repetitionPenalty: "penalty_repeat",
};

/** Stages whose names differ in llama.cpp. */
const stagesOf = new Map([
  ["penalties", ["repetition", "frequency"]],
  ["nucleus", ["top_p"]],
  ["typ_p", ["typical"]],
  ["typ", ["typical"]],
  ["temp", ["temperature"]],
]);

/**
 * @param {import("./gguf.js").Metadata} metadata
 * @returns {Sampling}
 */
export function readSampling(metadata) {
  /** @type {Record<string, any>} */
  const values = {};
  /** @type {Record<string, any>} */
  const valid = {};
  /** @type {Sampling["dropped"]} */
  const dropped = [];
  /** @param {string} name @param {string} reason */
  const drop = (name, reason) => void dropped.push({ name: PREFIX + keys[name], value: values[name], reason });
  /** @type {string[] | undefined} */
  let sequence;
  for (const [name, key] of Object.entries(keys)) {
    if (!metadata.find(PREFIX + key)) continue;
    values[name] = name === "order" ? metadata.string(PREFIX + key) : metadata.number(PREFIX + key, null);
    try {
      if (values[name] === null) throw typeError("bad-type", `Its type is no ${name === "order" ? "text" : "number"}.`);
      if (name === "order") valid.order = orderOf((sequence = readSequence(values.order)));
      else valid[name] = readNumber(name, values[name]);
    } catch (error) {
      drop(name, /** @type {Error} */ (error).message);
    }
  }
  /** @param {(name: string) => string | false} reasonFor */
  const dropWhere = (reasonFor) => {
    for (const name of Object.keys(valid)) {
      const reason = reasonFor(name);
      if (!reason) continue;
      delete valid[name];
      drop(name, reason);
    }
  };
  if (values.penaltyWindow === 0)
    dropWhere((name) => keys[name].startsWith("penalty") && "A penalty_last_n of 0 switches penalties off.");
  if (valid.mirostat && valid.temperature !== 0)
    dropWhere((name) => name === "order" && "Mirostat takes the place of the sequence.");
  else if (valid.order)
    dropWhere((name) => isLeftOut(name, /** @type {string[]} */ (sequence)) && "The sequence leaves it out.");
  const { options, dropped: others } = compatibleDefaults({}, valid);
  for (const { name, reason } of others) drop(name, reason);
  return { options, dropped };
}

/**
 * @param {string} name
 * @param {number} value
 */
function readNumber(name, value) {
  const {
    type,
    min = 0,
    max = 0,
  } = /** @type {import("../../sampler/option-table.js").OptionRow} */ (optionTable.find((row) => row.name === name));
  // In llama.cpp, 0 or less means the likeliest token or all tokens, and -1 the whole context.
  if (name === "temperature" || name === "topK" || (name === "penaltyWindow" && value === -1))
    value = Math.max(0, value);
  value = shortest(value);
  checkNumber(name, value, min, max, type === "integer");
  return value;
}

/**
 * The shortest decimal that rounds to this single-precision number: 0.95, not 0.949999988079071.
 * @param {number} value
 */
function shortest(value) {
  if (Math.fround(value) !== value) return value;
  let digits = 1;
  while (Math.fround(Number(value.toPrecision(digits))) !== value) digits++;
  return Number(value.toPrecision(digits));
}

/**
 * The stages of a sequence such as "penalties;top_k;temperature".
 * @param {string} text
 */
function readSequence(text) {
  const names = text.split(";").map((name) => name.trim().replaceAll("-", "_"));
  const stages = names.filter(Boolean).flatMap((name) => stagesOf.get(name) ?? name);
  if (!stages.length) throw rangeError("out-of-range", "It names no stage.");
  stages.forEach((stage, i) => {
    if (stage === "mask" || !stageNames.includes(stage))
      throw rangeError("out-of-range", `There is no stage "${stage.slice(0, 80)}".`);
    if (stages.indexOf(stage) < i) throw rangeError("bad-order", `It names "${stage}" twice.`);
    if (i && editStages.includes(stage) && !editStages.includes(stages[i - 1]))
      throw rangeError("bad-order", `It has penalties after "${stages[i - 1]}": here they come first.`);
  });
  return stages;
}

/**
 * Completes the sequence to an order of all stages, because callers may use stages that it leaves out.
 * @param {string[]} sequence
 */
function orderOf(sequence) {
  const isEdit = (/** @type {string} */ stage) => editStages.includes(stage);
  const isFeedback = (/** @type {string} */ stage) => feedbackStages.includes(stage);
  const others = stageNames.slice(1).filter((stage) => !sequence.includes(stage) && !isFeedback(stage));
  return [
    ...others.filter(isEdit),
    ...sequence.filter((stage) => !isFeedback(stage)),
    ...others.filter((stage) => !isEdit(stage)),
    ...feedbackStages,
  ];
}

/**
 * @param {string} name of an option
 * @param {string[]} sequence
 */
function isLeftOut(name, sequence) {
  const { stages = [] } = /** @type {import("../../sampler/option-table.js").OptionRow} */ (
    optionTable.find((row) => row.name === name)
  );
  return name !== "order" && !name.startsWith("mirostat") && !stages.some((stage) => sequence.includes(stage));
}
