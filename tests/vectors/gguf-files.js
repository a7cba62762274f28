// GGUF files for tests: read, write, convert between tensor types, and a small model of random weights.
// Everything is deterministic to the bit, so no model needs to be committed.
import { dequantise, halfToFloat, tensorSize } from "../models/blocks.js";

export const F32 = 0;
export const F16 = 1;
export const Q4_0 = 2;
export const Q8_0 = 8;
export const typeNames = { F32, F16, Q8_0, Q4_0 };

const ALIGNMENT = 32;
const encoder = new TextEncoder();

// ---- half precision ----

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
// 2 ** (10 - exponent) for the exponents of halves, from -14 on.
const scales = Float64Array.from({ length: 30 }, (_, i) => 2 ** (24 - i));

// To the nearest half, ties to even; numbers too large for one become infinite.
export function floatToHalf(value) {
  double[0] = value;
  const sign = (words[1] >>> 16) & 0x8000;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(0, ((words[1] >>> 20) & 0x7ff) - 1009); // 0 is 2 ** -14
  const scaled = size * scales[exponent];
  const whole = Math.floor(scaled);
  const rest = scaled - whole;
  // 1024 stands for 1: the carry of 2047.5 goes into the exponent.
  return sign | (exponent * 1024 + (rest > 0.5 || (rest === 0.5 && whole % 2) ? whole + 1 : whole));
}

// ---- tensor data ----

const isQuantised = (type) => type === Q8_0 || type === Q4_0;
// A half scale, then 32 bytes or 32 nibbles.
const blockSize = (type) => (type === Q8_0 ? 34 : 18);

// As llama.cpp does: Q8_0's largest magnitude becomes 127; Q4_0's becomes -8, whatever its sign.
function encodeBlock(values, start, type, bytes, at) {
  let largest = values[start];
  for (let i = 1; i < 32; i++) if (Math.abs(values[start + i]) > Math.abs(largest)) largest = values[start + i];
  const half = floatToHalf(type === Q8_0 ? Math.abs(largest) / 127 : largest / -8);
  const scale = halfToFloat(half);
  bytes[at++] = half & 255;
  bytes[at++] = half >> 8;
  for (let i = 0; i < 32; i++) {
    const quant = scale ? Math.round(values[start + i] / scale) : 0;
    if (type === Q8_0) bytes[at + i] = Math.max(-127, Math.min(127, quant));
    else bytes[at + (i % 16)] |= Math.min(15, quant + 8) << (i < 16 ? 0 : 4);
  }
}

/** Halves of numbers, each converted by `convert`, as bytes. */
export function halfBytes(values, convert = floatToHalf) {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = convert(values[i]);
  return new Uint8Array(halves.buffer);
}

/** Numbers as bytes of a type: of F32, F16, Q8_0 and Q4_0. */
export function encode(values, type) {
  if (values instanceof Uint8Array) return values;
  if (type === F32) return new Uint8Array(new Float32Array(values).buffer);
  if (type === F16) return halfBytes(values);
  const bytes = new Uint8Array(tensorSize(type, values.length));
  for (let start = 0, at = 0; isQuantised(type) && start < values.length; start += 32, at += blockSize(type))
    encodeBlock(values, start, type, bytes, at);
  return bytes;
}

// ---- files ----

