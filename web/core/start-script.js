// Starts the script of a Worker where a plain `new Worker` would not: from another origin, and under Trusted Types.

/** What a global scope has of Trusted Types. @typedef {{ createScriptURL: (address: string) => string }} Policy */

/** @type {Map<string, string>} Addresses of scripts of this origin that import those of others. */
const imports = new Map();
/** @type {Policy | undefined} */
let policy;

/** Why a worker did not start. Browsers often do not say. @param {any} cause */
export const reasonOf = (cause) =>
  cause?.message || "its script could not be fetched, or a Content-Security-Policy forbids it";

/**
 * Calls `start`, which creates a Worker. Bundlers recognise only `new Worker(new URL("…", import.meta.url))`, and only
 * they know which address that becomes. So `Worker` is another function for the time of the call, which sees the address.
 * @param {() => Worker} start
 */
export function startScript(start) {
  const { Worker } = globalThis;
  // A page may have fixed it.
  if (!Object.getOwnPropertyDescriptor(globalThis, "Worker")?.writable) return start();
  globalThis.Worker = /** @type {any} */ (
    function (/** @type {string | URL} */ address, /** @type {WorkerOptions} */ options) {
      const near = nearAddress(address);
      return new Worker(trusted(near), near === String(address) ? options : { ...options, type: "module" });
    }
  );
  try {
    return start();
  } finally {
    globalThis.Worker = Worker;
  }
}

/**
 * Browsers start no Worker from another origin's script, but a module of this origin may import it.
 * @param {string | URL} address
 */
function nearAddress(address) {
  const { href, origin } = new URL(address, globalThis.location?.href);
  const here = globalThis.origin; // undefined in Deno
  // The origin of an app's or extension's own scheme is not always in its URLs.
  if (here === undefined || origin === here || href.startsWith(`${here}/`)) return String(address);
  const made = imports.get(href);
  if (made) return made;
  const script = `import ${JSON.stringify(href)};`;
  // In a sandbox without an origin, Chromium starts no module from a blob:.
  const near =
    globalThis.origin === "null"
      ? `data:text/javascript,${encodeURIComponent(script)}`
      : URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  imports.set(href, near);
  return near;
}

/**
 * Under Trusted Types a Worker's address must come from a policy: ours, if the page has none of its own for all.
 * @param {string} address
 */
function trusted(address) {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  if (!trustedTypes || trustedTypes.defaultPolicy) return address;
  try {
    policy ??= /** @type {Policy} */ (
      trustedTypes.createPolicy("lastinch", { createScriptURL: (/** @type {string} */ address) => address })
    );
  } catch {
    return address; // the page allows no such policy, and perhaps needs none
  }
  return policy.createScriptURL(address);
}
