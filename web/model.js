// loadModel: a GGUF file in, streamed text out.
import { rangeError, typeError, LastInchError } from "./errors.js";
import { connect } from "./link.js";
import { checkToken, isSamplerOption, resolveOptions, unknownOption } from "./options.js";
import { unpackVocabulary } from "./vocabulary.js";

/** @typedef {import("./engine.js").Chunk} Chunk */
/** @typedef {import("./engine.js").Token} Token */
/** @typedef {import("./engine.js").ModelConfig} ModelConfig */
/** @typedef {import("./engine.js").ModelInfo} ModelInfo */
/** @typedef {import("./engine.js").GenerateSettings} GenerateSettings */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./vocabulary.js").Vocabulary} Vocabulary */
/** @typedef {ArrayLike<number>} Ids a list or a typed array of token ids */

/**
 * @typedef {object} LoadOptions
 * @property {(progress: { loaded: number, total: number }) => void} [onProgress] bytes; the last call has loaded = total
 * @property {AbortSignal} [signal] stops loading; the promise is then rejected with the signal's reason
 * @property {boolean} [worker] false: run in the calling thread. Default: in a Worker, unless none can start.
 * @property {number} [contextLength] positions to make room for, at most what the model was trained for. Default: all.
 */

/**
 * @typedef {object} OwnGenerateOptions
 * @property {number} [maxTokens] default: until the context is full
 * @property {string | string[]} [stop] the text ends before the first of these
 * @property {AbortSignal} [signal] ends the text with finishReason "abort"
 * @property {boolean} [captureLogits] every token comes with its raw row of logits
 * @property {boolean} [echo] the first chunk is the prompt
 */

/** @typedef {OwnGenerateOptions & Omit<import("./option-table.js").SamplerOptions, "vocabSize">} GenerateOptions */

const AHEAD = 64; // tokens that the model may be ahead of the reader
const ROOM_STEP = 16; // tokens after which the reader says so
const PIECE = 1 << 20;

const loadOptionNames = ["onProgress", "signal", "worker", "contextLength"];

/** @type {Record<string, string>} */
const generateOptionNames = {
  maxTokens: "maxTokens",
  max_tokens: "maxTokens",
  max_new_tokens: "maxTokens",
  max_completion_tokens: "maxTokens",
  stop: "stop",
  stop_strings: "stop",
  signal: "signal",
  captureLogits: "captureLogits",
  capture_logits: "captureLogits",
  echo: "echo",
};

/**
 * Loads a .gguf file, weight by weight as it arrives, into a WebAssembly instance of its own.
 * @param {string | URL | Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array>} source an address (in Node
 *   also the path of a file), or the bytes
 * @param {LoadOptions} [options]
 * @returns {Promise<Model>}
 * @throws {LastInchError} "gguf-…" and "model-…" when the file cannot be had or used, "no-webassembly", "no-simd"
 */
export async function loadModel(source, options = {}) {
  const { onProgress, signal, worker, contextLength = 0 } = checkLoadOptions(options);
  const opened = describe(source);
  /** @type {import("./link.js").Connection | undefined} */
  let connection;
  let model = 0;
  let stop = () => {};
  try {
    signal?.throwIfAborted();
    connection = await connect(worker);
    signal?.throwIfAborted();
    const { link, leave } = connection;
    model = link.newModel();
    /** @type {ModelInfo} */
    const info = await link.wait(
      new Promise((done, failed) => {
        const pull = async () => {
          /** @type {{ bytes?: Uint8Array, error?: string }} */
          const piece = await /** @type {Pump} */ (opened.pump).next().then(
            (bytes) => (bytes ? { bytes } : {}),
            (error) => ({ error: String(error?.message ?? error) }),
          );
          link.post({ kind: "piece", call, ...piece }, piece.bytes ? [piece.bytes.buffer] : []);
        };
        /** @param {number} loaded @param {number} total */
        const progress = (loaded, total) => {
          try {
            onProgress?.({ loaded, total });
          } catch (error) {
            failed(error);
          }
        };
        const request = { kind: /** @type {const} */ ("load"), model, source: opened.source, contextLength };
        const call = link.begin(request, { model, done, failed, progress, pull });
        stop = () => failed(signal?.reason);
        signal?.addEventListener("abort", stop);
      }),
    );
    return new Model(link, leave, model, info);
  } catch (error) {
    connection?.link.endModel(model, error);
    connection?.leave();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    opened.pump?.cancel();
  }
}

/**
 * @param {LoadOptions} options
 * @returns {LoadOptions}
 */
