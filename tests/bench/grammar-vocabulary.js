// Vocabularies to mask: a byte each, and those of real models with their way to cut text into tokens.
import { Tokenizer } from "@huggingface/tokenizers";
import { installPackages, tokenizerFiles } from "./grammar-packages.js";

/**
 * @typedef {object} BenchVocabulary
 * @property {Uint8Array[]} tokens bytes of each; special tokens have none
 * @property {number[]} eos
 * @property {string[]} pieces as the tokenizer's file spells them
 * @property {(text: string) => number[]} encode
 */

/** The characters by which byte-level vocabularies spell bytes (GPT-2's table): printable Latin-1 itself, others moved. */
function bytesByCharacter() {
  const table = new Map();
  let moved = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isItself = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    table.set(String.fromCharCode(isItself ? byte : moved++), byte);
  }
  return table;
}

/** One token per byte, and one to end with. */
export function byteVocabulary() {
  const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  tokens.push(new Uint8Array());
  const pieces = [...[...bytesByCharacter()].sort((a, b) => a[1] - b[1]).map(([character]) => character), "</s>"];
  return { tokens, eos: [256], pieces, encode: (text) => [...Buffer.from(text)] };
}

const eosNames = {
  llama3: ["<|end_of_text|>", "<|eot_id|>"],
  qwen3: ["<|im_end|>", "<|endoftext|>"],
  gpt4o: ["<|endoftext|>"],
};

/**
 * @param {string} name "byte", or a key of eosNames
 * @returns {BenchVocabulary}
 */
export function openVocabulary(name) {
  if (name === "byte") return byteVocabulary();
  installPackages();
  const { json, config } = tokenizerFiles(/** @type {any} */ (name));
  const tokenizer = new Tokenizer(json, config);
  const table = bytesByCharacter();
  /** @type {string[]} */
  const pieces = [];
  for (const [piece, id] of Object.entries(json.model.vocab)) pieces[id] = piece;
  const added = new Map(json.added_tokens.map(({ id, content }) => [id, content]));
  for (const [id, content] of added) pieces[id] = content;
  for (let id = 0; id < pieces.length; id++) pieces[id] ??= ""; // a hole: no token has that id
  const tokens = pieces.map((piece, id) =>
    added.has(id) ? new Uint8Array() : Uint8Array.from(piece, (character) => table.get(character)),
  );
  const eos = eosNames[name].map((content) => pieces.indexOf(content)).filter((id) => id >= 0);
  return { tokens, eos, pieces, encode: encoder(tokenizer, tokens) };
}

/** The tokenizer's own way, or where it does not come back to the text (NFC, special tokens) byte by byte. */
function encoder(tokenizer, tokens) {
  const single = new Map(tokens.flatMap((bytes, id) => (bytes.length === 1 ? [[bytes[0], id]] : [])));
  return (text) => {
    const bytes = Buffer.from(text);
    const ids = tokenizer.encode(text, { add_special_tokens: false }).ids;
    if (bytes.equals(Buffer.concat(ids.map((id) => tokens[id])))) return ids;
    return Array.from(bytes, (byte) => single.get(byte));
  };
}
