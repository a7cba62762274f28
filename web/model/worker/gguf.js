// Streams a GGUF file into a wasm instance: C parses the header, then the weights piece by piece.
import { LastInchError, rangeError } from "../../core/errors.js";
import { cacheTypes } from "../../core/enum-names.js";
import * as layout from "../../core/layouts.js";
import { allocate, allocated } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { instantiateModel } from "../../core/variants.js";
import { checkFile, grouped, readMemory } from "./faults.js";
import { describeNeed, explainSize, needOf, planThatFits, typeOf } from "./fit.js";
import { START_SIZE, foreignFile, foreignModel } from "./foreign-file.js";
import { Heads, readHeads } from "./heads.js";
import { readSampling } from "./sampling-metadata.js";
import { Tokenizer } from "./tokenizer.js";

/** @typedef {import("../../core/wasm.js").ModelInstance} Instance */
/** @typedef {"f32" | "f16" | "q8_0"} CacheType how keys and values are kept: as floats, as halves, or as bytes with a scale for 32 of them */

const HEADER_ROOM = 1 << 16;
const FILE_LIMIT = 2 ** 32; // no larger file fits into 32-bit addresses
/** How a number of a type is read, and its bytes. @type {Record<number, [(view: DataView, at: number) => number, number]>} */
const numberTypes = {
  [layout.GGUF_UINT8]: [(view, at) => view.getUint8(at), 1],
  [layout.GGUF_INT8]: [(view, at) => view.getInt8(at), 1],
  [layout.GGUF_UINT16]: [(view, at) => view.getUint16(at, true), 2],
  [layout.GGUF_INT16]: [(view, at) => view.getInt16(at, true), 2],
  [layout.GGUF_UINT32]: [(view, at) => view.getUint32(at, true), 4],
  [layout.GGUF_INT32]: [(view, at) => view.getInt32(at, true), 4],
  [layout.GGUF_FLOAT32]: [(view, at) => view.getFloat32(at, true), 4],
  [layout.GGUF_BOOL]: [(view, at) => view.getUint8(at), 1],
  [layout.GGUF_UINT64]: [(view, at) => Number(view.getBigUint64(at, true)), 8],
  [layout.GGUF_INT64]: [(view, at) => Number(view.getBigInt64(at, true)), 8],
  [layout.GGUF_FLOAT64]: [(view, at) => view.getFloat64(at, true), 8],
};

/** Metadata of a parsed header, while the li_gguf lives. A key of the wrong type counts as absent. */
export class Metadata {
  /**
   * @param {Instance} instance
   * @param {number} gguf
   * @param {number} base address of the header's bytes
   */
  constructor(instance, gguf, base) {
    this.instance = instance;
    this.gguf = gguf;
    this.base = base;
  }

  /** @param {string} key */
  find(key) {
    const { exports, views } = this.instance;
    const bytes = new TextEncoder().encode(key + "\0");
    const at = allocate(this.instance, bytes.length);
    views().bytes.set(bytes, at);
    const index = exports.li_gguf_find(this.gguf, at);
    exports.li_memory_free(at);
    if (index < 0) return null;
    return {
      type: exports.li_gguf_value_type(this.gguf, index),
      element: exports.li_gguf_element_type(this.gguf, index),
      count: exports.li_gguf_value_count(this.gguf, index) >>> 0,
      at: this.base + (exports.li_gguf_value_offset(this.gguf, index) >>> 0),
    };
  }

  /**
   * @template T
   * @param {string} key
   * @param {T} absent
   */
  number(key, absent) {
    const value = this.find(key);
    if (!value || !numberTypes[value.type] || value.type === layout.GGUF_BOOL) return absent;
    const [read] = numberTypes[value.type];
    return read(new DataView(this.instance.views().bytes.buffer), value.at);
  }

  /**
   * @param {string} key
   * @param {boolean} absent
   */
  boolean(key, absent) {
    const value = this.find(key);
    return value?.type === layout.GGUF_BOOL ? this.instance.views().bytes[value.at] !== 0 : absent;
  }

  /** @param {string} key */
  string(key) {
    const value = this.find(key);
    return value?.type === layout.GGUF_STRING ? this.#text(value.at) : null;
  }

