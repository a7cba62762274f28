// The errors of grammars, like those of core/errors.js, with their own sentences and a place in the schema.
import { LastInchError, check } from "../core/errors.js";
import { grammarErrorTable } from "./grammar-error-table.js";
import {
  LIMIT_DEPTH,
  LIMIT_DIGITS,
  LIMIT_FUEL,
  LIMIT_MEMORY,
  LIMIT_STATES,
  LIMIT_VALUES,
  LIMIT_WAYS,
} from "./form-numbers.js";

/** @typedef {import("../core/errors.js").ErrorCode} ErrorCode */

const fixedSentence = "The grammar or the text must be simpler, since it meets a limit that no option raises:";

/** The limits of C that no option raises. @type {Record<number, string | undefined>} */
const fixedLimits = {
  [LIMIT_MEMORY]: "the memory of a grammar (a million terms, or 512 MB).",
  [LIMIT_STATES]: "40,000 states in one mask.",
  [LIMIT_DEPTH]: "400 levels of nesting.",
  [LIMIT_DIGITS]: "the digits that numbers may have.",
  [LIMIT_VALUES]: "the search for values that differ (uniqueItems, minProperties).",
  [LIMIT_WAYS]: "the alternatives of an object or an array.",
};

/** A LastInchError with the sentences of grammars. */
export class GrammarError extends LastInchError {
  /**
   * @param {ErrorCode} code
   * @param {string} [detail] the exact fault; for "grammar-fuel" the limit, if no option raises it
   * @param {{ pointer?: string, keyword?: string }} [place] in the JSON Schema
   */
  constructor(code, detail, place = {}) {
    const isFixed = code === "grammar-fuel" && detail;
    const sentence = isFixed ? fixedSentence : grammarErrorTable.find((entry) => entry[0] === code)?.[2];
    super(code, [sentence, detail].filter(Boolean).join(" "));
    /** JSON pointer to the subschema; in a remote schema it comes after the document's URI */
    this.pointer = place.pointer;
    this.keyword = place.keyword;
  }
}

/**
 * Like check in core/errors.js, with the errors of grammars.
 * @param {number} status
 * @param {string} [detail]
 * @param {() => number} [limit] for "grammar-fuel": which limit was exceeded
 */
export function checkGrammar(status, detail, limit) {
  const row = grammarErrorTable.find((entry) => entry[1] === status && status < 0);
  if (row) throw new GrammarError(row[0], row[0] === "grammar-fuel" ? fixedLimits[limit?.() ?? LIMIT_FUEL] : detail);
  return check(status, detail);
}
