// A text that an outside engine writes: turns tokens into text, and finds its end.
import { LoopDetector, StopStrings, TextStream } from "../engine.js";

/** @typedef {import("./tokenizer-vocabulary.js").TokenizerVocabulary} TokenizerVocabulary */

/**
 * A generated token.
 * @typedef {object} WrittenToken
 * @property {number} id
 * @property {number} probability the probability of the draw, among the tokens that the options left
 * @property {number} [rawLogprob] natural logarithm of the model's own probability, before any option, where it is asked
 *   for
 */

/**
 * The conditions that end a text.
 * @typedef {object} Ending
 * @property {{ tokens: readonly (Uint8Array | null | undefined)[] }} [vocabulary] without it, there are tokens but no
 *   text
 * @property {string[]} stop
 * @property {ReturnType<typeof import("../engine.js").readLoopStop>} [loops]
 * @property {readonly number[]} eos
 * @property {number} [maxTokens]
 * @property {number} [contextLength]
 */

export class WrittenText {
  /** @type {WrittenToken[]} */
  tokens = [];
  /** @type {"eos" | "stop" | "loop" | "length" | "context" | undefined} why it ended */
  finishReason;
  /** The loop that ended it. @type {import("../index.js").Loop | undefined} */
  loop;
  #loops;
  #ending;
  #stops;
  #stream;
  #promptLength;
  /** Text of the tokens read so far. */
  #text = "";
  #readCount = 0;
  #isWhole = false;
  /** The text that the last call of write has added. */
  #added = "";

  /**
   * @param {Ending} ending
   * @param {readonly number[]} prompt ids
   */
  constructor(ending, prompt) {
    const { vocabulary, stop, loops } = ending;
    if (loops) this.#loops = new LoopDetector(loops);
    this.#ending = ending;
    this.#stops = new StopStrings(stop);
    this.#stream = vocabulary && new TextStream((id) => /** @type {Uint8Array[]} */ (vocabulary.tokens)[id], false);
    this.#promptLength = prompt.length;
    // If the prompt ends inside a character, the text completes it.
    for (const id of prompt) this.#stream?.push(id);
  }

  /** Text before the first stop string, without an end that may still become one. */
  get text() {
    this.#read();
    return this.#text;
  }

  /**
   * @param {WrittenToken} token
   * @returns {string} the text that it adds
   */
  write(token) {
    this.#added = "";
    this.add(token);
    this.#read();
    return this.#added;
  }

  /**
   * Like write, but decodes the token at once only if its text may end the text.
   * @param {WrittenToken} token
   */
  add(token) {
    const { eos, stop, maxTokens = Infinity, contextLength = Infinity } = this.#ending;
    const count = this.tokens.push(token);
    const isEnd = eos.includes(token.id);
    if ((stop.length || this.#loops) && !isEnd) this.#read();
    if (isEnd) this.finishReason = "eos";
    else if (this.#stops.isStopped) this.finishReason = "stop";
    else if (this.loop) this.finishReason = "loop";
    else if (count === maxTokens) this.finishReason = "length";
    else if (this.#promptLength + count > contextLength) this.finishReason = "context";
  }

  #read() {
    for (; this.#readCount < this.tokens.length; this.#readCount++) {
      const { id } = this.tokens[this.#readCount];
      if (this.#ending.eos.includes(id)) continue;
      const text = this.#stream?.push(id) ?? "";
      this.loop = this.#loops?.push(id, text);
      this.#append(this.#stops.push(text));
    }
    if (!this.finishReason || this.#isWhole) return;
    this.#isWhole = true;
    this.#append(this.#stops.push(this.#stream?.end() ?? "") + this.#stops.end());
  }

  /** @param {string} text */
  #append(text) {
    this.#text += text;
    this.#added += text;
  }
}
