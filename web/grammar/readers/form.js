// Writes the form of a grammar, the bytes that JavaScript gives to C. src/grammar/core/form_reader.h describes them.

import { GrammarError } from "../grammar-errors.js";
import {
  FLAG_ANY_ORDER,
  FLAG_CANONICAL_NUMBERS,
  FLAG_FLEXIBLE,
  FLAG_INDENTS,
  FLAG_LENIENT,
  FLAG_PLAIN_INTEGERS,
  FLAG_UNIQUE_KEYS,
  FORM_DEPTH,
  expressionTags,
} from "../form-numbers.js";

/**
 * A regular expression or the body of a rule, as parsers build it.
 * @typedef {{ kind: "nothing" | "empty" | "start" | "end" | "wordMark" }
 *   | { kind: "text", bytes: Uint8Array }
 *   | { kind: "class", ranges: [low: number, high: number][] }
 *   | { kind: "sequence" | "choice" | "both", parts: Expression[] }
 *   | { kind: "not" | "pattern", body: Expression }
 *   | { kind: "repeat", body: Expression, least: number, most: number }
 *   | { kind: "strings", texts: Uint8Array[] }
 *   | { kind: "ahead", body: Expression, negative: boolean }
 *   | { kind: "edge", negative: boolean, ignoresCase: boolean }
 *   | { kind: "rule" | "special" | "json", index: number }} Expression
 */

/** @type {Record<Expression["kind"], number>} */
const tags = { ...expressionTags, wordMark: expressionTags.edge };

/** The limit of a form, in bytes. */
const LENGTH_LIMIT = 2 ** 25;

const encoder = new TextEncoder();

/** @type {Expression} */
export const nothing = { kind: "nothing" };
/** @type {Expression} */
export const empty = { kind: "empty" };
/**
 * @param {string | Uint8Array} value
 * @returns {Expression}
 */
export const text = (value) => ({ kind: "text", bytes: typeof value === "string" ? encoder.encode(value) : value });
/**
 * One of the code points in ascending, disjoint ranges, both ends included. Leaves out surrogates.
 * @param {[number, number][]} ranges
 * @returns {Expression}
 */
export const codePoints = (ranges) => ({ kind: "class", ranges });
/**
 * @param {Expression[]} parts
 * @returns {Expression}
 */
export const sequence = (parts) => (parts.length === 1 ? parts[0] : { kind: "sequence", parts });
/**
 * @param {Expression[]} parts
 * @returns {Expression}
 */
export const choice = (parts) => (parts.length === 1 ? parts[0] : { kind: "choice", parts });
/**
 * @param {Expression} body
 * @param {number} least
 * @param {number} most Infinity: no limit
 * @returns {Expression}
 */
export const repeat = (body, least, most) => ({ kind: "repeat", body, least, most });
export const anyCodePoint = codePoints([[0, 0x10ffff]]);

/**
 * Fails if an expression is nested more deeply than C reads. After this check recursion is safe.
 * @param {Expression} node
 * @param {number} [depth]
 */
export function checkDepth(node, depth = 1) {
  if (depth > FORM_DEPTH) throw new GrammarError("grammar-syntax", "Its expressions are nested too deeply.");
  if ("parts" in node) for (const part of node.parts) checkDepth(part, depth + 1);
  else if ("body" in node) checkDepth(node.body, depth + 1);
}

