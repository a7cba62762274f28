// A decoder with a KV cache in an onnxruntime session, as Optimum and its successors export it. The session describes its
// inputs. On a GPU keys, values and logits stay there.
import { typeError } from "../engine.js";
import { DeviceTensors, isCopyable } from "./device-tensors.js";

/** @typedef {import("./device-tensors.js").Logits} Logits */
/** @typedef {import("./device-tensors.js").DeviceRow} DeviceRow */
/** @typedef {Logits | DeviceRow} Row a row of logits, here or on a GPU */

/**
 * The part of onnxruntime that we use, from any of its packages.
 * @typedef {object} OnnxTensor
 * @property {string} type
 * @property {readonly number[]} dims
 * @property {string} location
 * @property {any} data
 * @property {any} [gpuBuffer]
 * @property {(release?: boolean) => Promise<any>} getData
 * @property {() => void} dispose
 */

/** @typedef {{ name: string, isTensor: boolean, type?: string, shape?: readonly (number | string)[] }} ValueMetadata */

/**
 * What this needs of an InferenceSession of onnxruntime-web.
 * @typedef {object} OnnxSession
 * @property {(feeds: any, fetches: any) => Promise<any>} run
 * @property {readonly any[]} inputMetadata
 * @property {readonly any[]} outputMetadata
 */

/** @typedef {new (type: any, data: any, dims: readonly number[]) => any} TensorClass the Tensor of the page's onnxruntime */

/**
 * Keys and values of some texts of one length.
 * @typedef {object} Cache
 * @property {number} rows
 * @property {number} length
 * @property {Map<string, OnnxTensor>} tensors by the names of inputs
 * @property {OnnxTensor} [logits] of the last pass, if they are on a GPU: valid until the next pass, or select
 */

/** @typedef {{ name: string, output: string, type: string, shape: readonly (number | string)[], axis: number }} CacheInput */

const PAST = "past_key_values.";
const PRESENT = "present.";
const LAST = "num_logits_to_keep";

/** A session without that input makes logits of all tokens: those of long prompts are made in pieces of at most so many bytes. */
const LOGITS_BYTES = 2 ** 27;

export class SessionModel {
  #session;
  #Tensor;
  /** With a GPU. @type {DeviceTensors | undefined} */
  #device;
  /** @type {Map<string, ValueMetadata>} but the cache */
  #inputs = new Map();
  /** @type {CacheInput[]} */
  #cacheInputs = [];
  #logitsType = "float32";
  /** Sessions run one pass at a time. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** Length of a row of logits, if the session says it. @type {number | undefined} */
  vocabSize;
  /** Whether several texts can run side by side. */
  hasBatches = true;

