// The code of grammars: one instance a thread, shared by all vocabularies, grammars and matchers.
import { LastInchError } from "../core/errors.js";
import { instantiate } from "../core/wasm.js";

/** @typedef {import("../core/wasm.js").Instance} Instance */

/** @type {Promise<Instance> | undefined} */
let shared;

/** @returns {Promise<Instance>} */
export function grammarInstance() {
  if (!shared) {
    const mine = (shared = instantiate("grammar", () => new URL("./grammar.wasm", import.meta.url)));
    mine.catch(() => shared === mine && (shared = undefined));
  }
  return shared;
}

/**
 * The address, unless there was no memory.
 * @param {number} address
 */
export function allocated(address) {
  if (!address) throw new LastInchError("out-of-memory");
  return address >>> 0;
}

/**
 * Runs `use` with the address of a copy of the bytes, which is freed afterwards.
 * @template Result
 * @param {Instance} instance
 * @param {Uint8Array} bytes
 * @param {(address: number) => Result} use
 */
export function withBytes(instance, bytes, use) {
  const address = allocated(instance.exports.li_memory_alloc(bytes.length));
  try {
    instance.views().bytes.set(bytes, address);
    return use(address);
  } finally {
    instance.exports.li_memory_free(address);
  }
}
