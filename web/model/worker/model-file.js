// The bytes of a model's file as a stream: from the network, the cache, a Blob or the page.
import { ModelError } from "../../core/model-errors.js";
import { partAddresses } from "./address.js";
import {
  beginKeeping,
  findKept,
  forget,
  isDatable,
  mayKeep,
  moveToShared,
  noteShared,
  validatorsOf,
} from "./file-cache.js";
import { namedDigest, verified } from "./file-digest.js";
import { ask } from "./request.js";
import { readShards } from "./shards.js";
import { findShared, mayShare } from "./shared-storage.js";
import { Transfer } from "./transfer.js";

/**
 * The source of a file as it is posted to the model's thread: an address, a Blob, several of these for the parts of one
 * model, or sizes if the page sends the pieces on request.
 * @typedef {SingleSource | { parts: SingleSource[] } | PulledSource} FileSource
 * @typedef {UrlSource | { blob: Blob }} SingleSource
 * @typedef {{ url: string, headers: [string, string][], sha256?: string }} UrlSource
 * @typedef {{ size: number, expected: number, address?: string }} PulledSource size and expected as in Opened
 */

/**
 * @typedef {object} Opened
 * @property {ReadableStream<Uint8Array>} stream
 * @property {number} size bytes if certain, else 0
 * @property {number} expected size by the server's header, which transparent decompression can make wrong
 * @property {string} [address] where it came from
 * @property {number} [kept] of a file from the network: how many of its first bytes come from the browser's copy
 * @property {boolean} [resumed] whether the rest of an unfinished download follows
 * @property {boolean} [isVerified] whether the stream fails at its end if its bytes are others than expected
 * @property {string} [version] the same for the same file of a server
 */

/**
 * @typedef {object} HowToRead
 * @property {AbortSignal} signal
 * @property {number} stallTimeout ms without a byte, 0: for ever
 * @property {boolean | "shared"} cache whether to keep downloads and use kept ones; "shared": where all sites share them
 * @property {boolean} [isPeek] only the beginning is read, so a download is not kept
 */

/** @typedef {HowToRead & import("./request.js").HowToAsk & { sha256?: string }} HowToFetch sha256: of the whole file */

/** Times to begin anew because the file has changed on the server in the meantime. */
const RESTARTS = 3;

/** ms after which a download in another tab should have kept more: a large part takes so long at 3 MB a second. */
const LOCK_PATIENCE = 10_000;

/** ms that a server may take to confirm a stored model, before the page counts as offline. */
const CHECK_TIMEOUT = 3000;

/**
 * Opens a source for `use`. If the kept copy turns out to be damaged, opens the source again without it.
 * @template T
 * @param {SingleSource | { parts: SingleSource[] }} source
 * @param {HowToRead} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function readSource(source, how, use) {
  if ("parts" in source) return readShards(source.parts, how, use, readOne);
  const parts = "url" in source ? partAddresses(source.url) : undefined;
  if (!parts) return readOne(source, how, use);
  return readShards(
    parts.map((url) => ({ ...source, url })),
    how,
    use,
    readOne,
  );
}

/** @type {import("./shards.js").ReadOne} */
async function readOne(source, how, use) {
  if ("blob" in source) {
    const { blob } = source;
    return use({ stream: blob.stream(), size: blob.size, expected: blob.size });
  }
  const { url, headers, sha256 } = source;
  if (url.startsWith("file:") && globalThis.process?.getBuiltinModule !== undefined) {
    const opened = await openFile(new URL(url));
    return use(sha256 ? { ...opened, stream: await verified(opened.stream, sha256), isVerified: true } : opened);
  }
  return readUrl(url, { ...how, headers, sha256 }, use);
}

/**
 * Uses a kept model, unless the server's headers say that the file has changed or is gone. Also uses it if the server
 * cannot be reached or sends no version. Otherwise downloads the model, one tab at a time.
 * @template T
 * @param {string} url
 * @param {HowToFetch} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function readUrl(url, how, use) {
  /** The list of a copy that is damaged or of another version. @type {string | undefined} */
  let stale;
  /**
   * @param {boolean} isChecked whether to use a copy without asking the server
   * @returns {Promise<{ result: T } | undefined>} undefined: there is no whole copy
   */
  const useKept = async (isChecked) => {
    const kept = how.cache ? await findKept(url) : null;
    if (!kept?.isWhole) return undefined;
    const { bytes, manifest } = kept;
    const list = JSON.stringify(manifest);
    if (list !== stale && (isChecked || !(await hasChanged(url, kept, how)))) {
      try {
        const version = versionOf(manifest.validators);
        const isKnown = [undefined, manifest.sha256].includes(how.sha256);
        const stream = isKnown ? kept.stream() : await verified(kept.stream(), /** @type {string} */ (how.sha256));
        const opened = { stream, size: bytes, expected: bytes, kept: bytes, isVerified: !isKnown, version };
        return { result: await use(opened) };
      } catch (/** @type {any} */ error) {
        if (!kept.isDamaged && error.code !== "model-digest") throw error;
      }
    }
    stale = list;
    // Another tab may have put a new copy into its place.
    if (isChecked) await forget(url);
    return undefined;
  };
  const used = await useKept(false);
  if (used) return used.result;
  const shared = how.cache === "shared" && how.sha256 ? await findShared(how.sha256) : undefined;
  if (shared) return useShared(url, shared, { digest: /** @type {string} */ (how.sha256) }, use);
  if (how.isPeek) return downloadTo(url, { ...how, cache: false }, use);
  // What another tab has just downloaded is used as it is.
  return withLock(url, how, async () => (await useKept(true))?.result ?? downloadTo(url, how, use));
}