function checkLoadOptions(options) {
  if (typeof options !== "object" || options === null) throw typeError("bad-type", "Options must be an object.");
  for (const name of Object.keys(options))
    if (!loadOptionNames.includes(name))
      throw typeError(
        "unknown-option",
        `There is no option "${name}" of loadModel. There are: ${loadOptionNames.join(", ")}.`,
      );
  const { onProgress, signal, worker, contextLength } = options;
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw typeError("bad-type", "onProgress must be a function.");
  checkSignal(signal);
  checkBoolean("worker", worker);
  if (contextLength !== undefined) checkWhole("contextLength", contextLength, 1, 2 ** 20);
  return options;
}

/** @param {unknown} signal */
function checkSignal(signal) {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw typeError("bad-type", "signal must be an AbortSignal.");
}

/** @param {string} name @param {unknown} value */
function checkBoolean(name, value) {
  if (value !== undefined && typeof value !== "boolean") throw typeError("bad-type", `${name} must be true or false.`);
}

/** @param {string} name @param {unknown} value @param {number} min @param {number} max */
function checkWhole(name, value, min, max) {
  if (typeof value !== "number") throw typeError("bad-type", `${name} must be a number, not ${typeof value}.`);
  if (!Number.isInteger(value) || value < min || value > max)
    throw rangeError("out-of-range", `${name} is ${value}, but must be a whole number from ${min} to ${max}.`);
}

/**
 * Bytes that the page itself reads, for the thread of the model to ask for.
 * @typedef {object} Pump
 * @property {() => Promise<Uint8Array<ArrayBuffer> | null>} next a copy that can be given away
 * @property {() => void} cancel
 */

/**
 * @param {unknown} source
 * @returns {{ source: import("./source.js").Source, pump?: Pump }}
 */
function describe(source) {
  if (typeof source === "string" || source instanceof URL) return { source: { url: absoluteUrl(source) } };
  if (source instanceof Blob) return { source: { blob: source } };
  if (source instanceof ReadableStream) {
    if (source.locked) throw typeError("bad-type", "The stream is locked: somebody else is reading it.");
    return { source: { size: 0 }, pump: streamPump(source.getReader()) };
  }
  if (source instanceof ArrayBuffer) return describe(new Uint8Array(source));
  if (ArrayBuffer.isView(source)) {
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return { source: { size: bytes.length }, pump: bytesPump(bytes) };
  }
  throw typeError("bad-type", "A model is loaded from a URL, a Blob, an ArrayBuffer or a ReadableStream.");
}

/**
 * @param {ReadableStreamDefaultReader<any>} reader
 * @returns {Pump}
 */
