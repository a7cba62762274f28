// Finds the tags of a tool-call style in a text. Names and numbers in them vary.

/**
 * How a text begins: with a whole tag, or with a part that may become one.
 * @typedef {{ length: number, name: string } | "partial" | undefined} Match
 */

/** Splits a tag into literals and placeholders. @param {string} tag */
export const partsOf = (tag) => tag.split(/(\{name\}|\{key\}|\{number\})/).filter(Boolean);

/**
 * Of the names that a text begins with, the longest counts, so none is found while a longer one may still come.
 * @param {string} text
 * @param {string[]} parts
 * @param {string[]} names that may replace {name} or {key}, the same one everywhere
 * @returns {Match}
 */
export function matchParts(text, [part, ...rest], names) {
  if (part === undefined) return { length: 0, name: names[0] };
  if (part === "{number}") {
    const digits = /^\d{0,6}/.exec(text)?.[0] ?? "";
    if (digits === text) return "partial";
    return digits ? longer(matchParts(text.slice(digits.length), rest, names), digits.length) : undefined;
  }
  /** @type {Match} */
  let result;
  for (const [word, others] of part === "{name}" || part === "{key}"
    ? names.map((name) => [name, [name]])
    : [[part, names]]) {
    const literal = /** @type {string} */ (word);
    const match = text.startsWith(literal)
      ? longer(matchParts(text.slice(literal.length), rest, /** @type {string[]} */ (others)), literal.length)
      : literal.startsWith(text)
        ? "partial"
        : undefined;
    if (match === "partial") return match;
    if (match && (!result || match.length > /** @type {{ length: number }} */ (result).length)) result = match;
  }
  return result;
}

/** @param {Match} match @param {number} length @returns {Match} */
const longer = (match, length) =>
  match && match !== "partial" ? { length: match.length + length, name: match.name } : match;
