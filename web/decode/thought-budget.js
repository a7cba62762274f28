// Ends a thought that has used up its budget of tokens, or repeats itself. The strategy asks which tokens must come next.
import { advance, beginSearch } from "./stop-strings.js";

/** @typedef {import("./decode-types.js").ThoughtSettings} ThoughtSettings */
/** @typedef {import("./constraint.js").Tokenizer} Tokenizer */

/** Bytes of a character after its first. */
const MOST_BYTES = 3;

/** The budget of one text. It follows the text token by token. */
export class ThoughtBudget {
  #bytesOf;
  #budget;
  /** Tokens of the thought after which the closing begins. */
  #limit;
  /** Tokens of the text when `close` was called. */
  #closedAt = 0;
  /** How many tokens more may complete what the thought has begun. */
  #grace;
  /** What opens the thought, as units. */
  #begin;
  /** Finds what ends the thought. @type {import("./stop-strings.js").Search} */
  #end;
  /** Control tokens of `begin` and `end`, which have no bytes: the unit of each. @type {Map<number, number>} */
  #controls = new Map();
  /** The tokens that end the thought. @type {number[]} */
  #closing;
  /** How many of these complete `end`. */
  #closingEnd = 0;
  /** Bytes of the text that the prompt has already shown (token healing). */
  #healed;
  /** @type {number[]} */
  #ids = [];

  // The rest follows from #ids.

  /** @type {"start" | "thought" | "over"} */
  #place = "start";
  /** Units of `begin` so far. */
  #begun = 0;
  #hidden = 0;
  /** Tokens of the thought. */
  #count = 0;
  /** Bytes that complete the last character. */
  #missing = 0;
  /** Tokens of the closing so far. */
  #closed = 0;

  /**
   * @param {ThoughtSettings} settings
   * @param {Tokenizer} tokenizer
   * @param {number} [healed] bytes of the text that the prompt has already shown
   */
  constructor({ begin = "", end, budget, message, closing }, tokenizer, healed = 0) {
    this.#bytesOf = (/** @type {number} */ id) => tokenizer.bytesOf(id);
    this.#budget = this.#limit = budget;
    this.#healed = healed;
    const encode = (/** @type {string} */ text, special = true) =>
      text ? tokenizer.encode(text, { continues: true, special }) : [];
    this.#begin = this.#unitsOf(encode(begin));
    const ending = encode(end);
    this.#end = beginSearch(this.#unitsOf(ending));
    this.#grace = MOST_BYTES + ending.length;
    this.#closing = [...encode(message, false), ...encode(closing)];
    this.#reset();
    this.#place = "thought";
    for (const id of this.#closing) {
      if (this.#place !== "thought") break;
      this.#readUnits(id);
      this.#closingEnd++;
    }
    this.#reset();
  }

  /**
   * The tokens that must come next, of which there are more only after these; undefined if the model may go on.
   * @returns {number[] | undefined}
   */
  forced() {
    return this.#isClosing ? this.#closing.slice(this.#closed) : undefined;
  }

  /**
   * Ends the thought before its budget is used up.
   * @returns {boolean} whether the text is in its thought, or in the closing
   */
  close() {
    if (this.#place !== "thought" && !this.#isClosing) return false;
    if (this.#count < this.#limit) {
      this.#limit = this.#count;
      this.#closedAt = this.#ids.length;
    }
    return true;
  }

  /** @param {number} id the next token of the text */
  push(id) {
    this.#ids.push(id);
    this.#read(id);
  }

  /**
   * Takes back the last tokens of the text.
   * @param {number} count
   */
  rewind(count) {
    this.#ids.length -= count;
    if (this.#ids.length < this.#closedAt) this.#limit = this.#budget;
    this.#reset();
    for (const id of this.#ids) this.#read(id);
  }

  #reset() {
    this.#place = this.#begin ? "start" : "thought";
    this.#hidden = this.#healed;
    this.#begun = this.#count = this.#missing = this.#closed = this.#end.matched = 0;
  }

  /** The closing has begun, or must begin. */
  get #isClosing() {
    if (this.#closed) return this.#closed < this.#closing.length;
    if (this.#place !== "thought" || this.#count < this.#limit) return false;
    // A character that is incomplete, or an end that the model has begun, comes first. Bytes that are no text could go
    // on for ever, and so could beginnings of an end.
    const isWithin = this.#missing > 0 || this.#end.matched > 0;
    return !isWithin || this.#count >= this.#limit + this.#grace;
  }

  /** @param {number} id */
  #read(id) {
    if (this.#place === "over" && !this.#isClosing) return;
    if (this.#isClosing) this.#closed++;
    if (this.#place === "thought") this.#count++;
    this.#readUnits(id);
    // A message may happen to complete the end.
    if (this.#place === "over" && this.#closed < this.#closingEnd) this.#closed = this.#closing.length;
  }

  /** @param {number} id */
  #readUnits(id) {
    const bytes = this.#bytesOf(id);
    const control = this.#controls.get(id);
    if (!bytes.length && control) this.#readUnit(control);
    for (const byte of bytes) {
      if (byte < 0x80) this.#missing = 0;
      else if (byte < 0xc0) this.#missing = Math.max(0, this.#missing - 1);
      else this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (this.#hidden) this.#hidden--;
      else this.#readUnit(byte);
    }
  }

  /** @param {number} unit */
  #readUnit(unit) {
    if (this.#place === "thought") {
      advance(this.#end, unit);
      if (this.#end.matched === this.#end.stop.length) this.#place = "over";
    } else if (this.#place === "start" && unit === this.#begin.charCodeAt(this.#begun)) {
      if (++this.#begun === this.#begin.length) this.#place = "thought";
    } else if (this.#place === "start" && (this.#begun || !isSpace(unit))) this.#place = "over";
  }

  /**
   * Bytes, and a larger unit for each control token, as a text.
   * @param {number[]} ids
   */
  #unitsOf(ids) {
    let units = "";
    for (const id of ids) {
      const bytes = this.#bytesOf(id);
      if (!bytes.length && !this.#controls.has(id)) this.#controls.set(id, 0x100 + this.#controls.size);
      units += String.fromCharCode(...(bytes.length ? bytes : [/** @type {number} */ (this.#controls.get(id))]));
    }
    return units;
  }
}

/** Whether a text may have this byte before its thought. @param {number} byte */
const isSpace = (byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
