// Explains why C refuses a file, with the names and numbers of its li_fault and li_model_memory.
import { cacheTypes } from "../../core/enum-names.js";
import * as layout from "../../core/layouts.js";
import { checkModel } from "../../core/model-errors.js";

/** @typedef {import("../../core/wasm.js").ModelInstance} Instance */

/** Names by the numbers of GGML. */
export const typeNames = [
  ..."F32 F16 Q4_0 Q4_1 - - Q5_0 Q5_1 Q8_0 Q8_1 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ2_XXS IQ2_XS IQ3_XXS IQ1_S".split(" "),
  ..."IQ4_NL IQ3_S IQ2_S IQ4_XS I8 I16 I32 I64 F64 IQ1_M BF16 - - - TQ1_0 TQ2_0 - - - MXFP4 NVFP4 Q1_0 Q2_0".split(" "),
];

const ELSEWHERE = 'It may run in transformers.js, with "lastinch/transformers".';

/** @param {number} count */
export const grouped = (count) => count.toLocaleString("en");

/**
 * What the last call refused, as a sentence; "" if nothing.
 * @param {Instance} instance
 * @param {number} gguf
 */
function describeFault({ exports, views }, gguf) {
  const { words, doubles, bytes } = views();
  const at = exports.li_gguf_fault(gguf) >>> 0;
  const word = (/** @type {number} */ place) => words[at / 4 + place];
  const number = (/** @type {number} */ place) => grouped(doubles[at / 8 + place]);
  const begin = word(layout.FAULT_NAME);
  const name = `"${new TextDecoder().decode(bytes.slice(begin, begin + word(layout.FAULT_NAME_LENGTH)))}"`;
  const found = number(layout.FAULT_FOUND);
  const shape = `${found} x ${number(layout.FAULT_FOUND_ROWS)}`;
  switch (word(layout.FAULT_KIND)) {
    case layout.FAULT_ARCHITECTURE:
      return `Its family ${name} is not supported. ${ELSEWHERE}`;
    case layout.FAULT_KEY_FOREIGN:
      return `Its key ${name} needs arithmetic that is not supported. ${ELSEWHERE}`;
    case layout.FAULT_KEY_MISSING:
      return `It has no key ${name}.`;
    case layout.FAULT_KEY_VALUE:
      return `The value of its key ${name} has the wrong type, is out of range, or does not fit the other keys.`;
    case layout.FAULT_KEY_LENGTH:
      return `Its array ${name} has ${found} elements, not ${number(layout.FAULT_EXPECTED)}.`;
    case layout.FAULT_TENSOR_FOREIGN:
      return `Its tensor ${name} does not belong in a model of this family. ${ELSEWHERE}`;
    case layout.FAULT_TENSOR_MISSING:
      return `It has no tensor ${name}.`;
    case layout.FAULT_TENSOR_TYPE: {
      const type = doubles[at / 8 + layout.FAULT_FOUND];
      return `Its tensor ${name} has the type ${typeNames[type]?.replace("-", "") || type}.`;
    }
    case layout.FAULT_TENSOR_SHAPE:
      return `Its tensor ${name} has the shape ${shape}${expectedShape(number)}.`;
    default:
      return "";
  }
}

/** @param {(place: number) => string} number */
function expectedShape(number) {
  const columns = number(layout.FAULT_EXPECTED);
  return columns === "0" ? "" : `, not ${columns} x ${number(layout.FAULT_EXPECTED_ROWS)}`;
}

/**
 * A li_model_memory.
 * @param {Instance} instance
 * @param {number} at
 */
export function readMemory({ views }, at) {
  const { words, doubles } = views();
  const word = (/** @type {number} */ place) => words[at / 4 + place];
  const double = (/** @type {number} */ place) => doubles[at / 8 + place];
  return {
    weights: double(layout.MODEL_MEMORY_WEIGHTS),
    cache: double(layout.MODEL_MEMORY_CACHE),
    scratch: double(layout.MODEL_MEMORY_SCRATCH),
    limit: double(layout.MODEL_MEMORY_LIMIT),
    contextLength: word(layout.MODEL_MEMORY_CONTEXT_LENGTH),
    trainedLength: word(layout.MODEL_MEMORY_TRAINED_LENGTH),
    cacheType: /** @type {import("./gguf.js").CacheType} */ (cacheTypes[word(layout.MODEL_MEMORY_CACHE_TYPE)]),
    vocabSize: word(layout.MODEL_MEMORY_VOCAB_SIZE),
  };
}

/**
 * Like checkModel, with what C said about the file.
 * @param {Instance} instance
 * @param {number} gguf
 * @param {number} status
 */
export function checkFile(instance, gguf, status) {
  return checkModel(status, status < 0 ? describeFault(instance, gguf) : "");
}
