// Checks options against the one table and turns them into what the C sampler reads. Nothing is ignored:
// what is unknown, out of range or without effect is refused with the reason.
import { rangeError, typeError } from "./errors.js";
import { checkMatcher } from "./grammar-mask.js";
import { editStages, feedbackStages, listNames, optionTable, orderPresets, stageNames } from "./option-table.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./option-table.js").OptionRow} OptionRow */

/**
 * Options as the C sampler reads them: plain data that can be posted to a worker.
 * @typedef {object} ResolvedOptions
 * @property {SamplerOptions} given what the caller asked for, by canonical names, with the seed in use
 * @property {number} vocabSize
 * @property {number[]} numbers in the order of the table's slots
 * @property {number[][]} lists words, in the order of listNames
 * @property {number[]} order stage numbers
 * @property {number} rules what the order's system does otherwise: a sum of li_rule
 */

/** @param {string} name */
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());

/** @type {Map<string, OptionRow>} every accepted spelling */
const rowByName = new Map();
for (const row of optionTable)
  for (const name of [row.name, snakeCase(row.name), ...(row.aliases ?? [])]) rowByName.set(name, row);

/** @param {string} name */
export const isSamplerOption = (name) => rowByName.has(name);

/**
 * The error for an option that does not exist, listing the nearest names.
 * @param {string} name
 * @param {string[]} [others] further names that the caller accepts
 */
export function unknownOption(name, others = []) {
  const canonical = [...optionTable.map((row) => row.name), ...others];
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
 * Levenshtein's distance.
 * @param {string} a
 * @param {string} b
 */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}

/**
 * @param {SamplerOptions} options
 * @returns {ResolvedOptions}
 */
export function resolveOptions(options) {
  const given = canonicalNames(options);
  for (const name of Object.keys(given)) if (given[name] === undefined) delete given[name];
  if (given.vocabSize === undefined)
    throw typeError("bad-type", "vocabSize is required: the length of a row of logits.");
  for (const row of optionTable) if (given[row.name] !== undefined) checkValue(row, given[row.name]);
  const vocabSize = /** @type {number} */ (given.vocabSize);
  given.seed ??= randomSeed();
  given.tokenCount ??= vocabSize;
  if (given.tokenCount > vocabSize)
    throw rangeError(
      "out-of-range",
      `tokenCount is ${given.tokenCount}, but must be at most vocabSize (${vocabSize}).`,
    );

  const preset = orderPresets[typeof given.order === "object" ? "default" : (given.order ?? "default")];
  const order = /** @type {string[]} */ (typeof given.order === "object" ? given.order : preset?.order);
  // Copies, so that what the caller does to its lists later changes nothing here.
  if (Array.isArray(given.order)) given.order = [...given.order];
  const lists = listNames.map(() => /** @type {number[]} */ ([]));
  for (const row of optionTable)
    if (listReaders[row.type] && given[row.name] !== undefined) {
      given[row.name] = listReaders[row.type](row.name, given[row.name], vocabSize);
      const list = listNames.indexOf(row.list ?? "");
      lists[list] = lists[list].concat(listWords(row, given[row.name]));
    }
  if (given.grammar !== undefined) checkMatcher(given.grammar);
  checkOrder(order, given);
  checkConflicts(given);
  const numbers = [];
  for (const row of optionTable) {
    if (row.slot === undefined) continue;
    let value = given[row.name] ?? row.default;
    if (row.preset && (value === undefined || value === "preset"))
      value = preset[/** @type {"penaltyWindow"} */ (row.name)];
    numbers[row.slot] = row.choices ? row.choices.indexOf(/** @type {any} */ (value)) : Number(value);
  }
  return {
    given: /** @type {SamplerOptions} */ (given),
    vocabSize,
    numbers,
    lists,
    order: order.map((stage) => stageNames.indexOf(stage)),
    rules: preset.rules,
  };
}

/**
 * The options under their canonical names.
 * @param {object} options
 * @returns {Record<string, any>}
 */
export function canonicalNames(options) {
  if (typeof options !== "object" || options === null) throw typeError("bad-type", "Options must be an object.");
  /** @type {Record<string, any>} */
  const given = {};
  for (const [name, value] of Object.entries(options)) {
    const row = rowByName.get(name);
    if (!row) throw unknownOption(name);
    if (row.name in given) throw typeError("conflict", `${row.name} is given twice, under two names.`);
    given[row.name] = value;
  }
  return given;
}

