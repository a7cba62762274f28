// How long a text takes: its prompt, and what follows.

/** @typedef {import("./decode-types.js").TextStats} TextStats */

export class TextClock {
  #length;
  #report;
  #begun = 0;
  #promptEnd = 0;
  #stopped = 0;
  /** Tokens of the prompt that have been read. */
  #read = 0;
  #written = 0;

  /**
   * @param {number} length tokens of the prompt
   * @param {(tokens: number, total: number) => void} [report] called when more of the prompt has been read
   */
  constructor(length, report) {
    this.#length = length;
    this.#report = report;
  }

  get isPromptRead() {
    return this.#read >= this.#length;
  }

  /** The text begins, or goes on after a stop. */
  start() {
    const now = performance.now();
    const waited = this.#begun ? now - this.#stopped : now;
    this.#begun += waited;
    this.#promptEnd += waited;
  }

  /** The text waits. */
  stop() {
    this.#stopped = performance.now();
  }

  /** @param {number} position to which the text has been read */
  read(position) {
    if (this.isPromptRead || position <= this.#read) return;
    this.#read = Math.min(position, this.#length);
    this.#report?.(this.#read, this.#length);
    this.#promptEnd = performance.now();
  }

  /** @param {number} count tokens */
  write(count) {
    this.#written += count;
  }

  /** @param {number} cached tokens of the prompt that were not computed @returns {Omit<TextStats, "firstTokenMs" | "memory">} */
  speed(cached) {
    const now = performance.now();
    // The last token of a text may be the first.
    const promptEnd = this.isPromptRead ? this.#promptEnd : now;
    const promptMs = promptEnd - this.#begun;
    const textMs = now - promptEnd;
    const rate = (/** @type {number} */ count, /** @type {number} */ ms) => (ms > 0 ? (1000 * count) / ms : 0);
    return {
      promptMs,
      promptRate: this.#written ? rate(this.#length - cached, promptMs) : 0,
      textMs,
      textRate: rate(Math.max(0, this.#written - 1), textMs),
    };
  }
}
