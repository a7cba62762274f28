// Abort signals.
import { typeError } from "./errors.js";

/** Throws "bad-type" unless the value is an AbortSignal or undefined. @param {unknown} signal */
export function checkSignal(signal) {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw typeError("bad-type", "signal must be an AbortSignal.");
}

/**
 * The result of the promise. If the signal is aborted earlier, its reason is thrown.
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export function unlessAborted(signal, promise) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
  });
}
