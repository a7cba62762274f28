// Medusa heads (Cai et al., "Medusa: simple LLM inference acceleration framework with multiple decoding heads", 2024): small
// layers of a file of their own read the state from which the newest token was chosen, and each guesses one of the tokens
// after it. Guesses of all heads make a tree, which one pass of the model verifies. The sampler chooses as without guesses,
// and the text goes on along the guesses that equal its choices, so the text of a seed is the same as without drafts.
import { allocate } from "../../core/memory.js";
import { WIDTH, TreeAcceptance, possibleNodes } from "./draft-tree.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../decode-types.js").AttachedHeads} AttachedHeads */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** None: the rates of all guesses are measured by themselves. @type {number[]} */
export const MEDUSA_PRIORS = [];

/** Measured for later texts. @type {WeakMap<AttachedHeads, TreeAcceptance>} */
const measured = new WeakMap();

/** @param {Call} call */
export function acceptanceOf({ heads }) {
  const attached = /** @type {AttachedHeads} */ (heads);
  let acceptance = measured.get(attached);
  if (!acceptance) measured.set(attached, (acceptance = new TreeAcceptance(attached.count)));
  return acceptance;
}

/** @implements {Drafter} */
export class Medusa {
  #heads;
  #pace;
  #acceptance;
  #eos;
  #sequences;
  /** Texts that share the branches of a pass. */
  #texts;
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
    const { engine, settings, source } = call;
    this.#heads = /** @type {AttachedHeads} */ (call.heads);
    this.#pace = pace;
    this.#acceptance = acceptanceOf(call);
    this.#eos = new Set(/** @type {number[]} */ (settings.sampler.given.eos));
    this.#sequences = engine.sequences;
    // Sources that combine the rows of several models take no branches.
    this.#texts = source === engine.sequences ? settings.n : Infinity;
    this.#instance = engine.instance;
    this.#size = engine.config.dim;
    this.#state = allocate(this.#instance, 4 * this.#size);
  }

  /**
   * @param {Lane} lane
   * @param {number} place
   */
  follow(lane, place) {
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
    const branches = Math.floor(this.#sequences.branches / this.#texts);
    const isChain = branches < 2;
    const limit = isChain ? Math.min(most, this.#heads.count) : Math.min(most, branches);
    const count = this.#pace.choose(0, limit);
    if (!count) return [];
    const began = performance.now();
    const nodes = isChain ? chain(count) : this.#acceptance.nodes(count);
    const heads = Math.max(...nodes.map(({ depth }) => depth + 1));
    this.#guesses = this.#heads.guess(this.#state, heads, WIDTH);
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
    if (proposals.length) this.#pace.noteOutcome(0, accepted, !accepted && !continuation.isOver);
  }

  dispose() {
    this.#instance.exports.li_memory_free(this.#state);
    this.#state = 0;
    this.#hasState = false;
  }
}

/** The likeliest guess of each head. @param {number} count */
const chain = (count) => Array.from({ length: count }, (_, i) => ({ parent: i - 1, depth: i, rank: 0 }));
