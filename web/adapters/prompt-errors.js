// Errors of the Prompt API: DOMExceptions with the names from its specification.
import { LastInchError } from "../sampler.js";

/**
 * @param {string} name
 * @param {string} message
 * @param {unknown} [cause]
 */
export function failure(name, message, cause) {
  const error = new DOMException(message, name);
  return cause === undefined ? error : Object.defineProperty(error, "cause", { value: cause });
}

/**
 * The conversation is longer than the context, and no more can be forgotten.
 * @param {number} requested tokens
 * @param {number} quota tokens
 */
export function quotaExceeded(requested, quota) {
  const message = `The conversation has ${requested} tokens, but the model's context has ${quota}.`;
  const { QuotaExceededError } = /** @type {any} */ (globalThis);
  // Older browsers have a DOMException of this name, without the two numbers.
  if (QuotaExceededError) return new QuotaExceededError(message, { requested, quota });
  return Object.defineProperties(failure("QuotaExceededError", message), {
    requested: { value: requested },
    quota: { value: quota },
  });
}

/** Names of DOMExceptions by our codes; for other codes `fromError` has a default. */
const names = new Map(
  Object.entries({
    "model-download": "NetworkError",
    "model-stalled": "NetworkError",
    "file-gated": "NetworkError",
    "file-throttled": "NetworkError",
    "no-webassembly": "NotSupportedError",
    "no-simd": "NotSupportedError",
    disposed: "InvalidStateError",
    "grammar-unsupported": "NotSupportedError",
    "grammar-fuel": "NotSupportedError",
    "grammar-empty": "SyntaxError",
  }),
);

/** Invalid constraints. */
const wrongTypes = ["grammar-schema", "grammar-reference", "grammar-syntax"];

/**
 * Turns one of our errors into the specification's. A caller's mistake stays a TypeError or RangeError.
 * @param {string} usual the default name
 * @param {unknown} error
 */
export function fromError(usual, error) {
  if (!(error instanceof LastInchError) || error.name !== "LastInchError") return error;
  if (wrongTypes.includes(error.code)) return Object.assign(new TypeError(error.message), { cause: error });
  return failure(names.get(error.code) ?? usual, error.message, error);
}
