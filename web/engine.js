// One loaded model in the thread that runs it: sequences, the queue of calls, and the loop that writes text.
import { rangeError } from "./errors.js";
import { ModelError, checkModel } from "./model-errors.js";
import { readConfig, readModel } from "./gguf.js";
import { Sampler, resolveOptions } from "./sampler.js";
import { StopStrings } from "./stop-strings.js";
import { Tokenizer } from "./tokenizer.js";
import { CANCELLED, Turns, pause } from "./turns.js";
import { mayHelp, startHelpers } from "./threads.js";

/** @typedef {import("./turns.js").Job} Job */
/** @typedef {import("./wasm.js").Instance} Instance */

const ROWS_LIMIT = 64;
const SEATS = 8;

/**
 * @typedef {object} ModelConfig
 * @property {string | null} name as the file calls it
 * @property {number} size bytes of the file
 * @property {number} vocabSize length of a row of logits
 * @property {number} contextLength positions that a sequence can have
 * @property {number} dim
 * @property {number} hiddenDim
 * @property {number} layers
 * @property {number} heads
 * @property {number} kvHeads
 * @property {number} headDim
 * @property {number} ropeDim
 * @property {number} ropeBase
 * @property {number} normEpsilon
 * @property {boolean} tied the output matrix is the embedding
 * @property {number | null} bos the token that begins a sequence
 * @property {boolean} addBos whether a prompt that is a text gets it
 */

/**
 * What the page needs to know of a model that was loaded.
 * @typedef {object} ModelInfo
 * @property {ModelConfig} config
 * @property {{ bytes: Uint8Array, ends: Uint32Array }} vocabulary
 * @property {number[]} eos
 * @property {Record<string, number>} special control tokens by name
 * @property {number} threads that compute it
 */

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {number} probability with which the sampler drew it, among the tokens that its options left
 * @property {number} rawLogprob natural logarithm of the model's own probability, before any option
 * @property {Float32Array} [logits] the raw row, with `captureLogits`
 */

/**
 * @typedef {object} Chunk
 * @property {string} text whole characters; may be empty, while one is still incomplete or a stop string possible
 * @property {Token[]} tokens
 * @property {"eos" | "stop" | "length" | "context" | "abort"} [finishReason] on the last chunk
 */

/**
 * @typedef {object} GenerateSettings
 * @property {number} maxTokens
 * @property {string[]} stop
 * @property {boolean} captureLogits
 * @property {boolean} echo
 * @property {import("./sampler.js").ResolvedOptions} sampler
 * @property {import("./grammar.js").PostedGrammar} [grammar]
 */

/** Tokens that belong together. Their keys and values in the model are a cache that other sequences may displace. */
class Sequence {
  /** @type {number[]} */
  tokens = [];
  seat = -1;
}

export class Engine {
  #instance;
  #model;
  #helpers;
  #tokenizer;
  /** @type {ModelConfig} */
  #config;
  #eos;
  #addsBos;
  #turns = new Turns();
  /** Who sits where in the model, the longest unused first. @type {Sequence[]} */
  #seated = [];
  #forward = new Sequence();
  #isDisposed = false;
  /** @type {import("./vocabulary.js").Vocabulary} */
  #vocabulary;

