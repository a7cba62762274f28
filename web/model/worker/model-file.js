// The bytes of a model's file as a stream: from the network, the cache, a Blob or the page.
import { ModelError } from "../../core/model-errors.js";
import { beginStoring, findStored, forget, validatorsOf } from "./file-cache.js";
import { ask, download } from "./request.js";

/**
 * The source of a file as it is posted to the model's thread: an address, a Blob, or sizes if the page sends the pieces
 * on request.
 * @typedef {UrlSource | { blob: Blob } | PulledSource} FileSource
 * @typedef {{ url: string, headers: [string, string][] }} UrlSource
 * @typedef {{ size: number, expected: number, address?: string }} PulledSource size and expected as in Opened
 */

/**
 * @typedef {object} Opened
 * @property {ReadableStream<Uint8Array>} stream
 * @property {number} size bytes if certain, else 0
 * @property {number} expected size by the server's header, which transparent decompression can make wrong
 * @property {string} [address] where it came from
 */

/**
 * @typedef {object} HowToRead
 * @property {AbortSignal} signal
 * @property {number} stallTimeout ms without a byte, 0: for ever
 * @property {boolean} cache whether to keep downloads and use kept ones
 */

/** ms that a server may take to confirm a stored model, before the page counts as offline. */
const CHECK_TIMEOUT = 3000;

/**
 * Opens a source for `use`. If the stored copy turns out to be damaged, opens the source again without it.
 * @template T
 * @param {UrlSource | { blob: Blob }} source
 * @param {HowToRead} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function readSource(source, how, use) {
  if ("blob" in source) {
    const { blob } = source;
    return use({ stream: blob.stream(), size: blob.size, expected: blob.size });
  }
  const { url, headers } = source;
  if (url.startsWith("file:") && globalThis.process?.getBuiltinModule !== undefined)
    return use(await openFile(new URL(url)));
  return readUrl(url, { ...how, headers }, use);
}

/**
 * Uses a stored model, unless the server's headers say that the file has changed or is gone. Also uses it if the server
 * cannot be reached or sends no version.
 * @template T
 * @param {string} url
 * @param {HowToRead & import("./request.js").HowToAsk} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function readUrl(url, how, use) {
  const stored = how.cache ? await findStored(url) : null;
  if (stored) {
    if (!(await hasChanged(url, stored, how))) {
      try {
        return await use(stored.open());
      } catch (error) {
        if (!stored.isDamaged) throw error;
      }
    }
    await forget(url);
  }
  const { stream, headers } = await download(url, how, how.stallTimeout);
  const expected = Number(headers.get("content-length")) || 0;
  const validators = validatorsOf(headers);
  // A changed file may have the same length.
  const isDatable = validators.etag || validators.lastModified;
  const store = how.cache && isDatable ? await beginStoring(url, expected) : null;
  if (!store) return use({ stream, size: 0, expected, address: url });
  try {
    const result = await use({ stream: store.copy(stream), size: 0, expected, address: url });
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
 * @param {import("./request.js").HowToAsk} how
 */
async function hasChanged(url, stored, how) {
  try {
    // If a server refuses HEAD, requests the file and reads only its headers.
    for (const method of /** @type {const} */ (["HEAD", "GET"])) {
      const response = await ask(url, method, how, CHECK_TIMEOUT);
      const { status, ok, headers, body } = response;
      // A HEAD response has no body. Cancelling it would show a failed request in the browser's tools.
      (method === "HEAD" ? response.arrayBuffer() : body?.cancel())?.catch(() => {});
      if (ok) return stored.differsFrom(validatorsOf(headers));
      if (status === 404 || status === 410) return true;
    }
  } catch {
    how.signal.throwIfAborted();
  }
  return false;
}

/** How many bytes of a file to read at a time in Node. */
const READ_SIZE = 1 << 18;

/**
 * A file in Node. Not Readable.toWeb: when it is cancelled, it sometimes throws an error that cannot be caught.
 * @param {URL} url
 */
async function openFile(url) {
  const { open } = globalThis.process.getBuiltinModule("node:fs/promises");
  const handle = await open(url).catch((cause) => {
    throw new ModelError("model-download", `(${url}: ${cause.message})`, { cause });
  });
  const { size } = await handle.stat();
  /** @type {ReadableStream<Uint8Array>} */
  const stream = new ReadableStream({
    async pull(controller) {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(READ_SIZE)).catch(async (error) => {
        await handle.close();
        throw error;
      });
      if (bytesRead) return controller.enqueue(buffer.subarray(0, bytesRead));
      controller.close();
      await handle.close();
    },
    cancel: () => handle.close(),
  });
  return { stream, size, expected: size };
}
