// Tells when a thread or a page is gone. It holds a Web Lock as long as it lives, and browsers release the locks of what
// they end, whether it was closed, killed or crashed.

/**
 * Takes a lock that this thread holds until it is gone.
 * @param {string} kind of the holder
 * @returns {Promise<string | undefined>} the name of the lock; undefined where there are no locks, as in pages on http:
 */
export async function holdLock(kind) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return undefined;
  const name = `lastinch-${kind} ${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    const hold = () => {
      resolve(name);
      return new Promise(() => {});
    };
    locks.request(name, hold).catch(() => resolve(undefined));
  });
}

/**
 * Calls `gone` when the holder of a lock is gone.
 * @param {string} name
 * @param {() => void} gone
 * @returns {() => void} ends the wait
 */
export function whenGone(name, gone) {
  const controller = new AbortController();
  // Shared, because several may wait for one holder.
  const options = /** @type {const} */ ({ mode: "shared", signal: controller.signal });
  navigator.locks.request(name, options, gone).catch(() => {});
  return () => controller.abort();
}
