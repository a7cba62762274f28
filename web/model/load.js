// loadModel: a GGUF file in, streamed text out.
import { checkBoolean, checkNames, checkWhole } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { ModelError } from "../core/model-errors.js";
import { unlessAborted } from "../core/signal.js";
import { Model } from "./model.js";
import { openModel } from "./open-model.js";
import { isSameVocabulary } from "./packed-vocabulary.js";
import { checkReadOptions, howToRead, readOptionNames } from "./read-options.js";
import { givePiece, openSource } from "./source.js";

/** @typedef {import("./worker/engine.js").ModelInfo} ModelInfo */

/** @typedef {import("./source.js").ModelSource} ModelSource */

/**
 * @typedef {object} OwnLoadOptions
 * @property {(progress: import("./worker/load-progress.js").LoadProgress) => void} [onProgress] called about once a frame;
 *   in the last call loaded = total
 * @property {number | "auto"} [threads] number of threads that compute the model, from 1 to 32. More than one thread needs
 *   a page that is cross-origin isolated, and a Worker; otherwise there is one. "auto", the default: the fastest number.
 * @property {boolean | "shared"} [cache] false: neither use nor keep a copy in the browser. By default a download is kept in the
 *   Cache API if the server sends ETag or Last-Modified. Every load asks the server for its headers, and uses the copy
 *   unless the server has another version. Without a connection it uses the copy. A download that was interrupted, by
 *   an abort too, goes on with the parts that it has left. "shared": the copy is one for all sites (Cross-Origin
 *   Storage), if the browser has that and the file's SHA-256 is known.
 * @property {string} [sha256] SHA-256 of the file, in 64 hexadecimal digits. A file with another one is an error, and is not
 *   kept. Default: what the server names in `X-Linked-ETag`; for files on Hugging Face, what their repository says.
 * @property {boolean} [shareAcrossTabs] one model for all tabs of the origin that load the same address with the same
 *   options. One tab runs it; when that tab is closed, running calls end with the code "worker-lost", and the next call
 *   of another tab loads it there. Where tabs cannot share, the model has a Worker of its own. Not on servers. Default: false.
 */

/** @typedef {OwnLoadOptions & import("./read-options.js").ReadOptions} LoadOptions */

/**
 * Loads a .gguf file, weight by weight as it arrives, into its own WebAssembly instance. Of a file of heads that draft for
 * another model, `config.heads` says the kind; that model takes them as `draft`, and only `dispose` works. Heads take none
 * of the options contextLength, cacheType, preTokenizer and threads ("conflict").
 * @param {ModelSource} source
 * @param {LoadOptions} [options]
 * @returns {Promise<Model>}
 * @throws {LastInchError} "file-…", "gguf-…" and "model-…" if the file cannot be fetched or used, "no-webassembly", "no-simd"
 */
export async function loadModel(source, options = {}) {
  const began = performance.now();
  checkLoadOptions(options);
  const { onProgress, signal, shareAcrossTabs } = options;
  const opened = await openSource(source, options);
  if (shareAcrossTabs && !hasAddress(opened.source))
    throw typeError("conflict", "Tabs can share only a model with an address: shareAcrossTabs takes no other source.");
  return openModel(opened, options, async (link, model, leave) => {
    const info = await unlessAborted(signal, load(link, model, opened, { ...howToLoad(options), onProgress }));
    if (info.base) checkHeadsOptions(options);
    // The bytes of a buffer, stream or response are not kept.
    const canReload = !("size" in opened.source) || options.fetch;
    link.keep(model, canReload ? reloader(link, model, opened.source, options, info) : undefined);
    return new Model(link, leave, model, info, began);
  });
}

