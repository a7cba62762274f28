// Heads that guess the tokens after the next for another model: a file of their own, which a page loads like a model
// and gives to that model as `draft`. Its bytes wait here; each model that uses them gets a copy in its own memory,
// beside the output matrix that the heads share with it.
import { allocated, withMemory } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { checkFile, grouped } from "./faults.js";

/** @typedef {import("../../core/wasm.js").ModelInstance} Instance */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {{ family: "medusa", name: string | null, dim: number, vocabSize: number, base: Base }} HeadsFile */

/**
 * The model that heads belong to.
 * @typedef {object} Base
 * @property {string | null} name its general.name
 * @property {string | null} hash of its file, as saved texts have it; 16 hexadecimal digits
 */

/** Bytes of the largest file of heads, which C reads as a whole. */
const LIMIT = 1 << 26;

/**
 * Reads a file of heads; undefined if it is another file, of which nothing is read.
 * @param {import("./gguf.js").Pieces} pieces from the beginning
 * @param {Pick<import("./gguf.js").Header, "instance" | "gguf" | "metadata">} header
 * @param {(loaded: number, total: number) => void} onProgress
 */
export async function readHeads(pieces, { instance: { exports }, gguf, metadata }, onProgress) {
  const family = metadata.string("general.architecture");
  if (family !== "medusa") return undefined;
  const name = metadata.string("general.name");
  const dim = metadata.number(`${family}.embedding_length`, 0);
  const vocabSize = metadata.number(`${family}.vocab_size`, 0);
  const [baseName, hash] = ["name", "xxh64"].map((key) => metadata.string(`general.base_model.0.${key}`));
  const size = (exports.li_gguf_data_start(gguf) >>> 0) + exports.li_gguf_data_size(gguf);
  if (size > LIMIT) throw new ModelError("gguf-too-large", `(It has ${grouped(size)} bytes of heads.)`);
  const bytes = new Uint8Array(size);
  for (let have = 0; have < size;) {
    const piece = await pieces.next(size - have);
    if (!piece) throw new ModelError("gguf-truncated");
    bytes.set(piece, have);
    have += piece.length;
    onProgress(have, size);
  }
  return new Heads({ family, name, dim, vocabSize, base: { name: baseName, hash } }, bytes);
}

/** Heads in the memory of a model. */
export class AttachedHeads {
  #instance;
  #model;
  #dim;
  #address;

  /**
   * @param {Instance} instance
   * @param {number} model
   * @param {number} dim
   * @param {Uint8Array} bytes of the file
   */
  constructor(instance, model, dim, bytes) {
    this.#instance = instance;
    this.#model = model;
    this.#dim = dim;
    this.#address = createHeads(instance, model, bytes);
    /** How many. */
    this.count = instance.exports.li_heads_count(this.#address);
  }

  /**
   * Copies the state from which the logits of a row came.
   * @param {number} place of the row in the pass that was just computed
   * @param {number} into address (dim)
   */
  keepState(place, into) {
    const { exports, views } = this.#instance;
    const from = (exports.li_model_row_states(this.#model) >>> 0) / 4 + place * this.#dim;
    views().floats.copyWithin(into / 4, from, from + this.#dim);
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

/** A loaded file of heads. */
export class Heads {
  /** Of the file, from the browser's copy. */
  keptBytes = 0;
  #base;
  /** Of the file; undefined: disposed of. @type {Uint8Array | undefined} */
  #bytes;
  /** The models that use them. @type {Map<Engine, AttachedHeads>} */
  #attached = new Map();

  /**
   * @param {HeadsFile} file
   * @param {Uint8Array} bytes
   */
  constructor({ base, ...facts }, bytes) {
    this.#base = base;
    this.#bytes = bytes;
    /** @type {import("./engine.js").ModelConfig} */
    this.config = {
      ...facts,
      size: bytes.length,
      heads: facts.family,
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
   * @param {(bytes: Uint8Array) => AttachedHeads} attach
   */
  attachedTo(engine, attach) {
    if (!this.#bytes) throw new ModelError("disposed"); // while a text waited for its turn
    let own = this.#attached.get(engine);
    if (!own) this.#attached.set(engine, (own = attach(this.#bytes)));
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
    this.#bytes = undefined;
  }
}
