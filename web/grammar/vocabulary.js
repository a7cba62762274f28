// Vocabularies prepared for grammars: sorted once, shared by all grammars of a thread.
import { checkNames, checkObject } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError, rangeError, typeError } from "../core/errors.js";
import { allocated, withMemory } from "../core/memory.js";
import { GrammarError, checkGrammar } from "./grammar-errors.js";
import { TOKEN_BYTES_LIMIT, TOKEN_COUNT_LIMIT, TOKEN_LIMIT } from "./form-numbers.js";
import { openGrammar, withBytes } from "./grammar-instance.js";

/** @typedef {import("../core/wasm.js").GrammarInstance} Instance */

/**
 * The tokens of a model: `model.vocabulary`, or the tokens of another engine's tokenizer.
 * @typedef {object} GrammarVocabulary
 * @property {readonly (Uint8Array | null | undefined)[]} tokens the bytes of each token; null: a token without text (padding)
 * @property {readonly number[]} eos the tokens that end a text
 * @property {Record<string, number>} [special] tokens that plain text never becomes, by the names that grammars use,
 *   such as "<|call|>"
 */

/** @type {WeakMap<object, Promise<PreparedVocabulary>>} */
const preparedOf = new WeakMap();

/** @type {FinalizationRegistry<{ instance: Instance, pointer: number }>} vocabularies that were not disposed of */
const forgotten = new FinalizationRegistry(({ instance, pointer }) => instance.exports.li_vocabulary_destroy(pointer));

/**
 * Sorts a vocabulary, or loads the bytes of `save`. compileGrammar calls this itself, once for each vocabulary object.
 * @param {GrammarVocabulary | Uint8Array} vocabulary
 * @returns {Promise<PreparedVocabulary>}
 * @throws {TypeError | RangeError} if the value is not a vocabulary
 * @throws {LastInchError} "vocabulary-corrupt", "out-of-memory", "no-webassembly", "no-simd", "wasm-unavailable"
 */
export async function prepareVocabulary(vocabulary) {
  if (!(vocabulary instanceof Uint8Array)) checkVocabulary(vocabulary);
  const instance = await openGrammar();
  return vocabulary instanceof Uint8Array ? load(instance, vocabulary) : prepare(instance, vocabulary);
}

/**
 * The prepared form of a vocabulary, made at its first use.
 * @param {GrammarVocabulary | PreparedVocabulary} vocabulary
 * @returns {Promise<PreparedVocabulary>}
 */
export function preparedVocabulary(vocabulary) {
  if (vocabulary instanceof PreparedVocabulary) return Promise.resolve(vocabulary);
  checkObject("vocabulary", vocabulary);
  let prepared = preparedOf.get(vocabulary);
  if (!prepared) {
    preparedOf.set(vocabulary, (prepared = prepareVocabulary(vocabulary)));
    prepared.catch(() => preparedOf.delete(vocabulary));
  }
  return prepared;
}

/** @param {GrammarVocabulary} vocabulary */
function checkVocabulary(vocabulary) {
  checkNames("vocabulary", vocabulary, ["tokens", "eos", "special"]);
  const { tokens, eos, special = {} } = vocabulary;
  if (!Array.isArray(tokens)) throw typeError("bad-type", "vocabulary.tokens must be an array of Uint8Array.");
  if (!Array.isArray(eos)) throw typeError("bad-type", "vocabulary.eos must be an array of token ids.");
  checkObject("vocabulary.special", special);
  if (tokens.length > TOKEN_COUNT_LIMIT)
    throw rangeError("out-of-range", `A vocabulary has at most ${TOKEN_COUNT_LIMIT} tokens, not ${tokens.length}.`);
  for (const id of [...eos, ...Object.values(special)])
    if (!Number.isInteger(id) || id < 0 || id >= tokens.length)
      throw rangeError("out-of-range", `${id} is not a token: ids are whole numbers from 0 to ${tokens.length - 1}.`);
}

/**
 * @param {Instance} instance
 * @param {GrammarVocabulary} vocabulary
 */