  /** @param {string} key */
  numbers(key) {
    const value = this.find(key);
    if (value?.type !== layout.GGUF_ARRAY || !numberTypes[value.element] || value.count > layout.VOCAB_LIMIT)
      return null;
    const view = new DataView(this.instance.views().bytes.buffer);
    const { at, count, element } = value;
    const [read, size] = numberTypes[element];
    return Array.from({ length: count }, (_, i) => read(view, at + i * size));
  }

  /** @param {number} at */
  #text(at) {
    const { bytes } = this.instance.views();
    const length = new DataView(bytes.buffer).getUint32(at, true);
    return new TextDecoder().decode(bytes.slice(at + 8, at + 8 + length));
  }
}

/**
 * Creates the tokenizer, and checks that the model has all its tokens.
 * @param {Metadata} metadata
 * @param {string | undefined} preTokenizer instead of the file's
 * @param {number} vocabSize of the model
 */
export function readTokenizer(metadata, preTokenizer, vocabSize) {
  const tokenizer = new Tokenizer(metadata, preTokenizer);
  const count = tokenizer.packed.ends.length;
  if (count > vocabSize) throw new ModelError("model-tokenizer", `It has ${count} tokens, the model ${vocabSize}.`);
  return tokenizer;
}

/** Bytes of a stream in pieces of a limited size. */
export class Pieces {
  #reader;
  /** Bytes read and not yet taken; no piece is empty. @type {Uint8Array[]} */
  #waiting = [];

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  constructor(reader) {
    this.#reader = reader;
  }

  /** @param {Uint8Array} bytes */
  putBack(bytes) {
    if (bytes.length) this.#waiting.unshift(bytes);
  }

  /**
   * @param {number} limit
   * @returns {Promise<Uint8Array | null>} null at the end
   */
  async next(limit) {
    while (!this.#waiting.length) {
      const { value, done } = await this.#reader.read().catch((cause) => {
        if (cause instanceof LastInchError) throw cause;
        throw new ModelError("model-download", `(${cause?.message ?? cause})`, { cause });
      });
      if (done) return null;
      if (!(value instanceof Uint8Array))
        throw new ModelError("model-download", "A chunk of the stream is not a Uint8Array.");
      this.putBack(value);
    }
    const piece = /** @type {Uint8Array} */ (this.#waiting.shift());
    this.putBack(piece.subarray(limit));
    return piece.subarray(0, limit);
  }
}

/**
 * The li_model_config.
 * @param {Instance} instance
 * @param {number} model
 */
export function readConfig(instance, model) {
  const { words, floats } = instance.views();
  const at = (instance.exports.li_model_get_config(model) >>> 0) / 4;
  return {
    vocabSize: words[at + layout.MODEL_CONFIG_VOCAB_SIZE],
    contextLength: words[at + layout.MODEL_CONFIG_CONTEXT_LENGTH],
    trainedLength: words[at + layout.MODEL_CONFIG_TRAINED_LENGTH],
    cacheType: /** @type {CacheType} */ (cacheTypes[words[at + layout.MODEL_CONFIG_CACHE_TYPE]]),
    dim: words[at + layout.MODEL_CONFIG_DIM],
    hiddenDim: words[at + layout.MODEL_CONFIG_HIDDEN_DIM],
    layers: words[at + layout.MODEL_CONFIG_LAYERS],
    heads: words[at + layout.MODEL_CONFIG_HEADS],
    kvHeads: words[at + layout.MODEL_CONFIG_KV_HEADS],
    headDim: words[at + layout.MODEL_CONFIG_HEAD_DIM],
    valueDim: words[at + layout.MODEL_CONFIG_VALUE_DIM],
    ropeDim: words[at + layout.MODEL_CONFIG_ROPE_DIM],
    ropeBase: floats[at + layout.MODEL_CONFIG_ROPE_BASE],
    normEpsilon: floats[at + layout.MODEL_CONFIG_NORM_EPSILON],
    tied: words[at + layout.MODEL_CONFIG_TIED] === 1,
    predictsAhead: words[at + layout.MODEL_CONFIG_DRAFTS] === 1,
  };
}

