// Reads JSON text without loss. JSON.parse would lose the order of keys such as "1", the spelling of 1.0 and 1e400, and all
// but the last of equal keys.
import { GrammarError } from "../grammar-errors.js";

/** A number and its spelling in JSON. */
export class Decimal {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** An object is a Map. @typedef {null | boolean | string | Decimal | any[] | Map<string, any>} JsonValue */

const deepest = 1000;
const decimal = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const literals = /** @type {[string, null | boolean][]} */ ([
  ["null", null],
  ["true", true],
  ["false", false],
]);
/** @type {Record<string, string>} */
const escapes = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Parser {
  #at = 0;
  #depth = 0;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @param {string} reason @returns {never} */
  #fail(reason, at = this.#at) {
    const before = this.text.slice(0, at).split("\n");
    const place = `line ${before.length}, column ${/** @type {string} */ (before.at(-1)).length + 1}`;
    throw new GrammarError("grammar-syntax", `JSON, ${place}: ${reason}`);
  }

  /** The next sign after whitespace, as a code unit; NaN at the end. */
  #next() {
    let unit = this.text.charCodeAt(this.#at);
    while (unit === 32 || unit === 10 || unit === 13 || unit === 9) unit = this.text.charCodeAt(++this.#at);
    return unit;
  }

  whole() {
    const value = this.#value();
    if (!Number.isNaN(this.#next())) this.#fail("nothing may follow the value.");
    return value;
  }

  /** @returns {JsonValue} */
  #value() {
    const unit = this.#next();
    if (unit === 34) return this.#string();
    if (unit === 123) return this.#nested(() => this.#object());
    if (unit === 91) return this.#nested(() => this.#array());
    for (const [word, value] of literals)
      if (this.text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    decimal.lastIndex = this.#at;
    const match = decimal.exec(this.text);
    if (!match) return this.#fail(Number.isNaN(unit) ? "the text ends too early." : "a value is expected.");
    this.#at += match[0].length;
    return new Decimal(match[0]);
  }

  /**
   * @template T
   * @param {() => T} read
   */
  #nested(read) {
    if (++this.#depth > deepest) this.#fail(`more than ${deepest} levels of nesting.`);
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #array() {
    /** @type {JsonValue[]} */
    const items = [];
    if (this.#next() === 93) return (this.#at++, items);
    do items.push(this.#value());
    while (this.#goesOn(93));
    return items;
  }

  #object() {
    /** @type {Map<string, JsonValue>} */
    const members = new Map();
    if (this.#next() === 125) return (this.#at++, members);
    do {
      if (this.#next() !== 34) this.#fail("a key in double quotes is expected.");
      const start = this.#at;
      const key = this.#string();
      if (members.has(key)) this.#fail(`the key ${JSON.stringify(key)} occurs twice.`, start);
      if (this.#next() !== 58) this.#fail('":" is expected.');
      this.#at++;
      members.set(key, this.#value());
    } while (this.#goesOn(125));
    return members;
  }

  /** Whether a comma follows; if not, the closing bracket must follow. @param {number} close */
  #goesOn(close) {
    const unit = this.#next();
    if (unit !== 44 && unit !== close) this.#fail(`"," or "${String.fromCharCode(close)}" is expected.`);
    this.#at++;
    return unit === 44;
  }

  #string() {
    let start = ++this.#at;
    let read = "";
    for (;;) {
      const unit = this.text.charCodeAt(this.#at);
      if (unit === 34) return read + this.text.slice(start, this.#at++);
      if (Number.isNaN(unit)) this.#fail("the text ends within a string.");
      if (unit < 32) this.#fail("a control character in a string must be escaped.");
      if (unit === 92) {
        read += this.text.slice(start, this.#at) + this.#escape();
        start = this.#at;
      } else this.#at++;
    }
  }

  #escape() {
    const letter = this.text.charAt(this.#at + 1);
    if (letter === "u") {
      const digits = this.text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail("\\u takes four hexadecimal digits.");
      this.#at += 6;
      return String.fromCharCode(parseInt(digits, 16));
    }
    if (!Object.hasOwn(escapes, letter)) this.#fail("there is no such escape.");
    this.#at += 2;
    return escapes[letter];
  }
}

/**
 * Reads strict JSON (RFC 8259): objects become Maps in the order of the text, numbers keep their spelling. Equal keys,
 * more than 1000 levels and every other fault are "grammar-syntax" errors, which say where.
 * @param {string} text
 */
export const parseJson = (text) => new Parser(text).whole();
