// Reads regular expressions of bannedStrings. A match must be bounded, because a text is held back while it may become
// one.
import { rangeError, typeError } from "../core/errors.js";
import { matchExpression } from "../grammar/readers/regex.js";
import { LONGEST_BAN } from "./banned-texts.js";

/** @typedef {import("../grammar/readers/form.js").Expression} Expression */
/** @typedef {{ pattern: string, flags: string, shown: string }} Pattern */

/**
 * @param {Pattern} pattern
 * @returns {import("./banned-texts.js").Ban}
 * @throws {RangeError} "out-of-range" for a match without characters or with too many; the errors of compileGrammar's
 *   regex
 */
export function readPattern({ pattern, flags, shown }) {
  if (flags.includes("y"))
    throw typeError("conflict", `${shown}: a banned text may begin anywhere, so leave out the flag y.`);
  // At the very ends the reader takes ^ and $ for those of the whole text.
  const expression = matchExpression(/[$^]/.test(pattern) ? `(?:)(?:${pattern})(?:)` : pattern, flags);
  const { least, most } = lengthOf(expression, shown);
  if (!least)
    throw rangeError("out-of-range", `${shown} of bannedStrings matches the empty text, which every text contains.`);
  if (most > LONGEST_BAN)
    throw rangeError(
      "out-of-range",
      `${shown} of bannedStrings may match ${most === Infinity ? "a text of any length" : `${most} characters`}, but ` +
        `at most ${LONGEST_BAN} are held back: bound it with {0,n}.`,
    );
  return { shown, expression };
}

/**
 * How many characters an expression matches.
 * @param {Expression} node
 * @param {string} shown
 * @returns {{ least: number, most: number }}
 */
function lengthOf(node, shown) {
  switch (node.kind) {
    case "empty":
    case "start":
    case "end":
    case "edge":
    case "wordMark":
      return { least: 0, most: 0 };
    case "nothing":
    case "class":
      return { least: 1, most: 1 };
    case "text": {
      const { length } = [...new TextDecoder().decode(node.bytes)];
      return { least: length, most: length };
    }
    case "pattern":
      return lengthOf(node.body, shown);
    case "sequence":
    case "choice": {
      const parts = node.parts.map((part) => lengthOf(part, shown));
      const [least, most] = [parts.map((part) => part.least), parts.map((part) => part.most)];
      if (node.kind === "choice") return { least: Math.min(...least), most: Math.max(...most) };
      return { least: sum(least), most: sum(most) };
    }
    case "repeat": {
      const { least, most } = lengthOf(node.body, shown);
      return { least: least * node.least, most: most && most * node.most };
    }
    default:
      throw typeError("grammar-unsupported", `${shown} of bannedStrings: lookahead is not supported.`);
  }
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
