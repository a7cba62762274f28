// What loading a model and loading a tokenizer have in common: a place in the thread of the models, from which nothing
// is left if the loading fails or is aborted.
import { unlessAborted } from "../core/signal.js";
import { connect } from "./link.js";

/**
 * @template T
 * @param {import("./source.js").Opened} opened its download ends here
 * @param {{ signal?: AbortSignal, worker?: boolean, shareAcrossTabs?: boolean }} options
 * @param {(link: import("./link.js").Link, model: number, leave: () => void) => Promise<T>} read gives the model, whose
 *   number is new, to the link; `leave` is for whoever keeps the result
 * @returns {Promise<T>}
 */
export async function openModel(opened, { signal, worker, shareAcrossTabs }, read) {
  /** @type {Promise<import("./link.js").Connection> | undefined} */
  let connecting;
  /** @param {unknown} _error */
  let end = (_error) => {};
  try {
    signal?.throwIfAborted();
    connecting = connect(worker, shareAcrossTabs);
    const { link, leave } = await unlessAborted(signal, connecting);
    const model = link.newModel();
    end = (error) => link.endModel(model, error);
    return await read(link, model, leave);
  } catch (error) {
    end(error);
    connecting?.then(
      ({ leave }) => leave(),
      () => {},
    );
    throw error;
  } finally {
    opened.pump?.cancel();
  }
}
