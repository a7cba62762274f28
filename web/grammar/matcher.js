// A matcher: the state of a grammar in one text, token by token.
import { checkNames } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError, rangeError, typeError } from "../core/errors.js";
import { MATCHER_ACCEPTING, MATCHER_EMPTY, MATCHER_TERMINATED } from "../core/layouts.js";
import { allocated, withMemory } from "../core/memory.js";
import { warnOfName } from "../core/names.js";
import { checkGrammar } from "./grammar-errors.js";
import { withBytes } from "./grammar-instance.js";
import { checkWellFormed } from "./well-formed.js";

/** @typedef {import("../core/wasm.js").GrammarInstance} Instance */

/** Most bytes that `forced` returns. */
const FORCED_LIMIT = 4096;

const encoder = new TextEncoder();

/** @param {string} name @param {unknown} value */
function bytesOf(name, value) {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return encoder.encode(checkWellFormed(name, value));
  throw typeError("bad-type", `${name} must be a Uint8Array, or text.`);
}

export class Matcher {
  #instance;
  #pointer;
  #words;
  /** @type {Uint32Array | undefined} */
  #view;
  /** @type {(number | Uint8Array)[]} the token or bytes of each step */
  #steps = [];

  /**
   * Use grammar.matcher().
   * @internal
   * @param {Instance} instance
   * @param {number} pointer
   * @param {number} words of a mask
   */
  constructor(instance, pointer, words) {
    this.#instance = instance;
    this.#pointer = pointer;
    this.#words = words;
  }

