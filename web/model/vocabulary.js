// The bytes of each token, packed to be posted to the page.

/**
 * What a GGUF says of its tokenizer.
 * @typedef {object} TokenizerData
 * @property {Uint8Array[]} pieces as stored: UTF-8, U+2581 for a space, `<0x0A>` for a byte
 * @property {Float32Array} scores
 * @property {Int32Array} types see `type`
 * @property {number} bos -1: none
 * @property {number[]} eos
 * @property {boolean} addBos text begins with `bos`
 * @property {boolean} spacePrefix a space is put before text, and taken away again
 */

/**
 * @typedef {object} Vocabulary
 * @property {Uint8Array[]} tokens the bytes that each token stands for; control tokens stand for none
 * @property {number[]} eos the tokens that end a text
 * @property {Record<string, number>} special control tokens by name
 */

/** Kinds of tokens, as GGUF numbers them. */
export const tokenType = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 };

/**
 * The bytes of all pieces in one buffer: U+2581 becomes a space, `<0x0A>` its byte.
 * @param {TokenizerData} data
 * @returns {{ bytes: Uint8Array, ends: Uint32Array }} token i is the bytes from the end of i - 1 to the end of i
 */
export function packVocabulary({ pieces, types }) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  const ends = new Uint32Array(pieces.length);
  const ascii = new TextDecoder();
  let at = 0;
  pieces.forEach((piece, id) => {
    const byte = types[id] === tokenType.byte ? /^<0x([0-9A-F]{2})>$/.exec(ascii.decode(piece)) : null;
    if (byte) bytes[at++] = parseInt(byte[1], 16);
    else if (types[id] === tokenType.normal || types[id] === tokenType.userDefined)
      for (let i = 0; i < piece.length; i++) {
        const isSpace = piece[i] === 0xe2 && piece[i + 1] === 0x96 && piece[i + 2] === 0x81;
        bytes[at++] = isSpace ? 0x20 : piece[i];
        if (isSpace) i += 2;
      }
    ends[id] = at;
  });
  return { bytes: bytes.slice(0, at), ends };
}

/**
 * Control tokens by name.
 * @param {TokenizerData} data
 * @returns {Record<string, number>}
 */
export function specialTokens({ pieces, types }) {
  const decoder = new TextDecoder();
  /** @type {[string, number][]} */
  const named = [];
  types.forEach((kind, id) => {
    if (kind === tokenType.control) named.push([decoder.decode(pieces[id]), id]);
  });
  return Object.fromEntries(named);
}

/**
 * @param {{ bytes: Uint8Array, ends: Uint32Array }} packed
 * @returns {Uint8Array[]}
 */
export function unpackVocabulary({ bytes, ends }) {
  return Array.from(ends, (end, id) => bytes.subarray(id ? ends[id - 1] : 0, end));
}
