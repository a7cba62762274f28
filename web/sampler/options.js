// Checks options against their table, and turns them into the numbers and lists of the C sampler. Ignores nothing:
// refuses every option that is unknown, out of range or without effect, with the reason.
import { checkNumber, checkObject } from "../core/arguments.js";
import { editDistance } from "../core/edit-distance.js";
import { rangeError, typeError } from "../core/errors.js";
import { checkMatcher } from "./grammar-mask.js";
import { editStages, feedbackStages, listNames, optionTable, orderPresets, stageNames } from "./option-table.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./option-table.js").OptionRow} OptionRow */

/**
 * Options in the form of the C sampler: plain data that can be posted to a worker.
 * @typedef {object} ResolvedOptions
 * @property {SamplerOptions} given the caller's options by canonical names, with the seed in use
 * @property {number} vocabSize
 * @property {number[]} numbers in the order of the table's slots
 * @property {number[][]} lists words, in the order of listNames
 * @property {number[]} order stage numbers
 * @property {number} rules the rules of the order's system: a sum of li_rule
 */

/** @param {string} name */
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());

/** @type {Map<string, OptionRow>} by every accepted spelling */
const rowByName = new Map();
for (const row of optionTable)
  for (const name of [row.name, snakeCase(row.name), ...(row.aliases ?? [])]) rowByName.set(name, row);

/** Whether a sampler has an option of this name or spelling. @param {string} name */
export const isSamplerOption = (name) => rowByName.has(name);

/**
 * The error for an option that does not exist, listing the nearest names.
 * @param {string} name
 * @param {string[]} [others] more names that the caller accepts
 */
export function unknownOption(name, others = []) {
  const canonical = [...new Set([...optionTable.map((row) => row.name), ...others])];
  const near = canonical
    .map((known) => ({ known, distance: editDistance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, distance }) => distance <= Math.max(2, known.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ known }) => known);
  const hint = near.length ? `Did you mean ${near.join(", ")}?` : `There are: ${canonical.join(", ")}.`;
  return typeError("unknown-option", `There is no option "${name}". ${hint}`);
}

/**
 * Checks the options of a sampler, and adds the values of those that are not given.
 * @param {SamplerOptions} options
 * @returns {ResolvedOptions}
 */
export function resolveOptions(options) {
  const given = canonicalNames(options);
  for (const name of Object.keys(given)) if (given[name] === undefined) delete given[name];
  const { vocabSize, order = "default" } = given;
  if (vocabSize === undefined) throw typeError("bad-type", "vocabSize is required: the length of a row of logits.");
  given.seed ??= randomSeed();
  given.tokenCount ??= vocabSize;
  const lists = listNames.map(() => /** @type {number[]} */ ([]));
  for (const row of optionTable) {
    if (given[row.name] === undefined) continue;
    const size = row.name.startsWith("forced") ? given.tokenCount : vocabSize;
    const value = (given[row.name] = readers[row.type ?? "number"](row, given[row.name], size, given));
    const list = listNames.indexOf(row.list ?? "");
    if (row.list) lists[list] = lists[list].concat(listWords(row, value));
  }
  if (given.tokenCount > vocabSize)
    throw rangeError("out-of-range", `tokenCount is ${given.tokenCount}, but vocabSize is ${vocabSize}.`);
  const preset = orderPresets[typeof order === "string" ? order : "default"];
  if (given.temperature < (preset.greedyBelow ?? 0)) given.temperature = 0;
  const stages = typeof order === "string" ? preset.order : given.order;
  checkConflicts(given, stages);
  const numbers = [];
  for (const { name, min, choices, default: usual } of optionTable.slice(1)) {
    let value = given[name] ?? usual;
    if (value === "preset") value = preset[/** @type {"penaltyWindow"} */ (name)];
    if (choices) numbers.push(choices.indexOf(value));
    else if (min !== undefined) numbers.push(value);
  }
  return {
    given: /** @type {SamplerOptions} */ (given),
    vocabSize,
    numbers,
    lists,
    order: stages.map((/** @type {string} */ stage) => stageNames.indexOf(stage)),
    rules: preset.rules,
  };
}

/**
 * The options under their canonical names. An undefined value does not count if another name has one.
 * @param {object} options
 * @returns {Record<string, any>}
 */
