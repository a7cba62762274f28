// A text as characters: the vocabulary of a model that learns it.
import { rangeError, typeError } from "../core/errors.js";

/** Characters of a vocabulary, at most; rarer ones become one. C's limit is 512 tokens, three of which are no character. */
const MOST = 509;

/** Limits of a text in UTF-16 units. */
const LEAST_UNITS = 2_000;
const MOST_UNITS = 2_000_000;

/** The tokens before the characters: any other character, and the two that every tokenizer names. */
export const SPECIAL = ["<unk>", "<s>", "</s>"];

/** Half a surrogate pair is no text, and in files of models U+2581 means a space. */
const isNoToken = (/** @type {string} */ character) => /^[\ud800-\udfff\u2581]$/.test(character);

/** Characters that are told apart. Their ids follow those of SPECIAL. */
export class Characters {
  #ids;

  /** @param {string[]} list */
  constructor(list) {
    this.list = list;
    this.#ids = new Map(list.map((character, i) => [character, i + SPECIAL.length]));
  }

  get vocabSize() {
    return SPECIAL.length + this.list.length;
  }

  /** The ids of a text. A run of unknown characters is one token, as in llama.cpp. @param {string} text */
  tokens(text) {
    const ids = Array.from(text, (character) => this.#ids.get(character) ?? 0);
    return ids.filter((id, i) => id || ids[i - 1] !== 0);
  }

  /** The character of a token; U+FFFD for the three that are none. @param {number} token */
  of(token) {
    return this.list[token - SPECIAL.length] ?? "\ufffd";
  }
}

/**
 * The most frequent characters of a text, and the text in their ids. Characters are Unicode code points.
 * @param {string} text of 2,000 to 2,000,000 UTF-16 units
 * @returns {{ characters: Characters, tokens: Uint16Array, replaced: number }} replaced: characters of the text that are
 *   not among them
 * @throws {TypeError | RangeError} "bad-type", "out-of-range"
 */
export function readCharacters(text) {
  if (typeof text !== "string") throw typeError("bad-type", `The text must be a string, not ${typeof text}.`);
  if (text.length < LEAST_UNITS || text.length > MOST_UNITS)
    throw rangeError(
      "out-of-range",
      `The text has a length of ${text.length}, but must have from ${LEAST_UNITS} to ${MOST_UNITS}.`,
    );
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const order = (/** @type {string} */ character) => character.codePointAt(0) ?? 0;
  const ranked = [...counts]
    .filter(([character]) => !isNoToken(character))
    .sort(([a, m], [b, n]) => n - m || order(a) - order(b));
  const known = ranked.slice(0, MOST).map(([character]) => character);
  const characters = new Characters(known.sort((a, b) => order(a) - order(b)));
  let replaced = 0;
  for (const [character, count] of counts) if (!known.includes(character)) replaced += count;
  return { characters, tokens: Uint16Array.from(characters.tokens(text)), replaced };
}
