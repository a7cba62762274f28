// Cross-Origin Storage: files that all sites of a browser share, by their SHA-256. A draft of the WICG
// (https://wicg.github.io/cross-origin-storage/), so it is used only where the browser, or an extension, has it.

/**
 * @typedef {object} SharedStorage
 * @property {(hash: { algorithm: string, value: string }, options?: { create?: boolean, origins?: string }) =>
 *   Promise<FileSystemFileHandle>} requestFileHandle
 */

/** @returns {SharedStorage | undefined} */
const storage = () => /** @type {any} */ (globalThis.navigator)?.crossOriginStorage;

export const mayShare = () => typeof storage()?.requestFileHandle === "function";

/** @param {string} value */
const hashOf = (value) => ({ algorithm: "SHA-256", value });

/**
 * A file that a site has stored. The browser has verified its bytes.
 * @param {string} sha256
 * @returns {Promise<Blob | undefined>}
 */
export async function findShared(sha256) {
  try {
    return await (await storage()?.requestFileHandle(hashOf(sha256)))?.getFile();
  } catch {
    // There is none, or the browser does not say.
    return undefined;
  }
}

/**
 * Stores a file for all sites.
 * @param {string} sha256
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {Promise<boolean>} whether this and other sites find it from now on
 */
export async function keepShared(sha256, stream) {
  try {
    const handle = await storage()?.requestFileHandle(hashOf(sha256), { create: true, origins: "*" });
    if (!handle) return false;
    await stream.pipeTo(await handle.createWritable());
    return true;
  } catch {
    return false;
  }
}
