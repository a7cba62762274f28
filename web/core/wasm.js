// Compiles and instantiates .wasm files, which are beside the bundled module, or which the page has loaded as text.
import { LastInchError } from "./errors.js";

/**
 * One instance and the views on its memory.
 * @template Exports
 * @typedef {object} Instance
 * @property {Exports} exports
 * @property {() => Views} views views of the current memory: call it again after every call that may grow the memory
 * @property {WebAssembly.Memory} [shared] the memory, if other threads can create instances on it
 * @property {WebAssembly.Module} module
 */

/** @typedef {import("./exports.js").ExportsByModule} ExportsByModule */
/** @typedef {Instance<ExportsByModule["sampler"]>} SamplerInstance */
/** @typedef {Instance<import("./exports.js").DecodeExports>} DecodeInstance model.wasm has its exports too */
/** @typedef {Instance<ExportsByModule["grammar"]>} GrammarInstance */
/** @typedef {Instance<ExportsByModule["model"]>} ModelInstance */

/**
 * @typedef {object} Views
 * @property {Uint8Array} bytes
 * @property {Uint16Array} halves
 * @property {Uint32Array} words
 * @property {Float32Array} floats
 * @property {Float64Array} doubles
 */

// The smallest module with SIMD: (type (func (param v128))).
const simdProbe = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 1, 123, 0];

/**
 * Calls `read` with the address of a .wasm file. The address is written out, because bundlers only recognise the
 * literal form. It is an argument, because the file tracers of servers (Nuxt, Vercel) overlook what an arrow function
 * returns. It is made only when needed, because some bundlers remove `import.meta.url`.
 * @typedef {(read: (url: URL) => Promise<any>) => Promise<any>} ReadFile
 */

/** This thread's modules by file, and shared instances by name. @type {Map<string, Promise<any>>} */
const opened = new Map();

/**
 * Opens something once. After a failure the next call opens it again.
 * @template Opened
 * @param {string} name
 * @param {() => Promise<Opened>} open
 * @returns {Promise<Opened>}
 */
function once(name, open) {
  let promise = opened.get(name);
  if (!promise) {
    promise = open();
    opened.set(name, promise);
    promise.catch(() => opened.delete(name));
  }
  return promise;
}

/**
 * The instance that all objects of a thread share.
 * @template {keyof ExportsByModule} Name
 * @param {Name} name
 * @param {ReadFile} readFile
 * @returns {Promise<Instance<ExportsByModule[Name]>>}
 */
export const sharedInstance = (name, readFile) => once(name, () => instantiate(name, readFile));

/**
 * A new instance. The code is fetched and compiled once a thread.
 * @template {keyof ExportsByModule} Name
 * @param {Name} name
 * @param {ReadFile} readFile
 * @param {WebAssembly.Memory} [shared] for a module that imports its memory
 * @returns {Promise<Instance<ExportsByModule[Name]>>}
 */
export async function instantiate(name, readFile, shared) {
  if (typeof WebAssembly !== "object") throw new LastInchError("no-webassembly");
  if (!WebAssembly.validate(new Uint8Array(simdProbe))) throw new LastInchError("no-simd");
  const module = await once(name + ".wasm", () => compile(name, readFile));
  const instance = await start(module, shared);
  const exports = /** @type {any} */ (instance.exports);
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
    // WebKit compiles under a Content-Security-Policy that forbids it, and refuses here.
    const isForbidden = cause instanceof WebAssembly.CompileError;
    throw new LastInchError(isForbidden ? "no-webassembly" : "out-of-memory", undefined, { cause });
  }
}

/**
 * @param {string} name
 * @param {ReadFile} readFile
 */
async function compile(name, readFile) {
  let bytes;
  try {
    bytes = /** @type {any} */ (globalThis)["lastinch/inline"]?.[name] ?? (await readFile(read));
    return bytes instanceof WebAssembly.Module ? bytes : await WebAssembly.compile(bytes);
  } catch (cause) {
    // Valid bytes are refused under a Content-Security-Policy; others are an error page of the server.
    const isWasm = bytes && WebAssembly.validate(bytes);
    throw new LastInchError(isWasm ? "no-webassembly" : "wasm-unavailable", `(${name}.wasm)`, { cause });
  }
}

/**
 * @param {URL} url
 * @returns {Promise<any>} bytes
 */
async function read(url) {
  if (url.protocol === "file:" && globalThis.process)
    return globalThis.process.getBuiltinModule("node:fs/promises").readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw Error(`HTTP ${response.status} ${url}`);
  return response.arrayBuffer();
}

/** @param {WebAssembly.Memory} memory */
function viewsOf(memory) {
  /** @type {Views} */
  let views;
  return () => {
    // Memory growth replaces the buffer and detaches the old views, which then read as empty.
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
