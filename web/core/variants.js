// Chooses among the builds of model.wasm.
import { instantiate } from "./wasm.js";

/** @typedef {import("./wasm.js").ModelInstance} ModelInstance */

// The smallest module that uses an instruction of relaxed SIMD: three times the vector of (i32.const 0 i8x16.splat) into
// i32x4.relaxed_dot_i8x16_i7x16_add.
const relaxedProbe = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0],
  ...[65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 147, 2, 11],
];

// Pages of the shared memory, as the Makefile links it.
const FIRST_PAGES = 2;
const LAST_PAGES = 65536;

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
 * @returns {Promise<ModelInstance>}
 */
export async function instantiateModel(isShared) {
  const isRelaxed = typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(relaxedProbe));
  const plain = isRelaxed ? "model-relaxed" : "model";
  const memory = isShared ? sharedMemory() : undefined;
  const name = memory ? /** @type {const} */ (`${plain}-threads`) : plain;
  return instantiate(name, files[name], memory);
}

/** undefined: the engine refuses memory with so large a maximum. */
function sharedMemory() {
  try {
    return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: LAST_PAGES, shared: true });
  } catch {
    return undefined;
  }
}
