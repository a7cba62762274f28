// A text in a model's KV cache, which sequences.js runs, and what is to run after it.

/** The tokens of one text. */
export class Sequence {
  /** @type {number[]} */
  tokens = [];
  seat = -1;
  /** When it got its seat or ran last, as a count of such events. */
  usedAt = 0;
  /** The copy that holds the recurrent state at the checkpoint: see Sequences.checkpoint. @type {Sequence | undefined} */
  checkpoint;
  /** What it shares with another sequence as soon as it runs. @type {{ from: Sequence, length: number } | undefined} */
  branch;
  /** Length of a prefix shared with another text. A recurrent state or a window is worth keeping at its end. */
  parting = 0;
}

/**
 * Tokens to run after those of a sequence.
 * @typedef {object} Run
 * @property {Sequence} sequence
 * @property {ArrayLike<number>} ids
 * @property {number} wanted number of last rows that need logits
 */
