// What C found when it compiled a form. These are numbers, because a model's thread has no schema to point into: the thread
// that has read the schema puts them into words.
import { ERROR_GRAMMAR_UNSUPPORTED } from "../core/layouts.js";
import { GrammarError, checkGrammar } from "./errors.js";

/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * @typedef {object} Outcome
 * @property {number} status negative: the form was not compiled
 * @property {number} limit that was met
 * @property {boolean} isEmpty no text satisfies the grammar
 * @property {[schema: number, keyword: number, reason: number][]} refusals
 */

/**
 * What was read of a grammar's text.
 * @typedef {object} Source
 * @property {Remark[]} refusals
 * @property {(index: number, keyword: number, reason: number) => Remark} remark a refusal of C, with its place in the schemas
 */

/**
 * The keywords that are not enforced, in words.
 * @param {Outcome} outcome
 * @param {Source} source
 * @returns {Remark[]}
 */
export function refusalsOf({ refusals }, source) {
  return [...source.refusals, ...refusals.map((refusal) => source.remark(...refusal))];
}

/**
 * Throws the error of a form that was not compiled.
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