  /**
   * The mask of the next token: bit 1 = allowed, lowest bit first. Without `into`, a view that the next call of any
   * matcher overwrites.
   * @param {Uint32Array} [into] at least one bit for each token
   * @returns {Uint32Array}
   * @throws {LastInchError} "grammar-fuel", "out-of-memory"
   */
  bitmask(into) {
    const { exports, views } = this.#live();
    const address = exports.li_matcher_mask(this.#pointer) >>> 0;
    if (!address) throw this.#failure();
    const { words } = views();
    const start = address >>> 2;
    if (into === undefined) {
      if (this.#view?.buffer !== words.buffer || this.#view.byteOffset !== address)
        this.#view = words.subarray(start, start + this.#words);
      return this.#view;
    }
    if (!(into instanceof Uint32Array)) throw typeError("bad-type", "A bitmask is written into a Uint32Array.");
    if (into.length < this.#words)
      throw rangeError("wrong-length", `The bitmask has ${into.length} words, but needs ${this.#words}.`);
    into.set(words.subarray(start, start + this.#words));
    if (into.length > this.#words) into.fill(0, this.#words);
    return into;
  }

  /**
   * Accepts a token.
   * @param {number} token
   * @returns {boolean} false: the grammar does not allow the token here, and nothing has changed
   */
  accept(token) {
    const { exports } = this.#live();
    if (!Number.isInteger(token)) throw typeError("bad-type", "A token is an id: a whole number.");
    // In C a larger number would be another id.
    if (token < 0 || token >= 32 * this.#words) return false;
    if (!this.#check(exports.li_matcher_accept(this.#pointer, token))) return false;
    this.#steps.push(token);
    return true;
  }

  /**
   * Accepts all of the bytes or text in one step, or nothing.
   * @param {Uint8Array | string} bytes
   * @returns {boolean}
   */
  acceptBytes(bytes) {
    const instance = this.#live();
    const step = bytesOf("bytes", bytes);
    const accepted = withBytes(instance, step, (address) =>
      instance.exports.li_matcher_accept_bytes(this.#pointer, address, step.length),
    );
    if (!this.#check(accepted)) return false;
    this.#steps.push(step === bytes ? step.slice() : step);
    return true;
  }

  /** Whether the text may end here. */
  get isAccepting() {
    return this.#has(MATCHER_ACCEPTING);
  }

  /** Whether a token of eos has ended the text. */
  get isTerminated() {
    return this.#has(MATCHER_TERMINATED);
  }

  /** Whether no text at all satisfies the grammar. */
  get isEmpty() {
    return this.#has(MATCHER_EMPTY);
  }

  /** How many steps `rollback` can undo. */
  get steps() {
    this.#live();
    return this.#steps.length;
  }

  /**
   * The forced bytes, with which every continuation begins.
   * @returns {Uint8Array}
   */
  forced() {
    const instance = this.#live();
    return withMemory(instance, FORCED_LIMIT, (address) => {
      const count = this.#check(instance.exports.li_matcher_forced(this.#pointer, address, FORCED_LIMIT));
      return instance.views().bytes.slice(address, address + count);
    });
  }

  /**
   * Undoes the last steps.
   * @param {number} count
   */
  rollback(count) {
    const { exports } = this.#live();
    if (!Number.isInteger(count) || count < 0 || count > this.#steps.length)
      throw rangeError("out-of-range", `${count} steps cannot be taken back: there were ${this.#steps.length}.`);
    this.#check(exports.li_matcher_rollback(this.#pointer, count));
    this.#steps.length -= count;
  }

  /** Goes back to the start. */
  reset() {
    this.rollback(this.steps);
  }

  /**
   * An independent matcher at the same place.
   * @returns {Matcher}
   */
  clone() {
    const instance = this.#live();
    const pointer = allocated(instance.exports.li_matcher_clone(this.#pointer));
    const copy = new Matcher(instance, pointer, this.#words);
    copy.#steps = [...this.#steps];
    return copy;
  }

  /**
   * The text read so far as plain data, for `restore` of any matcher of an equal grammar.
   * @returns {(number | Uint8Array)[]}
   */
  snapshot() {
    this.#live();
    return this.#steps.map((step) => (typeof step === "number" ? step : step.slice()));
  }

  /**
   * Goes to the place where a snapshot was taken.
   * @param {readonly (number | Uint8Array)[]} saved
   * @throws {LastInchError} "grammar-refused" if the grammar does not allow the text; the matcher then stays where it
   *   was
   */
  restore(saved) {
    this.#live();
    if (!Array.isArray(saved)) throw typeError("bad-type", "A matcher restores what snapshot gave: an array.");
    const former = [...this.#steps];
    try {
      this.#replay(saved);
    } catch (error) {
      this.#replay(former);
      throw error;
    }
  }

  /** @deprecated The name is snapshot. */
  save() {
    warnOfName("matcher.save", "snapshot");
    return this.snapshot();
  }

  /** @deprecated The name is restore. @param {readonly (number | Uint8Array)[]} saved */
  load(saved) {
    warnOfName("matcher.load", "restore");
    this.restore(saved);
  }

  /** @param {readonly (number | Uint8Array)[]} steps */
  #replay(steps) {
    this.reset();
    for (const step of steps)
      if (!(typeof step === "number" ? this.accept(step) : this.acceptBytes(step)))
        throw new LastInchError("grammar-refused", `(${step})`);
  }

  /** Frees the memory. Using the matcher afterwards throws. */
  dispose() {
    if (!this.#pointer) return;
    this.#instance.exports.li_matcher_destroy(this.#pointer);
    this.#pointer = 0;
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #live() {
    if (!this.#pointer) throw new LastInchError("disposed");
    return this.#instance;
  }

  /** @param {number} status */
  #check(status) {
    return checkGrammar(status, undefined, () => this.#instance.exports.li_matcher_limit(this.#pointer));
  }

  /** @param {number} bit */
  #has(bit) {
    return (this.#live().exports.li_matcher_flags(this.#pointer) & bit) !== 0;
  }

  /** The error of the last mask, if any. */
  #failure() {
    try {
      this.#check(this.#instance.exports.li_matcher_status(this.#pointer));
    } catch (error) {
      return error;
    }
    return new LastInchError("bad-argument");
  }
}

/**
 * @param {Instance} instance
 * @param {number} masker
 * @param {number} words
 * @param {{ heal?: Uint8Array | string }} options
 */
export function createMatcher(instance, masker, words, options) {
  checkNames("matcher", options, ["heal"]);
  const heal = bytesOf("heal", options.heal ?? "");
  const pointer = withBytes(instance, heal, (address) =>
    instance.exports.li_matcher_create(masker, address, heal.length),
  );
  return new Matcher(instance, allocated(pointer), words);
}
