// A text that an outside engine generates: turns tokens into text, and finds the end of the text.
import { StopStrings } from "../decode/stop-strings.js";
import { TextStream } from "../decode/text-stream.js";

/** @typedef {import("./tokenizer-vocabulary.js").TokenizerVocabulary} TokenizerVocabulary */

/**
 * A generated token.
 * @typedef {object} WrittenToken
 * @property {number} id
 * @property {number} probability with which the token was drawn, among the tokens that the options left
 * @property {number} rawLogprob natural logarithm of the model's own probability, before any option
 */

/**
 * The conditions that end a text.
 * @typedef {object} Ending
 * @property {{ tokens: readonly (Uint8Array | null | undefined)[] }} [vocabulary] without it there are tokens, but no text
 * @property {string[]} stop
 * @property {readonly number[]} eos
 * @property {number} [maxTokens]
 * @property {number} [contextLength]
 */

export class WrittenText {
  /** @type {WrittenToken[]} */
  tokens = [];
  /** Before the first stop string; without what can still become one. */
  text = "";
  /** @type {"eos" | "stop" | "length" | "context" | undefined} why it ended */
  finishReason;
  #ending;
  #stops;
  #stream;
  #promptLength;

  /**
   * @param {Ending} ending
   * @param {readonly number[]} prompt ids
   */
  constructor(ending, prompt) {
    const { vocabulary, stop } = ending;
    this.#ending = ending;
    this.#stops = new StopStrings(stop);
    this.#stream = vocabulary && new TextStream((id) => /** @type {Uint8Array[]} */ (vocabulary.tokens)[id], false);
    this.#promptLength = prompt.length;
    // If the prompt ends within a character, the text completes the character.
    for (const id of prompt) this.#stream?.push(id);
  }

  /**
   * @param {WrittenToken} token
   * @returns {string} the text that it adds
   */
  write(token) {
    const { eos, maxTokens = Infinity, contextLength = Infinity } = this.#ending;
    const count = this.tokens.push(token);
    const isEnd = eos.includes(token.id);
    let text = isEnd ? "" : this.#stops.push(this.#stream?.push(token.id) ?? "");
    if (isEnd) this.finishReason = "eos";
    else if (this.#stops.isStopped) this.finishReason = "stop";
    else if (count === maxTokens) this.finishReason = "length";
    else if (this.#promptLength + count > contextLength) this.finishReason = "context";
    if (this.finishReason) text += this.#stops.push(this.#stream?.end() ?? "") + this.#stops.end();
    this.text += text;
    return text;
  }
}
