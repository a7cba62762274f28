// Fetches a model when a reader first asks for it. It imports none of the widgets' code, so bundles fetch it as its own
// file.
import { loadModel } from "../../index.js";

/** @typedef {import("./models.js").Entry} Entry */
/** @typedef {import("./models.js").Model} Model */
/** @typedef {import("./models.js").OnProgress} OnProgress */

/**
 * Gets a model for one user: see acquireModel.
 * @param {Map<string, Entry>} models of the page
 * @param {string} key of the model in the map
 * @param {import("./models.js").ShippedModel | undefined} shipped
 * @param {{ signal?: AbortSignal, onProgress?: OnProgress }} how
 * @returns {Promise<{ model: Model, release: () => void }>}
 */
export async function acquire(models, key, shipped, { signal, onProgress }) {
  let entry = models.get(key);
  if (!entry) {
    const abort = new AbortController();
    /** @type {Set<OnProgress>} */
    const listeners = new Set();
    const tell = (/** @type {{ loaded: number, total: number }} */ progress) =>
      listeners.forEach((listen) => listen(progress));
    const open = async () =>
      loadModel(shipped ? (await shipped()).default : key, { signal: abort.signal, onProgress: tell });
    const model = open();
    const made = (entry = /** @type {Entry} */ ({ model, users: 0, listeners, abort }));
    models.set(key, made);
    model.then(
      (loaded) => (made.loaded = loaded),
      () => models.get(key) === made && models.delete(key),
    );
  }
  const mine = entry;
  mine.users++;
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    if (onProgress) mine.listeners.delete(onProgress);
    if (--mine.users) return;
    if (models.get(key) === mine) models.delete(key);
    mine.abort.abort();
    mine.model.then(
      (model) => model.dispose(),
      () => {},
    );
  };
  if (onProgress) mine.listeners.add(onProgress);
  try {
    const given = new Promise((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const model = await Promise.race([mine.model, /** @type {Promise<never>} */ (given)]);
    return { model, release };
  } catch (error) {
    release();
    throw error;
  }
}