function streamPump(reader) {
  return {
    async next() {
      const { value, done } = await reader.read();
      if (done) return null;
      if (!(value instanceof Uint8Array)) throw new Error("the stream gave something else than a Uint8Array");
      return value.slice();
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

/**
 * @param {Uint8Array} bytes
 * @returns {Pump}
 */
function bytesPump(bytes) {
  let at = 0;
  return {
    async next() {
      const piece = bytes.slice(at, at + PIECE);
      at += piece.length;
      return piece.length ? piece : null;
    },
    cancel() {},
  };
}

/** @param {string | URL} source */
function absoluteUrl(source) {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  const isPath = typeof source === "string" && !base && !/^[a-z][a-z\d+.-]+:/i.test(source);
  const node = isPath && globalThis.process?.getBuiltinModule?.("node:url");
  if (node) return node.pathToFileURL(source).href;
  try {
    return new URL(source, base).href;
  } catch {
    throw typeError("bad-type", `"${source}" is not an address.`);
  }
}

export class Model {
  #link;
  #leave;
  #id;
  #info;
  #isDisposed = false;
  /** @type {Vocabulary | undefined} */
  #vocabulary;

  /**
   * Use loadModel.
   * @param {Link} link
   * @param {() => void} leave
   * @param {number} id
   * @param {ModelInfo} info
   */
  constructor(link, leave, id, info) {
    this.#link = link;
    this.#leave = leave;
    this.#id = id;
    this.#info = info;
  }

  /** @returns {Readonly<ModelConfig>} */
  get config() {
    return this.#info.config;
  }

  /** @returns {Vocabulary} */
  get vocabulary() {
    this.#vocabulary ??= { tokens: unpackVocabulary(this.#info.vocabulary), eos: this.#info.eos };
    return this.#vocabulary;
  }

  /**
   * Continues a prompt. Iterate over the result; leaving the loop stops the model.
   * @param {string | Ids} prompt a text (the model's first token is put before it), or ids as they are
   * @param {GenerateOptions} [options]
   * @returns {Generation}
   */
  generate(prompt, options = {}) {
    this.#checkLive();
    const { settings, signal } = this.#settings(options);
    const input = this.#input("prompt", prompt);
    return new Generation(this.#link, signal, (listener) => {
      this.#checkLive();
      const request = {
        kind: /** @type {const} */ ("generate"),
        model: this.#id,
        prompt: input,
        settings,
        room: AHEAD,
      };
      return this.#link.begin(request, { ...listener, model: this.#id });
    });
  }

  /**
   * Token ids of a text.
   * @param {string} text
   * @param {{ bos?: boolean }} [options] bos: put the token that begins a sequence before them
   * @returns {Promise<number[]>}
   */
  async tokenize(text, { bos = false } = {}) {
    this.#checkLive();
    if (typeof text !== "string") throw typeError("bad-type", `tokenize takes a text, not ${typeof text}.`);
    checkBoolean("bos", bos);
    return this.#link.ask({ kind: "tokenize", model: this.#id, text, bos });
  }

  /**
   * The text that tokens stand for. Bytes that make no character come out as U+FFFD; control tokens are no text.
   * @param {Ids} ids
   * @returns {Promise<string>}
   */
  async detokenize(ids) {
    this.#checkLive();
    return this.#link.ask({ kind: "detokenize", model: this.#id, ids: this.#ids("detokenize", ids) });
  }

  /**
   * How likely the model finds a text: log p(token | all before it), natural logarithm, no option applied.
   * The first of the given ids is only what the others follow and is not in the result; before a text that is the
   * token that begins a sequence, so every token of a text is scored.
   * @param {string | Ids} input
   * @returns {Promise<{ tokens: Uint32Array, logprobs: Float64Array }>}
   */
  async score(input) {
    this.#checkLive();
    return this.#link.ask({ kind: "score", model: this.#id, input: this.#input("score", input) });
  }

  /**
   * Runs tokens after the first `keep` of those that earlier calls ran, and returns the logits that follow the last
   * one ("last": one row) or every one of them ("all": a list of rows).
   * @template {"last" | "all"} [Rows="last"]
   * @param {Ids} ids at least one
   * @param {{ keep?: number, rows?: Rows }} [options] keep: default 0, which begins anew
   * @returns {Promise<Rows extends "all" ? Float32Array[] : Float32Array>}
   */
  async forward(ids, { keep = 0, rows } = {}) {
    this.#checkLive();
    const list = this.#ids("forward", ids);
    if (!list.length) throw rangeError("out-of-range", "forward needs at least one token.");
    checkWhole("keep", keep, 0, this.config.contextLength);
    if (rows !== undefined && rows !== "last" && rows !== "all")
      throw rangeError("out-of-range", `rows must be "last" or "all", not ${String(rows)}.`);
    /** @type {"last" | "all"} */
    const wanted = rows ?? "last";
    const result = await this.#link.ask({ kind: "forward", model: this.#id, ids: list, keep, rows: wanted });
    return rows === "all" ? result : result[0];
  }

  /** Gives the memory back. What is still running is rejected, and using the model afterwards throws. */
  dispose() {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#link.endModel(this.#id, new LastInchError("disposed"));
    this.#leave();
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.dispose();
  }

  #checkLive() {
    if (this.#isDisposed) throw new LastInchError("disposed");
  }

  /**
   * @param {string} name
   * @param {unknown} ids
   */
  #ids(name, ids) {
    const isList = Array.isArray(ids) || (ArrayBuffer.isView(ids) && !(ids instanceof DataView));
    if (!isList) throw typeError("bad-type", `${name} takes a list of token ids.`);
    const list = /** @type {ArrayLike<number>} */ (/** @type {unknown} */ (ids));
    return Uint32Array.from(list, (id) => {
      checkToken(name, id, this.config.vocabSize);
      return id;
    });
  }

  /**
   * @param {string} name
   * @param {string | Ids} input
   */
  #input(name, input) {
    return typeof input === "string" ? input : this.#ids(name, input);
  }

  /**
   * @param {GenerateOptions} options
   * @returns {{ settings: GenerateSettings, signal?: AbortSignal }}
   */
  #settings(options) {
    if (typeof options !== "object" || options === null) throw typeError("bad-type", "Options must be an object.");
    /** @type {Record<string, any>} */
    const own = {};
    /** @type {Record<string, any>} */
    const others = {};
    for (const [name, value] of Object.entries(options)) {
      const ownName = Object.hasOwn(generateOptionNames, name) ? generateOptionNames[name] : undefined;
      if (!ownName && !isSamplerOption(name))
        throw unknownOption(name, [...new Set(Object.values(generateOptionNames))]);
      if (ownName && value !== undefined && own[ownName] !== undefined)
        throw typeError("conflict", `${ownName} is given twice, under two names.`);
      if (ownName) own[ownName] = value;
      else others[name] = value;
    }
    const { maxTokens = 2 ** 32 - 1, stop = [], signal, captureLogits, echo } = own;
    checkWhole("maxTokens", maxTokens, 0, 2 ** 32 - 1);
    checkSignal(signal);
    checkBoolean("captureLogits", captureLogits);
    checkBoolean("echo", echo);
    const stops = typeof stop === "string" ? [stop] : stop;
    if (!Array.isArray(stops) || stops.some((text) => typeof text !== "string"))
      throw typeError("bad-type", "stop must be a text or a list of texts.");
    if (stops.includes("")) throw rangeError("out-of-range", "stop holds an empty text, which every text contains.");
    if ("vocabSize" in others || "vocab_size" in others)
      throw typeError("conflict", "vocabSize is the model's own and cannot be given.");
    const { vocabSize } = this.config;
    const tokenCount = this.#info.vocabulary.ends.length;
    const padding = "tokenCount" in others || "token_count" in others ? {} : { tokenCount };
    const sampler = resolveOptions({ ...others, ...padding, vocabSize });
    return {
      settings: { maxTokens, stop: [...stops], captureLogits: captureLogits ?? false, echo: echo ?? false, sampler },
      signal,
    };
  }
}

