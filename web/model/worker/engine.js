// One loaded model in the thread that runs it: sequences, the queue of calls, and the loop that writes text.
import { rangeError } from "../../core/errors.js";
import { cacheTypes } from "../../core/enum-names.js";
import { ERROR_BAD_ARGUMENT } from "../../core/layouts.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { Constraints } from "../../decode/constraint.js";
import { TextMemory } from "../../decode/drafters/text-memory.js";
import { decode, readPrompt } from "../../decode/loop.js";
import { activations } from "./activations.js";
import { Ahead } from "./ahead.js";
import { PREFIXES, mayKeep, namesWith } from "./file-cache.js";
import { checkTree, forwardTree } from "./forward-tree.js";
import { readConfig, readModel } from "./gguf.js";
import { EagleLayer } from "./eagle-layer.js";
import { Heads, MedusaHeads } from "./heads.js";
import { KeptPrefixes } from "./kept-prefixes.js";
import { SavedTexts } from "./saved-texts.js";
import { Sequence } from "./sequence.js";
import { SEATS, Sequences } from "./sequences.js";
import { mayHelp, startHelpers } from "./threads.js";
import { CANCELLED, Turns } from "./turns.js";

/** @typedef {import("./turns.js").Job} Job */
/** @typedef {import("../../decode/decode-types.js").GenerateSettings} GenerateSettings */
/** @typedef {import("../../decode/decode-types.js").Token} Token */
/** @typedef {import("../../core/wasm.js").ModelInstance} Instance */

/**
 * @typedef {object} ModelConfig
 * @property {string | null} name general.name of the file
 * @property {string} family of models: general.architecture
 * @property {number} size bytes of the file
 * @property {number} vocabSize length of a row of logits
 * @property {number} contextLength positions that a sequence can have
 * @property {number} trainedLength positions that the model was trained with: the largest contextLength
 * @property {"f32" | "f16" | "q8_0"} cacheType number format of keys and values
 * @property {number} dim
 * @property {number} hiddenDim
 * @property {number} layers
 * @property {number | "medusa" | "eagle"} heads of attention; of a file of heads that draft for another model, their kind
 * @property {number} kvHeads
 * @property {number} headDim width of a head of queries and keys
 * @property {number} valueDim width of a head of values
 * @property {number} ropeDim
 * @property {number} ropeBase
 * @property {number} normEpsilon
 * @property {boolean} tied the output matrix is the embedding matrix
 * @property {boolean} predictsAhead the file has a block that predicts later tokens, which `draft: "mtp"` needs
 * @property {number | null} bos the token that begins a sequence
 * @property {boolean} addBos whether a text prompt gets the BOS token
 * @property {string | null} chatTemplate the file's chat template, in Jinja; null: none
 * @property {import("../../sampler/sampler-types.js").Sampling} sampling the file's recommended sampling options (general.sampling.*).
 *   They are the defaults of `chat` and `answer`, not of `generate` and `complete`
 */

/**
 * The facts of a loaded model that the page needs.
 * @typedef {object} ModelInfo
 * @property {ModelConfig} config
 * @property {{ bytes: Uint8Array, ends: Uint32Array }} vocabulary
 * @property {number[]} eos
 * @property {Record<string, number>} special control tokens by name
 * @property {number[]} suppressed tokens that are never chosen
 * @property {boolean} dropsSpace whether the first space of a text does not belong to it
 * @property {number} threads that compute it
 * @property {number} memory bytes of WebAssembly memory
 * @property {number} keptBytes of the file, from the browser's copy
 * @property {string} [hash] of the file, as saved texts have it; not of heads
 * @property {import("./heads.js").Base} [base] of heads: the model that they belong to
 */

/** ms that a text waits for the list of kept prefixes. Browsers with a damaged profile never answer. */
const LIST_LIMIT = 1000;

let lastNumber = 0;

export class Engine {
  number = ++lastNumber;
  /** Of the file, from the browser's copy. */
  keptBytes = 0;
  #model;
  #helpers;
  /** @type {Constraints | undefined} */
  #constraints;
  #isDisposed = false;
  #source;
  #saved;
  /** Those that this model uses. @type {Set<Heads>} */
  #heads = new Set();
  /** The prefixes that the browser keeps for this model, if it keeps any. @type {KeptPrefixes | undefined} */
  #prefixes;
  /** Settles when they are known. @type {Promise<void> | undefined} */
  #listing;

