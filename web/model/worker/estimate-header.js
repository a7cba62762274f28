// Reads from a GGUF header what the file holds and whether the model runs here.
import { cacheTypes } from "../../core/enum-names.js";
import { ModelError } from "../../core/model-errors.js";
import { typeNames } from "./faults.js";
import { totalOf } from "./fit.js";
import { Pieces, explainModel, isTrap, planModel, readTokenizer, withHeader } from "./gguf.js";
import { headsKind } from "./heads.js";
import { SEATS } from "./sequences.js";

/**
 * The result of estimateModel.
 * @typedef {object} Estimate
 * @property {string | null} family general.architecture
 * @property {string | null} name general.name
 * @property {Record<string, { count: number, bytes: number }>} types the tensors by their type, such as "Q4_K"
 * @property {number} parameters numbers in all tensors
 * @property {number} bytes of the file
 * @property {number | null} contextLength positions that the model was trained with
 * @property {MemoryEstimate | null} memory null: the tensors do not belong to a known family
 * @property {boolean} runs whether loadModel can run it here
 * @property {{ code: string, message: string }} [reason] why it does not run: the error that loadModel would throw
 */

/**
 * Bytes of a model in memory.
 * @typedef {object} MemoryEstimate
 * @property {number} total
 * @property {number} weights
 * @property {number} cache keys, values and states
 * @property {number} scratch
 * @property {number} contextLength number of positions in this estimate
 * @property {CacheType} cacheType number format of keys and values
 */

/** @typedef {import("./gguf.js").Header} Header */
/** @typedef {import("./gguf.js").CacheType} CacheType */

/**
 * @typedef {object} HowToEstimate
 * @property {number} contextLength 0: as loadModel
 * @property {CacheType | "auto"} cacheType
 * @property {string} [preTokenizer] instead of the file's
 * @property {AbortSignal} signal
 */

/**
 * @param {import("./model-file.js").Opened} opened whose stream is cancelled after the header
 * @param {HowToEstimate} how
 * @returns {Promise<Estimate>}
 */
export function estimate(opened, how) {
  return withHeaderOf(opened, how.signal, (header) => describe(header, how));
}

/**
 * Reads the header of a file, and no more.
 * @template T
 * @param {import("./model-file.js").Opened} opened whose stream is cancelled after the header
 * @param {AbortSignal} signal
 * @param {(header: Header) => T | Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withHeaderOf({ stream, size, address }, signal, use) {
  const reader = stream.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    const pieces = new Pieces(reader);
    const file = { size, address, isShared: false };
    return await withHeader(pieces, file, () => {}, use);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/**
 * @param {Header} header
 * @param {HowToEstimate} how
 * @returns {Promise<Estimate>}
 */
async function describe(header, how) {
  const { exports } = header.instance;
  const { gguf, metadata } = header;
  /** @type {Estimate["types"]} */
  const types = {};
  let parameters = 0;
  for (let i = 0; i < exports.li_gguf_tensor_count(gguf); i++) {
    const type = (types[typeNames[exports.li_gguf_tensor_type(gguf, i)]] ??= { count: 0, bytes: 0 });
    type.count++;
    type.bytes += exports.li_gguf_tensor_size(gguf, i);
    parameters += exports.li_gguf_tensor_elements(gguf, i);
  }
  const family = metadata.string("general.architecture");
  const contextLength = metadata.number(`${family}.context_length`, 0) || null;
  const bytes = (exports.li_gguf_data_start(gguf) >>> 0) + exports.li_gguf_data_size(gguf);
  const facts = { family, name: metadata.string("general.name"), types, parameters, bytes, contextLength };
  return { ...facts, ...(await judge(header, how)) };
}

/**
 * Runs the checks that loadModel makes before it takes memory.
 * @param {Header} header
 * @param {HowToEstimate} how
 * @returns {Promise<Pick<Estimate, "memory" | "runs" | "reason">>}
 */
async function judge({ instance, gguf, metadata }, { contextLength, cacheType, preTokenizer }) {
  /** @type {MemoryEstimate | null} */
  let memory = null;
  try {
    if (headsKind(metadata.string("general.architecture"))) throw new ModelError("model-heads");
    const how = { slots: contextLength, cacheType: cacheTypes.indexOf(cacheType), sequences: SEATS };
    const plan = planModel(instance, gguf, how, (planned) => (memory = memoryOf(planned)));
    readTokenizer(metadata, preTokenizer, plan.vocabSize).dispose();
    return { memory, runs: true };
  } catch (error) {
    if (isTrap(error) || error instanceof RangeError || error instanceof TypeError) throw error; // or the caller's mistake
    const { code, message } = await explainModel(error, metadata);
    return { memory, runs: false, reason: { code, message } };
  }
}

/**
 * @param {import("./gguf.js").Plan["memory"]} memory
 * @returns {MemoryEstimate}
 */
function memoryOf(memory) {
  const { weights, cache, scratch, contextLength, cacheType } = memory;
  return { total: totalOf(memory), weights, cache, scratch, contextLength, cacheType };
}
