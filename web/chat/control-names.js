// Writes the names of control tokens into the text of an answer, because control tokens have no text of their own.
import { TextStream } from "../decode/text-stream.js";

/** @typedef {import("../decode/decode-types.js").Chunk} Chunk */

export class ControlNames {
  #names;
  #bytes;
  #stream;
  /** Bytes of the first tokens that the prompt has already shown (token healing). */
  #hidden;
  /** Text of tokens that the chunks hold back, because its end may still become a stop string. */
  #due = "";
  /** Control tokens within this text. @type {{ at: number, name: string }[]} */
  #found = [];

  /**
   * @param {Map<number, string>} names of control tokens by id
   * @param {() => readonly Uint8Array[]} bytes of all tokens
   * @param {object} [how]
   * @param {boolean} [how.dropsSpace] drop the first space of the prompt and the text
   * @param {number[]} [how.prompt] the prompt; if it ends inside a character, the text completes the character
   * @param {number} [how.hidden] bytes at the beginning that the prompt has already shown
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
      if (name) this.#found.push({ at: this.#due.length, name });
      else if (i < end) this.#due += this.#textOf(id);
    });
    // As in the text, an incomplete character becomes U+FFFD.
    if (finishReason) this.#due += this.#stream.end();
    // A stop string or an abort removes text, and the control tokens inside it.
    const isWhole = finishReason !== undefined && finishReason !== "stop" && finishReason !== "abort";
    const count = isWhole ? this.#found.length : this.#found.filter(({ at }) => at <= text.length).length;
    let result = "";
    let from = 0;
    for (const { at, name } of this.#found.splice(0, count)) {
      result += text.slice(from, at) + name;
      from = at;
    }
    this.#due = this.#due.slice(text.length);
    for (const one of this.#found) one.at -= text.length;
    return result + text.slice(from);
  }

  /** @param {number} id */
  #textOf(id) {
    const skip = Math.min(this.#hidden, this.#bytes()[id]?.length ?? 0);
    this.#hidden -= skip;
    return this.#stream.push(id, skip);
  }
}
