// Memory in the model's instance for rows of logits and hidden states.
import { allocate } from "../core/memory.js";

/** @typedef {import("../core/wasm.js").DecodeInstance} Instance */

export class Scratch {
  #instance;
  #size = 0;
  /** Address. */
  at = 0;

  /** @param {Instance} instance */
  constructor(instance) {
    this.#instance = instance;
  }

  /**
   * Makes room for `size` floats, keeps the content and returns the address.
   * @param {number} size
   */
  reserve(size) {
    if (size <= this.#size) return this.at;
    const larger = Math.max(size, Math.min(2 * this.#size, size + (1 << 20)));
    const address = allocate(this.#instance, 4 * larger);
    const { floats } = this.#instance.views();
    floats.copyWithin(address / 4, this.at / 4, this.at / 4 + this.#size);
    this.dispose();
    this.at = address;
    this.#size = larger;
    return address;
  }

  dispose() {
    if (this.at) this.#instance.exports.li_memory_free(this.at);
    this.at = this.#size = 0;
  }
}

/**
 * @param {Instance} instance
 * @param {number} from address
 * @param {number} to address
 * @param {number} count floats
 */
export function copyFloats({ views }, from, to, count) {
  views().floats.copyWithin(to / 4, from / 4, from / 4 + count);
}
