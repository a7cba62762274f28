// Whether a model fits into the memory that there is, and what would fit if it does not.
import { cacheTypes } from "../../core/enum-names.js";
import { CACHE_PAGE } from "../../core/layouts.js";

/** @typedef {import("./gguf.js").Plan} Plan */
/** @typedef {Plan["memory"]} Memory */
/** @typedef {(slots: number, cacheType: number) => Plan} PlanWith plans the model with other positions or another type */

/** Files and the bits of their weights, the largest first: what llama.cpp's quantiser makes of a usual model. */
const mixes = Object.entries({ Q8_0: 8.5, Q6_K: 6.6, Q5_K_M: 5.7, Q4_K_M: 4.9, Q3_K_M: 3.9, Q2_K: 3 });

/** Models that are smaller than this are not tried: any engine has so much. */
const LEAST_TRIED = 1 << 26;

/** @param {number} count */
const grouped = (count) => count.toLocaleString("en");

/** @param {number} bytes */
const megabytes = (bytes) => `${grouped(Math.ceil(bytes / 1e6))} MB`;

/** Bytes that C plans. @param {Memory} memory */
export const totalOf = ({ weights, cache, scratch }) => weights + cache + scratch;

/** What samplers, masks and the rows of several texts take even if the vocabulary is small. */
const BESIDE = 1 << 22;
/** The same for each token, with the tokenizer: at most 100 bytes were measured. */
const BESIDE_TOKEN = 128;

/**
 * Bytes that a model takes with everything beside it. Blocks are rounded up by at most a part in 32. The header is there
 * twice: as bytes, and as the tokenizer's tokens.
 * @param {Memory} memory
 */
export const needOf = (memory) =>
  totalOf(memory) * (33 / 32) + 2 * memory.headerSize + BESIDE_TOKEN * memory.vocabSize + BESIDE;

/**
 * Whether the engine gives what a model needs.
 * @param {Memory} memory
 */
const fits = (memory) => canGrow(needOf(memory));

/**
 * Whether the engine gives WebAssembly this much memory. It is only reserved, and dropped at once.
 * @param {number} bytes
 */
function canGrow(bytes) {
  if (bytes < LEAST_TRIED) return true;
  try {
    new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
    return true;
  } catch {
    return false;
  }
}

/**
 * The plan of a model. Without a context length of the caller's, it is halved until the engine gives the memory.
 * @param {number} slots the caller's; 0: chosen
 * @param {number} cacheType
 * @param {PlanWith} planWith
 * @returns {Plan & { isFitting: boolean }} isFitting: whether the engine gives the memory
 */
export function planThatFits(slots, cacheType, planWith) {
  let plan = planWith(slots, cacheType);
  const isFitting = () => plan.status >= 0 && fits(plan.memory);
  while (!isFitting()) {
    if (slots || plan.status < 0 || plan.memory.contextLength <= CACHE_PAGE) return { ...plan, isFitting: false };
    // The type stays: for a short context "auto" would choose floats again.
    plan = planWith(Math.floor(plan.memory.contextLength / 2), typeOf(plan.memory));
  }
  return { ...plan, isFitting: true };
}

/** @param {Memory} memory */
export const typeOf = ({ cacheType }) => cacheTypes.indexOf(cacheType);

/**
 * The memory that a model needs, as a sentence.
 * @param {Memory} memory
 */
export function describeNeed(memory) {
  const { weights, cache, contextLength, cacheType } = memory;
  const need = needOf(memory);
  const positions = `${megabytes(cache)} for ${grouped(contextLength)} positions in ${cacheType}`;
  const beside = `${megabytes(need - weights - cache)} beside them`;
  return `It needs ${megabytes(need)}: ${megabytes(weights)} of weights, ${positions}, ${beside}`;
}

/**
 * The memory that a model needs, and what would fit, as sentences.
 * @param {Memory} memory of a plan that does not fit
 * @param {PlanWith} planWith
 */
export function explainSize(memory, planWith) {
  const given = givenOf(memory);
  const advice = adviceFor(memory, given, planWith);
  return `(${describeNeed(memory)}; a model can have ${megabytes(given)}. ${advice})`;
}

/**
 * Bytes that a model can have, to a part in 256.
 * @param {Memory} memory
 */
function givenOf(memory) {
  let [given, most] = [0, Math.min(memory.limit, needOf(memory))];
  if (canGrow(most)) return memory.limit;
  for (let step = 0; step < 8; step++) {
    const middle = (given + most) / 2;
    if (canGrow(middle)) given = middle;
    else most = middle;
  }
  return given;
}

/**
 * A shorter context, a smaller type of keys and values, or another quantisation.
 * @param {Memory} memory
 * @param {number} given bytes
 * @param {PlanWith} planWith
 */
function adviceFor(memory, given, planWith) {
  const { weights, contextLength, parameters } = memory;
  const present = typeOf(memory);
  const fitsWith = (/** @type {number} */ slots, /** @type {number} */ type) => {
    const plan = planWith(slots, type);
    return plan.status >= 0 && needOf(plan.memory) <= given;
  };
  // By bisection, because states and windows take the same memory for any context.
  let [blocks, most] = [0, Math.ceil(contextLength / 64)];
  while (most - blocks > 1) {
    const middle = (blocks + most) >> 1;
    if (fitsWith(64 * middle, present)) blocks = middle;
    else most = middle;
  }
  const context = blocks ? `a contextLength of ${grouped(64 * blocks)} fits` : "";
  const smaller = ["f16", "q8_0"].map((type) => cacheTypes.indexOf(type)).filter((type) => type > present);
  const fitting = smaller.find((type) => fitsWith(contextLength, type));
  const type = fitting === undefined ? "" : `cacheType "${cacheTypes[fitting]}" fits`;
  const either = [context, type].filter(Boolean).join(", and ");
  if (either) return `${either[0].toUpperCase()}${either.slice(1)}.`;
  const least = planWith(Math.min(contextLength, CACHE_PAGE), present).memory;
  const bits = (8 * (32 / 33) * (given - needOf({ ...least, weights: 0 }))) / parameters;
  const mix = mixes.find(([, one]) => one <= bits);
  if (!mix) return "No quantisation of it would fit.";
  const has = ((8 * weights) / parameters).toFixed(1);
  return `Its weights have ${has} bits each; with at most ${bits.toFixed(1)}, as in ${mix[0]}, it would fit.`;
}
