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

/**
 * As check of ../errors.js.
 * @param {number} status
 * @param {string} [detail]
 */
export function checkGrammar(status, detail) {
  const row = grammarErrorTable.find((entry) => entry[1] === status && status < 0);
  if (row) throw new GrammarError(row[0], detail);
  return check(status, detail);
}
