// lastinch in WebLLM. WebLLM calls a LogitProcessor before it draws; this processor leaves one token to draw.
import {
  LoopDetector,
  canonicalNames,
  openSamplers,
  readLoopStop,
  resolveOptions,
  splitOptions,
  typeError,
} from "../engine.js";

/**
 * WebLLM's own interface. We do not import its types, because they need its other packages.
 * @typedef {object} WebLlmProcessor
 * @property {(logits: Float32Array) => Float32Array} processLogits
 * @property {(token: number) => void} processSampledToken
 * @property {() => void} resetState
 */
/** @typedef {import("../index.js").LastInchError} LastInchError */
/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */
/** @typedef {Omit<import("../index.js").SamplerAliases, "vocab_size">} SamplerAliases */
/**
 * @typedef {object} OwnProcessorOptions
 * @property {"ignore" | "stop" | import("../index.js").LoopOptions & { action?: "ignore" | "stop" }} [loops] "stop":
 *   where a text repeats itself, the first token of `eos` ends it, and `processor.loop` says where. Needs `eos`. Default:
 *   "ignore"
 */
/** @typedef {Omit<SamplerOptions, "vocabSize"> & OwnProcessorOptions} LogitProcessorOptions */

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
  const { own, others } = splitOptions(options, { loops: "loops" });
  const loops = readLoopStop(own.loops);
  const named = canonicalNames(others);
  if (named.vocabSize !== undefined)
    throw typeError("conflict", "vocabSize is the length of WebLLM's rows: leave it out.");
  const { given } = resolveOptions({ ...named, vocabSize: VOCABULARY_LIMIT });
  if (given.tokenCount === VOCABULARY_LIMIT) delete given.tokenCount;
  const [end] = typeof given.eos === "number" ? [given.eos] : (given.eos ?? []);
  if (loops && end === undefined)
    throw typeError("conflict", "loops ends a text with the first token of eos: give the model's eos.");
  return new LogitProcessor(await openSamplers(!!given.watermark), given, loops && { limits: loops, end });
}

/** @implements {WebLlmProcessor} */
export class LogitProcessor {
  #open;
  #options;
  /** @type {import("../index.js").Sampler | undefined} */
  #sampler;
  /** The chosen token, until it becomes part of the text. @type {number | undefined} */
  #chosen;
  /** Tokens of the text, until there is a sampler to remember them. @type {number[]} */
  #early = [];
  #ending;
  /** @type {LoopDetector | undefined} */
  #loops;
  /** The loop that ended the text. @type {import("../index.js").Loop | undefined} */
  loop;

  /**
   * Use createLogitProcessor.
   * @internal
   * @param {(options: SamplerOptions) => import("../index.js").Sampler} open
   * @param {Omit<SamplerOptions, "vocabSize">} options
   * @param {{ limits: NonNullable<ReturnType<typeof readLoopStop>>, end: number }} [ending]
   */
  constructor(open, options, ending) {
    this.#open = open;
    this.#options = options;
    this.#ending = ending;
    this.#begin();
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
    const end = this.loop && this.#ending?.end;
    this.#chosen = end ?? sampler.chooseAt(sampler.place(logits));
    logits.fill(REFUSED);
    logits[this.#chosen] = 0;
    return logits;
  }

  /**
   * Appends a token to the text. WebLLM also reports tokens that this processor did not choose, when it resumes a text.
   * @param {number} token
   */
  processSampledToken(token) {
    this.loop ??= this.#loops?.push(token);
    if (token === this.#chosen) this.#sampler?.emit(token);
    else if (this.#sampler) this.#sampler.accept(token);
    else this.#early.push(token);
    this.#chosen = undefined;
  }

  /** Begins a new chat: forgets the text, and restarts the seed's random numbers. */
  resetState() {
    this.#chosen = undefined;
    this.#early = [];
    this.#begin();
    this.#sampler?.reset();
  }

  #begin() {
    this.loop = undefined;
    this.#loops = this.#ending && new LoopDetector(this.#ending.limits);
  }

  /** Frees the memory. */
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
