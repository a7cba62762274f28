// Lookahead: the model guesses its own next tokens and verifies them in the same passes.
//
// Jacobi decoding (Santilli et al., "Accelerating transformer inference for translation via parallel decoding", 2023)
// runs guesses after the text. The likeliest next token of each guess becomes the guess for the next position, whether
// the guess before was right or not, until nothing changes. Lookahead decoding (Fu et al., "Break the sequential
// dependency of LLM inference using lookahead decoding", 2024) collects the results of such passes in a pool of n-grams
// and verifies the n-grams that match the text. This file has one trajectory and one pool of n-grams of up to four
// tokens, including those of the prompt. It verifies one guess: the longest n-grams, chained. The paper's several
// trajectories (W) and several n-grams at once (G) only pay where more rows are nearly free, as on a GPU. On a CPU
// every row costs nearly as much as the first.
import { Sampler } from "../../sampler/sampler.js";
import { resolveOptions } from "../../sampler/options.js";
import { Guesser } from "./guesser.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** Tokens of the longest key of the pool. */
const LONGEST = 3;

/** The assumed acceptance of guesses from the trajectory, and from keys of 1, 2 and 3 tokens. */
export const LOOKAHEAD_PRIORS = [0.3, 0.4, 0.5, 0.6];

/**
 * The token after each n-gram: a hash table with one slot for each hash, where a later entry replaces an earlier entry.
 * Losing a guess is harmless, and a lookup for every token must be fast.
 */
class Pool {
  #size;
  #hashes;
  #next;
  /** The token that `find` found, or -1. */
  found = -1;

  /** @param {number} contextLength */
  constructor(contextLength) {
    this.#size = 2 ** Math.min(16, Math.ceil(Math.log2(4 * contextLength)));
    this.#hashes = new Int32Array(LONGEST * this.#size);
    this.#next = new Int32Array(LONGEST * this.#size).fill(-1);
  }

  /**
   * @param {readonly number[]} ids
   * @param {number} last place of the last token of the n-grams
   * @param {number} next
   */
  learn(ids, last, next) {
    let hash = 0;
    for (let i = 0; i < LONGEST && i <= last; i++) {
      hash = mix(hash, ids[last - i]);
      const at = this.#place(hash, i);
      this.#hashes[at] = hash;
      this.#next[at] = next;
    }
  }

  /**
   * Finds the token after the longest known n-gram at the end. Returns the length of the n-gram.
   * @param {number[]} ids
   */
  find(ids) {
    this.found = -1;
    let hash = 0;
    for (let i = 0; i < LONGEST && i < ids.length; i++) {
      hash = mix(hash, ids[ids.length - 1 - i]);
      const at = this.#place(hash, i);
      if (this.#next[at] < 0 || this.#hashes[at] !== hash) return i;
      this.found = this.#next[at];
    }
    return Math.min(LONGEST, ids.length);
  }

  /**
   * @param {number} hash
   * @param {number} order
   */
  #place(hash, order) {
    return order * this.#size + (hash & (this.#size - 1));
  }
}

/**
 * @param {number} hash
 * @param {number} id
 */
function mix(hash, id) {
  const product = Math.imul(hash ^ (id + 1), 0x9e3779b1);
  return product ^ (product >>> 15);
}

export class Lookahead extends Guesser {
  #instance;
  /** Finds the likeliest token of a row. */
  #greedy;
  #pool;
  #hasPrompt = false;
  /** The likeliest token of each row of the last pass. @type {(number | undefined)[]} */
  #likeliest = [];
  /** The trajectory: guesses for the next positions. @type {(number | undefined)[]} */
  #trajectory = [];

  /**
   * @param {Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor(call, pace) {
    super(call, pace);
    const { vocabSize, tokenCount } = call.settings.sampler.given;
    this.#instance = call.engine.instance;
    this.#pool = new Pool(call.source.contextLength);
    this.#greedy = new Sampler(this.#instance, resolveOptions({ vocabSize, tokenCount, temperature: 0 }));
  }

  /**
   * @override
   * @param {readonly number[]} ids
   * @param {number} most
   */
  guess(ids, most) {
    // Adds the n-grams of the prompt, once.
    for (let i = 0; i < ids.length - 1 && !this.#hasPrompt; i++) this.#pool.learn(ids, i, ids[i + 1]);
    this.#hasPrompt = true;
    const tokens = ids.slice(-LONGEST);
    const start = tokens.length;
    let kind = 0;
    for (let i = 0; i < most; i++) {
      const guess = this.#trajectory[i];
      let by = this.#pool.find(tokens);
      // The trajectory knows more context than an n-gram of one token.
      let next = by > 1 || guess === undefined ? this.#pool.found : guess;
      if (by === 1 && guess !== undefined) by = 0;
      // Always fills a fixed number of proposals: any token can begin a trajectory.
      if (next < 0 && this.isFixed) next = ids[i % ids.length];
      if (next < 0) break;
      if (!i) kind = by;
      tokens.push(next);
    }
    return { tokens: tokens.slice(start), kind };
  }

  /**
   * @param {Lane} lane
   * @param {number} row
   * @param {number} logits
   */
  see({ sequence: { tokens }, proposals }, row, logits) {
    if (this.isResting) return;
    const id = this.#instance.exports.li_sampler_choose(this.#greedy.address, logits);
    // An error in a row after a wrong guess is harmless.
    const likeliest = id < 0 ? undefined : id;
    if (!row) this.#likeliest = this.#trajectory = [];
    this.#likeliest[row] = likeliest;
    if (likeliest !== undefined) this.#pool.learn(tokens, tokens.length - 1 - proposals.length + row, likeliest);
  }

  /**
   * @override
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle(lane, accepted) {
    super.settle(lane, accepted);
    this.#trajectory = this.isResting ? [] : this.#likeliest.slice(accepted + 1);
  }

  /** @override */
  dispose() {
    this.#greedy.dispose();
  }
}
