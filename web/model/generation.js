// The reader's end of a generated text.

/** @typedef {import("../decode/decode-types.js").Chunk} Chunk */
/** @typedef {import("./link.js").Link} Link */

/** How often, in tokens, the reader reports its progress to the model. */
const ROOM_STEP = 16;

/**
 * @typedef {object} Reader one who has called next()
 * @property {(result: IteratorResult<Chunk, undefined>) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/**
 * A text while the model writes it. The first call of next() starts the model.
 * @implements {AsyncIterableIterator<Chunk, undefined>}
 */
export class Generation {
  #link;
  #signal;
  #begin;
  #watch;
  #onPrompt;
  #prepare;
  #call = 0;
  #hasBegun = false;
  #hasEnded = false;
  /** @type {unknown} */
  #error;
  #read = 0;
  /** What the reader has got, of each continuation. @type {string[]} */
  #texts = [];
  /** @type {Chunk[]} */
  #chunks = [];
  /** @type {Reader[]} */
  #waiting = [];
  #abort = () => this.#finish({ text: "", tokens: [], finishReason: "abort" });

  /**
   * Use model.generate.
   * @internal
   * @param {Link} link
   * @param {AbortSignal | undefined} signal
   * @param {(listener: Omit<import("./link.js").Listener, "model">) => number} begin
   * @param {object} how
   * @param {() => (chunk: Chunk) => Chunk} how.watch called when the text begins; gives what sees each chunk
   * @param {(progress: { tokens: number, total: number }) => void} [how.onPrompt]
   * @param {() => Promise<void>} [how.prepare] called before the model starts
   */
  constructor(link, signal, begin, { watch, onPrompt, prepare }) {
    this.#link = link;
    this.#signal = signal;
    this.#begin = begin;
    this.#watch = watch;
    this.#onPrompt = onPrompt;
    this.#prepare = prepare;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<Chunk, undefined>>} */
  next() {
    if (!this.#hasBegun && !this.#hasEnded) this.#start();
    const result = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#serve();
    return this.#waiting.length ? this.#link.wait(result) : result;
  }

  /**
   * Stops the model, because the reader has left.
   * @returns {Promise<IteratorResult<Chunk, undefined>>}
   */
  async return() {
    this.#finish();
    return { done: true, value: undefined };
  }

  #start() {
    this.#hasBegun = true;
    if (this.#signal?.aborted) return this.#abort();
    this.#signal?.addEventListener("abort", this.#abort);
    const see = this.#watch();
    if (!this.#prepare) return this.#write(see);
    this.#prepare().then(
      () => this.#write(see),
      (error) => this.#fail(error),
    );
  }

  /** @param {(chunk: Chunk) => Chunk} see */
  #write(see) {
    if (this.#hasEnded) return;
    try {
      this.#call = this.#begin({
        chunk: (chunk) => {
          this.#chunks.push(see(chunk));
          this.#serve();
        },
        progress: (progress) => {
          try {
            this.#onPrompt?.(progress);
          } catch (error) {
            this.#link.drop(this.#call);
            this.#fail(error);
          }
        },
        done: () => this.#end(),
        failed: (error) => this.#fail(error),
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {any} error */
  #fail(error) {
    if (this.#hasEnded) return;
    // A text that is lost is read as far as it was written.
    if (error?.code !== "worker-lost") this.#chunks.length = 0;
    this.#error = error;
    this.#end();
  }

  /**
   * Ends the text here and drops later chunks.
   * @param {Chunk} [last]
   */
  #finish(last) {
    if (this.#isOver()) return;
    if (!this.#hasEnded) this.#link.drop(this.#call);
    this.#chunks = last ? [last] : [];
    this.#error = undefined;
    this.#end();
  }

  #end() {
    this.#hasEnded = true;
    this.#serve();
  }

  /** Whether the reader has heard everything, an error included. */
  #isOver() {
    return this.#hasEnded && !this.#chunks.length && this.#error === undefined;
  }

  /** Delivers chunks to waiting readers. */
  #serve() {
    while (this.#waiting.length) {
      const chunk = this.#chunks.shift();
      if (!chunk && !this.#hasEnded) return;
      const { resolve, reject } = /** @type {Reader} */ (this.#waiting.shift());
      const error = this.#error;
      if (chunk) {
        this.#count(chunk.beams ? 1 : chunk.tokens.length);
        this.#remember(chunk);
        resolve({ done: false, value: chunk });
      } else if (error !== undefined) {
        this.#error = undefined;
        reject(withTexts(error, this.#texts));
      } else resolve({ done: true, value: undefined });
    }
    // An abort still works until the last chunk is read.
    if (this.#isOver()) this.#signal?.removeEventListener("abort", this.#abort);
  }

  /** @param {Chunk} chunk */
  #remember({ index = 0, text = "", takenBack }) {
    const before = this.#texts[index] ?? "";
    this.#texts[index] = (takenBack ? before.slice(0, before.length - takenBack.characters) : before) + text;
  }

  /**
   * Reports the reader's progress to the model.
   * @param {number} tokens
   */
  #count(tokens) {
    this.#read += tokens;
    if (this.#read < ROOM_STEP || this.#hasEnded) return;
    this.#link.post({ kind: "room", call: this.#call, count: this.#read });
    this.#read = 0;
  }
}

/**
 * Gives an error the text so far, if the text is lost.
 * @param {any} error
 * @param {string[]} texts of the continuations
 */
function withTexts(error, texts) {
  if (error?.code !== "worker-lost") return error;
  return Object.assign(error, {
    text: texts[0] ?? "",
    ...(texts.length > 1 && { texts: Array.from(texts, (text = "") => text) }),
  });
}
