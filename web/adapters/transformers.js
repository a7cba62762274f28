// lastinch in transformers.js. Its generate takes logits processors but no sampler, so this processor chooses the token
// and masks all others, and greedy search then chooses the same token.
import {
  canonicalNames,
  checkBoolean,
  checkSignal,
  checkWhole,
  disposeSymbol,
  isSamplerOption,
  rangeError,
  readLoopStop,
  readStops,
  splitOptions,
  tokenList,
  typeError,
} from "../engine.js";
import { LastInchError, createSampler } from "../sampler.js";
import { vocabularyOf } from "./tokenizer-vocabulary.js";
import { WrittenText } from "./written-text.js";

export { vocabularyOf } from "./tokenizer-vocabulary.js";

/** @typedef {import("../index.js").Sampler} Sampler */
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

/**
 * Switches off generate's own edits, which many generation_configs have and which would change the logits first.
 * generate does not read undefined options.
 */
const plain = {
  do_sample: false,
  num_beams: 1,
  temperature: 1,
  repetition_penalty: 1,
  no_repeat_ngram_size: 0,
  bad_words_ids: null,
  min_length: 0,
  min_new_tokens: null,
  forced_bos_token_id: null,
  forced_eos_token_id: null,
  suppress_tokens: null,
  begin_suppress_tokens: null,
  guidance_scale: null,
  top_k: undefined,
  top_p: undefined,
  min_p: undefined,
  typical_p: undefined,
  seed: undefined,
  stop_strings: undefined,
  signal: undefined,
};

/** The key of a sampler's check of a call's options. A symbol, so no option can replace it. */
const checkCall = Symbol("lastinch");
/** Models whose generate checks its options. @type {WeakSet<object>} */
const watched = new WeakSet();

/**
 * Wraps the model's generate, because processors and criteria do not see options. The wrapper refuses options after a
 * sampler that would replace a part of it.
 * @param {any} model
 */
function watch(model) {
  const generate = model?.generate;
  if (typeof generate !== "function" || watched.has(model)) return;
  watched.add(model);
  model.generate = async (/** @type {any} */ options, /** @type {any[]} */ ...others) => {
    options?.[checkCall]?.(options);
    return generate.call(model, options, ...others);
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
      { ending, seeds: own.seeds, isSeeded, given, signal: own.signal, criteria },
      generator,
    );
  } catch (error) {
    base?.dispose();
    matcher?.dispose();
    throw error;
  }
}

/** Its own options, under all their names. */
const ownNames = {
  seeds: "seeds",
  stop: "stop",
  stop_strings: "stop",
  grammar: "grammar",
  loops: "loops",
  signal: "signal",
  logprobs: "logprobs",
  stoppingCriteria: "stoppingCriteria",
  stopping_criteria: "stoppingCriteria",
};

const inCall = "give it to the call, beside the sampler: generator(prompt, { max_new_tokens: 60, ...lastinch }).";
const inGrammar =
  "compile it first, and give the result as grammar: await compileGrammar({ vocabulary: vocabularyOf(generator), … }).";
const inSession = "beams need the session alone: openSession of lastinch/onnxruntime.";
const inBatch = "several texts are a batch: give the prompt as many times, generator([prompt, prompt], …).";
/** Options of generate that people may look for here, and where they belong. @type {Record<string, string>} */
const elsewhere = {
  max_new_tokens: inCall,
  maxNewTokens: inCall,
  max_length: inCall,
  streamer: inCall,
  return_full_text: inCall,
  return_dict_in_generate: inCall,
  do_sample: "the sampler always draws; temperature: 0 takes the likeliest token.",
  num_beams: inSession,
  beams: inSession,
  early_stopping: inSession,
  length_penalty: inSession,
  num_return_sequences: inBatch,
  n: inBatch,
  min_length: "give minTokens to createTransformersSampler, which counts without the prompt.",
  guidance_scale: "leave it out, the sampler sees one row for each text.",
  jsonSchema: inGrammar,
  regex: inGrammar,
  choice: inGrammar,
  ebnf: inGrammar,
  lark: inGrammar,
  toolCalls: inGrammar,
  structuralTags: inGrammar,
  logits_processor: "give it to the call, before the sampler's: [yours, ...lastinch.logits_processor].",
};
const inSampler = "give it to createTransformersSampler.";

/** Stopping criteria: one, or a list. @param {any} given */
function criteriaIn(given) {
  const list = typeof given?.[Symbol.iterator] === "function" ? [...given] : [given];
  if (!list.every((one) => typeof one === "function"))
    throw typeError("bad-type", "stoppingCriteria takes what generate takes as stopping_criteria: functions.");
  return list;
}

