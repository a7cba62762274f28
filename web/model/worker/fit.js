// Whether a model fits into the memory that there is, and what would fit if it does not.
import { CACHE_PAGE, cacheTypes } from "../../core/layouts.js";

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

/** @param {Memory} memory */
export const totalOf = ({ weights, cache, scratch }) => weights + cache + scratch;

/**
 * Whether the engine gives WebAssembly this much memory. It is only reserved, and dropped at once.
 * @param {number} bytes
 */
export function canGrow(bytes) {
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
 * @returns {Plan}
 */
export function planThatFits(slots, cacheType, planWith) {
  let plan = planWith(slots, cacheType);
  while (!slots && plan.status >= 0 && plan.memory.contextLength > CACHE_PAGE && !canGrow(totalOf(plan.memory)))
    plan = planWith(Math.floor(plan.memory.contextLength / 2), cacheType);
  return plan;
}

/**
 * The memory that a model needs, and what would fit, as sentences.
 * @param {Memory} memory
 * @param {PlanWith} planWith
 */
export function explainSize(memory, planWith) {
  const { weights, cache, contextLength, cacheType } = memory;
  const parts = `${megabytes(weights)} of weights, ${megabytes(cache)} for ${grouped(contextLength)} positions in ${cacheType}`;
  const given = givenOf(memory);
  const advice = adviceFor(memory, given, planWith);
  return `(It needs ${megabytes(totalOf(memory))}: ${parts}; a model can have ${megabytes(given)}. ${advice})`;
}

/**
 * Bytes that a model can have, to a part in 256.
 * @param {Memory} memory
 */
function givenOf(memory) {
  let [given, most] = [0, Math.min(memory.limit, totalOf(memory))];
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
function adviceFor({ weights, cache, scratch, contextLength, cacheType, parameters }, given, planWith) {
  // Rounded down: scratch depends on the context too.
  const room = 0.98 * given;
  const fitting = 64 * Math.floor((room - weights - scratch) / (cache / contextLength) / 64);
  const smaller = /** @type {const} */ (["f16", "q8_0"]).filter((type) => {
    const index = cacheTypes.indexOf(type);
    if (index <= cacheTypes.indexOf(cacheType)) return false;
    const plan = planWith(contextLength, index);
    return plan.status >= 0 && totalOf(plan.memory) <= room;
  });
  const type = smaller.length ? `cacheType "${smaller[0]}" fits` : "";
  const context = fitting >= 64 && fitting < contextLength ? `a contextLength of ${grouped(fitting)} fits` : "";
  const either = [context, type].filter(Boolean).join(", and ");
  if (either) return `${either[0].toUpperCase()}${either.slice(1)}.`;
  const least = cache * Math.min(1, CACHE_PAGE / contextLength);
  const bits = Math.max(0, (8 * (room - scratch - least)) / parameters);
  const mix = mixes.find(([, one]) => one <= bits);
  if (!mix) return "No quantisation of it would fit.";
  const present = ((8 * weights) / parameters).toFixed(1);
  return `Its weights have ${present} bits each; with at most ${bits.toFixed(1)}, as in ${mix[0]}, it would fit.`;
}
