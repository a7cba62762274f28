// lastinch in WebLLM. WebLLM calls a LogitProcessor before it draws; this processor leaves one token to draw.
import { openSampler } from "../sampler/sampler-instance.js";
import { Sampler } from "../sampler/sampler.js";
import { canonicalNames, resolveOptions } from "../sampler/options.js";
import { typeError } from "../core/errors.js";

/**
 * WebLLM's own interface. We do not import its types, because they need its other packages.
 * @typedef {object} WebLlmProcessor
 * @property {(logits: Float32Array) => Float32Array} processLogits
 * @property {(token: number) => void} processSampledToken
 * @property {() => void} resetState
 */
/** @typedef {import("../index.js").LastInchError} LastInchError */
/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */
/** @typedef {Omit<import("../sampler/option-table.js").SamplerAliases, "vocab_size">} SamplerAliases */
/** @typedef {Omit<SamplerOptions, "vocabSize">} LogitProcessorOptions */

/** The longest row, to check options before WebLLM shows one. */
const VOCABULARY_LIMIT = 1 << 20;

/**
 * A logit that WebLLM's later steps cannot raise again, because a bias is at most 100. Divided by WebLLM's least
 * temperature, 1e-6, it is still a finite float32, which WebGPU may require.
 */
const REFUSED = -1e30;

/**
 * A LogitProcessor for `logitProcessorRegistry` of WebLLM: pass it in the page's EngineConfig or, with a worker, to
 * `handler.setLogitProcessorRegistry` inside the worker. The processor chooses the token, so temperature, top_p,
 * penalties and logit_bias of a request have no effect, and the logprobs of the chosen token are 0. The grammar of
 * `response_format` still holds, because WebLLM masks the row first. WebLLM does not pass the prompt to a processor:
 * penalties count the tokens generated since the chat began.
 *
 * Use one processor for each model, because a processor keeps the state of one text.
 * @param {LogitProcessorOptions & SamplerAliases} [options] of the sampler
 * @returns {Promise<LogitProcessor>}
 * @throws {TypeError | RangeError} for an unknown option or a bad value, with a `code`
 */
export async function createLogitProcessor(options = {}) {
  const named = canonicalNames(options);
  if (named.vocabSize !== undefined)
    throw typeError("conflict", "vocabSize is the length of WebLLM's rows: leave it out.");
  const { given } = resolveOptions({ ...named, vocabSize: VOCABULARY_LIMIT });
  if (given.tokenCount === VOCABULARY_LIMIT) delete given.tokenCount;
  return new LogitProcessor(await openSampler(), given);
}

/** @implements {WebLlmProcessor} */
export class LogitProcessor {
  #instance;
  #options;
  /** @type {Sampler | undefined} */
  #sampler;
  /** The chosen token, until it becomes part of the text. @type {number | undefined} */
  #chosen;
  /** Tokens of the text, until there is a sampler to remember them. @type {number[]} */
  #early = [];

  /**
   * Use createLogitProcessor.
   * @internal
   * @param {import("../core/wasm.js").SamplerInstance} instance
   * @param {Omit<SamplerOptions, "vocabSize">} options
   */
  constructor(instance, options) {
    this.#instance = instance;
    this.#options = options;
  }

  /** The sampler, for `lastProbability`, `set`, `seed` and more; undefined until WebLLM has shown a row. */
  get sampler() {
    return this.#sampler;
  }

  /**
   * Leaves only one token.
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

  /** Begins a new chat: forgets the text, and restarts the seed's random numbers. */
  resetState() {
    this.#chosen = undefined;
    this.#early = [];
    this.#sampler?.reset();
  }

  /** Frees the memory. */
  dispose() {
    this.#sampler?.dispose();
  }

  /** @param {number} vocabSize */
  #create(vocabSize) {
    const sampler = new Sampler(this.#instance, resolveOptions({ ...this.#options, vocabSize }));
    sampler.accept(this.#early);
    return sampler;
  }
}
