// The models of a page: fetched when a reader asks, once for all widgets, whichever bundle they come from.
import { sizes } from "./model-files.js";

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
 * @param {{ signal?: AbortSignal, onProgress?: OnProgress }} how who is the last to give up ends the download
 * @returns {Promise<{ model: Model, release: () => void }>}
 */
export const acquireModel = async (source, how) =>
  (await import("./acquire-model.js")).acquire(registry(), keyOf(source), how);
