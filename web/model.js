// loadModel with the code that runs models bound in: for service workers and other places that have neither a Worker
// nor dynamic import. Elsewhere "lastinch" itself loads less.
import { createHost } from "./host.js";
import { load } from "./load-model.js";

/** @typedef {import("./load-model.js").ModelSource} ModelSource */
/** @typedef {import("./load-model.js").LoadOptions} LoadOptions */

/**
 * As loadModel of "lastinch".
 * @param {ModelSource} source
 * @param {LoadOptions} [options]
 */
export function loadModel(source, options) {
  return load(source, async () => ({ createHost }), options);
}

export * from "./decoding.js";
export { LastInchError } from "./errors.js";