export function canonicalNames(options) {
  checkObject("Options", options);
  /** @type {Record<string, any>} */
  const given = {};
  for (const [name, value] of Object.entries(options)) {
    const row = rowByName.get(name);
    if (!row) throw unknownOption(name);
    if (given[row.name] === undefined) given[row.name] = value;
    else if (value !== undefined) throw typeError("conflict", `${row.name} is given twice, under two names.`);
  }
  return given;
}

/**
 * Checks of values, by the types of the table. They copy lists, which the caller may change later.
 * @type {Record<string, (row: OptionRow, value: any, vocabSize: number, given: Record<string, any>) => any>}
 */
export const readers = {
  // watermark-options.js, which createSampler loads for this option, has the reader.
  watermark() {
    throw typeError("conflict", "Create the sampler with a watermark.");
  },
  integer: number,
  number,
  choice({ name, choices = [], default: usual }, value) {
    if (value !== usual && !choices.includes(value))
      throw rangeError("out-of-range", `${name} must be one of ${choices.join(", ")}, not ${String(value)}.`);
    return value;
  },
  bias({ name }, value, vocabSize) {
    checkObject(name, value);
    const isPairs = value instanceof Map || Array.isArray(value);
    const byId = new Map();
    for (const pair of isPairs ? value : Object.entries(value)) {
      const [key, bias] = checkPair(name, pair);
      const id = isPairs ? key : Number(key);
      checkToken(name, id, vocabSize, key);
      if (byId.has(id)) throw typeError("conflict", `${name} names token ${id} twice.`);
      byId.set(id, checkBias(`${name} of token ${id}`, bias));
    }
    return [...byId];
  },
  tokens({ name }, value, vocabSize) {
    const ids = tokenList(name, listed(value), vocabSize);
    if (name === "allowedTokens" && !ids.length) throw rangeError("out-of-range", "allowedTokens is empty.");
    // Sets of tokens, ascending, without duplicates.
    return name.startsWith("forced") ? ids : [...new Set(ids)].sort((a, b) => a - b);
  },
  sequences: ({ name }, value, vocabSize) => checkList(name, value).map((ids) => sequence(name, ids, vocabSize)),
  weighted: ({ name }, value, vocabSize) =>
    checkList(name, value).map((pair) => {
      const [ids, bias] = checkPair(name, pair);
      return [sequence(name, ids, vocabSize), checkBias(`${name} of ${ids}`, bias)];
    }),
  grammar: (row, value) => checkMatcher(value),
  order(row, value) {
    if (typeof value === "string" && Object.hasOwn(orderPresets, value)) return value;
    if (Array.isArray(value)) return checkOrder([...value]);
    const presets = Object.keys(orderPresets).join(", ");
    throw rangeError("out-of-range", `order must be a list of stages, or one of ${presets}.`);
  },
};

/**
 * @param {OptionRow} row
 * @param {any} value
 */
function number({ name, type, min = 0, max = 0, default: usual }, value) {
  if (value !== usual) checkNumber(name, value, min, max, type === "integer");
  return value;
}

/** @param {string[]} order */
function checkOrder(order) {
  const stages = stageNames.slice(1);
  const rank = (/** @type {string} */ stage) =>
    editStages.includes(stage) ? 0 : feedbackStages.includes(stage) ? 2 : 1;
  order.forEach((stage, i) => {
    if (!stages.includes(stage))
      throw rangeError("out-of-range", `order names "${stage}", but the stages are ${stages.join(", ")}.`);
    if (order.indexOf(stage) < i) throw rangeError("bad-order", `order names "${stage}" twice.`);
    if (i && rank(stage) < rank(order[i - 1]))
      throw rangeError(
        "bad-order",
        `order has "${stage}" after "${order[i - 1]}", but ${editStages.join(", ")} must come first, ${feedbackStages.join(", ")} must come last.`,
      );
  });
  return order;
}

/**
 * The rows of the options that have a value other than their default.
 * @param {Record<string, any>} given
 */
export const switchedOn = (given) =>
  optionTable.filter(({ name, default: usual }) => {
    const value = given[name];
    const isOff = value === usual || value === "preset" || (name === "adaptiveTarget" && value < 0);
    return value !== undefined && !isOff && value.length !== 0;
  });

/**
 * Refuses options that contradict each other or do nothing.
 * @param {Record<string, any>} given
 * @param {string[]} order
 */
