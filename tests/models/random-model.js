// Files of random weights in the layouts of real checkpoints: families, shapes, flags and tensor types.
import { randomValues, vocabulary, writeGguf } from "../vectors/gguf-files.js";
import { tensorTypes } from "./blocks.js";

/** Two shapes a family: rows divisible by 256, and rows of which only those of ffn_down are (as in SmolLM2-135M). */
export const shapes = {
  llama: {
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, base: 10000, model: "llama" },
    odd: { dim: 192, hidden: 768, layers: 2, heads: 3, kvHeads: 1, base: 100000, tied: true },
  },
  qwen2: {
    even: { dim: 256, hidden: 512, layers: 2, heads: 8, kvHeads: 2, base: 1e6 },
    odd: { dim: 224, hidden: 768, layers: 2, heads: 7, kvHeads: 1, base: 1e6, tied: true },
  },
  qwen3: {
    even: { dim: 256, hidden: 512, layers: 2, heads: 4, kvHeads: 2, keyWidth: 128, base: 1e6, tied: true },
    odd: { dim: 160, hidden: 768, layers: 2, heads: 4, kvHeads: 4, keyWidth: 64, base: 1e6 },
  },
};

// As llama.cpp's quantiser does: the type that stores rows which are no multiple of 256.
const narrow = { Q2_K: "Q4_0", Q3_K: "Q4_0", Q4_K: "Q5_0", Q5_K: "Q5_1", Q6_K: "Q8_0", IQ4_XS: "IQ4_NL" };

function typeOf(name, columns) {
  if (columns % tensorTypes[name].values === 0) return tensorTypes[name];
  return columns % 32 ? tensorTypes.F16 : tensorTypes[narrow[name]];
}

// The 256 bytes in the alphabet of byte-level BPE: code points that print stand for themselves, the others for 256 …
export function byteAlphabet() {
  const prints = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(prints(byte) ? byte : next++));
}

// The bytes, words made of them by merges, and an end.
function byteLevelVocabulary(size) {
  const bytes = byteAlphabet();
  const merges = [];
  for (const first of ["\u0120", ..."etaoinshr"]) for (const second of "etaoinshrdlu") merges.push([first, second]);
  const words = merges.map(([first, second]) => first + second).slice(0, size - 257);
  const tokens = [...bytes, ...words, "<|endoftext|>"];
  while (tokens.length < size) tokens.push(`<|unused_${tokens.length}|>`);
  return {
    tokens,
    merges: merges.slice(0, words.length).map((pair) => pair.join(" ")),
    types: tokens.map((_, i) => (i < 256 + words.length ? 1 : 3)),
    end: 256 + words.length,
  };
}

function tokenizerKeys(kind, size) {
  const isByScores = kind === "llama";
  const words = isByScores ? vocabulary(size) : byteLevelVocabulary(size);
  return {
    "tokenizer.ggml.model": ["text", isByScores ? "llama" : "gpt2"],
    "tokenizer.ggml.tokens": ["text", words.tokens],
    "tokenizer.ggml.token_type": ["i32", words.types],
    ...(isByScores
      ? { "tokenizer.ggml.scores": ["f32", words.scores], "tokenizer.ggml.unknown_token_id": ["u32", 0] }
      : { "tokenizer.ggml.pre": ["text", kind], "tokenizer.ggml.merges": ["text", words.merges] }),
    "tokenizer.ggml.bos_token_id": ["u32", isByScores ? 1 : words.end],
    "tokenizer.ggml.eos_token_id": ["u32", isByScores ? 2 : words.end],
  };
}

export const VOCABULARY = 384;

/**
 * The F32 file of a family and shape. Flags: qkvBias, outputBias (of attn_output), ropeFactors, scaling (of rotary
 * positions: keys below `rope.scaling`), ropeWidth, valueWidth, attentionScale.
 * `encode(name, type, { columns, rows, deviation })` gives the bytes of a matrix; without it matrices stay F32.
 * `choose(name)` gives the type of the next matrix, instead of the one `type`.
 */
