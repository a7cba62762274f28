// `draft: "auto"`: what drafts without a second file. Tokens that followed the same words before cost nothing to guess, so
// they come first; where they would not pay, the model's own block guesses, if the file has one. Each has a pace of its
// own, which knows when to propose nothing; all of them see every pass and what the others cost, so that together they
// lose no more than one alone. They are not those of a draft by one alone, which did not cost the same.

/** @typedef {import("./draft-pace.js").Pace | import("./draft-pace.js").FixedPace} AnyPace */
/** @typedef {import("../strategies/sampling-strategy.js").Drafter} Drafter */
/** @typedef {import("../strategies/sampling-strategy.js").Lane} Lane */

/** The paces of several drafters of a call. */
export class Paces {
  #paces;

  /** @param {AnyPace[]} paces */
  constructor(paces) {
    this.#paces = paces;
  }

  /** @param {number} lanes */
  begin(lanes) {
    for (const pace of this.#paces) pace.begin(lanes);
  }

  /**
   * @param {number} rows
   * @param {number} tokens
   * @param {number} ms
   */
  notePass(rows, tokens, ms) {
    for (const pace of this.#paces) pace.notePass(rows, tokens, ms);
  }
}

/** @implements {Drafter} */
export class Auto {
  #drafters;
  #paces;
  /** Whose proposals are verified. @type {Drafter | undefined} */
  #used;

  /**
   * @param {Drafter[]} drafters the first asked first; it guesses for nothing
   * @param {AnyPace[]} paces theirs
   */
  constructor(drafters, paces) {
    this.#drafters = drafters;
    this.#paces = paces;
  }

  /**
   * @param {Lane} lane
   * @param {number} most
   */
  async propose(lane, most) {
    this.#used = undefined;
    for (const [i, drafter] of this.#drafters.entries()) {
      const began = performance.now();
      const proposals = /** @type {number[]} */ (await drafter.propose(lane, most));
      const ms = performance.now() - began;
      for (const [other, pace] of this.#paces.entries()) if (i && i !== other) pace.noteDraft(0, ms);
      if (this.#paces[i].isTiming) break; // nobody may fill a plain pass
      if (!proposals.length) continue;
      this.#used = drafter;
      return proposals;
    }
    return [];
  }

  /**
   * @param {Lane} lane
   * @param {number} accepted
   */
  settle(lane, accepted) {
    this.#used?.settle?.(lane, accepted);
  }

  dispose() {
    for (const drafter of this.#drafters) drafter.dispose();
  }
}
