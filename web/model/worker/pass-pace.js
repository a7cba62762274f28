// How many rows a pass takes, so that no pass is long: between passes a text can be stopped, and other calls are heard.
import { ROWS_LIMIT } from "../../core/layouts.js";

/** Milliseconds that a pass should take. */
const PASS_TIME = 50;
/** Fewer rows would not share the loads of weights (LI_ROWS_AT_ONCE). */
const ROWS_LEAST = 4;
/** Bytes of a file whose weights a row multiplies in a millisecond, before any pass has been timed. */
const BYTES_A_MS = 5e6;

export class PassPace {
  #rowMs;
  #isTimed = false;
  #begun = 0;

  /** @param {number} size bytes of the model's file */
  constructor(size) {
    this.#rowMs = size / BYTES_A_MS;
  }

  /** The most rows of the next pass. */
  get rows() {
    const fitting = ROWS_LEAST * Math.floor(PASS_TIME / this.#rowMs / ROWS_LEAST);
    return Math.max(ROWS_LEAST, Math.min(ROWS_LIMIT, fitting));
  }

  begin() {
    this.#begun = performance.now();
  }

  /** @param {number} rows of the pass that ends now */
  end(rows) {
    // A few rows take as long as one.
    if (rows < ROWS_LEAST) return;
    const rowMs = (performance.now() - this.#begun) / rows;
    // Half of the former time stays, because some clocks are coarse.
    this.#rowMs = this.#isTimed ? (this.#rowMs + rowMs) / 2 : rowMs;
    this.#isTimed = true;
  }
}
