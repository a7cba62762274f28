// Speculative sampling with a smaller model (Leviathan et al., "Fast inference from transformers via speculative
// decoding", 2023; Chen et al., "Accelerating large language model decoding with speculative sampling", 2023). The
// draft proposes tokens with the target's sampler: the same options, history and grammar. The target accepts a token
// with probability min(1, target / draft), else it draws from max(0, target - draft). Both distributions are taken
// after all options, so the text has the same distribution as without a draft; greedy text is the same.
import { allocate, allocated } from "../../core/memory.js";
import { LastInchError, check } from "../../core/errors.js";

/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */
/** @typedef {import("../decode-types.js").Sequence} Sequence */

/** A draft on trial reads this many tokens at the end of the text. */
const GLANCE = 24;

/** The assumed acceptance of a draft's tokens before the first measurement. */
export const DRAFT_PRIORS = [0.75];

/** @implements {Drafter} */
export class DraftModel {
  #draft;
  #exports;
  #views;
  #job;
  #tokenizer;
  #eos;
  #pace;
  /** The draft's copy of the text. @type {Sequence | undefined} */
  #sequence;
  /** Number of tokens before the beginning of the copy. */
  #skipped = 0;
  /** Number of tokens of the copy that agree with the text for certain. */
  #agreed = 0;
  /** Address of a row in the target's memory. */
  #row;
  /** The li_proposal of each position: the draft's distribution. @type {number[]} */
  #proposals = [];

  /**
   * @param {Call} call
   * @param {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} pace
   */
  constructor({ engine, draft, settings, job }, pace) {
    if (!draft) throw new LastInchError("bad-argument");
    this.#draft = draft;
    this.#exports = engine.instance.exports;
    this.#views = engine.instance.views;
    this.#job = job;
    this.#tokenizer = engine.tokenizer;
    this.#eos = new Set(/** @type {number[]} */ (settings.sampler.given.eos));
    this.#pace = pace;
    this.#row = allocate(engine.instance, 4 * engine.config.vocabSize);
  }

  /**
   * @param {Lane} lane
   * @param {number} most
   */
  async propose(lane, most) {
    this.#draft.checkWanted(this.#job);
    // A draft whose context is too short reads the end of the text into half of it, and writes into the other half.
    const count = this.#pace.choose(0, Math.min(most, Math.ceil(this.#draft.config.contextLength / 2)));
    if (!count) return [];
    const { sequences } = this.#draft;
    const began = performance.now();
    const text = lane.sequence.tokens.concat(lane.pending);
    const sequence = this.#open(text, count);
    sequences.truncate(sequence, this.#agreed);
    let ids = text.slice(this.#skipped + this.#agreed);
    if (ids.length > 1) {
      await sequences.run([{ sequence, ids: ids.slice(0, -1), wanted: 0 }], this.#job);
      ids = ids.slice(-1);
      this.#pace.noteDraft(0, performance.now() - began);
    }
    await sequences.checkpoint(sequence, this.#job);
    const caughtUp = performance.now();
    /** @type {number[]} */
    const tokens = [];
    const { sampler, constraint } = lane;
    let accepted = 0;
    this.#exports.li_sampler_mark(sampler.address);
    try {
      while (tokens.length < count) {
        /** @type {number | undefined} */
        let token;
        await sequences.run([{ sequence, ids, wanted: 1 }], this.#job, (_run, _row, logits) => {
          token = this.#draw(lane, tokens.length, logits);
        });
        if (token === undefined) break;
        tokens.push(token);
        if (tokens.length === count || this.#eos.has(token)) break;
        // Only to mask the next token; rolled back below.
        check(this.#exports.li_sampler_emit(sampler.address, token));
        if (constraint) constraint.matcher.accept(token);
        accepted++;
        // Forced tokens need no draft.
        if (constraint?.forced(this.#tokenizer, 1).length) break;
        ids = [token];
      }
    } finally {
      check(this.#exports.li_sampler_rewind(sampler.address));
      if (constraint && accepted) constraint.matcher.rollback(accepted);
    }
    this.#pace.noteDraft(tokens.length, performance.now() - caughtUp);
    return tokens;
  }

  /**
   * @param {Lane} lane
   * @param {number} row
   * @param {number} logits
   */
  choose({ sampler, proposals }, row, logits) {
    sampler.fillMask();
    const { li_sampler_verify: verify } = this.#exports;
    return check(verify(sampler.address, logits, this.#proposals[row], proposals[row], -1, -1));
  }

  /**
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle({ proposals, continuation }, accepted) {
    const isRejected = accepted < proposals.length && !continuation.isOver;
    if (proposals.length) this.#pace.noteOutcome(0, accepted, isRejected);
  }

  dispose() {
    for (const proposal of this.#proposals) this.#exports.li_proposal_destroy(proposal);
    this.#proposals = [];
    this.#exports.li_memory_free(this.#row);
    this.#row = 0;
  }

  /**
   * The draft's copy of the text.
   * @param {number[]} text
   * @param {number} count tokens that it will propose
   */
  #open(text, count) {
    const { sequences, config } = this.#draft;
    this.#agree(text);
    const isSure = this.#pace.isSure();
    const isGlance = !isSure && text.length - this.#skipped - this.#agreed > GLANCE;
    const fits = text.length + count <= config.contextLength;
    const isFull = text.length - this.#skipped + count > config.contextLength;
    // Once a draft pays off, it reads the whole text.
    const isMore = this.#skipped > 0 && fits && isSure;
    if (!this.#sequence || isGlance || isFull || isMore) {
      if (this.#sequence && this.#skipped) sequences.drop(this.#sequence);
      const room = Math.max(1, Math.floor(config.contextLength / 2));
      this.#skipped = isGlance ? text.length - GLANCE : fits ? 0 : Math.max(0, text.length - room);
      this.#sequence = sequences.open(text.slice(this.#skipped));
      this.#agreed = this.#sequence.tokens.length;
    }
    return this.#sequence;
  }

  /**
   * Counts the tokens of the copy that agree with the text. The last token of the text always runs.
   * @param {number[]} text
   */
  #agree(text) {
    const copy = this.#sequence?.tokens ?? [];
    while (this.#agreed < copy.length && copy[this.#agreed] === text[this.#agreed + this.#skipped]) this.#agreed++;
    this.#agreed = Math.min(this.#agreed, text.length - 1 - this.#skipped);
  }

  /**
   * The proposed token at a position; undefined if the options mask every token.
   * @param {Lane} lane
   * @param {number} place
   * @param {number} logits in the draft's memory
   */
  #draw({ sampler }, place, logits) {
    const { vocabSize } = this.#draft.config;
    const theirs = this.#draft.instance.views().floats;
    this.#views().floats.set(theirs.subarray(logits / 4, logits / 4 + vocabSize), this.#row / 4);
    if (place === this.#proposals.length) this.#proposals.push(allocated(this.#exports.li_proposal_create()));
    sampler.fillMask();
    try {
      return check(this.#exports.li_proposal_draw(this.#proposals[place], sampler.address, this.#row));
    } catch (error) {
      if (error instanceof LastInchError && error.code === "nothing-left") return undefined;
      throw error;
    }
  }
}
