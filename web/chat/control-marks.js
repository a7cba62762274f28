// The text of an answer with the names of its control tokens. Control tokens have no text of their own.
import { TextStream } from "../decode/text-stream.js";

/** @typedef {import("../decode/types.js").Chunk} Chunk */

export class ControlMarks {
  #names;
  #bytes;
  #stream;
  /** Bytes of the first tokens that are no part of the text (token healing). */
  #hidden;
  /** Text of tokens that has not come yet: an end of it may still become a stop string. */
  #due = "";
  /** Control tokens within this text. @type {{ at: number, name: string }[]} */
  #marks = [];

  /**
   * @param {Map<number, string>} names of control tokens by id
   * @param {() => readonly Uint8Array[]} bytes of all tokens
   * @param {object} [how]
   * @param {boolean} [how.dropsSpace] the first space of the prompt and the text is no part of them
   * @param {number[]} [how.prompt] which may end within a character, that the text then completes
   * @param {number} [how.hidden] bytes at the beginning that the prompt has shown already
   */
  constructor(names, bytes, { dropsSpace = false, prompt = [], hidden = 0 } = {}) {
    this.#names = names;
    this.#bytes = bytes;
    this.#hidden = hidden;
    this.#stream = new TextStream((id) => bytes()[id], dropsSpace);
    if (names.size) for (const id of prompt) this.#stream.push(id);
  }

  /**
   * The text of the next chunk of one answer. Control tokens after a stop string are left out.
   * @param {Chunk} chunk
   * @returns {string}
   */
  read({ text, tokens, finishReason }) {
    if (!this.#names.size) return text;
    const end = finishReason === "eos" ? tokens.length - 1 : tokens.length;
    tokens.forEach(({ id }, i) => {
      const name = this.#names.get(id);
      if (name) this.#marks.push({ at: this.#due.length, name });
      else if (i < end) this.#due += this.#textOf(id);
    });
    // As in the text, the beginning of a character that does not end becomes U+FFFD.
    if (finishReason) this.#due += this.#stream.end();
    // A stop string and an abort take away text, and so what stood within that text.
    const isWhole = finishReason !== undefined && finishReason !== "stop" && finishReason !== "abort";
    const count = isWhole ? this.#marks.length : this.#marks.filter(({ at }) => at <= text.length).length;
    let result = "";
    let from = 0;
    for (const { at, name } of this.#marks.splice(0, count)) {
      result += text.slice(from, at) + name;
      from = at;
    }
    this.#due = this.#due.slice(text.length);
    for (const mark of this.#marks) mark.at -= text.length;
    return result + text.slice(from);
  }

  /** @param {number} id */
  #textOf(id) {
    const skip = Math.min(this.#hidden, this.#bytes()[id]?.length ?? 0);
    this.#hidden -= skip;
    return this.#stream.push(id, skip);
  }
}