/**
 * @typedef {object} Reader one who has called next()
 * @property {(result: IteratorResult<Chunk, undefined>) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/**
 * The text as it is written. It begins with the first call of next().
 * @implements {AsyncIterableIterator<Chunk, undefined>}
 */
export class Generation {
  #link;
  #signal;
  #begin;
  #call = 0;
  #hasBegun = false;
  #hasEnded = false;
  /** @type {unknown} */
  #error;
  #read = 0;
  /** @type {Chunk[]} */
  #chunks = [];
  /** @type {Reader[]} */
  #waiting = [];
  #abort = () => this.#finish({ text: "", tokens: [], finishReason: "abort" });

  /**
   * Use model.generate.
   * @param {Link} link
   * @param {AbortSignal | undefined} signal
   * @param {(listener: Omit<import("./link.js").Listener, "model">) => number} begin
   */
  constructor(link, signal, begin) {
    this.#link = link;
    this.#signal = signal;
    this.#begin = begin;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<Chunk, undefined>>} */
  next() {
    if (!this.#hasBegun && !this.#hasEnded) this.#start();
    const result = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#serve();
    return this.#waiting.length ? this.#link.wait(result) : result;
  }

  /**
   * Stops the model: nobody reads on.
   * @returns {Promise<IteratorResult<Chunk, undefined>>}
   */
  async return() {
    this.#finish();
    return { done: true, value: undefined };
  }

  #start() {
    this.#hasBegun = true;
    if (this.#signal?.aborted) return this.#abort();
    this.#signal?.addEventListener("abort", this.#abort);
    try {
      this.#call = this.#begin({
        chunk: (chunk) => {
          this.#chunks.push(chunk);
          this.#serve();
        },
        done: () => this.#end(),
        failed: (error) => {
          this.#chunks.length = 0;
          this.#error = error;
          this.#end();
        },
      });
    } catch (error) {
      this.#error = error;
      this.#end();
    }
  }

  /**
   * Ends here, whatever the model has already sent.
   * @param {Chunk} [last]
   */
  #finish(last) {
    if (this.#hasEnded && !last) this.#chunks.length = 0;
    if (this.#hasEnded) return;
    this.#link.drop(this.#call);
    this.#chunks = last ? [last] : [];
    this.#end();
  }

  #end() {
    this.#hasEnded = true;
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#serve();
  }

  /** Gives those who wait what there is. */
  #serve() {
    while (this.#waiting.length) {
      const chunk = this.#chunks.shift();
      if (!chunk && !this.#hasEnded) return;
      const { resolve, reject } = /** @type {Reader} */ (this.#waiting.shift());
      const error = this.#error;
      if (chunk) {
        this.#count(chunk.tokens.length);
        resolve({ done: false, value: chunk });
      } else if (error !== undefined) {
        this.#error = undefined;
        reject(error);
      } else resolve({ done: true, value: undefined });
    }
  }

  /**
   * Tells the model how far the reader has come.
   * @param {number} tokens
   */
  #count(tokens) {
    this.#read += tokens;
    if (this.#read < ROOM_STEP || this.#hasEnded) return;
    this.#link.post({ kind: "room", call: this.#call, count: this.#read });
    this.#read = 0;
  }
}
