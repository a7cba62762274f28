// Classifier-free guidance (Sanchez et al., "Stay on topic with classifier-free guidance", 2023): every sequence has a
// companion that begins with the negative prompt, and each row is moved away from the companion's row.
import { check, rangeError } from "../../core/errors.js";
import { Scratch, copyFloats } from "../scratch.js";
import { Companions } from "./companions.js";

/** @typedef {import("../decode-types.js").ReadRow} ReadRow */
/** @typedef {import("../decode-types.js").Run} Run */
/** @typedef {import("../loop.js").Call} Call */

export class Guidance extends Companions {
  #engine;
  #scale;
  #scratch;

  /**
   * @param {Call} call
   * @param {{ scale: number, negative?: string | Uint32Array }} guidance
   */
  constructor({ engine, ids }, { scale, negative }) {
    super(engine.sequences, engine.sequences, ids, negativeIds(engine, ids, negative));
    this.#engine = engine;
    this.#scale = scale;
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
    const rows = this.#scratch.reserve(vocabSize * Math.max(...runs.map(({ wanted }) => wanted)));
    // The order of rows: those of a companion, those of its sequence, those of the next companion, and so on.
    const both = runs.flatMap((run) => [this.companionRun(run), run]);
    await sequences.run(both, job, (run, row, logits, place) => {
      const into = rows + 4 * row * vocabSize;
      if (run % 2 === 0) return copyFloats(instance, logits, into, vocabSize);
      check(instance.exports.li_guide(logits, into, vocabSize, this.#scale, into));
      read?.((run - 1) / 2, row, into, place, logits);
    });
  }

  dispose() {
    this.#scratch.dispose();
  }
}

/**
 * By default guidance leads away from the model's output without a prompt.
 * @param {import("../decode-types.js").Engine} engine
 * @param {Uint32Array} ids the prompt
 * @param {string | Uint32Array} [negative]
 */
function negativeIds(engine, ids, negative) {
  const { bos } = engine.config;
  if (negative === undefined) return bos === null ? ids.slice(-1) : Uint32Array.of(bos);
  const given = engine.idsOf(negative);
  if (!given.length) throw rangeError("out-of-range", "negativePrompt has no tokens: a model needs at least one.");
  return given;
}
