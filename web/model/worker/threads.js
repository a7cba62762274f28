// The threads of one model: its own thread and helpers that share its memory.
import { allocate } from "../../core/memory.js";
import { inTime } from "../../core/time-limit.js";

const STACK = 1 << 16; // bytes, as many as the Makefile gives the first thread
const AUTO_LIMIT = 4; // more than these wait for memory
const AUTO_SIZE = 1 << 23; // bytes of the smallest model whose loops are worth a helper
const START_LIMIT = 5000; // ms that a model waits for its helpers to start

/**
 * Whether a model may get helpers here. Its memory must then be shared from the start.
 * @param {number | "auto"} threads
 */
export function mayHelp(threads) {
  return (threads === "auto" ? countCores() : threads) > 1 && canShare();
}

/**
 * The helpers of a model. There are fewer where some cannot start.
 * @param {import("./gguf.js").Loaded} loaded
 * @param {number | "auto"} threads
 * @param {typeof import("./start-helper.js").startHelper} startHelper
 * @returns {Promise<Helpers>}
 */
export async function startHelpers({ instance: { exports, module, shared }, size }, threads, startHelper) {
  /** @type {(() => void)[]} */
  const ends = [];
  const end = () => ends.forEach((end) => end());
  if (!shared) return { count: 0, end };
  const automatic = size < AUTO_SIZE ? 1 : Math.min(countCores(), AUTO_LIMIT);
  let count = 0;
  const starting = Array.from({ length: (threads === "auto" ? automatic : threads) - 1 }, async () => {
    const stack = allocate({ exports }, STACK) + STACK;
    const helper = startHelper({ module, memory: shared, stack });
    ends.push(helper.end);
    await helper.ready;
    count++;
  });
  // A later helper joins whenever it starts: to terminate it could interrupt a piece of work.
  await inTime(Promise.allSettled(starting), START_LIMIT).catch(() => {});
  return { count, end };
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
