// The bookkeeping of beam search: running beams, finished texts, and the end of the search. The caller finds the candidates
// of a step. The rules are those of Hugging Face's _beam_search.
import { power } from "../../core/power.js";

/**
 * @typedef {object} Settings
 * @property {number} width beams in all
 * @property {number} groups
 * @property {number} lengthPenalty
 * @property {boolean | "never"} earlyStopping
 * @property {number} diversityPenalty
 * @property {number} maxTokens at which every beam ends
 * @property {number} endings tokens that end a text
 */

/** @typedef {{ score: number, beam: number, token: number }} Candidate a continuation: its score, the beam that it continues, and its token */

/**
 * The beams that one group continues.
 * @typedef {object} Choice
 * @property {number} first of them
 * @property {number} count of them
 * @property {number} keep how many candidates are wanted, best first
 * @property {ReadonlyMap<number, number>} penalties to subtract from the scores of tokens
 */

/** A text, as its last token and the beam before it. */
export class Beam {
  /** @type {string | undefined} why it ended */
  finishReason;
  /** @type {any} data of the caller */
  data;

  /**
   * @param {Beam | undefined} before
   * @param {number} parent index of `before` among the beams of its step
   * @param {number} token
   * @param {number} score sum of the log-probabilities, less the diversity penalties
   * @param {number} logprob of the token
   */
  constructor(before, parent, token, score, logprob) {
    this.before = before;
    this.parent = parent;
    this.token = token;
    this.score = score;
    this.logprob = logprob;
    /** @type {number} */
    this.length = before ? before.length + 1 : 0;
  }

  /** The beams of all tokens, first token first. */
  get path() {
    const path = new Array(this.length);
    /** @type {Beam} */
    let beam = this;
    for (let i = this.length - 1; i >= 0; i--) {
      path[i] = beam;
      beam = /** @type {Beam} */ (beam.before);
    }
    return /** @type {Beam[]} */ (path);
  }
}

/** @typedef {{ beam: Beam, score: number }} Finished score: with the length penalty */

class Group {
  /** @type {Beam[]} */
  running;
  /** Best first. @type {Finished[]} */
  finished = [];
  isOver = false;

  /** @param {Beam[]} running */
  constructor(running) {
    this.running = running;
  }

  copy() {
    const copy = new Group(this.running);
    copy.finished = [...this.finished];
    copy.isOver = this.isOver;
    return copy;
  }

  /**
   * @param {Beam[]} beams of the step before
   * @param {Candidate[]} candidates best first
   * @param {number} width
   * @param {Omit<Settings, "width">} settings
   * @param {ReadonlyMap<number, number>} penalties
   * @param {(parent: Beam, token: number) => string | undefined} endOf
   */
  take(beams, candidates, width, { lengthPenalty, earlyStopping, maxTokens }, penalties, endOf) {
    const length = beams[0].length + 1;
    const divisor = power(length, lengthPenalty);
    /** @type {Beam[]} */
    const running = [];
    /** @type {Beam[]} */
    const ended = [];
    candidates.some(({ beam: parent, token, score }, rank) => {
      const before = beams[parent];
      const logprob = score - before.score + (penalties.get(token) ?? 0);
      const beam = new Beam(before, parent, token, score, logprob);
      beam.finishReason = endOf(before, token) ?? (length === maxTokens ? "length" : undefined);
      if (!beam.finishReason) running.push(beam);
      // A finished text outside the `width` best candidates is dropped.
      else if (rank < width) ended.push(beam);
      return running.length === width;
    });
    for (const beam of ended) {
      const score = beam.score / divisor;
      const place = this.finished.findIndex((other) => other.score < score);
      this.finished.splice(place < 0 ? this.finished.length : place, 0, { beam, score });
    }
    this.finished.length = Math.min(this.finished.length, width);
    this.running = running;
    const isFull = this.finished.length === width;
    const most = earlyStopping === "never" && lengthPenalty > 0 ? power(maxTokens, lengthPenalty) : divisor;
    const isBest = isFull && !(running[0]?.score / most > this.finished[width - 1].score);
    this.isOver = !running.length || isBest || (isFull && earlyStopping === true);
    return ended;
  }
}

export class BeamScorer {
  #settings;
  #groups;
  #width;
  /** The running beams, group by group, in each group best first. @type {Beam[]} */
  beams;
  /** The beams that ended at the last step. @type {Beam[]} */
  ended = [];

  /** @param {Settings} settings */
  constructor(settings) {
    const { width, groups } = settings;
    this.#settings = settings;
    this.#width = width / groups;
    const root = new Beam(undefined, 0, -1, 0, 0);
    this.#groups = Array.from({ length: groups }, () => new Group([root]));
    this.beams = [root];
  }

  /**
   * The number of candidates of a step, so that enough beams go on even if as many candidates as possible end.
   * @param {Settings} settings
   */
  static keep({ width, groups, endings }) {
    return Math.max(2, 1 + endings) * (width / groups);
  }

  get isOver() {
    return this.#groups.every(({ isOver }) => isOver);
  }

  /**
   * One step: the best continuations of all beams go on. An error leaves the search unchanged.
   * @param {(choice: Choice) => Candidate[]} choose
   * @param {(parent: Beam, token: number) => string | undefined} endOf the reason why a text ends with this token, if
   *   it does
   */
  step(choose, endOf) {
    const { beams } = this;
    const { diversityPenalty } = this.#settings;
    /** @type {Map<number, number>} */
    const penalties = new Map();
    const keep = BeamScorer.keep(this.#settings);
    const isFirst = !beams[0].before;
    let first = 0;
    /** @type {Beam[]} */
    const next = [];
    /** @type {Beam[]} */
    const ended = [];
    const groups = this.#groups.map((group) => group.copy());
    for (const group of groups) {
      if (group.isOver) continue;
      const count = group.running.length;
      const candidates = choose({ first, count, keep, penalties });
      if (!isFirst) first += count;
      ended.push(...group.take(beams, candidates, this.#width, this.#settings, penalties, endOf));
      for (const { token } of group.running)
        if (diversityPenalty) penalties.set(token, (penalties.get(token) ?? 0) + diversityPenalty);
      if (!group.isOver) next.push(...group.running);
    }
    this.#groups = groups;
    this.beams = next;
    this.ended = ended;
  }

  /**
   * The best finished texts, best first.
   * @param {number} count
   * @returns {Finished[]}
   */
  best(count) {
    const all = this.#groups.flatMap(({ finished }) => finished);
    return all.sort((a, b) => b.score - a.score).slice(0, count);
  }
}