function checkConflicts(given, order) {
  const on = switchedOn(given);
  for (const { name, stages, isSwitch, needs } of on) {
    if (stages && !stages.some((stage) => stage === "mask" || order.includes(stage)))
      throw rangeError(
        "conflict",
        `${name} needs the stage "${stages.join('" or "')}", which order "${given.order}" leaves out.`,
      );
    if (needs && !on.some((row) => row.name === needs)) throw typeError("conflict", `${name} needs ${needs}.`);
    const [stage] = stages ?? [];
    const isFeedback = feedbackStages.includes(stage) && isSwitch;
    if (given.temperature === 0 && (isFeedback || ["dynatempRange", "watermark"].includes(name)))
      throw rangeError("conflict", `${name} needs a temperature above 0: 0 takes the likeliest token.`);
    const isTruncation = isSwitch && stageNames.indexOf(stage) > stageNames.indexOf("temperature");
    if (given.mirostat && isTruncation && stage !== "mirostat")
      throw rangeError("conflict", `mirostat truncates by itself: switch ${name} off.`);
  }
  const { forcedFirst = [], forcedLast = [], maxTokens } = given;
  if (forcedFirst.length + forcedLast.length > maxTokens)
    throw rangeError("conflict", `forcedFirst and forcedLast have more tokens than maxTokens (${maxTokens}).`);
}

/**
 * The words of a list option's value, as li_sampler_set_list takes them.
 * @param {OptionRow} row
 * @param {any} value
 * @returns {number[]}
 */
function listWords({ name, type }, value) {
  const bits = (/** @type {number} */ bias) => new Uint32Array(Float32Array.of(bias).buffer)[0];
  if (type === "bias") return value.flatMap((/** @type {any[]} */ [id, bias]) => [id, bits(bias)]);
  if (type === "weighted") return value.flatMap((/** @type {any[]} */ [ids, bias]) => [ids.length, bits(bias), ...ids]);
  if (type === "watermark") return value.words;
  if (name === "badWords") return value.flatMap((/** @type {number[]} */ ids) => [ids.length, bits(-Infinity), ...ids]);
  return type === "sequences" ? value.flatMap((/** @type {number[]} */ ids) => [ids.length, ...ids]) : value;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {any[]}
 */
function checkList(name, value) {
  if (!Array.isArray(value)) throw typeError("bad-type", `${name} takes a list.`);
  return value;
}

/**
 * @param {string} name
 * @param {unknown} pair
 * @returns {any[]}
 */
function checkPair(name, pair) {
  if (!Array.isArray(pair) || pair.length !== 2)
    throw typeError("bad-type", `${name} must hold pairs of token and bias.`);
  return pair;
}

/**
 * A token id or a list of them as a list.
 * @param {unknown} ids
 */
export const listed = (ids) => (typeof ids === "number" ? [ids] : ids);

/**
 * @param {string} name
 * @param {unknown} ids a token id or a list of them
 * @param {number} vocabSize
 */
function sequence(name, ids, vocabSize) {
  const list = tokenList(name, listed(ids), vocabSize);
  if (!list.length) throw rangeError("out-of-range", `${name} has an empty list of tokens.`);
  return list;
}

/**
 * @param {string} name
 * @param {any} bias
 */
function checkBias(name, bias) {
  if (bias !== -Infinity) checkNumber(name, bias, -1e9, 1e9);
  return bias;
}

/**
 * A copy of a list of token ids.
 * @param {string} name
 * @param {unknown} ids
 * @param {number} vocabSize
 * @returns {number[]}
 */
export function tokenList(name, ids, vocabSize) {
  const isList = Array.isArray(ids) || (ArrayBuffer.isView(ids) && !(ids instanceof DataView));
  if (!isList) throw typeError("bad-type", `${name} takes a list of token ids.`);
  // Ids of transformers.js are bigints.
  const list = Array.from(/** @type {number[]} */ (ids), (id) => (typeof id === "bigint" ? Number(id) : id));
  for (const id of list) checkToken(name, id, vocabSize);
  return list;
}

/**
 * @param {string} name
 * @param {unknown} id
 * @param {number} vocabSize
 * @param {unknown} [written] the id as the caller wrote it: an object's key must have the canonical spelling
 */
function checkToken(name, id, vocabSize, written = id) {
  if (typeof id !== "number") throw typeError("bad-type", `${name} must hold numbers, not ${typeof id}.`);
  if (!Number.isInteger(id) || id < 0 || id >= vocabSize || String(id) !== String(written))
    throw rangeError(
      "out-of-range",
      `${name} names token ${written}; tokens are whole numbers from 0 to ${vocabSize - 1}.`,
    );
}

function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1fffff) * 2 ** 32 + low;
}
