// What each beam carries beside its tokens: what the penalties have counted and its place in the grammar. With rows of
// logits it finds the best continuations of all.
import { acceptTokens, cloneMatcher, fillBitmask } from "../../sampler/grammar-mask.js";
import { LastInchError, Sampler, check } from "../../sampler/sampler.js";
import { BeamSearch } from "./scorer.js";
import { isHistoric } from "./options.js";

/** @typedef {import("../../sampler/grammar-mask.js").Matcher} Matcher */
/** @typedef {import("../../core/wasm.js").Instance} Instance */
/** @typedef {import("./scorer.js").Beam} Beam */
/** @typedef {import("./scorer.js").Candidate} Candidate */

/** li_beam_step of an instance. */
export class BeamStep {
  #exports;
  #views;
  #pointer;
  #capacity;

  /**
   * @param {Instance} instance
   * @param {number} capacity candidates that are kept at most
   */
  constructor({ exports, views }, capacity) {
    this.#exports = exports;
    this.#views = views;
    this.#capacity = capacity;
    this.#pointer = exports.li_beam_step_create(capacity) >>> 0;
    if (!this.#pointer) throw new LastInchError("out-of-memory");
  }

  /**
   * @param {number} keep
   * @param {Iterable<readonly [number, number]>} penalties tokens and by how much their scores are lowered
   */
  begin(keep, penalties) {
    check(this.#exports.li_beam_step_begin(this.#pointer, Math.min(keep, this.#capacity)));
    for (const [token, amount] of penalties) check(this.#exports.li_beam_step_penalise(this.#pointer, token, amount));
  }

  /**
   * Offers all continuations of a beam. One of which the options leave none is a dead end, and no error.
   * @param {Sampler} sampler whose mask is filled
   * @param {number} logits address
   * @param {number} beam
   * @param {number} score
   * @returns {boolean} whether there is any
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
    for (let at = start; at < start + 16 * count; at += 16)
      // li_candidate: a double and two words.
      candidates.push({ score: doubles[at / 8], beam: words[at / 4 + 2], token: words[at / 4 + 3] });
    return candidates;
  }

  dispose() {
    if (this.#pointer) this.#exports.li_beam_step_destroy(this.#pointer);
    this.#pointer = 0;
  }
}

/** @typedef {{ sampler: Sampler, matcher?: Matcher }} State */

export class BeamStates {
  #instance;
  #options;
  #step;
  #root;
  /** One sampler serves all beams, where what it does is the same for all. */
  #isShared;
  /** @type {State[]} of the beams */
  #states;
  /** Those whose beams were dropped. @type {Sampler[]} */
  #spare = [];
  #search;

  /**
   * @param {Instance} instance
   * @param {import("../../sampler/sampler.js").ResolvedOptions} options but the grammar
   * @param {import("./scorer.js").Settings} settings
   * @param {Matcher} [matcher] stays the caller's
   */
  constructor(instance, options, settings, matcher) {
    this.#instance = instance;
    this.#options = options;
    this.#search = new BeamSearch(settings);
    this.#isShared = !isHistoric(options.given);
    this.#step = new BeamStep(instance, BeamSearch.keep(settings));
    try {
      this.#root = new Sampler(instance, options);
    } catch (error) {
      this.#step.dispose();
      throw error;
    }
    this.#states = [{ sampler: this.#root, matcher: matcher && cloneMatcher(matcher) }];
  }

  get search() {
    return this.#search;
  }

  /** The sampler of all where there is but one beam: at the start. */
  get root() {
    return this.#root;
  }

  /**
   * One step of the search.
   * @param {(beam: number) => number} rowOf address of a beam's logits, which stay until the next is asked for
   * @param {(parent: Beam, token: number) => string | undefined} endOf
   * @param {(beam: number) => number} [rawOf] address of a row that counts where the options leave nothing of the other
   */
  step(rowOf, endOf, rawOf) {
    const search = this.#search;
    const { beams } = search;
    search.step(({ first, count, keep, penalties }) => {
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
    if (search.isOver && !search.best(1).length) throw new LastInchError("nothing-left");
    this.#move(search.beams);
  }

  /**
   * @param {Sampler} sampler
   * @param {Matcher} matcher
   */
  #mask(sampler, matcher) {
    const { exports, views } = this.#instance;
    const address = exports.li_sampler_bitmask(sampler.address, 1) >>> 2;
    if (!address) throw new LastInchError("out-of-memory");
    const words = Math.ceil(this.#options.vocabSize / 32);
    const { tokenCount } = this.#options.given;
    fillBitmask(matcher, views().words.subarray(address, address + words), /** @type {number} */ (tokenCount));
  }

  /**
   * Every beam gets its parent's state, the last one of a parent the state itself, and accepts its token.
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
    const state = exports.li_memory_alloc(size);
    if (!state) throw new LastInchError("out-of-memory");
    exports.li_sampler_save_state(sampler.address, state);
    const status = exports.li_sampler_load_state(copy.address, state, size);
    exports.li_memory_free(state);
    check(status);
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
