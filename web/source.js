// Where a model's bytes come from, as a stream.
import { LastInchError } from "./errors.js";
import { inTime } from "./stall.js";

/**
 * What crosses to the thread that reads: an address, a Blob, or nothing but a promise of pieces on request.
 * @typedef {{ url: string } | { blob: Blob } | { size: number }} Source
 */

/**
 * @typedef {object} Opened
 * @property {ReadableStream<Uint8Array>} stream
 * @property {number} size bytes where that is certain, else 0
 * @property {number} expected what a server said; after transparent decompression it need not be true
 */

/**
 * @typedef {object} HowToRead
 * @property {AbortSignal} signal
 * @property {number} stallTimeout ms without a byte, 0: for ever
 */

/**
 * Opens a source for `use`.
 * @template T
 * @param {{ url: string } | { blob: Blob }} source
 * @param {HowToRead} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function readSource(source, how, use) {
  if ("blob" in source) {
    const { blob } = source;
    return use({ stream: blob.stream(), size: blob.size, expected: blob.size });
  }
  const { url } = source;
  if (url.startsWith("file:") && globalThis.process?.getBuiltinModule !== undefined)
    return use(await openFile(new URL(url)));
  const { stream, headers } = await download(url, how);
  return use({ stream, size: 0, expected: Number(headers.get("content-length")) || 0 });
}

/**
 * @param {string} url
 * @param {HowToRead} how
 */
async function download(url, { signal, stallTimeout }) {
  const response = await ask(url, signal, stallTimeout).catch((cause) => {
    throw signal.aborted || cause instanceof LastInchError ? cause : downloadError(url, cause);
  });
  const { body, ok, status, headers } = response;
  if (ok && body) return { stream: body, headers };
  body?.cancel();
  throw new LastInchError("model-download", `(${url}: HTTP ${status})`);
}

/**
 * The response's body is its reader's to cancel.
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {number} limit
 */
async function ask(url, signal, limit) {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    return await inTime(fetch(url, { signal: controller.signal }), limit);
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * @param {string} url
 * @param {any} cause
 */
function downloadError(url, cause) {
  return new LastInchError("model-download", `(${url}: ${cause?.message ?? cause})`, { cause });
}

/** @param {URL} url */
async function openFile(url) {
  const { createReadStream } = process.getBuiltinModule("node:fs");
  const { stat } = process.getBuiltinModule("node:fs/promises");
  const { Readable } = process.getBuiltinModule("node:stream");
  const { size } = await stat(url).catch((cause) => {
    throw downloadError(url.href, cause);
  });
  const stream = /** @type {ReadableStream<Uint8Array>} */ (
    Readable.toWeb(createReadStream(url, { highWaterMark: 1 << 18 }))
  );
  return { stream, size, expected: size };
}
