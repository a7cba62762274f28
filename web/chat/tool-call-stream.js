// Takes the calls of tools out of a text, in the style in which a model family writes them.

/** @typedef {import("../grammar/readers/tool-call-styles.js").ToolCallStyle} ToolCallStyle */

/**
 * What a piece of text turned out to be: text; the name of a tool that is called; text of the call's arguments, which are
 * JSON; the end of the call; a call that was cut off.
 * @typedef {{ kind: "text", text: string } | { kind: "call", name: string } | { kind: "input", text: string }
 *   | { kind: "end" } | { kind: "cut" }} CallPiece
 */

/** How a text begins: with a whole mark, or with what may become one. @typedef {{ length: number, name: string } | "partial" | undefined} Match */

/** Reads what a grammar of calls lets through. What follows a trigger is no text, even where it is cut off. Newlines before and after calls belong to the calls. */
export class ToolCallStream {
  #names;
  #isAlone;
  #trigger;
  #opening;
  /** @type {string[] | undefined} */
  #next;
  #end;
  #close;
  #held = "";
  /** @type {"text" | "input" | "closing" | "called"} called: another call may follow without a trigger */
  #place = "text";
  /** Nothing has come yet that was no space. */
  #isStart = true;
  /** A call was the last that came. */
  #isAfterCall = false;
  #name = "";
  #value = new ValueEnd();

  /**
   * @param {ToolCallStyle} style
   * @param {string[]} names of the tools
   */
  constructor({ trigger, begin, end, separator, close = "", alone = false }, names) {
    this.#names = names;
    this.#isAlone = alone;
    this.#trigger = trigger;
    this.#opening = partsOf(trigger + begin);
    this.#next = separator === undefined ? undefined : partsOf(separator + begin);
    this.#end = partsOf(end);
    this.#close = partsOf(close);
  }

  /**
   * @param {string} text
   * @returns {Generator<CallPiece>}
   */
  *push(text) {
    this.#held += text;
    for (let place; place !== this.#place;) {
      place = this.#place;
      if (place === "text") yield* this.#readText();
      else if (place === "input") yield* this.#readInput();
      else if (place === "closing") yield* this.#readEnd();
      else yield* this.#readNext();
    }
  }

  /** The text has ended: what was held back, and the call that was cut off. @returns {CallPiece[]} */
  end() {
    if (this.#place === "input" || this.#place === "closing") return [{ kind: "cut" }];
    const text = this.#isAfterCall ? this.#held.replace(/^\n+$/, "") : this.#held;
    const isCut = !this.#isAlone && text.replace(/^\n+/, "").startsWith(this.#trigger);
    return this.#place === "text" && text && !isCut ? [{ kind: "text", text }] : [];
  }

  /** @returns {Generator<CallPiece>} */
  *#readText() {
    const { at, match } = this.#findCall();
    if (match && match !== "partial") {
      yield* this.#emit(this.#held.slice(0, at).replace(/\n+$/, ""));
      yield* this.#begin(at, match);
      return;
    }
    const whole = this.#held.slice(0, at);
    const end = match ? whole.replace(/\n+$/, "").length : whole.length;
    yield* this.#emit(whole.slice(0, end));
    this.#held = this.#held.slice(end);
  }

  /** The place of a call, or of what may become one. @returns {{ at: number, match?: Match }} */
  #findCall() {
    const text = this.#held;
    const [first] = this.#opening[0];
    if (this.#isAlone && !this.#isStart) return { at: text.length };
    for (let at = text.search(/\S/); at >= 0; at = text.indexOf(first, at + 1)) {
      const match = matchParts(text.slice(at), this.#opening, this.#names);
      if (match) return { at, match };
      if (this.#isAlone) return { at: text.length };
    }
    // What ends the text may stand before a call.
    return { at: text.length, match: "partial" };
  }

  /** @param {string} text @returns {Generator<CallPiece>} */
  *#emit(text) {
    if (!text) return;
    this.#isStart &&= !text.trim();
    this.#isAfterCall = false;
    yield { kind: "text", text };
  }

  /** @param {number} at @param {{ length: number, name: string }} match @returns {Generator<CallPiece>} */
  *#begin(at, { length, name }) {
    this.#held = this.#held.slice(at + length);
    this.#place = "input";
    this.#isStart = false;
    this.#name = name;
    this.#value = new ValueEnd();
    yield { kind: "call", name };
  }

  /** @returns {Generator<CallPiece>} */
  *#readInput() {
    const end = this.#value.find(this.#held);
    const text = this.#held.slice(0, end < 0 ? undefined : end);
    this.#held = this.#held.slice(text.length);
    if (text) yield { kind: "input", text };
    if (end >= 0) this.#place = "closing";
  }

  /** @returns {Generator<CallPiece>} */
  *#readEnd() {
    const match = matchParts(this.#held, this.#end, [this.#name]);
    if (match === "partial") return;
    this.#held = this.#held.slice(match?.length ?? 0);
    this.#place = match ? "called" : "text";
    this.#isAfterCall = true;
    yield { kind: match ? "end" : "cut" };
  }

  /** @returns {Generator<CallPiece>} */
  *#readNext() {
    const next = this.#next && matchParts(this.#held, this.#next, this.#names);
    if (next && next !== "partial") return yield* this.#begin(0, next);
    const close = matchParts(this.#held, this.#close, []);
    if (close === "partial" || (next && !close)) return;
    this.#held = this.#held.slice(close?.length ?? 0);
    this.#place = "text";
  }
}

/** A mark as literals and placeholders. @param {string} mark */
const partsOf = (mark) => mark.split(/(\{name\}|\{number\})/).filter(Boolean);

/**
 * @param {string} text
 * @param {string[]} parts
 * @param {string[]} names that {name} may stand for; the same wherever it stands
 * @returns {Match}
 */
function matchParts(text, [part, ...rest], names) {
  if (part === undefined) return { length: 0, name: names[0] };
  if (part === "{number}") {
    const digits = /^\d{0,6}/.exec(text)?.[0] ?? "";
    if (digits === text) return "partial";
    return digits ? longer(matchParts(text.slice(digits.length), rest, names), digits.length) : undefined;
  }
  /** @type {Match} */
  let result;
  for (const [word, others] of part === "{name}" ? names.map((name) => [name, [name]]) : [[part, names]]) {
    const literal = /** @type {string} */ (word);
    const match = text.startsWith(literal)
      ? longer(matchParts(text.slice(literal.length), rest, /** @type {string[]} */ (others)), literal.length)
      : literal.startsWith(text)
        ? "partial"
        : undefined;
    if (match && match !== "partial") return match;
    result ??= match;
  }
  return result;
}

/** @param {Match} match @param {number} length @returns {Match} */
const longer = (match, length) =>
  match && match !== "partial" ? { length: match.length + length, name: match.name } : match;

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
