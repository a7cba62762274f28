// Contrastive decoding (Li et al., "Contrastive decoding: open-ended text generation as optimization", 2023): a weaker model
// reads the same tokens, and its log-probabilities are subtracted.
import { check } from "../../core/errors.js";
import { Scratch } from "../scratch.js";
import { Companions } from "./companions.js";

/** @typedef {import("../decode-types.js").Engine} Engine */
/** @typedef {import("../decode-types.js").ReadRow} ReadRow */
/** @typedef {import("../decode-types.js").Run} Run */
/** @typedef {import("../loop.js").Call} Call */

export class Contrast extends Companions {
  #engine;
  #amateur;
  #weight;
  #plausibility;
  #scratch;

  /**
   * @param {Call} call
   * @param {Engine} amateur
   * @param {{ weight: number, plausibility: number }} contrast
   */
  constructor({ engine, ids }, amateur, { weight, plausibility }) {
    super(engine.sequences, amateur.sequences, ids, ids);
    this.#engine = engine;
    this.#amateur = amateur;
    this.#weight = weight;
    this.#plausibility = plausibility;
    this.#scratch = new Scratch(engine.instance);
  }

  /**
   * @param {Run[]} runs
   * @param {import("../decode-types.js").Job} job
   * @param {ReadRow} [read]
   */
  async run(runs, job, read) {
    const { instance, config, sequences } = this.#engine;
    const { vocabSize } = config;
    let count = 0;
    const firsts = runs.map(({ wanted }) => (count += wanted) - wanted);
    const rows = this.#scratch.reserve(vocabSize * count);
    const addressOf = (/** @type {number} */ run, /** @type {number} */ row) =>
      rows + 4 * vocabSize * (firsts[run] + row);

    const theirs = runs.map((run) => this.companionRun(run));
    const lengths = theirs.map(({ sequence }) => sequence.tokens.length);
    await this.#amateur.sequences.run(theirs, job, (run, row, logits) => {
      const { floats } = this.#amateur.instance.views();
      instance.views().floats.set(floats.subarray(logits / 4, logits / 4 + vocabSize), addressOf(run, row) / 4);
    });
    try {
      await sequences.run(runs, job, (run, row, logits, place) => {
        const into = addressOf(run, row);
        check(instance.exports.li_contrast(logits, into, vocabSize, this.#weight, this.#plausibility, into));
        read?.(run, row, into, place, logits);
      });
    } catch (error) {
      theirs.forEach(({ sequence }, i) => this.#amateur.sequences.truncate(sequence, lengths[i]));
      throw error;
    }
  }

  dispose() {
    this.#scratch.dispose();
  }
}
