// The binding of the tokenizer in wasm: text goes in as UTF-8, token ids come out.
import { typeError } from "../../core/errors.js";
import * as layout from "../../core/layouts.js";
import { allocate } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { TextStream } from "../../decode/text-stream.js";
import { unpackVocabulary } from "../packed-vocabulary.js";

/** @typedef {import("./gguf.js").Metadata} Metadata */

/**
 * How a text is cut into tokens. Places are in bytes.
 * @typedef {object} TokenizerTrace
 * @property {Uint8Array} bytes of the text that is cut. SentencePiece's may begin with a space that was added
 * @property {{ begin: number, end: number, merges: { begin: number, end: number, token: number }[] }[]} pieces that are
 *   cut by themselves, and their merges in order, each with the new token. A token that is found whole is one merge
 */

/**
 * The pre-tokenizers of models that read texts in Unicode's form NFC. Their tokenizer.json asks for this; llama.cpp
 * does not do it.
 */
const COMPOSED = ["qwen2", "qwen35"];

export class Tokenizer {
  #instance;
  #at;
  #spacePrefix;
  #isComposed;
  #isSpaced;
  #isTraced;
  /** @type {string[]} */
  #userDefined;
  /** @type {Uint8Array[] | undefined} */
  #tokens;

  /**
   * @param {Metadata} metadata of a parsed header; not needed afterwards
   * @param {string} [preTokenizer] instead of the one that the file names
   */
  constructor(metadata, preTokenizer = "") {
    const { instance } = metadata;
    const model = metadata.string("tokenizer.ggml.model");
    if (model !== "llama" && model !== "gpt2")
      throw new ModelError("model-tokenizer", model === null ? "It has none." : `It is of the kind "${model}".`);
    if (preTokenizer && model === "llama")
      throw typeError(
        "conflict",
        "preTokenizer is for byte-level BPE, and the tokenizer of this file is SentencePiece's.",
      );
    this.#instance = instance;
    this.#spacePrefix = model === "llama" && metadata.boolean("tokenizer.ggml.add_space_prefix", true);
    this.#isComposed = COMPOSED.includes(preTokenizer || (metadata.string("tokenizer.ggml.pre") ?? ""));
    this.#isSpaced = model === "llama";
    // Phi-3's drops white space after special tokens, so places in its text are not those of the given one.
    this.#isTraced = metadata.string("general.architecture") !== "phi3" || model !== "llama";
    this.#at = create(metadata, preTokenizer, this.#spacePrefix);

    const { bytes, words } = instance.views();
    const at = (instance.exports.li_tokenizer_get_view(this.#at) >>> 0) / 4;
    /** @param {number} field @param {number} count */
    const list = (field, count) => words.slice(words[at + field] / 4, words[at + field] / 4 + count);
    const count = words[at + layout.TOKENIZER_VIEW_COUNT];
    const ends = list(layout.TOKENIZER_VIEW_ENDS, count);
    const first = words[at + layout.TOKENIZER_VIEW_BYTES];
    /** The bytes of each token. Token i is those from the end of i - 1 to the end of i. */
    this.packed = { bytes: bytes.slice(first, first + (ends.at(-1) ?? 0)), ends };

    const specialCount = words[at + layout.TOKENIZER_VIEW_SPECIAL_COUNT];
    const ids = list(layout.TOKENIZER_VIEW_SPECIALS, specialCount);
    const nameEnds = list(layout.TOKENIZER_VIEW_SPECIAL_ENDS, specialCount);
    const names = words[at + layout.TOKENIZER_VIEW_SPECIAL_BYTES];
    const types = words[at + layout.TOKENIZER_VIEW_TYPES];
    const decoder = new TextDecoder();
    const named = Array.from(ids, (id, i) => {
      const name = bytes.slice(names + (i ? nameEnds[i - 1] : 0), names + nameEnds[i]);
      return { name: decoder.decode(name), id, type: bytes[types + id] };
    });
    /** Control tokens by name. @type {Record<string, number>} */
    this.special = Object.fromEntries(
      named.filter(({ type }) => type === layout.TOKEN_CONTROL).map(({ name, id }) => [name, id]),
    );
    this.#userDefined = named.filter(({ type }) => type === layout.TOKEN_USER_DEFINED).map(({ name }) => name);

    const known = list(layout.TOKENIZER_VIEW_END_TOKENS, words[at + layout.TOKENIZER_VIEW_END_COUNT]);
    // The calls below allocate, which may detach these views.
    const addsBos = words[at + layout.TOKENIZER_VIEW_ADDS_BOS] === 1;
    const isLlama = model === "llama";
    /** The token that begins a sequence; -1: none. */
    this.bos = namedToken(metadata, "bos", isLlama ? 1 : -1, count);
    const endings = [namedToken(metadata, "eos", isLlama ? 2 : -1, count)];
    for (const name of ["eot", "eom"]) endings.push(namedToken(metadata, name, -1, count));
    /** The tokens that end a text. */
    this.eos = [...new Set([...endings, ...known])].filter((id) => id >= 0);
    /** Whether a prompt that is a text begins with `bos`. */
    this.addBos = this.bos >= 0 && metadata.boolean("tokenizer.ggml.add_bos_token", addsBos);
    /** Tokens that the file says must never be chosen. */
    this.suppressed = (metadata.numbers("tokenizer.ggml.suppress_tokens") ?? []).filter((id) => id >= 0 && id < count);
  }

  /**
   * Token ids of a text, without the token that begins a sequence.
   * @param {string} text a surrogate without its pair becomes U+FFFD
   * @param {object} [how]
   * @param {boolean} [how.special] the names of control tokens become these tokens
   * @param {boolean} [how.continues] the text continues another one, so nothing is put before it
   * @returns {number[]}
   */
  encode(text, { special = false, continues = false } = {}) {
    const flags = (special ? layout.ENCODE_SPECIAL : 0) | (continues ? layout.ENCODE_CONTINUES : 0);
    const { li_tokenizer_encode: encode } = this.#instance.exports;
    // Bytes that a grammar forces stay as they are.
    return this.#onText(continues ? text : this.#composed(text), 1, (at, length, idsAt) => {
      const count = checkModel(encode(this.#at, at, length, flags, idsAt));
      return Array.from(this.#instance.views().words.subarray(idsAt / 4, idsAt / 4 + count));
    });
  }

  /**
   * How a text is cut: the pieces that are cut by themselves, and the merges of each, in order.
   * @param {string} text
   * @returns {TokenizerTrace}
   */
  trace(text) {
    if (!this.#isTraced) throw new ModelError("model-tokenizer", "That of Phi-3 drops white space, and is not traced.");
    const { li_tokenizer_encode: encode } = this.#instance.exports;
    const composed = this.#composed(text);
    const spaced = this.#isSpaced ? composed.replaceAll("\u2581", " ") : composed;
    /** @type {TokenizerTrace["pieces"]} */
    const pieces = [];
    this.#onText(composed, 4, (at, length, idsAt) => {
      const stepsAt = idsAt + 4 * (2 * length + 2);
      const count = checkModel(encode(this.#at, at, length, layout.ENCODE_TRACE, idsAt));
      const words = this.#instance.views().words.subarray(stepsAt / 4, stepsAt / 4 + count);
      for (let i = 0; i < words.length; i += 3) {
        const [begin, end, token] = words.subarray(i, i + 3);
        if (token === layout.STEP_PIECE) pieces.push({ begin, end, merges: [] });
        else pieces[pieces.length - 1].merges.push({ begin, end, token });
      }
    });
    const size = pieces.at(-1)?.end ?? 0;
    const bytes = new TextEncoder().encode(spaced);
    // A space that was added before the text.
    return { bytes: size > bytes.length ? Uint8Array.of(0x20, ...bytes) : bytes, pieces };
  }

  /** @param {string} text */
  #composed = (text) => (this.#isComposed ? text.normalize("NFC") : text);

  /**
   * Calls C with a text in memory, and room for `lists` lists of 2 * length + 2 numbers after it.
   * @template T
   * @param {string} text
   * @param {number} lists
   * @param {(at: number, length: number, listsAt: number) => T} call
   * @returns {T}
   */
  #onText(text, lists, call) {
    const utf8 = new TextEncoder().encode(text);
    const listsAt = 4 * Math.ceil(utf8.length / 4);
    const at = allocate(this.#instance, roomFor(listsAt + lists * 4 * (2 * utf8.length + 2)));
    try {
      this.#instance.views().bytes.set(utf8, at);
      return call(at, utf8.length, at + listsAt);
    } finally {
      this.#instance.exports.li_memory_free(at);
    }
  }

  /**
   * Encodes texts mixed with ids of control tokens, like one text with the names of these tokens.
   * @param {(string | number)[]} parts
   * @param {boolean} [special]
   * @returns {number[]}
   */
  encodeParts(parts, special) {
    return parts.flatMap((part, i) => {
      if (typeof part === "number") return [part];
      // SentencePiece puts a space after a control token, but not before a token that is found in any text.
      const continues = i > 0 && this.#spacePrefix && this.#userDefined.some((name) => part.startsWith(name));
      return this.encode(part, { special, continues });
    });
  }

  /** Frees the memory in an instance that lives on. Do not use the tokenizer afterwards. */
  dispose() {
    this.#instance.exports.li_tokenizer_destroy(this.#at);
  }

  /** @param {number} id @returns {Uint8Array} the bytes of a token; none if there is no such token */
  bytesOf(id) {
    const { bytes, ends } = this.packed;
    return bytes.subarray(id ? ends[id - 1] : 0, ends[id] ?? 0);
  }

  /** The bytes of each token. */
  get tokens() {
    return (this.#tokens ??= unpackVocabulary(this.packed));
  }

  /** SentencePiece puts a space before a text; the space does not belong to the text. */
  get dropsSpace() {
    return this.#spacePrefix;
  }

  /** @returns {TextStream} */
  stream() {
    return new TextStream((id) => this.bytesOf(id), this.#spacePrefix);
  }

  /**
   * @param {Iterable<number>} ids
   * @returns {string}
   */
  decode(ids) {
    const stream = this.stream();
    let text = "";
    for (const id of ids) text += stream.push(id);
    return text + stream.end();
  }
}

/**
 * Rounds up to a power of two, because freed memory cannot serve a larger request. The result is at most a number that C
 * refuses, because C would drop the upper bits of a larger number.
 * @param {number} size bytes
 */
const roomFor = (size) => Math.min(2 ** Math.ceil(Math.log2(size)), 2 ** 32 - 1);

/**
 * The li_tokenizer.
 * @param {Metadata} metadata
 * @param {string} preTokenizer
 * @param {boolean} spacePrefix
 * @returns {number}
 */
function create(metadata, preTokenizer, spacePrefix) {
  const { instance, gguf } = metadata;
  const { exports, views } = instance;
  const name = new TextEncoder().encode(preTokenizer + "\0");
  const at = allocate(instance, 8 + name.length);
  views().bytes.set(name, at + 8);
  const tokenizer = exports.li_tokenizer_create(gguf, at + 8, spacePrefix ? 1 : 0, at) >>> 0;
  const [fault, index] = views().words.slice(at / 4, at / 4 + 2);
  exports.li_memory_free(at);
  if (fault === layout.TOKENIZER_FAULT_MEMORY) throw new ModelError("out-of-memory");
  if (fault === layout.TOKENIZER_FAULT_PRE)
    throw new ModelError("model-pre-tokenizer", `("${preTokenizer || metadata.string("tokenizer.ggml.pre")}")`);
  if (fault) throw new ModelError("model-tokenizer", describeFault(fault, index));
  return tokenizer;
}

/**
 * Explains a li_tokenizer_fault.
 * @param {number} fault
 * @param {number} index of the merge or token at fault
 */
function describeFault(fault, index) {
  switch (fault) {
    case layout.TOKENIZER_FAULT_TOKENS:
      return "Its tokenizer.ggml.tokens is missing, has more than 1,048,576 tokens, or would make the tokenizer slow.";
    case layout.TOKENIZER_FAULT_SCORES:
      return "Its tokenizer.ggml.scores is missing or of the wrong length, or a score is not a number.";
    case layout.TOKENIZER_FAULT_TYPES:
      return "Its tokenizer.ggml.token_type is missing or of the wrong length.";
    case layout.TOKENIZER_FAULT_MERGES:
      return "Its tokenizer.ggml.merges is missing or has more than 2,097,152 merges.";
    case layout.TOKENIZER_FAULT_MERGE:
      return `Merge ${index} of tokenizer.ggml.merges does not name two tokens.`;
    case layout.TOKENIZER_FAULT_BYTES:
      return "It has neither bytes nor an unknown token, for characters without a piece.";
    case layout.TOKENIZER_FAULT_SPECIAL:
      return `The text of special token ${index} is longer than 1,024 bytes.`;
    default:
      return "";
  }
}

/**
 * A token's id, or -1. A token that the file does not name has llama.cpp's default id, if the vocabulary has such a token.
 * @param {Metadata} metadata
 * @param {string} name
 * @param {number} usual
 * @param {number} count
 */
function namedToken(metadata, name, usual, count) {
  const key = `tokenizer.ggml.${name}_token_id`;
  if (!metadata.find(key)) return usual < count ? usual : -1;
  const id = metadata.number(key, NaN);
  if (id === -1 || id === 0xffffffff) return -1; // llama.cpp's "no such token"
  if (!Number.isInteger(id) || id < 0 || id >= count)
    throw new ModelError(
      "model-tokenizer",
      `Its ${key} is ${id}, but tokens are whole numbers from 0 to ${count - 1}.`,
    );
  return id;
}
