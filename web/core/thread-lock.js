// Tells when a thread or a page is gone. It holds a Web Lock as long as it lives, and browsers release the locks of what
// they end, whether it was closed, killed or crashed.

/** @typedef {{ name: string, release: () => void }} HeldLock */

/**
 * Takes a lock that this thread holds until it is gone, or releases it.
 * @param {string} kind of the holder
 * @returns {Promise<HeldLock | undefined>} undefined where there are no locks, as in pages on http:
 */
export async function holdLock(kind) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return undefined;
  const name = `lastinch-${kind} ${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    const hold = () => new Promise((release) => resolve({ name, release: () => release(undefined) }));
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
