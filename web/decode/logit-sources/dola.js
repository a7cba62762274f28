// DoLa: subtracts the log-probabilities of an early layer from those of the last. Takes the given layer with the
// largest divergence from the last one.
import { ModelError } from "../../core/model-errors.js";
import { check } from "../../core/errors.js";
import { Scratch, copyFloats } from "../scratch.js";

/** @typedef {import("../decode-types.js").ReadRow} ReadRow */
/** @typedef {import("../decode-types.js").Run} Run */
/** @typedef {import("../decode-types.js").Sequence} Sequence */
/** @typedef {import("../loop.js").Call} Call */

/** Number of layers whose logits are computed together, so that they read the output matrix once. */
const TOGETHER = 8;

export class Dola {
  #engine;
  #layers;
  #scratch;

  /**
   * @param {Call} call
   * @param {number[]} layers
   */
  constructor({ engine }, layers) {
    this.#engine = engine;
    this.#layers = layers;
    this.#scratch = new Scratch(engine.instance);
  }

  get contextLength() {
    return this.#engine.sequences.contextLength;
  }

  /** @param {ArrayLike<number>} ids */
  open(ids) {
    return this.#engine.sequences.open(ids);
  }

  /**
   * @param {Sequence} sequence
   * @param {number} [length]
   */
  fork(sequence, length) {
    return this.#engine.sequences.fork(sequence, length);
  }

  /**
   * @param {Sequence} sequence
   * @param {number} length
   */
  truncate(sequence, length) {
    this.#engine.sequences.truncate(sequence, length);
  }

  /** @param {Sequence} sequence */
  drop(sequence) {
    this.#engine.sequences.drop(sequence);
  }

  /**
   * @param {Run[]} runs
   * @param {import("../decode-types.js").Job} job
   * @param {ReadRow} [read]
   */
  async run(runs, job, read) {
    const { sequences } = this.#engine;
    if (!read) return sequences.run(runs, job);
    const taps = { layers: this.#layers };
    await sequences.run(
      runs,
      job,
      (run, row, logits, place) => read(run, row, this.#contrast(logits, place), place, logits),
      taps,
    );
  }

  dispose() {
    this.#scratch.dispose();
  }

  /**
   * @param {number} logits address of the last layer's logits
   * @param {number} place
   * @returns {number} address of the contrast
   */
  #contrast(logits, place) {
    const { instance, config, sequences } = this.#engine;
    const { vocabSize, dim } = config;
    const { li_divergence: divergence, li_contrast: contrast } = instance.exports;
    const together = Math.min(TOGETHER, this.#layers.length);
    const best = this.#scratch.reserve((1 + together) * vocabSize + together * dim);
    const rows = best + 4 * vocabSize;
    const states = rows + 4 * together * vocabSize;
    let largest = -1;
    for (let first = 0; first < this.#layers.length; first += together) {
      const count = Math.min(together, this.#layers.length - first);
      for (let i = 0; i < count; i++)
        copyFloats(instance, sequences.state(place, first + i), states + 4 * i * dim, dim);
      sequences.earlyLogits(states, count, rows);
      for (let i = 0; i < count; i++) {
        const row = rows + 4 * i * vocabSize;
        const distance = divergence(logits, row, vocabSize);
        if (Number.isNaN(distance)) throw new ModelError("logits-nan");
        if (distance <= largest) continue;
        largest = distance;
        copyFloats(instance, row, best, vocabSize);
      }
    }
    // The paper's weight, and its plausibility to the last layer.
    check(contrast(logits, best, vocabSize, 1, 0.1, best));
    return best;
  }
}
