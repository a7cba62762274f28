// What a GGUF file holds and whether it runs here, by its header.
import * as layout from "../../core/layouts.js";
import { allocate } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { foreignModel } from "./foreign-file.js";
import { Pieces, readHeader, readTokenizer } from "./gguf.js";
import { SEATS } from "./sequences.js";

/**
 * What an estimate says of a file.
 * @typedef {object} Estimate
 * @property {string | null} family general.architecture
 * @property {string | null} name general.name
 * @property {Record<string, { count: number, bytes: number }>} types the tensors by their type, such as "Q4_K"
 * @property {number} parameters numbers in all tensors
 * @property {number} bytes of the file
 * @property {number | null} contextLength positions that the model was trained with
 * @property {MemoryEstimate | null} memory null where the tensors are not those of a known family
 * @property {boolean} runs whether loadModel can run it here
 * @property {{ code: string, message: string }} [reason] why it does not run: the error that loadModel would throw
 */

/**
 * Bytes that a model takes.
 * @typedef {object} MemoryEstimate
 * @property {number} total
 * @property {number} weights
 * @property {number} cache keys and values of all positions
 * @property {number} scratch
 * @property {number} contextLength positions that this is for
 */

/** @typedef {import("./gguf.js").Header} Header */

/** Names by the numbers of GGML. */
const typeNames = [
  ..."F32 F16 Q4_0 Q4_1 - - Q5_0 Q5_1 Q8_0 Q8_1 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ2_XXS IQ2_XS IQ3_XXS IQ1_S".split(" "),
  ..."IQ4_NL IQ3_S IQ2_S IQ4_XS I8 I16 I32 I64 F64 IQ1_M BF16 - - - TQ1_0 TQ2_0 - - - MXFP4 NVFP4 Q1_0 Q2_0".split(" "),
];

/**
 * @param {import("./model-file.js").Opened} opened whose stream is cancelled after the header
 * @param {{ contextLength: number, stallTimeout: number, signal: AbortSignal }} how contextLength 0: as loadModel
 * @returns {Promise<Estimate>}
 */
export async function estimate({ stream, size, address }, { contextLength, stallTimeout, signal }) {
  const reader = stream.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    const header = await readHeader(new Pieces(reader, stallTimeout), size, address, false, () => {});
    return describe(header, contextLength);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/**
 * @param {Header} header
 * @param {number} slots
 * @returns {Estimate}
 */
function describe(header, slots) {
  const { instance, gguf, metadata } = header;
  const { exports } = instance;
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
  const bytes = (exports.li_gguf_data_start(gguf) >>> 0) + exports.li_gguf_data_size(gguf);
  const contextLength = metadata.number(`${family}.context_length`, 0) || null;
  const { memory, reason } = planMemory(header, slots);
  const facts = { family, name: metadata.string("general.name"), types, parameters, bytes, contextLength, memory };
  return reason
    ? { ...facts, runs: false, reason: { code: reason.code, message: reason.message } }
    : { ...facts, runs: true };
}

/**
 * @param {Header} header
 * @param {number} slots
 * @returns {{ memory: MemoryEstimate | null, reason?: Error & { code: string } }}
 */
function planMemory({ instance, gguf, metadata }, slots) {
  return { memory: null, reason: /** @type {any} */ (foreignModel(metadata)) };
}
