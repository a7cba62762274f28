// Notices that a text has begun to repeat itself: the same tokens, or the same words in other tokens.
import { checkWhole } from "../core/arguments.js";

/**
 * A repetition at the end of a text.
 * @typedef {object} Loop
 * @property {number} start index of the first turn's first token
 * @property {number} period tokens of the first turn
 * @property {number} turns complete ones
 * @property {number} textEnd UTF-16 units of the text up to the end of the first turn; 0 if `push` got no texts
 */

/** @typedef {{ period: [number, number], turns: number, least: number }} LoopLimits as of LoopOptions, all of them */

/**
 * Counts, for every period, how many of the last values equal the value one period earlier. It visits only the earlier
 * occurrences of the value within the longest period: a loop over all periods takes three times as long.
 */
class Periods {
  #first;
  #last;
  #least;
  #turns;
  /** For each place the place of the value's occurrence before, or -1. @type {number[]} */
  #before = [];
  /** @type {number[]} */
  #values = [];
  /** The place where each value occurred last. @type {Map<number, number>} */
  #places = new Map();
  /** For each period: matching values up to the place `#until`. */
  #matches;
  #until;

  /** @param {[number, number]} period @param {number} turns @param {number} least values of a repetition */
  constructor([first, last], turns, least) {
    this.#first = first;
    this.#last = last;
    this.#turns = turns;
    this.#least = least;
    this.#matches = new Int32Array(last + 1);
    this.#until = new Int32Array(last + 1).fill(-1);
  }

  /**
   * The shortest period in which the values repeat themselves now, or 0.
   * @param {number} value
   */
  push(value) {
    const matches = this.#matches;
    const until = this.#until;
    const before = this.#before;
    const at = before.length;
    const recent = this.#places.get(value) ?? -1;
    this.#places.set(value, at);
    before.push(recent);
    this.#values.push(value);
    let found = 0;
    for (let place = recent; place >= 0 && at - place <= this.#last; place = before[place]) {
      const period = at - place;
      if (period < this.#first) continue;
      matches[period] = until[period] === at - 1 ? matches[period] + 1 : 1;
      until[period] = at;
      const span = matches[period] + period;
      if (!found && span >= this.#turns * period && span >= this.#least) found = period;
    }
    return found;
  }

  /** Forgets the last values. @param {number} count */
  takeBack(count) {
    const before = this.#before;
    const values = this.#values;
    const length = before.length - count;
    for (let at = before.length - 1; at >= length; at--) this.#places.set(values[at], before[at]);
    before.length = values.length = length;
    for (let period = 1; period <= this.#last; period++) {
      if (this.#until[period] < length) continue;
      let matches = 0;
      while (length > matches + period && values[length - 1 - matches] === values[length - 1 - matches - period])
        matches++;
      this.#matches[period] = matches;
      this.#until[period] = matches ? length - 1 : -1;
    }
  }

  /** Values of the repetition that was found last. @param {number} period */
  span(period) {
    return this.#matches[period] + period;
  }

  get length() {
    return this.#before.length;
  }
}

export class LoopDetector {
  #limits;
  #tokens;
  #words;
  /**
   * Before each token: words begun, words ended, and the word that may continue.
   * @type {{ begins: number, words: number, word: string }[]}
   */
  #before = [];
  /** UTF-16 units up to the end of each token. @type {number[]} */
  #ends = [];
  /** A number for each word. @type {Map<string, number>} */
  #numbers = new Map();
  /** Where each word begins, in UTF-16 units, and in which token. @type {number[]} */
  #begins = [];
  /** @type {number[]} */
  #tokenOf = [];
  /** The last word, while it may continue. */
  #word = "";

  /** Use createLoopDetector. @internal @param {LoopLimits} limits */
  constructor(limits) {
    const { period, turns, least } = limits;
    this.#limits = limits;
    this.#tokens = new Periods(period, turns, least);
    this.#words = new Periods(period, turns, 1);
  }

  /**
   * Reads the next token of the text.
   * @param {number} id
   * @param {string} [text] of the token; without texts only equal tokens are found
   * @returns {Loop | undefined} the loop of the shortest period in which the text is now
   */
  push(id, text = "") {
    const end = (this.#ends.at(-1) ?? 0) + text.length;
    this.#before.push({ begins: this.#begins.length, words: this.#words.length, word: this.#word });
    const count = this.#ends.push(end);
    const period = this.#tokens.push(id);
    const byWords = this.#read(text, end - text.length);
    if (!period) return byWords;
    const span = this.#tokens.span(period);
    const start = count - span;
    return { start, period, turns: Math.floor(span / period), textEnd: this.#ends[start + period - 1] };
  }

  /**
   * Forgets the last tokens.
   * @param {number} count
   */
  takeBack(count) {
    checkWhole("count", count, 0, this.#ends.length);
    if (!count) return;
    const kept = this.#ends.length - count;
    const { begins, words, word } = this.#before[kept];
    this.#tokens.takeBack(count);
    this.#words.takeBack(this.#words.length - words);
    this.#word = word;
    this.#ends.length = this.#before.length = kept;
    this.#begins.length = this.#tokenOf.length = begins;
  }

  /**
   * Reads words: letters and digits with the space before them, or any other character.
   * @param {string} text
   * @param {number} offset of the text, in UTF-16 units
   * @returns {Loop | undefined}
   */
  #read(text, offset) {
    /** @type {Loop | undefined} */
    let found;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (isLetter(unit) && this.#word) {
        this.#word += text[at];
        continue;
      }
      if (this.#word) found = this.#endWord() ?? found;
      this.#begins.push(offset + at);
      this.#tokenOf.push(this.#ends.length - 1);
      this.#word = text[at];
      if (!isLetter(unit) && unit !== SPACE) found = this.#endWord() ?? found;
    }
    return found;
  }

  /** @returns {Loop | undefined} */
  #endWord() {
    const numbers = this.#numbers;
    let number = numbers.get(this.#word);
    if (number === undefined) numbers.set(this.#word, (number = numbers.size));
    this.#word = "";
    const period = this.#words.push(number);
    if (!period) return undefined;
    const span = this.#words.span(period);
    const first = this.#words.length - span;
    const start = this.#tokenOf[first];
    if (this.#ends.length - start < this.#limits.least) return undefined;
    const next = this.#tokenOf[first + period];
    const turns = Math.floor(span / period);
    return { start, period: Math.max(1, next - start), turns, textEnd: this.#begins[first + period] };
  }
}

const SPACE = 32;

/** Whether a UTF-16 unit joins others to a word: letters and digits, of other scripts up to Greek Extended. */
const isLetter = (/** @type {number} */ unit) =>
  (unit > 96 && unit < 123) || (unit > 64 && unit < 91) || (unit > 47 && unit < 58) || (unit >= 0xc0 && unit < 0x2000);
