// Makes the text of a healed prompt begin with the bytes of the token that healing has removed.
import { beginsWith } from "./healing.js";

/** @typedef {import("../sampler/grammar-mask.js").MatcherLike} MatcherLike */
/** @typedef {import("./constraint.js").TextConstraint} TextConstraint */

/**
 * A matcher for texts that begin with certain bytes.
 * @implements {MatcherLike}
 */
export class HealingMatcher {
  #bytes;
  #tokens;
  /** How many bytes had been read before each token, and after the last. */
  #places = [0];
  /** Masks by the number of bytes read, of which a prompt's last token has few. @type {Map<number, Uint32Array>} */
  #masks;

  /**
   * @param {Uint8Array} bytes
   * @param {Uint8Array[]} tokens
   * @param {Map<number, Uint32Array>} [masks]
   */
  constructor(bytes, tokens, masks = new Map()) {
    this.#bytes = bytes;
    this.#tokens = tokens;
    this.#masks = masks;
  }

  /** @param {Uint32Array} into */
  bitmask(into) {
    const mask = this.#mask();
    if (mask) into.set(mask);
    else into.fill(0xffffffff);
  }

  /** @param {number} token */
  accept(token) {
    const at = this.#at;
    if (!this.#allows(token)) return false;
    this.#places.push(Math.min(this.#bytes.length, at + (this.#tokens[token]?.length ?? 0)));
    return true;
  }

  /** @param {number} count */
  rollback(count) {
    this.#places.length -= count;
  }

  clone() {
    const copy = new HealingMatcher(this.#bytes, this.#tokens, this.#masks);
    copy.#places = [...this.#places];
    return copy;
  }

  get #at() {
    return this.#places[this.#places.length - 1];
  }

  /** @param {number} id */
  #allows(id) {
    const at = this.#at;
    const token = this.#tokens[id];
    return at === this.#bytes.length || (token?.length > 0 && beginsWith(token, this.#bytes, at));
  }

  /** undefined: every token is allowed. */
  #mask() {
    const at = this.#at;
    if (at === this.#bytes.length) return undefined;
    let mask = this.#masks.get(at);
    if (mask) return mask;
    const tokens = this.#tokens;
    const bytes = this.#bytes;
    const first = bytes[at];
    mask = new Uint32Array(Math.ceil(tokens.length / 32));
    for (let id = 0; id < tokens.length; id++)
      if (tokens[id][0] === first && beginsWith(tokens[id], bytes, at)) mask[id >>> 5] |= 1 << (id & 31);
    this.#masks.set(at, mask);
    return mask;
  }
}

/**
 * The constraint of a text without a grammar: the bytes of the removed token.
 * @implements {TextConstraint}
 */
export class HealingConstraint {
  /** @param {HealingMatcher} matcher */
  constructor(matcher) {
    this.matcher = matcher;
  }

  fork() {
    return new HealingConstraint(this.matcher.clone());
  }

  /** None: the model chooses the tokens of the bytes. */
  forced() {
    return [];
  }

  forcedBytes() {
    return new Uint8Array(0);
  }

  dispose() {}
}
