// A sampler and a matcher for each beam, which hold the counts of penalties and the state of the grammar. From a row of
// logits for each beam they find the best continuations for the scorer.
import { allocated, withMemory } from "../../core/memory.js";
import { acceptTokens, cloneMatcher, fillBitmask } from "../../sampler/grammar-mask.js";
import { LastInchError, check } from "../../core/errors.js";
import { Sampler } from "../../sampler/sampler.js";
import { isHistoric } from "./mechanisms.js";
import { BeamScorer } from "./scorer.js";
import { BeamStep } from "./step.js";

/** @typedef {import("../../sampler/grammar-mask.js").MatcherLike} MatcherLike */
/** @typedef {import("../../core/wasm.js").DecodeInstance} Instance */
/** @typedef {import("./scorer.js").Beam} Beam */

/** @typedef {{ sampler: Sampler, matcher?: MatcherLike }} State */

export class BeamSamplers {
  #instance;
  #options;
  #step;
  #root;
  /** Whether one sampler serves all beams, because its work does not depend on their tokens. */
  #isShared;
  /** @type {State[]} of the beams */
  #states;
  /** Samplers of dropped beams, for reuse. @type {Sampler[]} */
  #spare = [];
  #scorer;

  /**
   * @param {Instance} instance
   * @param {import("../../sampler/sampler.js").ResolvedOptions} options without the grammar
   * @param {import("./scorer.js").Settings} settings
   * @param {MatcherLike} [matcher] owned by the caller
   */
  constructor(instance, options, settings, matcher) {
    this.#instance = instance;
    this.#options = options;
    this.#scorer = new BeamScorer(settings);
    this.#isShared = !isHistoric(options.given);
    this.#step = new BeamStep(instance, BeamScorer.keep(settings));
    try {
      this.#root = new Sampler(instance, options);
    } catch (error) {
      this.#step.dispose();
      throw error;
    }
    this.#states = [{ sampler: this.#root, matcher: matcher && cloneMatcher(matcher) }];
  }

  get scorer() {
    return this.#scorer;
  }

  /** The sampler of the first beam. */
  get root() {
    return this.#root;
  }

  /**
   * One step of the search.
   * @param {(beam: number) => number} rowOf address of a beam's logits, valid until the next call
   * @param {(parent: Beam, token: number) => string | undefined} endOf
   * @param {(beam: number) => number} [rawOf] address of the row to use if the options mask all tokens of the other row
   */
  step(rowOf, endOf, rawOf) {
    const scorer = this.#scorer;
    const { beams } = scorer;
    scorer.step(({ first, count, keep, penalties }) => {
      this.#step.begin(keep, penalties);
      for (let beam = first; beam < first + count; beam++) {
        const state = this.#states[beam];
        const row = rowOf(beam);
        if (state.matcher) this.#mask(state.sampler, state.matcher);
        const isAdded = this.#step.add(state.sampler, row, beam, beams[beam].score);
        if (!isAdded && rawOf) this.#step.add(state.sampler, rawOf(beam), beam, beams[beam].score);
      }
      return this.#step.best();
    }, endOf);
    if (scorer.isOver && !scorer.best(1).length) throw new LastInchError("nothing-left");
    this.#move(scorer.beams);
  }

  /**
   * @param {Sampler} sampler
   * @param {MatcherLike} matcher
   */
  #mask(sampler, matcher) {
    const { exports, views } = this.#instance;
    const address = allocated(exports.li_sampler_bitmask(sampler.address, 1)) >>> 2;
    const words = Math.ceil(this.#options.vocabSize / 32);
    const { tokenCount } = this.#options.given;
    fillBitmask(matcher, views().words.subarray(address, address + words), /** @type {number} */ (tokenCount));
  }

  /**
   * Gives every beam a copy of its parent's state; the last child of a parent takes the state itself. Then the beams
   * accept their tokens.
   * @param {Beam[]} beams
   */
  #move(beams) {
    const former = this.#states;
    const heirs = new Map();
    beams.forEach(({ parent }, i) => heirs.set(parent, i));
    former.forEach((state, i) => {
      if (heirs.has(i)) return;
      state.matcher?.dispose?.();
      if (!this.#isShared) this.#spare.push(state.sampler);
    });
    this.#states = beams.map(({ parent }, i) =>
      heirs.get(parent) === i ? former[parent] : this.#fork(former[parent]),
    );
    this.#states.forEach(({ sampler, matcher }, i) => {
      if (!this.#isShared) sampler.emit(beams[i].token);
      if (matcher) acceptTokens(matcher, [beams[i].token]);
    });
  }

  /**
   * @param {State} state
   * @returns {State}
   */
  #fork({ sampler, matcher }) {
    return { sampler: this.#isShared ? sampler : this.#copy(sampler), matcher: matcher && cloneMatcher(matcher) };
  }

  /** @param {Sampler} sampler */
  #copy(sampler) {
    const { exports } = this.#instance;
    const copy = this.#spare.pop() ?? new Sampler(this.#instance, this.#options, this.#root.address);
    const size = exports.li_sampler_state_size(sampler.address);
    withMemory(this.#instance, size, (state) => {
      exports.li_sampler_save_state(sampler.address, state);
      check(exports.li_sampler_load_state(copy.address, state, size));
    });
    return copy;
  }

  dispose() {
    this.#step.dispose();
    for (const { sampler, matcher } of this.#states) {
      sampler.dispose();
      matcher?.dispose?.();
    }
    for (const sampler of this.#spare) sampler.dispose();
    this.#root.dispose();
    this.#states = [];
    this.#spare = [];
  }
}