/**
 * @param {OptionRow} row
 * @param {unknown} value
 */
function checkValue(row, value) {
  if (row.preset && value === "preset") return;
  if (row.choices) {
    if (!row.choices.includes(/** @type {string} */ (value)))
      throw rangeError("out-of-range", `${row.name} must be one of ${row.choices.join(", ")}, not ${String(value)}.`);
  } else if (row.min !== undefined) {
    if (typeof value !== "number")
      throw typeError("bad-type", `${row.name} must be a number, not ${value === null ? "null" : typeof value}.`);
    const isWhole = row.type !== "integer" || Number.isInteger(value);
    if (!isWhole || !(value >= row.min && value <= /** @type {number} */ (row.max)))
      throw rangeError(
        "out-of-range",
        `${row.name} is ${value}, but must be ${row.type === "integer" ? "a whole number " : ""}from ${row.min} to ${row.max}.`,
      );
  }
}

/**
 * @param {string[]} order
 * @param {Record<string, any>} given
 */
function checkOrder(order, given) {
  if (!Array.isArray(order))
    throw rangeError(
      "out-of-range",
      `order must be a list of stages or one of ${Object.keys(orderPresets).join(", ")}.`,
    );
  const stages = stageNames.slice(1);
  for (const stage of order)
    if (!stages.includes(stage))
      throw rangeError("out-of-range", `order names "${stage}"; the stages are ${stages.join(", ")}.`);
  if (new Set(order).size < order.length) throw rangeError("bad-order", "order names a stage twice.");
  const rank = (/** @type {string} */ stage) =>
    editStages.includes(stage) ? 0 : feedbackStages.includes(stage) ? 2 : 1;
  for (let i = 1; i < order.length; i++)
    if (rank(order[i]) < rank(order[i - 1]))
      throw rangeError(
        "bad-order",
        `order has "${order[i]}" after "${order[i - 1]}", but ${editStages.join(", ")} edit raw logits and come first, and ${feedbackStages.join(", ")} learn from the draw and come last.`,
      );
  for (const row of optionTable) {
    if (!row.stages || isOff(row, given)) continue;
    if (row.stages.some((stage) => stage === "mask" || order.includes(stage))) continue;
    throw rangeError(
      "conflict",
      `${row.name} needs the stage "${row.stages.join('" or "')}", which order${typeof given.order === "string" ? ` "${given.order}"` : ""} leaves out.`,
    );
  }
}

/**
 * Whether the option, as given, does nothing.
 * @param {OptionRow} row
 * @param {Record<string, any>} given
 */
function isOff(row, given) {
  let value = given[row.name];
  if (row.name === "adaptiveTarget" && value < 0) value = row.off; // any negative number
  return value === undefined || value === "preset" || value === (row.off ?? row.default) || value.length === 0;
}

/** @param {Record<string, any>} given */
function checkConflicts(given) {
  const on = optionTable.filter((row) => !isOff(row, given));
  for (const row of on) {
    if (row.needs && !on.some(({ name }) => name === row.needs))
      throw typeError("conflict", `${row.name} does nothing without ${row.needs}.`);
    const [stage] = row.stages ?? [];
    const isFeedback = feedbackStages.includes(stage) && row.off !== undefined;
    if (given.temperature === 0 && (isFeedback || row.name === "dynatempRange"))
      throw rangeError("conflict", `${row.name} needs a temperature above 0: at 0 the likeliest token is taken.`);
    const isTruncation = row.off !== undefined && stageNames.indexOf(stage) > stageNames.indexOf("temperature");
    if (given.mirostat && isTruncation && stage !== "mirostat")
      throw rangeError("conflict", `mirostat chooses by itself how many tokens stay: switch ${row.name} off.`);
  }
}

/**
 * How the values of list options are checked and copied, by the table's types.
 * @type {Record<string, (name: string, value: any, vocabSize: number) => any[]>}
 */
