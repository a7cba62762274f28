// A request for a model's file.
import { LastInchError, typeError } from "../../core/errors.js";
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { noAnswer, refusal } from "./refusal.js";

/**
 * @typedef {object} HowToAsk
 * @property {AbortSignal} signal
 * @property {[string, string][]} [headers] in addition to the browser's
 * @property {typeof globalThis.fetch} [fetch] instead of the browser's
 */

/**
 * The caller must read or cancel the body of the response.
 * @param {string} url
 * @param {"GET" | "HEAD"} method
 * @param {HowToAsk} how
 * @param {number} limit ms until the headers come, 0: for ever
 * @returns {Promise<Response>}
 */
export async function ask(url, method, { signal, headers, fetch = globalThis.fetch }, limit) {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    return await inTime(fetch(url, { method, headers, signal: controller.signal }), limit);
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * @param {string} url
 * @param {HowToAsk} how
 * @param {number} limit ms until the headers come, 0: for ever
 */
export async function download(url, how, limit) {
  const response = await ask(url, "GET", how, limit).catch((cause) => {
    if (how.signal.aborted || cause instanceof LastInchError) throw cause;
    throw new ModelError("model-download", noAnswer(url, cause).detail, { cause });
  });
  if (!isResponse(response))
    throw typeError("bad-type", "Your fetch must return a Response, as the browser's fetch does.");
  return fileIn(response, url);
}

/**
 * The body and the headers of a response. An error, if the server refuses the file.
 * @param {Response} response
 * @param {string} url
 */
export function fileIn(response, url) {
  const { body, ok, headers } = response;
  if (ok && body) return { stream: body, headers };
  body?.cancel().catch(() => {});
  const { code, detail } = refusal(url, response);
  throw new ModelError(code, detail);
}

/** Whether it has the members of a Response that we read. @param {any} value */
const isResponse = (value) =>
  typeof value?.headers?.get === "function" && (!value.body || typeof value.body.getReader === "function");
