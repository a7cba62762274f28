// Splits an answer into the thought, the text and the tool calls.
import { AFTER_THOUGHT } from "../grammar/thought.js";
import { ToolCallStream } from "./tool-call-stream.js";

/** @typedef {import("./tool-call-stream.js").CallPiece} CallPiece */
/** @typedef {import("../grammar/readers/tool-call-styles.js").ToolCallStyle} ToolCallStyle */
/** @typedef {CallPiece | { kind: "reasoning", text: string }} Piece */

/**
 * The tags of a thought in an answer.
 * @typedef {object} ThoughtTags
 * @property {string} begin
 * @property {string} end
 * @property {boolean} isOpened the prompt has opened the thought
 * @property {boolean} isTrimmed newlines around the thought belong to the tags
 * @property {boolean} isAnswerTrimmed the text that follows begins after its newlines
 */

/** Reads an answer piece by piece. In the text, the name of a control token takes the token's place. */
export class AnswerStream {
  #thought;
  #calls;
  #held = "";
  /** @type {"start" | "thought" | "break" | "answer"} break: after a thought, before the text */
  #place;
  #hasThought = false;
  /** Text held back, because it may still become the beginning of a thought. */
  #space = "";
  /** Newlines after the thought so far. */
  #gap = 0;
  /** Whether an answer may have text, or only calls. */
  #hasText;
  /** How many newlines may still be dropped before the text. */
  #break;

  /**
   * @param {object} how
   * @param {{ text?: "free" | "json" | "none", control?: string[] }} [how.allowed] beside calls
   * @param {boolean} [how.isExact] a grammar defines the text: only the newlines that it allows after a thought are
   *   dropped before the text
   * @param {ThoughtTags} [how.thought]
   * @param {ToolCallStyle} [how.style] of calls, if there may be any
   * @param {string[]} [how.names] of the tools
   * @param {Map<string, Map<string, boolean>>} [how.keys] of each tool's arguments, and whether an argument is a plain text
   */
  constructor({ thought, style, names = [], keys, allowed, isExact = false }) {
    this.#thought = thought;
    this.#hasText = allowed?.text !== "none";
    this.#break = isExact ? AFTER_THOUGHT : thought?.isAnswerTrimmed ? Infinity : 0;
    this.#calls = style && new ToolCallStream(style, names, keys, allowed);
    this.#place = thought ? (thought.isOpened ? "thought" : "start") : "answer";
  }

  /** The next text belongs to a thought. */
  get isThinking() {
    return this.#place === "thought";
  }

  /** The arguments of a call are complete, but its end is not. */
  get awaitsEnd() {
    return this.#calls?.awaitsEnd ?? false;
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
    if (this.#place === "thought") yield* this.#think(rest);
    else if (this.#place === "start" && this.#hasText) yield* this.#answer(this.#space + rest);
    yield* this.#calls?.end() ?? [];
  }

  /** A thought can only be at the beginning of the answer. */
  #readStart() {
    const { begin } = /** @type {ThoughtTags} */ (this.#thought);
    const text = this.#held.trimStart();
    this.#space += this.#held.slice(0, this.#held.length - text.length);
    this.#held = text;
    if (text.startsWith(begin)) {
      this.#held = text.slice(begin.length);
      this.#place = "thought";
    } else if (!begin.startsWith(text)) {
      this.#held = this.#space + text;
      this.#place = "answer";
    }
  }

  /** @returns {Generator<Piece>} */
  *#readThought() {
    const { end } = /** @type {ThoughtTags} */ (this.#thought);
    const at = this.#held.indexOf(end);
    const text = this.#held.slice(0, at < 0 ? this.#held.length - beginning(this.#held, end) : at);
    this.#held = this.#held.slice(at < 0 ? text.length : at + end.length);
    yield* this.#think(text);
    if (at >= 0) this.#place = "break";
  }

  /** @param {string} text @returns {Generator<Piece>} */
  *#think(text) {
    if (this.#thought?.isTrimmed) {
      // Newlines at the end of the thought so far are part of it only if more of it follows.
      let length = text.length;
      while (length && text[length - 1] === "\n") length--;
      const before = this.#gap;
      this.#gap = length ? text.length - length : before + text.length;
      text = length ? "\n".repeat(before) + text.slice(0, length) : "";
      if (!this.#hasThought) text = text.replace(/^\n+/, "");
    }
    if (!text) return;
    this.#hasThought = true;
    yield { kind: "reasoning", text };
  }

  #readBreak() {
    let count = 0;
    while (count < this.#break && this.#held[count] === "\n") count++;
    this.#break -= count;
    this.#held = this.#held.slice(count);
    if (this.#held || !this.#break) this.#place = "answer";
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
 * Length of the longest suffix of `text` that is a prefix of `tag`.
 * @param {string} text
 * @param {string} tag
 */
function beginning(text, tag) {
  for (let length = Math.min(tag.length - 1, text.length); length; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
