// Splits a text into plain text and tool calls, in the style of a model family.
import { JsonInput, ParameterInput } from "./call-input.js";
import { matchParts, partsOf } from "./call-tags.js";

/** @typedef {import("../grammar/readers/tool-call-styles.js").ToolCallStyle} ToolCallStyle */

/**
 * A piece of the text: plain text; the name of a called tool; JSON text of the call's arguments; the end of the call; a call
 * that was cut off, perhaps before its name was known.
 * @typedef {{ kind: "text", text: string } | { kind: "call", name: string } | { kind: "input", text: string }
 *   | { kind: "end" } | { kind: "cut" }} CallPiece
 */

/** @typedef {import("./call-tags.js").Match} Match */

/**
 * Reads texts that a grammar of calls allows. All text after a trigger belongs to a call, even if the call is cut off.
 * Newlines before and after calls belong to the calls.
 */
export class ToolCallStream {
  #names;
  #isAlone;
  #text;
  /** A beginning that makes the held text a call for certain. */
  #lead;
  #opening;
  /** @type {string[] | undefined} */
  #next;
  #end;
  #close;
  #held = "";
  /** Newlines after the text so far; they belong to a call if one follows. */
  #gap = 0;
  /** @type {"text" | "input" | "closing" | "called"} called: another call may follow without a trigger */
  #place = "text";
  /** So far there were only spaces. */
  #isStart = true;
  /** The last piece was the end of a call. */
  #isAfterCall = false;
  #name = "";
  #parameters;
  #keys;
  /** @type {JsonInput | ParameterInput} */
  #input = new JsonInput();

  /**
   * @param {ToolCallStyle} style
   * @param {string[]} names of the tools
   * @param {Map<string, Map<string, boolean>>} [keys] of each tool's arguments, and whether an argument is a plain text
   * @param {{ text?: "free" | "json" | "none", control?: string[] }} [allowed] text: what may come with calls, or
   *   instead of them. control: names of control tokens in the tags of calls, which text does not have
   */
  constructor(style, names, keys, { text = "free", control = [] } = {}) {
    const { trigger, begin, end, separator, close = "", alone = false, parameters } = style;
    this.#names = names;
    this.#parameters = parameters;
    this.#keys = keys;
    this.#isAlone = alone;
    this.#text = text;
    this.#lead = control.find((name) => trigger.startsWith(name)) ?? trigger;
    this.#opening = partsOf(trigger + begin);
    this.#next = separator === undefined ? undefined : partsOf(separator + begin);
    this.#end = partsOf(end);
    this.#close = partsOf(close);
  }

  /** The arguments of a call are complete, but its end is not. */
  get awaitsEnd() {
    return this.#place === "closing";
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

  /** Ends the text: returns what was held back, and the call that was cut off. @returns {CallPiece[]} */
  end() {
    if (this.#place === "input" || this.#place === "closing") return [{ kind: "cut" }];
    if (this.#place === "called" ? this.#isNextCall() : this.#isCall()) return [{ kind: "cut" }];
    if (this.#place === "called") return [];
    const text = this.#held || !this.#isAfterCall ? "\n".repeat(this.#gap) + this.#held : "";
    return text ? [{ kind: "text", text }] : [];
  }

  /** Whether what is held can only be the beginning of a call. */
  #isCall() {
    if (this.#text === "none") return this.#held !== "";
    // JSON may begin like a call that is only JSON, and contain any text.
    const isJson = this.#text === "json" && (this.#isAlone || !this.#isStart);
    return !isJson && this.#held.startsWith(this.#lead);
  }

  /** Whether what is held after a call can only be the beginning of the next. */
  #isNextCall() {
    return this.#held.trim() !== "" && matchParts(this.#held, this.#close, []) !== "partial";
  }

  /** @returns {Generator<CallPiece>} */
  *#readText() {
    const { at, match } = this.#findCall();
    let end = at;
    while (end && this.#held[end - 1] === "\n") end--;
    if (end) {
      const text = "\n".repeat(this.#gap) + this.#held.slice(0, end);
      this.#gap = 0;
      this.#isStart &&= !text.trim();
      this.#isAfterCall = false;
      yield { kind: "text", text };
    }
    this.#gap += at - end;
    this.#held = this.#held.slice(at);
    if (match && match !== "partial") yield* this.#begin(match);
  }

  /** Finds a call, or text that may become one. @returns {{ at: number, match?: Match }} */
  #findCall() {
    const text = this.#held;
    const [first] = this.#opening[0];
    let at = !this.#isAlone ? text.indexOf(first) : this.#isStart ? text.search(/\S/) : -1;
    while (at >= 0) {
      const match = matchParts(text.slice(at), this.#opening, this.#names);
      if (match) return { at, match };
      at = this.#isAlone ? -1 : text.indexOf(first, at + 1);
    }
    return { at: text.length };
  }

  /** @param {{ length: number, name: string }} match at the beginning of what is held @returns {Generator<CallPiece>} */
  *#begin({ length, name }) {
    this.#held = this.#held.slice(length);
    this.#place = "input";
    this.#isStart = false;
    this.#gap = 0;
    this.#name = name;
    this.#input = this.#parameters ? new ParameterInput(this.#parameters, this.#keys?.get(name)) : new JsonInput();
    yield { kind: "call", name };
  }

  /** @returns {Generator<CallPiece>} */
  *#readInput() {
    const { text, length, isComplete } = this.#input.read(this.#held);
    this.#held = this.#held.slice(length);
    if (text) yield { kind: "input", text };
    if (isComplete) this.#place = "closing";
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
    if (next && next !== "partial") return yield* this.#begin(next);
    const close = matchParts(this.#held, this.#close, []);
    if (close === "partial" || (next && !close)) return;
    this.#held = this.#held.slice(close?.length ?? 0);
    this.#place = "text";
  }
}
