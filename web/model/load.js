// loadModel: a GGUF file in, streamed text out.
import { checkBoolean, checkNames, checkWhole } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { checkSignal, unlessAborted } from "../core/signal.js";
import { connect } from "./link.js";
import { Model } from "./model.js";

/** @typedef {import("./worker/engine.js").ModelInfo} ModelInfo */

/**
 * @typedef {object} LoadOptions
 * @property {(progress: { loaded: number, total: number }) => void} [onProgress] bytes; the last call has loaded = total
 * @property {AbortSignal} [signal] stops loading; the promise is then rejected with the signal's reason
 * @property {boolean} [worker] false: run in the calling thread. Default: in a Worker, unless none can start, or none has
 *   within half a minute. true: if none does, loading fails with the code "worker-failed".
 * @property {number | "auto"} [threads] that compute the model, from 1 to 32. More than one need a page that is
 *   cross-origin isolated, and not its own thread; elsewhere there is one. "auto", the default: as many as help here.
 * @property {number} [contextLength] positions that a text can have, at most what the model was trained for. Default: that,
 *   at most 4,096, and so many that memory suffices. Positions take memory when they are first used.
 * @property {"f32" | "f16" | "q8_0"} [cacheType] how keys and values are kept: as floats, as halves, or as bytes in blocks
 *   of 32 that share a scale, where the widths of the heads are multiples of 32. Default: "f32" where contextLength takes
 *   at most 64 MiB, else "f16".
 * @property {string} [preTokenizer] how text is split before its bytes are merged, by the names of `tokenizer.ggml.pre`, where
 *   the file says that wrongly or not at all. Default: as the file says.
 * @property {boolean} [cache] false: neither use nor keep a copy in the browser. Default: what an address gave is kept in
 *   the Cache API if the server dates it (ETag or Last-Modified), and is used until the server, asked for its headers at
 *   every load, has another version; without a connection as it is.
 * @property {number} [stallTimeout] milliseconds without a byte after which loading fails; 0: never. Default: 30,000.
 */

/** Bytes of a buffer that are copied at once. */
const PIECE = 1 << 20;

const STALL_TIMEOUT = 30_000;

const loadOptionNames = [
  "onProgress",
  "signal",
  "worker",
  "threads",
  "contextLength",
  "preTokenizer",
  "cacheType",
  "cache",
  "stallTimeout",
];

/**
 * An address (in Node also the path of a file), or the bytes.
 * @typedef {string | URL | Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array>} ModelSource
 */

/**
 * Loads a .gguf file, weight by weight as it arrives, into a WebAssembly instance of its own.
 * @param {ModelSource} source
 * @param {LoadOptions} [options]
 * @returns {Promise<Model>}
 * @throws {LastInchError} "gguf-…" and "model-…" when the file cannot be had or used, "no-webassembly", "no-simd"
 */
export async function loadModel(source, options = {}) {
  const { onProgress, signal, worker, ...rest } = checkLoadOptions(options);
  const { threads = "auto", contextLength = 0, cacheType, preTokenizer, ...others } = rest;
  const { cache = true, stallTimeout = STALL_TIMEOUT } = others;
  const opened = describe(source);
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
        const pull = async () => {
          /** @type {{ bytes?: Uint8Array, error?: string }} */
          const piece = await /** @type {Pump} */ (opened.pump).next().then(
            (bytes) => (bytes ? { bytes } : {}),
            (error) => ({ error: String(error?.message ?? error) }),
          );
          link.post({ kind: "piece", call, ...piece }, piece.bytes ? [piece.bytes.buffer] : []);
        };
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
          cacheType: cacheType ?? /** @type {const} */ ("auto"),
          threads,
          preTokenizer,
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
  const { onProgress, signal, worker, threads, contextLength, cacheType, preTokenizer, cache, stallTimeout } = options;
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw typeError("bad-type", "onProgress must be a function.");
  checkSignal(signal);
  checkBoolean("worker", worker);
  if (threads !== undefined && threads !== "auto") checkWhole('threads, if not "auto",', threads, 1, 32);
  checkBoolean("cache", cache);
  if (contextLength !== undefined) checkWhole("contextLength", contextLength, 1, 2 ** 20);
  if (preTokenizer !== undefined && typeof preTokenizer !== "string")
    throw typeError("bad-type", "preTokenizer must be the name of a pre-tokenizer.");
  if (cacheType !== undefined && !["f32", "f16", "q8_0"].includes(cacheType))
    throw typeError("bad-type", 'cacheType must be "f32", "f16" or "q8_0".');
  if (stallTimeout !== undefined) checkWhole("stallTimeout", stallTimeout, 0, 2 ** 31 - 1);
  return options;
}

/**
 * Bytes that the page reads and the thread of the model requests.
 * @typedef {object} Pump
 * @property {() => Promise<Uint8Array<ArrayBuffer> | null>} next a copy that can be given away
 * @property {() => void} cancel
 */

/**
 * @param {unknown} source
 * @returns {{ source: import("./worker/model-file.js").FileSource, pump?: Pump }}
 */
function describe(source) {
  if (typeof source === "string" || source instanceof URL) return { source: { url: absoluteUrl(source) } };
  if (source instanceof Blob) return { source: { blob: source } };
  if (source instanceof ReadableStream) {
    if (source.locked) throw typeError("bad-type", "The stream is locked: somebody else is reading it.");
    return { source: { size: 0 }, pump: streamPump(source.getReader()) };
  }
  if (source instanceof ArrayBuffer) return describe(new Uint8Array(source));
  if (ArrayBuffer.isView(source)) {
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return { source: { size: bytes.length }, pump: bytesPump(bytes) };
  }
  throw typeError("bad-type", "A model is loaded from a URL, a Blob, an ArrayBuffer or a ReadableStream.");
}

/**
 * @param {ReadableStreamDefaultReader<any>} reader
 * @returns {Pump}
 */
function streamPump(reader) {
  return {
    async next() {
      const { value, done } = await reader.read();
      if (done) return null;
      if (!(value instanceof Uint8Array)) throw new Error("the stream gave something else than a Uint8Array");
      return value.slice();
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

/**
 * @param {Uint8Array} bytes
 * @returns {Pump}
 */
function bytesPump(bytes) {
  let at = 0;
  return {
    async next() {
      const piece = bytes.slice(at, at + PIECE);
      at += piece.length;
      return piece.length ? piece : null;
    },
    cancel() {},
  };
}

/** @param {string | URL} source */
function absoluteUrl(source) {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  const isPath = typeof source === "string" && !base && !/^[a-z][a-z\d+.-]+:/i.test(source);
  const node = isPath && globalThis.process?.getBuiltinModule?.("node:url");
  if (node) return node.pathToFileURL(source).href;
  try {
    return new URL(source, base).href;
  } catch {
    throw typeError("bad-type", `"${source}" is not an address.`);
  }
}
