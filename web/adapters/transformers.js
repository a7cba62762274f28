// lastinch in transformers.js. Its generate takes logits processors but no sampler, so this processor chooses the token
// and masks all others, and greedy search then chooses the same token.
import {
  canonicalNames,
  checkBoolean,
  checkSignal,
  disposeSymbol,
  rangeError,
  readLoopStop,
  readStops,
  splitOptions,
  tokenList,
  typeError,
} from "../engine.js";
import { LastInchError, createSampler } from "../sampler.js";
import { vocabularyOf } from "./tokenizer-vocabulary.js";
import { settledAll } from "./device-tensors.js";
import { criteriaIn, elsewhere, ownNames, plain, readSeeds, refuseChanges } from "./transformers-options.js";
import { chosenTokens, viewOfCall } from "./transformers-call.js";
import { WrittenText } from "./written-text.js";

export { vocabularyOf } from "./tokenizer-vocabulary.js";

/** @typedef {import("../index.js").Sampler} Sampler */
/** @typedef {import("../index.js").GpuSampler} GpuSampler */
/** @typedef {import("../index.js").Device} Device */
/** @typedef {import("./device-tensors.js").DeviceTensors} DeviceTensors */
/** @typedef {import("./device-tensors.js").DeviceRow} DeviceRow */
/** @typedef {import("../index.js").Grammar} Grammar */
/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */
/** @typedef {import("../index.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./tokenizer-vocabulary.js").TokenizerSource} TokenizerSource */
/** @typedef {import("./tokenizer-vocabulary.js").TokenizerVocabulary} TokenizerVocabulary */
/** @typedef {import("./written-text.js").WrittenToken} WrittenToken */

/**
 * @typedef {object} OwnTransformersOptions
 * @property {number} [vocabSize] length of a row of logits. Default: that of the model's config
 * @property {Grammar} [grammar] constrains each text; compiled with vocabularyOf(generator)
 * @property {string | string[]} [stop] a text ends before the first of these
 * @property {"ignore" | "stop" | import("../index.js").LoopOptions & { action?: "ignore" | "stop" }} [loops] "stop": a
 *   text that repeats itself ends with finishReason "loop", and `loop` says where. Default: "ignore"
 * @property {AbortSignal} [signal] ends the texts after the current token, with finishReason "abort"
 * @property {boolean} [logprobs] adds the model's own log-probability of each token to `rows`, which costs a pass over
 *   the row. Default: false
 * @property {any} [stoppingCriteria] your own criteria, like generate's stopping_criteria: a text ends when one of them
 *   or the sampler ends it
 * @property {Device} [device] of a model on WebGPU: `await env.backends.onnx.webgpu.device`. Its logits then stay there,
 *   but for a model's first pass, and no logits processor may come before the sampler
 * @property {boolean} [wake] submits nothing to the device again and again while a read is pending, as for sampleFrom
 * @property {readonly number[]} [seeds] one for each text of a batch. Default: text i draws from the random stream
 *   `stream` + i of `seed`, or of a new seed for each call of generate
 */

/** @typedef {OwnTransformersOptions & Omit<SamplerOptions, "vocabSize" | "grammar">} TransformersOptions */

/**
 * One text of a batch.
 * @typedef {object} WrittenRow
 * @property {number} seed
 * @property {WrittenToken[]} tokens without the prompt, including the
 *   eos that ended it; rawLogprob if the option logprobs is true
 * @property {string} text their text, up to a stop string
 * @property {import("../index.js").Loop} [loop] with finishReason "loop"
 * @property {"eos" | "stop" | "loop" | "abort" | "length"} finishReason length: generate ended the text by max_new_tokens or
 *   your criteria, or still writes it
 */

/** The key of what a sampler does with a call. A symbol, so no option can replace it. */
const beginCall = Symbol("lastinch");
/** Models whose generate checks its options. @type {WeakSet<object>} */
const watched = new WeakSet();

/**
 * Wraps the model's generate, because processors and criteria do not see options, and cannot wait. The wrapper refuses
 * options after a sampler that would replace a part of it.
 * @param {any} model
 */
function watch(model) {
  const generate = model?.generate;
  if (typeof generate !== "function" || watched.has(model)) return;
  watched.add(model);
  model.generate = async (/** @type {any} */ options, /** @type {any[]} */ ...others) => {
    const { view = model, end } = options?.[beginCall]?.(options, model) ?? {};
    try {
      return await generate.call(view, options, ...others);
    } finally {
      end?.();
    }
  };
}

