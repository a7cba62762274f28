// A request for a model's file.
import { LastInchError } from "../../core/errors.js";
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";

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

/** What says more of a failure; null without a connection. */
const loadExplanations = () => import("./refusal.js").catch(() => null);

/**
 * @param {string} url
 * @param {HowToAsk} how
 * @param {number} limit ms until the headers come, 0: for ever
 */
export async function download(url, how, limit) {
  const response = await ask(url, "GET", how, limit).catch(async (cause) => {
    if (how.signal.aborted || cause instanceof LastInchError) throw cause;
    const explanation = (await loadExplanations())?.noAnswer(url, cause);
    throw new ModelError("model-download", explanation?.detail ?? `(${cause?.message ?? cause})`, { cause });
  });
  const { body, ok, headers } = response;
  if (ok && body) return { stream: body, headers };
  body?.cancel().catch(() => {});
  const explanation = (await loadExplanations())?.refusal(url, response);
  throw new ModelError(explanation?.code ?? "model-download", explanation?.detail ?? `(HTTP ${response.status})`);
}