/**
 * A parsed header.
 * @typedef {object} Header
 * @property {Instance} instance
 * @property {number} gguf li_gguf
 * @property {Metadata} metadata
 * @property {number} size bytes
 */

/**
 * Instances that have read a header and wait for the next, by whether their memory is shared. WebAssembly memory never
 * shrinks, so a model's instance does not read its header. A new instance for each header would be expensive: engines
 * reserve about 10 GiB of addresses for every memory until the garbage collector finds it, and to the collector it
 * weighs only its bytes, so thousands of refused files reserved terabytes. No bytes of a file reach the next one: C
 * frees what it has read, and zeroes every block that it allocates.
 * @type {Map<boolean, { instance: Instance, timer: any }>}
 */
const spares = new Map();
/** An instance with more bytes than this is not kept: it has read an immense header, or lost memory in an error. */
const SPARE_LIMIT = 1 << 26;
/** The same limit if a model follows, because it needs the memory. */
const SPARE_LIMIT_BESIDE = 1 << 20;
/** After this many milliseconds without a header an instance is dropped. */
const SPARE_TIME = 10_000;

/** Takes the waiting instance. @param {boolean} isShared */
function takeSpare(isShared) {
  const spare = spares.get(isShared);
  clearTimeout(spare?.timer);
  spares.delete(isShared);
  return spare?.instance;
}

/** @param {boolean} isShared @param {Instance} instance */
function keepSpare(isShared, instance) {
  takeSpare(isShared);
  const timer = setTimeout(takeSpare, SPARE_TIME, isShared);
  // Node would wait for it before it exits.
  /** @type {any} */ (timer).unref?.();
  spares.set(isShared, { instance, timer });
}

/**
 * Whether the error is a trap or a full stack, after which the memory may be in any state. Our own errors have a code.
 * @param {any} error
 */
export const isTrap = (error) => typeof error?.code !== "string";

/**
 * Reads the file's header, and runs `use` while the header lives.
 * @template Result
 * @param {Pieces} pieces `use` finds them unread
 * @param {Pick<HowToLoad, "size" | "address" | "isShared"> & { isLoaded?: boolean }} how isLoaded: the result is a model,
 *   whose weights are read next
 * @param {(have: number) => void} onProgress
 * @param {(header: Header) => Result | Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withHeader(pieces, { size, address, isShared, isLoaded }, onProgress, use) {
  const instance = takeSpare(isShared) ?? (await instantiateModel(isShared));
  const { exports, views } = instance;
  const gguf = allocated(exports.li_gguf_create());
  let limit = SPARE_LIMIT;
  let hasTrapped = false;
  try {
    const result = await use(await readHeader(pieces, instance, gguf, size, address, onProgress));
    if (isLoaded) limit = SPARE_LIMIT_BESIDE;
    return result;
  } catch (error) {
    hasTrapped = isTrap(error);
    throw error;
  } finally {
    if (!hasTrapped) {
      exports.li_gguf_destroy(gguf);
      if (views().bytes.length <= limit) keepSpare(isShared, instance);
    }
  }
}

/**
 * @param {Pieces} pieces
 * @param {Instance} instance
 * @param {number} gguf
 * @param {number} size of the file where that is certain, else 0
 * @param {string | undefined} address where the file came from
 * @param {(have: number) => void} onProgress
 * @returns {Promise<Header>}
 */
async function readHeader(pieces, instance, gguf, size, address, onProgress) {
  const { exports, views } = instance;
  const taken = [];
  let have = 0;
  let room = 0;
  let base = 0;
  let parseAt = 1; // the first piece shows whether it is GGUF at all
  for (;;) {
    const piece = await pieces.next(HEADER_ROOM);
    if (piece) {
      taken.push(piece);
      if (have + piece.length > room)
        base = allocated(exports.li_gguf_reserve(gguf, (room = Math.max(HEADER_ROOM, 2 * room))));
      views().bytes.set(piece, base + have);
      have += piece.length;
      if (have < parseAt) continue;
    }
    const status = exports.li_gguf_parse(gguf, have, size);
    if (status === layout.ERROR_GGUF_MAGIC || status === layout.ERROR_GGUF_VERSION)
      await refuseStart(pieces, taken, address);
    if (checkFile(instance, gguf, status) === 0) {
      for (const piece of taken.reverse()) pieces.putBack(piece);
      const header = Math.min(have, exports.li_gguf_data_start(gguf) >>> 0);
      return { instance, gguf, metadata: new Metadata(instance, gguf, base), size: header };
    }
    if (!piece) throw new ModelError("gguf-truncated");
    parseAt = 1.25 * have;
    onProgress(have);
  }
}

