// One step of beam search in C: adds all continuations of the beams and keeps the best.
import { CANDIDATE_BEAM, CANDIDATE_SCORE, CANDIDATE_SIZE, CANDIDATE_TOKEN } from "../../core/layouts.js";
import { allocated } from "../../core/memory.js";
import { LastInchError, check } from "../../core/errors.js";

/** @typedef {import("../../sampler/sampler.js").Sampler} Sampler */
/** @typedef {import("../../core/wasm.js").DecodeInstance} Instance */
/** @typedef {import("./scorer.js").Candidate} Candidate */

/** The struct li_beam_step of an instance. */
export class BeamStep {
  #exports;
  #views;
  #pointer;
  #capacity;

  /**
   * @param {Instance} instance
   * @param {number} capacity most candidates to keep
   */
  constructor({ exports, views }, capacity) {
    this.#exports = exports;
    this.#views = views;
    this.#capacity = capacity;
    this.#pointer = allocated(exports.li_beam_step_create(capacity));
  }

  /**
   * @param {number} keep
   * @param {Iterable<readonly [number, number]>} penalties tokens, and what to subtract from their scores
   */
  begin(keep, penalties) {
    check(this.#exports.li_beam_step_begin(this.#pointer, Math.min(keep, this.#capacity)));
    for (const [token, amount] of penalties) check(this.#exports.li_beam_step_penalise(this.#pointer, token, amount));
  }

  /**
   * Adds all continuations of a beam. A beam without any continuation is a dead end, not an error.
   * @param {Sampler} sampler whose mask is filled
   * @param {number} logits address
   * @param {number} beam
   * @param {number} score
   * @returns {boolean} whether the beam has a continuation
   */
  add(sampler, logits, beam, score) {
    try {
      check(this.#exports.li_beam_step_add(this.#pointer, sampler.address, logits, beam, score));
      return true;
    } catch (error) {
      if (!(error instanceof LastInchError && error.code === "nothing-left")) throw error;
      return false;
    }
  }

  /**
   * Score descending, then beam, then token ascending.
   * @returns {Candidate[]}
   */
  best() {
    const start = this.#exports.li_beam_step_best(this.#pointer) >>> 0;
    const { words, doubles } = this.#views();
    const count = this.#exports.li_beam_step_count(this.#pointer);
    const candidates = [];
    for (let at = start; at < start + CANDIDATE_SIZE * count; at += CANDIDATE_SIZE)
      candidates.push({
        score: doubles[at / 8 + CANDIDATE_SCORE],
        beam: words[at / 4 + CANDIDATE_BEAM],
        token: words[at / 4 + CANDIDATE_TOKEN],
      });
    return candidates;
  }

  dispose() {
    if (this.#pointer) this.#exports.li_beam_step_destroy(this.#pointer);
    this.#pointer = 0;
  }
}
