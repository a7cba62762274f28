// A cache of bounded size that drops the least recently used entry.

/**
 * @template Key
 * @template Value
 */
export class Recent {
  #limit;
  #forget;
  /** Least recently used first. @type {Map<Key, Value>} */
  #kept = new Map();

  /**
   * @param {number} limit
   * @param {(value: Value) => void} [forget] called with a dropped value
   */
  constructor(limit, forget = () => {}) {
    this.#limit = limit;
    this.#forget = forget;
  }

  /** @param {Key} key */
  get(key) {
    const value = this.#kept.get(key);
    if (value === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, value);
    return value;
  }

  /** @param {Key} key @param {Value} value */
  set(key, value) {
    this.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size > this.#limit) this.delete(/** @type {Key} */ (this.#kept.keys().next().value));
  }

  /** @param {Key} key */
  delete(key) {
    const value = this.#kept.get(key);
    if (value === undefined) return;
    this.#kept.delete(key);
    this.#forget(value);
  }

  clear() {
    for (const key of this.#kept.keys()) this.delete(key);
  }
}
