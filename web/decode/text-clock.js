// How long a text takes: its prompt, and what follows.

/** @typedef {import("./continuation.js").Continuation} Continuation */
/** @typedef {import("./decode-types.js").TextStats} TextStats */

export class TextClock {
  #length;
  #report;
  #begun = 0;
  #promptEnd = 0;
  #stopped = 0;
  /** Tokens of the prompt that have been read. */
  #read = 0;
  /** The texts, and how many tokens of each came with the end of the prompt. @type {Map<Continuation, number>} */
  #texts = new Map();

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
    if (this.isPromptRead) for (const text of this.#texts.keys()) this.#texts.set(text, text.count);
  }

  /**
   * Counts the tokens of a text, as long as they are not taken back.
   * @param {Continuation} text if the prompt has been read, its first token came then
   */
  watch(text) {
    this.#texts.set(text, 1);
  }

  /** @param {number} cached tokens of the prompt that were not computed @returns {Omit<TextStats, "firstTokenMs" | "memory">} */
  speed(cached) {
    const now = performance.now();
    // The last token of a text may be the first.
    const promptEnd = this.isPromptRead ? this.#promptEnd : now;
    const promptMs = promptEnd - this.#begun;
    const textMs = now - promptEnd;
    let tokens = 0;
    let written = 0;
    for (const [{ count }, first] of this.#texts) {
      tokens += count;
      written += Math.max(0, count - first);
    }
    const rate = (/** @type {number} */ count, /** @type {number} */ ms) => (ms > 0 ? (1000 * count) / ms : 0);
    return {
      promptMs,
      promptRate: tokens ? rate(this.#length - cached, promptMs) : 0,
      textMs,
      textRate: rate(written, textMs),
    };
  }
}