/**
 * The error for a file that is not GGUF. Reads on if the first piece is too small to recognise the format.
 * @param {Pieces} pieces
 * @param {Uint8Array[]} taken from the pieces
 * @param {string | undefined} address
 */
async function refuseStart(pieces, taken, address) {
  for (const piece of taken.reverse()) pieces.putBack(piece);
  const start = new Uint8Array(START_SIZE);
  let have = 0;
  while (have < start.length) {
    const piece = await pieces.next(start.length - have).catch(() => null);
    if (!piece) break;
    start.set(piece, have);
    have += piece.length;
  }
  const { code, detail } = foreignFile(start.subarray(0, have), address);
  throw new ModelError(code, detail);
}

/**
 * Reads the header and makes the model, or reads heads. A GGUF file that is not a model by itself always fails here.
 * Everything that the header can tell is checked before the model gets an instance.
 * @param {Pieces} pieces
 * @param {HowToLoad} how
 * @param {(have: number) => void} onProgress
 */
function openModel(pieces, how, onProgress) {
  return withHeader(pieces, { ...how, isLoaded: true }, onProgress, async ({ instance, gguf, metadata, size }) => {
    const heads = await readHeads(pieces, { instance, gguf, metadata }, how.onProgress);
    if (heads) return heads;
    try {
      const memory = planModel(instance, gguf, how);
      const planned = { slots: memory.contextLength, cacheType: typeOf(memory) };
      return await createModel(pieces, size, memory, { ...how, ...planned });
    } catch (error) {
      throw explainModel(error, metadata);
    }
  });
}

/**
 * The error for a file that is not a model by itself; otherwise the given error.
 * @param {any} error
 * @param {Metadata} metadata
 */
export function explainModel(error, metadata) {
  if (isTrap(error)) return error;
  const explanation = foreignModel(metadata);
  return explanation ? new ModelError(explanation.code, explanation.detail) : error;
}

/**
 * The memory that a model will take, and what C says about the header.
 * @typedef {{ status: number, memory: ReturnType<typeof readMemory> & { parameters: number, headerSize: number } }} Plan
 *   memory is not filled in after most errors
 */

/**
 * Plans a model, and checks everything that the header can tell.
 * @param {Instance} instance
 * @param {number} gguf
 * @param {Pick<HowToLoad, "slots" | "cacheType" | "sequences">} how
 * @param {(memory: Plan["memory"]) => void} [onPlan] called with the memory, also if the model does not fit
 * @returns {Plan["memory"]}
 */
export function planModel(instance, gguf, { slots, cacheType, sequences }, onPlan) {
  const { exports } = instance;
  let parameters = 0;
  for (let i = 0; i < exports.li_gguf_tensor_count(gguf); i++) parameters += exports.li_gguf_tensor_elements(gguf, i);
  const headerSize = exports.li_gguf_data_start(gguf) >>> 0;
  /** @type {import("./fit.js").PlanWith} */
  const planWith = (positions, type) => {
    const at = allocate(instance, layout.MODEL_MEMORY_SIZE);
    const status = exports.li_model_plan(gguf, positions, type, sequences, at);
    const memory = { ...readMemory(instance, at), parameters, headerSize };
    exports.li_memory_free(at);
    return { status, memory };
  };
  const { status, memory, isFitting } = planThatFits(slots, cacheType, planWith);
  const isTooLarge = status === layout.ERROR_GGUF_TOO_LARGE;
  if (isTooLarge || status >= 0) onPlan?.(memory);
  if (isTooLarge) checkModel(status, explainSize(memory, planWith));
  checkFile(instance, gguf, status);
  const { trainedLength } = memory;
  if (slots > trainedLength)
    throw rangeError("out-of-range", `contextLength must be from 1 to the model's ${trainedLength}, but is ${slots}.`);
  if (!isFitting) checkModel(layout.ERROR_OUT_OF_MEMORY, explainSize(memory, planWith));
  return memory;
}

