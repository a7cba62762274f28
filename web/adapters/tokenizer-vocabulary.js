// The bytes of each token of Hugging Face's tokenizers, which grammars and stop strings need.
import { typeError } from "../core/errors.js";

/**
 * @typedef {object} TokenizerVocabulary
 * @property {(Uint8Array | undefined)[]} tokens the bytes of each token; special tokens and unused ids have none
 * @property {number[]} eos the tokens that end a text
 * @property {Record<string, number>} special special tokens by name
 */

/**
 * The source of a vocabulary: a pipeline of transformers.js, or its parts.
 * @typedef {object} TokenizerSource
 * @property {any} tokenizer of transformers.js, or of the package tokenizers below it
 * @property {any} [model] whose generation_config or config has the eos tokens
 * @property {readonly number[]} [eos] the eos tokens, instead of the model's
 */

/** @type {WeakMap<object, TokenizerVocabulary>} so that what is made of one can be kept by its identity */
const vocabularies = new WeakMap();

/** What makes ids of a text, by the vocabularies. @type {WeakMap<object, (text: string) => ArrayLike<number>>} */
const encoders = new WeakMap();

/**
 * The ids of a text, as the tokenizer of a vocabulary writes them.
 * @param {object | undefined} vocabulary of vocabularyOf
 * @param {string} text
 * @throws {TypeError} "bad-type": the vocabulary has no tokenizer
 */
export function encodeText(vocabulary, text) {
  const encode = vocabulary && encoders.get(vocabulary);
  if (!encode)
    throw typeError(
      "bad-type",
      "A text needs a tokenizer: give openSession vocabulary: vocabularyOf({ tokenizer }), or ids.",
    );
  return encode(text);
}

/**
 * The vocabulary of a tokenizer, for compileGrammar and adapters. The same object for the same tokenizer.
 *
 * ```js
 * const generator = await pipeline("text-generation", "onnx-community/Qwen3-0.6B-ONNX");
 * const grammar = await compileGrammar({ vocabulary: vocabularyOf(generator), jsonSchema });
 * ```
 * @param {TokenizerSource} source
 * @returns {TokenizerVocabulary}
 * @throws {TypeError} "bad-type": the tokenizer maps tokens to bytes in an unknown way
 */
export function vocabularyOf(source) {
  // A pipeline is a function.
  const { tokenizer, model } = source ?? {};
  // transformers.js wraps the tokenizer of @huggingface/tokenizers.
  const inner = tokenizer?._tokenizer ?? tokenizer;
  if (typeof inner?.id_to_token !== "function")
    throw typeError(
      "bad-type",
      "A pipeline is wanted, or an object with a tokenizer of Hugging Face's JavaScript packages.",
    );
  const said =
    source.eos ?? model?.generation_config?.eos_token_id ?? model?.config?.eos_token_id ?? tokenizer.eos_token_id;
  const eos = [said ?? []].flat().map(Number);
  let vocabulary = vocabularies.get(inner);
  if (vocabulary?.eos.join() !== eos.join()) {
    vocabulary = { ...readTokens(inner), eos };
    vocabularies.set(inner, vocabulary);
    encoders.set(vocabulary, (text) => {
      const encoded = tokenizer.encode(text);
      return encoded.ids ?? encoded;
    });
  }
  return vocabulary;
}

/**
 * @param {any} tokenizer
 * @returns {Pick<TokenizerVocabulary, "tokens" | "special">}
 */
function readTokens(tokenizer) {
  const { config } = tokenizer.decoder ?? {};
  const decoders = (config?.decoders ?? [config]).map((/** @type {any} */ one) => one?.type);
  const isByteLevel = decoders.includes("ByteLevel");
  if (!isByteLevel && !decoders.some((/** @type {string} */ type) => ["ByteFallback", "Metaspace"].includes(type)))
    throw typeError(
      "bad-type",
      `It is not known what bytes the tokens stand for: the tokenizer's decoder is ${decoders.join(", ") || "missing"}.`,
    );
  const bytesOf = isByteLevel ? byteLevelBytes() : sentencePieceBytes;
  const utf8 = new TextEncoder();
  /** @type {(Uint8Array | undefined)[]} */
  const tokens = [];
  for (const [piece, id] of tokenizer.get_vocab()) if (piece !== undefined) tokens[id] = bytesOf(piece);
  /** @type {Record<string, number>} */
  const special = {};
  for (const [id, { content, special: isSpecial }] of tokenizer.get_added_tokens_decoder()) {
    tokens[id] = isSpecial ? undefined : utf8.encode(content);
    if (isSpecial) special[content] = id;
  }
  return { tokens: Array.from(tokens), special };
}

/** @param {string} piece U+2581 for a space, `<0x0A>` for a byte */
function sentencePieceBytes(piece) {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(piece);
  return byte ? Uint8Array.of(parseInt(byte[1], 16)) : new TextEncoder().encode(piece.replaceAll("\u2581", " "));
}

/** Pieces that spell each byte as a character: GPT-2's printable Latin-1 itself, the others from U+0100 on. */
function byteLevelBytes() {
  /** @type {number[]} */
  const bytes = [];
  for (let byte = 0, moved = 256; byte < 256; byte++) {
    const isItself = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    bytes[isItself ? byte : moved++] = byte;
  }
  const utf8 = new TextEncoder();
  return (/** @type {string} */ piece) => {
    // A loop: there are hundreds of thousands of pieces.
    const spelt = new Uint8Array(piece.length);
    for (let i = 0; i < piece.length; i++) {
      const byte = bytes[piece.charCodeAt(i)];
      if (byte === undefined) return utf8.encode(piece);
      spelt[i] = byte;
    }
    return spelt;
  };
}
