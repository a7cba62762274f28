// EAGLE's layer in the memory of the model for which it drafts. It is a model of one layer, with sequences of its own: the
// row of a position reads what the model's states there say (its feature) and the token that comes next, so a sequence
// has the tokens of its text from the second on. Beyond the text a row reads the layer's own output.
import { cacheTypes } from "../../core/enum-names.js";
import { DRAFT_VOCABULARY, EAGLE_FUSED } from "../../core/layouts.js";
import { allocated, withMemory } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { checkFile } from "./faults.js";
import { readConfig } from "./gguf.js";
import { SEATS, Sequences } from "./sequences.js";

/** @typedef {import("./sequence.js").Sequence} Sequence */
/** @typedef {import("./turns.js").Job} Job */
/** @typedef {import("../../decode/decode-types.js").EagleRow} EagleRow */
/** @typedef {import("../../decode/decode-types.js").Wanted} Wanted */

/** Bytes that are copied into the model's memory at a time. */
const PIECE = 1 << 20;
/** Its own layer, whose output is kept. */
const OWN = [0];

export class EagleLayer {
  kind = /** @type {const} */ ("eagle");
  #instance;
  #taps;
  #layers;
  #tokens;
  #address;
  #sequences;

  /**
   * @param {Pick<import("./engine.js").Engine, "instance" | "sequences" | "config" | "checkWanted">} engine
   * @param {number} model
   * @param {import("./heads.js").HeadsFile} file
   */
  constructor(engine, model, file) {
    const { layers, tokens } = file;
    const { instance, sequences, config } = engine;
    this.#instance = instance;
    this.#taps = sequences.taps;
    this.#tokens = tokens;
    this.#layers = layers.map((layer) => {
      if (layer <= config.layers) return layer ? layer - 1 : config.layers + 1;
      const detail = `They read layer ${layer}, and this model has ${config.layers}.`;
      throw new ModelError("model-heads-foreign", detail);
    });
    this.#address = createLayer(instance, model, file, config.contextLength);
    try {
      const own = readConfig(instance, this.#address);
      /** Numbers of an output. */
      this.size = own.dim;
      /** Numbers of the states of a position. */
      this.stateSize = layers.length * config.dim;
      const vocabSize = Math.min(tokens?.length ?? own.vocabSize, DRAFT_VOCABULARY);
      const check = (/** @type {Job} */ job) => engine.checkWanted(job);
      this.#sequences = new Sequences(instance, this.#address, { ...own, vocabSize }, check);
      this.#sequences.taps.keep(OWN);
    } catch (error) {
      instance.exports.li_model_destroy(this.#address);
      throw error;
    }
    this.#taps.keep(this.#layers);
  }

  /** Of the layer; once it is gone nothing may use its memory, not even to note what the model has read. */
  get sequences() {
    if (!this.#address) throw new ModelError("disposed");
    return this.#sequences;
  }

  /**
   * Copies the states of a row of the model.
   * @param {number} place of the row in the pass that was just computed
   * @param {number} into address (stateSize)
   */
  keepState(place, into) {
    this.#taps.copy(this.#layers, place, into);
  }

  /**
   * Appends positions of the text to a sequence.
   * @param {Sequence} sequence
   * @param {number[]} tokens that follow the positions
   * @param {number} states address (tokens, stateSize) of those of the model
   * @param {Job} job
   * @param {Wanted} [wanted] of the last
   * @returns {number[]} the likeliest tokens after the last, if they are wanted
   */
  read(sequence, tokens, states, job, wanted) {
    const { exports } = this.#instance;
    const start = sequence.tokens.length;
    const give = (/** @type {number} */ _run, /** @type {number} */ position, /** @type {number} */ place) => {
      const at = position - start;
      const count = Math.min(EAGLE_FUSED, tokens.length - at);
      if (place % EAGLE_FUSED === 0)
        exports.li_eagle_fuse(this.#address, states + 4 * this.stateSize * at, place, count);
    };
    const [guesses = []] = this.#run([{ sequence, ids: tokens, wanted: wanted ? 1 : 0 }], job, give, wanted);
    return guesses;
  }

  /**
   * Appends a guessed token to each of several sequences.
   * @param {EagleRow[]} rows
   * @param {Job} job
   * @param {Wanted} wanted of each
   * @returns {number[][]} the likeliest tokens after each
   */
  step(rows, job, wanted) {
    const runs = rows.map(({ sequence, token }) => ({
      sequence: /** @type {Sequence} */ (sequence),
      ids: [token],
      wanted: 1,
    }));
    const give = (/** @type {number} */ run, /** @type {number} */ _position, /** @type {number} */ place) => {
      const into = this.#instance.exports.li_eagle_features(this.#address) >>> 0;
      this.#copy(rows[run].state, into + 4 * this.size * place);
    };
    return this.#run(runs, job, give, wanted);
  }

  /**
   * @param {import("./sequence.js").Run[]} runs
   * @param {Job} job
   * @param {import("../../decode/decode-types.js").Taps["give"]} give
   * @param {Wanted} [wanted]
   */
  #run(runs, job, give, wanted = { width: 0, into: 0 }) {
    const { width, into } = wanted;
    /** @type {number[][]} */
    const guesses = [];
    this.sequences.runAtOnce(
      runs,
      job,
      (run, _row, logits, place) => {
        this.#copy(this.sequences.state(place), into + 4 * this.size * run);
        guesses[run] = this.#choices(logits, width);
      },
      { layers: [], give },
    );
    return guesses;
  }

  /**
   * @param {number} logits
   * @param {number} width
   */
  #choices(logits, width) {
    return withMemory(this.#instance, 4 * width, (into) => {
      this.#instance.exports.li_eagle_choices(this.#address, logits, width, into);
      const rows = this.#instance.views().words.subarray(into / 4, into / 4 + width);
      return Array.from(rows, (row) => (this.#tokens ? this.#tokens[row] : row));
    });
  }

  /**
   * @param {number} from address of an output
   * @param {number} into
   */
  #copy(from, into) {
    this.#instance.views().floats.copyWithin(into / 4, from / 4, from / 4 + this.size);
  }

  dispose() {
    this.#taps.release(this.#layers);
    this.#instance.exports.li_model_destroy(this.#address);
    this.#address = 0;
  }
}

