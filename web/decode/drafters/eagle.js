// EAGLE-3 (Li et al., 2025): one layer of a file of its own reads the model's states at a position and the token that
// comes next, and guesses the token after that one; then it reads its own output in place of the states. Guesses make a
// tree, which one pass of the model verifies. The sampler chooses as without guesses, and the text goes on along the
// guesses that equal its choices, so the text of a seed is the same as without drafts.
//
// What a position says is known only while its pass lasts. So positions wait here until a draft needs them. If none does
// for long, they are dropped, and the layer begins anew with the text that follows: it needs no more than its end.
import { allocate } from "../../core/memory.js";
import { MOST_PROPOSALS } from "./draft-pace.js";
import { StepAcceptance, possibleNodes, shapeOf } from "./draft-tree.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../decode-types.js").AttachedEagle} AttachedEagle */
/** @typedef {import("../decode-types.js").Sequence} Sequence */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** Guesses in a row: of later ones few are reached. */
const STEPS = 8;
/** Positions that wait at most. */
const ROOM = 32;
/** Guesses of a pass at most (draftTokens). */
const MOST = 2 * MOST_PROPOSALS + 2;

/** Above the bits of a token, which is all that C reads of it. */
const ABOVE = 2 ** 32;

/**
 * The first token of the layer's text says which token comes before it: what the layer has read serves no text that
 * begins otherwise. A text that it has read from the middle on lacks this, so that no prompt finds it.
 * @param {number} before
 * @param {number} first
 */
const marked = (before, first) => first + ABOVE * (1 + before);

/**
 * The layer's text for the first `count` positions of a prompt, and a token that is to come.
 * @param {Uint32Array} ids
 * @param {number} count
 */
function textOf(ids, count) {
  const text = [...ids.subarray(1, count + 1), 0];
  if (count) text[0] = marked(ids[0], ids[1]);
  return text;
}

/** How often guesses like those of a call were right. @param {Call} call */
export const eagleAcceptance = (call) => shapeOf(call, STEPS, StepAcceptance).acceptance;

/** @implements {Drafter} */
export class Eagle {
  #call;
  #heads;
  #pace;
  #acceptance;
  #limit;
  #eos;
  #instance;
  /** Address (ROOM, stateSize) of the states of the positions that wait. */
  #states;
  /** Address (1 + MOST, size) of outputs: of the last token of the text, and of each guess that others follow. */
  #outputs;
  /** The tokens that follow the positions that wait. @type {number[]} */
  #waiting = [];
  /** The layer's text. @type {Sequence | undefined} */
  #sequence;
  /** The position after the last one that is known. */
  #next = 0;
  /** The guesses after the text, and after each node of the last tree that has been read. @type {Map<number, number[]>} */
  #guesses = new Map();
  /** @type {import("./draft-tree.js").Node[]} */
  #nodes = [];

