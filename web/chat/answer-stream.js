// Takes an answer apart: the thought, the text, and the calls of tools.
import { ToolCallStream } from "./tool-call-stream.js";

/** @typedef {import("./tool-call-stream.js").CallPiece} CallPiece */
/** @typedef {import("../grammar/readers/tool-call-styles.js").ToolCallStyle} ToolCallStyle */
/** @typedef {CallPiece | { kind: "reasoning", text: string }} Piece */

/**
 * How thoughts are marked in an answer.
 * @typedef {object} ThoughtMarks
 * @property {string} begin
 * @property {string} end
 * @property {boolean} isOpened the prompt has opened the thought
 * @property {boolean} isTrimmed newlines around the thought belong to the marks
 * @property {boolean} isAnswerTrimmed newlines before the text that follows are no part of it
 */

/** Reads an answer, which comes in pieces. Names of control tokens stand in the text where the tokens are. */
export class AnswerStream {
  #thought;
  #calls;
  #held = "";
  /** @type {"start" | "thought" | "break" | "answer"} break: after a thought, before the text */
  #place;
  #hasThought = false;

  /**
   * @param {object} how
   * @param {ThoughtMarks} [how.thought]
   * @param {ToolCallStyle} [how.style] of calls, where there may be some
   * @param {string[]} [how.names] of the tools
   */
  constructor({ thought, style, names = [] }) {
    this.#thought = thought;
    this.#calls = style && new ToolCallStream(style, names);
    this.#place = thought ? (thought.isOpened ? "thought" : "start") : "answer";
  }

  /** What comes next belongs to a thought. */
  get isThinking() {
    return this.#place === "thought";
  }

  /**
   * @param {string} text
   * @returns {Generator<Piece>}
   */
  *push(text) {
    this.#held += text;
    if (this.#place === "start") this.#readStart();
    if (this.#place === "thought") yield* this.#readThought();
    if (this.#place === "break") this.#readBreak();
    if (this.#place === "answer") yield* this.#readAnswer();
  }

  /** The answer has ended. @returns {Generator<Piece>} */
  *end() {
    const rest = this.#held;
    this.#held = "";
    if (this.#place === "thought") yield* this.#think(this.#thought?.isTrimmed ? rest.replace(/\n+$/, "") : rest);
    else if (this.#place === "start") yield* this.#answer(rest);
    yield* this.#calls?.end() ?? [];
  }

  /** A thought begins the answer, or there is none. */
  #readStart() {
    const { begin } = /** @type {ThoughtMarks} */ (this.#thought);
    const text = this.#held.trimStart();
    if (text.startsWith(begin)) {
      this.#held = text.slice(begin.length);
      this.#place = "thought";
    } else if (!begin.startsWith(text)) this.#place = "answer";
  }

  /** @returns {Generator<Piece>} */
  *#readThought() {
    const { end, isTrimmed, isAnswerTrimmed } = /** @type {ThoughtMarks} */ (this.#thought);
    const at = this.#held.indexOf(end);
    let text = this.#held.slice(0, at < 0 ? this.#held.length - beginning(this.#held, end) : at);
    let rest = at < 0 ? this.#held.slice(text.length) : this.#held.slice(at + end.length);
    if (isTrimmed) {
      const before = text;
      text = text.replace(/\n+$/, "");
      if (at < 0) rest = before.slice(text.length) + rest;
    }
    this.#held = rest;
    yield* this.#think(text);
    if (at >= 0) this.#place = isAnswerTrimmed ? "break" : "answer";
  }

  /** @param {string} text @returns {Generator<Piece>} */
  *#think(text) {
    if (!this.#hasThought && this.#thought?.isTrimmed) text = text.replace(/^\n+/, "");
    if (!text) return;
    this.#hasThought = true;
    yield { kind: "reasoning", text };
  }

  #readBreak() {
    this.#held = this.#held.replace(/^\n+/, "");
    if (this.#held) this.#place = "answer";
  }

  /** @returns {Generator<Piece>} */
  *#readAnswer() {
    const text = this.#held;
    this.#held = "";
    yield* this.#answer(text);
  }

  /** @param {string} text @returns {Generator<Piece>} */
  *#answer(text) {
    if (this.#calls) yield* this.#calls.push(text);
    else if (text) yield { kind: "text", text };
  }
}

/**
 * Length of the longest end of `text` with which `mark` begins.
 * @param {string} text
 * @param {string} mark
 */
function beginning(text, mark) {
  for (let length = Math.min(mark.length - 1, text.length); length; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