/**
 * @param {unknown} seeds
 * @param {SamplerOptions} given
 */
function readSeeds(seeds, given) {
  if (!Array.isArray(seeds)) throw typeError("bad-type", "seeds must be a list of numbers.");
  for (const seed of seeds) checkWhole("A seed", seed, 0, 2 ** 53 - 1);
  if (given.seed !== undefined) throw typeError("conflict", "Give seed or seeds, not both.");
}

/**
 * Refuses a call's options that come after the sampler's and replace them.
 * @param {any} options
 * @param {Function} processor
 * @param {Function} criterion
 * @param {number[] | null} eos
 */
function refuseChanges(options, processor, criterion, eos) {
  /** @param {string} name @param {string} where @returns {never} */
  const refuse = (name, where) => {
    throw typeError("conflict", `${name} stands after ...lastinch: ${where}`);
  };
  for (const [name, value] of Object.entries(plain))
    if (options[name] !== value)
      refuse(name, elsewhere[name] ?? (isSamplerOption(name) || name in ownNames ? inSampler : "leave it out."));
  if (options.num_return_sequences > 1) refuse("num_return_sequences", inBatch);
  if ([...(options.logits_processor ?? [])].at(-1) !== processor)
    refuse("logits_processor", elsewhere.logits_processor);
  if (!criteriaIn(options.stopping_criteria ?? []).includes(criterion))
    refuse("stopping_criteria", "give yours to createTransformersSampler, as stoppingCriteria.");
  if (String(options.eos_token_id) !== String(eos))
    refuse("eos_token_id", "give it to createTransformersSampler, as eos.");
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
  /** @type {{ sampler: Sampler, written: WrittenText }[]} */
  #rows = [];
  /** Whether every text of the call had ended one step earlier. */
  #isOver = false;
  #isDisposed = false;

  /**
   * Use createTransformersSampler.
   * @internal
   * @param {Sampler} base
   * @param {Sampler | undefined} meter that has no options
   * @param {import("../index.js").Matcher | undefined} matcher
   * @param {{ ending: import("./written-text.js").Ending, seeds?: readonly number[], isSeeded: boolean, given: SamplerOptions, signal?: AbortSignal, criteria: ((texts: any, scores: any) => boolean[])[] }} how
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
      [checkCall]: (/** @type {any} */ options) => refuseChanges(options, processor, criterion, eos),
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
   * @param {readonly bigint[][]} texts ids, prompts included
   * @param {any} logits a Tensor
   */
  #process(texts, logits) {
    if (this.#isDisposed) throw new LastInchError("disposed");
    const { data, dims } = logits;
    if (!(data instanceof Float32Array))
      throw typeError("bad-type", "transformers.js gave logits that are no float32.");
    const [count, size] = dims;
    if (count !== texts.length)
      throw rangeError("wrong-length", `There are ${texts.length} texts, but ${count} rows of logits.`);
    if (texts === this.#texts) this.#check(texts);
    else this.#begin(texts);
    // generate reads only dims and the data of each row, and takes the largest logit. A Tensor for each step would take
    // longer than the draw, and so would the rest of a large vocabulary: so a row ends with its token.
    const rows = this.#rows.map((row, i) => {
      const start = i * size;
      const token = this.#choose(row, data.subarray(start, start + size));
      const masked = data.subarray(start, start + token + 1).fill(-Infinity);
      masked[token] = 0;
      return { data: masked };
    });
    return Object.assign(rows, { dims });
  }

  /**
   * A new call of generate: every text starts again.
   * @param {readonly bigint[][]} texts
   */
  #begin(texts) {
    if (this.#former.has(texts))
      throw typeError("conflict", "Another call of generate has begun with this sampler: make one for each at a time.");
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
   * @param {Float32Array} logits
   */
  #choose({ sampler, written }, logits) {
    // A finished text gets its eos token again: transformers.js sees the end, and decoders skip it.
    if (written.finishReason) return this.#how.ending.eos[0] ?? this.#padding ?? 0;
    const id = sampler.sample(logits);
    /** @type {any} */
    const token = { id, probability: sampler.lastProbability };
    if (this.#meter) token.rawLogprob = this.#meter.information(logits, { token: id }).raw.logprob;
    written.add(token);
    return id;
  }

  #forget() {
    for (const { sampler } of this.#rows) sampler.dispose();
    this.#rows = [];
    this.#texts = undefined;
  }
}
