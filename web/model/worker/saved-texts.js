// Prompts as bytes: what a model has read, for another page, a later visit or Node. src/model/saved.c has the format.
import { ERROR_MODEL_CONTEXT_FULL, ERROR_SAVED_MAGIC } from "../../core/layouts.js";
import { SAVED_TEXT_FILE_HIGH, SAVED_TEXT_FILE_LOW } from "../../core/layouts.js";
import { SAVED_TEXT_FIRST, SAVED_TEXT_LENGTH, SAVED_TEXT_SETTLED, SAVED_TEXT_SIZE } from "../../core/layouts.js";
import { allocate, withMemory } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { Scratch } from "../../decode/scratch.js";
import { Sequence } from "./sequence.js";
import { pause } from "./turns.js";

/** @typedef {import("./turns.js").Job} Job */

/** Bytes of a Blob to read at once. */
const READ_SIZE = 1 << 22;

/**
 * A saved text.
 * @typedef {object} Saved
 * @property {Blob} blob
 * @property {number} least of how many tokens a text must have the same to use it
 */

export class SavedTexts {
  #instance;
  #model;
  #sequences;
  #check;

  /**
   * @param {import("../../core/wasm.js").ModelInstance} instance
   * @param {number} model
   * @param {import("./sequences.js").Sequences} sequences of the model
   * @param {(job: Job) => void} check throws if the job or the model is no longer wanted
   */
  constructor(instance, model, sequences, check) {
    this.#instance = instance;
    this.#model = model;
    this.#sequences = sequences;
    this.#check = check;
  }

