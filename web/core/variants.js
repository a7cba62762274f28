// Chooses among the builds of model.wasm.
import { instantiate } from "./wasm.js";

/** @typedef {import("./wasm.js").ModelInstance} ModelInstance */

// The smallest module that uses an instruction of relaxed SIMD: three times the vector of (i32.const 0 i8x16.splat) into
// i32x4.relaxed_dot_i8x16_i7x16_add.
const relaxedProbe = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0],
  ...[65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 147, 2, 11],
];

// Pages of 65,536 bytes of the shared memory, as the Makefile links it.
const FIRST_PAGES = 2;
const LAST_PAGES = 65536;
/** Bytes beside those of the model: its tokenizer, the samplers, grammars' masks. */
const BESIDE = 1 << 26;

/** @type {Record<string, import("./wasm.js").ReadFile>} */
const files = {
  model: (read) => read(new URL("./model.wasm", import.meta.url)),
  "model-relaxed": (read) => read(new URL("./model-relaxed.wasm", import.meta.url)),
  "model-threads": (read) => read(new URL("./model-threads.wasm", import.meta.url)),
  "model-relaxed-threads": (read) => read(new URL("./model-relaxed-threads.wasm", import.meta.url)),
};

/**
 * A fresh instance of "model".
 * @param {boolean} isShared whether other threads may create instances on its memory, if the browser allows it
 * @param {number} [bytes] that a model needs
 * @returns {Promise<ModelInstance>}
 */
export async function instantiateModel(isShared, bytes = 0) {
  const isRelaxed = typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(relaxedProbe));
  const plain = isRelaxed ? "model-relaxed" : "model";
  const memory = isShared ? sharedMemory(bytes + BESIDE) : undefined;
  const name = memory ? /** @type {const} */ (`${plain}-threads`) : plain;
  return instantiate(name, files[name], memory);
}

/**
 * Shared memory that can grow to this many bytes. Engines reserve the maximum at once, and those of phones refuse a large
 * one, so smaller ones are tried. undefined: all are refused.
 * @param {number} bytes
 */
function sharedMemory(bytes) {
  for (let maximum = LAST_PAGES; 65536 * maximum >= bytes; maximum /= 2)
    try {
      return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true });
    } catch {
      // The next is smaller.
    }
  return undefined;
}
