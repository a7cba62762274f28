// Checks that UTF-8 can encode a text.
import { rangeError } from "../core/errors.js";

/** @param {string} text */
export const isWellFormed = (text) => !/\p{Surrogate}/u.test(text);

/**
 * Returns the text.
 * @param {string} name
 * @param {string} text
 * @throws {RangeError} "out-of-range": UTF-8 cannot encode the text
 */
export function checkWellFormed(name, text) {
  if (!isWellFormed(text))
    throw rangeError("out-of-range", `${name} has half of a surrogate pair, which UTF-8 cannot write.`);
  return text;
}
