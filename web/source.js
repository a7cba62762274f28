// Where a model's bytes come from, as a stream.
import { LastInchError } from "./errors.js";
import { ModelError } from "./model-errors.js";

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
 * @param {{ url: string } | { blob: Blob }} source
 * @param {AbortSignal} signal
 * @returns {Promise<Opened>}
 */
export async function openSource(source, signal) {
  if ("blob" in source) return { stream: source.blob.stream(), size: source.blob.size, expected: source.blob.size };
  const { url } = source;
  try {
    const isFile = url.startsWith("file:") && globalThis.process?.getBuiltinModule !== undefined;
    return isFile ? await openFile(new URL(url)) : await openUrl(url, signal);
  } catch (error) {
    if (signal.aborted || error instanceof LastInchError) throw error;
    throw downloadError(url, error);
  }
}

/**
 * @param {string} url
 * @param {unknown} cause
 */
export function downloadError(url, cause) {
  return new ModelError("model-download", `(${url}: ${cause instanceof Error ? cause.message : cause})`, { cause });
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function openUrl(url, signal) {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) {
    response.body?.cancel();
    throw new ModelError("model-download", `(${url}: HTTP ${response.status})`);
  }
  return { stream: response.body, size: 0, expected: Number(response.headers.get("content-length")) || 0 };
}

/** @param {URL} url */
async function openFile(url) {
  const { createReadStream } = process.getBuiltinModule("node:fs");
  const { stat } = process.getBuiltinModule("node:fs/promises");
  const { Readable } = process.getBuiltinModule("node:stream");
  const { size } = await stat(url);
  const stream = /** @type {ReadableStream<Uint8Array>} */ (
    Readable.toWeb(createReadStream(url, { highWaterMark: 1 << 18 }))
  );
  return { stream, size, expected: size };
}