const listReaders = {
  bias: biasEntries,
  tokens: tokenIds,
  sequences: (name, value, vocabSize) => listOf(name, value).map((ids) => sequence(name, ids, vocabSize)),
  weighted: (name, value, vocabSize) =>
    listOf(name, value).map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2)
        throw typeError("bad-type", `${name} must hold [ids, bias] pairs.`);
      return [sequence(name, pair[0], vocabSize), checkBias(`${name} of ${pair[0]}`, pair[1])];
    }),
};

/**
 * The words of a list option's value, as li_sampler_set_list takes them.
 * @param {OptionRow} row
 * @param {any[]} value
 * @returns {number[]}
 */
function listWords(row, value) {
  const bits = (/** @type {number} */ bias) => new Uint32Array(Float32Array.of(bias).buffer)[0];
  if (row.type === "bias") return value.flatMap(([id, bias]) => [id, bits(bias)]);
  if (row.type === "weighted") return value.flatMap(([ids, bias]) => [ids.length, bits(bias), ...ids]);
  if (row.name === "badWords") return value.flatMap((ids) => [ids.length, bits(-Infinity), ...ids]);
  return row.type === "sequences" ? value.flatMap((ids) => [ids.length, ...ids]) : value;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {any[]}
 */
function listOf(name, value) {
  if (!Array.isArray(value)) throw typeError("bad-type", `${name} takes a list.`);
  return value;
}

/**
 * @param {string} name
 * @param {unknown} ids a token id or a list of them
 * @param {number} vocabSize
 */
function sequence(name, ids, vocabSize) {
  const list = tokenList(name, typeof ids === "number" ? [ids] : ids, vocabSize);
  if (!list.length) throw rangeError("out-of-range", `${name} holds an empty list of tokens.`);
  return list;
}

/**
 * @param {string} name
 * @param {unknown} ids
 * @param {number} vocabSize
 * @returns {number[]} those that are a set: ascending, each once
 */
function tokenIds(name, ids, vocabSize) {
  const list = tokenList(name, typeof ids === "number" ? [ids] : ids, vocabSize);
  if (name === "allowedTokens" && !list.length)
    throw rangeError("out-of-range", "allowedTokens is empty, so nothing could ever be chosen.");
  return name.startsWith("forced") ? list : [...new Set(list)].sort((a, b) => a - b);
}

/**
 * @param {string} name
 * @param {unknown} bias
 */
function checkBias(name, bias) {
  if (typeof bias !== "number") throw typeError("bad-type", `${name} must be a number.`);
  if (!(bias <= 1e9 && (bias >= -1e9 || bias === -Infinity)))
    throw rangeError("out-of-range", `${name} is ${bias}, but must be from -1e9 to 1e9, or -Infinity.`);
  return bias;
}

/**
 * @param {string} name
 * @param {any} bias
 * @param {number} vocabSize
 * @returns {[number, number][]}
 */
function biasEntries(name, bias, vocabSize) {
  if (typeof bias !== "object" || bias === null)
    throw typeError("bad-type", `${name} must be an object, a Map or a list of [id, bias] pairs.`);
  const isPairs = bias instanceof Map || Array.isArray(bias);
  const entries = isPairs ? [.../** @type {Iterable<[any, any]>} */ (bias)] : Object.entries(bias);
  /** @type {Map<number, number>} */
  const byId = new Map();
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) throw typeError("bad-type", `${name} must hold [id, bias] pairs.`);
    const id = isPairs ? entry[0] : entry[0] === "" ? NaN : Number(entry[0]);
    checkToken(name, id, vocabSize);
    if (byId.has(id)) throw typeError("conflict", `${name} names token ${id} twice.`);
    byId.set(id, checkBias(`${name} of token ${id}`, entry[1]));
  }
  return [...byId];
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
  const list = Array.from(/** @type {number[]} */ (ids));
  for (const id of list) checkToken(name, id, vocabSize);
  return list;
}

/**
 * @param {string} name
 * @param {unknown} id
 * @param {number} vocabSize
 */
function checkToken(name, id, vocabSize) {
  if (typeof id !== "number") throw typeError("bad-type", `${name} must hold numbers, not ${typeof id}.`);
  if (!Number.isInteger(id) || id < 0 || id >= vocabSize)
    throw rangeError("out-of-range", `${name} names token ${id}; tokens are whole numbers from 0 to ${vocabSize - 1}.`);
}

function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1fffff) * 2 ** 32 + low;
}
