// Sequences with companions. A companion is a second sequence, in the same model or another one, that begins with its
// own prompt and continues with the same tokens.

/** @typedef {import("../decode-types.js").Run} Run */
/** @typedef {import("../decode-types.js").Sequence} Sequence */
/** @typedef {import("../decode-types.js").Sequences} Sequences */

export class Companions {
  #sequences;
  #theirs;
  #beginning;
  /** Tokens by which a companion is longer than its sequence. */
  #shift;
  /** @type {WeakMap<Sequence, Sequence>} */
  #companions = new WeakMap();

  /**
   * @param {Sequences} sequences
   * @param {Sequences} theirs of the companions
   * @param {Uint32Array} prompt the beginning of sequences
   * @param {Uint32Array} beginning the beginning of companions
   */
  constructor(sequences, theirs, prompt, beginning) {
    this.#sequences = sequences;
    this.#theirs = theirs;
    this.#beginning = beginning;
    this.#shift = beginning.length - prompt.length;
    if (beginning.length > theirs.contextLength) throw theirs.contextError(beginning.length);
  }

  /** Both must fit. */
  get contextLength() {
    return Math.min(this.#sequences.contextLength, this.#theirs.contextLength - this.#shift);
  }

  /** @param {ArrayLike<number>} ids */
  open(ids) {
    const sequence = this.#sequences.open(ids);
    this.#companions.set(sequence, this.#theirs.open(this.#beginning));
    return sequence;
  }

  /**
   * @param {Sequence} sequence
   * @param {number} [length]
   */
  fork(sequence, length = sequence.tokens.length) {
    const companion = this.companionOf(sequence);
    const copy = this.#sequences.fork(sequence, length);
    const most = Math.min(companion.tokens.length, this.#lengthFor(length));
    this.#companions.set(copy, this.#theirs.fork(companion, most));
    return copy;
  }

  /**
   * @param {Sequence} sequence
   * @param {number} length
   */
  truncate(sequence, length) {
    this.#sequences.truncate(sequence, length);
    this.#theirs.truncate(this.companionOf(sequence), this.#lengthFor(length));
  }

  /** @param {Sequence} sequence */
  drop(sequence) {
    this.#sequences.drop(sequence);
    this.#theirs.drop(this.companionOf(sequence));
  }

  /**
   * The companion's run for a run of its sequence: the same last tokens, and as many rows.
   * @param {Run} run
   * @returns {Run}
   */
  companionRun({ sequence, ids, wanted }) {
    const companion = this.companionOf(sequence);
    const { length } = sequence.tokens;
    const lacking = [];
    for (let i = companion.tokens.length; i < this.#lengthFor(length + ids.length); i++) {
      const at = i - this.#shift;
      const isOwn = i < this.#beginning.length;
      lacking.push(isOwn ? this.#beginning[i] : at < length ? sequence.tokens[at] : ids[at - length]);
    }
    return { sequence: companion, ids: lacking, wanted };
  }

  /** @param {Sequence} sequence */
  companionOf(sequence) {
    return /** @type {Sequence} */ (this.#companions.get(sequence));
  }

  /** @param {number} length of the sequence */
  #lengthFor(length) {
    return Math.max(0, length + this.#shift);
  }
}
