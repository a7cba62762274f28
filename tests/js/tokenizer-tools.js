// Tokenizers for tests: vocabularies of byte-level BPE, and tokenizers from headers without a model.
import { openTokenizer } from "./tokenizer-wasm.js";
import { writeGguf } from "./tiny-gguf.js";

/** The character with which GPT-2 writes each byte: printable bytes stand for themselves, others start at U+0100. */
const isPrintable = (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
let hidden = 0x100;
const alphabet = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : hidden++));

/**
 * The keys of a GGUF for byte-level BPE: the bytes, a token for each merge, and special tokens.
 * @param {object} vocabulary
 * @param {[string, string][]} vocabulary.merges
 * @param {[string, number][]} vocabulary.special texts and types
 * @param {string} vocabulary.pre
 * @param {object} [vocabulary.extra] other keys
 */
export function bpeMetadata({ merges, special = [], pre, extra = {} }) {
  const tokens = [...new Set([...alphabet, ...merges.map((pair) => pair.join(""))])];
  const types = [...tokens.map(() => 1), ...special.map(([, type]) => type)];
  return {
    "general.architecture": ["string", "llama"],
    "tokenizer.ggml.model": ["string", "gpt2"],
    "tokenizer.ggml.pre": ["string", pre],
    "tokenizer.ggml.tokens": ["string", [...tokens, ...special.map(([text]) => text)]],
    "tokenizer.ggml.token_type": ["int32", types],
    "tokenizer.ggml.merges": ["string", merges.map((pair) => pair.join(" "))],
    "tokenizer.ggml.add_bos_token": ["bool", false],
    ...extra,
  };
}
bpeMetadata.alphabet = alphabet;

/** A tokenizer of a header with these keys. */
export const tokenizerOf = (metadata, options) => openTokenizer(writeGguf(metadata, []), options);

/** A file of byte-level BPE with a few merges, and no weights. */
export const tinyTokenizer = () => {
  const merges = /** @type {[string, string][]} */ ([
    ["a", "b"],
    ["ab", "c"],
    ["\u0120", "ab"],
  ]);
  return writeGguf(bpeMetadata({ merges, pre: "gpt-2" }), []);
};
