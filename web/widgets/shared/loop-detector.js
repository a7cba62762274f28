// Notices, token by token, that a text has begun to repeat itself.

const LONGEST_PERIOD = 128;
// A long phrase that comes back once is a loop; a short one only at its third turn, and "ha ha ha" never.
const LONG_PERIOD = 12;
const SHORTEST_SPAN = 10;

/**
 * @typedef {object} Loop
 * @property {number} period tokens of one turn
 * @property {number} start index of the first turn's first token
 * @property {number} turns complete ones
 */

export class LoopDetector {
  /** @type {number[]} */
  #tokens = [];
  /** For every period, how many of the last tokens equal the token one period earlier. */
  #matches = new Uint32Array(LONGEST_PERIOD + 1);

  /**
   * @param {number} id
   * @returns {Loop | null} the loop of the shortest period in which the text is now
   */
  push(id) {
    const tokens = this.#tokens;
    const length = tokens.push(id);
    /** @type {Loop | null} */
    let found = null;
    for (let period = 1; period <= LONGEST_PERIOD && period < length; period++) {
      const isSame = tokens[length - 1 - period] === id;
      this.#matches[period] = isSame ? this.#matches[period] + 1 : 0;
      if (found) continue;
      const span = this.#matches[period] + period;
      const needed = period >= LONG_PERIOD ? 2 : 3;
      if (span >= needed * period && span >= SHORTEST_SPAN)
        found = { period, start: length - span, turns: Math.floor(span / period) };
    }
    return found;
  }
}

/** Share of a text's 4-grams that had occurred before. */
export class RepetitionRate {
  /** @type {Set<string>} */
  #seen = new Set();
  /** @type {number[]} */
  #last = [];
  #count = 0;

  /** @param {number} id */
  push(id) {
    this.#last.push(id);
    if (this.#last.length < 4) return;
    this.#seen.add(this.#last.join());
    this.#last.shift();
    this.#count++;
  }

  get value() {
    return this.#count ? 1 - this.#seen.size / this.#count : 0;
  }
}
