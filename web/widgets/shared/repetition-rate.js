// How much of a text had been said before.

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
