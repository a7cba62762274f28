// lastinch in transformers.js. Its generate takes no sampler, but processors of logits. This processor chooses the token
// and masks all others, so that greedy search takes it.
import { checkWhole } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { readStops } from "../decode/stop-strings.js";
import { LastInchError, createSampler } from "../index.js";
import { canonicalNames, rangeError, tokenList, typeError } from "../sampler/sampler.js";
import { splitOptions } from "../sampler/split-options.js";
import { vocabularyOf } from "./tokenizer-vocabulary.js";
import { WrittenText } from "./written-text.js";

export { vocabularyOf } from "./tokenizer-vocabulary.js";

/** @typedef {import("../index.js").Sampler} Sampler */
/** @typedef {import("../index.js").Grammar} Grammar */
/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */
/** @typedef {import("../sampler/option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./tokenizer-vocabulary.js").TokenizerVocabulary} TokenizerVocabulary */

/**
 * @typedef {object} OwnTransformersOptions
 * @property {number} [vocabSize] length of a row of logits. Default: what the model's config says
 * @property {Grammar} [grammar] what each text must be, compiled with vocabularyOf(generator)
 * @property {string | string[]} [stop] a text ends before the first of these
 * @property {readonly number[]} [seeds] one for each text of a batch. Default: text i draws from the random stream
 *   `stream` + i of the one `seed`, and without that of a new one for each call of generate
 */

/** @typedef {OwnTransformersOptions & Omit<SamplerOptions, "vocabSize" | "grammar"> & SamplerAliases} TransformersOptions */

/**
 * What one text of a batch has become.
 * @typedef {object} WrittenRow
 * @property {number} seed
 * @property {import("./written-text.js").WrittenToken[]} tokens without the prompt, with the eos that ended it
 * @property {string} text of them, before a stop string
 * @property {"eos" | "stop" | undefined} finishReason undefined: generate ended it, at its max_new_tokens
 */

/** Switches generate's own edits off: many generation_configs have some, which would change the logits first. */
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
};

/**
 * The sampler's options for transformers.js: spread the result into generate's. What generate itself would do to logits,
 * by its defaults or the model's, is switched off by that. Several texts of one prompt: give it several times. It serves
 * one call of generate at a time, and any number one after another.
 *
 * ```js
 * const generator = await pipeline("text-generation", "onnx-community/Qwen3-0.6B-ONNX");
 * const lastinch = await createTransformersSampler(generator, { temperature: 0.8, topP: 0.9, minP: 0.05, seed: 7 });
 * await generator("Once upon a time", { max_new_tokens: 60, ...lastinch });
 * lastinch.rows[0].tokens; // ids, with the probabilities they were drawn with and the model's own
 * ```
 * @param {{ model: any, tokenizer: any }} generator a pipeline for text generation, or a model and its tokenizer
 * @param {TransformersOptions} [options]
 * @returns {Promise<TransformersSampler>}
 * @throws as createSampler and vocabularyOf
 */
export async function createTransformersSampler(generator, options = {}) {
  const vocabulary = vocabularyOf(generator);
  const { config } = generator.model ?? {};
  const names = { seeds: "seeds", stop: "stop", stop_strings: "stop", grammar: "grammar" };
  const { own, others } = splitOptions(options, names);
  const given = /** @type {SamplerOptions} */ (canonicalNames(others));
  const vocabSize = given.vocabSize ?? config?.vocab_size ?? config?.text_config?.vocab_size;
  if (vocabSize === undefined)
    throw typeError("bad-type", "The model's config does not say how long a row of logits is: give vocabSize.");
  if (own.seeds !== undefined) readSeeds(own.seeds, given);
  const { grammar } = own;
  if (grammar !== undefined && typeof grammar?.matcher !== "function")
    throw typeError("bad-type", "grammar must be what compileGrammar gives.");
  const stop = readStops(own.stop ?? []);
  const tokenCount = Math.min(vocabSize, vocabulary.tokens.length);
  const matcher = grammar?.matcher();
  const usual = { tokenCount, eos: vocabulary.eos };
  let base;
  try {
    base = await createSampler({ ...usual, ...given, vocabSize, grammar: matcher });
    const meter = await createSampler({ vocabSize });
    const eos = tokenList(
      "eos",
      typeof given.eos === "number" ? [given.eos] : (given.eos ?? vocabulary.eos),
      vocabSize,
    );
    const ending = { vocabulary, stop, eos };
    const isSeeded = given.seed !== undefined;
    return new TransformersSampler(base, meter, matcher, { ending, seeds: own.seeds, isSeeded, given }, generator);
  } catch (error) {
    base?.dispose();
    matcher?.dispose();
    throw error;
  }
}

/**
 * @param {unknown} seeds
 * @param {SamplerOptions} given
 */
