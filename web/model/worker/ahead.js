// The block of a model that predicts later tokens (`draft: "mtp"`). The block reads the tokens of a sequence after the
// model has run them, and only if a text is drafted with it.
import { ROWS_LIMIT, ROW_POSITION, ROW_SEQUENCE, ROW_SIZE, ROW_TOKEN } from "../../core/layouts.js";
import { withMemory } from "../../core/memory.js";
import { checkModel } from "../../core/model-errors.js";
import { pause } from "./turns.js";

/** @typedef {import("./sequence.js").Sequence} Sequence */
/** @typedef {import("./turns.js").Job} Job */

export class Ahead {
  #instance;
  #model;
  #sequences;
  #check;

  /**
   * @param {import("../../core/wasm.js").ModelInstance} instance
   * @param {number} model whose config says predictsAhead
   * @param {import("./sequences.js").Sequences} sequences of the model
   * @param {(job: Job) => void} check throws if the job or the model is no longer wanted
   */
  constructor(instance, model, sequences, check) {
    this.#instance = instance;
    this.#model = model;
    this.#sequences = sequences;
    this.#check = check;
  }

  /**
   * Reads the unread tokens of a sequence except the last few, which `guess` reads. False if the sequence has lost its
   * slots and must run again first.
   * @param {Sequence} sequence
   * @param {number} count number of tokens to guess
   * @param {Job} job
   */
  async read(sequence, count, job) {
    await pause();
    this.#check(job);
    if (!this.#sequences.reserve(sequence, count)) return false;
    while (sequence.tokens.length - this.#done(sequence) >= ROWS_LIMIT) {
      this.#draft(sequence, [], ROWS_LIMIT, 0, 0);
      await pause();
      this.#check(job);
    }
    return true;
  }

  /**
   * The tokens that the block expects after `token`, which comes next in a sequence that has just been read.
   * @param {Sequence} sequence
   * @param {number} token
   * @param {number} count
   * @returns {number[]}
   */
  guess(sequence, token, count) {
    const rows = sequence.tokens.length + 1 - this.#done(sequence);
    return withMemory(this.#instance, 4 * count, (into) => {
      this.#draft(sequence, [token], rows, count, into);
      return [...this.#instance.views().words.subarray(into / 4, into / 4 + count)];
    });
  }

  /** @param {Sequence} sequence */
  #done({ seat }) {
    return this.#instance.exports.li_sequence_read(this.#model, seat) >>> 0;
  }

  /**
   * @param {Sequence} sequence
   * @param {number[]} next tokens after those of the sequence
   * @param {number} rows to read
   * @param {number} wanted guesses
   * @param {number} into their address
   */
  #draft(sequence, next, rows, wanted, into) {
    const { exports, views } = this.#instance;
    const { words } = views();
    const { tokens, seat } = sequence;
    const start = this.#done(sequence);
    const at = (exports.li_model_rows(this.#model) >>> 0) / 4;
    for (let i = 0; i < rows; i++) {
      const row = at + (ROW_SIZE / 4) * i;
      const position = start + i;
      words[row + ROW_TOKEN] = position < tokens.length ? tokens[position] : next[position - tokens.length];
      words[row + ROW_POSITION] = position;
      words[row + ROW_SEQUENCE] = seat;
    }
    checkModel(exports.li_model_draft(this.#model, rows, wanted, into));
  }
}