/**
 * Uses a file that another site has stored.
 * @template T
 * @param {string} url
 * @param {Blob} file
 * @param {{ digest: string, validators?: import("./file-cache.js").Validators }} named validators: of the server's file
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function useShared(url, file, { digest, validators }, use) {
  const { size } = file;
  const version = validators && versionOf(validators);
  const result = await use({ stream: file.stream(), size, expected: size, kept: size, version });
  await noteShared(url, {
    sha256: digest,
    size,
    validators: validators ?? { etag: null, lastModified: null, length: null },
  });
  return result;
}

/**
 * @template T
 * @param {string} url
 * @param {HowToFetch} how
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function downloadTo(url, how, use) {
  for (let restarts = 0; ; restarts++) {
    const begun = how.cache ? await findKept(url) : null;
    const at = begun?.bytes ?? 0;
    const transfer = new Transfer(url, how, begun ? { at, validators: begun.manifest.validators } : undefined);
    /** @type {Awaited<ReturnType<typeof beginKeeping>>} */
    let keeper = null;
    try {
      await transfer.connect();
      const { total, validators, stream } = transfer;
      const version = versionOf(validators);
      const digest = how.isPeek ? undefined : (how.sha256 ?? (await namedDigest(url, transfer.headers, how)));
      const shared = how.cache === "shared" && digest ? await findShared(digest) : undefined;
      if (shared && digest) {
        stream.cancel().catch(() => {});
        return await useShared(url, shared, { digest, validators }, use);
      }
      keeper = how.cache && isDatable(validators) ? await beginKeeping(url, validators, total, begun) : null;
      const fresh = keeper ? keeper.copy(stream) : stream;
      const all = begun ? joined([begun.stream(), fresh]) : fresh;
      const whole = digest ? await verified(all, digest) : all;
      const result = await use({
        stream: whole,
        size: 0,
        expected: total,
        address: url,
        kept: at,
        resumed: at > 0,
        isVerified: digest !== undefined,
        version,
      });
      await keeper?.commit(digest);
      // In the background: the model has its bytes.
      if (keeper && how.cache === "shared" && mayShare()) void moveToShared(url);
      return result;
    } catch (error) {
      const isStale = begun?.isDamaged || transfer.failure === "changed";
      // The parts of an interrupted download are of use, those of a file that is no model are not.
      const isUseless = isStale || transfer.failure === "gone" || (isOfFile(error) && !how.signal.aborted);
      if (!isUseless) await keeper?.leave();
      else if (keeper) await keeper.drop();
      else if (begun) await forget(url);
      if (!isStale || restarts === RESTARTS) throw error;
    }
  }
}

/** @param {import("./file-cache.js").Validators} validators */
const versionOf = ({ etag, lastModified }) => (etag || lastModified ? JSON.stringify([etag, lastModified]) : undefined);

/** Whether an error says that the file's bytes are no model. @param {any} error */
const isOfFile = ({ code }) =>
  /^(?:file-|gguf-(?!too-large)|model-(?:architecture|config|digest|incomplete|tensor|weights))/.test(code) &&
  !/^file-(?:gated|throttled)/.test(code);

/**
 * One download of an address at a time, in all tabs. The others then find its copy. A tab whose download does not go on is
 * not waited for: WebKit keeps the locks of pages that were left.
 * @template T
 * @param {string} url
 * @param {HowToRead} how
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
async function withLock(url, { cache, signal }, run) {
  const locks = cache && mayKeep() ? globalThis.navigator?.locks : undefined;
  if (!locks) return run();
  const waiting = new AbortController();
  const stop = () => waiting.abort(signal.reason);
  let bytes = -1;
  const look = async () => {
    const kept = (await findKept(url))?.bytes ?? 0;
    if (kept === bytes) waiting.abort();
    bytes = kept;
  };
  const timer = setInterval(() => void look(), LOCK_PATIENCE);
  const endWait = () => {
    clearInterval(timer);
    signal.removeEventListener("abort", stop);
  };
  signal.addEventListener("abort", stop);
  let isMine = false;
  try {
    signal.throwIfAborted();
    return await locks.request(`lastinch-download ${url}`, { signal: waiting.signal }, () => {
      isMine = true;
      endWait();
      return run();
    });
  } catch (error) {
    if (isMine || signal.aborted) throw error;
    return run();
  } finally {
    endWait();
  }
}

/**
 * One stream after the other.
 * @param {ReadableStream<Uint8Array>[]} streams
 * @returns {ReadableStream<Uint8Array>}
 */
function joined(streams) {
  const readers = streams.map((stream) => stream.getReader());
  return new ReadableStream(
    {
      async pull(controller) {
        while (readers.length) {
          const { value, done } = await readers[0].read().catch((error) => {
            for (const reader of readers) reader.cancel(error).catch(() => {});
            throw error;
          });
          if (!done) return controller.enqueue(value);
          readers.shift();
        }
        controller.close();
      },
      async cancel(reason) {
        await Promise.all(readers.map((reader) => reader.cancel(reason)));
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * @param {string} url
 * @param {import("./file-cache.js").KeptFile} kept
 * @param {import("./request.js").HowToAsk} how
 */
async function hasChanged(url, kept, how) {
  try {
    // If a server refuses HEAD, requests the file and reads only its headers.
    for (const method of /** @type {const} */ (["HEAD", "GET"])) {
      const response = await ask(url, method, how, CHECK_TIMEOUT);
      const { status, ok, headers, body } = response;
      // A HEAD response has no body. Cancelling it would show a failed request in the browser's tools.
      (method === "HEAD" ? response.arrayBuffer() : body?.cancel())?.catch(() => {});
      if (ok) return kept.differsFrom(validatorsOf(headers));
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