/**
 * A sampler for transformers.js: spread the result into the options of generate. This switches off everything that
 * generate would do to logits by its own or the model's defaults. For several texts of one prompt, repeat the prompt.
 * The sampler serves one call of generate at a time.
 *
 * ```js
 * const generator = await pipeline("text-generation", "onnx-community/Qwen3-0.6B-ONNX");
 * const lastinch = await createTransformersSampler(generator, { temperature: 0.8, topP: 0.9, minP: 0.05, seed: 7 });
 * await generator("Once upon a time", { max_new_tokens: 60, ...lastinch });
 * lastinch.rows[0].tokens; // ids, with the probabilities of the draws and the model's own
 * ```
 * @param {{ model: any, tokenizer: any }} generator a pipeline for text generation, or a model and its tokenizer
 * @param {TransformersOptions & SamplerAliases} [options]
 * @returns {Promise<TransformersSampler>}
 * @throws as createSampler and vocabularyOf
 */
export async function createTransformersSampler(generator, options = {}) {
  const vocabulary = vocabularyOf(generator);
  const { config } = generator.model ?? {};
  for (const name of Object.keys(options))
    if (Object.hasOwn(elsewhere, name))
      throw typeError("unknown-option", `${name} is no option of the sampler: ${elsewhere[name]}`);
  const { own, others } = splitOptions(options, ownNames);
  const given = /** @type {SamplerOptions} */ (canonicalNames(others));
  const vocabSize = given.vocabSize ?? config?.vocab_size ?? config?.text_config?.vocab_size;
  if (vocabSize === undefined)
    throw typeError("bad-type", "The model's config does not say how long a row of logits is: give vocabSize.");
  if (own.seeds !== undefined) readSeeds(own.seeds, given);
  if (given.maxTokens !== undefined && given.forcedLast === undefined)
    throw typeError("conflict", `maxTokens is the sampler's for forcedLast alone: ${elsewhere.max_new_tokens}`);
  checkSignal(own.signal);
  checkBoolean("logprobs", own.logprobs);
  const { device } = own;
  if (device !== undefined && typeof device?.createBuffer !== "function")
    throw typeError("bad-type", "device must be a GPUDevice: await env.backends.onnx.webgpu.device.");
  checkBoolean("wake", own.wake);
  const criteria = own.stoppingCriteria === undefined ? [] : [own.stoppingCriteria].flatMap(criteriaIn);
  const { grammar } = own;
  if (grammar !== undefined && typeof grammar?.matcher !== "function")
    throw typeError("bad-type", "grammar must come from compileGrammar.");
  const stop = readStops(own.stop ?? []);
  const loops = readLoopStop(own.loops);
  const tokenCount = Math.min(vocabSize, vocabulary.tokens.length);
  const matcher = grammar?.matcher();
  const usual = { tokenCount, eos: vocabulary.eos };
  let base;
  try {
    base = await createSampler({ ...usual, ...given, vocabSize, grammar: matcher });
    const meter = own.logprobs ? await createSampler({ vocabSize }) : undefined;
    const eos = tokenList(
      "eos",
      typeof given.eos === "number" ? [given.eos] : (given.eos ?? vocabulary.eos),
      vocabSize,
    );
    const ending = { vocabulary, stop, loops, eos };
    const isSeeded = given.seed !== undefined;
    watch(generator.model);
    return new TransformersSampler(
      base,
      meter,
      matcher,
      { ending, seeds: own.seeds, isSeeded, given, signal: own.signal, criteria, device, wake: own.wake },
      generator,
    );
  } catch (error) {
    base?.dispose();
    matcher?.dispose();
    throw error;
  }
}

/**
 * A row of which generate takes the token: it reads only dims and the data of each row, and takes the largest logit. A
 * Tensor for each step would take longer than the draw, and so would the rest of a large vocabulary: a row ends there.
 * @param {number} token
 * @param {Float32Array} room changed
 */
function maskedBut(token, room) {
  const masked = room.subarray(0, token + 1).fill(-Infinity);
  masked[token] = 0;
  return masked;
}

export class TransformersSampler {
  #base;
  #meter;
  #matcher;
  #how;
  #padding;
  /**
   * The texts of the current call of generate, which keeps them in one list.
   * @type {readonly bigint[][] | undefined}
   */
  #texts;
  /** The texts of earlier calls. @type {WeakSet<object>} */
  #former = new WeakSet();
  /** `masked` is as long as a row, where the token is not chosen in the row itself.
   * @type {{ sampler: GpuSampler, written: WrittenText, masked?: Float32Array }[]} */
  #rows = [];
  /** Whether every text of the call had ended one step earlier. */
  #isOver = false;
  #isDisposed = false;

