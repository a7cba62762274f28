// Multi-token prediction: a block of the model's own file reads the model's last state with the newest token and guesses
// the tokens after it (DeepSeek-AI, "DeepSeek-V3 technical report", 2024). The sampler chooses as without a guess, and a
// guess is accepted if it equals the choice, so the text of a seed is the same as without drafts.
import { possibleTokens } from "./guesser.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** The assumed acceptance of the block's tokens before the first measurement. */
export const MTP_PRIORS = [0.7];

/** @implements {Drafter} */
export class MultiToken {
  #ahead;
  #job;
  #eos;
  #pace;

  /**
   * @param {Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor({ engine, settings, job }, pace) {
    this.#ahead = engine.ahead;
    this.#job = job;
    this.#eos = new Set(/** @type {number[]} */ (settings.sampler.given.eos));
    this.#pace = pace;
  }

  /**
   * @param {Lane} lane
   * @param {number} most
   */
  async propose(lane, most) {
    const { sequence, pending } = lane;
    // Of a prompt the model has no state yet.
    const count = pending.length === 1 ? this.#pace.choose(0, most) : 0;
    if (!count) return [];
    const began = performance.now();
    if (!(await this.#ahead.read(sequence, count, this.#job))) return [];
    const read = performance.now();
    const tokens = this.#ahead.guess(sequence, pending[0], count);
    this.#pace.noteDraft(0, read - began);
    this.#pace.noteDraft(count, performance.now() - read);
    return possibleTokens(tokens, lane, this.#eos);
  }

  /**
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle({ proposals, continuation }, accepted) {
    const isRejected = accepted < proposals.length && !continuation.isOver;
    if (proposals.length) this.#pace.noteOutcome(0, accepted, isRejected);
  }

  dispose() {}
}