class Writer {
  parts = [];
  length = 0;
  bytes(bytes) {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
  number(size, set) {
    const data = new DataView(new ArrayBuffer(size));
    set(data);
    return this.bytes(new Uint8Array(data.buffer));
  }
  u32(value) {
    return this.number(4, (data) => data.setUint32(0, value, true));
  }
  u64(value) {
    return this.number(8, (data) => data.setBigUint64(0, BigInt(value), true));
  }
  f32(value) {
    return this.number(4, (data) => data.setFloat32(0, value, true));
  }
  bool(value) {
    return this.bytes(Uint8Array.of(value ? 1 : 0));
  }
  text(text) {
    const bytes = encoder.encode(text);
    return this.u64(bytes.length).bytes(bytes);
  }
  // A value: [type, value], type one of "u32", "i32", "f32", "bool", "text", or [type, values] for an array.
  value([type, value]) {
    const numbers = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8 };
    const write = (one) => (type === "i32" ? this.u32(one) : this[type](one));
    if (!Array.isArray(value)) return (this.u32(numbers[type]), write(value));
    this.u32(9).u32(numbers[type]).u64(value.length);
    value.forEach(write);
    return this;
  }
  pad(alignment) {
    return this.bytes(new Uint8Array((alignment - (this.length % alignment)) % alignment));
  }
  join() {
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

// keys: bytes of `count` keys and values; tensors: [{ name, shape, type, data }], shape[0] = length of a row.
function writeFile(keys, count, tensors) {
  const file = new Writer().bytes(encoder.encode("GGUF")).u32(3).u64(tensors.length).u64(count).bytes(keys);
  let offset = 0;
  for (const { name, shape, type, data } of tensors) {
    file.text(name).u32(shape.length);
    shape.forEach((length) => file.u64(length));
    file.u32(type).u64(offset);
    offset += Math.ceil(data.length / ALIGNMENT) * ALIGNMENT;
  }
  file.pad(ALIGNMENT);
  for (const { data } of tensors) file.bytes(data).pad(ALIGNMENT);
  return file.join();
}

/**
 * keys: { name: [type, value] } as of Writer.value; tensors: [{ name, shape, type, data }], the data as Float32Array or
 * as bytes of the type.
 */
export function writeGguf(keys, tensors) {
  const written = new Writer();
  for (const [key, value] of Object.entries(keys)) written.text(key).value(value);
  const inBytes = tensors.map(({ data, ...rest }) => ({ ...rest, data: encode(data, rest.type) }));
  return writeFile(written.join(), Object.keys(keys).length, inBytes);
}

// Reads a well-formed file: { keys, keyCount, metadata (of the types that models of the llama layout use), tensors }.
export function readGguf(file) {
  const data = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const decoder = new TextDecoder();
  let at = 8;
  const u32 = () => data.getUint32((at += 4) - 4, true);
  const u64 = () => Number(data.getBigUint64((at += 8) - 8, true));
  const text = () => {
    const length = u64();
    return decoder.decode(file.subarray(at, (at += length)));
  };
  const sizes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
  const value = (type) => {
    if (type === 8) return text();
    if (type === 9) {
      const element = u32();
      return Array.from({ length: u64() }, () => value(element));
    }
    at += sizes[type];
    if (type === 10) return Number(data.getBigUint64(at - 8, true));
    if (type === 5) return data.getInt32(at - 4, true);
    if (type === 6) return data.getFloat32(at - 4, true);
    if (type === 7) return data.getUint8(at - 1) !== 0;
    return type === 4 ? data.getUint32(at - 4, true) : undefined;
  };
  const tensorCount = u64();
  const keyCount = u64();
  const keysAt = at;
  const metadata = {};
  for (let i = 0; i < keyCount; i++) {
    const key = text();
    metadata[key] = value(u32());
  }
  const keys = file.subarray(keysAt, at);
  const tensors = Array.from({ length: tensorCount }, () => {
    const name = text();
    const shape = Array.from({ length: u32() }, u64);
    return { name, shape, type: u32(), offset: u64() };
  });
  const alignment = metadata["general.alignment"] ?? ALIGNMENT;
  const start = Math.ceil(at / alignment) * alignment;
  for (const tensor of tensors) {
    tensor.count = tensor.shape.reduce((product, length) => product * length, 1);
    const from = start + tensor.offset;
    tensor.data = file.subarray(from, from + tensorSize(tensor.type, tensor.count));
  }
  return { keys, keyCount, metadata, tensors };
}

// The same model with its matrices as another type. Vectors stay F32, and so do rows that no block fits.
export function convertGguf(file, type) {
  const { keys, keyCount, tensors } = readGguf(file);
  const converted = tensors.map(({ name, shape, type: from, count, data }) => {
    const isMatrix = shape.length > 1 && shape[1] > 1;
    const to = !isMatrix || (isQuantised(type) && shape[0] % 32) ? F32 : type;
    const values = () => (from === F32 ? new Float32Array(data.slice().buffer) : Float32Array.from(dequantise(data, from, count)));
    return { name, shape, type: to, data: from === to ? data : encode(values(), to) };
  });
  return writeFile(keys, keyCount, converted);
}

/**
 * The same model in `count` files, as llama-gguf-split cuts it: the first has the metadata, and the tensors follow in order.
 * @param {number[]} [ends] the number of tensors up to the end of each file; default: shares
 */
export function splitGguf(file, count, ends) {
  const { keys, keyCount, tensors } = readGguf(file);
  const until = ends ?? Array.from({ length: count }, (_, i) => Math.round(((i + 1) * tensors.length) / count));
  return Array.from({ length: count }, (_, i) => {
    const own = new Writer();
    // Their types are uint16, uint16 and int32.
    own.text("split.no").u32(2).bytes(Uint8Array.of(i, 0));
    own.text("split.count").u32(2).bytes(Uint8Array.of(count, 0));
    own.text("split.tensors.count").value(["i32", tensors.length]);
    const all = i ? own : new Writer().bytes(keys).bytes(own.join());
    return writeFile(all.join(), i ? 3 : keyCount + 3, tensors.slice(until[i - 1] ?? 0, until[i]));
  });
}

// ---- what of a model lies within ----

// The model of the first `layers` layers alone: its logits are what the whole one would say after them.
export function cutLayers(file, layers) {
  const { keys, keyCount, tensors } = readGguf(file);
  const left = tensors.filter(({ name }) => !(Number(/^blk\.(\d+)/.exec(name)?.[1]) >= layers));
  const name = encoder.encode("llama.block_count");
  const patched = keys.slice();
  const at = patched.findIndex((_, i) => name.every((byte, j) => patched[i + j] === byte)) + name.length + 4;
  new DataView(patched.buffer).setUint32(at, layers, true);
  return writeFile(patched, keyCount, left);
}

// A model whose first logits are its hidden state after the final norm.
export function showStates(file) {
  const { keys, keyCount, tensors } = readGguf(file);
  const { shape } = tensors.find(({ name }) => name === "token_embd.weight");
  const identity = Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => (i % (shape[0] + 1) ? 0 : 1));
  identity.fill(0, shape[0] * shape[0]);
  const output = { name: "output.weight", shape, type: F32, data: encode(identity, F32) };
  return writeFile(keys, keyCount, [...tensors.filter(({ name }) => name !== output.name), output]);
}

// ---- a model of random weights ----

// 32 bits a call, a different stream for every name (xorshift32 from a hash of it).
function randomBits(name) {
  let state = 2166136261;
  for (const byte of encoder.encode(name)) state = Math.imul(state ^ byte, 16777619);
  state |= 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

// `count` whole numbers below `below`.
export function randomNumbers(name, count, below) {
  const next = randomBits(name);
  for (let i = 0; i < 16; i++) next();
  return Array.from({ length: count }, () => Math.floor((next() / 2 ** 32) * below));
}

// About normal: the sum of four uniform numbers, with standard deviation `deviation` around `mean`.
export function randomValues(name, count, deviation, mean = 0) {
  const next = randomBits(name);
  for (let i = 0; i < 16; i++) next();
  const unit = deviation * Math.sqrt(3) * 2 ** -32;
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = mean + (next() + next() + next() + next() - 2 ** 33) * unit;
  return values;
}

// A vocabulary that llama.cpp accepts: unknown, begin, end, the 256 bytes, then made-up words.
export function vocabulary(size) {
  const tokens = ["<unk>", "<s>", "</s>"];
  for (let byte = 0; byte < 256; byte++) tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const letter = (i) => String.fromCharCode(97 + (i % 26));
  const word = (i) => (i < 676 ? "" : word(Math.floor(i / 676) - 1)) + letter(i / 26) + letter(i);
  for (let i = 0; tokens.length < size; i++) tokens.push(`\u2581${word(i)}`);
  const types = tokens.map((_, i) => (i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1));
  return { tokens, types, scores: tokens.map((_, i) => -i) };
}

const small = { vocab: 640, dim: 96, hidden: 200, layers: 3, heads: 6, kvHeads: 2, context: 512, tied: false };

// An F32 file. By default, unlike the storyteller: separate output, hidden size no multiple of 32, another base.
export function randomGguf(shape = {}) {
  const { vocab, dim, hidden, layers, heads, kvHeads, context, tied } = { ...small, ...shape };
  const words = vocabulary(vocab);
  const keys = {
    "general.architecture": ["text", "llama"],
    "general.name": ["text", "random"],
    "llama.context_length": ["u32", context],
    "llama.embedding_length": ["u32", dim],
    "llama.block_count": ["u32", layers],
    "llama.feed_forward_length": ["u32", hidden],
    "llama.attention.head_count": ["u32", heads],
    "llama.attention.head_count_kv": ["u32", kvHeads],
    "llama.attention.layer_norm_rms_epsilon": ["f32", 1e-5],
    "llama.rope.dimension_count": ["u32", dim / heads],
    "llama.rope.freq_base": ["f32", 50000],
    "tokenizer.ggml.model": ["text", "llama"],
    "tokenizer.ggml.tokens": ["text", words.tokens],
    "tokenizer.ggml.scores": ["f32", words.scores],
    "tokenizer.ggml.token_type": ["i32", words.types],
    "tokenizer.ggml.bos_token_id": ["u32", 1],
    "tokenizer.ggml.eos_token_id": ["u32", 2],
    "tokenizer.ggml.unknown_token_id": ["u32", 0],
  };
  const tensor = (name, columns, rows, deviation) => ({
    name,
    shape: [columns, rows],
    type: F32,
    data: randomValues(name, columns * rows, deviation),
  });
  const norm = (name) => ({ name, shape: [dim], type: F32, data: randomValues(name, dim, 0.2, 1) });
  const kvDim = (dim / heads) * kvHeads;
  const wide = dim ** -0.5;
  const tensors = [tensor("token_embd.weight", dim, vocab, 1)];
  for (let layer = 0; layer < layers; layer++) {
    const name = (part) => `blk.${layer}.${part}.weight`;
    tensors.push(
      norm(name("attn_norm")),
      tensor(name("attn_q"), dim, dim, 1.5 * wide),
      tensor(name("attn_k"), dim, kvDim, 1.5 * wide),
      tensor(name("attn_v"), dim, kvDim, wide),
      tensor(name("attn_output"), dim, dim, wide),
      norm(name("ffn_norm")),
      tensor(name("ffn_gate"), dim, hidden, wide),
      tensor(name("ffn_up"), dim, hidden, wide),
      tensor(name("ffn_down"), hidden, dim, hidden ** -0.5),
    );
  }
  tensors.push(norm("output_norm.weight"));
  if (!tied) tensors.push(tensor("output.weight", dim, vocab, 2.5 * wide));
  return writeGguf(keys, tensors);
}
