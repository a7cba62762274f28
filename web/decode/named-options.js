// Names the options of model.generate, and checks them by their table.
import { checkBoolean, checkNumber, checkObject } from "../core/arguments.js";
import { canonicalNames } from "../sampler/options.js";
import { splitOptions } from "../sampler/split-options.js";
import { generateTable } from "./generate-option-table.js";

/**
 * The options with these names, under all their names.
 * @param {string[]} [names] default: all
 * @returns {Record<string, string>}
 */
export const spellingsOf = (names) =>
  Object.fromEntries(
    generateTable
      .filter(({ name }) => !names || names.includes(name))
      .flatMap(({ name, aliases = [] }) => [name, ...aliases].map((spelling) => [spelling, name])),
  );

/** All options of generate under all their names. */
const names = spellingsOf();

/** Options of chat that generate does not have. They have one name each. */
export const chatNames = ["tools", "toolChoice", "parallelToolCalls", "reasoning", "chatTemplate", "overflow"];

/**
 * The options of generate under their canonical names, without undefined values. Code must read options only under
 * these names.
 * @param {object} options
 * @param {string[]} [kept] other options, which stay unchanged
 * @returns {Record<string, any>}
 * @throws {TypeError} "unknown-option"; "conflict" if an option is given twice
 */
export function namedOptions(options, kept = []) {
  checkObject("Options", options);
  const entries = Object.entries(options);
  const isKept = (/** @type {[string, unknown]} */ [name]) => kept.includes(name);
  const rest = Object.fromEntries(entries.filter((entry) => !isKept(entry)));
  const { own, others } = splitOptions(rest, names);
  const given = Object.entries(canonicalNames(others)).filter(([, value]) => value !== undefined);
  return { ...own, ...Object.fromEntries([...given, ...entries.filter(isKept)]) };
}

/**
 * Checks the value of an option by its row of the table.
 * @param {string} name
 * @param {unknown} value
 * @param {number} [max] if the table has none
 */
export function checkOption(name, value, max = 0) {
  const row = /** @type {import("./generate-option-table.js").GenerateRow} */ (
    generateTable.find((one) => one.name === name)
  );
  if (row.type === "boolean") return checkBoolean(name, value);
  checkNumber(name, value, /** @type {number} */ (row.min), row.max ?? max, row.type === "integer");
}
