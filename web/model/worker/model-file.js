// The bytes of a model's file as a stream: from the network, the cache, a Blob or the page.
import { LastInchError } from "../../core/errors.js";
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { beginStoring, findStored, forget, validatorsOf } from "./file-cache.js";

/**
 * The source of a file as it is posted to the model's thread: an address, a Blob, or a size where the page gives the
 * pieces on request.
 * @typedef {{ url: string } | { blob: Blob } | { size: number }} FileSource
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
 * @property {boolean} cache whether a download may be kept, and one that was kept be used
 */

/** ms that a server may take to confirm a stored model; later the page counts as offline. */
const CHECK_TIMEOUT = 3000;

/**
 * Opens a source for `use`. If the stored copy proves damaged, the source is opened again without it.
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
  return readUrl(url, how, use);
}

/**
 * A stored model is used unless the server's headers say that the file has changed or is gone. A server that cannot be
 * reached or gives no version says neither.
 * @template T
 * @param {string} url
 * @param {HowToRead} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function readUrl(url, how, use) {
  const stored = how.cache ? await findStored(url) : null;
  if (stored) {
    if (!(await hasChanged(url, stored, how.signal))) {
      try {
        return await use(stored.open());
      } catch (error) {
        if (!stored.isDamaged) throw error;
      }
    }
    await forget(url);
  }
  const { stream, headers } = await download(url, how);
  const expected = Number(headers.get("content-length")) || 0;
  const validators = validatorsOf(headers);
  // The length alone would not show a changed file.
  const isDatable = validators.etag || validators.lastModified;
  const store = how.cache && isDatable ? await beginStoring(url, expected) : null;
  if (!store) return use({ stream, size: 0, expected });
  try {
    const result = await use({ stream: store.copy(stream), size: 0, expected });
    await store.commit(validators);
    return result;
  } catch (error) {
    await store.drop();
    throw error;
  }
}

/**
 * @param {string} url
 * @param {import("./file-cache.js").StoredModel} stored
 * @param {AbortSignal} signal
 */
async function hasChanged(url, stored, signal) {
  try {
    // Where a server refuses HEAD, the file is requested and only its headers are read.
    for (const method of /** @type {const} */ (["HEAD", "GET"])) {
      const { status, ok, headers, body } = await ask(url, method, signal, CHECK_TIMEOUT);
      body?.cancel().catch(() => {});
      if (ok) return stored.differsFrom(validatorsOf(headers));
      if (status === 404 || status === 410) return true;
    }
  } catch {
    signal.throwIfAborted();
  }
  return false;
}

/**
 * @param {string} url
 * @param {HowToRead} how
 */
async function download(url, { signal, stallTimeout }) {
  const response = await ask(url, "GET", signal, stallTimeout).catch((cause) => {
    throw signal.aborted || cause instanceof LastInchError ? cause : downloadError(url, cause);
  });
  const { body, ok, status, headers } = response;
  if (ok && body) return { stream: body, headers };
  body?.cancel().catch(() => {});
  throw new ModelError("model-download", `(${url}: HTTP ${status})`);
}

/**
 * The caller must read or cancel the body of the response.
 * @param {string} url
 * @param {"GET" | "HEAD"} method
 * @param {AbortSignal} signal
 * @param {number} limit
 */
async function ask(url, method, signal, limit) {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    return await inTime(fetch(url, { method, signal: controller.signal }), limit);
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
  return new ModelError("model-download", `(${url}: ${cause?.message ?? cause})`, { cause });
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