  /**
   * @param {import("./model-file.js").Opened} opened
   * @param {object} options
   * @param {number} options.contextLength 0: chosen
   * @param {"auto" | "f32" | "f16" | "q8_0"} options.cacheType
   * @param {number | "auto"} options.threads
   * @param {string} [options.preTokenizer]
   * @param {typeof import("./start-helper.js").startHelper} options.startHelper
   * @param {AbortSignal} options.signal
   * @param {(loaded: number, total: number) => void} options.onProgress
   * @param {string} [options.source] address by which the page names the model
   * @returns {Promise<Engine | Heads>}
   */
  static async load({ stream, size, expected, address, isVerified }, options) {
    const { contextLength, cacheType, threads, preTokenizer, startHelper, signal, onProgress, source } = options;
    const reader = stream.getReader();
    const stop = () => void reader.cancel(signal.reason).catch(() => {});
    signal.addEventListener("abort", stop);
    /** @type {import("./threads.js").Helpers | undefined} */
    let helpers;
    try {
      signal.throwIfAborted();
      const isShared = mayHelp(threads);
      const file = { size, expected, address };
      const cache = { slots: contextLength, cacheType: cacheTypes.indexOf(cacheType), sequences: SEATS };
      const rest = { isShared, preTokenizer, onProgress };
      const loaded = await readModel(reader, { ...file, ...cache, ...rest });
      // A digest is that of the whole file, of which the model may be the beginning.
      while (isVerified && !(await reader.read()).done);
      signal.throwIfAborted();
      if (loaded instanceof Heads) {
        reader.read().then(({ done }) => done || stop(), stop);
        return loaded;
      }
      helpers = await startHelpers(loaded, threads, startHelper);
      signal.throwIfAborted();
      // The browser only caches a download that is read to its end. The rest of a longer file is dropped.
      reader.read().then(({ done }) => done || stop(), stop);
      return new Engine(loaded, helpers, source);
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
   * @param {string} [source] address by which the page names the model
   */
  constructor({ instance, model, tokenizer, name, family, chatTemplate, sampling, size }, helpers, source) {
    this.instance = instance;
    this.#model = model;
    this.#helpers = helpers;
    this.tokenizer = tokenizer;
    /** @type {ModelConfig} */
    this.config = {
      name,
      family,
      size,
      ...readConfig(instance, model),
      bos: tokenizer.bos >= 0 ? tokenizer.bos : null,
      addBos: tokenizer.addBos,
      chatTemplate,
      sampling,
    };
    this.turns = new Turns();
    this.texts = new TextMemory();
    const check = (/** @type {Job} */ job) => this.checkWanted(job);
    this.sequences = new Sequences(instance, model, this.config, check);
    this.ahead = new Ahead(instance, model, this.sequences, check);
    this.#saved = new SavedTexts(instance, model, this.sequences, check);
    this.#source = source;
    const end = () => void (this.#listing = undefined);
    this.#listing = this.#listPrefixes().then(end, end);
  }

  /** Where the browser keeps none, texts never ask it. */
  async #listPrefixes() {
    if ((await namesWith(PREFIXES)).length) await this.#openPrefixes();
  }

  /** @returns {Promise<KeptPrefixes>} */
  async #openPrefixes() {
    const prefixes = await KeptPrefixes.open(this.#saved.header, this.#source, this.config.contextLength);
    return (this.#prefixes ??= prefixes);
  }

  /** @returns {ModelInfo} */
  get info() {
    const threads = 1 + this.#helpers.count;
    const { packed, eos, special, suppressed, dropsSpace } = this.tokenizer;
    const { length: memory } = this.instance.views().bytes;
    const { config, keptBytes } = this;
    const { hash } = this.#saved;
    return { config, vocabulary: packed, eos, special, suppressed, dropsSpace, threads, memory, keptBytes, hash };
  }

  dispose() {
    this.#isDisposed = true;
    this.#constraints?.dispose();
    for (const heads of this.#heads) heads.forget(this);
    this.#helpers.end();
  }

  /**
   * @param {string | (string | number)[]} text
   * @param {boolean} bos
   * @param {boolean} [special]
   */
  tokenize(text, bos, special) {
    const ids =
      typeof text === "string" ? this.tokenizer.encode(text, { special }) : this.tokenizer.encodeParts(text, special);
    return bos && this.config.bos !== null ? [this.config.bos, ...ids] : ids;
  }

  /** @param {Iterable<number>} ids */
  detokenize(ids) {
    return this.tokenizer.decode(ids);
  }

  /**
   * Log-probability of every token except the first, which is context only: for a text the BOS token, if the model has one.
   * @param {string | Uint32Array} input
   * @param {Job} job
   * @returns {Promise<{ tokens: Uint32Array, logprobs: Float64Array }>}
   */
  async score(input, job) {
    const ids = this.idsOf(input);
    const tokens = ids.slice(1);
    const logprobs = new Float64Array(tokens.length);
    if (!tokens.length) return { tokens, logprobs };
    const { exports } = this.instance;
    const sequence = new Sequence();
    const run = { sequence, ids: ids.subarray(0, -1), wanted: tokens.length };
    await this.turns.take();
    try {
      await this.sequences.run([run], job, (_, row, logits) => {
        logprobs[row] = exports.li_log_probability(logits, this.config.vocabSize, tokens[row]);
      });
    } finally {
      this.sequences.drop(sequence);
      this.turns.leave();
    }
    if (logprobs.some(Number.isNaN)) throw new ModelError("logits-nan");
    return { tokens, logprobs };
  }

  /**
   * Appends to a sequence of the caller's, or computes a tree of tokens after it.
   * @param {Sequence} sequence
   * @param {object} call
   * @param {Uint32Array} call.ids
   * @param {number} call.keep positions that stay
   * @param {"last" | "all"} call.rows that want logits
   * @param {Int32Array} [call.parents] of each token of a tree, the one that it follows, or -1
   * @param {Job} job
   * @returns {Promise<Float32Array[]>}
   */
  async forward(sequence, { ids, keep, rows, parents }, job) {
    /** @type {Float32Array[]} */
    const result = [];
    await this.turns.take();
    try {
      const { length } = sequence.tokens;
      if (!parents && keep + ids.length > this.config.contextLength)
        throw this.sequences.contextError(keep + ids.length);
      if (keep > length)
        throw rangeError("out-of-range", `keep is ${keep}, but must be from 0 to ${length}, the length of the text.`);
      if (parents) checkTree(this.sequences, keep, parents);
      this.sequences.truncate(sequence, keep);
      const read = (/** @type {number} */ i, /** @type {number} */ logits) => void (result[i] = this.#copyRow(logits));
      if (parents) await forwardTree(this.sequences, sequence, ids, parents, job, read);
      else {
        const wanted = rows === "all" ? ids.length : 1;
        await this.sequences.run([{ sequence, ids, wanted }], job, (_run, row, logits) => read(row, logits));
      }
    } finally {
      this.turns.leave();
    }
    return result;
  }

  /**
   * @param {string | Uint32Array} prompt
   * @param {Job} job
   * @param {number} [limit] bytes of a prefix to keep
   */
  async save(prompt, job, limit) {
    const { given } = readPrompt(this, prompt, false);
    await this.turns.take();
    try {
      this.checkWanted(job);
      return { ids: given, ...(await this.#saved.save(given, job, limit)) };
    } finally {
      this.turns.leave();
    }
  }

  /**
   * @param {Blob} blob
   * @param {Job} job
   */
  async restore(blob, job) {
    await this.turns.take();
    try {
      this.checkWanted(job);
      return await this.#saved.restore(blob, job);
    } finally {
      this.turns.leave();
    }
  }

  /**
   * @param {string | Uint32Array} prompt
   * @param {number} limit bytes of all kept prefixes
   * @param {Job} job
   * @returns {Promise<{ tokens: number, bytes: number }>}
   */
  async keepPrefix(prompt, limit, job) {
    const { given } = readPrompt(this, prompt, false);
    await this.#listing;
    if (!mayKeep()) throw new ModelError("prefix-not-kept");
    const prefixes = this.#prefixes ?? (await this.#openPrefixes());
    const found = await prefixes.use(given, limit);
    if (found) return { tokens: given.length, bytes: found.bytes };
    const saved = await this.save(given, job, limit);
    await prefixes.keep(saved, limit, () => this.checkWanted(job));
    return { tokens: given.length, bytes: saved.blob.size };
  }

  /**
   * Loads a kept prefix of a prompt, if that saves time. The caller has the turn.
   * @param {Uint32Array} ids
   * @param {Job} job
   */
  async recall(ids, job) {
    if (this.#listing) {
      // No other text waits for caches that do not answer.
      await inTime(this.#listing, LIST_LIMIT).catch(() => (this.#listing = undefined));
      this.checkWanted(job);
    }
    const covered = () => this.sequences.covered(ids);
    const prefixes = this.#prefixes;
    const found = prefixes?.find(ids, covered);
    if (!prefixes || !found) return;
    const before = covered();
    try {
      const blob = await prefixes.read(found);
      this.checkWanted(job);
      if (!blob) return;
      await this.#saved.restore(blob, job);
      if (covered() > before) void prefixes.note(found);
      else prefixes.drop(found);
    } catch (/** @type {any} */ error) {
      if (error === CANCELLED || error?.code === "disposed") throw error;
      // The model reads the prompt. A damaged copy is of no use to a later visit either; one that could not be read may be.
      if (/^saved-/.test(error?.code) && !error.cause) await prefixes.forget(found);
      else prefixes.drop(found);
    }
  }

  /**
   * @param {string | Uint32Array} input
   * @param {Job} job
   */
  async activations(input, job) {
    const ids = this.idsOf(input);
    if (!ids.length) throw rangeError("out-of-range", "activations needs at least one token.");
    return activations(this, ids, job);
  }

  /**
   * Writes the weights with which the heads of a layer read a sequence, from its last token.
   * @param {Sequence} sequence whose tokens have all been run
   * @param {number} state address of the last token's hidden state (dim) before the layer
   * @param {number} layer
   * @param {number} into address (heads, tokens of the sequence)
   * @returns {boolean} false: the layer has no attention
   */
  attention({ seat, tokens }, state, layer, into) {
    const { li_model_attention: attention } = this.instance.exports;
    const status = attention(this.#model, state, layer, seat, tokens.length - 1, into);
    if (status === ERROR_BAD_ARGUMENT) return false; // the layer has no attention
    checkModel(status);
    return true;
  }

  /**
   * @param {string | Uint32Array} prompt
   * @param {GenerateSettings} settings
   * @param {import("../../decode/loop.js").Caller} caller
   */
  generate(prompt, settings, caller) {
    return decode(this, prompt, settings, caller);
  }

  /**
   * The tokens of a prompt that generate would run.
   * @param {string | Uint32Array} prompt
   * @param {boolean} heal
   */
  count(prompt, heal) {
    return readPrompt(this, prompt, heal).ids.length;
  }

  /**
   * Heads in this model's memory.
   * @param {Heads} heads
   */
  attach(heads) {
    const make = (/** @type {import("./heads.js").HeadsFile} */ file) => {
      const Kind = file.kind === "eagle" ? EagleLayer : MedusaHeads;
      return new Kind(this, this.#model, file);
    };
    const attached = heads.attachedTo(this, make);
    this.#heads.add(heads);
    return attached;
  }

  /** Forgets heads that are gone. @param {Heads} heads */
  detach(heads) {
    this.#heads.delete(heads);
  }

  /**
   * @param {import("../../grammar/posted.js").PostedGrammar} grammar
   * @param {Uint8Array} [heal] bytes that the text begins with, before the grammar's text
   */
  async openConstraint(grammar, heal) {
    return this.#openConstraints().open(grammar, heal);
  }

  /**
   * @param {import("../../grammar/posted.js").PostedGrammar} grammar
   * @param {boolean} isKept a text will need it
   */
  async compile(grammar, isKept) {
    return this.#openConstraints().compile(grammar, isKept);
  }

  #openConstraints() {
    const { tokens, special, eos } = this.tokenizer;
    if (this.#isDisposed) throw new ModelError("disposed");
    return (this.#constraints ??= new Constraints({ tokens, special, eos }));
  }

  /** @param {string | Uint32Array} input */
  idsOf(input) {
    return typeof input === "string" ? Uint32Array.from(this.tokenize(input, this.config.addBos)) : input;
  }

  /** @param {Job} job */
  checkWanted(job) {
    if (this.#isDisposed) throw new ModelError("disposed");
    if (job.isCancelled) throw CANCELLED;
  }

  /**
   * @param {number} id
   * @param {number} logits address of the model's row
   * @param {number} probability
   * @param {boolean} [withLogits]
   * @returns {Token}
   */
  token(id, logits, probability, withLogits) {
    const { li_log_probability: logProbability } = this.instance.exports;
    const token = { id, probability, rawLogprob: logProbability(logits, this.config.vocabSize, id) };
    return withLogits ? { ...token, logits: this.#copyRow(logits) } : token;
  }

  /** @param {number} at */
  #copyRow(at) {
    return this.instance.views().floats.slice(at / 4, at / 4 + this.config.vocabSize);
  }
}