/** A growing buffer for the bytes of a form. */
export class FormWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** @param {number} count */
  #reserve(count) {
    if (this.#length + count <= this.#bytes.length) return;
    if (this.#length + count > LENGTH_LIMIT) throw new GrammarError("grammar-fuel", `more than ${LENGTH_LIMIT} bytes.`);
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** @param {number} value an integer, 0 to 2^32 - 1 */
  number(value) {
    this.#reserve(5);
    while (value > 127) {
      this.#bytes[this.#length++] = (value % 128) + 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[this.#length++] = value;
  }

  /** @param {string | Uint8Array} value */
  text(value) {
    if (typeof value === "string" && this.#shortText(value)) return;
    const bytes = typeof value === "string" ? encoder.encode(value) : value;
    this.number(bytes.length);
    this.raw(bytes);
  }

  /**
   * Writes short ASCII, like most keys, in a fast way. False if the text is long or not ASCII.
   * @param {string} value
   */
  #shortText(value) {
    const { length } = value;
    if (length > 64) return false;
    this.#reserve(length + 1);
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 127) return false;
      this.#bytes[this.#length + 1 + i] = unit;
    }
    this.#bytes[this.#length] = length;
    this.#length += length + 1;
    return true;
  }

  /** @param {Uint8Array} bytes */
  raw(bytes) {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  get length() {
    return this.#length;
  }

  /** Drops everything after a length. @param {number} length */
  cut(length) {
    this.#length = length;
  }

  /** Overwrites one byte. @param {number} at @param {number} value below 128 */
  patch(at, value) {
    this.#bytes[at] = value;
  }

  /**
   * @param {Expression} node
   * @param {number} [depth]
   * @returns {void}
   */
  expression(node, depth = 1) {
    if (depth > FORM_DEPTH) throw new GrammarError("grammar-syntax", "Its expressions are nested too deeply.");
    this.number(tags[node.kind]);
    switch (node.kind) {
      case "text":
        return this.text(node.bytes);
      case "class": {
        this.number(node.ranges.length);
        let end = 0;
        for (const [low, high] of node.ranges) {
          this.number(low - end);
          this.number(high - low);
          end = high + 1;
        }
        return;
      }
      case "sequence":
      case "choice":
      case "both":
        this.number(node.parts.length);
        for (const part of node.parts) this.expression(part, depth + 1);
        return;
      case "repeat":
        this.number(node.least);
        this.number(node.most === Infinity ? 0 : node.most + 1);
        return this.expression(node.body, depth + 1);
      case "strings":
        this.number(node.texts.length);
        for (const bytes of node.texts) this.text(bytes);
        return;
      case "ahead":
        this.number(node.negative ? 1 : 0);
        return this.expression(node.body, depth + 1);
      case "edge":
        return this.number((node.negative ? 0 : 1) + (node.ignoresCase ? 2 : 0));
      case "wordMark":
        return this.number(4);
      case "not":
      case "pattern":
        return this.expression(node.body, depth + 1);
      case "rule":
      case "special":
      case "json":
        return this.number(node.index);
    }
  }

  /** The bytes written so far; valid until the next write. */
  get bytes() {
    return this.#bytes.subarray(0, this.#length);
  }
}

const magic = Uint8Array.of(0x4c, 0x49, 0x47, 1); // "LIG", version 1; the flags follow

/** The form of the same grammar with numbers in canonical spelling. @param {Uint8Array} form */
export function withCanonicalNumbers(form) {
  const copy = form.slice();
  copy[magic.length] |= FLAG_CANONICAL_NUMBERS;
  return copy;
}

/** Whether no object in the texts of the grammar repeats a key. @param {Uint8Array} form */
export const hasUniqueKeys = (form) => (form[magic.length] & FLAG_UNIQUE_KEYS) !== 0;

/**
 * The spelling of JSON.
 * @typedef {object} Spelling
 * @property {boolean} anyOrder
 * @property {boolean} lenient
 * @property {boolean} flexible any whitespace between tokens of JSON
 * @property {boolean} canonicalNumbers
 * @property {boolean} [plainIntegers] neither fraction nor exponent
 * @property {boolean} [uniqueKeys] no object repeats a key
 * @property {number} maxRun longest run of whitespace that a mask allows
 * @property {boolean} indents
 * @property {string} indent
 * @property {string} itemSeparator
 * @property {string} keySeparator
 */

/**
 * Writes a whole form.
 * @param {Spelling} spelling
 * @param {{ count: number, bytes: Uint8Array }} schemas
 * @param {Expression[]} rules
 * @param {Expression} root
 */
export function writeForm(spelling, schemas, rules, root) {
  const writer = new FormWriter();
  writer.raw(magic);
  writer.number(
    (spelling.anyOrder ? FLAG_ANY_ORDER : 0) |
      (spelling.lenient ? FLAG_LENIENT : 0) |
      (spelling.indents ? FLAG_INDENTS : 0) |
      (spelling.flexible ? FLAG_FLEXIBLE : 0) |
      (spelling.canonicalNumbers ? FLAG_CANONICAL_NUMBERS : 0) |
      (spelling.plainIntegers ? FLAG_PLAIN_INTEGERS : 0) |
      (spelling.uniqueKeys ? FLAG_UNIQUE_KEYS : 0),
  );
  writer.number(spelling.maxRun);
  for (const part of [spelling.indent, spelling.itemSeparator, spelling.keySeparator]) writer.text(part);
  writer.number(schemas.count);
  writer.raw(schemas.bytes);
  writer.number(rules.length);
  for (const rule of rules) writer.expression(rule);
  writer.expression(root);
  return writer.bytes;
}
