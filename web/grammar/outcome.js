// What C found when it compiled a form, in numbers, because a model's thread has no schema to point into. The thread
// that has read the schema puts them into words.
import { ERROR_GRAMMAR_UNSUPPORTED } from "../core/layouts.js";
import { GrammarError, checkGrammar } from "./grammar-errors.js";

/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * @typedef {object} Outcome
 * @property {number} status negative: the form was not compiled
 * @property {number} limit that was met
 * @property {boolean} isEmpty no text satisfies the grammar
 * @property {[schema: number, keyword: number, reason: number][]} refusals
 */

/**
 * What a reader knows about a grammar's text.
 * @typedef {object} Source
 * @property {Remark[]} refusals
 * @property {(index: number, keyword: number, reason: number) => Remark} remark adds the place in the schemas to a
 *   refusal from C
 */

/**
 * Puts refusals into words.
 * @param {Outcome} outcome
 * @param {Source} source
 * @returns {Remark[]}
 */
export function refusalsOf({ refusals }, source) {
  return [...source.refusals, ...refusals.map((refusal) => source.remark(...refusal))];
}

/**
 * Throws the error for a form that was not compiled.
 * @param {Outcome} outcome
 * @param {Remark[]} [refusals] its refusals in words
 */
export function checkOutcome({ status, limit }, [refusal] = []) {
  if (status === ERROR_GRAMMAR_UNSUPPORTED && refusal)
    throw new GrammarError("grammar-unsupported", refusalSentence(refusal), refusal);
  checkGrammar(status, undefined, () => limit);
}

/** @param {Remark} refusal */
function refusalSentence({ pointer, keyword, reason }) {
  const place = pointer + (keyword && `/${keyword}`);
  return `${place === "" ? "The schema" : place}: ${reason}.`;
}
