// Prompt lookup (Saxena, "Prompt lookup decoding", 2023): proposes the tokens that followed an earlier occurrence of
// the last few tokens. The guess is free, and often right when a text repeats its prompt (editing, summaries, code) or
// itself.
import { checkNames, checkWhole } from "../../core/arguments.js";
import { typeError } from "../../core/errors.js";
import { Guesser } from "./guesser.js";

/** The longest match to look for: longer ones are no more reliable. */
const LONGEST = 16;
/** The shortest match to use: one token is not reliable. */
const LEAST = 2;

/**
 * Finds the longest earlier match, of at most `ngram` tokens, for the end of the text; of equally long ones, the most
 * recent. (Hugging Face takes the first one, and tries the lengths one after the other; one walk finds all here: 8
 * thousand tokens in about 10 microseconds.)
 * @param {ArrayLike<number>} ids
 * @param {number} ngram
 * @returns {{ length: number, next: number }} of the match, and the place after it
 */
function findMatch(ids, ngram) {
  const end = ids.length - 1;
  let length = 0;
  let next = 0;
  for (let i = end - 1; i >= 0 && length < ngram; i--) {
    if (ids[i] !== ids[end]) continue;
    let same = 1;
    while (same < ngram && same <= i && ids[i - same] === ids[end - same]) same++;
    if (same > length) [length, next] = [same, i + 1];
  }
  return { length, next };
}

/**
 * @param {ArrayLike<number>} ids
 * @param {number} start
 * @param {number} count
 */
function copy(ids, start, count) {
  // A guess that reaches the end of the text continues with its own tokens, so it continues a repetition.
  /** @type {number[]} */
  const tokens = [];
  for (let i = start; tokens.length < count; i++) tokens.push(i < ids.length ? ids[i] : tokens[i - ids.length]);
  return tokens;
}

/**
 * Guesses the next tokens of a text: those that followed an earlier occurrence of its last tokens. An engine can run
 * the guess after the text in one pass, and keep it as far as its own choices agree.
 * @param {ArrayLike<number>} ids
 * @param {{ ngram?: number, least?: number, count?: number }} [options] ngram: most tokens to compare (default 16; more
 *   is only slower); least: fewest tokens that must agree (default 2); count: how many tokens to guess (default 10)
 * @returns {number[]} empty if nothing agrees
 */
export function lookupDraft(ids, options = {}) {
  checkNames("lookupDraft", options, ["ngram", "least", "count"]);
  const { ngram = LONGEST, least = Math.min(LEAST, ngram), count = 10 } = options;
  if (typeof ids?.length !== "number") throw typeError("bad-type", "lookupDraft takes a list of token ids.");
  checkWhole("ngram", ngram, 1, 2 ** 32 - 1);
  checkWhole("least", least, 1, ngram);
  checkWhole("count", count, 0, 2 ** 32 - 1);
  const { length, next } = findMatch(ids, ngram);
  return length >= least ? copy(ids, next, count) : [];
}

/** The assumed acceptance after a match, by the logarithm of its length, before the first measurement. */
const PRIORS = [0.3, 0.5, 0.6, 0.8, 0.9];
/** Those of matches in the text itself, then in other texts. */
export const LOOKUP_PRIORS = [...PRIORS, ...PRIORS];

/** Looks in the text itself, then in all others that the model has read or written. */
export class Lookup extends Guesser {
  #memory;

  /**
   * @param {import("../loop.js").Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor(call, pace) {
    super(call, pace);
    this.#memory = call.engine.texts;
  }

  /**
   * @override
   * @param {readonly number[]} ids
   * @param {number} most
   */
  guess(ids, most) {
    const own = findMatch(ids, LONGEST);
    const other = this.#memory.find(ids, LONGEST);
    if (other.length > own.length)
      return { tokens: this.#memory.copy(other.next, most), kind: PRIORS.length + log2(other.length) };
    if (own.length < LEAST) return { tokens: [], kind: 0 };
    return { tokens: copy(ids, own.next, most), kind: log2(own.length) };
  }
}

/** @param {number} length at least 1 */
const log2 = (length) => 31 - Math.clz32(length);
