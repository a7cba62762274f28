// The models of a page: fetched when a reader asks, once for all widgets, whichever bundle they come from. A model's
// key is the name of a shipped model, an address, or “trained” with the number of a model that learnt in this page.

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {(progress: { loaded: number, total: number }) => void} OnProgress */
/**
 * file: of a model that learnt in this page; text: what it learnt
 * @typedef {{ model: Promise<Model>, loaded?: Model, users: number, listeners: Set<OnProgress>, abort: AbortController, file?: Blob, text?: string }} Entry
 */

/** Imports the module that says where a shipped model is: what loadModel takes. @typedef {() => Promise<{ default: any }>} ShippedModel */

/** Bytes of the shipped models. @type {Record<string, number>} */
const sizes = { storyteller: 2563840, draft: 345312, shakespeare: 933952, medusa: 317728, eagle: 645920 };

/** Models that are loaded or loading, by key. @returns {Map<string, Entry>} */
export const registry = () => {
  const place = /** @type {any} */ (globalThis);
  return (place[Symbol.for("lastinch.models")] ??= new Map());
};

/** The model, if it is loaded. @param {string} key */
export const loadedModel = (key) => registry().get(key)?.loaded;

/** The key of the model that learnt in this page last. */
export const trainedKey = () => [...registry().keys()].filter((key) => key.startsWith("trained ")).pop();

/** Size of a model in bytes; undefined if only a request would tell. @param {string} key */
export const modelSize = (key) => (loadedModel(key) ? 0 : sizes[key]);

/**
 * Gets a model for one user, who releases it afterwards. The last release disposes of the model.
 * @param {string} key
 * @param {ShippedModel | undefined} shipped of a shipped model
 * @param {{ signal?: AbortSignal, onProgress?: OnProgress }} how the download ends when the last user gives up
 * @returns {Promise<{ model: Model, release: () => void }>}
 */
export const acquireModel = async (key, shipped, how) =>
  (await import("./acquire-model.js")).acquire(registry(), key, shipped, how);