  /**
   * @param {OnnxSession} session
   * @param {TensorClass} Tensor
   * @param {{ vocabSize?: number, device?: import("../index.js").Device, wake?: boolean }} [how] the device on which the session runs
   */
  constructor(session, Tensor, { vocabSize, device, wake } = {}) {
    if (!Array.isArray(session?.inputMetadata) || typeof session.run !== "function")
      throw typeError("bad-type", "The session must be an InferenceSession of onnxruntime 1.22 or newer.");
    if (typeof Tensor !== "function") throw typeError("bad-type", "Tensor must be onnxruntime's class Tensor.");
    this.#session = session;
    this.#Tensor = Tensor;
    const outputs = new Map(session.outputMetadata.map((value) => [value.name, value]));
    for (const input of session.inputMetadata)
      if (input.name.startsWith(PAST)) this.#cacheInputs.push(readCacheInput(input, outputs));
      else this.#inputs.set(input.name, input);
    const known = ["input_ids", "attention_mask", "position_ids", LAST];
    const unknown = [...this.#inputs.keys()].filter((name) => !known.includes(name));
    if (unknown.length)
      throw typeError("bad-type", `It is not known what to feed the session's inputs ${unknown.join(", ")}.`);
    for (const [name, isThere] of /** @type {const} */ ([
      ["an input input_ids", this.#inputs.has("input_ids")],
      [`inputs ${PAST}… for a cache`, this.#cacheInputs.length],
      ["an output logits", outputs.has("logits")],
    ]))
      if (!isThere) throw typeError("bad-type", `The session has no ${name}: export the model with its cache.`);
    const { type, shape } = outputs.get("logits");
    if (type !== "float32" && type !== "float16")
      throw typeError("bad-type", `The session's logits are ${type}, but must be float32 or float16.`);
    const size = shape[shape.length - 1];
    this.vocabSize = typeof size === "number" ? size : vocabSize;
    if (device && !this.#cacheInputs.every(({ type, shape, axis }) => isCopyable(type, shape.map(Number), axis)))
      throw typeError(
        "conflict",
        "WebGPU cannot move single halves, which is how the session's keys lie: give no device.",
      );
    if (device)
      this.#device = new DeviceTensors(device, this.#tensor("int64", new BigInt64Array(), [0]).constructor, wake);
    this.#logitsType = type;
    this.hasBatches = [...this.#cacheInputs, ...this.#inputs.values()].every(
      ({ shape = [] }) => typeof shape[0] !== "number",
    );
  }

  /** @returns {Cache} an empty cache for one text */
  emptyCache() {
    const tensors = this.#cacheInputs.map(({ name, type, shape, axis }) => {
      const dims = shape.map((size, i) => (i === axis ? 0 : typeof size === "number" ? size : 1));
      const data = type === "float16" ? new Uint16Array() : new Float32Array();
      return /** @type {const} */ ([name, this.#tensor(type, data, dims)]);
    });
    return { rows: 1, length: 0, tensors: new Map(tensors) };
  }

  /**
   * Runs tokens after the texts of a cache. Do not use the old cache again.
   * @param {Cache} cache
   * @param {readonly (readonly number[])[]} texts the same number of tokens for each
   * @param {number} wanted rows of logits at the end of each
   * @returns {Promise<{ rows: Row[][], cache: Cache }>} rows of each text
   */
  async run(cache, texts, wanted) {
    const most = this.#mostAtOnce(texts.length, wanted);
    let rest = texts;
    while (rest[0].length > most) {
      const count = Math.min(most, rest[0].length - wanted);
      const passed = await this.#pass(
        cache,
        rest.map((text) => text.slice(0, count)),
        1,
      );
      Object.assign(cache, passed.cache); // the caller drops this one if a later pass fails
      rest = rest.map((text) => text.slice(count));
    }
    return this.#pass(cache, rest, wanted);
  }

  /** How many tokens of each text run in one pass. @param {number} rows @param {number} wanted */
  #mostAtOnce(rows, wanted) {
    if (this.#inputs.has(LAST)) return Infinity;
    const { maxStorageBufferBindingSize = Infinity } = this.#device?.device.limits ?? {};
    const bytes = (this.#logitsType === "float16" ? 2 : 4) * Number(this.vocabSize) * rows;
    return Math.max(wanted, Math.floor(Math.min(LOGITS_BYTES, maxStorageBufferBindingSize) / bytes));
  }

  /**
   * @param {Cache} cache
   * @param {readonly (readonly number[])[]} texts
   * @param {number} wanted
   * @returns {Promise<{ rows: Row[][], cache: Cache }>}
   */
  async #pass(cache, texts, wanted) {
    cache.logits?.dispose();
    cache.logits = undefined;
    const count = texts[0].length;
    const length = cache.length + count;
    /** @type {Record<string, OnnxTensor>} */
    const feeds = {
      input_ids: this.#whole("input_ids", texts.flat(), [texts.length, count]),
      ...Object.fromEntries(cache.tensors),
    };
    if (this.#inputs.has("attention_mask"))
      feeds.attention_mask = this.#whole("attention_mask", new Array(texts.length * length).fill(1), [
        texts.length,
        length,
      ]);
    if (this.#inputs.has("position_ids")) {
      const places = texts.flatMap(() => Array.from({ length: count }, (_, i) => cache.length + i));
      feeds.position_ids = this.#whole("position_ids", places, [texts.length, count]);
    }
    const hasLast = this.#inputs.has(LAST);
    if (hasLast) feeds[LAST] = this.#whole(LAST, [wanted], []);
    const given = hasLast ? wanted : count;
    const results = await this.#inTurn(() => this.#results(feeds, texts.length, length, given));
    for (const tensor of Object.values(feeds)) tensor.dispose();
    const { logits } = results;
    const size = logits.dims[2];
    const type = /** @type {"float32" | "float16"} */ (this.#logitsType);
    const data = this.#device
      ? undefined
      : asLogits(logits.location === "cpu" ? logits.data : await logits.getData(true));
    const rows = texts.map((_, text) =>
      Array.from({ length: wanted }, (_, i) => {
        const start = (text * logits.dims[1] + logits.dims[1] - wanted + i) * size;
        if (data) return data.subarray(start, start + size);
        return { buffer: logits.gpuBuffer, offset: (type === "float16" ? 2 : 4) * start, type, size };
      }),
    );
    const tensors = new Map(this.#cacheInputs.map(({ name, output }) => [name, results[output]]));
    return { rows, cache: { rows: texts.length, length, tensors, ...(!data && { logits }) } };
  }

  /**
   * @param {Record<string, OnnxTensor>} feeds
   * @param {number} rows
   * @param {number} length of the texts after the pass
   * @param {number} given rows of logits of each text
   * @returns {Promise<Record<string, OnnxTensor>>}
   */
  async #results(feeds, rows, length, given) {
    const device = this.#device;
    const names = ["logits", ...this.#cacheInputs.map(({ output }) => output)];
    if (!device) {
      const results = await this.#session.run(feeds, names);
      if (this.#cacheInputs.some(({ output }) => results[output].location === "gpu-buffer"))
        throw typeError(
          "conflict",
          "The session runs on a GPU. Give openSession its device: openSession(session, { Tensor, device: await env.webgpu.device }), with env of onnxruntime-web.",
        );
      return results;
    }
    // The logits of a whole prompt are large, and wanted once.
    const logits = { type: this.#logitsType, dims: [rows, given, Number(this.vocabSize)], isOnce: given > 1 };
    const kept = this.#cacheInputs.map(({ type, shape, axis }) => ({
      type,
      dims: shape.map((size, i) => (i === 0 ? rows : i === axis ? length : Number(size))),
    }));
    const made = await device.make([logits, ...kept]);
    const outputs = Object.fromEntries(names.map((name, i) => [name, made[i]]));
    try {
      const results = await this.#session.run(feeds, outputs);
      device.endPass();
      return results;
    } catch (cause) {
      for (const tensor of Object.values(outputs)) tensor.dispose();
      throw await device.explain(cause);
    }
  }

  /**
   * Returns a cache with the texts of `rows`, in that order, each cut to a length. Do not use the old cache again.
   * @param {Cache} cache
   * @param {readonly number[]} rows
   * @param {number} [length]
   * @returns {Promise<Cache>}
   */
  async select(cache, rows, length = cache.length) {
    cache.logits?.dispose();
    cache.logits = undefined;
    const isSame = rows.length === cache.rows && rows.every((row, i) => row === i);
    if (isSame && length === cache.length) return cache;
    const all = this.#cacheInputs.map(({ name, axis }) => {
      return { name, axis, tensor: /** @type {OnnxTensor} */ (cache.tensors.get(name)) };
    });
    const selected = this.#device
      ? await this.#device.select(all, rows, length)
      : await Promise.all(all.map(({ tensor, axis }) => this.#selectHere(tensor, rows, axis, length)));
    const tensors = new Map(all.map(({ name }, i) => [name, selected[i]]));
    return { rows: rows.length, length, tensors };
  }

  /**
   * @param {OnnxTensor} tensor
   * @param {readonly number[]} rows
   * @param {number} axis
   * @param {number} length
   */
  async #selectHere(tensor, rows, axis, length) {
    const data = tensor.location === "cpu" ? tensor.data : await tensor.getData(true);
    const { type, dims } = tensor;
    const outer = dims.slice(1, axis).reduce((a, b) => a * b, 1);
    const inner = dims.slice(axis + 1).reduce((a, b) => a * b, 1);
    const selected = new data.constructor(rows.length * outer * length * inner);
    let at = 0;
    for (const row of rows)
      for (let i = row * outer; i < (row + 1) * outer; i++, at += length * inner)
        selected.set(data.subarray(i * dims[axis] * inner, (i * dims[axis] + length) * inner), at);
    const others = dims.map((size, i) => (i === 0 ? rows.length : i === axis ? length : size));
    return this.#tensor(type, selected, others);
  }

  /** @param {Cache} cache */
  drop(cache) {
    cache.logits?.dispose();
    for (const tensor of cache.tensors.values()) tensor.dispose();
    this.#device?.end();
  }

  /**
   * The token that a sampler chooses from a row of the last pass.
   * @param {import("../index.js").GpuSampler} sampler
   * @param {Row} row
   * @returns {number | Promise<number>}
   */
  choose(sampler, row) {
    return isHere(row) ? sampler.sample(row) : /** @type {DeviceTensors} */ (this.#device).choose(sampler, row);
  }

  /**
   * Rows of the last pass as arrays, read in one round trip.
   * @param {readonly Row[]} rows
   * @returns {Promise<Logits[]>}
   */
  async read(rows) {
    const far = /** @type {DeviceRow[]} */ (rows);
    return this.#device ? this.#device.read(far) : /** @type {Logits[]} */ (rows);
  }

  /** Whether rows lie on a GPU. */
  get isFar() {
    return !!this.#device;
  }

  /**
   * @param {string} type
   * @param {any} data
   * @param {readonly number[]} dims
   * @returns {OnnxTensor}
   */
  #tensor(type, data, dims) {
    const tensor = new this.#Tensor(type, data, [...dims]);
    // A tensor of transformers.js contains one of onnxruntime.
    return tensor.ort_tensor ?? tensor;
  }

  /**
   * @param {string} name of an input, which sets the type of the numbers
   * @param {number[]} values
   * @param {number[]} dims
   */
  #whole(name, values, dims) {
    const type = this.#inputs.get(name)?.type ?? "int64";
    return this.#tensor(type, type === "int64" ? BigInt64Array.from(values, BigInt) : Int32Array.from(values), dims);
  }

  /**
   * @template Result
   * @param {() => Promise<Result>} use
   * @returns {Promise<Result>}
   */
  #inTurn(use) {
    const result = this.#turn.then(use);
    this.#turn = result.catch(() => {});
    return result;
  }
}

