// Memory of an instance.
import { LastInchError } from "./errors.js";

/** @typedef {Pick<import("./exports.js").SamplerExports, "li_memory_alloc" | "li_memory_free">} MemoryExports */
/** @typedef {import("./wasm.js").Instance<MemoryExports>} Instance of any module */

/**
 * An address from C, as an unsigned number.
 * @param {number} address 0 if memory was full
 * @throws {LastInchError} "out-of-memory"
 */
export function allocated(address) {
  if (!address) throw new LastInchError("out-of-memory");
  return address >>> 0;
}

/**
 * Allocates `size` bytes, which the caller frees.
 * @param {Instance} instance
 * @param {number} size
 */
export const allocate = ({ exports }, size) => allocated(exports.li_memory_alloc(size));

/**
 * Runs `use` with the address of `size` bytes, which are freed afterwards.
 * @template Result
 * @param {Instance} instance
 * @param {number} size
 * @param {(address: number) => Result} use
 */
export function withMemory(instance, size, use) {
  const address = allocate(instance, size);
  try {
    return use(address);
  } finally {
    instance.exports.li_memory_free(address);
  }
}
