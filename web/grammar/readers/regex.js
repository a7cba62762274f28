// Reads regular expressions of ECMAScript into expressions of a grammar's form.
import { RegExpParser } from "@eslint-community/regexpp";
import { GrammarError } from "../grammar-errors.js";
import { choice, codePoints, empty, nothing, repeat, sequence, text } from "./form.js";
import { characterSet } from "./regex-class.js";
import { isNullable } from "./regex-ends.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {import("@eslint-community/regexpp").AST.Element} Element */
/** @typedef {import("@eslint-community/regexpp").AST.Alternative} Alternative */
/** @typedef {import("./regex-class.js").Characters} Characters */
/** @typedef {{ unicode: boolean, sets: boolean, ignoreCase: boolean, dotAll: boolean }} Flags */

/** The limit of a pattern in characters, each of which takes up to a kilobyte during reading. */
const LENGTH_LIMIT = 50_000;
/** The limit of nested groups and classes. */
const DEPTH_LIMIT = 200;
/** The limit of named groups, because each name is compared with all others. */
const NAMES_LIMIT = 1000;
/** The limit of ranges in all classes of a pattern. One property may have 700. */
const RANGES_LIMIT = 2 ** 18;
/** Most characters of a pattern in a message. */
const MOST_SHOWN = 60;
/** The largest count of C. */
const mostRounds = 2 ** 32 - 2;

/**
 * The texts that the pattern matches as a whole.
 * @param {string} pattern
 * @param {string} [flags] u, v, i and s; d and g make no difference
 * @returns {Expression}
 */
export function matchExpression(pattern, flags = "u") {
  return new Translator(pattern, flags).whole(false);
}

/**
 * The texts in which the pattern matches somewhere, as in `test` of a RegExp.
 * @param {string} pattern
 * @param {string} [flags]
 * @returns {Expression}
 */
export function searchExpression(pattern, flags = "u") {
  return new Translator(pattern, flags).whole(true);
}

class Translator {
  /**
   * @param {string} pattern
   * @param {string} flags
   */
  constructor(pattern, flags) {
    this.pattern = pattern;
    /** @type {number[]} where backslashes were left out */
    this.removed = [];
    /** @type {Map<string, Expression>} by spelling */
    this.classes = new Map();
    this.ranges = 0;
    const other = /[^dgisuv]/.exec(flags);
    if (other) throw this.#error("grammar-unsupported", `The flag ${other[0]} of regular expressions is not supported`);
    /** @type {Flags} */
    this.flags = {
      unicode: /[uv]/.test(flags),
      sets: flags.includes("v"),
      ignoreCase: flags.includes("i"),
      dotAll: flags.includes("s"),
    };
    this.hasAssertions = false;
    this.hasEdges = /\\b/i.test(pattern);
    this.#checkSize();
    this.alternatives = this.#parse();
    // If case is ignored, \b treats U+017F and U+212A as word characters, although their last bytes are not in \w.
    const { unicode, ignoreCase } = this.flags;
    this.markedCodePoints = unicode && ignoreCase && this.hasEdges ? [0x17f, 0x212a] : [];
  }