  /**
   * Use createTransformersSampler.
   * @internal
   * @param {GpuSampler} base
   * @param {Sampler | undefined} meter that has no options
   * @param {import("../index.js").Matcher | undefined} matcher
   * @param {{ ending: import("./written-text.js").Ending, seeds?: readonly number[], isSeeded: boolean, given: SamplerOptions, signal?: AbortSignal, device?: Device, wake?: boolean, criteria: ((texts: any, scores: any) => boolean[])[] }} how
   * @param {{ tokenizer: any }} generator
   */
  constructor(base, meter, matcher, how, generator) {
    this.#base = base;
    this.#meter = meter;
    this.#matcher = matcher;
    this.#how = how;
    this.#padding = generator.tokenizer.pad_token_id;
    const processor = this.#process.bind(this);
    const criterion = (/** @type {readonly bigint[][]} */ texts) =>
      texts.map((_, i) => texts === this.#texts && (how.signal?.aborted || this.#hasEnded(this.#rows[i])));
    const eos = how.ending.eos.length ? [...how.ending.eos] : null;
    // Own properties, because a spread copies only these; any, because transformers.js declares lists that it does not
    // need.
    Object.assign(this, plain, {
      [beginCall]: (/** @type {any} */ options, /** @type {any} */ model) => {
        refuseChanges(options, processor, criterion, eos);
        return this.#view(options, model);
      },
    });
    /** @type {any} */
    this.logits_processor = [processor];
    /** @type {any} */
    this.stopping_criteria = [criterion, ...how.criteria];
    /** @type {any} */
    this.eos_token_id = eos;
  }

  /**
   * The texts of the last call of generate, complete or not.
   * @returns {WrittenRow[]}
   */
  get rows() {
    return this.#rows.map(({ sampler, written: { tokens, text, finishReason, loop } }) => ({
      seed: sampler.seed,
      tokens,
      text,
      ...(loop && { loop }),
      finishReason: /** @type {"eos"} */ (finishReason ?? (this.#how.signal?.aborted ? "abort" : "length")),
    }));
  }