/**
 * Creates a model without its weights, in its own instance. Allocates the memory for all weights, and makes sure that
 * the whole context fits, before any weight is read.
 * @param {Pieces} pieces from which the header is taken
 * @param {number} headerSize
 * @param {Plan["memory"]} memory
 * @param {HowToLoad} how
 */
async function createModel(pieces, headerSize, memory, how) {
  const { size, slots, cacheType, sequences, isShared, preTokenizer } = how;
  const instance = await instantiateModel(isShared, needOf(memory));
  const { exports, views } = instance;
  const gguf = allocated(exports.li_gguf_create());
  const room = Math.max(HEADER_ROOM, headerSize);
  const base = allocated(exports.li_gguf_reserve(gguf, room));
  for (let have = 0; have < headerSize;) {
    const piece = /** @type {Uint8Array} */ (await pieces.next(headerSize - have));
    views().bytes.set(piece, base + have);
    have += piece.length;
  }
  checkFile(instance, gguf, exports.li_gguf_parse(gguf, headerSize, size));
  const metadata = new Metadata(instance, gguf, base);
  const start = exports.li_gguf_data_start(gguf) >>> 0;
  const dataSize = exports.li_gguf_data_size(gguf);
  const tokenizer = readTokenizer(metadata, preTokenizer, memory.vocabSize);
  const name = metadata.string("general.name");
  const family = metadata.string("general.architecture") ?? "";
  const chatTemplate = metadata.string("tokenizer.chat_template");
  const sampling = readSampling(metadata);

  const status = allocate(instance, 4);
  const model = exports.li_model_create(gguf, slots, cacheType, sequences, status) >>> 0;
  // What the engine gave on trial is gone, and how much is left is not known.
  if (!model) checkModel(views().words[status / 4] | 0, `(${describeNeed(memory)}.)`);
  exports.li_memory_free(status);
  return {
    loaded: { instance, model, tokenizer, name, family, chatTemplate, sampling, size: start + dataSize },
    headerSize,
    start,
    gguf,
    base,
    room,
  };
}

/**
 * @typedef {object} Loaded
 * @property {Instance} instance
 * @property {number} model li_model
 * @property {Tokenizer} tokenizer
 * @property {string | null} name
 * @property {string} family
 * @property {string | null} chatTemplate
 * @property {import("./sampling-metadata.js").Sampling} sampling
 * @property {number} size bytes of the file
 */

/**
 * @typedef {object} HowToLoad
 * @property {number} size of the file where that is certain, else 0
 * @property {number} expected total for onProgress until the header is read
 * @property {string} [address] where the file came from
 * @property {number} slots KV positions, 0: chosen
 * @property {number} cacheType li_cache_type
 * @property {number} sequences
 * @property {boolean} isShared whether other threads may help, if memory can be shared
 * @property {string} [preTokenizer] instead of the file's
 * @property {(loaded: number, total: number) => void} onProgress
 */

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {HowToLoad} how
 * @returns {Promise<Loaded | Heads>}
 */
export async function readModel(reader, how) {
  const { expected, onProgress } = how;
  if (expected > FILE_LIMIT) throw new ModelError("gguf-too-large", `(It has ${grouped(expected)} bytes.)`);
  const pieces = new Pieces(reader);
  const opened = await openModel(pieces, how, (have) => onProgress(have, Math.max(have, expected)));
  if (opened instanceof Heads) return opened;
  const { loaded, headerSize, start, gguf, base, room } = opened;
  const { instance, model, size: total } = loaded;
  const { exports, views } = instance;
  let have = headerSize;
  onProgress(have, total);
  while (have < total) {
    const piece = await pieces.next(Math.min(room, have < start ? start - have : total - have));
    if (!piece) break;
    if (have >= start) {
      // Pieces are copied through the header's memory, which is free by now.
      views().bytes.set(piece, base);
      checkModel(exports.li_model_write(model, base, piece.length));
    }
    have += piece.length;
    onProgress(have, total);
  }
  exports.li_gguf_destroy(gguf);
  checkModel(exports.li_model_finish(model));
  return loaded;
}
