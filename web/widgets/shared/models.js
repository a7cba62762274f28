// The models of a page: fetched when a reader asks, once for all widgets, whichever bundle they come from. A model goes by its
// key: the name of a shipped model, or an address.

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {(progress: { loaded: number, total: number }) => void} OnProgress */
/** @typedef {{ model: Promise<Model>, loaded?: Model, users: number, listeners: Set<OnProgress>, abort: AbortController }} Entry */

/** Imports the module that says where a shipped model is: what loadModel takes. @typedef {() => Promise<{ default: any }>} ShippedModel */

/** Bytes of the shipped models. @type {Record<string, number>} */
const sizes = { storyteller: 2563840, draft: 345312, shakespeare: 933952 };

/** What is loaded or being loaded, by key. @returns {Map<string, Entry>} */
const registry = () => {
  const place = /** @type {any} */ (globalThis);
  return (place[Symbol.for("lastinch.models")] ??= new Map());
};

/** The model, if it is there already. @param {string} key */
export const loadedModel = (key) => registry().get(key)?.loaded;

/** Bytes that a model will cost; undefined where only a request would show them. @param {string} key */
export const modelSize = (key) => (loadedModel(key) ? 0 : sizes[key]);

/**
 * A model for one user, who releases it when it is no longer needed. The last release disposes of it.
 * @param {string} key
 * @param {ShippedModel | undefined} shipped of a shipped model
 * @param {{ signal?: AbortSignal, onProgress?: OnProgress }} how the download ends when the last user gives up
 * @returns {Promise<{ model: Model, release: () => void }>}
 */
export const acquireModel = async (key, shipped, how) =>
  (await import("./acquire-model.js")).acquire(registry(), key, shipped, how);
