// Checks of rows of logits.
import { rangeError, typeError } from "../../core/errors.js";

/** @typedef {import("../../sampler/sampler-types.js").Logits} Logits */

/** @typedef {Logits | readonly Logits[]} Rows a list of rows, or all of them one after another */

/**
 * @param {string} name
 * @param {unknown} row
 * @returns {asserts row is Logits}
 */
export function checkRow(name, row) {
  if (!(row instanceof Float32Array || row instanceof Uint16Array))
    throw typeError("bad-type", `${name} must be a Float32Array, or a Uint16Array of float16 bits.`);
}

/**
 * @param {Rows} rows
 * @param {number} size of a row
 * @returns {readonly Logits[]}
 */
export function listRows(rows, size) {
  if (Array.isArray(rows)) {
    for (const row of rows) checkRow("Each row", row);
    return rows;
  }
  checkRow("Rows", rows);
  const all = /** @type {Logits} */ (rows);
  if (all.length % size) throw rangeError("wrong-length", `There are ${all.length} logits, but a row has ${size}.`);
  return Array.from({ length: all.length / size }, (_, i) => all.subarray(size * i, size * (i + 1)));
}
