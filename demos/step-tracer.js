// One captured step under any settings: the sampler runs again on the same logits, the model does not.
import { createSampler } from "../dist/index.js";
import { knobs } from "./knobs.js";

export const SHOWN = 16;
const KEPT = 255;

/**
 * @typedef {object} Candidate
 * @property {number} id
 * @property {number} probability over the whole vocabulary
 * @property {number | null} share probability among the survivors; null: removed
 * @property {string | null} removedBy name of the stage
 */

/**
 * @typedef {object} StepView
 * @property {Candidate[]} candidates the likeliest first
 * @property {{ count: number, kept: number, probability: number, share: number }} tail everything else, added up
 * @property {Candidate} chosen
 * @property {import("../dist/index.js").TraceStage[]} stages
 * @property {number} survivors
 * @property {number} entropy bits, over the whole vocabulary
 * @property {number} entropyLeft bits, among the survivors
 */

export class StepTracer {
  #sampler;

  /** @param {import("../dist/index.js").Model} model */
  static async create({ config, vocabulary }) {
    // As the model's own sampler: rows may be longer than the vocabulary.
    const options = { vocabSize: config.vocabSize, tokenCount: vocabulary.tokens.length };
    return new StepTracer(await createSampler(options));
  }

  /** @param {import("../dist/index.js").Sampler} sampler */
  constructor(sampler) {
    this.#sampler = sampler;
  }

  /**
   * What a penalty sees: the prompt, and the story before the step.
   * @param {number[]} prompt
   * @param {number[]} written
   */
  setHistory(prompt, written) {
    this.#sampler.reset();
    this.#sampler.accept(prompt, { prompt: true });
    this.#sampler.accept(written);
  }

  /**
   * @param {Float32Array} logits
   * @param {Record<string, number>} settings
   * @param {number} chosen
   * @returns {StepView}
   */
  view(logits, settings, chosen) {
    const sampler = this.#sampler;
    sampler.set(settings);
    const { kept, removedBy, stages, logits: edited, ...trace } = sampler.trace(logits);
    const { tokens, probabilities: shares } = sampler.distribution(logits);
    let { probabilities } = trace;
    if (settings.temperature === 0) {
      // Greedy gives everything to the likeliest token. What it won against is the model's own distribution.
      sampler.set(ownDistribution(settings));
      ({ probabilities } = sampler.trace(logits));
    }

    const order = Array.from(edited.keys()).sort((a, b) => edited[b] - edited[a] || a - b);
    const shareOf = new Map(Array.from(tokens, (id, i) => [id, shares[i]]));
    /** @param {number} id @returns {Candidate} */
    const candidate = (id) => ({
      id,
      probability: probabilities[id],
      share: shareOf.get(id) ?? null,
      removedBy: removedBy[id] === KEPT ? null : stages[removedBy[id]].name,
    });
    const tail = { count: 0, kept: 0, probability: 0, share: 0 };
    for (const id of order.slice(SHOWN)) {
      tail.count++;
      tail.kept += Number(shareOf.has(id));
      tail.probability += probabilities[id];
      tail.share += shareOf.get(id) ?? 0;
    }
    return {
      candidates: order.slice(0, SHOWN).map(candidate),
      tail,
      chosen: candidate(chosen),
      stages,
      survivors: kept.length,
      entropy: entropyOf(probabilities),
      entropyLeft: entropyOf(shares),
    };
  }

  dispose() {
    this.#sampler.dispose();
  }
}

/** @param {Record<string, number>} settings */
function ownDistribution({ repetitionPenalty }) {
  const off = Object.fromEntries(knobs.map((knob) => [knob.key, knob.off ?? 1]));
  return { ...off, repetitionPenalty };
}

/** @param {Float64Array} probabilities */
function entropyOf(probabilities) {
  let bits = 0;
  for (const p of probabilities) if (p > 0) bits -= p * Math.log2(p);
  return bits;
}