  /**
   * @param {import("./source.js").Opened} opened
   * @param {object} how
   * @param {number} how.contextLength 0: as trained
   * @param {number | "auto"} how.threads
   * @param {number} how.stallTimeout ms
   * @param {AbortSignal} how.signal
   * @param {(loaded: number, total: number) => void} how.onProgress
   * @returns {Promise<Engine>}
   */
  static async load({ stream, size, expected }, { contextLength, threads, stallTimeout, signal, onProgress }) {
    const reader = stream.getReader();
    const stop = () => void reader.cancel(signal.reason).catch(() => {});
    signal.addEventListener("abort", stop);
    /** @type {import("./threads.js").Helpers | undefined} */
    let helpers;
    try {
      signal.throwIfAborted();
      const isShared = mayHelp(threads);
      const how = { size, expected, slots: contextLength, sequences: SEATS, isShared, stallTimeout, onProgress };
      const loaded = await readModel(reader, how);
      signal.throwIfAborted();
      helpers = await startHelpers(loaded, threads);
      signal.throwIfAborted();
      // Read to its end a download counts as complete, and the browser may keep it; a longer one is let go.
      reader.read().then(({ done }) => done || stop(), stop);
      return new Engine(loaded, helpers, contextLength);
    } catch (error) {
      helpers?.end();
      stop();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /**
   * @param {import("./gguf.js").Loaded} loaded
   * @param {import("./threads.js").Helpers} helpers
   * @param {number} contextLength
   */
  constructor({ instance, model, tokenizer, name, size }, helpers, contextLength) {
    this.#instance = instance;
    this.#model = model;
    this.#helpers = helpers;
    this.#tokenizer = new Tokenizer(tokenizer);
    this.#eos = tokenizer.eos;
    const { tokens, special } = this.#tokenizer;
    this.#vocabulary = { tokens, special, eos: tokenizer.eos };
    this.#addsBos = tokenizer.addBos && tokenizer.bos >= 0;
    const config = readConfig(instance, model);
    this.#config = {
      name,
      size,
      ...config,
      contextLength: contextLength || config.contextLength,
      bos: tokenizer.bos >= 0 ? tokenizer.bos : null,
      addBos: this.#addsBos,
    };
  }

  /** @returns {ModelInfo} */
  get info() {
    const threads = 1 + this.#helpers.count;
    const { packed, special } = this.#tokenizer;
    return { config: this.#config, vocabulary: packed, eos: this.#eos, special, threads };
  }

  dispose() {
    this.#isDisposed = true;
    this.#helpers.end();
  }

  /**
   * @param {string} text
   * @param {boolean} bos
   */
  tokenize(text, bos) {
    const ids = this.#tokenizer.encode(text);
    return bos && this.#config.bos !== null ? [this.#config.bos, ...ids] : ids;
  }

  /** @param {Iterable<number>} ids */
  detokenize(ids) {
    return this.#tokenizer.decode(ids);
  }

  /**
   * Log-probability of every token but the first, which is what the others follow: the token that begins a
   * sequence, if it is a text and the model has one.
   * @param {string | Uint32Array} input
   * @param {Job} job
   * @returns {Promise<{ tokens: Uint32Array, logprobs: Float64Array }>}
   */
  async score(input, job) {
    const ids = this.#idsOf(input);
    const tokens = ids.slice(1);
    const logprobs = new Float64Array(tokens.length);
    if (!tokens.length) return { tokens, logprobs };
    const { exports } = this.#instance;
    const sequence = new Sequence();
    await this.#turns.take();
    try {
      await this.#append(sequence, ids.subarray(0, -1), job, "all", (logits, row) => {
        logprobs[row] = exports.li_log_probability(logits, this.#config.vocabSize, tokens[row]);
      });
    } finally {
      this.#unseat(sequence);
      this.#turns.leave();
    }
    if (logprobs.some(Number.isNaN)) throw new ModelError("logits-nan");
    return { tokens, logprobs };
  }

  /**
   * Appends to the one sequence that is kept for calls of this function.
   * @param {Uint32Array} ids
   * @param {number} keep positions that stay
   * @param {"last" | "all"} rows whose logits are wanted
   * @param {Job} job
   * @returns {Promise<Float32Array[]>}
   */
  async forward(ids, keep, rows, job) {
    const sequence = this.#forward;
    /** @type {Float32Array[]} */
    const result = [];
    await this.#turns.take();
    try {
      const { length } = sequence.tokens;
      if (keep + ids.length > this.#config.contextLength) throw this.#contextError(keep + ids.length);
      if (keep > length)
        throw rangeError("out-of-range", `keep must be from 0 to ${length}, what is there, but is ${keep}.`);
      this.#truncate(sequence, keep);
      await this.#append(sequence, ids, job, rows, (logits) => result.push(this.#copyRow(logits)));
    } finally {
      this.#turns.leave();
    }
    return result;
  }

  /**
   * @param {string | Uint32Array} prompt
   * @param {GenerateSettings} settings
   * @param {Job} job
   * @param {(chunk: Chunk) => void} emit
   */
  async generate(prompt, settings, job, emit) {
    const { exports } = this.#instance;
    const { maxTokens, captureLogits } = settings;
    const { given } = settings.sampler;
    const ends = /** @type {number[]} */ (given.eos);
    const { vocabSize, contextLength } = this.#config;
    const stops = new StopStrings(settings.stop);
    const stream = this.#tokenizer.stream();
    const sequence = new Sequence();
    /** @type {Sampler | undefined} */
    let sampler;
    const guide = settings.grammar && (await this.#openGuide(settings.grammar));
    await this.#turns.take();
    try {
      this.#checkWanted(job);
      let ids = this.#idsOf(prompt);
      if (!ids.length) throw rangeError("out-of-range", "The prompt has no token: a model continues at least one.");
      if (ids.length > contextLength) throw this.#contextError(ids.length);
      let before = "";
      for (const id of ids) before += stream.push(id);
      if (settings.echo) emit({ text: before, tokens: [] });
      if (maxTokens === 0) return emit({ text: "", tokens: [], finishReason: "length" });
      sampler = new Sampler(
        this.#instance,
        guide ? resolveOptions({ ...given, grammar: guide.matcher }) : settings.sampler,
      );
      sampler.accept(ids, { prompt: true });

      /** Tokens that had to follow: they have been accepted, but not run. @type {number[]} */
      let forced = [];
      let count = 0;
      /** @param {number} id @param {number} position @param {number} row @param {number} probability */
      const write = (id, position, row, probability) => {
        /** @type {Token} */
        const token = { id, probability, rawLogprob: exports.li_log_probability(row, vocabSize, id) };
        if (captureLogits) token.logits = this.#copyRow(row);
        count++;
        const isEnd = ends.includes(id);
        let text = isEnd ? "" : stops.push(stream.push(id));
        /** @type {Chunk["finishReason"]} */
        let finishReason;
        if (isEnd) finishReason = "eos";
        else if (stops.isStopped) finishReason = "stop";
        else if (count === maxTokens) finishReason = "length";
        else if (position === contextLength) finishReason = "context";
        if (finishReason) text += stops.push(stream.end()) + stops.end();
        job.takeRoom();
        emit(finishReason ? { text, tokens: [token], finishReason } : { text, tokens: [token] });
        return finishReason !== undefined;
      };

      for (;;) {
        if (!job.hasRoom) {
          // A reader who rests must not keep the other calls from running.
          this.#turns.leave();
          await job.waitForRoom();
          await this.#turns.take();
        }
        const start = sequence.tokens.length;
        let isOver = false;
        let last = 0;
        await this.#append(sequence, ids, job, forced.length ? "all" : "last", (logits, row) => {
          last = logits;
          const next = forced[row];
          if (next !== undefined) isOver ||= write(next, start + row + 1, logits, 1);
        });
        if (isOver) return;
        const id = sampler.sampleAt(last);
        if (write(id, sequence.tokens.length, last, sampler.lastProbability)) return;
        const room = Math.min(maxTokens - count, contextLength - sequence.tokens.length - 1);
        forced = guide?.forced(this.#tokenizer, room) ?? [];
        if (forced.length) sampler.accept(forced);
        ids = Uint32Array.of(id, ...forced);
      }
    } finally {
      sampler?.dispose();
      guide?.dispose();
      this.#unseat(sequence);
      this.#turns.leave();
    }
  }

  /** @param {import("./grammar.js").PostedGrammar} grammar */
  async #openGuide(grammar) {
    const { openGuide } = await import("./guide.js");
    return openGuide(grammar, this.#vocabulary);
  }

  /** @param {string | Uint32Array} input */
  #idsOf(input) {
    return typeof input === "string" ? Uint32Array.from(this.tokenize(input, this.#addsBos)) : input;
  }

  /** @param {Job} job */
  #checkWanted(job) {
    if (this.#isDisposed) throw new ModelError("disposed");
    if (job.isCancelled) throw CANCELLED;
  }

  /** @param {number} length */
  #contextError(length) {
    return new ModelError("model-context-full", `(${length} tokens, but ${this.#config.contextLength} positions)`);
  }

  /** @param {number} at */
  #copyRow(at) {
    return this.#instance.views().floats.slice(at / 4, at / 4 + this.#config.vocabSize);
  }

  /**
   * Runs `ids` after what the sequence holds; `read` gets the address of each wanted row of logits.
   * @param {Sequence} sequence
   * @param {Uint32Array} ids
   * @param {Job} job
   * @param {"last" | "all"} wanted
   * @param {(logits: number, row: number) => void} read
   */
  async #append(sequence, ids, job, wanted, read) {
    const { exports, views } = this.#instance;
    const { tokens } = sequence;
    const start = tokens.length;
    const end = start + ids.length;
    if (end > this.#config.contextLength) throw this.#contextError(end);
    for (const id of ids) tokens.push(id);
    const firstWanted = wanted === "all" ? start : end - 1;
    this.#seat(sequence);
    let position = exports.li_sequence_length(this.#model, sequence.seat) >>> 0;
    try {
      while (position < end) {
        await pause();
        this.#checkWanted(job);
        const count = Math.min(ROWS_LIMIT, end - position);
        const rows = (exports.li_model_rows(this.#model) >>> 0) / 4;
        const { words } = views();
        for (let i = 0; i < count; i++)
          words.set(
            [tokens[position + i], position + i, sequence.seat, Number(position + i >= firstWanted)],
            rows + 4 * i,
          );
        checkModel(exports.li_model_forward(this.#model, count));
        const stride = 4 * this.#config.vocabSize;
        let logits = exports.li_model_logits(this.#model) >>> 0;
        for (let i = 0; i < count; i++, position++) {
          if (position < firstWanted) continue;
          read(logits, position - start);
          logits += stride;
        }
      }
    } catch (error) {
      this.#truncate(sequence, start);
      throw error;
    }
  }

  /**
   * Finds the sequence a seat, and room for all its tokens; those unused for longest make way. When it is their
   * turn again their tokens are simply run again.
   * @param {Sequence} sequence
   */
  #seat(sequence) {
    const others = this.#seated.filter((other) => other !== sequence);
    const { contextLength } = this.#config;
    const total = () => others.reduce((sum, other) => sum + this.#cached(other), sequence.tokens.length);
    while (others.length && (total() > contextLength || others.length === SEATS)) {
      const other = /** @type {Sequence} */ (others.shift());
      this.#unseat(other);
    }
    if (sequence.seat < 0) {
      const taken = others.map((other) => other.seat);
      for (sequence.seat = 0; taken.includes(sequence.seat);) sequence.seat++;
    }
    this.#seated = [...others, sequence];
  }

  /** @param {Sequence} sequence */
  #unseat(sequence) {
    if (sequence.seat < 0) return;
    checkModel(this.#instance.exports.li_sequence_keep(this.#model, sequence.seat, 0));
    this.#seated = this.#seated.filter((other) => other !== sequence);
    sequence.seat = -1;
  }

  /** @param {Sequence} sequence */
  #cached(sequence) {
    return this.#instance.exports.li_sequence_length(this.#model, sequence.seat) >>> 0;
  }

  /**
   * @param {Sequence} sequence
   * @param {number} length
   */
  #truncate(sequence, length) {
    sequence.tokens.length = Math.min(sequence.tokens.length, length);
    if (sequence.seat >= 0 && this.#cached(sequence) > length)
      checkModel(this.#instance.exports.li_sequence_keep(this.#model, sequence.seat, length));
  }
}
