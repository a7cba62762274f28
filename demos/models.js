// The models that the page can run, loaded once each and only when they are needed.
import { LastInchError, loadModel } from "../dist/index.js";

/** @typedef {{ name: string, label: string, url: string }} ModelEntry */

const folder = new URL("model/", import.meta.url);

/** @type {ModelEntry[]} */
export const models = [
  { name: "storyteller", label: "Storyteller", url: new URL("storyteller.gguf", folder).href },
  { name: "draft", label: "Tiny: a tenth of its size", url: new URL("draft.gguf", folder).href },
];

/** @type {Map<string, Promise<import("../dist/index.js").Model>>} */
const loaded = new Map();

/**
 * @param {string} name
 * @param {{ onProgress?: (progress: { loaded: number, total: number }) => void, signal?: AbortSignal }} how
 */
export function getModel(name, how) {
  let model = loaded.get(name);
  if (!model) {
    const { url } = /** @type {ModelEntry} */ (models.find((entry) => entry.name === name));
    model = loadModel(url, how);
    loaded.set(name, model);
    model.catch(() => loaded.delete(name));
  }
  return model;
}

/** @param {string} name */
export const isLoaded = (name) => loaded.has(name);

/**
 * Bytes of a model's file, without fetching it; null where it is missing.
 * @param {string} name
 */
export async function modelSize(name) {
  const { url } = /** @type {ModelEntry} */ (models.find((entry) => entry.name === name));
  const response = await fetch(url, { method: "HEAD" }).catch(() => null);
  return response?.ok ? Number(response.headers.get("content-length")) || 0 : null;
}

/** What was recorded about the storyteller: prompts that make it loop when it is greedy. */
export async function recordedPrompts() {
  try {
    const response = await fetch(new URL("prompts.json", folder));
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/**
 * What went wrong, as a sentence that says what to do.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof LastInchError && /^model-(download|stalled)$/.test(error.code))
    return `${error.message} Check that the server still runs and that demos/model/ has the file, or choose the other model; then press Generate again.`;
  if (error instanceof LastInchError && error.code === "no-webassembly")
    return `${error.message} Without it this page cannot run its model.`;
  if (error instanceof Error && "code" in error) return error.message;
  return `Something unexpected went wrong: ${error instanceof Error ? error.message : error}. Reload the page to start afresh.`;
}
