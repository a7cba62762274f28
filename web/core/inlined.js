// Files that the page brought along as text ("lastinch/inline"), for where nothing lies beside the module.
// They are kept where every copy of this library in the thread finds them; wasm.js looks there for itself.

/** Bytes of .wasm files and texts of scripts, by name. @typedef {Record<string, Uint8Array | string>} Files */

const scope = /** @type {{ "lastinch/inline"?: Files }} */ (/** @type {unknown} */ (globalThis));

/**
 * Adds files to those that the page brought along. It may be called again and again.
 * @param {Record<string, string>} wasm .wasm files, base64
 * @param {Record<string, string>} [scripts]
 */
export function bring(wasm, scripts) {
  const files = (scope["lastinch/inline"] ??= {});
  for (const [name, text] of Object.entries(wasm))
    Object.defineProperty(files, name, {
      get: () => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
      configurable: true,
      enumerable: true,
    });
  Object.assign(files, scripts);
}

/** What there is, for another thread. */
export function broughtFiles() {
  return scope["lastinch/inline"];
}

/**
 * Takes what another thread has.
 * @param {Files} files
 */
export function takeFiles(files) {
  scope["lastinch/inline"] = files;
}

/** Addresses of scripts, made once. @type {Map<string, URL>} */
const addresses = new Map();

/**
 * The address of a script that the page brought along.
 * @param {"worker" | "helper"} name
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
  // Node's Workers take no blob:, and those of pages would have no origin of their own under data:.
  return typeof Worker === "undefined"
    ? `data:text/javascript,${encodeURIComponent(text)}`
    : URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}