  /**
   * @param {Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor(call, pace) {
    const { engine, settings } = call;
    this.#call = call;
    this.#heads = /** @type {AttachedEagle} */ (call.heads);
    this.#pace = pace;
    const { acceptance, limit } = shapeOf(call, STEPS, StepAcceptance);
    this.#acceptance = acceptance;
    this.#limit = Math.min(limit, MOST);
    this.#eos = new Set(/** @type {number[]} */ (settings.sampler.given.eos));
    this.#instance = engine.instance;
    const { stateSize, size } = this.#heads;
    this.#states = allocate(this.#instance, 4 * (ROOM * stateSize + (1 + MOST) * size));
    this.#outputs = this.#states + 4 * ROOM * stateSize;
  }

  /**
   * How many positions of a prompt need no pass for this drafter's sake.
   * @param {Uint32Array} ids
   */
  covered(ids) {
    return this.#pace.isSure() ? this.#heads.sequences.covered(textOf(ids, ids.length - 1)) : Infinity;
  }

  /**
   * Notes a position that the model has just read.
   * @param {number} position
   * @param {number} token that follows it
   * @param {number} place of its row in the pass
   */
  note(position, token, place) {
    if (position < this.#next) return; // the model has read it again
    if (position > this.#next) this.#begin(position);
    if (this.#waiting.length === ROOM) {
      if (this.#pace.isSure()) this.#read();
      else this.#begin(position);
    }
    this.#heads.keepState(place, this.#states + 4 * this.#heads.stateSize * this.#waiting.length);
    this.#waiting.push(token);
    this.#next = position + 1;
  }

  /**
   * @param {Lane} lane
   * @param {number} place
   * @param {number} position
   */
  follow({ pending }, place, position) {
    this.note(position, pending[0], place);
  }

  /**
   * The text goes on after `length` positions with another token than before.
   * @param {number} length
   */
  cut(length) {
    this.#guesses.clear(); // the token that was drawn anew answers no guess
    const extra = this.#next - length;
    if (extra <= 0) return;
    const read = Math.max(0, extra - this.#waiting.length);
    this.#waiting.length -= extra - read;
    if (read && this.#sequence)
      this.#heads.sequences.truncate(this.#sequence, Math.max(0, this.#sequence.tokens.length - read));
    this.#next = length;
  }

  /**
   * A drafter for a text that goes on from here.
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  fork(pace) {
    if (this.#waiting.length) this.#read();
    const sequence = this.#sequence && this.#heads.sequences.fork(this.#sequence);
    const copy = new Eagle(this.#call, pace);
    copy.#sequence = sequence;
    copy.#next = this.#next;
    return copy;
  }

  /**
   * @param {Lane} lane
   * @param {number} most
   */
  propose(lane, most) {
    this.#guesses.clear();
    const isKnown = this.#waiting.length && this.#next === lane.sequence.tokens.length;
    if (!isKnown || lane.pending.length !== 1) return [];
    const count = this.#pace.choose(0, Math.min(most, this.#limit));
    if (!count) return [];
    const began = performance.now();
    this.#nodes = this.#acceptance.nodes(count);
    const tokens = this.#guess();
    this.#pace.noteDraft(this.#acceptance.cost(count), performance.now() - began);
    return possibleNodes({ tokens, parents: this.#nodes.map(({ parent }) => parent) }, lane, this.#eos);
  }

  /**
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle({ chosen, proposals, continuation }, accepted) {
    let at = -1;
    for (let depth = 0; depth < chosen.length; depth++) {
      const guesses = this.#guesses.get(at);
      if (!guesses) break;
      const rank = guesses.indexOf(chosen[depth]);
      this.#acceptance.see(depth, rank);
      at = this.#nodes.findIndex(({ parent, rank: other }) => parent === at && other === rank);
      if (at < 0) break;
    }
    this.#guesses.clear();
    if (proposals.length) this.#pace.noteOutcome(0, accepted, !accepted && !continuation.isOver);
  }

  dispose() {
    this.#instance.exports.li_memory_free(this.#states); // the outputs follow them
    this.#states = this.#outputs = 0;
    this.#waiting = [];
    this.#next = -1;
  }

  /** Begins the layer's text anew. @param {number} position of its first token */
  #begin(position) {
    const { sequences } = this.#heads;
    this.#waiting = [];
    this.#sequence = undefined;
    this.#next = position;
    const { ids } = this.#call;
    if (position >= ids.length) return;
    // The model has not run the beginning, and perhaps the layer need not.
    const sequence = sequences.open(textOf(ids, position));
    if (sequence.tokens.length === position) this.#sequence = sequence;
    else sequences.drop(sequence);
  }

  /**
   * Reads the positions that wait.
   * @param {import("../decode-types.js").Wanted} [wanted]
   * @param {number} [more] tokens that will follow
   * @returns {number[]} the guesses after them
   */
  #read(wanted, more = 0) {
    const { sequences } = this.#heads;
    const tokens = this.#waiting;
    this.#waiting = [];
    const length = (this.#sequence?.tokens.length ?? 0) + tokens.length + more;
    // Without its slots, or where the context is full, it begins anew with what it knows.
    if (!this.#sequence || length > sequences.contextLength || !sequences.reserve(this.#sequence, tokens.length + more))
      this.#sequence = sequences.open([0]);
    if (!this.#sequence.tokens.length && this.#next === tokens.length) tokens[0] = marked(this.#call.ids[0], tokens[0]);
    return this.#heads.read(this.#sequence, tokens, this.#states, this.#call.job, wanted);
  }

  /** The tokens of the tree. */
  #guess() {
    const { sequences, size } = this.#heads;
    const { width } = this.#acceptance;
    const nodes = this.#nodes;
    const output = (/** @type {number} */ i) => this.#outputs + 4 * size * i;
    this.#guesses.set(-1, this.#read({ width, into: output(0) }, nodes.length));
    const trunk = /** @type {Sequence} */ (this.#sequence);
    const { length } = trunk.tokens;
    const inner = new Set(nodes.map(({ parent }) => parent));
    /** What ends in a node: its sequence, the address of its output, and whether a token has been appended. */
    const ends = new Map([[-1, { sequence: trunk, state: output(0), isLonger: false }]]);
    /** @type {number[]} */
    const tokens = [];
    /** @type {Sequence[]} */
    const branches = [];
    let outputs = 1;
    try {
      for (let depth = 0; depth < STEPS; depth++) {
        const level = [...nodes.keys()].filter((i) => nodes[i].depth === depth);
        for (const i of level) tokens[i] = /** @type {number[]} */ (this.#guesses.get(nodes[i].parent))[nodes[i].rank];
        const read = level.filter((i) => inner.has(i));
        if (!read.length) break;
        const rows = read.map((i, at) => {
          const end = /** @type {{ sequence: Sequence, state: number, isLonger: boolean }} */ (
            ends.get(nodes[i].parent)
          );
          let { sequence } = end;
          // Of the guesses that follow the same one, the first continues its sequence.
          if (end.isLonger) branches.push((sequence = sequences.branch(sequence, length + depth)));
          end.isLonger = true;
          ends.set(i, { sequence, state: output(outputs + at), isLonger: false });
          return { sequence, token: tokens[i], state: end.state };
        });
        const guesses = this.#heads.step(rows, this.#call.job, { width, into: output(outputs) });
        read.forEach((i, at) => this.#guesses.set(i, guesses[at]));
        outputs += read.length;
      }
    } finally {
      for (const branch of branches) sequences.drop(branch);
      sequences.truncate(trunk, length);
    }
    return tokens;
  }
}