  /** Limits nesting, because groups and classes are read by recursion. */
  #checkSize() {
    const { pattern, flags } = this;
    if (pattern.length > LENGTH_LIMIT)
      throw this.#tooLarge(`it has ${pattern.length} characters, and at most ${LENGTH_LIMIT} are read`);
    let depth = 0;
    let classes = 0;
    let names = 0;
    for (let at = 0; at < pattern.length; at++) {
      const letter = pattern[at];
      if (letter === "\\") at++;
      else if (letter === "[") classes += flags.sets || !classes ? 1 : 0;
      else if (letter === "]") classes -= classes ? 1 : 0;
      else if (letter === "(") depth += classes ? 0 : 1;
      else if (letter === ")") depth -= classes ? 0 : 1;
      if (letter === "(" && pattern.startsWith("?<", at + 1)) names++;
      if (names > NAMES_LIMIT) throw this.#tooLarge(`it has more than ${NAMES_LIMIT} named groups`);
      if (depth + classes > DEPTH_LIMIT)
        throw this.#error("grammar-syntax", "The regular expression is nested too deeply", at);
    }
  }

  /** @param {string} why */
  #tooLarge(why) {
    return this.#error("grammar-fuel", `The regular expression is too large: ${why}`);
  }

  #parse() {
    const { unicode, sets } = this.flags;
    // Characters are code points, so characters beyond the BMP are always read as with u.
    if (!unicode && /[\ud800-\udfff]/.test(this.pattern)) this.flags.unicode = true;
    try {
      return this.#parseAs(this.pattern);
    } catch (error) {
      const alternatives = this.flags.unicode && !sets ? this.#parseLoosely() : undefined;
      if (alternatives) return alternatives;
      const { message, index } = /** @type {{ message: string, index: number }} */ (error);
      const reason = message.slice(message.lastIndexOf(": ") + 2);
      this.removed = [];
      throw this.#error("grammar-syntax", `The regular expression is not valid: ${reason}`, index);
    }
  }

  /** @param {string} pattern */
  #parseAs(pattern) {
    const { unicode, sets } = this.flags;
    const flags = { unicode: unicode && !sets, unicodeSets: sets };
    return new RegExpParser().parsePattern(pattern, 0, pattern.length, flags).alternatives;
  }

  // Many patterns are written for engines that take any character escaped, or a - anywhere in a class.
  #parseLoosely() {
    let inClass = false;
    const pattern = this.pattern.replace(/\\?[^]/g, (part, index) => {
      if (part === "[") inClass = true;
      if (part === "]") inClass = false;
      if (part.length === 1 || /[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(part[1]) || (part[1] === "-" && inClass))
        return part;
      this.removed.push(index);
      return part[1];
    });
    try {
      return this.#parseAs(pattern);
    } catch {
      // Without u, these escapes mean something else.
      if (/\\(?:[pP]\{|u\{|k<)/.test(pattern) || /[\ud800-\udfff]/.test(pattern)) return;
    }
    try {
      this.flags.unicode = false;
      return this.#parseAs(pattern);
    } catch {
      // Report the first error, which is the helpful one.
    }
  }

  /**
   * @param {import("../../core/errors.js").ErrorCode} code
   * @param {string} message
   * @param {number} [position]
   */
  #error(code, message, position) {
    let at = position ?? 0;
    for (const removed of this.removed) if (removed <= at) at++;
    const where = position === undefined ? "" : ` at position ${at}`;
    const { pattern } = this;
    // For a long pattern, only the characters around the place.
    const from = pattern.length > MOST_SHOWN ? Math.max(0, at - MOST_SHOWN / 2) : 0;
    const to = Math.min(from + MOST_SHOWN, pattern.length);
    const shown = `${from > 0 ? "…" : ""}${pattern.slice(from, to)}${to < pattern.length ? "…" : ""}`;
    return new GrammarError(code, `${message}${where}, in /${shown}/.`);
  }

  /**
   * The pattern with its surroundings.
   * @param {boolean} searches
   */
  whole(searches) {
    const any = this.#characters({ ranges: [[0, 0x10ffff]], strings: [] }, this.flags);
    const anyText = repeat(any, 0, Infinity);
    /** @type {Expression[]} */
    const parts = [];
    for (const elements of this.#topAlternatives(this.alternatives)) {
      const isStart = isEdge(elements[0], "start");
      const isEnd = elements.length > +isStart && isEdge(elements[elements.length - 1], "end");
      const body = this.#sequence(elements.slice(+isStart, elements.length - +isEnd), this.flags);
      const before = searches && !isStart;
      const after = searches && !isEnd;
      if (before && after && isNullable(body)) return anyText;
      parts.push(sequence([...(before ? [anyText] : []), body, ...(after ? [anyText] : [])]));
    }
    const all = choice(parts);
    return this.hasAssertions ? /** @type {Expression} */ ({ kind: "pattern", body: all }) : all;
  }

  /**
   * The alternatives outside any group, or inside a group around everything.
   * @param {Alternative[]} alternatives
   * @returns {Element[][]}
   */
  #topAlternatives(alternatives) {
    return alternatives.flatMap(({ elements }) => {
      const [only] = elements;
      const isGroup = only?.type === "CapturingGroup" || (only?.type === "Group" && !only.modifiers);
      return elements.length === 1 && isGroup ? this.#topAlternatives(only.alternatives) : [elements];
    });
  }

  /**
   * @param {Alternative[]} alternatives
   * @param {Flags} flags
   * @returns {Expression}
   */
  #choice(alternatives, flags) {
    return choice(alternatives.map(({ elements }) => this.#sequence(elements, flags)));
  }

  /**
   * @param {Element[]} elements
   * @param {Flags} flags
   * @returns {Expression}
   */
  #sequence(elements, flags) {
    /** @type {Expression[]} */
    const parts = [];
    let letters = "";
    let begin = 0;
    const endLetters = () => {
      if (letters) parts.push(isIllFormed(letters) ? nothing : text(letters));
      if (isIllFormed(letters) && !this.flags.unicode) throw this.#halves(begin);
      letters = "";
    };
    for (const element of elements) {
      if (element.type === "Character" && !this.#hasOtherCases(element.value, flags)) {
        if (!letters) begin = element.start;
        letters += String.fromCodePoint(element.value);
        continue;
      }
      endLetters();
      parts.push(this.#element(element, flags));
    }
    endLetters();
    return parts.length === 0 ? empty : sequence(parts);
  }

  /** @param {number} position */
  #halves(position) {
    return this.#error("grammar-unsupported", "Surrogates are characters only without the flag u", position);
  }

  // Characters are code points, so half of a pair never matches, although a RegExp without u does match it.
  /** @param {import("./regex-class.js").Class} element */
  #refuseHalves(element) {
    if (this.flags.unicode || element.type !== "CharacterClass") return;
    for (const part of element.elements) {
      const ends = part.type === "CharacterClassRange" ? [part.min, part.max] : part.type === "Character" ? [part] : [];
      for (const { value, start } of ends) if (isIllFormed(String.fromCharCode(value))) throw this.#halves(start);
    }
  }

  /**
   * @param {number} codePoint
   * @param {Flags} flags
   */
  #hasOtherCases(codePoint, flags) {
    if (!flags.ignoreCase) return false;
    const { ranges } = characterSet([codePoint, codePoint], flags);
    return ranges.length !== 1 || ranges[0][0] !== ranges[0][1];
  }

  /**
   * @param {Element} element
   * @param {Flags} flags
   * @returns {Expression}
   */
  #element(element, flags) {
    switch (element.type) {
      case "Character":
        if (!this.flags.unicode && isIllFormed(String.fromCharCode(element.value))) throw this.#halves(element.start);
        return this.#characters(characterSet([element.value, element.value], flags), flags);
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return this.#class(element, flags);
      case "CapturingGroup":
        return this.#choice(element.alternatives, flags);
      case "Group":
        return this.#choice(element.alternatives, this.#modified(element, flags));
      case "Quantifier":
        return this.#repeat(element, flags);
      case "Assertion":
        return this.#assertion(element, flags);
      case "Backreference":
        throw this.#error("grammar-unsupported", "Backreferences are not supported", element.start);
    }
  }

  /**
   * @param {import("./regex-class.js").Class} element
   * @param {Flags} flags
   */
  #class(element, flags) {
    const key = `${flags.ignoreCase ? "i" : ""}${flags.dotAll ? "s" : ""}/${element.raw}`;
    const known = this.classes.get(key);
    if (known) return known;
    this.#refuseHalves(element);
    const characters = characterSet(element, flags);
    if (!characters) throw this.#error("grammar-unsupported", "Properties of strings are not supported", element.start);
    this.ranges += characters.ranges.length;
    if (this.ranges > RANGES_LIMIT) throw this.#tooLarge(`its classes have more than ${RANGES_LIMIT} ranges`);
    const expression = this.#characters(characters, flags);
    this.classes.set(key, expression);
    return expression;
  }

  /**
   * @param {import("@eslint-community/regexpp").AST.Group} group
   * @param {Flags} flags
   * @returns {Flags}
   */
  #modified({ modifiers, start }, flags) {
    if (!modifiers) return flags;
    const { add, remove } = modifiers;
    if (add?.multiline || remove?.multiline)
      throw this.#error("grammar-unsupported", "The flag m of regular expressions is not supported", start);
    if (flags.unicode && (add.ignoreCase || remove?.ignoreCase) && this.hasEdges)
      throw this.#error("grammar-unsupported", "\\b where only a part ignores case is not supported", start);
    return {
      ...flags,
      ignoreCase: (flags.ignoreCase || add.ignoreCase) && !remove?.ignoreCase,
      dotAll: (flags.dotAll || add.dotAll) && !remove?.dotAll,
    };
  }

  /**
   * @param {import("@eslint-community/regexpp").AST.Quantifier} quantifier
   * @param {Flags} flags
   */
  #repeat({ min, max, element, start }, flags) {
    if (min > mostRounds) throw this.#error("grammar-unsupported", "The quantifier is too large", start);
    return repeat(this.#element(element, flags), min, max > mostRounds ? Infinity : max);
  }

  /**
   * @param {Characters} characters
   * @param {Flags} flags
   * @returns {Expression}
   */
  #characters({ ranges, strings }, flags) {
    /** @type {Expression[]} */
    const parts = [];
    for (const codePoint of this.markedCodePoints)
      if (ranges.some(([low, high]) => low <= codePoint && codePoint <= high))
        parts.push(sequence([text(String.fromCodePoint(codePoint)), { kind: "wordMark" }]));
    const others = this.markedCodePoints.reduce((left, codePoint) => without(left, codePoint), ranges);
    if (others.length) parts.push(codePoints(others));
    for (const string of strings) parts.push(this.#caselessText(string, flags));
    return parts.length === 0 ? nothing : choice(parts);
  }

  /**
   * @param {string} string
   * @param {Flags} flags
   * @returns {Expression}
   */
  #caselessText(string, flags) {
    if (isIllFormed(string)) return nothing;
    if (!flags.ignoreCase) return string ? text(string) : empty;
    const letters = Array.from(string, (letter) => /** @type {number} */ (letter.codePointAt(0)));
    return sequence(letters.map((letter) => this.#characters(characterSet([letter, letter], flags), flags)));
  }

  /**
   * @param {import("@eslint-community/regexpp").AST.Assertion} assertion
   * @param {Flags} flags
   * @returns {Expression}
   */
  #assertion(assertion, flags) {
    this.hasAssertions = true;
    switch (assertion.kind) {
      case "start":
      case "end":
        return { kind: assertion.kind };
      case "word": {
        return { kind: "edge", negative: assertion.negate, ignoresCase: flags.ignoreCase && flags.unicode };
      }
      case "lookahead":
        return { kind: "ahead", negative: assertion.negate, body: this.#choice(assertion.alternatives, flags) };
      case "lookbehind":
        throw this.#error("grammar-unsupported", "Lookbehind is not supported", assertion.start);
    }
  }
}

/**
 * @param {Element | undefined} element
 * @param {"start" | "end"} kind
 */
const isEdge = (element, kind) => element?.type === "Assertion" && element.kind === kind;

/** No text has lone surrogates. @param {string} string */
const isIllFormed = (string) => /\p{Surrogate}/u.test(string);

/**
 * @param {[number, number][]} ranges
 * @param {number} codePoint
 * @returns {[number, number][]}
 */
const without = (ranges, codePoint) =>
  ranges.flatMap(([low, high]) => {
    if (codePoint < low || codePoint > high) return [[low, high]];
    /** @type {[number, number][]} */
    const halves = [
      [low, codePoint - 1],
      [codePoint + 1, high],
    ];
    return halves.filter(([from, to]) => from <= to);
  });
