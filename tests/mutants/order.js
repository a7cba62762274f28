// Which tests are tried on a change, and in which order: first those that killed most changes of the file for their time.

/** @template {{ name: string, seconds: number }} T */
export class Order {
  /** @type {Map<string, number>} kills by file and test */
  #kills = new Map();

  /**
   * The tests in order, as many as take `within` seconds together.
   * @param {string} file
   * @param {T[]} tests
   * @param {number} within
   */
  of(file, tests, within) {
    const worth = (/** @type {T} */ { name, seconds }) =>
      (1 + (this.#kills.get(`${file} ${name}`) ?? 0)) / (seconds + 0.1);
    const sorted = [...tests].sort((a, b) => worth(b) - worth(a));
    return sorted.filter(({ seconds }) => seconds <= within && (within -= seconds) >= 0);
  }

  /** @param {string} file @param {string} name of the test that killed a change */
  note(file, name) {
    this.#kills.set(`${file} ${name}`, (this.#kills.get(`${file} ${name}`) ?? 0) + 1);
  }
}
