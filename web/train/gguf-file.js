// A trained model as a GGUF file (version 3), which lastinch and llama.cpp read.
import { SPECIAL } from "./text-characters.js";

/** Types of values in a GGUF header. */
const U32 = 4;
const I32 = 5;
const F32 = 6;
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

const ALIGNMENT = 32;

/** @typedef {import("./train-types.js").TrainerShape} TrainerShape */

/** Bytes that grow. */
class Bytes {
  #view = new DataView(new ArrayBuffer(4096));
  length = 0;

  /** @param {number} count */
  #room(count) {
    while (this.length + count > this.#view.byteLength) {
      const larger = new Uint8Array(2 * this.#view.byteLength);
      larger.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(larger.buffer);
    }
    const at = this.length;
    this.length += count;
    return at;
  }

  /** @param {number} value */
  u32(value) {
    this.#view.setUint32(this.#room(4), value, true);
  }

  /** @param {number} value */
  u64(value) {
    this.u32(value % 2 ** 32);
    this.u32(Math.floor(value / 2 ** 32));
  }

  /** @param {number} value */
  f32(value) {
    this.#view.setFloat32(this.#room(4), value, true);
  }

  /** @param {string} text */
  text(text) {
    const bytes = new TextEncoder().encode(text);
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    const at = this.#room(bytes.length);
    new Uint8Array(this.#view.buffer).set(bytes, at);
  }

  /** @param {number} type @param {any} value */
  value(type, value) {
    if (type === STRING) this.text(value);
    else if (type === F32) this.f32(value);
    else if (type === BOOL) this.bytes(Uint8Array.of(value ? 1 : 0));
    else this.u32(value);
  }

  align() {
    this.bytes(new Uint8Array((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT));
  }

  all() {
    return new Uint8Array(this.#view.buffer, 0, this.length);
  }
}

/**
 * The tensors in the order of the trainer's weights (see li_trainer_weights), each with its place among them.
 * @param {TrainerShape} shape
 * @returns {{ name: string, size: number[], at: number }[]} size: rows last, as GGUF has it
 */
function tensorsOf({ vocabSize, layers, dim, hidden }) {
  /** @type {{ name: string, size: number[], at: number }[]} */
  const tensors = [];
  let at = 0;
  const take = (/** @type {string} */ name, /** @type {number[]} */ ...size) => {
    tensors.push({ name: `${name}.weight`, size, at });
    at += size.reduce((product, n) => product * n, 1);
  };
  take("token_embd", dim, vocabSize);
  at = dim * 4 * Math.ceil(vocabSize / 4); // the embedding is padded
  for (let i = 0; i < layers; i++) {
    for (const name of ["attn_q", "attn_k", "attn_v", "attn_output"]) take(`blk.${i}.${name}`, dim, dim);
    take(`blk.${i}.ffn_gate`, dim, hidden);
    take(`blk.${i}.ffn_up`, dim, hidden);
    take(`blk.${i}.ffn_down`, hidden, dim);
  }
  for (let i = 0; i < layers; i++) for (const name of ["attn_norm", "ffn_norm"]) take(`blk.${i}.${name}`, dim);
  take("output_norm", dim);
  return tensors;
}

/**
 * @param {TrainerShape} shape
 * @param {string[]} characters
 * @param {string} name
 * @returns {[key: string, type: number, value: any][]} an array's type is that of its elements
 */
function metadataOf(shape, characters, name) {
  const tokens = [...SPECIAL, ...characters.map((character) => (character === " " ? "\u2581" : character))];
  return [
    ["general.architecture", STRING, "llama"],
    ["general.name", STRING, name],
    ["general.file_type", U32, 0],
    ["general.alignment", U32, ALIGNMENT],
    ["llama.vocab_size", U32, shape.vocabSize],
    ["llama.context_length", U32, shape.context],
    ["llama.embedding_length", U32, shape.dim],
    ["llama.block_count", U32, shape.layers],
    ["llama.feed_forward_length", U32, shape.hidden],
    ["llama.attention.head_count", U32, shape.heads],
    ["llama.attention.head_count_kv", U32, shape.heads],
    ["llama.attention.layer_norm_rms_epsilon", F32, 1e-5],
    ["llama.rope.dimension_count", U32, shape.dim / shape.heads],
    ["llama.rope.freq_base", F32, 10000],
    ["tokenizer.ggml.model", STRING, "llama"],
    ["tokenizer.ggml.tokens", STRING, tokens],
    ["tokenizer.ggml.scores", F32, tokens.map(() => 0)],
    ["tokenizer.ggml.token_type", I32, tokens.map((_, i) => [2, 3, 3][i] ?? 1)],
    ["tokenizer.ggml.unknown_token_id", U32, 0],
    ["tokenizer.ggml.bos_token_id", U32, 1],
    ["tokenizer.ggml.eos_token_id", U32, 2],
    ["tokenizer.ggml.add_bos_token", BOOL, false],
    ["tokenizer.ggml.add_eos_token", BOOL, false],
    ["tokenizer.ggml.add_space_prefix", BOOL, false],
  ];
}

/**
 * @param {TrainerShape} shape
 * @param {string[]} characters
 * @param {Float32Array} weights of the trainer
 * @param {string} name of the model
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function ggufFile(shape, characters, weights, name) {
  const metadata = metadataOf(shape, characters, name);
  const tensors = tensorsOf(shape);
  const out = new Bytes();
  out.bytes(new TextEncoder().encode("GGUF"));
  out.u32(3);
  out.u64(tensors.length);
  out.u64(metadata.length);
  for (const [key, type, value] of metadata) {
    out.text(key);
    out.u32(Array.isArray(value) ? ARRAY : type);
    if (Array.isArray(value)) {
      out.u32(type);
      out.u64(value.length);
      for (const one of value) out.value(type, one);
    } else out.value(type, value);
  }
  const lengthOf = (/** @type {number[]} */ size) => size.reduce((product, n) => product * n, 1);
  let offset = 0;
  for (const { name: tensor, size } of tensors) {
    out.text(tensor);
    out.u32(size.length);
    for (const n of size) out.u64(n);
    out.u32(0); // F32
    out.u64(offset);
    offset += ALIGNMENT * Math.ceil((4 * lengthOf(size)) / ALIGNMENT);
  }
  out.align();
  for (const { size, at } of tensors) {
    const values = weights.subarray(at, at + lengthOf(size));
    out.bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    out.align();
  }
  return out.all().slice();
}
