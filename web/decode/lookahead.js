// Drafting without a draft: the model's own guesses of its next tokens, made and verified in the same passes.
//
// Jacobi decoding (Santilli et al., "Accelerating transformer inference for translation via parallel decoding", 2023) runs
// guesses behind the text; the row of each says what the model finds likeliest after it, which is the next guess for the
// place behind it, whether the guess was right or not, until nothing changes. Lookahead decoding (Fu et al., "Break the
// sequential dependency of LLM inference using lookahead decoding", 2024) keeps what such passes have said as a pool of
// n-grams and verifies those that fit. Here is one trajectory and the pool, n-grams of up to four tokens, the prompt's
// among them; what is verified is one guess, the way through the pool by the longest n-grams. Of the paper's window of
// several trajectories (W) and of its verifying several n-grams at once (G) there is nothing: they pay where further rows
// cost nearly nothing, as on a graphics processor. On a processor each costs nearly as much as the first.
import { Sampler, resolveOptions } from "../sampler.js";
import { Guesser } from "./guesser.js";

/** @typedef {import("./loop.js").Call} Call */
/** @typedef {import("./sampling.js").Lane} Lane */

/** Tokens of the longest key of the pool. */
const LONGEST = 3;

/** How often guesses are accepted, by what made them: the trajectory, or keys of so many tokens. */
export const LOOKAHEAD_PRIORS = [0.3, 0.4, 0.5, 0.6];

export class Lookahead extends Guesser {
  #instance;
  #vocabSize;
  /** Finds the likeliest token of a row. */
  #greedy;
  /** What follows, by the number that 1, 2 or 3 tokens make. @type {Map<number, number>[]} */
  #pool = Array.from({ length: LONGEST }, () => new Map());
  /** Tokens of the text that are in the pool. */
  #read = 0;
  /** What the rows of the last pass found likeliest. @type {(number | undefined)[]} */
  #likeliest = [];
  /** Guesses that the trajectory holds for the coming places. @type {(number | undefined)[]} */
  #trajectory = [];

  /**
   * @param {Call} call
   * @param {import("./pace.js").Pace | import("./pace.js").FixedPace} pace
   */
  constructor(call, pace) {
    super(call, pace);
    const { vocabSize, tokenCount } = call.settings.sampler.given;
    this.#instance = call.engine.instance;
    this.#vocabSize = /** @type {number} */ (vocabSize);
    this.#greedy = new Sampler(this.#instance, resolveOptions({ vocabSize, tokenCount, temperature: 0 }));
  }

  /**
   * @override
   * @param {readonly number[]} ids
   * @param {number} most
   */
  guess(ids, most) {
    // The model has said what follows most of the text; of the rest, the prompt, the text itself says it.
    for (; this.#read < ids.length - 1; this.#read++) this.#learn(ids, this.#read, ids[this.#read + 1], false);
    const tokens = [...ids.slice(-LONGEST)];
    const start = tokens.length;
    let kind = 0;
    for (let i = 0; i < most; i++) {
      const found =
        this.#find(tokens, this.#trajectory[i]) ?? (this.isFixed ? { next: ids[i % ids.length], by: 0 } : null);
      if (!found) break;
      if (!i) kind = found.by;
      tokens.push(found.next);
    }
    return { tokens: tokens.slice(start), kind };
  }

  /**
   * @param {Lane} lane
   * @param {number} row
   * @param {number} logits
   */
  see({ sequence: { tokens }, proposals }, row, logits) {
    const id = this.#instance.exports.li_sampler_choose(this.#greedy.address, logits);
    // A row that follows a wrong guess may be broken without harm.
    const likeliest = id < 0 ? undefined : id;
    if (!row) this.#likeliest = this.#trajectory = [];
    this.#likeliest[row] = likeliest;
    if (likeliest !== undefined) this.#learn(tokens, tokens.length - 1 - proposals.length + row, likeliest, true);
  }

  /**
   * @override
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle(lane, accepted) {
    super.settle(lane, accepted);
    this.#trajectory = this.#likeliest.slice(accepted + 1);
  }

  /** @override */
  dispose() {
    this.#greedy.dispose();
  }

  /**
   * @param {readonly number[]} ids
   * @param {number} last place of the last token of the keys
   * @param {number} next
   * @param {boolean} isCertain replaces what is known
   */
  #learn(ids, last, next, isCertain) {
    let key = 0;
    for (let i = 0; i < LONGEST && i <= last; i++) {
      key = key * this.#vocabSize + ids[last - i];
      if (isCertain || !this.#pool[i].has(key)) this.#pool[i].set(key, next);
    }
  }

  /**
   * @param {number[]} ids
   * @param {number | undefined} guess of the trajectory
   */
  #find(ids, guess) {
    /** @type {{ next: number, by: number } | undefined} */
    let found;
    let key = 0;
    for (let i = 0; i < LONGEST && i < ids.length; i++) {
      // The trajectory has seen more than one token.
      if (i === 1 && guess !== undefined) found = { next: guess, by: 0 };
      key = key * this.#vocabSize + ids[ids.length - 1 - i];
      const next = this.#pool[i].get(key);
      if (next === undefined) break;
      found = { next, by: i + 1 };
    }
    return found ?? (guess === undefined ? undefined : { next: guess, by: 0 });
  }
}
