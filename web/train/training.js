// The thread's side of training: one trainer of train.wasm.
import { check } from "../core/errors.js";
import { instantiate } from "../core/wasm.js";
import { blockWeights } from "./block-weights.js";

/** @typedef {import("./train-types.js").TrainerShape} TrainerShape */
/** @typedef {import("../core/wasm.js").Instance<import("../core/exports.js").ExportsByModule["train"]>} TrainInstance */

/** Windows of the held-out part that a report reads. */
const WINDOWS = 16;

/** Steps in which the rate rises to what was set: early gradients are large, and Adam's moments are unsure. */
const WARM_UP = 50;

export class Training {
  #instance;
  #trainer;
  #shape;
  #scratch;
  steps = 0;

  /**
   * @param {TrainerShape} shape
   * @param {number} seed
   * @param {Uint16Array} tokens
   */
  static async open(shape, seed, tokens) {
    const instance = await instantiate("train", (read) => read(new URL("./train.wasm", import.meta.url)));
    return new Training(instance, shape, seed, tokens);
  }

  /**
   * @param {TrainInstance} instance
   * @param {TrainerShape} shape
   * @param {number} seed
   * @param {Uint16Array} tokens
   */
  constructor(instance, shape, seed, tokens) {
    const { exports, views } = instance;
    this.#instance = instance;
    this.#shape = shape;
    // For the shape, then for results and for the tokens of a prompt.
    this.#scratch = this.#alloc(Math.max(32, 2 * shape.context));
    const { vocabSize, layers, dim, hidden, heads, context, batch } = shape;
    views().words.set([vocabSize, layers, dim, hidden, heads, context, batch], this.#scratch / 4);
    const status = this.#scratch + 28;
    this.#trainer = exports.li_trainer_create(this.#scratch, BigInt(seed), status);
    if (!this.#trainer) check(views().words[status / 4] | 0);
    const text = this.#alloc(2 * tokens.length);
    views().halves.set(tokens, text / 2);
    check(exports.li_trainer_read(this.#trainer, text, tokens.length));
    exports.li_memory_free(text);
  }

  /** @param {number} size */
  #alloc(size) {
    const address = this.#instance.exports.li_memory_alloc(size) >>> 0;
    if (!address) check(-1);
    return address;
  }

  #result() {
    return this.#instance.views().doubles[this.#scratch / 8];
  }

  /** The loss of a step, which it takes. @param {number} rate */
  step(rate) {
    const warm = Math.min(1, ++this.steps / WARM_UP);
    check(this.#instance.exports.li_trainer_step(this.#trainer, rate * warm, this.#scratch));
    return this.#result();
  }

  /** The loss of the held-out part, by sequences at equal distances. */
  heldOut() {
    check(this.#instance.exports.li_trainer_evaluate(this.#trainer, WINDOWS, this.#scratch));
    return this.#result();
  }

  /** A copy of the logits after the last tokens that the context holds. @param {number[]} tokens one or more */
  logits(tokens) {
    const seen = tokens.slice(-this.#shape.context);
    this.#instance.views().halves.set(seen, this.#scratch / 2);
    const row = this.#instance.exports.li_trainer_logits(this.#trainer, this.#scratch, seen.length) >>> 0;
    if (!row) check(-2);
    return this.#floats(row, this.#shape.vocabSize);
  }

  /** A copy of the weights: see li_trainer_weights. */
  weights() {
    const { vocabSize, dim } = this.#shape;
    const count = dim * 4 * Math.ceil(vocabSize / 4) + blockWeights(this.#shape);
    return this.#floats(this.#instance.exports.li_trainer_weights(this.#trainer) >>> 0, count);
  }

  /** @param {number} address @param {number} count */
  #floats(address, count) {
    return this.#instance.views().floats.slice(address / 4, address / 4 + count);
  }
}
