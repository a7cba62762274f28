// A text as characters: the vocabulary of a model that learns it.
import { rangeError, typeError } from "../core/errors.js";

/** Characters of a vocabulary, at most; rarer ones become one. C's limit is 512 tokens, three of which are no character. */
const MOST = 509;

/** Limits of a text in UTF-16 units. */
const LEAST_UNITS = 2_000;
const MOST_UNITS = 2_000_000;

/** The tokens before the characters: any other character, and the two that every tokenizer names. */
export const SPECIAL = ["<unk>", "<s>", "</s>"];

/**
 * @typedef {object} Characters
 * @property {string[]} characters by id, the first of which is 3; in the order of their code points
 * @property {Uint16Array} tokens of the text
 * @property {number} replaced characters of the text that are not among them
 */

/**
 * The most frequent characters of a text, and the text in their ids. Characters are Unicode code points.
 * @param {string} text of 2,000 to 2,000,000 UTF-16 units
 * @returns {Characters}
 * @throws {TypeError | RangeError} "bad-type", "out-of-range"
 */
export function readCharacters(text) {
  if (typeof text !== "string") throw typeError("bad-type", `The text must be a string, not ${typeof text}.`);
  if (text.length < LEAST_UNITS || text.length > MOST_UNITS)
    throw rangeError(
      "out-of-range",
      `The text has ${text.length} characters, but must have from ${LEAST_UNITS} to ${MOST_UNITS}.`,
    );
  const all = Array.from(text);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const character of all) counts.set(character, (counts.get(character) ?? 0) + 1);
  const order = (/** @type {string} */ character) => character.codePointAt(0) ?? 0;
  const characters = [...counts]
    .sort(([a, m], [b, n]) => n - m || order(a) - order(b))
    .slice(0, MOST)
    .map(([character]) => character)
    .sort((a, b) => order(a) - order(b));
  const idOf = idsOf(characters);
  const tokens = Uint16Array.from(all, idOf);
  return { characters, tokens, replaced: tokens.filter((token) => token === 0).length };
}

/**
 * The id of a character; 0 for one that is not known.
 * @param {string[]} characters
 * @returns {(character: string) => number}
 */
export function idsOf(characters) {
  const ids = new Map(characters.map((character, i) => [character, i + SPECIAL.length]));
  return (character) => ids.get(character) ?? 0;
}
