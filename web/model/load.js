// loadModel: a GGUF file in, streamed text out.
import { checkBoolean, checkNames, checkWhole } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { checkSignal, unlessAborted } from "../core/signal.js";
import { connect } from "./link.js";
import { Model } from "./model.js";
import { STALL_TIMEOUT, givePiece, openSource } from "./source.js";

// Both in one file: the bundler would cut the chunk of core/ in pieces.
export { estimateModel } from "./estimate.js";

/** @typedef {import("./worker/engine.js").ModelInfo} ModelInfo */

/** @typedef {import("./source.js").ModelSource} ModelSource */

/**
 * @typedef {object} OwnLoadOptions
 * @property {(progress: { loaded: number, total: number }) => void} [onProgress] bytes; the last call has loaded = total
 * @property {AbortSignal} [signal] stops loading; the promise is then rejected with the signal's reason
 * @property {boolean} [worker] false: run in the calling thread. Default: in a Worker, unless none can start, or none has
 *   within half a minute. true: if none does, loading fails with the code "worker-failed".
 * @property {number | "auto"} [threads] that compute the model, from 1 to 32. More than one need a page that is
 *   cross-origin isolated, and not its own thread; elsewhere there is one. "auto", the default: as many as help here.
 * @property {number} [contextLength] positions to make room for, at most what the model was trained for. Default: all.
 * @property {boolean} [cache] false: neither use nor keep a copy in the browser. Default: what an address gave is kept in
 *   the Cache API if the server dates it (ETag or Last-Modified), and is used until the server, asked for its headers at
 *   every load, has another version; without a connection as it is.
 * @property {number} [stallTimeout] milliseconds without a byte after which loading fails; 0: never. Default: 30,000.
 */

/** @typedef {OwnLoadOptions & import("./source.js").RequestOptions} LoadOptions */

const loadOptionNames = [
  "onProgress",
  "signal",
  "worker",
  "threads",
  "contextLength",
  "cache",
  "stallTimeout",
  "headers",
  "fetch",
];

/**
 * Loads a .gguf file, weight by weight as it arrives, into a WebAssembly instance of its own.
 * @param {ModelSource} source
 * @param {LoadOptions} [options]
 * @returns {Promise<Model>}
 * @throws {LastInchError} "file-…", "gguf-…" and "model-…" when the file cannot be had or used, "no-webassembly", "no-simd"
 */
export async function loadModel(source, options = {}) {
  const { onProgress, signal, worker, ...rest } = checkLoadOptions(options);
  const { threads = "auto", contextLength = 0, cache = true, stallTimeout = STALL_TIMEOUT } = rest;
  const opened = await openSource(source, options);
  /** @type {Promise<import("./link.js").Connection> | undefined} */
  let connecting;
  /** @param {unknown} error */
  let end = (error) => {};
  try {
    signal?.throwIfAborted();
    connecting = connect(worker);
    const { link, leave } = await unlessAborted(signal, connecting);
    const model = link.newModel();
    end = (error) => link.endModel(model, error);
    /** @type {Promise<ModelInfo>} */
    const loading = link.wait(
      new Promise((done, failed) => {
        const pull = () => opened.pump && void givePiece(link, call, opened.pump);
        /** @param {number} loaded @param {number} total */
        const progress = (loaded, total) => {
          try {
            onProgress?.({ loaded, total });
          } catch (error) {
            failed(error);
          }
        };
        const request = {
          kind: /** @type {const} */ ("load"),
          model,
          source: opened.source,
          contextLength,
          threads,
          cache,
          stallTimeout,
        };
        const call = link.begin(request, { model, done, failed, progress, pull });
      }),
    );
    return new Model(link, leave, model, await unlessAborted(signal, loading));
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

/**
 * @param {LoadOptions} options
 * @returns {LoadOptions}
 */
function checkLoadOptions(options) {
  checkNames("loadModel", options, loadOptionNames);
  const { onProgress, signal, worker, threads, contextLength, cache, stallTimeout, fetch } = options;
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw typeError("bad-type", "onProgress must be a function.");
  checkSignal(signal);
  checkBoolean("worker", worker);
  if (threads !== undefined && threads !== "auto") checkWhole('threads, if not "auto",', threads, 1, 32);
  checkBoolean("cache", cache);
  if (cache && fetch) throw typeError("conflict", "No copy is kept of what a fetch of your own has given.");
  if (contextLength !== undefined) checkWhole("contextLength", contextLength, 1, 2 ** 20);
  if (stallTimeout !== undefined) checkWhole("stallTimeout", stallTimeout, 0, 2 ** 31 - 1);
  return options;
}
