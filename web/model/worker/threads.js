// The threads of one model: its own thread and helpers that share its memory.
import { allocate } from "../../core/memory.js";
import { inTime } from "../../core/time-limit.js";
import { readConfig } from "./gguf.js";

/** @typedef {import("../../core/exports.js").ThreadsExports} ThreadsExports */

const STACK = 1 << 16; // bytes, as many as the Makefile gives the first thread
const AUTO_LIMIT = 16; // most threads to try
const AUTO_SIZE = 1 << 23; // bytes of the smallest model whose loops are worth a helper
const START_LIMIT = 5000; // ms that a model waits for its helpers to start
const TRIAL = 25; // ms, after which no other round of trials begins
const ROUNDS = 8; // of trials
const GAIN = 1.05; // a number of threads must be this much faster than a smaller one

/**
 * Whether a model may get helpers here. Its memory must then be shared from the start.
 * @param {number | "auto"} threads
 */
export function mayHelp(threads) {
  return (threads === "auto" ? countCores() : threads) > 1 && canShare();
}

/**
 * The helpers of a model. There are fewer if some cannot start or, with "auto", if fewer are as fast.
 * @param {import("./gguf.js").Loaded} loaded
 * @param {number | "auto"} threads
 * @param {typeof import("./start-helper.js").startHelper} startHelper
 * @returns {Promise<Helpers>}
 */
export async function startHelpers(loaded, threads, startHelper) {
  const { instance, size } = loaded;
  const { module, shared } = instance;
  /** @type {(() => void)[]} */
  const ends = [];
  const end = () => ends.forEach((end) => end());
  if (!shared) return { count: 0, end };
  const exports = /** @type {ThreadsExports} */ (instance.exports);
  const automatic = size < AUTO_SIZE ? 1 : Math.min(countCores(), AUTO_LIMIT);
  let count = 0;
  const starting = Array.from({ length: (threads === "auto" ? automatic : threads) - 1 }, async () => {
    const stack = allocate(instance, STACK) + STACK;
    const helper = startHelper({ module, memory: shared, stack });
    ends.push(helper.end);
    await helper.ready;
    count++;
  });
  // A helper that starts later still joins: terminating the helper could interrupt a piece of work.
  await inTime(Promise.allSettled(starting), START_LIMIT).catch(() => {});
  if (threads !== "auto" || !count) return { count, end };
  const fastest = findFastest(1 + count, timeProducts(loaded, exports), () => performance.now());
  exports.li_parallel_use(fastest, 1);
  return { count: fastest - 1, end };
}

/**
 * Times the products of one token in one layer. Each call takes another layer, so the weights are not in the CPU's
 * caches, as in a forward pass.
 * @param {import("./gguf.js").Loaded} loaded
 * @param {ThreadsExports} exports
 * @returns {(threads: number) => number} ms
 */
function timeProducts({ instance, model }, exports) {
  const { layers } = readConfig(instance, model);
  let turn = 0;
  const run = () => exports.li_layer_try_products(model, turn++ % layers);
  return (threads) => {
    exports.li_parallel_use(threads, 0);
    run(); // wakes the helpers
    const start = performance.now();
    run();
    return performance.now() - start;
  };
}

/**
 * The fastest number of threads among 1, 2, 4 … `most`, by the shortest time of each. Rounds over all numbers spread the
 * load of other programs evenly.
 * @param {number} most
 * @param {(threads: number) => number} time of a trial, ms
 * @param {() => number} now ms
 */
export function findFastest(most, time, now) {
  const counts = [];
  for (let count = 1; count < most; count *= 2) counts.push(count);
  counts.push(most);
  const shortest = counts.map(() => Infinity);
  const end = now() + TRIAL;
  for (let round = 0; round < ROUNDS && now() < end; round++)
    counts.forEach((count, i) => (shortest[i] = Math.min(shortest[i], time(count))));
  let best = 0;
  shortest.forEach((found, i) => {
    if (found * GAIN < shortest[best]) best = i;
  });
  return counts[best];
}

/**
 * @typedef {object} Helpers
 * @property {number} count
 * @property {() => void} end
 */

/** Whether there is shared memory and this thread may block. The thread of a page may not. */
function canShare() {
  if (typeof SharedArrayBuffer === "undefined" || globalThis.crossOriginIsolated === false) return false;
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
}

/** @returns {number} */
function countCores() {
  const os = globalThis.process?.getBuiltinModule?.("node:os");
  return os?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1;
}
