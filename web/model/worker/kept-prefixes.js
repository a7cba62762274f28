// Prefixes of prompts that the browser keeps for a model, so that a returning visitor does not wait while they are read.
//
// They are in the Cache API, as the copies of models are (file-cache.js says why), so a page has one storage to bound, list
// and delete. Each has a Cache of its own. Its name has the hash of the model's file, what keys and values depend on, and
// the hash of the tokens, so one look at the names tells whether anything is kept. The saved text lies in parts; it has
// hashes of its own. The list of a prefix is put before the parts, which count as soon as they take room, and again when
// all parts are there.
import { SAVED_LONG, SAVED_VERSION, cacheTypes } from "../../core/layouts.js";
import {
  SAVED_TEXT_CACHE_TYPE,
  SAVED_TEXT_FILE_HIGH,
  SAVED_TEXT_FILE_LOW,
  SAVED_TEXT_FLAGS,
} from "../../core/layouts.js";
import { ModelError } from "../../core/model-errors.js";
import { PREFIXES, answer, digestOf, namesWith, putManifest, readManifest, storage } from "./file-cache.js";

/**
 * A kept prefix.
 * @typedef {object} Kept
 * @property {string} address of the model, as loadModel got it; `lastinch-file:` and the file's hash where it had none
 * @property {number[]} ids
 * @property {number} least how many of the ids a prompt must begin with
 * @property {number} bytes
 * @property {number} used when it was last used, in ms since 1970
 * @property {boolean} isWhole false: a tab is keeping it, or was closed meanwhile
 */

/** @typedef {Kept & { name: string }} Found */

const listKey = "https://lastinch.invalid/prefix";
/** @param {number} index */
const partKey = (index) => `https://lastinch.invalid/${index}`;

const PART = 1 << 24;

/** ms in which a tab keeps a prefix. What is unfinished after that is deleted. */
const KEEPING_LIMIT = 600_000;

/** A kept prefix is loaded in about a tenth of the time that the model takes to read it, or less. */
const WORTH = 1 / 8;

/** The prefixes of one model. */
export class KeptPrefixes {
  #key;
  #address;
  /** @type {Found[]} */
  #found;

  /**
   * @param {Uint32Array} header a li_saved_text of the model
   * @param {string | undefined} address of the model
   */
  static async open(header, address) {
    const hex = (/** @type {number} */ word) => header[word].toString(16).padStart(8, "0");
    const file = hex(SAVED_TEXT_FILE_HIGH) + hex(SAVED_TEXT_FILE_LOW);
    const scale = header[SAVED_TEXT_FLAGS] & SAVED_LONG ? "-long" : "";
    const key = `${PREFIXES}${file} ${cacheTypes[header[SAVED_TEXT_CACHE_TYPE]]}${scale} ${SAVED_VERSION} `;
    const whole = (await readAll(key)).filter(({ isWhole }) => isWhole);
    return new KeptPrefixes(key, address ?? `lastinch-file:${file}`, whole);
  }

