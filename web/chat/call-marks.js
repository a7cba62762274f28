// How the text of a call begins: by the marks of a style, in which names and numbers vary.

/** How a text begins: with a whole mark, or with what may become one. @typedef {{ length: number, name: string } | "partial" | undefined} Match */

/** A mark as literals and placeholders. @param {string} mark */
export const partsOf = (mark) => mark.split(/(\{name\}|\{key\}|\{number\})/).filter(Boolean);

/**
 * Of names with which a text begins the longest counts, so a name is not found while a longer name may still come.
 * @param {string} text
 * @param {string[]} parts
 * @param {string[]} names that {name} or {key} may stand for; the same wherever it stands
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
