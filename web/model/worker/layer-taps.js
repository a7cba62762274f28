// Hidden states that passes of a model keep: of the layers that a run asks for, and of those that heads read.
import { withMemory } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";

export class LayerTaps {
  #instance;
  #model;
  #dim;
  /** Rows of the last pass. */
  rows = 0;
  /** The layers of the passes from now on. @type {number[]} */
  #layers = [];
  /** Lists of layers that heads read, and where each begins among those of the passes. @type {Map<number[], number>} */
  #kept = new Map();

  /**
   * @param {import("../../core/wasm.js").ModelInstance} instance
   * @param {number} model
   * @param {number} dim
   */
  constructor(instance, model, dim) {
    this.#instance = instance;
    this.#model = model;
    this.#dim = dim;
  }

  /**
   * Keeps layers in all runs that begin from now on.
   * @param {number[]} layers
   */
  keep(layers) {
    this.#kept.set(layers, -1);
  }

  /** Ends this. @param {number[]} layers */
  release(layers) {
    this.#kept.delete(layers);
  }

  /**
   * Sets the layers of the next passes.
   * @param {number[]} own of a run; the others follow them
   */
  set(own) {
    const layers = [...own];
    for (const others of this.#kept.keys()) {
      this.#kept.set(others, layers.length);
      layers.push(...others);
    }
    if (layers.length === this.#layers.length && layers.every((layer, i) => layer === this.#layers[i])) return;
    const { exports, views } = this.#instance;
    withMemory(this.#instance, 4 * Math.max(1, layers.length), (address) => {
      views().words.set(layers, address / 4);
      checkModel(exports.li_model_set_taps(this.#model, address, layers.length));
    });
    this.#layers = layers;
  }

  /**
   * Address of the hidden state (dim) of a row of the last pass.
   * @param {number} place
   * @param {number} [tap] index among the layers of its run
   */
  state(place, tap = 0) {
    const taps = this.#instance.exports.li_model_taps(this.#model) >>> 0;
    return taps + 4 * this.#dim * (tap * this.rows + place);
  }

  /**
   * Copies the states of a row of the last pass in kept layers, one after the other; those of released ones are gone.
   * @param {number[]} layers
   * @param {number} place
   * @param {number} into address (layers, dim)
   */
  copy(layers, place, into) {
    const { floats } = this.#instance.views();
    const first = this.#kept.get(layers);
    if (first === undefined) throw new ModelError("disposed");
    layers.forEach((_, i) => {
      const from = this.state(place, first + i) / 4;
      floats.copyWithin(into / 4 + i * this.#dim, from, from + this.#dim);
    });
  }
}
