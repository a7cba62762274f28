// Files that the page loaded as text ("lastinch/inline"), for pages without files beside the module. A global holds them,
// so that every copy of this library in the thread finds them; wasm.js reads the global directly.

/**
 * Bytes or compiled modules of .wasm files, and texts of scripts, by name.
 * @typedef {Record<string, Uint8Array | WebAssembly.Module | string>} Files
 */

const scope = /** @type {{ "lastinch/inline"?: Files }} */ (/** @type {unknown} */ (globalThis));

/**
 * Adds files. It may be called repeatedly.
 * @param {Record<string, () => Uint8Array | WebAssembly.Module>} wasm functions that return the bytes of .wasm files,
 *   or modules
 * @param {Record<string, string>} [scripts]
 */
export function bring(wasm, scripts) {
  const files = (scope["lastinch/inline"] ??= {});
  for (const [name, get] of Object.entries(wasm))
    Object.defineProperty(files, name, { get, configurable: true, enumerable: true });
  Object.assign(files, scripts);
}

/** The files, for another thread. */
export function broughtFiles() {
  return scope["lastinch/inline"];
}

/**
 * Takes the files of another thread.
 * @param {Files} files
 */
export function takeFiles(files) {
  scope["lastinch/inline"] = files;
}

/** Addresses of scripts, made once. @type {Map<string, URL>} */
const addresses = new Map();

/**
 * The address of a script among the files.
 * @param {"worker" | "helper" | "train-worker"} name
 * @returns {URL | undefined}
 */
export function broughtScript(name) {
  const text = broughtFiles()?.[name];
  if (typeof text !== "string") return undefined;
  const address = addresses.get(name) ?? new URL(addressOf(text));
  addresses.set(name, address);
  return address;
}

/** @param {string} text */
function addressOf(text) {
  // data: in Node, whose Workers do not take blob: addresses; blob: in pages, because a data: Worker has an opaque
  // origin.
  return typeof Worker === "undefined"
    ? `data:text/javascript,${encodeURIComponent(text)}`
    : URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}
