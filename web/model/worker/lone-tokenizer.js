// The tokenizer of a file whose weights are not read.
import { withHeaderOf } from "./estimate-header.js";
import { Tokenizer } from "./tokenizer.js";

/**
 * What the page needs to know of it.
 * @typedef {object} LoneTokenizerInfo
 * @property {TokenizerConfig} config
 * @property {{ bytes: Uint8Array, ends: Uint32Array }} vocabulary
 * @property {number[]} eos
 * @property {Record<string, number>} special control tokens by name
 */

/**
 * @typedef {object} TokenizerConfig
 * @property {string | null} name general.name of the file
 * @property {"bpe" | "sentencepiece"} kind byte-level BPE, or SentencePiece's BPE
 * @property {string | null} preTokenizer what splits a text before byte-level BPE merges; null: SentencePiece
 * @property {number} vocabSize tokens
 * @property {number | null} bos the token that begins a sequence
 * @property {boolean} addBos whether a text prompt of the model gets it
 */

export class LoneTokenizer {
  #tokenizer;

  /**
   * Use LoneTokenizer.read.
   * @param {import("./gguf.js").Metadata} metadata
   * @param {string} [preTokenizer]
   */
  constructor(metadata, preTokenizer) {
    const tokenizer = (this.#tokenizer = new Tokenizer(metadata, preTokenizer));
    const { packed: vocabulary, eos, special, bos, addBos } = tokenizer;
    const isBpe = metadata.string("tokenizer.ggml.model") === "gpt2";
    /** @type {LoneTokenizerInfo} */
    this.info = {
      config: {
        name: metadata.string("general.name"),
        kind: isBpe ? "bpe" : "sentencepiece",
        preTokenizer: isBpe ? preTokenizer || (metadata.string("tokenizer.ggml.pre") ?? "default") : null,
        vocabSize: vocabulary.ends.length,
        bos: bos >= 0 ? bos : null,
        addBos,
      },
      vocabulary,
      eos,
      special,
    };
  }

  /**
   * @param {import("./model-file.js").Opened} opened whose stream is cancelled after the header
   * @param {{ preTokenizer?: string, signal: AbortSignal }} how
   */
  static read(opened, { preTokenizer, signal }) {
    return withHeaderOf(opened, signal, ({ metadata }) => new LoneTokenizer(metadata, preTokenizer));
  }

  /**
   * @param {string | (string | number)[]} text
   * @param {boolean} bos
   * @param {boolean} special
   */
  tokenize(text, bos, special) {
    const parts = typeof text === "string" ? [text] : text;
    const ids = this.#tokenizer.encodeParts(parts, special);
    const { bos: first } = this.info.config;
    return bos && first !== null ? [first, ...ids] : ids;
  }

  /** @param {Iterable<number>} ids */
  detokenize(ids) {
    return this.#tokenizer.decode(ids);
  }

  /** @param {string} text */
  trace(text) {
    return this.#tokenizer.trace(text);
  }

  dispose() {
    this.#tokenizer.dispose();
  }
}
