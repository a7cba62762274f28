// Downloaded models, kept so that the next visit downloads nothing.
//
// They are in the Cache API, as in transformers.js and web-llm. OPFS, which wllama uses, writes faster in Chromium and
// Firefox. But WebKitGTK has no OPFS, Safari long wrote OPFS in Workers only, and replacing a file safely takes a lock,
// a temporary name and a clean-up. A Cache works in every thread of every browser. Deleting a Cache by name is atomic,
// and readers can finish. A model is stored in parts: browsers then hold only a few parts in memory, and SubtleCrypto
// hashes no streams (hashing takes 1 to 3 ms a megabyte, in another thread). Each model has a Cache. The list of a
// download's parts is put again after each part, under a key of its own, so the next visit can go on. The list of the
// whole file is put last.
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { findShared, keepShared } from "./shared-storage.js";

// Larger parts are stored faster. At most three are in memory at a time, about 2 % of a model, and a crash loses these.
const PART_MIN = 1 << 17;
const PART_MAX = 1 << 25;
const PARTS = 128;
/** Of a file of unknown size. */
const PART_USUAL = 1 << 22;
const PARTS_AHEAD = 2; // that are read and hashed at the same time

/**
 * The version of a file, from the server's headers.
 * @typedef {{ etag: string | null, lastModified: string | null, length: string | null }} Validators
 */

/**
 * What is kept of a file. digests: SHA-256 of each part; size: bytes of all of it, missing while it is unfinished;
 * date: when the last part came, in ms since 1970 (copies of older versions have none, and no partSize); sha256: of the
 * whole file, if it was verified; isShared: there are no parts, because all sites share the file.
 * @typedef {object} Manifest
 * @property {number} [size]
 * @property {number} [partSize]
 * @property {number} [date]
 * @property {string} [sha256]
 * @property {boolean} [isShared]
 * @property {Validators} validators
 * @property {string[]} digests
 */

const PREFIX = "lastinch-model ";

/** How the names of the Caches of kept prefixes begin: kept-prefixes.js. */
export const PREFIXES = "lastinch-prefix ";

/** @param {string} url */
const cacheName = (url) => PREFIX + url;

// Addresses that no page requests, so that caches.match() of a service worker never finds them.
const wholeKey = "https://lastinch.invalid/manifest";
const begunKey = "https://lastinch.invalid/begun";
/** @param {number} index */
const partKey = (index) => `https://lastinch.invalid/${index}`;

/** ms that a cache may take to answer: browsers with a damaged profile never answer. */
const ANSWER_LIMIT = 10_000;

/** Caches that did not answer. They are not asked again. @type {WeakSet<CacheStorage>} */
const silent = new WeakSet();

/**
 * The browser's caches. Node, insecure pages and sandboxed frames have none.
 * @param {boolean} [isAnswered] false: also caches that did not answer
 */
