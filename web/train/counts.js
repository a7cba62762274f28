// A table of counts: which characters followed the last few characters of a text, wherever they stand in another.
import { checkNames, checkWhole } from "../core/arguments.js";
import { readCharacters } from "./text-characters.js";

/**
 * The oldest model of a language (Shannon, "A mathematical theory of communication", 1948): the next character is drawn
 * as often as it followed the last `order` characters in the text. Where these never stand together, the last
 * `order - 1` count, and so on.
 * @param {string} text 2,000 to 2,000,000 characters, as createTrainer takes it
 * @param {{ order?: number }} [options] order: 0 to 5 characters that it looks at, by default 3
 * @returns {Counts}
 * @throws {TypeError | RangeError} "bad-type", "out-of-range", "unknown-option"
 */
export function createCounts(text, options = {}) {
  checkNames("createCounts", options, ["order"]);
  const { order = 3 } = options;
  checkWhole("order", order, 0, 5);
  return new Counts(readCharacters(text), order);
}

/**
 * The natural logarithm of a whole number. Math.log may differ between browsers; these operations do not.
 * @param {number} count 1 or more
 */
function logarithm(count) {
  let twos = 0;
  while (count >= 1.5) {
    count /= 2;
    twos++;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), of which the factor is at most 1/5 here.
  const factor = (count - 1) / (count + 1);
  let sum = 0;
  for (let n = 21; n > 0; n -= 2) sum = sum * factor * factor + 1 / n;
  return twos * Math.LN2 + 2 * factor * sum;
}

/** Counts of a text: see createCounts. */
export class Counts {
  #tokens;
  #characters;
  /** Characters that the last row looked at, at most `order`. */
  seen = 0;

  /** @internal @param {ReturnType<typeof readCharacters>} read @param {number} order */
  constructor({ characters, tokens }, order) {
    this.#tokens = tokens;
    this.#characters = characters;
    /** The characters that are told apart, by id from 3 on. */
    this.characters = characters.list;
    /** Characters that it looks at, at most. */
    this.order = order;
  }

  /** Tokens: the characters and three more, as those of a trainer. */
  get vocabSize() {
    return this.#characters.vocabSize;
  }

  /**
   * The logarithm of how often each character followed the end of `text`; -Infinity: never.
   * @param {string} text
   * @returns {Float32Array} (vocabSize)
   */
  logits(text) {
    const ids = this.#characters.tokens(text);
    for (let length = Math.min(this.order, ids.length); ; length--) {
      const counts = this.#follow(ids.slice(ids.length - length));
      if (!counts.some((count) => count > 0)) continue; // no character at all always has followers
      this.seen = length;
      return Float32Array.from(counts, (count) => (count ? logarithm(count) : -Infinity));
    }
  }

  // The text is searched each time: 2,000,000 characters take milliseconds, and a table of order 5 would take 100 MB.
  /** @param {number[]} context */
  #follow(context) {
    const tokens = this.#tokens;
    const length = context.length;
    const counts = new Float64Array(this.vocabSize);
    const last = context[length - 1];
    for (let at = length; at < tokens.length; at++) {
      if (length && tokens[at - 1] !== last) continue;
      let i = 1;
      while (i < length && tokens[at - 1 - i] === context[length - 1 - i]) i++;
      if (i >= length) counts[tokens[at]]++;
    }
    return counts;
  }

  /**
   * The character of a token; "\ufffd" for the three that are none.
   * @param {number} token
   */
  characterOf(token) {
    return this.#characters.of(token);
  }
}
