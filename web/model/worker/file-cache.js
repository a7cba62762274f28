// Downloaded models, kept so that the next visit downloads nothing.
//
// They are in the Cache API, as in transformers.js and web-llm. OPFS, which wllama uses, writes faster in Chromium and
// Firefox. But WebKitGTK has no OPFS, Safari long wrote OPFS in Workers only, and replacing a file safely takes a lock,
// a temporary name and a clean-up. A Cache works in every thread of every browser. Deleting a Cache by name is atomic,
// and readers can finish. A model is stored in parts: browsers then hold only one part in memory, and SubtleCrypto
// hashes no streams (hashing takes 1 to 3 ms a megabyte, in another thread). Each model has a Cache. The manifest is
// put last, so an unfinished download is never found.
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";

// Larger parts are stored faster. Those in memory are 1 to 2 % of most models.
const PART_MIN = 1 << 17;
const PART_MAX = 1 << 22;
const PARTS = 256;
const PARTS_AHEAD = 3; // that are read and hashed at the same time

/**
 * The version of a file, from the server's headers.
 * @typedef {{ etag: string | null, lastModified: string | null, length: string | null }} Validators
 */

/** @typedef {{ size: number, validators: Validators, digests: string[] }} Manifest digests: SHA-256 of each part */

/** @param {string} url */
const cacheName = (url) => `lastinch-model ${url}`;

// Addresses that no page requests, so that caches.match() of a service worker never finds them.
const manifestKey = "https://lastinch.invalid/manifest";
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
function storage(isAnswered = true) {
  try {
    const { caches, crypto } = globalThis;
    return crypto?.subtle && !(isAnswered && silent.has(caches)) ? caches : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The answer of a cache.
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function answer(promise) {
  try {
    return await inTime(promise, ANSWER_LIMIT);
  } catch (error) {
    const caches = storage();
    if (caches && error instanceof ModelError) silent.add(caches);
    throw error;
  }
}

/** @param {BufferSource} bytes */
async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Headers} headers @returns {Validators} */
export function validatorsOf(headers) {
  return {
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
    length: headers.get("content-length"),
  };
}

/**
 * Deletes the copy of an address.
 * @param {string} url
 */
export async function forget(url) {
  const caches = storage(false);
  const deleted = caches?.delete(cacheName(url)).catch(() => {});
  // Caches that did not answer in time may still delete the copy.
  if (caches && deleted && !silent.has(caches)) await answer(deleted).catch(() => {});
}

/**
 * @param {string} url
 * @returns {Promise<StoredModel | null>}
 */
export async function findStored(url) {
  try {
    const caches = storage();
    if (!caches || !(await answer(caches.has(cacheName(url))))) return null;
    const cache = await answer(caches.open(cacheName(url)));
    const kept = await answer(cache.match(manifestKey));
    if (!kept) return null;
    const { text, digest } = await answer(kept.json());
    return (await digestOf(new TextEncoder().encode(text))) === digest
      ? new StoredModel(cache, JSON.parse(text))
      : null;
  } catch {
    return null;
  }
}

export class StoredModel {
  /** Whether the stream failed because a part is missing or damaged. */
  isDamaged = false;
  #cache;
  #manifest;

  /**
   * @param {Cache} cache
   * @param {Manifest} manifest
   */
  constructor(cache, manifest) {
    this.#cache = cache;
    this.#manifest = manifest;
  }

  /**
   * Whether, by its headers, the server has another version now.
   * @param {Validators} now
   */
  differsFrom(now) {
    const { validators } = this.#manifest;
    const names = /** @type {(keyof Validators)[]} */ (["etag", "lastModified", "length"]);
    return names.some((name) => validators[name] && now[name] && validators[name] !== now[name]);
  }

  /**
   * A stream of the stored bytes. It fails before it delivers a damaged part.
   * @returns {import("./model-file.js").Opened}
   */
  open() {
    const { size, digests } = this.#manifest;
    // Reading and hashing continue while a part is repacked.
    /** @type {Promise<Uint8Array<ArrayBuffer>>[]} */
    const ahead = [];
    let index = 0;
    const begin = () => {
      const part = this.#read(index++);
      part.catch(() => {});
      ahead.push(part);
    };
    const stream = new ReadableStream(
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
    return { stream, size, expected: size };
  }

  /** @param {number} index */
  async #read(index) {
    const kept = await answer(this.#cache.match(partKey(index)));
    const part = new Uint8Array(kept ? await answer(kept.arrayBuffer()) : []);
    if ((await digestOf(part)) !== this.#manifest.digests[index])
      throw new Error(`part ${index} of the stored model is damaged`);
    return part;
  }
}

/**
 * Starts to store a download in place of the copy before.
 * @param {string} url
 * @param {number} expected bytes, 0: not known
 * @returns {Promise<ModelStore | null>} null if nothing can be kept
 */
export async function beginStoring(url, expected) {
  try {
    if (storage()) await forget(url);
    const caches = storage();
    return caches ? new ModelStore(url, await answer(caches.open(cacheName(url))), expected) : null;
  } catch {
    return null;
  }
}

/** Stores a download piece by piece. Failures, mostly for lack of space, do not reach the caller. */
class ModelStore {
  #url;
  #cache;
  #part;
  #filled = 0;
  #size = 0;
  /** @type {string[]} */
  #digests = [];
  /** Settles when the current part is stored. @type {Promise<void>} */
  #putting = Promise.resolve();
  #isOpen = true;
  #hasFailed = false;

  /**
   * @param {string} url
   * @param {Cache} cache
   * @param {number} expected
   */
  constructor(url, cache, expected) {
    this.#url = url;
    this.#cache = cache;
    this.#part = new Uint8Array(Math.min(PART_MAX, Math.max(PART_MIN, Math.ceil(expected / PARTS))));
  }

  /**
   * Passes the stream through, and stores its bytes.
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
   * Completes the copy, which can then be found.
   * @param {Validators} validators
   */
  async commit(validators) {
    this.#isOpen = false;
    if (this.#filled) void this.#putPart();
    await this.#putting; // the last part, too
    if (this.#hasFailed) return;
    const text = JSON.stringify({ size: this.#size, validators, digests: this.#digests });
    try {
      const digest = await digestOf(new TextEncoder().encode(text));
      await answer(this.#cache.put(manifestKey, new Response(JSON.stringify({ text, digest }))));
    } catch {
      await forget(this.#url);
    }
  }

  async drop() {
    this.#fail();
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
    try {
      const index = this.#digests.push(await digestOf(part)) - 1;
      await answer(this.#cache.put(partKey(index), new Response(part)));
      this.#size += part.length;
    } catch {
      this.#fail();
      await forget(this.#url);
    }
  }

  #fail() {
    this.#isOpen = false;
    this.#hasFailed = true;
  }
}
