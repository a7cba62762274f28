// Reads GBNF, the grammars of llama.cpp (grammars/README.md there), into rules.
import { GrammarError } from "../grammar-errors.js";
import { anyCodePoint, choice, codePoints, empty, repeat, sequence } from "./form.js";
import { removeLeftRecursion } from "./left-recursion.js";
import { RuleScanner } from "./scanner.js";

/** @typedef {import("./form.js").Expression} Expression */

const escapes = /** @type {Record<string, string>} */ ({ n: "\n", r: "\r", t: "\t" });
const hexDigits = /** @type {Record<string, [count: number, pattern: RegExp]>} */ ({
  x: [2, /[0-9A-Fa-f]{2}/y],
  u: [4, /[0-9A-Fa-f]{4}/y],
  U: [8, /[0-9A-Fa-f]{8}/y],
});

class GbnfReader extends RuleScanner {
  name() {
    const name = this.take(/[A-Za-z0-9_-]+/y);
    if (!name) this.fail("a name was expected");
    return name;
  }

  grammar() {
    for (this.skip(true); !this.isAtEnd; this.skip(true)) {
      const name = this.name();
      const index = this.ruleIndex(name);
      this.skip(false);
      if (!this.take("::=")) this.fail(`::= was expected after ${name}`);
      this.skip(true);
      if (this.rules[index]) this.fail(`${name} is defined twice`);
      this.rules[index] = this.alternatives(false);
      if (!this.isAtEnd && !this.take(/\r\n?|\n/y)) this.fail("the end of the line was expected");
    }
    return this.definedRules();
  }

  /**
   * @param {boolean} isNested in parentheses, where a line break is a space
   * @returns {Expression}
   */
  alternatives(isNested) {
    const parts = [this.sequenceOf(isNested)];
    while (this.take("|")) {
      this.skip(true);
      parts.push(this.sequenceOf(isNested));
    }
    return choice(parts);
  }

  /** @param {boolean} isNested */
  sequenceOf(isNested) {
    /** @type {Expression[]} */
    const parts = [];
    for (;;) {
      this.skip(isNested);
      const part = this.item();
      if (!part) return parts.length ? sequence(parts) : empty;
      parts.push(this.repeated(part, isNested));
    }
  }

  /** @returns {Expression | undefined} */
  item() {
    if (this.take('"')) return this.literal();
    if (this.take("[")) return this.characterClass();
    if (this.take(".")) return anyCodePoint;
    if (this.take("(")) {
      if (++this.depth > 200) this.fail("the parentheses are nested too deeply");
      const inner = this.alternatives(true);
      this.skip(true);
      if (!this.take(")")) this.fail(") was expected");
      this.depth--;
      return inner;
    }
    if (this.peek("!<")) this.fail("a negated token cannot be enforced", "grammar-unsupported");
    if (this.take("<")) return this.token();
    return this.peek(/[A-Za-z0-9_-]/y) ? { kind: "rule", index: this.ruleIndex(this.name()) } : undefined;
  }

  /** @param {Expression} part @param {boolean} isNested */
  repeated(part, isNested) {
    for (;;) {
      this.skip(isNested);
      if (this.take("*")) part = repeat(part, 0, Infinity);
      else if (this.take("+")) part = repeat(part, 1, Infinity);
      else if (this.take("?")) part = repeat(part, 0, 1);
      else if (this.peek("{")) part = this.counted(part);
      else return part;
    }
  }

  /** @param {Expression} part */
  counted(part) {
    const bounds = this.take(/\{\s*\d{1,9}\s*(,\s*(\d{1,9}\s*)?)?\}/y);
    if (!bounds) this.fail("{count}, {least,} or {least,most} was expected");
    const [least, most] = bounds.slice(1, -1).split(",");
    const limit = most === undefined ? Number(least) : most.trim() === "" ? Infinity : Number(most);
    if (limit < Number(least)) this.fail("the least count is larger than the greatest");
    return repeat(part, Number(least), limit);
  }

  /** A code point, escaped or not; undefined at `end`. @param {string} end */
  character(end) {
    if (this.take(end)) return undefined;
    if (this.isAtEnd) this.fail(`${end} was expected`);
    if (!this.take("\\")) return this.codePoint();
    const letter = this.source[this.at++] ?? "";
    if (letter in hexDigits) {
      const [count, pattern] = hexDigits[letter];
      const digits = this.take(pattern);
      const value = digits ? parseInt(digits, 16) : Infinity;
      if (value > 0x10ffff) this.fail(`\\${letter} needs ${count} hexadecimal digits of a code point`);
      return value;
    }
    if (letter in escapes) return escapes[letter].charCodeAt(0);
    if (!'\\"[]'.includes(letter) || letter === "") this.fail(`\\${letter} is not an escape`);
    return letter.charCodeAt(0);
  }

  literal() {
    let value = "";
    for (let point = this.character('"'); point !== undefined; point = this.character('"'))
      value += String.fromCodePoint(point);
    return this.text(value);
  }

  /** @returns {Expression} */
  characterClass() {
    const isNegated = this.take("^") !== "";
    /** @type {[number, number][]} */
    const ranges = [];
    for (let low = this.character("]"); low !== undefined; low = this.character("]")) {
      let high = low;
      if (this.peek(/-[^\]]/y)) {
        this.at++;
        high = this.character("]") ?? low;
        if (high < low) this.fail("the range ends before it begins");
      }
      ranges.push([low, high]);
    }
    return codePoints(isNegated ? complement(ranges) : union(ranges));
  }

  /** @returns {Expression} */
  token() {
    const inner = this.take(/[^<>\r\n]+>/y).slice(0, -1);
    const number = /^\[(\d{1,9})\]$/.exec(inner);
    const index = this.specialToken(number ? Number(number[1]) : `<${inner}>`);
    if (index === undefined) this.fail(`the vocabulary has no special token <${inner}>`);
    return { kind: "special", index };
  }
}

/**
 * Sorted, without overlaps.
 * @param {[number, number][]} ranges
 */
function union(ranges) {
  /** @type {[number, number][]} */
  const merged = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

/** @param {[number, number][]} ranges */
function complement(ranges) {
  /** @type {[number, number][]} */
  const rest = [];
  let next = 0;
  for (const [low, high] of union(ranges)) {
    if (low > next) rest.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= 0x10ffff) rest.push([next, 0x10ffff]);
  return rest;
}

/**
 * Reads a GBNF grammar. Left recursion, which llama.cpp refuses, is rewritten.
 * @param {string} source
 * @param {import("./scanner.js").SpecialToken} specialToken
 * @returns {{ rules: Expression[], root: Expression }}
 */
export function readGbnf(source, specialToken) {
  const reader = new GbnfReader(source, /#/y, specialToken);
  const rules = reader.grammar();
  const index = reader.names.get("root");
  if (index === undefined) throw new GrammarError("grammar-syntax", "There is no rule named root.");
  return { rules: removeLeftRecursion(rules, [...reader.names.keys()]), root: { kind: "rule", index } };
}
