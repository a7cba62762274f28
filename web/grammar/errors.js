// The errors of grammars: as those of ../errors.js, with sentences of their own and the place in the schema.
import { grammarErrorTable } from "../grammar-error-table.js";
import { LastInchError, check } from "../sampler.js";

export { rangeError, typeError } from "../sampler.js";

/** @typedef {import("../errors.js").ErrorCode} ErrorCode */

/** A LastInchError that knows the sentences of grammars too. */
export class GrammarError extends LastInchError {
  /**
   * @param {ErrorCode} code
   * @param {string} [detail] what in particular went wrong
   * @param {{ pointer?: string, keyword?: string }} [place] in the JSON Schema
   */
  constructor(code, detail, place = {}) {
    const sentence = grammarErrorTable.find((entry) => entry[0] === code)?.[2];
    super(code, [sentence, detail].filter(Boolean).join(" "));
    /** JSON pointer to the subschema, with its document where that is another */
    this.pointer = place.pointer;
    this.keyword = place.keyword;
  }
}

/** What stands in the place of the sentence of "grammar-fuel" where a fixed limit was met, by its number (li_limit). */
const fixedLimits = [
  "",
  "the memory of a grammar (a million terms, or 512 MB)",
  "40,000 states in one mask",
  "400 levels of nesting",
  "the digits that numbers may have",
  "the search for values that differ (uniqueItems, minProperties)",
  "the ways to be an object or an array",
];

/**
 * As check of ../errors.js.
 * @param {number} status
 * @param {string} [detail]
 * @param {() => number} [limit] of "grammar-fuel": which limit was met, 0: the work
 */
export function checkGrammar(status, detail, limit) {
  const row = grammarErrorTable.find((entry) => entry[1] === status && status < 0);
  const fixed = row?.[0] === "grammar-fuel" && fixedLimits[limit?.() ?? 0];
  if (fixed) {
    const error = new GrammarError("grammar-fuel");
    error.message = `The grammar or the text meets a limit that no option raises: ${fixed}. Simplify the grammar.`;
    throw error;
  }
  if (row) throw new GrammarError(row[0], detail);
  return check(status, detail);
}
