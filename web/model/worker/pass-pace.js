// How many rows a pass takes, so that no pass is long: between passes a text can be stopped, and other calls are heard.
import { ROWS_LIMIT } from "../../core/layouts.js";

/** Milliseconds that a pass should take. */
const PASS_TIME = 50;
/** Rows that share the loads of weights (LI_ROWS_AT_ONCE): four take at most twice as long as one. */
const GROUP = 4;

export class PassPace {
  /** Milliseconds of a row, where a pass has at least a group of them. Before one has been timed, a pass takes a group. */
  #rowMs = PASS_TIME / GROUP;
  #isTimed = false;
  #begun = 0;

  /** The most rows of the next pass. */
  get rows() {
    // The nearest: where a part of a pass takes the same time for any number of rows, rounding down would not grow.
    const groups = Math.round(PASS_TIME / this.#rowMs / GROUP);
    return Math.max(GROUP, Math.min(ROWS_LIMIT, GROUP * groups));
  }

  begin() {
    this.#begun = performance.now();
  }

  /** @param {number} rows of the pass that ends now */
  end(rows) {
    // A few rows do not share the loads.
    if (rows < GROUP) return;
    const rowMs = (performance.now() - this.#begun) / rows;
    // Half of the former time stays, because some clocks are coarse.
    this.#rowMs = this.#isTimed ? (this.#rowMs + rowMs) / 2 : rowMs;
    this.#isTimed = true;
  }
}