  /**
   * Reads a prompt, as far as the cache does not have it.
   * @param {Uint32Array} ids at least one
   * @param {Job} job
   * @param {number} [limit] bytes that it may have as a kept prefix
   * @returns {Promise<Saved>}
   */
  async save(ids, job, limit = Infinity) {
    const { exports, views } = this.#instance;
    const sequence = await this.#read(ids, job);
    const scratch = new Scratch(this.#instance);
    const header = allocate(this.#instance, SAVED_TEXT_SIZE);
    try {
      checkModel(exports.li_sequence_describe(this.#model, sequence.seat, header));
      const parts = [new Blob([views().bytes.slice(header, header + SAVED_TEXT_SIZE)])];
      const { sizes, total } = this.#pieces(header);
      if (total > limit) throw new ModelError("prefix-too-large", `(${total} bytes, but ${limit} are allowed)`);
      for (const [piece, size] of sizes.entries()) {
        await pause();
        this.#check(job);
        const at = scratch.reserve(size / 4);
        if (!piece) views().words.set(ids, at / 4);
        checkModel(exports.li_sequence_save(this.#model, sequence.seat, header, piece, at));
        // A Blob may lie on disk. It takes no shared memory, so the bytes are copied.
        parts.push(new Blob([views().bytes.slice(at, at + size)]));
      }
      const settled = views().words[header / 4 + SAVED_TEXT_SETTLED];
      const least = Math.max(settled, exports.li_sequence_least(this.#model, sequence.seat) >>> 0);
      return { blob: new Blob(parts, { type: "application/octet-stream" }), least };
    } finally {
      exports.li_memory_free(header);
      scratch.dispose();
    }
  }

  /**
   * Takes a saved text into the cache. The Blob is not trusted.
   * @param {Blob} blob
   * @param {Job} job
   * @returns {Promise<{ tokens: number }>}
   */
  async restore(blob, job) {
    const { exports, views } = this.#instance;
    const start = await bytesOf(blob, 0, SAVED_TEXT_SIZE);
    this.#check(job);
    const sequence = new Sequence();
    const scratch = new Scratch(this.#instance);
    const header = allocate(this.#instance, SAVED_TEXT_SIZE);
    let isWhole = false;
    try {
      views().bytes.set(start, header);
      const length = this.#checkHeader(header, start.length === SAVED_TEXT_SIZE);
      const { sizes, total } = this.#pieces(header);
      if (blob.size < total) throw new ModelError("saved-truncated", `(${blob.size} of ${total} bytes)`);
      if (blob.size > total) throw new ModelError("saved-corrupt", `(${blob.size} bytes instead of ${total})`);
      let piece = 0;
      for await (const bytes of inOrder(blob, sizes)) {
        await pause();
        this.#check(job);
        const size = sizes[piece];
        const at = scratch.reserve(size / 4);
        views().bytes.set(bytes, at);
        if (!piece) {
          // Before other texts make room for it.
          checkModel(exports.li_saved_piece_check(this.#model, header, piece, at));
          sequence.tokens = Array.from(views().words.subarray(at / 4, at / 4 + length));
          if (this.#sequences.touch(sequence.tokens, this.#leastOf(header))) return { tokens: length };
          this.#sequences.seat(sequence);
        }
        checkModel(exports.li_sequence_load(this.#model, sequence.seat, header, piece++, at));
      }
      isWhole = true;
      return { tokens: length };
    } finally {
      if (!isWhole) this.#sequences.drop(sequence);
      exports.li_memory_free(header);
      scratch.dispose();
    }
  }

  /** A header of this model (li_saved_text), of any sequence: it names the file and the cache. */
  get header() {
    const { exports, views } = this.#instance;
    return withMemory(this.#instance, SAVED_TEXT_SIZE, (header) => {
      checkModel(exports.li_sequence_describe(this.#model, 0, header));
      return views().words.slice(header / 4, (header + SAVED_TEXT_SIZE) / 4);
    });
  }

  /** The hash of the model's file, in hexadecimal. */
  get hash() {
    const { header } = this;
    const digits = (/** @type {number} */ word) => word.toString(16).padStart(8, "0");
    return digits(header[SAVED_TEXT_FILE_HIGH]) + digits(header[SAVED_TEXT_FILE_LOW]);
  }

  /**
   * A sequence of all the tokens.
   * @param {Uint32Array} ids
   * @param {Job} job
   */
  async #read(ids, job) {
    const sequences = this.#sequences;
    if (ids.length > sequences.contextLength) throw sequences.contextError(ids.length);
    const sequence = sequences.open(ids);
    const rest = ids.subarray(sequence.tokens.length);
    sequences.reserve(sequence, rest.length);
    // The last rows of a prompt stay beside a recurrent state.
    await sequences.run([{ sequence, ids: rest, wanted: 0 }], job);
    return sequence;
  }

  /**
   * The number of tokens that a header promises.
   * @param {number} header address
   * @param {boolean} isWhole
   */
  #checkHeader(header, isWhole) {
    const { exports, views } = this.#instance;
    const status = exports.li_saved_check(this.#model, header);
    if (!isWhole && status !== ERROR_SAVED_MAGIC) throw new ModelError("saved-truncated");
    const length = views().words[header / 4 + SAVED_TEXT_LENGTH];
    if (status === ERROR_MODEL_CONTEXT_FULL) throw this.#sequences.contextError(length);
    checkModel(status);
    return length;
  }

  /**
   * Of how many tokens a text must have the same for a sequence in the cache to serve instead of the saved one.
   * @param {number} header address
   */
  #leastOf(header) {
    const words = this.#instance.views().words.subarray(header / 4, (header + SAVED_TEXT_SIZE) / 4);
    return words[SAVED_TEXT_FIRST] ? words[SAVED_TEXT_LENGTH] : words[SAVED_TEXT_SETTLED];
  }

  /**
   * The bytes of each piece of a text, and of all of it.
   * @param {number} header address of the text's header, which has been checked
   */
  #pieces(header) {
    const sizes = [];
    const { li_saved_piece_size: sizeOf } = this.#instance.exports;
    for (let size; (size = sizeOf(this.#model, header, sizes.length) >>> 0);) sizes.push(size);
    return { sizes, total: sizes.reduce((sum, size) => sum + size, SAVED_TEXT_SIZE) };
  }
}

/**
 * The pieces of a Blob after the header. The next ones are read while one is used.
 * @param {Blob} blob
 * @param {number[]} sizes
 */
async function* inOrder(blob, sizes) {
  /** @type {{ at: number, sizes: number[] }[]} */
  const groups = [];
  let at = SAVED_TEXT_SIZE;
  let room = 0;
  for (const size of sizes) {
    if (room < size) {
      groups.push({ at, sizes: [] });
      room = READ_SIZE;
    }
    groups[groups.length - 1].sizes.push(size);
    room -= size;
    at += size;
  }
  const read = (/** @type {number} */ i) => {
    const group = groups[i];
    const bytes = group && bytesOf(blob, group.at, group.at + group.sizes.reduce((sum, size) => sum + size));
    bytes?.catch(() => {});
    return bytes;
  };
  let next = read(0);
  for (let i = 0; i < groups.length; i++) {
    const bytes = await next;
    next = read(i + 1);
    let from = 0;
    for (const size of groups[i].sizes) yield bytes.subarray(from, (from += size));
  }
}

/**
 * @param {Blob} blob
 * @param {number} start
 * @param {number} end
 */
async function bytesOf(blob, start, end) {
  try {
    return new Uint8Array(await blob.slice(start, end).arrayBuffer());
  } catch (cause) {
    throw new ModelError("saved-corrupt", `(${/** @type {Error} */ (cause)?.message})`, { cause });
  }
}
