// Medusa heads (Cai et al., "Medusa: simple LLM inference acceleration framework with multiple decoding heads", 2024):
// small layers of a file of their own read the state from which the newest token was chosen, and each guesses one of
// the tokens after it. Guesses of all heads make a tree, which one pass of the model verifies. The sampler chooses as
// without guesses, and the text goes on along the guesses that equal its choices, so the text of a seed is the same as
// without drafts.
import { allocate } from "../../core/memory.js";
import { TreeAcceptance, possibleNodes, shapeOf } from "./draft-tree.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../decode-types.js").AttachedMedusa} AttachedMedusa */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** How often guesses like those of a call were right. @param {Call} call */
export const medusaAcceptance = (call) => shapeOf(call, headsOf(call).count, TreeAcceptance).acceptance;

/** @param {Call} call */
const headsOf = ({ heads }) => /** @type {AttachedMedusa} */ (heads);

/** @implements {Drafter} */
export class Medusa {
  #heads;
  #pace;
  #acceptance;
  #limit;
  #eos;
  #instance;
  #size;
  /** Address of the state from which the newest token was chosen. */
  #state;
  #hasState = false;
  /** The guesses of each head, likeliest first. @type {number[][]} */
  #guesses = [];

  /**
   * @param {Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor(call, pace) {
    const { engine, settings } = call;
    this.#heads = headsOf(call);
    this.#pace = pace;
    const { acceptance, limit } = shapeOf(call, this.#heads.count, TreeAcceptance);
    this.#acceptance = acceptance;
    this.#limit = limit;
    this.#eos = new Set(/** @type {number[]} */ (settings.sampler.given.eos));
    this.#instance = engine.instance;
    this.#size = engine.config.dim;
    this.#state = allocate(this.#instance, 4 * this.#size);
  }

  /**
   * @param {Lane} _lane
   * @param {number} place
   */
  follow(_lane, place) {
    this.#heads.keepState(place, this.#state);
    this.#hasState = true;
  }

  /**
   * @param {Lane} lane
   * @param {number} most
   */
  propose(lane, most) {
    this.#guesses = [];
    if (!this.#hasState || lane.pending.length !== 1) return [];
    const count = this.#pace.choose(0, Math.min(most, this.#limit));
    if (!count) return [];
    const began = performance.now();
    const nodes = this.#acceptance.nodes(count);
    const heads = this.#acceptance.cost(count);
    this.#guesses = this.#heads.guess(this.#state, heads, this.#acceptance.width);
    const tokens = nodes.map(({ depth, rank }) => this.#guesses[depth][rank]);
    this.#pace.noteDraft(heads, performance.now() - began);
    return possibleNodes({ tokens, parents: nodes.map(({ parent }) => parent) }, lane, this.#eos);
  }

  /**
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle({ chosen, proposals, continuation }, accepted) {
    for (let depth = 0; depth < chosen.length && depth < this.#guesses.length; depth++)
      this.#acceptance.see(depth, this.#guesses[depth].indexOf(chosen[depth]));
    this.#guesses = [];
    if (proposals.length) this.#pace.noteOutcome(0, accepted, !accepted && !continuation.isOver);
  }

  dispose() {
    this.#instance.exports.li_memory_free(this.#state);
    this.#state = 0;
    this.#hasState = false;
  }
}
