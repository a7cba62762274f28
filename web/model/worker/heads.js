// Files of heads that guess the tokens after the next for another model, which a page loads like a model and gives to
// that model as `draft`. The bytes wait here; each model that uses them gets a copy in its own memory, beside the matrices
// that the heads share with it. This file has Medusa's; EAGLE's: eagle-layer.js.
import * as layout from "../../core/layouts.js";
import { allocated, withMemory } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { readEagleFile } from "./eagle-file.js";
import { checkFile, grouped, readMemory } from "./faults.js";

/** @typedef {import("../../core/wasm.js").ModelInstance} Instance */
/** @typedef {import("./engine.js").Engine} Engine */

/**
 * A file of heads.
 * @typedef {object} HeadsFile
 * @property {"medusa" | "eagle"} kind
 * @property {string} family general.architecture
 * @property {string | null} name
 * @property {number} dim of the model that they belong to
 * @property {number} vocabSize
 * @property {Base} base
 * @property {Uint8Array} bytes
 * @property {number} start of the tensors' data
 * @property {number[]} layers of that model whose output EAGLE reads, where 0 are the embeddings
 * @property {Uint32Array} [tokens] for which the rows of EAGLE's output stand, if these are not all tokens
 */

/**
 * The model that heads belong to.
 * @typedef {object} Base
 * @property {string | null} name its general.name
 * @property {string | null} hash of its file, as saved texts have it; 16 hexadecimal digits
 */

/** Bytes of the largest file of heads. */
const LIMIT = 1 << 28;

/** @type {Record<string, HeadsFile["kind"]>} */
const kinds = { medusa: "medusa", eagle3: "eagle" };

/** Of a family of heads the kind; undefined: of models. @param {string | null} family */
export const headsKind = (family) => kinds[family ?? ""];

/**
 * Reads a file of heads; undefined if it is another file, of which nothing is read.
 * @param {import("./gguf.js").Pieces} pieces from the beginning
 * @param {Pick<import("./gguf.js").Header, "instance" | "gguf" | "metadata">} header
 * @param {(loaded: number, total: number) => void} onProgress
 */
export async function readHeads(pieces, header, onProgress) {
  const { instance, gguf, metadata } = header;
  const { exports } = instance;
  const family = metadata.string("general.architecture") ?? "";
  const kind = headsKind(family);
  if (!kind) return undefined;
  const isEagle = kind === "eagle";
  const dim = metadata.number(`${family}.${isEagle ? "target_hidden_size" : "embedding_length"}`, 0);
  const facts = { kind, family, dim, name: metadata.string("general.name"), layers: [] };
  let vocabSize = metadata.number(`${family}.vocab_size`, 0);
  let positions = 0;
  const [baseName, hash] = ["name", "xxh64"].map((key) => metadata.string(`general.base_model.0.${key}`));
  if (!isEagle) checkFile(instance, gguf, exports.li_heads_check(gguf, dim));
  else
    withMemory(instance, layout.MODEL_MEMORY_SIZE, (at) => {
      checkFile(instance, gguf, exports.li_model_plan(gguf, 0, 0, 1, at));
      ({ vocabSize, trainedLength: positions } = readMemory(instance, at));
    });
  const start = exports.li_gguf_data_start(gguf) >>> 0;
  const size = start + exports.li_gguf_data_size(gguf);
  if (size > LIMIT) throw new ModelError("gguf-too-large", `(It has ${grouped(size)} bytes of heads.)`);
  const bytes = new Uint8Array(size);
  for (let have = 0; have < size;) {
    const piece = await pieces.next(size - have);
    if (!piece) throw new ModelError("gguf-truncated");
    bytes.set(piece, have);
    have += piece.length;
    onProgress(have, size);
  }
  const file = { ...facts, vocabSize, base: { name: baseName, hash }, bytes, start };
  return new Heads(isEagle ? { ...file, ...readEagleFile(file, header, positions) } : file);
}

/** Medusa's heads in the memory of a model. */
export class MedusaHeads {
  kind = /** @type {const} */ ("medusa");
  #instance;
  #taps;
  #layers;
  #address;

