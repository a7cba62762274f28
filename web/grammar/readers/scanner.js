// The scanner of all readers: keeps a place in a text, and makes errors that name it.
import { GrammarError } from "../grammar-errors.js";
import { isWellFormed } from "../well-formed.js";
import { empty, text } from "./form.js";

/**
 * The id of a token without text: of a special token by its name, such as <|end|>, or of any token by its number.
 * @typedef {(token: string | number) => number | undefined} SpecialToken
 */

class Scanner {
  at = 0;
  depth = 0;
  #comment;

  /**
   * @param {string} source
   * @param {RegExp} comment sticky: matches the start of a comment, which lasts to the end of its line
   */
  constructor(source, comment) {
    this.source = source;
    this.#comment = comment;
  }

  get isAtEnd() {
    return this.at >= this.source.length;
  }

  /** @param {string | RegExp} what a text, or a sticky pattern */
  peek(what) {
    if (typeof what === "string") return this.source.startsWith(what, this.at) ? what : "";
    what.lastIndex = this.at;
    return what.exec(this.source)?.[0] ?? "";
  }

  /** Reads `what` if it comes next, and returns it; else "". @param {string | RegExp} what */
  take(what) {
    const found = this.peek(what);
    this.at += found.length;
    return found;
  }

  /** Reads one code point. */
  codePoint() {
    const point = this.source.codePointAt(this.at) ?? 0;
    this.at += point > 0xffff ? 2 : 1;
    return point;
  }

  /** Skips spaces and comments. @param {boolean} acrossLines line breaks too */
  skip(acrossLines) {
    const spaces = acrossLines ? /[ \t\r\n]*/y : /[ \t]*/y;
    for (;;) {
      this.take(spaces);
      if (!this.peek(this.#comment)) return;
      this.take(/[^\r\n]*/y);
      if (!acrossLines) return;
    }
  }

  /** The text of a literal. @param {string} value */
  text(value) {
    if (!isWellFormed(value)) this.fail("the text has half of a surrogate pair, which UTF-8 cannot spell");
    return value === "" ? empty : text(value);
  }

  /**
   * @param {number} at
   * @param {string} what
   * @param {import("../../core/errors.js").ErrorCode} [code]
   * @returns {never}
   */
  failAt(at, what, code = "grammar-syntax") {
    const before = this.source.slice(0, at).split(/\r\n?|\n/);
    throw new GrammarError(code, `Line ${before.length}, column ${before[before.length - 1].length + 1}: ${what}.`);
  }

  /**
   * @param {string} what
   * @param {import("../../core/errors.js").ErrorCode} [code]
   * @returns {never}
   */
  fail(what, code) {
    return this.failAt(this.at, what, code);
  }
}

/** The scanner of readers of rules. Rules are numbered in the order of their first mention. */
export class RuleScanner extends Scanner {
  /** @type {Map<string, number>} */
  names = new Map();
  /** @type {(import("./form.js").Expression | undefined)[]} undefined: not yet defined */
  rules = [];
  /** The place where each rule was first named. @type {number[]} */
  #places = [];

  /**
   * @param {string} source
   * @param {RegExp} comment
   * @param {SpecialToken} specialToken
   */
  constructor(source, comment, specialToken) {
    super(source, comment);
    this.specialToken = specialToken;
  }

  /** @param {string} name */
  ruleIndex(name) {
    let index = this.names.get(name);
    if (index === undefined) {
      this.names.set(name, (index = this.rules.length));
      this.#places.push(this.at);
      this.rules.push(undefined);
    }
    return index;
  }

  /** The rules. Each must be defined by now. */
  definedRules() {
    for (const [name, index] of this.names)
      if (!this.rules[index]) this.failAt(this.#places[index], `the rule ${name} is not defined`);
    return /** @type {import("./form.js").Expression[]} */ (this.rules);
  }
}
