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

/** @typedef {{ bytes: Uint8Array, ends: Uint32Array }} Packed */

/** @param {Packed} a @param {Packed} b */
export const isSameVocabulary = (a, b) => isEqual(a.ends, b.ends) && isEqual(a.bytes, b.bytes);

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function isEqual(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
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
