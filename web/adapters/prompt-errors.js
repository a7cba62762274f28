// Errors of the Prompt API: DOMExceptions by the names that its specification gives them.
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
 * The conversation is longer than the context, and there is nothing left to forget.
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

/** Names of DOMExceptions by the codes of our errors; other codes get the first argument of `fromError`. */
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
 * What the specification calls an error of ours; a caller's mistake stays the TypeError or RangeError that it is.
 * @param {string} usual the name of those that have none of their own
 * @param {unknown} error
 */
export function fromError(usual, error) {
  if (!(error instanceof LastInchError) || error.name !== "LastInchError") return error;
  if (wrongTypes.includes(error.code)) return Object.assign(new TypeError(error.message), { cause: error });
  return failure(names.get(error.code) ?? usual, error.message, error);
}
