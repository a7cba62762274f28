// One text in progress: turns tokens into text and chunks, and finds the end of the text.
import { StopStrings } from "./stop-strings.js";

/** @typedef {import("./decode-types.js").Chunk} Chunk */
/** @typedef {import("./decode-types.js").Token} Token */
/** @typedef {import("./decode-types.js").Usage} Usage */
/** @typedef {import("./loop.js").Call} Call */

export class Continuation {
  #call;
  #index;
  #stops;
  #stream;
  /** Bytes of the text that the prompt has already shown (token healing). */
  #hidden;
  /** Tokens written. */
  count = 0;
  isOver = false;
  /** @type {Usage} */
  usage;

  /**
   * @param {Call} call
   * @param {number} [index] its number among several
   */
  constructor(call, index) {
    this.#call = call;
    this.#index = index;
    this.#stops = new StopStrings(call.settings.stop);
    this.#stream = call.engine.tokenizer.stream();
    this.#hidden = call.heal?.length ?? 0;
    // If the prompt ends inside a character, the text completes it.
    for (const id of call.prompt) this.#stream.push(id);
    const usage = { completionTokens: 0, passes: 0, draftedTokens: 0, acceptedTokens: 0 };
    this.usage = { promptTokens: call.ids.length, cachedTokens: 0, ...usage };
  }

  /**
   * @param {Token} token
   * @param {number} position of the token in its sequence
   */
  write(token, position) {
    const { settings, source, job } = this.#call;
    const isEnd = /** @type {number[]} */ (settings.sampler.given.eos).includes(token.id);
    this.count++;
    const text = isEnd ? "" : this.#stops.push(this.#textOf(token.id));
    job.takeRoom();
    if (isEnd) this.#end(text, [token], "eos");
    else if (this.#stops.isStopped) this.#end(text, [token], "stop");
    else if (this.count === settings.maxTokens) this.#end(text, [token], "length");
    else if (position === source.contextLength) this.#end(text, [token], "context");
    else this.#emit({ text, tokens: [token] });
  }

  /** @param {number} id */
  #textOf(id) {
    const { length } = this.#call.engine.tokenizer.bytesOf(id);
    const skip = Math.min(this.#hidden, length);
    this.#hidden -= skip;
    return this.#stream.push(id, skip);
  }

  /**
   * @param {string} text
   * @param {Token[]} tokens
   * @param {"eos" | "stop" | "length" | "context"} finishReason
   */
  #end(text, tokens, finishReason) {
    this.isOver = true;
    const rest = this.#stops.push(this.#stream.end()) + this.#stops.end();
    this.usage.completionTokens = this.count;
    this.#emit({ text: text + rest, tokens, finishReason, usage: this.usage });
  }

  /** @param {Chunk} chunk */
  #emit(chunk) {
    this.#call.emit(this.#index === undefined ? chunk : { ...chunk, index: this.#index });
  }
}