export function storage(isAnswered = true) {
  try {
    const { caches, crypto } = globalThis;
    return crypto?.subtle && !(isAnswered && silent.has(caches)) ? caches : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the browser keeps copies. */
export const mayKeep = () => storage() !== undefined;

/**
 * The answer of a cache.
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function answer(promise) {
  const caches = storage(); // those that were asked
  try {
    return await inTime(promise, ANSWER_LIMIT);
  } catch (error) {
    if (caches && error instanceof ModelError && !silent.has(caches)) {
      silent.add(caches);
      console.warn("lastinch: the browser's caches do not answer. Models run, but no copy is used or kept.");
    }
    throw error;
  }
}

/** @param {Uint8Array} bytes */
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {BufferSource} bytes */
export async function digestOf(bytes) {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** @param {Headers} headers @returns {Validators} */
export function validatorsOf(headers) {
  return {
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
    length: headers.get("content-length"),
  };
}

/** Whether headers tell a file from another of its length. @param {Validators} validators */
export const isDatable = ({ etag, lastModified }) => Boolean(etag || lastModified);

/**
 * Whether headers name another version of the file. A missing header tells nothing.
 * @param {Validators} one
 * @param {Validators} other
 */
export function isOtherVersion(one, other) {
  const names = /** @type {(keyof Validators)[]} */ (["etag", "lastModified", "length"]);
  return names.some((name) => one[name] && other[name] && one[name] !== other[name]);
}

/**
 * Deletes the copy of an address, an unfinished one too.
 * @param {string} url
 */
export async function forget(url) {
  const caches = storage(false);
  const deleted = caches?.delete(cacheName(url)).catch(() => {});
  // Caches that did not answer in time may still delete the copy.
  if (caches && deleted && !silent.has(caches)) await answer(deleted).catch(() => {});
}

/**
 * What is kept of an address: all of the file, or the parts of an unfinished download.
 * @param {string} url
 * @returns {Promise<KeptFile | null>}
 */
export async function findKept(url) {
  try {
    const caches = storage();
    if (!caches || !(await answer(caches.has(cacheName(url))))) return null;
    const cache = await answer(caches.open(cacheName(url)));
    const manifest = (await readManifest(cache, wholeKey)) ?? (await readManifest(cache, begunKey));
    return manifest && new KeptFile(cache, manifest);
  } catch {
    return null;
  }
}

/**
 * The addresses of which something is kept.
 * @returns {Promise<string[]>}
 */
export async function keptAddresses() {
  return (await namesWith(PREFIX)).map((name) => name.slice(PREFIX.length));
}

/**
 * The names of Caches that begin so.
 * @param {string} beginning
 */
export async function namesWith(beginning) {
  const caches = storage();
  const names = caches ? await answer(caches.keys()).catch(() => []) : [];
  return names.filter((name) => name.startsWith(beginning));
}

/**
 * @param {{ match: (key: string) => Promise<Response | undefined> }} cache
 * @param {string} key
 * @returns {Promise<any>} what was put: a Manifest, or another list. null: there is none, or it is damaged
 */
export async function readManifest(cache, key) {
  const kept = await answer(cache.match(key));
  if (!kept) return null;
  const { text, digest } = await answer(kept.json()).catch(() => ({}));
  return typeof text === "string" && (await digestOf(new TextEncoder().encode(text))) === digest
    ? JSON.parse(text)
    : null;
}

/**
 * @param {Cache} cache
 * @param {string} key
 * @param {object} manifest
 */
export async function putManifest(cache, key, manifest) {
  const text = JSON.stringify(manifest);
  const digest = await digestOf(new TextEncoder().encode(text));
  await answer(cache.put(key, new Response(JSON.stringify({ text, digest }))));
}

export class KeptFile {
  /** Whether the stream failed because a part is missing or damaged. */
  isDamaged = false;
  #cache;
  manifest;

  /**
   * @param {Cache} cache
   * @param {Manifest} manifest
   */
  constructor(cache, manifest) {
    this.#cache = cache;
    this.manifest = manifest;
  }

  get isWhole() {
    return this.manifest.size !== undefined;
  }

  /** Bytes that are kept. */
  get bytes() {
    const { size, partSize = 0, digests } = this.manifest;
    return size ?? partSize * digests.length;
  }

  /**
   * Whether, by its headers, the server has another version now.
   * @param {Validators} now
   */
  differsFrom(now) {
    return isOtherVersion(this.manifest.validators, now);
  }

  /**
   * The kept bytes. The stream fails before it delivers a damaged part.
   * @returns {ReadableStream<Uint8Array>}
   */
  stream() {
    const { digests, isShared, sha256 = "" } = this.manifest;
    if (isShared) return this.#sharedStream(sha256);
    // Reading and hashing continue while a part is repacked.
    /** @type {Promise<Uint8Array<ArrayBuffer>>[]} */
    const ahead = [];
    let index = 0;
    const begin = () => {
      const part = this.#read(index++);
      part.catch(() => {});
      ahead.push(part);
    };
    return new ReadableStream(
      {
        pull: async (controller) => {
          try {
            while (ahead.length < PARTS_AHEAD && index < digests.length) begin();
            const part = await ahead.shift();
            if (part) controller.enqueue(part);
            if (!ahead.length && index === digests.length) controller.close();
          } catch (error) {
            this.isDamaged = true;
            throw error;
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** @param {string} sha256 @returns {ReadableStream<Uint8Array>} */
  #sharedStream(sha256) {
    /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
    let reader;
    return new ReadableStream(
      {
        pull: async (controller) => {
          try {
            reader ??= /** @type {Blob} */ (await findShared(sha256)).stream().getReader();
            const { value, done } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            this.isDamaged = true;
            throw error;
          }
        },
        cancel: (reason) => reader?.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** @param {number} index */
  async #read(index) {
    const kept = await answer(this.#cache.match(partKey(index)));
    const part = new Uint8Array(kept ? await answer(kept.arrayBuffer()) : []);
    if ((await digestOf(part)) !== this.manifest.digests[index])
      throw new Error(`part ${index} of the stored model is damaged`);
    return part;
  }
}

/**
 * Notes that the file of an address is one that all sites share.
 * @param {string} url
 * @param {{ sha256: string, size: number, validators: Validators }} file
 */
export async function noteShared(url, file) {
  try {
    await forget(url);
    const cache = await answer(/** @type {CacheStorage} */ (storage()).open(cacheName(url)));
    await putManifest(cache, wholeKey, { ...file, isShared: true, digests: [], date: Date.now() });
  } catch {
    // Without the note the next load asks the server for the digest.
  }
}

/**
 * Moves the copy of an address to where all sites share it. If that fails, the copy stays.
 * @param {string} url
 */
export async function moveToShared(url) {
  const kept = await findKept(url);
  const { size, sha256, validators, isShared } = kept?.manifest ?? {};
  if (!kept || !size || !sha256 || !validators || isShared) return;
  if (await keepShared(sha256, kept.stream())) await noteShared(url, { sha256, size, validators });
}

/**
 * Starts to keep a download in place of the copy before, or goes on with an unfinished copy.
 * @param {string} url
 * @param {Validators} validators
 * @param {number} expected bytes, 0: not known
 * @param {KeptFile | null} begun of the same version
 * @returns {Promise<FileKeeper | null>} null if nothing can be kept
 */
export async function beginKeeping(url, validators, expected, begun) {
  try {
    if (storage() && !begun) await forget(url);
    const caches = storage();
    if (!caches) return null;
    const share = Math.min(PART_MAX, Math.max(PART_MIN, Math.ceil(expected / PARTS)));
    const partSize = expected ? share : PART_USUAL;
    const manifest = begun?.manifest ?? { partSize, validators, digests: [] };
    return new FileKeeper(url, await answer(caches.open(cacheName(url))), manifest);
  } catch {
    return null;
  }
}

let hasWarned = false;

/** Keeps a download part by part. Failures, mostly for lack of space, do not reach the caller. */
class FileKeeper {
  #url;
  #cache;
  #manifest;
  #part;
  #filled = 0;
  #size;
  /** Settles when the current part is stored. @type {Promise<void>} */
  #putting = Promise.resolve();
  #isOpen = true;
  #hasFailed = false;

  /**
   * @param {string} url
   * @param {Cache} cache
   * @param {Manifest} manifest
   */
  constructor(url, cache, manifest) {
    const partSize = /** @type {number} */ (manifest.partSize);
    this.#url = url;
    this.#cache = cache;
    this.#manifest = { ...manifest, digests: [...manifest.digests] };
    this.#part = new Uint8Array(partSize);
    this.#size = partSize * manifest.digests.length;
  }

  /**
   * Passes the stream through, and keeps its bytes.
   * @param {ReadableStream<Uint8Array>} stream
   * @returns {ReadableStream<Uint8Array>}
   */
  copy(stream) {
    const reader = stream.getReader();
    return new ReadableStream(
      {
        pull: async (controller) => {
          const { value, done } = await reader.read();
          if (done) return controller.close();
          await this.#write(value);
          controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * Completes the copy.
   * @param {string} [sha256] of the whole file, if it was verified
   */
  async commit(sha256) {
    this.#isOpen = false;
    if (this.#filled) void this.#putPart();
    await this.#putting; // the last part, too
    if (this.#hasFailed) return;
    try {
      await putManifest(this.#cache, wholeKey, { ...this.#manifest, size: this.#size, date: Date.now(), sha256 });
    } catch {
      await forget(this.#url);
    }
  }

  /** Leaves the whole parts, with which a later download begins. */
  async leave() {
    this.#isOpen = false;
    await this.#putting;
  }

  async drop() {
    this.#isOpen = false;
    this.#hasFailed = true;
    await this.#putting;
    await forget(this.#url);
  }

  /** @param {Uint8Array} bytes */
  async #write(bytes) {
    for (let at = 0; at < bytes.length && this.#isOpen;) {
      const some = bytes.subarray(at, at + this.#part.length - this.#filled);
      this.#part.set(some, this.#filled);
      this.#filled += some.length;
      at += some.length;
      if (this.#filled === this.#part.length) await this.#putPart();
    }
  }

  /** Waits only for the part before: the download continues while this part is stored. */
  #putPart() {
    const before = this.#putting;
    const part = this.#part.subarray(0, this.#filled);
    // Never reuse the buffer: a Response in WebKit does not copy its bytes.
    this.#part = new Uint8Array(this.#part.length);
    this.#filled = 0;
    this.#putting = before.then(() => this.#put(part));
    return before;
  }

  /** @param {Uint8Array<ArrayBuffer>} part */
  async #put(part) {
    if (this.#hasFailed) return;
    const { digests, partSize } = this.#manifest;
    try {
      const index = digests.push(await digestOf(part)) - 1;
      await answer(this.#cache.put(partKey(index), new Response(part)));
      this.#size += part.length;
      // A shorter part is the last: the whole file's list follows.
      if (part.length === partSize) await putManifest(this.#cache, begunKey, { ...this.#manifest, date: Date.now() });
    } catch (error) {
      this.#isOpen = false;
      this.#hasFailed = true;
      await forget(this.#url);
      this.#warn(error);
    }
  }

  /** @param {any} error */
  #warn(error) {
    if (hasWarned || !mayKeep()) return; // caches that do not answer were told of
    hasWarned = true;
    const reason = error?.name === "QuotaExceededError" ? "the browser has no room for it" : error?.message;
    console.warn(`lastinch: the model runs, but no copy of it is kept for the next visit: ${reason}.`);
  }
}
