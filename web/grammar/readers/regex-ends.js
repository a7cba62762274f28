// Finds out whether the ends of a regular expression match the empty text, or depend on the text that follows.

/** @typedef {import("./form.js").Expression} Expression */

/** Whether the node certainly matches the empty text. @param {Expression} node @returns {boolean} */
export function isNullable(node) {
  switch (node.kind) {
    case "empty":
      return true;
    case "sequence":
      return node.parts.every(isNullable);
    case "choice":
      return node.parts.some(isNullable);
    case "repeat":
      return node.least === 0 || isNullable(node.body);
    default:
      return false;
  }
}

/**
 * Whether an assertion at the end depends on the text that follows.
 * @param {Expression} node
 * @returns {boolean}
 */
export function looksBeyond(node) {
  switch (node.kind) {
    case "ahead":
    case "edge":
      return true;
    case "pattern":
    case "repeat":
      return looksBeyond(node.body);
    case "choice":
      return node.parts.some(looksBeyond);
    case "sequence": {
      const last = node.parts.findLastIndex((part) => !isNullable(part) && part.kind !== "end");
      return node.parts.slice(Math.max(last, 0)).some(looksBeyond);
    }
    default:
      return false;
  }
}
