// The models of a page: fetched when a reader asks, once for all widgets, whichever bundle they come from.
import { loadModel } from "../../index.js";
import { openFile, sizes } from "./model-files.js";

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {(progress: { loaded: number, total: number }) => void} OnProgress */
/** @typedef {{ model: Promise<Model>, loaded?: Model, users: number, listeners: Set<OnProgress>, abort: AbortController }} Entry */

/** What is loaded or being loaded, by name or URL. @returns {Map<string, Entry>} */
const registry = () => {
  const place = /** @type {any} */ (globalThis);
  return (place[Symbol.for("lastinch.models")] ??= new Map());
};

/** @param {string} source name of a shipped model, or a URL */
const keyOf = (source) => (Object.hasOwn(sizes, source) ? source : new URL(source, document.baseURI).href);

/** The model, if it is there already. @param {string} source */
export const loadedModel = (source) => registry().get(keyOf(source))?.loaded;

/** Bytes that a source will cost; undefined where nobody knows before asking. @param {string} source */
export const modelSize = (source) => (loadedModel(source) ? 0 : sizes[source]);

/**
 * A model for one user, who releases it when it is no longer needed: with the last one it goes.
 * @param {string} source
 * @param {{ signal?: AbortSignal, onProgress?: OnProgress }} [how] who is the last to give up ends the download
 * @returns {Promise<{ model: Model, release: () => void }>}
 */
export async function acquireModel(source, { signal, onProgress } = {}) {
  const key = keyOf(source);
  const models = registry();
  let entry = models.get(key);
  if (!entry) {
    const abort = new AbortController();
    /** @type {Set<OnProgress>} */
    const listeners = new Set();
    const tell = (/** @type {{ loaded: number, total: number }} */ progress) =>
      listeners.forEach((listen) => listen(progress));
    const open = async () => (key in sizes ? openFile(key) : key);
    const model = open().then((file) => loadModel(file, { signal: abort.signal, onProgress: tell }));
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