  /** @param {{ written: WrittenText }} row */
  #hasEnded({ written }) {
    return written.finishReason !== undefined;
  }

  /** Frees the memory. Using the sampler afterwards, or its objects in generate, throws. */
  dispose() {
    this.#isDisposed = true;
    this.#forget();
    this.#base.dispose();
    this.#meter?.dispose();
    this.#matcher?.dispose();
  }

  [disposeSymbol]() {
    this.dispose();
  }

  /**
   * What a call sees of the model. Other processors need rows as they are.
   * @param {any} options
   * @param {any} model
   */
  #view({ logits_processor }, model) {
    const { device } = this.#how;
    if ([...logits_processor].length > 1) {
      if (!device) return undefined;
      throw typeError(
        "conflict",
        "Rows stay on the device, where no other logits processor can read them: leave it out.",
      );
    }
    const choose = this.#take.bind(this);
    return viewOfCall(model, { choose, device, wake: this.#how.wake });
  }

  /**
   * Chooses from halves and from rows on a device.
   * @param {readonly bigint[][]} texts
   * @param {(Uint16Array | DeviceRow)[]} rows
   * @param {DeviceTensors} [tensors]
   */
  async #take(texts, rows, tensors) {
    this.#follow(texts, rows.length);
    const isFar = !(rows[0] instanceof Uint16Array);
    if (isFar && !tensors)
      throw typeError("conflict", "The logits are on a GPU: give createTransformersSampler its device.");
    const device = /** @type {DeviceTensors} */ (tensors);
    const far = /** @type {DeviceRow[]} */ (rows);
    const whole = isFar && this.#meter ? await device.read(far) : undefined;
    this.#checkCall(texts);
    const own = this.#rows;
    try {
      return await settledAll(
        own.map(async (row, i) => {
          const here = whole?.[i] ?? (isFar ? undefined : /** @type {Uint16Array} */ (rows[i]));
          if (here) return this.#choose(row, here);
          const ended = this.#ended(row);
          return ended ?? this.#write(row, await device.choose(row.sampler, far[i]));
        }),
      );
    } catch (error) {
      this.#checkCall(texts); // another call has disposed of this one's samplers
      throw error;
    }
  }

  /**
   * @param {readonly bigint[][]} texts ids, prompts included
   * @param {any} logits a Tensor, or what has taken its place
   */
  #process(texts, logits) {
    if (this.#isDisposed) throw new LastInchError("disposed");
    const { data, dims } = logits;
    /** @type {number[] | undefined} */
    const tokens = logits[chosenTokens];
    if (tokens) this.#checkCall(texts);
    if (tokens)
      return Object.assign(
        this.#rows.map((row, i) => ({ data: maskedBut(tokens[i], (row.masked ??= new Float32Array(dims[1]))) })),
        { dims },
      );
    if (!(data instanceof Float32Array))
      throw typeError("bad-type", "transformers.js gave logits that are no float32.");
    const [count, size] = dims;
    this.#follow(texts, count);
    const rows = this.#rows.map((row, i) => {
      const logits = data.subarray(i * size, (i + 1) * size);
      return { data: maskedBut(this.#choose(row, logits), logits) };
    });
    return Object.assign(rows, { dims });
  }

  /** Throws if another call has begun meanwhile. @param {readonly bigint[][]} texts */
  #checkCall(texts) {
    if (this.#former.has(texts))
      throw typeError("conflict", "Another call of generate has begun with this sampler: make one for each at a time.");
  }

  /** @param {readonly bigint[][]} texts @param {number} count of rows */
  #follow(texts, count) {
    if (this.#isDisposed) throw new LastInchError("disposed");
    if (count !== texts.length)
      throw rangeError("wrong-length", `There are ${texts.length} texts, but ${count} rows of logits.`);
    if (texts === this.#texts) this.#check(texts);
    else this.#begin(texts);
  }

  /**
   * A new call of generate: every text starts again.
   * @param {readonly bigint[][]} texts
   */
  #begin(texts) {
    this.#checkCall(texts);
    const { seeds, isSeeded, given, ending, signal } = this.#how;
    signal?.throwIfAborted();
    if (seeds && seeds.length !== texts.length)
      throw rangeError("wrong-length", `There are ${seeds.length} seeds, but ${texts.length} texts.`);
    const prompts = texts.map((ids) => this.#withoutPadding(ids));
    if (given.watermark?.scheme === "gumbel" && new Set(prompts.map(String)).size < prompts.length)
      throw typeError(
        "conflict",
        'With the watermark "gumbel" a key and a prompt have one text: make a sampler with another key for each.',
      );
    const former = this.#texts;
    this.#forget();
    if (former) this.#former.add(former);
    const { stream = 0 } = given;
    /** @type {number | undefined} */
    let seed = isSeeded ? this.#base.seed : undefined;
    for (const [i, prompt] of prompts.entries()) {
      const sampler = this.#base.clone(seeds ? { seed: seeds[i] } : { seed, stream: stream + i });
      seed = sampler.seed;
      this.#rows.push({ sampler, written: new WrittenText(ending, prompt) });
      sampler.accept(prompt, { prompt: true });
    }
    this.#texts = texts;
    this.#isOver = false;
  }

  /**
   * Batches are padded on the left with a token that is not part of the text.
   * @param {readonly bigint[]} ids
   */
  #withoutPadding(ids) {
    const list = ids.map(Number);
    const start = list.findIndex((id) => id !== this.#padding);
    return start > 0 ? list.slice(start) : list;
  }

  /**
   * Checks that generate took the chosen tokens.
   * @param {readonly bigint[][]} texts
   */
  #check(texts) {
    // After a stop string, the eos token ends a call that lacks the sampler's criteria.
    if (this.#isOver)
      throw typeError(
        "conflict",
        "Every text has ended, but transformers.js goes on: something after ...lastinch replaces its stopping_criteria and eos_token_id. Give criteria of your own to createTransformersSampler, as stoppingCriteria.",
      );
    this.#isOver = this.#rows.every((row) => this.#hasEnded(row));
    this.#rows.forEach(({ written: { tokens, finishReason } }, i) => {
      const taken = Number(texts[i][texts[i].length - 1]);
      const chosen = tokens[tokens.length - 1].id;
      if (!finishReason && taken !== chosen)
        throw typeError(
          "conflict",
          `transformers.js took token ${taken}, but ${chosen} was chosen: no processor may come after this one.`,
        );
    });
  }

  /**
   * @param {{ sampler: Sampler, written: WrittenText }} row
   * @param {Float32Array | Uint16Array} logits
   */
  #choose(row, logits) {
    return this.#ended(row) ?? this.#write(row, row.sampler.sample(logits), logits);
  }

  /** A finished text gets its eos token again: transformers.js sees the end, and decoders skip it. @param {{ written: WrittenText }} row */
  #ended({ written }) {
    return written.finishReason && (this.#how.ending.eos[0] ?? this.#padding ?? 0);
  }

  /**
   * @param {{ sampler: Sampler, written: WrittenText }} row
   * @param {number} id
   * @param {Float32Array | Uint16Array} [logits] for the meter
   */
  #write({ sampler, written }, id, logits) {
    /** @type {any} */
    const token = { id, probability: sampler.lastProbability };
    if (this.#meter && logits) token.rawLogprob = this.#meter.information(logits, { token: id }).raw.logprob;
    written.add(token);
    return id;
  }

  #forget() {
    for (const { sampler } of this.#rows) sampler.dispose();
    this.#rows = [];
    this.#texts = undefined;
  }
}
