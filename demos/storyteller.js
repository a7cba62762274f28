// The shipped model, fetched when a reader first asks for it. A page has one, shared with its widgets.
import { modelSize } from "../web/widgets/shared/models.js";

/** Bytes. */
export const storytellerSize = modelSize("storyteller");

/**
 * @param {{ signal?: AbortSignal, onProgress?: (progress: { loaded: number, total: number }) => void }} [how]
 * @returns {Promise<import("../dist/index.js").Model>}
 */
export async function openStoryteller(how = {}) {
  const shipped = () => import("../dist/storyteller.js");
  const [{ acquire }] = await Promise.all([import("../dist/widgets-acquire-model.js"), shipped()]);
  const page = /** @type {any} */ (globalThis);
  const models = (page[Symbol.for("lastinch.models")] ??= new Map());
  return (await acquire(models, "storyteller", shipped, how)).model;
}