function prepare(instance, { tokens, eos, special = {} }) {
  const { exports } = instance;
  const silent = new Set([...eos, ...Object.values(special)]);
  const ends = new Uint32Array(tokens.length);
  let total = 0;
  for (let id = 0; id < ends.length; id++) {
    const token = tokens[id];
    if (token && !silent.has(id)) {
      if (!(token instanceof Uint8Array))
        throw typeError("bad-type", `vocabulary.tokens[${id}] must be a Uint8Array, or null for no text.`);
      if (token.length > TOKEN_LIMIT)
        throw rangeError("out-of-range", `Token ${id} has ${token.length} bytes, but may have at most ${TOKEN_LIMIT}.`);
      total += token.length;
    }
    ends[id] = total;
  }
  if (total >= TOKEN_BYTES_LIMIT) throw rangeError("out-of-range", `The tokens have ${total} bytes: too many.`);
  const ids = [...new Set(eos)];
  const pointer = allocated(exports.li_vocabulary_create(ends.length, total, ids.length));
  const { bytes, words } = instance.views();
  words.set(ends, exports.li_vocabulary_ends(pointer) >>> 2);
  words.set(ids, exports.li_vocabulary_eos(pointer) >>> 2);
  let at = exports.li_vocabulary_bytes(pointer) >>> 0;
  for (let id = 0, start = 0; id < ends.length; id++) {
    if (ends[id] === start) continue;
    const token = /** @type {Uint8Array} */ (tokens[id]);
    // Most tokens are too short to be worth a call of `set`.
    if (token.length > 16) bytes.set(token, at);
    else for (let i = 0; i < token.length; i++) bytes[at + i] = token[i];
    at += ends[id] - start;
    start = ends[id];
  }
  const status = exports.li_vocabulary_prepare(pointer);
  if (status < 0) exports.li_vocabulary_destroy(pointer);
  checkGrammar(status);
  return new PreparedVocabulary(instance, pointer, special);
}

/**
 * Loads the bytes of save: the length of the names of special tokens as JSON, the names, and the vocabulary of C.
 * @param {Instance} instance
 * @param {Uint8Array} saved
 */
function load(instance, saved) {
  const { exports } = instance;
  const length = saved.length >= 4 ? new DataView(saved.buffer, saved.byteOffset).getUint32(0, true) : saved.length;
  if (length > saved.length - 4) throw corrupt();
  let special;
  try {
    special = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(saved.subarray(4, 4 + length)));
    if (Object.values(special).some((id) => typeof id !== "number")) throw corrupt();
  } catch {
    throw corrupt();
  }
  const pointer = withBytes(instance, saved.subarray(4 + length), (address) =>
    withMemory(instance, 4, (status) => {
      const loaded = exports.li_vocabulary_load(address, saved.length - 4 - length, status) >>> 0;
      checkGrammar(instance.views().words[status >>> 2] | 0);
      return loaded;
    }),
  );
  return new PreparedVocabulary(instance, pointer, special);
}

const corrupt = () => new GrammarError("vocabulary-corrupt");

export class PreparedVocabulary {
  #pointer;

  /**
   * Use prepareVocabulary.
   * @internal
   * @param {Instance} instance
   * @param {number} pointer
   * @param {Record<string, number>} special
   */
  constructor(instance, pointer, special) {
    /** @internal */
    this.instance = instance;
    this.#pointer = pointer;
    /** @internal */
    this.special = new Map(Object.entries(special));
    forgotten.register(this, { instance, pointer }, this);
  }

  /** @internal */
  get pointer() {
    if (!this.#pointer) throw new LastInchError("disposed");
    return this.#pointer;
  }

  /** Number of tokens. */
  get size() {
    return this.instance.exports.li_vocabulary_size(this.pointer) >>> 0;
  }

  /**
   * Whether the token has no text, so that a grammar may name it.
   * @internal
   * @param {number} id
   */
  isSilent(id) {
    return id < this.size && this.instance.exports.li_vocabulary_token_length(this.pointer, id) === 0;
  }

  /** The tokens that end a text. */
  get eos() {
    const { exports, views } = this.instance;
    const start = exports.li_vocabulary_eos(this.pointer) >>> 2;
    return Array.from(views().words.subarray(start, start + exports.li_vocabulary_eos_count(this.pointer)));
  }

  /**
   * Bytes that prepareVocabulary loads in a fraction of the time.
   * @returns {Uint8Array}
   */
  save() {
    const { exports, views } = this.instance;
    const names = new TextEncoder().encode(JSON.stringify(Object.fromEntries(this.special)));
    const size = exports.li_vocabulary_saved_size(this.pointer) >>> 0;
    const saved = new Uint8Array(4 + names.length + size);
    new DataView(saved.buffer).setUint32(0, names.length, true);
    saved.set(names, 4);
    withMemory(this.instance, size, (address) => {
      exports.li_vocabulary_save(this.pointer, address);
      saved.set(views().bytes.subarray(address, address + size), 4 + names.length);
    });
    return saved;
  }

  /** Frees the memory when no grammar uses the vocabulary any more. */
  dispose() {
    if (!this.#pointer) return;
    forgotten.unregister(this);
    this.instance.exports.li_vocabulary_destroy(this.#pointer);
    this.#pointer = 0;
  }

  [disposeSymbol]() {
    this.dispose();
  }
}
