// estimateModel: reads from a GGUF header what the file holds and whether the model runs here.
import { checkNames } from "../core/arguments.js";
import { unlessAborted } from "../core/signal.js";
import { connect } from "./link.js";
import { checkReadOptions, howToRead, readOptionNames } from "./read-options.js";
import { givePiece, openSource } from "./source.js";

/** @typedef {import("./worker/estimate-header.js").Estimate} Estimate */

/**
 * Reads only the header of a .gguf file, and says what the file contains, how much memory the model takes, and whether
 * loadModel can run it here. A download stops after the header; a stream is cancelled.
 * @param {import("./source.js").ModelSource} source
 * @param {import("./read-options.js").ReadOptions} [options]
 * @returns {Promise<Estimate>}
 * @throws {LastInchError} like loadModel, if the file cannot be fetched or has no readable header
 */
export async function estimateModel(source, options = {}) {
  checkNames("estimateModel", options, readOptionNames);
  checkReadOptions(options);
  const { signal, worker } = options;
  const opened = await openSource(source, options);
  /** @type {Promise<import("./link.js").Connection> | undefined} */
  let connecting;
  let end = () => {};
  try {
    signal?.throwIfAborted();
    connecting = connect(worker);
    const { link } = await unlessAborted(signal, connecting);
    const model = link.newModel();
    end = () => link.endModel(model, signal?.reason);
    /** @type {Promise<Estimate>} */
    const reading = new Promise((done, failed) => {
      const pull = () => opened.pump && void givePiece(link, call, opened.pump);
      const kind = /** @type {const} */ ("estimate");
      const request = { kind, model, source: opened.source, ...howToRead(options) };
      const call = link.begin(request, { model, done, failed, pull });
    });
    return await unlessAborted(signal, link.wait(reading));
  } finally {
    end();
    opened.pump?.cancel();
    connecting?.then(
      ({ leave }) => leave(),
      () => {},
    );
  }
}