/** @param {Row} row @returns {row is Logits} */
const isHere = (row) => ArrayBuffer.isView(row);

/**
 * @param {ValueMetadata} input
 * @param {Map<string, ValueMetadata>} outputs
 * @returns {CacheInput}
 */
function readCacheInput({ name, type = "", shape = [] }, outputs) {
  const output = PRESENT + name.slice(PAST.length);
  if (!outputs.has(output)) throw typeError("bad-type", `The session has an input ${name}, but no output ${output}.`);
  if (type !== "float32" && type !== "float16")
    throw typeError("bad-type", `The session's ${name} is ${type}, but must be float32 or float16.`);
  // Only the number of texts and their length vary.
  const varying = shape.map((size, i) => (i && typeof size !== "number" ? i : 0)).filter(Boolean);
  if (varying.length !== 1)
    throw typeError("bad-type", `The session's ${name} has the shape ${shape.join(" × ")}: the length is unknown.`);
  return { name, output, type, shape, axis: varying[0] };
}

/**
 * float16 as bits, although some engines have an array for it.
 * @param {any} data
 * @returns {Logits}
 */
function asLogits(data) {
  if (data instanceof Float32Array || data instanceof Uint16Array) return data;
  return new Uint16Array(data.buffer, data.byteOffset, data.length);
}