  /**
   * @param {string} key
   * @param {string} address
   * @param {Found[]} found
   */
  constructor(key, address, found) {
    this.#key = key;
    this.#address = address;
    this.#found = found;
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
   * The saved text of a prefix, which becomes the most recently used.
   * @param {Found} found
   * @returns {Promise<Blob | undefined>} undefined: it is gone
   */
  async read(found) {
    try {
      const cache = await openKept(found.name);
      if (!cache) throw new Error("it is gone");
      const count = Math.ceil(found.bytes / PART);
      const parts = await Promise.all(
        Array.from({ length: count }, async (_, i) => (await answer(cache.match(partKey(i))))?.blob()),
      );
      found.used = Date.now();
      await putList(cache, found);
      return new Blob(/** @type {Blob[]} */ (parts.filter(Boolean)));
    } catch {
      this.#found = this.#found.filter((one) => one !== found);
      return undefined;
    }
  }

  /** @param {Found} found */
  async forget(found) {
    this.#found = this.#found.filter((one) => one !== found);
    await remove(found.name);
  }

  /**
   * The kept prefix of exactly these tokens, which becomes the most recently used.
   * @param {Uint32Array} ids
   * @returns {Promise<Found | undefined>}
   */
  async use(ids) {
    const name = await this.#nameOf(ids);
    const found = this.#found.find((one) => one.name === name);
    const cache = found && (await openKept(name).catch(() => undefined));
    if (!cache) return undefined;
    found.used = Date.now();
    await putList(cache, found).catch(() => {});
    return found;
  }

  /**
   * Keeps the saved text of a prefix. The least recently used prefixes go until all together have at most `limit` bytes.
   * @param {Uint32Array} ids
   * @param {number} least
   * @param {Blob} blob
   * @param {number} limit
   */
  async keep(ids, least, blob, limit) {
    const name = await this.#nameOf(ids);
    /** @type {Found} */
    const found = {
      name,
      address: this.#address,
      ids: [...ids],
      least,
      bytes: blob.size,
      used: Date.now(),
      isWhole: false,
    };
    try {
      await makeRoom(limit - blob.size, name);
      await remove(name);
      const cache = await answer(/** @type {CacheStorage} */ (storage()).open(name));
      await putList(cache, found);
      for (let i = 0; i * PART < blob.size; i++)
        await answer(cache.put(partKey(i), new Response(blob.slice(i * PART, (i + 1) * PART))));
      found.isWhole = true;
      await putList(cache, found);
      // Another tab may have kept one meanwhile.
      await makeRoom(limit - blob.size, name);
    } catch (/** @type {any} */ error) {
      await remove(name);
      const reason = error?.name === "QuotaExceededError" ? "The browser has no room for it." : error?.message;
      throw new ModelError("prefix-not-kept", `(${reason})`, { cause: error });
    }
    this.#found = [...this.#found.filter((one) => one.name !== name), found];
  }

  /** @param {Uint32Array} ids */
  async #nameOf(ids) {
    return this.#key + (await digestOf(Uint32Array.from(ids)));
  }
}

/** The prefixes that the browser keeps for all models, the least recently used first. */
export const keptPrefixes = () => readAll(PREFIXES);

/** @param {Found} found */
export const removePrefix = ({ name }) => remove(name);

/** @param {string} name */
async function openKept(name) {
  const caches = storage();
  return caches && (await answer(caches.has(name))) ? answer(caches.open(name)) : undefined;
}

/** @param {Cache} cache @param {Found} found */
function putList(cache, { name: _, ...kept }) {
  return putManifest(cache, listKey, kept);
}

/** @param {string} name */
async function remove(name) {
  await answer(Promise.resolve(storage()?.delete(name))).catch(() => {});
}

/**
 * The kept prefixes whose names begin so, the least recently used first.
 * @param {string} key
 * @returns {Promise<Found[]>}
 */
async function readAll(key) {
  const all = await Promise.all(
    (await namesWith(key)).map(async (name) => {
      const cache = await openKept(name).catch(() => undefined);
      const list = cache && (await readManifest(cache, listKey).catch(() => null));
      return list ? [{ ...list, name }] : [];
    }),
  );
  return all.flat().sort((a, b) => a.used - b.used);
}

/**
 * Deletes the least recently used prefixes until all others than `name` have at most `most` bytes, and what was never
 * finished.
 * @param {number} most
 * @param {string} name
 */
async function makeRoom(most, name) {
  const others = (await keptPrefixes()).filter((one) => one.name !== name);
  let bytes = others.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of others) {
    const isLeft = !one.isWhole && one.used < Date.now() - KEEPING_LIMIT;
    if (bytes <= most && !isLeft) continue;
    await remove(one.name);
    bytes -= one.bytes;
  }
}
