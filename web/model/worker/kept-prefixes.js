// Prefixes of prompts that the browser keeps for a model, so that a returning visitor does not wait while they are read.
//
// They are in the Cache API, as the copies of models are (file-cache.js says why), each in a Cache of its own. Its name
// has the hash of the model's file, what the cache depends on, and the hash of the tokens, so one look at the names tells
// whether anything is kept. The saved text lies in parts. The list of the prefix is put before them, marked unfinished,
// and again when all are there. IndexedDB would need a second index for the same, and keeps no Blobs in WebKit's private
// windows. A saved text has hashes of its own.
//
// One tab at a time stores prefixes: it holds a lock. So whatever it finds unfinished was left by a tab that was closed,
// and is deleted. Reading and deleting take no lock. A Cache that is deleted while it is written is never found again.
import { cacheTypes } from "../../core/enum-names.js";
import { SAVED_LONG, SAVED_VERSION } from "../../core/layouts.js";
import {
  SAVED_TEXT_CACHE_TYPE,
  SAVED_TEXT_FILE_HIGH,
  SAVED_TEXT_FILE_LOW,
  SAVED_TEXT_FLAGS,
} from "../../core/layouts.js";
import { ModelError } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { PREFIXES, answer, digestOf, namesWith, putManifest, readManifest, storage } from "./file-cache.js";
import { CANCELLED } from "./turns.js";

/**
 * A kept prefix.
 * @typedef {object} Kept
 * @property {string[]} addresses of the model, as loadModel got them; `lastinch-file:` and the file's hash where it had
 *   none
 * @property {number[]} ids none: the list is damaged
 * @property {number} least how many of the ids a prompt must begin with
 * @property {number} bytes
 * @property {number} used when it was last used, in ms since 1970
 * @property {boolean} isWhole false: a tab is storing it, or was closed meanwhile
 */

/** @typedef {Kept & { name: string }} Found */

const listKey = "https://lastinch.invalid/prefix";
/** @param {number} index */
const partKey = (index) => `https://lastinch.invalid/${index}`;

const PART = 1 << 24;

/** A kept prefix is loaded in about a tenth of the time that the model takes to read it, or less. */
const WORTH = 1 / 8;

const LOCK = "lastinch-prefixes";
/** ms to wait for another tab that stores a prefix. WebKit keeps the locks of pages that were left. */
const LOCK_LIMIT = 30_000;

/** ms that a text waits for the list of a prefix. The parts may take longer: some browsers read them first. */
const FIND_LIMIT = 1000;

/** Where a file without an address is listed. @param {string} file hash */
const addressOfFile = (file) => `lastinch-file:${file}`;

/** The prefixes of one model. */
export class KeptPrefixes {
  #key;
  #address;
  #contextLength;
  /** Those that a text may use. @type {Found[]} */
  #found = [];

  /**
   * @param {Uint32Array} header a li_saved_text of the model
   * @param {string | undefined} address of the model
   * @param {number} contextLength of the model
   */
  static async open(header, address, contextLength) {
    const hex = (/** @type {number} */ word) => header[word].toString(16).padStart(8, "0");
    const file = hex(SAVED_TEXT_FILE_HIGH) + hex(SAVED_TEXT_FILE_LOW);
    const scale = header[SAVED_TEXT_FLAGS] & SAVED_LONG ? "-long" : "";
    const key = `${PREFIXES}${file} ${cacheTypes[header[SAVED_TEXT_CACHE_TYPE]]}${scale} ${SAVED_VERSION} `;
    const prefixes = new KeptPrefixes(key, address ?? addressOfFile(file), contextLength);
    for (const one of await readAll(key)) prefixes.#add(one);
    return prefixes;
  }

  /**
   * @param {string} key
   * @param {string} address
   * @param {number} contextLength
   */
  constructor(key, address, contextLength) {
    this.#key = key;
    this.#address = address;
    this.#contextLength = contextLength;
  }

