// The options of model.generate by name: their spellings, and the checks of their table.
import { checkBoolean, checkNumber, checkObject } from "../core/arguments.js";
import { canonicalNames } from "../sampler/sampler.js";
import { splitOptions } from "../sampler/split-options.js";
import { generateTable } from "./generate-table.js";

/**
 * The options with these names by all their spellings.
 * @param {string[]} [names] default: all
 * @returns {Record<string, string>}
 */
export const spellingsOf = (names) =>
  Object.fromEntries(
    generateTable
      .filter(({ name }) => !names || names.includes(name))
      .flatMap(({ name, aliases = [] }) => [name, ...aliases].map((spelling) => [spelling, name])),
  );

/** All options of generate by all their spellings. */
const names = spellingsOf();

/**
 * The options of generate by their names and without undefined values, whatever their spellings. Only by these names may
 * anything read an option.
 * @param {object} options
 * @returns {Record<string, any>}
 * @throws {TypeError} "unknown-option"; "conflict" where an option is given twice
 */
export function namedOptions(options) {
  checkObject("Options", options);
  const { own, others } = splitOptions(options, names);
  const given = Object.entries(canonicalNames(others)).filter(([, value]) => value !== undefined);
  return { ...own, ...Object.fromEntries(given) };
}

/**
 * Checks the value of an option by its row of the table.
 * @param {string} name
 * @param {unknown} value
 * @param {number} [max] where the table has none
 */
export function checkOption(name, value, max = 0) {
  const row = /** @type {import("./generate-table.js").GenerateRow} */ (generateTable.find((one) => one.name === name));
  if (row.type === "boolean") return checkBoolean(name, value);
  checkNumber(name, value, /** @type {number} */ (row.min), row.max ?? max, row.type === "integer");
}