export function randomModel(family, shape, { type = "F32", choose, encode, ...flags } = {}) {
  const { dim, hidden, layers, heads, kvHeads, tied = false, base } = { ...shape, ...flags };
  const { keyWidth = dim / heads, valueWidth = keyWidth, vocab = VOCABULARY, context = 512 } = { ...shape, ...flags };
  const kind = shape.model ?? { llama: "llama-bpe", qwen2: "qwen2", qwen3: "qwen2" }[family];
  const qkvBias = flags.qkvBias ?? family === "qwen2";
  const keys = {
    "general.architecture": ["text", family],
    "general.name": ["text", "random"],
    [`${family}.context_length`]: ["u32", context],
    [`${family}.embedding_length`]: ["u32", dim],
    [`${family}.block_count`]: ["u32", layers],
    [`${family}.feed_forward_length`]: ["u32", hidden],
    [`${family}.attention.head_count`]: ["u32", heads],
    [`${family}.attention.head_count_kv`]: ["u32", kvHeads],
    [`${family}.attention.layer_norm_rms_epsilon`]: ["f32", family === "llama" ? 1e-5 : 1e-6],
    [`${family}.rope.freq_base`]: ["f32", base],
    ...(keyWidth !== dim / heads && { [`${family}.attention.key_length`]: ["u32", keyWidth] }),
    ...(valueWidth !== dim / heads && { [`${family}.attention.value_length`]: ["u32", valueWidth] }),
    ...(flags.ropeWidth && { [`${family}.rope.dimension_count`]: ["u32", flags.ropeWidth] }),
    ...(flags.attentionScale && { [`${family}.attention.scale`]: ["f32", flags.attentionScale] }),
    ...Object.fromEntries(
      Object.entries(flags.scaling ?? {}).map(([key, value]) => [`${family}.rope.scaling.${key}`, value]),
    ),
    ...tokenizerKeys(kind, vocab),
  };
  const vector = (name, count, deviation, mean) => ({
    name,
    shape: [count],
    type: 0,
    data: randomValues(name, count, deviation, mean),
  });
  const matrix = (name, columns, rows, deviation) => {
    const chosen = encode ? typeOf(choose?.(name) ?? type, columns) : tensorTypes.F32;
    const data = chosen.number
      ? encode(name, chosen, { columns, rows, deviation })
      : randomValues(name, columns * rows, deviation);
    return { name, shape: [columns, rows], type: chosen.number, data };
  };
  const wide = dim ** -0.5;
  const tensors = [matrix("token_embd.weight", dim, vocab, 1)];
  if (flags.ropeFactors) {
    const pairs = (flags.ropeWidth ?? keyWidth) / 2;
    const data = Float32Array.from({ length: pairs }, (_, i) => (i < pairs / 2 ? 1 : 1 + (7 * i) / pairs));
    tensors.push({ name: "rope_freqs.weight", shape: [pairs], type: 0, data });
  }
  for (let layer = 0; layer < layers; layer++) {
    const part = (name) => `blk.${layer}.${name}`;
    const widths = { attn_q: heads * keyWidth, attn_k: kvHeads * keyWidth, attn_v: kvHeads * valueWidth };
    tensors.push(vector(part("attn_norm.weight"), dim, 0.2, 1));
    for (const [name, rows] of Object.entries(widths)) {
      tensors.push(matrix(part(`${name}.weight`), dim, rows, name === "attn_v" ? wide : 1.5 * wide));
      if (qkvBias) tensors.push(vector(part(`${name}.bias`), rows, 0.5));
    }
    if (family === "qwen3")
      for (const name of ["attn_q_norm", "attn_k_norm"]) tensors.push(vector(part(`${name}.weight`), keyWidth, 0.2, 1));
    tensors.push(
      matrix(part("attn_output.weight"), heads * valueWidth, dim, (heads * valueWidth) ** -0.5),
      ...(flags.outputBias ? [vector(part("attn_output.bias"), dim, 0.2)] : []),
      vector(part("ffn_norm.weight"), dim, 0.2, 1),
      matrix(part("ffn_gate.weight"), dim, hidden, wide),
      matrix(part("ffn_up.weight"), dim, hidden, wide),
      matrix(part("ffn_down.weight"), hidden, dim, hidden ** -0.5),
    );
  }
  tensors.push(vector("output_norm.weight", dim, 0.2, 1));
  if (!tied) tensors.push(matrix("output.weight", dim, vocab, 2.5 * wide));
  return writeGguf(keys, tensors);
}
