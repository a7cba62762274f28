// A wait that ends.
import { ModelError } from "./model-errors.js";

/**
 * The promise's result, unless nothing comes of it for `limit` milliseconds (0: however long it takes).
 * @template T
 * @param {Promise<T>} promise
 * @param {number} limit
 * @param {(seconds: string) => Error} [late] the error then
 * @returns {Promise<T>}
 */
export function inTime(promise, limit, late = (seconds) => new ModelError("model-stalled", `(${seconds})`)) {
  if (!limit) return promise;
  /** @type {ReturnType<typeof setInterval>} */
  let timer;
  /** @type {Promise<never>} */
  const ending = new Promise((_, reject) => {
    let quarters = 0;
    const tick = () => {
      if (++quarters === 4) reject(late(`${limit / 1000} s`));
    };
    // Time in which the computer slept or the thread was busy is no stall: it passes as one tick, not as four.
    timer = setInterval(tick, limit / 4);
  });
  return Promise.race([promise, ending]).finally(() => clearInterval(timer));
}
