// Drafts without a distribution: one guessed token for each position. The sampler chooses as without a guess, and
// accepts a guess that equals its choice. So the text for a seed is the same as without drafts, token for token.
import { MOST_PROPOSALS } from "./draft-pace.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** @typedef {{ tokens: number[], kind: number }} Guess kind: how the guess was found; acceptance is measured for each kind */

const FEW = 3;
/**
 * After this many wrong guesses in a row, half of the text is generated without guesses, because guessing takes time
 * too.
 */
const MISSES = 16;
const REST = 8;

/** @implements {Drafter} */
export class Guesser {
  #eos;
  #pace;
  #kind = 0;
  #isUsed = false;
  #misses = 0;
  /** Whether guessing pauses, so that `see` need not be called. */
  isResting = false;
  /** The text so far. @type {number[]} */
  #ids = [];
  /** A guess that did not run, and its position. It still counts for the acceptance. */
  #shadow = { tokens: /** @type {number[]} */ ([]), kind: 0, place: 0 };

  /**
   * @param {Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor({ settings }, pace) {
    this.#eos = new Set(/** @type {number[]} */ (settings.sampler.given.eos));
    this.#pace = pace;
  }

  get isFixed() {
    return this.#pace.isFixed;
  }

  /**
   * Guesses the next tokens of the text.
   * @param {readonly number[]} _ids
   * @param {number} _most
   * @returns {Guess}
   */
  guess(_ids, _most) {
    return { tokens: [], kind: 0 };
  }

  /**
   * @param {Lane} lane
   * @param {number} most
   */
  propose(lane, most) {
    const ids = this.#ids;
    const { tokens: done } = lane.sequence;
    this.isResting = !this.isFixed && this.#misses > MISSES && ((done.length / REST) & 1) === 1;
    if (this.isResting) return [];
    for (let i = ids.length; i < done.length; i++) ids.push(done[i]);
    for (let i = ids.length - done.length; i < lane.pending.length; i++) ids.push(lane.pending[i]);
    this.#compare();
    // Unused guesses need not be long.
    const limit = this.isFixed ? most : Math.min(most, this.#isUsed ? MOST_PROPOSALS : FEW);
    const { tokens, kind } = this.guess(ids, limit);
    const possible = possibleTokens(tokens, lane, this.#eos);
    const count = possible.length ? this.#pace.choose(kind, possible.length) : 0;
    this.#kind = kind;
    this.#isUsed = count > 0;
    if (count) this.#shadow.tokens = [];
    else if (!this.#shadow.tokens.length) this.#shadow = { tokens: possible, kind, place: ids.length };
    return possible.slice(0, count);
  }

  /**
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle({ proposals, continuation }, accepted) {
    const isRejected = accepted < proposals.length && !continuation.isOver;
    if (proposals.length) this.#pace.noteOutcome(this.#kind, accepted, isRejected);
  }

  dispose() {}

  /** Compares the guess that did not run with the text. */
  #compare() {
    const { tokens, kind, place } = this.#shadow;
    const ids = this.#ids;
    let right = 0;
    while (right < tokens.length && place + right < ids.length && tokens[right] === ids[place + right]) right++;
    const isOpen = place + right === ids.length && right < tokens.length;
    if (!tokens.length || isOpen) return;
    this.#pace.noteOutcome(kind, right, right < tokens.length);
    this.#misses = right ? 0 : this.#misses + 1;
    this.#shadow.tokens = [];
  }
}

/**
 * The guessed tokens up to an end token, as far as the grammar allows them.
 * @param {number[]} tokens
 * @param {Lane} lane
 * @param {ReadonlySet<number>} eos
 */
export function possibleTokens(tokens, { constraint }, eos) {
  const end = tokens.findIndex((id) => eos.has(id));
  const known = end < 0 ? tokens : tokens.slice(0, end + 1);
  if (!constraint) return known;
  let count = 0;
  while (count < known.length && constraint.matcher.accept(known[count])) count++;
  if (count) constraint.matcher.rollback(count);
  return known.slice(0, count);
}
