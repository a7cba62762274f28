// The options that loadModel and estimateModel share.
import { checkBoolean, checkWhole } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { checkSignal } from "../core/signal.js";

/**
 * @typedef {object} ReadOptions
 * @property {AbortSignal} [signal] stops reading; the promise is then rejected with the signal's reason
 * @property {boolean} [worker] false: run in the calling thread. true: in a Worker; if none starts within half a minute,
 *   loading fails with the code "worker-unavailable". Default: true on servers; in pages a Worker if one starts.
 * @property {number} [contextLength] longest text in positions, at most the trained length. Default: the trained
 *   length, at most 4,096, halved until the engine gives the memory; config.contextLength says which. Positions take
 *   memory when they are first used.
 * @property {"f32" | "f16" | "q8_0"} [cacheType] number format of keys and values: floats, halves, or bytes in blocks of 32
 *   with a shared scale, for heads whose widths are multiples of 32. Default: "f32" if the cache then takes at most 64 MiB,
 *   otherwise "f16".
 * @property {string} [preTokenizer] name of the pre-tokenizer, as in `tokenizer.ggml.pre`, for files that name the
 *   wrong one or none. Default: that of the file.
 * @property {number} [stallTimeout] after this many milliseconds without a byte a download connects again, and the next
 *   time fails; a stream of the page fails at once. 0: never. Default: 30,000.
 * @property {HeadersInit} [headers] headers of each request, such as a token in `Authorization`. If a server redirects
 *   to another origin, the browser removes `Authorization`, but no other header.
 * @property {typeof globalThis.fetch} [fetch] function to call instead of the browser's fetch. It is called with the
 *   address, in the calling thread: once for each load, and again if the worker is lost. No copy of the file is kept.
 */

export const readOptionNames = [
  "signal",
  "worker",
  "contextLength",
  "cacheType",
  "preTokenizer",
  "stallTimeout",
  "headers",
  "fetch",
];

/**
 * The options as they are posted to the thread of the models.
 * @param {ReadOptions} options
 */
export function howToRead({ contextLength = 0, cacheType, preTokenizer, stallTimeout = 30_000 }) {
  return { contextLength, cacheType: cacheType ?? /** @type {const} */ ("auto"), preTokenizer, stallTimeout };
}

/** @param {ReadOptions} options */
export function checkReadOptions(options) {
  const { signal, worker, contextLength, cacheType, preTokenizer, stallTimeout, fetch } = options;
  checkSignal(signal);
  checkBoolean("worker", worker);
  if (contextLength !== undefined) checkWhole("contextLength", contextLength, 1, 2 ** 20);
  if (cacheType !== undefined && !["f32", "f16", "q8_0"].includes(cacheType))
    throw typeError("bad-type", 'cacheType must be "f32", "f16" or "q8_0".');
  if (preTokenizer !== undefined && typeof preTokenizer !== "string")
    throw typeError("bad-type", "preTokenizer must be the name of a pre-tokenizer.");
  if (stallTimeout !== undefined) checkWhole("stallTimeout", stallTimeout, 0, 2 ** 31 - 1);
  if (fetch !== undefined && typeof fetch !== "function") throw typeError("bad-type", "fetch must be a function.");
}