/**
 * @param {import("../../core/wasm.js").ModelInstance} instance
 * @param {number} target
 * @param {import("./heads.js").HeadsFile} file
 * @param {number} positions
 * @returns {number} address of a li_model
 */
function createLayer(instance, target, { bytes, start }, positions) {
  const { exports, views } = instance;
  const gguf = allocated(exports.li_gguf_create());
  let layer = 0;
  try {
    const header = allocated(exports.li_gguf_reserve(gguf, start));
    views().bytes.set(bytes.subarray(0, start), header);
    checkFile(instance, gguf, exports.li_gguf_parse(gguf, start, bytes.length));
    layer = withMemory(instance, 4, (status) => {
      const made = exports.li_model_create(gguf, positions, cacheTypes.indexOf("f32"), SEATS, status) >>> 0;
      if (!made) checkFile(instance, gguf, views().words[status / 4] | 0);
      return made;
    });
    withMemory(instance, PIECE, (buffer) => {
      for (let at = start; at < bytes.length; at += PIECE) {
        const piece = bytes.subarray(at, at + PIECE);
        views().bytes.set(piece, buffer);
        checkModel(exports.li_model_write(layer, buffer, piece.length));
      }
    });
    checkModel(exports.li_model_finish(layer));
    checkModel(exports.li_eagle_attach(layer, target));
    return layer;
  } catch (error) {
    exports.li_model_destroy(layer);
    throw error;
  } finally {
    exports.li_gguf_destroy(gguf);
  }
}
