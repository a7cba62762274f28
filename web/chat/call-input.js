// Turns the text of a call's arguments, which comes in pieces, into JSON text.
import { CDATA_BEGIN, CDATA_END } from "../grammar/readers/tool-call-styles.js";
import { matchParts, partsOf } from "./call-tags.js";

/** @typedef {import("../grammar/readers/tool-call-styles.js").ToolParameterStyle} ToolParameterStyle */

/**
 * What has been read so far: JSON text, the length of its source, whether the arguments are complete.
 * @typedef {{ text: string, length: number, isComplete: boolean }} Input
 */

/** Arguments in JSON. */
export class JsonInput {
  #value = new ValueEnd();

  /** @param {string} held @returns {Input} */
  read(held) {
    const end = this.#value.find(held);
    const text = held.slice(0, end < 0 ? undefined : end);
    return { text, length: text.length, isComplete: end >= 0 };
  }
}

/** Arguments written one by one. */
export class ParameterInput {
  #first;
  #next;
  #end;
  #keys;
  #isPlainStyle;
  #quote;
  /** The quote that must follow, before a plain text. */
  #opening = "";
  #hasSections;
  /** The tag that ends the current value. @type {string | undefined} undefined: the value may begin a CDATA section */
  #tag;
  #hasBegun = false;
  /** The value that is being read: a plain text, JSON, or none. @type {"plain" | "ended" | ValueEnd | undefined} */
  #value;

  /**
   * @param {ToolParameterStyle} style
   * @param {Map<string, boolean>} [keys] of the arguments, and whether an argument is a plain text
   */
  constructor({ begin, end, separator = "", plain = false, quote = "", cdata = false }, keys = new Map()) {
    this.#first = partsOf(begin);
    this.#next = partsOf(separator + begin);
    this.#end = end;
    this.#keys = keys;
    this.#isPlainStyle = plain;
    this.#quote = quote;
    this.#hasSections = cdata;
  }

  /** @param {string} held @returns {Input} */
  read(held) {
    let text = "";
    let at = 0;
    for (;;) {
      const rest = held.slice(at);
      if (this.#value === undefined) {
        const match = matchParts(rest, this.#hasBegun ? this.#next : this.#first, [...this.#keys.keys()]);
        if (match === "partial") break;
        if (!match) return { text: text + (this.#hasBegun ? "}" : "{}"), length: at, isComplete: true };
        const isPlain = this.#isPlainStyle && this.#keys.get(match.name);
        text += `${this.#hasBegun ? ", " : "{"}${JSON.stringify(match.name)}: ${isPlain ? '"' : ""}`;
        at += match.length;
        this.#hasBegun = true;
        this.#value = isPlain ? "plain" : new ValueEnd();
        this.#opening = isPlain ? this.#quote : "";
        this.#tag = this.#hasSections ? undefined : this.#opening + this.#end;
      } else if (this.#opening) {
        if (!rest.startsWith(this.#opening)) break;
        at += this.#opening.length;
        this.#opening = "";
      } else if (this.#tag === undefined) {
        const isSection = rest.startsWith(CDATA_BEGIN);
        if (!isSection && CDATA_BEGIN.startsWith(rest)) break;
        at += isSection ? CDATA_BEGIN.length : 0;
        this.#tag = isSection ? CDATA_END + this.#end : this.#end;
      } else if (this.#value === "ended") {
        if (!rest.startsWith(this.#tag)) break;
        at += this.#tag.length;
        this.#value = undefined;
      } else {
        const isPlain = this.#value === "plain";
        const end = this.#value === "plain" ? rest.indexOf(this.#tag) : this.#value.find(rest);
        const value = rest.slice(0, end >= 0 ? end : rest.length - (isPlain ? heldBack(rest, this.#tag) : 0));
        text += isPlain ? JSON.stringify(value).slice(1, -1) : value;
        at += value.length;
        if (end < 0) break;
        if (isPlain) text += '"';
        this.#value = "ended";
      }
    }
    return { text, length: at, isComplete: false };
  }
}

/**
 * How many characters at the end of a value may begin its end tag, or are half of a character.
 * @param {string} text
 * @param {string} tag
 */
function heldBack(text, tag) {
  for (let length = Math.min(tag.length - 1, text.length); length; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return /[\ud800-\udbff]$/.test(text) ? 1 : 0;
}

/** Finds the end of a JSON value that comes in pieces. */
class ValueEnd {
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #hasBegun = false;

  /** @param {string} text @returns {number} where the value ends; -1: not yet */
  find(text) {
    for (let i = 0; i < text.length; i++) {
      const unit = text[i];
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (unit === "\\") this.#isEscaped = true;
        else if (unit === '"') this.#isString = false;
        if (!this.#isString && !this.#depth) return i + 1;
        continue;
      }
      if (!this.#depth && this.#hasBegun && !/[\w.+-]/.test(unit)) return i;
      if (unit === '"') this.#isString = true;
      else if (unit === "{" || unit === "[") this.#depth++;
      else if ((unit === "}" || unit === "]") && !--this.#depth) return i + 1;
      this.#hasBegun ||= /\S/.test(unit);
    }
    return -1;
  }
}