  /**
   * @param {Pick<Engine, "instance" | "sequences" | "config">} engine
   * @param {number} model
   * @param {Pick<HeadsFile, "bytes">} file
   */
  constructor({ instance, sequences, config }, model, { bytes }) {
    this.#instance = instance;
    this.#taps = sequences.taps;
    this.#layers = [config.layers];
    this.#address = createHeads(instance, model, bytes);
    /** How many. */
    this.count = instance.exports.li_heads_count(this.#address);
    this.#taps.keep(this.#layers);
  }

  /**
   * Copies the state from which the logits of a row came.
   * @param {number} place of the row in the pass that was just computed
   * @param {number} into address (dim)
   */
  keepState(place, into) {
    this.#taps.copy(this.#layers, place, into);
  }

  /**
   * The likeliest tokens by each head, likeliest first.
   * @param {number} state address (dim)
   * @param {number} count of the first heads
   * @param {number} width tokens of each
   * @returns {number[][]}
   */
  guess(state, count, width) {
    if (!this.#address) throw new ModelError("disposed");
    return withMemory(this.#instance, 4 * count * width, (into) => {
      checkModel(this.#instance.exports.li_heads_guess(this.#address, state, count, width, into));
      const { words } = this.#instance.views();
      return Array.from({ length: count }, (_, i) => [
        ...words.subarray(into / 4 + i * width, into / 4 + (i + 1) * width),
      ]);
    });
  }

  dispose() {
    this.#taps.release(this.#layers);
    this.#instance.exports.li_heads_destroy(this.#address);
    this.#address = 0;
  }
}

/**
 * @param {Instance} instance
 * @param {number} model
 * @param {Uint8Array} file
 * @returns {number} address of a li_heads
 */
function createHeads(instance, model, file) {
  const { exports, views } = instance;
  const gguf = allocated(exports.li_gguf_create());
  try {
    const at = allocated(exports.li_gguf_reserve(gguf, file.length));
    views().bytes.set(file, at);
    checkFile(instance, gguf, exports.li_gguf_parse(gguf, file.length, file.length));
    return withMemory(instance, 4, (status) => {
      const heads = exports.li_heads_create(model, gguf, status) >>> 0;
      if (!heads) checkFile(instance, gguf, instance.views().words[status / 4] | 0);
      return heads;
    });
  } finally {
    exports.li_gguf_destroy(gguf);
  }
}

/** @typedef {MedusaHeads | import("./eagle-layer.js").EagleLayer} Attached heads in the memory of a model */

/** A loaded file of heads. */
export class Heads {
  /** Of the file, from the browser's copy. */
  keptBytes = 0;
  #base;
  /** Undefined: disposed of. @type {HeadsFile | undefined} */
  #file;
  /** The models that use them. @type {Map<Engine, Attached>} */
  #attached = new Map();

  /** @param {HeadsFile} file */
  constructor(file) {
    const { kind, family, name, dim, vocabSize, base, bytes } = file;
    this.#base = base;
    this.#file = file;
    /** @type {import("./engine.js").ModelConfig} */
    this.config = {
      ...{ family, name, dim, vocabSize },
      size: bytes.length,
      heads: kind,
      ...{ contextLength: 0, trainedLength: 0, cacheType: "f32", hiddenDim: 0, layers: 0, kvHeads: 0, headDim: 0 },
      ...{ valueDim: 0, ropeDim: 0, ropeBase: 0, normEpsilon: 0, tied: true, predictsAhead: false },
      ...{ bos: null, addBos: false, chatTemplate: null, sampling: { options: {}, dropped: [] } },
    };
  }

  /** @returns {import("./engine.js").ModelInfo} */
  get info() {
    const vocabulary = { bytes: new Uint8Array(), ends: new Uint32Array() };
    const none = { vocabulary, eos: [], special: {}, suppressed: [], dropsSpace: false, threads: 1 };
    const { config, keptBytes } = this;
    return { config, ...none, memory: config.size, keptBytes, base: this.#base };
  }

  /**
   * The heads in the memory of a model.
   * @param {Engine} engine
   * @param {(file: HeadsFile) => Attached} attach
   */
  attachedTo(engine, attach) {
    if (!this.#file) throw new ModelError("disposed"); // while a text waited for its turn
    let own = this.#attached.get(engine);
    if (!own) this.#attached.set(engine, (own = attach(this.#file)));
    return own;
  }

  /** Forgets a model that is gone, with all its memory. @param {Engine} engine */
  forget(engine) {
    this.#attached.delete(engine);
  }

  /** Running texts that draft with the heads end with an error. */
  dispose() {
    for (const [engine, own] of this.#attached) {
      own.dispose();
      engine.detach(this);
    }
    this.#attached.clear();
    this.#file = undefined;
  }
}
