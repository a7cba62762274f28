// Waiting with a time limit.
import { ModelError } from "./model-errors.js";

/**
 * The result of the promise, or an error after `limit` milliseconds (0: no limit).
 * @template T
 * @param {Promise<T>} promise
 * @param {number} limit
 * @param {(seconds: string) => Error} [late] creates the error
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
    // Sleep or a busy thread lets only one tick pass, so neither counts as a stall.
    timer = setInterval(tick, limit / 4);
  });
  return Promise.race([promise, ending]).finally(() => clearInterval(timer));
}
