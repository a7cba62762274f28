// The vocabulary of llama3, from a package that is installed with the others: 128,256 tokens, of which 128,000 are text.
import tokenizer from "llama3-tokenizer-js";

/**
 * @typedef {object} OracleVocabulary
 * @property {Uint8Array[]} tokens bytes of each; special tokens have none
 * @property {number[]} eos
 * @property {string[]} pieces as the tokenizer's file spells them
 * @property {(text: string) => number[]} encode
 */

/** The characters by which byte-level vocabularies spell bytes (GPT-2's table): printable Latin-1 itself, others moved. */
export function bytesByCharacter() {
  const table = new Map();
  let moved = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isItself = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    table.set(String.fromCharCode(isItself ? byte : moved++), byte);
  }
  return table;
}

/**
 * A way to cut text into tokens that always comes back to the text: byte by byte where the tokenizer's does not.
 * @param {(text: string) => number[]} encode the tokenizer's way
 * @param {Uint8Array[]} tokens
 */
export function faithful(encode, tokens) {
  const single = new Map(tokens.flatMap((bytes, id) => (bytes.length === 1 ? [[bytes[0], id]] : [])));
  return (/** @type {string} */ text) => {
    const bytes = Buffer.from(text);
    const ids = encode(text);
    if (bytes.equals(Buffer.concat(ids.map((id) => tokens[id])))) return ids;
    return Array.from(bytes, (byte) => single.get(byte));
  };
}

/** @returns {OracleVocabulary} */
export function openLlama3() {
  const table = bytesByCharacter();
  const pieces = tokenizer.vocabById;
  const tokens = pieces.map((piece) =>
    piece.startsWith("<|") && piece.endsWith("|>")
      ? new Uint8Array()
      : Uint8Array.from(piece, (character) => table.get(character)),
  );
  const eos = ["<|end_of_text|>", "<|eot_id|>"].map((piece) => pieces.indexOf(piece));
  const encode = (/** @type {string} */ text) => tokenizer.encode(text, { bos: false, eos: false });
  return { tokens, eos, pieces, encode: faithful(encode, tokens) };
}
