// lastinch in WebLLM. WebLLM calls a LogitProcessor before it draws; this processor leaves one token to draw.
import { canonicalNames, openSamplers, resolveOptions, typeError } from "../engine.js";

/**
 * WebLLM's own interface, whose types do not pass a check without its other packages.
 * @typedef {object} WebLlmProcessor
 * @property {(logits: Float32Array) => Float32Array} processLogits
 * @property {(token: number) => void} processSampledToken
 * @property {() => void} resetState
 */
/** @typedef {import("../index.js").LastInchError} LastInchError */
/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */
/** @typedef {Omit<import("../index.js").SamplerAliases, "vocab_size">} SamplerAliases */
/** @typedef {Omit<SamplerOptions, "vocabSize">} LogitProcessorOptions */

/** The longest row: options are checked before WebLLM shows a row. */
const VOCABULARY_LIMIT = 1 << 20;

/**
 * A logit that WebLLM's later steps cannot raise again: a bias is 100 at most. Divided by WebLLM's least temperature, 1e-6,
 * the logit is still a finite float32, which WebGPU may require.
 */
const REFUSED = -1e30;

/**
 * A LogitProcessor for `logitProcessorRegistry` of WebLLM: on the page in the EngineConfig, with a worker within the worker
 * by `handler.setLogitProcessorRegistry`. The token is chosen here, so temperature, top_p, penalties and logit_bias of a
 * request have no effect, and the logprobs of the chosen token are 0. The grammar of `response_format` still holds, because
 * WebLLM has masked the row before. WebLLM does not pass the prompt to a processor: penalties count the tokens generated since
 * the chat began.
 *
 * Use one processor for each model: the processor keeps the state of one text.
 * @param {LogitProcessorOptions & SamplerAliases} [options] of the sampler
 * @returns {Promise<LogitProcessor>}
 * @throws {TypeError | RangeError} for an unknown option or a bad value, with a `code`
 */
export async function createLogitProcessor(options = {}) {
  const named = canonicalNames(options);
  if (named.vocabSize !== undefined)
    throw typeError("conflict", "vocabSize is the length of WebLLM's rows, and cannot be given.");
  const { given } = resolveOptions({ ...named, vocabSize: VOCABULARY_LIMIT });
  if (given.tokenCount === VOCABULARY_LIMIT) delete given.tokenCount;
  return new LogitProcessor(await openSamplers(), given);
}

/** @implements {WebLlmProcessor} */
export class LogitProcessor {
  #open;
  #options;
  /** @type {import("../index.js").Sampler | undefined} */
  #sampler;
  /** What was chosen and is not yet part of the text. @type {number | undefined} */
  #chosen;
  /** Of the text, before there is a sampler to remember it. @type {number[]} */
  #early = [];

  /**
   * Use createLogitProcessor.
   * @internal
   * @param {(options: SamplerOptions) => import("../index.js").Sampler} open
   * @param {Omit<SamplerOptions, "vocabSize">} options
   */
  constructor(open, options) {
    this.#open = open;
    this.#options = options;
  }

  /** The sampler, once WebLLM has shown a row: for `lastProbability`, `set`, `seed` and more. */
  get sampler() {
    return this.#sampler;
  }

  /**
   * Leaves one token to choose from.
   * @param {Float32Array} logits changed in place
   * @returns {Float32Array}
   * @throws {LastInchError} "logits-nan", "logits-infinite", "nothing-left"
   */
  processLogits(logits) {
    const sampler = (this.#sampler ??= this.#create(logits.length));
    this.#chosen = sampler.chooseAt(sampler.place(logits));
    logits.fill(REFUSED);
    logits[this.#chosen] = 0;
    return logits;
  }

  /**
   * Appends a token to the text. WebLLM also reports tokens that this processor did not choose, when it resumes a text.
   * @param {number} token
   */
  processSampledToken(token) {
    if (token === this.#chosen) this.#sampler?.emit(token);
    else if (this.#sampler) this.#sampler.accept(token);
    else this.#early.push(token);
    this.#chosen = undefined;
  }

  /** A new chat begins: forgets the text, and starts the seed's random numbers again. */
  resetState() {
    this.#chosen = undefined;
    this.#early = [];
    this.#sampler?.reset();
  }

  /** Gives the memory back. */
  dispose() {
    this.#sampler?.dispose();
  }

  /** @param {number} vocabSize */
  #create(vocabSize) {
    const sampler = this.#open({ ...this.#options, vocabSize });
    sampler.accept(this.#early);
    return sampler;
  }
}
