// Takes back what a text has written: `Past` keeps what a continuation needs to go back, `TakingBack` what its lane
// needs. A token that was taken back is refused at its place, as long as the text before the place stays. The token is
// drawn anew from what the options leave without it, with new random numbers, because the old ones had led to it. A
// watermark keeps its numbers. With "gumbel" that is as good, since the second of a race is a draw from the others; with
// "synthid" the bits that led to the refused token also weigh the others, which skews the new draw a little.
//
// A banned text is taken back to the first of its tokens that was chosen, not forced, and has not been emitted. A loop
// is taken back to the end of its first turn. If nothing else is possible at that place, a ban goes back to the place
// before, and a loop goes on along the repeated turn to the place after.
import { LastInchError, check } from "../core/errors.js";
import { ModelError } from "../core/model-errors.js";
import { beginsWith } from "./healing.js";
import { acceptedTokens } from "../sampler/grammar-mask.js";
import { BannedTexts } from "./banned-texts.js";
import { unfinishedBytes } from "./text-stream.js";

/** @typedef {import("./decode-types.js").Chunk} Chunk */
/** @typedef {import("./loop-detector.js").Loop} Loop */
/** @typedef {import("./strategies/sampling-strategy.js").Lane} Lane */

/**
 * What must be taken back.
 * @typedef {{ banned: string, place: number } | { loop: Loop }} Fault banned: the ban, and the place of the token in
 *   which the banned text begins; it may be the place after the last token
 */

/** Passes that may be spent on what follows one emitted token, before a ban counts as impossible to keep. */
const MOST_RETURNS = 1000;

/** Tokens that may be refused on one row, before others get a turn. */
const MOST_REFUSED = 256;

/** The written tokens of a continuation, with the text that each gave. */
export class Past {
  /** @type {number[]} */
  ids = [];
  /** The text, of which stop strings may hold back the end. */
  text = "";
  /** Length of the text after each token. @type {number[]} */
  #ends = [];
  /** The same without what stop strings held back. @type {number[]} */
  #safeEnds = [];
  /** Bytes of an incomplete character before each token, and after the last. */
  #unfinished = [0];
  /** @type {Uint8Array} */
  #tail = new Uint8Array(0);
  /** Chunks that are held back: those of the last tokens. @type {Chunk[]} */
  #held = [];
  /** Number of tokens whose chunks were emitted. */
  given = 0;
  #bans;

  /**
   * @param {readonly import("./banned-texts.js").Ban[]} bans
   * @param {Uint8Array} before the last bytes of the prompt
   */
  constructor(bans, before) {
    this.#bans = bans.length ? new BannedTexts(bans) : undefined;
    this.#unfinished = [unfinishedBytes(before)];
    this.#tail = before.slice(before.length - this.#unfinished[0]);
  }

