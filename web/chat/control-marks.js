// The text of an answer with the names of its control tokens. Control tokens have no text of their own.

/** @typedef {import("../model/worker/engine.js").Chunk} Chunk */

export class ControlMarks {
  #names;
  #bytes;
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Text of tokens that has not come yet: an end of it may still become a stop string. */
  #due = "";
  /** Control tokens within this text. @type {{ at: number, name: string }[]} */
  #marks = [];

  /**
   * @param {Map<number, string>} names of control tokens by id
   * @param {() => readonly Uint8Array[]} bytes of all tokens
   */
  constructor(names, bytes) {
    this.#names = names;
    this.#bytes = bytes;
  }

  /**
   * The text of the next chunk of one answer. Control tokens after a stop string are left out.
   * @param {Chunk} chunk
   * @returns {string}
   */
  read({ text, tokens, finishReason }) {
    if (!this.#names.size) return text;
    for (const { id } of tokens) {
      const name = this.#names.get(id);
      if (name) this.#marks.push({ at: this.#due.length, name });
      else this.#due += this.#decoder.decode(this.#bytes()[id], { stream: true });
    }
    // The text of a chunk may lack the beginning of its tokens' text, but not the end.
    const shift = this.#due.startsWith(text) ? 0 : this.#due.length - text.length;
    const isLast = finishReason !== undefined && finishReason !== "stop";
    const ready = this.#marks.filter(({ at }) => isLast || at - shift <= text.length);
    let result = "";
    let from = 0;
    for (const { at, name } of ready) {
      const to = Math.max(from, at - shift);
      result += text.slice(from, to) + name;
      from = to;
    }
    const length = text.length + shift;
    this.#due = this.#due.slice(length);
    this.#marks = this.#marks.slice(ready.length).map(({ at, name }) => ({ at: at - length, name }));
    return result + text.slice(from);
  }
}
