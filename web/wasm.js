// Compiles and instantiates the .wasm files that lie beside the bundled module.
import { LastInchError } from "./errors.js";

/**
 * One instance and the views on its memory.
 * @typedef {object} Instance
 * @property {Record<string, (...numbers: number[]) => number>} exports
 * @property {() => Views} views views of the memory as it is now: fetch them anew after every call that may grow it
 * @property {WebAssembly.Memory} [shared] the memory, when other threads can have instances on it
 * @property {WebAssembly.Module} module
 */

/**
 * @typedef {object} Views
 * @property {Uint8Array} bytes
 * @property {Uint16Array} halves
 * @property {Uint32Array} words
 * @property {Float32Array} floats
 * @property {Float64Array} doubles
 */

// The smallest module that uses a SIMD instruction: (func (result v128) i32.const 0 i8x16.splat).
const simdProbe = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];

/** @type {Map<string, Promise<WebAssembly.Module>>} */
const modules = new Map();

/**
 * A fresh instance; its code is fetched and compiled once a thread.
 * @param {URL} url
 * @param {WebAssembly.Memory} [shared] for code that has no memory of its own
 * @returns {Promise<Instance>}
 */
export async function instantiate(url, shared) {
  if (typeof WebAssembly !== "object") throw new LastInchError("no-webassembly");
  if (!WebAssembly.validate(new Uint8Array(simdProbe))) throw new LastInchError("no-simd");
  let compiled = modules.get(url.href);
  if (!compiled) {
    compiled = compile(url);
    modules.set(url.href, compiled);
    compiled.catch(() => modules.delete(url.href));
  }
  const module = await compiled;
  const instance = await start(module, shared);
  const exports = /** @type {Record<string, any>} */ (instance.exports);
  exports._initialize?.();
  return { exports, views: viewsOf(shared ?? exports.memory), shared, module };
}

/**
 * @param {WebAssembly.Module} module
 * @param {WebAssembly.Memory} [memory]
 */
async function start(module, memory) {
  try {
    return await WebAssembly.instantiate(module, memory ? { env: { memory } } : {});
  } catch (cause) {
    throw new LastInchError("out-of-memory", undefined, { cause });
  }
}

/** @param {URL} url */
async function compile(url) {
  let bytes;
  try {
    bytes = await read(url);
  } catch (cause) {
    throw new LastInchError("wasm-unavailable", `(${url})`, { cause });
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    // A page's Content-Security-Policy refuses here; so does a server that answers with an error page.
    const begins = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
    const isWasm = begins.join() === "0,97,115,109";
    throw new LastInchError(isWasm ? "no-webassembly" : "wasm-unavailable", `(${url})`, { cause });
  }
}

/**
 * @param {URL} url
 * @returns {Promise<ArrayBuffer>}
 */
async function read(url) {
  if (url.protocol === "file:" && "process" in globalThis) {
    const file = await process.getBuiltinModule("node:fs/promises").readFile(url);
    return new Uint8Array(file).buffer;
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.arrayBuffer();
}

/** @param {WebAssembly.Memory} memory */
function viewsOf(memory) {
  /** @type {Views} */
  let views;
  return () => {
    // Growing the memory replaces its buffer and silently empties the old views.
    if (views?.bytes.buffer !== memory.buffer)
      views = {
        bytes: new Uint8Array(memory.buffer),
        halves: new Uint16Array(memory.buffer),
        words: new Uint32Array(memory.buffer),
        floats: new Float32Array(memory.buffer),
        doubles: new Float64Array(memory.buffer),
      };
    return views;
  };
}