  /**
   * @param {number} id
   * @param {Uint8Array} bytes of the token
   * @param {string} text that it adds
   */
  push(id, bytes, text) {
    const bytesSoFar = Uint8Array.of(...this.#tail, ...bytes.subarray(-3));
    const count = unfinishedBytes(bytesSoFar);
    this.#tail = bytesSoFar.slice(bytesSoFar.length - count);
    this.#unfinished.push(count);
    this.ids.push(id);
    this.text += text;
    this.#ends.push(this.text.length);
  }

  /**
   * Takes the chunk of the last token.
   * @param {Chunk} chunk
   * @param {(text: string) => string} beforeStop cuts a text that follows at a stop string
   * @param {Uint8Array} forced bytes that follow
   * @returns {Fault | undefined}
   */
  hold(chunk, beforeStop, forced) {
    const { text, finishReason } = chunk;
    this.#held.push(chunk);
    this.#safeEnds.push((this.#safeEnds.at(-1) ?? 0) + text.length);
    if (!this.#bans) return undefined;
    let found = this.#bans.push(text) ?? (finishReason && this.#bans.end());
    if (!found && !finishReason && forced.length) {
      const ahead = new TextDecoder().decode(Uint8Array.of(...this.#tail, ...forced), { stream: true });
      found = this.#bans.peek(beforeStop(ahead));
    }
    return found && { banned: found.shown, place: this.#placeOf(found.start) };
  }

  /** The chunk of the last token, for `hold` to take again. @returns {Chunk} */
  lastHeld() {
    this.#safeEnds.pop();
    this.#bans?.restart(this.text.slice(0, this.#safeEnds.at(-1) ?? 0));
    return /** @type {Chunk} */ (this.#held.pop());
  }

  /** The chunks that need not be held back. @returns {Chunk[]} */
  release() {
    const isOver = this.#held.at(-1)?.finishReason;
    const safe = this.#safeEnds.at(-1) ?? 0;
    const first = this.#bans && !isOver ? this.#placeOf(Math.min(this.#bans.begun, safe)) : this.ids.length;
    const count = first - this.given;
    if (count <= 0) return [];
    this.given = first;
    return this.#held.splice(0, count);
  }

  /** Whether a token may be drawn anew: not in the middle of a character. @param {number} place */
  isWhole(place) {
    return !this.#unfinished[place];
  }

  /**
   * The token in which a character begins.
   * @param {number} at of the character in the text, in UTF-16 units
   */
  #placeOf(at) {
    const ends = this.#ends;
    let place = ends.length;
    while (place && ends[place - 1] > at) place--;
    if ((ends[place - 1] ?? 0) === at) while (place && this.#unfinished[place]) place--;
    return place;
  }

  /**
   * Forgets all tokens from a place on.
   * @param {number} place
   * @returns {Chunk["takenBack"]} what the reader has to remove
   */
  takeBack(place) {
    const tokens = Math.max(0, this.given - place);
    const characters = tokens ? this.#safeEnds[this.given - 1] - (this.#safeEnds[place - 1] ?? 0) : 0;
    this.given -= tokens;
    this.#held.length = place - this.given;
    this.ids.length = this.#ends.length = this.#safeEnds.length = place;
    this.#unfinished.length = place + 1;
    this.#tail = new Uint8Array(0);
    this.text = this.text.slice(0, this.#ends[place - 1] ?? 0);
    this.#bans?.restart(this.text.slice(0, this.#safeEnds[place - 1] ?? 0));
    return tokens ? { tokens, characters } : undefined;
  }
}

/**
 * A loop that was taken back.
 * @typedef {object} Repeated
 * @property {Loop} loop
 * @property {Uint8Array} bytes of the text that was taken back
 * @property {number} at how many of them the new text has repeated
 * @property {number} place up to which the new text has repeated them
 * @property {number} after tokens since it has repeated all of them
 */

/** Takes back the tokens of a lane. */
export class TakingBack {
  #instance;
  #tokenizer;
  /** Whether a token was forced, by its place in the output. @type {boolean[]} */
  #isForced = [];
  /** Three numbers before each token, if the sampler learns from its choices. @type {number[] | undefined} */
  #feedback;
  /** Tokens that begin a banned text, by place. @type {Map<number, Set<number>>} */
  #banned = new Map();
  /** Tokens that begin a repetition, by place. @type {Map<number, Set<number>>} */
  #repeating = new Map();
  /** The loop that was taken back last, as long as the text goes the same way. @type {Repeated | undefined} */
  #repeated;
  #redraws;
  #redrawn = 0;
  /** The place of the row that is being read. */
  #row = 0;
  /** Passes spent since a token was emitted, and the number of tokens emitted then. */
  #returns = 0;
  #given = 0;
  #shown = "";
  /** Whether the lane's sequence is to be cut after the pass. */
  isBack = false;
  /** Whether the last token was the only one that the options left. */
  isOnly = false;

  /**
   * @param {import("./decode-types.js").Engine} engine
   * @param {import("./decode-types.js").GenerateSettings} settings
   */
  constructor({ instance, tokenizer }, { loops, sampler }) {
    this.#tokenizer = tokenizer;
    const { mirostat, adaptiveTarget = -1 } = sampler.given;
    this.#instance = instance;
    this.#redraws = loops?.redraws ?? 0;
    if (mirostat || adaptiveTarget >= 0) this.#feedback = [];
  }

  /**
   * Notes a token before the sampler learns of it.
   * @param {Lane} lane
   * @param {number} id
   * @param {boolean} isForced
   */
  note({ sampler, continuation }, id, isForced) {
    const place = this.#isForced.push(isForced) - 1;
    this.#row = place;
    this.#feedback?.push(...this.#feedbackOf(sampler));
    this.#follow(place, id);
    if (continuation.past.given > this.#given) this.#returns = 0;
    this.#given = continuation.past.given;
  }

  /** Follows a loop that was taken back. @param {number} place @param {number} id */
  #follow(place, id) {
    const repeated = this.#repeated;
    if (repeated?.place !== place) return;
    const token = this.#tokenizer.bytesOf(id);
    // The detector may find the loop one token after its end, when a word is complete.
    const isPast = this.#isRepeated && ++repeated.after > 1;
    if (isPast || !token.length || !beginsWith(token, repeated.bytes, repeated.at))
      return void (this.#repeated = undefined);
    repeated.at += token.length;
    repeated.place++;
    if (!this.#isRepeated) this.#refuseRepeating(repeated);
  }

  /**
   * Refuses, at the place up to which a loop was followed, the tokens that begin its rest or begin with it.
   * @param {Repeated} repeated
   */
  #refuseRepeating({ bytes, at, place }) {
    this.#tokenizer.tokens.forEach((token, id) => {
      if (token.length && beginsWith(token, bytes, at)) addTo(this.#repeating, place, id);
    });
  }

  /** Whether the text is in the loop that was taken back, and has repeated all of it. */
  get #isRepeated() {
    return this.#repeated !== undefined && this.#repeated.at >= this.#repeated.bytes.length;
  }

  /** Whether tokens are refused at a place. @param {number} place */
  refuses(place) {
    return this.#banned.has(place) || this.#repeating.has(place);
  }

  /** @param {number} place @returns {Set<number>} */
  #refused(place) {
    return new Set([...(this.#banned.get(place) ?? []), ...(this.#repeating.get(place) ?? [])]);
  }

  /**
   * Chooses a token from a row without those that are refused at this place.
   * @param {Lane} lane
   * @param {number[]} rows addresses of the logits
   * @param {() => number} choose
   * @returns {number | undefined} undefined: the text went back to an earlier place
   */
  choose(lane, rows, choose) {
    const place = lane.continuation.count;
    this.#row = place;
    this.isOnly = false;
    if (!this.refuses(place)) return choose();
    const refused = this.#refused(place);
    const id = this.#without(refused, rows, choose);
    if (id !== undefined) return id;
    this.isOnly = true;
    // No other text is allowed here: the shortest token of the loop leaves most to the next place.
    const { tokens } = this.#tokenizer;
    const repeating = [...(this.#repeating.get(place) ?? [])].filter((one) => !this.#banned.get(place)?.has(one));
    for (const one of repeating.sort((a, b) => tokens[a].length - tokens[b].length)) {
      refused.delete(one);
      const shortest = this.#without(refused, rows, choose);
      if (shortest !== undefined) return shortest;
    }
    this.#refuse(lane, this.#lastChosen(lane, place));
    return undefined;
  }

  /**
   * @param {Set<number>} refused
   * @param {number[]} rows
   * @param {() => number} choose
   * @returns {number | undefined} undefined: nothing else is left
   */
  #without(refused, rows, choose) {
    const { views } = this.#instance;
    const cells = [...new Set(rows)].flatMap((row) => Array.from(refused, (id) => row / 4 + id));
    const former = cells.map((cell) => views().floats[cell]);
    for (const cell of cells) views().floats[cell] = -Infinity;
    try {
      const id = choose();
      // forcedFirst and forcedLast choose a token whatever its logit.
      return refused.has(id) ? undefined : id;
    } catch (error) {
      if (error instanceof LastInchError && error.code === "nothing-left") return undefined;
      throw error;
    } finally {
      cells.forEach((cell, i) => (views().floats[cell] = former[i]));
    }
  }

  /**
   * Goes back to where the fault began, or ends a loop.
   * @param {Lane} lane
   * @param {Fault} fault
   * @returns {boolean} whether it went back
   */
  turn(lane, fault) {
    const { continuation } = lane;
    const { count } = continuation;
    if ("loop" in fault) {
      const { loop } = fault;
      const place = this.#placeToLeave(lane, loop);
      // The loop is complete again if it was followed to its end.
      if (place === count || this.#isRepeated || this.#redrawn === this.#redraws) {
        const banned = continuation.endLoop(loop);
        return banned ? this.turn(lane, banned) : false;
      }
      this.#redrawn++;
      const { ids } = continuation.past;
      const bytes = Uint8Array.from(ids.slice(place).flatMap((id) => [...this.#tokenizer.bytesOf(id)]));
      const hasText = this.#tokenizer.bytesOf(ids[place]).length > 0;
      addTo(this.#repeating, place, ids[place]);
      this.#goTo(lane, place);
      // Of tokens without text none agrees with the others.
      if (!hasText) return true;
      this.#repeated = { loop, bytes, at: 0, place, after: 0 };
      this.#refuseRepeating(this.#repeated);
      return true;
    }
    this.#shown = fault.banned;
    // Where the text went another way before, its beginning may have been emitted.
    const first = Math.max(fault.place, continuation.past.given);
    let place = first;
    while (place < count && !this.#isChosen(lane, place)) place++;
    this.#refuse(lane, place < count ? place : this.#lastChosen(lane, first));
    return true;
  }

  /**
   * The place at which a loop is left: the end of the first turn. Under a grammar that place may offer only other
   * loops, so every further time it is the next place of the second turn.
   * @param {Lane} lane
   * @param {Loop} loop
   * @returns {number} the number of tokens: there is none
   */
  #placeToLeave(lane, { start, period }) {
    const { continuation, constraint } = lane;
    const first = start + period;
    const chosen = [];
    for (let place = first; place < continuation.count && (place < first + period || !chosen.length); place++)
      if (this.#isChosen(lane, place)) chosen.push(place);
    if (!chosen.length) return continuation.count;
    return chosen[constraint ? this.#redrawn % chosen.length : 0];
  }

  /** Whether a token was chosen, and may be chosen anew. @param {Lane} lane @param {number} place */
  #isChosen({ continuation }, place) {
    return !this.#isForced[place] && continuation.past.isWhole(place);
  }

  /** The last place before another at which a token was chosen. @param {Lane} lane @param {number} before */
  #lastChosen(lane, before) {
    let place = before - 1;
    while (place >= 0 && !this.#isChosen(lane, place)) place--;
    return place;
  }

  /** Refuses the token at a place, because of a ban. @param {Lane} lane @param {number} place */
  #refuse(lane, place) {
    const { past } = lane.continuation;
    // What was emitted is never taken back.
    if (place < past.given || this.#returns > MOST_RETURNS) throw new ModelError("banned-strings", `(${this.#shown})`);
    addTo(this.#banned, place, past.ids[place]);
    this.#goTo(lane, place);
  }

  /** @param {Lane} lane @param {number} place */
  #goTo(lane, place) {
    const { sampler, constraint, continuation } = lane;
    const count = this.#isForced.length - place;
    check(this.#instance.exports.li_sampler_take_back(sampler.address, count));
    if (this.#feedback) {
      const at = this.#instance.exports.li_sampler_feedback(sampler.address) >>> 3;
      this.#instance.views().doubles.set(this.#feedback.slice(3 * place, 3 * place + 3), at);
      this.#feedback.length = 3 * place;
    }
    if (constraint) {
      constraint.matcher.rollback(count);
      acceptedTokens(constraint.matcher).length -= count;
    }
    this.#isForced.length = place;
    lane.forced = [];
    lane.wasForced = place > 0 && this.#isForced[place - 1];
    for (const refused of [this.#banned, this.#repeating])
      for (const later of refused.keys()) if (later > place) refused.delete(later);
    continuation.takeBack(place);
    if (this.#repeated && place < this.#repeated.place) this.#repeated = undefined;
    // The row of this place is still there.
    if (place === this.#row && this.#refused(place).size % MOST_REFUSED) return;
    this.isBack = true;
    this.#returns++;
  }

  /** @param {import("../sampler/sampler.js").Sampler} sampler */
  #feedbackOf(sampler) {
    const at = this.#instance.exports.li_sampler_feedback(sampler.address) >>> 3;
    return this.#instance.views().doubles.subarray(at, at + 3);
  }
}

/** @param {Map<number, Set<number>>} sets @param {number} place @param {number} id */
function addTo(sets, place, id) {
  const set = sets.get(place);
  if (set) set.add(id);
  else sets.set(place, new Set([id]));
}
