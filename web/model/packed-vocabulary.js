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

/**
 * The vocabulary in the form for grammar readers. The tokens stay packed, because there may be 150,000.
 * @param {{ vocabulary: { ends: Uint32Array }, eos: number[], special: Record<string, number> }} info
 */
export function readableVocabulary({ vocabulary: { ends }, eos, special }) {
  const names = new Map(Object.entries(special));
  const silent = new Set([...eos, ...names.values()]);
  return {
    size: ends.length,
    eos: [...new Set(eos)],
    special: names,
    /** Whether the token has no text. @param {number} id */
    isSilent: (id) => id < ends.length && (silent.has(id) || ends[id] === (id ? ends[id - 1] : 0)),
  };
}

/**
 * Whether two models have the same tokens.
 * @param {{ bytes: Uint8Array, ends: Uint32Array }} one
 * @param {{ bytes: Uint8Array, ends: Uint32Array }} other
 */
export function isSameVocabulary(one, other) {
  return isEqual(one.ends, other.ends) && isEqual(one.bytes, other.bytes);
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
function isEqual(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
