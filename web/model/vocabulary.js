// The bytes of each token, packed to be posted to the page.

/**
 * @typedef {object} Vocabulary
 * @property {Uint8Array[]} tokens the bytes of each token; control tokens have none
 * @property {number[]} eos the tokens that end a text
 * @property {Record<string, number>} special control tokens by name
 */

/**
 * @param {{ bytes: Uint8Array, ends: Uint32Array }} packed
 * @returns {Uint8Array[]}
 */
export function unpackVocabulary({ bytes, ends }) {
  return Array.from(ends, (end, id) => bytes.subarray(id ? ends[id - 1] : 0, end));
}