/** Heads are computed as their model is. @param {LoadOptions} options */
function checkHeadsOptions({ contextLength, cacheType, preTokenizer, threads }) {
  const given = Object.entries({
    contextLength,
    cacheType,
    preTokenizer,
    threads: threads === "auto" ? undefined : threads,
  });
  const [name] = given.find(([, value]) => value !== undefined) ?? [];
  if (name) throw typeError("conflict", `The file has heads for another model: ${name} is for that model to say.`);
}

/** @param {LoadOptions} options */
const howToLoad = ({ threads = "auto", cache = true, ...options }) => ({ ...howToRead(options), threads, cache });

/** @param {import("./worker/model-file.js").FileSource} source */
const hasAddress = (source) => ("parts" in source ? source.parts : [source]).every((one) => "url" in one);

/**
 * @param {import("./link.js").Link} link
 * @param {number} model its number
 * @param {import("./source.js").Opened} opened
 * @param {ReturnType<typeof howToLoad> & Pick<LoadOptions, "onProgress">} how
 * @returns {Promise<ModelInfo>}
 */
function load(link, model, { source, pump }, { onProgress, ...how }) {
  return link.wait(
    new Promise((done, failed) => {
      const pull = () => pump && void givePiece(link, call, pump);
      /** @param {import("./worker/load-progress.js").LoadProgress} progress */
      const progress = (progress) => {
        try {
          onProgress?.(progress);
        } catch (error) {
          failed(error);
        }
      };
      const request = { kind: /** @type {const} */ ("load"), model, source, ...how };
      const call = link.begin(request, { model, done, failed, progress, pull });
    }),
  );
}

/**
 * Loads a model again after its thread was lost, and brings its facts up to date.
 * @param {import("./link.js").Link} link
 * @param {number} model its number
 * @param {import("./worker/model-file.js").FileSource} source
 * @param {LoadOptions} options
 * @param {ModelInfo} info
 */
function reloader(link, model, source, { signal: _over, onProgress: _told, ...options }, info) {
  return async () => {
    const opened = "size" in source ? await openSource(source.address, options) : { source };
    try {
      const { threads } = info;
      const { contextLength, cacheType } = info.config;
      // Tabs share what they ask for in the same words, and may get less memory or fewer threads than before.
      const same = link.isShared ? {} : { contextLength, cacheType, threads };
      const found = await load(link, model, opened, { ...howToLoad(options), ...same });
      if (!isSameFile(found, info)) {
        link.post({ kind: "dispose", model });
        throw new ModelError("worker-lost", "Its address has another model now: load that anew.");
      }
      Object.assign(info, found);
    } finally {
      opened.pump?.cancel();
    }
  };
}

/**
 * Whether two models have the same file, as far as can be seen without its weights.
 * @param {ModelInfo} one
 * @param {ModelInfo} other
 */
function isSameFile(one, other) {
  const [facts, otherFacts] = [one, other].map(({ config: { contextLength: _, cacheType: __, ...facts } }) => facts);
  return JSON.stringify(facts) === JSON.stringify(otherFacts) && isSameVocabulary(one.vocabulary, other.vocabulary);
}

/** @param {LoadOptions} options */
function checkLoadOptions(options) {
  checkNames("loadModel", options, ["onProgress", "threads", "cache", "sha256", "shareAcrossTabs", ...readOptionNames]);
  checkReadOptions(options);
  const { onProgress, threads, cache, sha256, fetch, worker, shareAcrossTabs } = options;
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw typeError("bad-type", "onProgress must be a function.");
  if (threads !== undefined && threads !== "auto") checkWhole('threads, if not "auto",', threads, 1, 32);
  if (cache !== "shared") checkBoolean("cache", cache);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw typeError("bad-type", "sha256 must be 64 hexadecimal digits.");
  checkBoolean("shareAcrossTabs", shareAcrossTabs);
  if (shareAcrossTabs && worker === false)
    throw typeError("conflict", "Tabs share a worker: shareAcrossTabs and worker: false contradict each other.");
  if (cache && fetch) throw typeError("conflict", "A file from your own fetch is never cached.");
}