function readSeeds(seeds, given) {
  if (!Array.isArray(seeds)) throw typeError("bad-type", "seeds must be a list of numbers.");
  for (const seed of seeds) checkWhole("A seed", seed, 0, 2 ** 53 - 1);
  if (given.seed !== undefined) throw typeError("conflict", "Give seed or seeds: one of them would mean nothing.");
}

/**
 * @typedef {object} How
 * @property {import("./written-text.js").Ending} ending
 * @property {readonly number[]} [seeds]
 * @property {boolean} isSeeded
 * @property {SamplerOptions} given
 */

export class TransformersSampler {
  #base;
  #meter;
  #matcher;
  #how;
  #padding;
  /** The texts of the present call of generate, which keeps them in one list. @type {readonly bigint[][] | undefined} */
  #texts;
  /** Those of former calls. @type {WeakSet<object>} */
  #former = new WeakSet();
  /** @type {{ sampler: Sampler, written: WrittenText }[]} */
  #rows = [];
  #isDisposed = false;

  /**
   * Use createTransformersSampler.
   * @param {Sampler} base
   * @param {Sampler} meter that has no options
   * @param {import("../index.js").GrammarMatcher | undefined} matcher
   * @param {How} how
   * @param {{ tokenizer: any }} generator
   */
  constructor(base, meter, matcher, how, generator) {
    this.#base = base;
    this.#meter = meter;
    this.#matcher = matcher;
    this.#how = how;
    this.#padding = generator.tokenizer.pad_token_id;
    Object.assign(this, plain);
    // Own properties, since only those are spread; and any, since transformers.js types lists that it does not need.
    /** @type {any} */
    this.logits_processor = [this.#process.bind(this)];
    /** @type {any} */
    this.stopping_criteria = [
      (/** @type {readonly bigint[][]} */ texts) =>
        texts.map((_, i) => texts === this.#texts && this.#rows[i].written.finishReason !== undefined),
    ];
    /** @type {any} */
    this.eos_token_id = how.ending.eos.length ? [...how.ending.eos] : null;
  }

  /**
   * The texts of the last call of generate, as far as they have come.
   * @returns {WrittenRow[]}
   */
  get rows() {
    return this.#rows.map(({ sampler, written: { tokens, text, finishReason } }) => ({
      seed: sampler.seed,
      tokens,
      text,
      finishReason: /** @type {"eos"} */ (finishReason),
    }));
  }

  /** Gives the memory back; using it, or what it gave to generate, afterwards throws. */
  dispose() {
    this.#isDisposed = true;
    this.#forget();
    this.#base.dispose();
    this.#meter.dispose();
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
    const tokens = this.#rows.map((row, i) => this.#choose(row, data.subarray(i * size, (i + 1) * size)));
    data.fill(-Infinity);
    tokens.forEach((token, i) => (data[i * size + token] = 0));
    return logits;
  }

  /**
   * Another call of generate: every text begins anew.
   * @param {readonly bigint[][]} texts
   */
  #begin(texts) {
    if (this.#former.has(texts))
      throw typeError("conflict", "Another call of generate has begun with this sampler: make one for each at a time.");
    const { seeds, isSeeded, given, ending } = this.#how;
    if (seeds && seeds.length !== texts.length)
      throw rangeError("wrong-length", `There are ${seeds.length} seeds, but ${texts.length} texts.`);
    const former = this.#texts;
    this.#forget();
    if (former) this.#former.add(former);
    const { stream = 0 } = given;
    /** @type {number | undefined} */
    let seed = isSeeded ? this.#base.seed : undefined;
    for (const [i, ids] of texts.entries()) {
      const sampler = this.#base.clone(seeds ? { seed: seeds[i] } : { seed, stream: stream + i });
      seed = sampler.seed;
      const prompt = this.#withoutPadding(ids);
      this.#rows.push({ sampler, written: new WrittenText(ending, prompt) });
      sampler.accept(prompt, { prompt: true });
    }
    this.#texts = texts;
  }

  /**
   * Batches are padded on the left, with a token that is no part of the text.
   * @param {readonly bigint[]} ids
   */
  #withoutPadding(ids) {
    const list = ids.map(Number);
    const start = list.findIndex((id) => id !== this.#padding);
    return start > 0 ? list.slice(start) : list;
  }

  /**
   * What was chosen is what was taken.
   * @param {readonly bigint[][]} texts
   */
  #check(texts) {
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
    // A finished text gets its eos token again: transformers.js sees the end, and decoders skip the token.
    if (written.finishReason) return this.#how.ending.eos[0] ?? this.#padding ?? 0;
    const id = sampler.sample(logits);
    const { logprob } = this.#meter.information(logits, { token: id }).raw;
    written.write({ id, probability: sampler.lastProbability, rawLogprob: /** @type {number} */ (logprob) });
    return id;
  }

  #forget() {
    for (const { sampler } of this.#rows) sampler.dispose();
    this.#rows = [];
    this.#texts = undefined;
  }
}
