// Vocabularies to mask: a byte each, and those of real models with their way to cut text into tokens.
import { Tokenizer } from "@huggingface/tokenizers";
import { bytesByCharacter, faithful, openLlama3 } from "../oracle/vocabulary.js";
import { installPackages, tokenizerFiles } from "./grammar-packages.js";

/** @typedef {import("../oracle/vocabulary.js").OracleVocabulary} BenchVocabulary */

/** One token per byte, and one to end with. */
export function byteVocabulary() {
  const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  tokens.push(new Uint8Array());
  const pieces = [...[...bytesByCharacter()].sort((a, b) => a[1] - b[1]).map(([character]) => character), "</s>"];
  return { tokens, eos: [256], pieces, encode: (text) => [...Buffer.from(text)] };
}

const eosNames = {
  qwen3: ["<|im_end|>", "<|endoftext|>"],
  gpt4o: ["<|endoftext|>"],
};

/**
 * @param {string} name "byte", "llama3", or a key of eosNames
 * @returns {BenchVocabulary}
 */
export function openVocabulary(name) {
  if (name === "byte") return byteVocabulary();
  if (name === "llama3") return openLlama3();
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
  const encode = (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  return { tokens, eos, pieces, encode: faithful(encode, tokens) };
}