  /**
   * The prefix that saves most of reading a prompt.
   * @param {Uint32Array} ids of the prompt
   * @param {() => number} covered how many of them the model has in its cache
   * @returns {Found | undefined}
   */
  find(ids, covered) {
    if (!this.#found.length) return undefined;
    let best = covered();
    let chosen;
    for (const one of this.#found) {
      let common = 0;
      const most = Math.min(one.ids.length, ids.length - 1);
      while (common < most && one.ids[common] === ids[common]) common++;
      if (common < one.least || common - best < WORTH * one.ids.length) continue;
      best = common;
      chosen = one;
    }
    return chosen;
  }

  /**
   * The saved text of a prefix.
   * @param {Found} found
   * @returns {Promise<Blob | undefined>} undefined: it is gone, or the browser does not answer
   */
  async read(found) {
    const kept = inside(found.name);
    try {
      if (!(await inTime(kept.match(listKey), FIND_LIMIT))) {
        this.drop(found);
        return undefined;
      }
      const count = Math.ceil(found.bytes / PART);
      const parts = await Promise.all(
        Array.from({ length: count }, async (_, i) => {
          const part = await answer(kept.match(partKey(i)));
          return part ? answer(part.blob()) : new Blob();
        }),
      );
      return new Blob(parts);
    } catch {
      // Caches that do not answer this one do not answer others.
      this.#found = [];
      return undefined;
    }
  }

  /** No text uses it any more. @param {Found} found */
  drop(found) {
    this.#found = this.#found.filter((one) => one.name !== found.name);
  }

  /** @param {Found} found */
  async forget(found) {
    this.drop(found);
    await remove(found.name);
  }

  /**
   * Notes that a prefix was used. Not while another tab stores one, because this is only a date.
   * @param {Found} found
   */
  async note(found) {
    await holdingLock({ ifAvailable: true }, () => this.#note(found)).catch(() => {});
  }

  /**
   * The kept prefix of exactly these tokens, which becomes the most recently used. The least recently used of the others
   * go until all together have at most `limit` bytes.
   * @param {Uint32Array} ids
   * @param {number} limit
   * @returns {Promise<Found | undefined>}
   */
  async use(ids, limit) {
    const found = await this.#findExactly(ids);
    if (!found) return undefined;
    if (found.bytes > limit) {
      await this.forget(found);
      throw new ModelError("prefix-too-large", `(${found.bytes} bytes, but ${limit} are allowed)`);
    }
    await holdingLock({ ifAvailable: true }, async () => {
      await this.#note(found);
      await makeRoom(limit - found.bytes, found.name);
    }).catch(() => {});
    return found;
  }

  /**
   * Keeps the saved text of a prefix. The least recently used prefixes go until all together have at most `limit` bytes.
   * @param {import("./saved-texts.js").Saved & { ids: Uint32Array }} saved
   * @param {number} limit
   * @param {() => void} check throws if the prefix is no longer wanted
   */
  async keep({ ids, least, blob }, limit, check) {
    const name = this.#key + (await digestOf(Uint32Array.from(ids)));
    const rest = { bytes: blob.size, used: Date.now(), isWhole: true };
    /** @type {Found} */
    const found = { name, addresses: [this.#address], ids: [...ids], least, ...rest };
    try {
      await holdingLock({ signal: AbortSignal.timeout(LOCK_LIMIT) }, async () => {
        check();
        // Another tab may have kept it while this one waited.
        if (await this.#findExactly(ids)) return this.#note(found);
        try {
          await store(found, blob, check);
        } catch (/** @type {any} */ error) {
          const isFull = error?.name === "QuotaExceededError";
          if (!isFull || !(await makeRoom(limit - blob.size, name))) throw error;
          await store(found, blob, check);
        }
        this.#add(found);
        await makeRoom(limit - blob.size, name);
      });
    } catch (/** @type {any} */ error) {
      if (error === CANCELLED || error?.code === "disposed") throw error;
      throw new ModelError("prefix-not-kept", `(${reasonOf(error)})`, { cause: error });
    }
  }

  /** @param {Found} found */
  #add(found) {
    this.drop(found);
    if (found.isWhole && found.ids.length <= this.#contextLength) this.#found.push(found);
  }

  /**
   * The kept prefix of exactly these tokens. Another tab may have kept it, or deleted it.
   * @param {Uint32Array} ids
   */
  async #findExactly(ids) {
    const found = await readKept(this.#key + (await digestOf(Uint32Array.from(ids))));
    if (!found?.isWhole) return undefined;
    this.#add(found);
    return found;
  }

  /** Writes the present date and this model's address to the list. The caller holds the lock. @param {Found} found */
  async #note({ name }) {
    const cache = await answer(/** @type {CacheStorage} */ (storage()).open(name));
    const list = await readManifest(cache, listKey);
    // Another tab had deleted it, and opening has made an empty one.
    if (!list?.isWhole) return remove(name);
    const addresses = [...new Set([...list.addresses, this.#address])];
    await putManifest(cache, listKey, { ...list, addresses, used: Date.now() });
  }
}

/** The prefixes that the browser keeps for all models, also unfinished ones, the least recently used first. */
export const keptPrefixes = () => readAll(PREFIXES);

/** @param {Found} found */
export const removePrefix = ({ name }) => remove(name);

/**
 * Runs alone among the tabs, or at once in a browser without locks.
 * @param {LockOptions} options
 * @param {() => Promise<void>} run
 */
async function holdingLock(options, run) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return run();
  await locks.request(LOCK, options, (lock) => (lock ? run() : undefined));
}

/** Why a prefix was not kept. @param {any} error */
function reasonOf(error) {
  if (error?.name === "QuotaExceededError") return "The browser has no room for it.";
  return error?.name === "TimeoutError" ? "Another tab keeps one." : error?.message;
}

/**
 * Stores a prefix. The caller holds the lock.
 * @param {Found} found
 * @param {Blob} blob
 * @param {() => void} check
 */
async function store(found, blob, check) {
  const { name, ...list } = found;
  const caches = /** @type {CacheStorage} */ (storage());
  try {
    await remove(name);
    const cache = await answer(caches.open(name));
    await putManifest(cache, listKey, { ...list, isWhole: false });
    for (let i = 0; i * PART < blob.size; i++) {
      check();
      await answer(cache.put(partKey(i), new Response(blob.slice(i * PART, (i + 1) * PART))));
    }
    check();
    await putManifest(cache, listKey, list);
    check();
    if (!(await answer(caches.has(name)))) throw new Error("It was deleted meanwhile.");
  } catch (error) {
    await remove(name);
    throw error;
  }
}

/**
 * A Cache to read from. Unlike `open` it does not make an empty one if another tab has deleted it.
 * @param {string} name
 */
function inside(name) {
  return { match: async (/** @type {string} */ key) => storage()?.match(key, { cacheName: name }) };
}

/** @param {string} name */
async function remove(name) {
  await answer(Promise.resolve(storage()?.delete(name))).catch(() => {});
}

/**
 * What a Cache has of a prefix.
 * @param {string} name
 * @returns {Promise<Found | undefined>} undefined: the browser does not say
 */
async function readKept(name) {
  const list = await readManifest(inside(name), listKey).catch(() => undefined);
  if (list === undefined) return undefined;
  const addresses = [addressOfFile(name.slice(PREFIXES.length).split(" ")[0])];
  return { addresses, ids: [], least: 0, bytes: 0, used: 0, isWhole: false, ...list, name };
}

/**
 * The kept prefixes whose names begin so, the least recently used first.
 * @param {string} key
 */
async function readAll(key) {
  const all = await Promise.all((await namesWith(key)).map(readKept));
  return all.filter((one) => one !== undefined).sort((a, b) => a.used - b.used);
}

/**
 * Deletes what is unfinished, then the least recently used prefixes until all others than `name` have at most `most`
 * bytes. The caller holds the lock.
 * @param {number} most
 * @param {string} name
 * @returns {Promise<boolean>} whether it deleted any
 */
async function makeRoom(most, name) {
  const others = (await keptPrefixes()).filter((one) => one.name !== name);
  const whole = others.filter((one) => one.isWhole);
  const gone = others.filter((one) => !one.isWhole);
  let bytes = whole.reduce((sum, one) => sum + one.bytes, 0);
  for (; whole.length && bytes > most; bytes -= gone[gone.length - 1].bytes)
    gone.push(/** @type {Found} */ (whole.shift()));
  for (const one of gone) await remove(one.name);
  return gone.length > 0;
}
