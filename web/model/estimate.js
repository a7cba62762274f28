// estimateModel: what a GGUF file holds and whether it runs here, by its header alone.
import { checkBoolean, checkNames, checkWhole } from "../core/arguments.js";
import { checkSignal, unlessAborted } from "../core/signal.js";
import { connect } from "./link.js";
import { STALL_TIMEOUT, givePiece, openSource } from "./source.js";

/** @typedef {import("./worker/estimate.js").Estimate} Estimate */

/**
 * @typedef {object} OwnEstimateOptions
 * @property {number} [contextLength] positions to count memory for. Default: as loadModel.
 * @property {AbortSignal} [signal] stops reading; the promise is then rejected with the signal's reason
 * @property {boolean} [worker] as of loadModel
 * @property {number} [stallTimeout] as of loadModel
 */

/** @typedef {OwnEstimateOptions & import("./source.js").RequestOptions} EstimateOptions */

const optionNames = ["contextLength", "signal", "worker", "stallTimeout", "headers", "fetch"];

/**
 * Reads the header of a .gguf file, and none of its weights: what it holds, the memory that it takes, and whether loadModel
 * can run it here. A download is ended after the header; a stream is cancelled.
 * @param {import("./source.js").ModelSource} source
 * @param {EstimateOptions} [options]
 * @returns {Promise<Estimate>}
 * @throws {LastInchError} as loadModel, where the file cannot be had or has no header that can be read
 */
export async function estimateModel(source, options = {}) {
  checkNames("estimateModel", options, optionNames);
  const { contextLength = 0, signal, worker, stallTimeout = STALL_TIMEOUT } = options;
  if (options.contextLength !== undefined) checkWhole("contextLength", contextLength, 1, 2 ** 20);
  checkSignal(signal);
  checkBoolean("worker", worker);
  checkWhole("stallTimeout", stallTimeout, 0, 2 ** 31 - 1);
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
      const request = {
        kind: /** @type {const} */ ("estimate"),
        model,
        source: opened.source,
        contextLength,
        stallTimeout,
      };
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
