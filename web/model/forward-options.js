// The options of model.forward.
import { checkNames, checkWhole } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";
import { ROWS_LIMIT } from "../core/layouts.js";

/**
 * @param {{ keep?: number, rows?: "last" | "all", parents?: ArrayLike<number> }} options
 * @param {number} count tokens of the call
 * @param {number} contextLength
 * @returns {{ keep: number, rows: "last" | "all", parents?: Int32Array }}
 */
export function readForwardOptions(options, count, contextLength) {
  checkNames("forward", options, ["keep", "rows", "parents"]);
  const { keep = 0, rows = "last", parents } = options;
  if (!count) throw rangeError("out-of-range", "forward needs at least one token.");
  checkWhole("keep", keep, 0, contextLength);
  if (rows !== "last" && rows !== "all")
    throw rangeError("out-of-range", `rows must be "last" or "all", not ${String(rows)}.`);
  if (parents === undefined) return { keep, rows };
  if (rows !== "all") throw typeError("conflict", 'parents needs rows: "all".');
  if (typeof parents !== "object" || parents?.length !== count)
    throw typeError("bad-type", `parents must be a list with a number for each of the ${count} tokens.`);
  if (count > ROWS_LIMIT)
    throw rangeError("out-of-range", `A tree has at most ${ROWS_LIMIT} tokens, and here are ${count}.`);
  // Read once: what a page may change meanwhile is checked as it is used.
  const list = Int32Array.from({ length: count }, (_, i) => {
    const parent = parents[i];
    checkWhole(`parents[${i}]`, parent, -1, i - 1);
    return parent;
  });
  return { keep, rows, parents: list };
}
