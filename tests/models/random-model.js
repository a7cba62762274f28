// Files of random weights in the layouts of real checkpoints: families, shapes, flags and tensor types.
import { randomValues, vocabulary, writeGguf } from "../vectors/gguf-files.js";
import { tensorTypes } from "./blocks.js";
import { layouts } from "./layouts.js";

// As in llama.cpp's quantiser: the type of rows whose length is not a multiple of 256.
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

// The bytes, words made of them by merges, an end, and control tokens.
function byteLevelVocabulary(size, control) {
  const bytes = byteAlphabet();
  const merges = [];
  for (const first of ["\u0120", ..."etaoinshr"]) for (const second of "etaoinshrdlu") merges.push([first, second]);
  const words = merges.map(([first, second]) => first + second).slice(0, size - 257);
  const tokens = [...bytes, ...words, "<|endoftext|>"];
  for (let i = 0; tokens.length < size; i++) tokens.push(control[i] ?? `<|unused_${tokens.length}|>`);
  return {
    tokens,
    merges: merges.slice(0, words.length).map((pair) => pair.join(" ")),
    types: tokens.map((_, i) => (i < 256 + words.length ? 1 : 3)),
    end: 256 + words.length,
  };
}

function tokenizerKeys(kind, size, control = []) {
  const isByScores = kind === "llama";
  const words = isByScores ? vocabulary(size) : byteLevelVocabulary(size, control);
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

// The metadata of a family and shape.
function keysOf(family, shape) {
  const { dim, hidden, layers, heads, kvHeads, keyWidth, valueWidth, base, layerNorm, epsilon = 1e-6 } = shape;
  const own = {
    context_length: ["u32", shape.context],
    embedding_length: ["u32", dim],
    block_count: ["u32", layers + (shape.ahead ?? 0)],
    feed_forward_length: ["u32", hidden],
    "attention.head_count": ["u32", heads],
    "attention.head_count_kv": ["u32", kvHeads],
    [layerNorm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"]: ["f32", epsilon],
    ...(base && { "rope.freq_base": ["f32", base] }),
    ...(keyWidth !== dim / heads && { "attention.key_length": ["u32", keyWidth] }),
    ...(valueWidth !== dim / heads && { "attention.value_length": ["u32", valueWidth] }),
    ...(shape.ropeWidth && { "rope.dimension_count": ["u32", shape.ropeWidth] }),
    ...(shape.attentionScale && { "attention.scale": ["f32", shape.attentionScale] }),
    ...Object.fromEntries(Object.entries(shape.scaling ?? {}).map(([key, value]) => [`rope.scaling.${key}`, value])),
    ...shape.keys?.(shape),
  };
  return {
    "general.architecture": ["text", family],
    "general.name": ["text", "random"],
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${family}.${key}`, value])),
    ...tokenizerKeys(shape.tokenizer, shape.vocab, shape.control),
  };
}

/**
 * The file of a family and shape in F32, or as `encode(name, type, { columns, rows, deviation })` encodes the rows of
 * its matrices in `type`, or in the type that `choose(name)` gives for the next matrix. Flags are as in a shape of
 * layouts.js; besides: qkvBias, outputBias (of attn_output), ropeFactors, scaling (keys below `rope.scaling`),
 * ropeWidth, valueWidth, attentionScale, ahead (blocks that predict a later token), aheadNorm (false: they share the last
 * norm), aheadOwn (matrices of their own), control (names of control tokens after the vocabulary's usual 384), change(tensors)
 * (the tensors to write instead).
 */
export function randomModel(family, given, { type = "F32", choose, encode, ...flags } = {}) {
  const shape = { vocab: VOCABULARY, context: 512, normBefore: true, ...layouts[family], ...given, ...flags };
  const { dim, hidden, layers, heads, vocab, gate, layerNorm, taps } = shape;
  // By layer; 0: a short convolution, or a delta net.
  const { delta } = shape;
  const isRecurrent = (layer) =>
    delta && layer < layers && (delta.layers?.[layer] ?? (layer + 1) % (delta.interval ?? 4) !== 0);
  const kvHeadsOf = (layer) => (isRecurrent(layer) ? 0 : (shape.kvHeads[layer] ?? shape.kvHeads));
  const keyWidth = (shape.keyWidth ??= dim / heads);
  const valueWidth = (shape.valueWidth ??= keyWidth);
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
  const norm = (name) => [
    vector(`${name}.weight`, dim, 0.2, 1),
    ...(layerNorm ? [vector(`${name}.bias`, dim, 0.2)] : []),
  ];
  const wide = dim ** -0.5;
  const tensors = [matrix("token_embd.weight", dim, vocab, shape.rootEmbedding ? wide : (shape.embedding ?? 1))];
  if (shape.positions) tensors.push(matrix("position_embd.weight", dim, shape.context, 0.5));
  const pairs = (shape.ropeWidth ?? keyWidth) / 2;
  for (const name of shape.ropeFactors ? ["rope_freqs"] : (shape.divisors ?? [])) {
    const most = name.endsWith("short") ? 1.5 : 7;
    const data = Float32Array.from({ length: pairs }, (_, i) => (i < pairs / 2 ? 1 : 1 + (most * i) / pairs));
    tensors.push({ name: `${name}.weight`, shape: [pairs], type: 0, data });
  }
  for (let layer = 0; layer < layers + (shape.ahead ?? 0); layer++) {
    const part = (name) => `blk.${layer}.${name}`;
    const kvHeads = kvHeadsOf(layer);
    const widths = {
      attn_q: (shape.gatedQueries ? 2 : 1) * heads * keyWidth,
      attn_k: kvHeads * keyWidth,
      attn_v: kvHeads * valueWidth,
    };
    const fused = { attn_qkv: widths.attn_q + widths.attn_k + widths.attn_v };
    if (shape.normBefore) tensors.push(...norm(part("attn_norm")));
    if (layer >= layers) {
      tensors.push(matrix(part("nextn.eh_proj.weight"), 2 * dim, dim, (2 * dim) ** -0.5));
      const norms = shape.aheadNorm === false ? ["enorm", "hnorm"] : ["enorm", "hnorm", "shared_head_norm"];
      for (const name of norms) tensors.push(...norm(part(`nextn.${name}`)));
      for (const name of shape.aheadOwn ?? [])
        tensors.push(matrix(part(`nextn.${name}.weight`), dim, vocab, 2.5 * wide));
    }
    if (delta) tensors.push(...norm(part("post_attention_norm")));
    if (isRecurrent(layer)) {
      const inner = delta.heads * delta.width;
      const mixed = inner + 2 * delta.keyHeads * delta.width;
      tensors.push(
        matrix(part("attn_qkv.weight"), dim, mixed, 1.5 * wide),
        matrix(part("attn_gate.weight"), dim, inner, 1.5 * wide),
        { ...vector(part("ssm_conv1d.weight"), delta.taps * mixed, 0.7), shape: [delta.taps, mixed] },
        matrix(part("ssm_beta.weight"), dim, delta.heads, 1.5 * wide),
        matrix(part("ssm_alpha.weight"), dim, delta.heads, 1.5 * wide),
        vector(part("ssm_dt.bias"), delta.heads, 1),
        vector(part("ssm_a"), delta.heads, 0.05, -0.2),
        vector(part("ssm_norm.weight"), delta.width, 0.2, 1),
        matrix(part("ssm_out.weight"), inner, dim, inner ** -0.5),
      );
    } else if (!kvHeads)
      tensors.push(
        matrix(part("shortconv.in_proj.weight"), dim, 3 * dim, 1.5 * wide),
        { ...vector(part("shortconv.conv.weight"), taps * dim, 0.7), shape: [taps, dim] },
        matrix(part("shortconv.out_proj.weight"), dim, dim, wide),
      );
    for (const [name, rows] of Object.entries(!kvHeads ? {} : shape.fusedQkv ? fused : widths)) {
      tensors.push(matrix(part(`${name}.weight`), dim, rows, name === "attn_v" ? wide : 1.5 * wide));
      if (shape.qkvBias) tensors.push(vector(part(`${name}.bias`), rows, 0.5));
    }
    if (kvHeads && (shape.headNorm || shape.wideNorm))
      for (const name of ["attn_q", "attn_k"])
        tensors.push(vector(part(`${name}_norm.weight`), shape.wideNorm ? widths[name] : keyWidth, 0.2, 1));
    if (kvHeads)
      tensors.push(matrix(part("attn_output.weight"), heads * valueWidth, dim, (heads * valueWidth) ** -0.5));
    if (shape.outputBias) tensors.push(vector(part("attn_output.bias"), dim, 0.2));
    if (shape.normAfter) tensors.push(...norm(part("post_attention_norm")));
    if (shape.normBefore && !delta) tensors.push(...norm(part("ffn_norm")));
    if (!gate) tensors.push(matrix(part("ffn_gate.weight"), dim, hidden, wide));
    tensors.push(
      matrix(part("ffn_up.weight"), dim, gate === "fused" ? 2 * hidden : hidden, wide),
      matrix(part("ffn_down.weight"), hidden, dim, hidden ** -0.5),
    );
    if (gate === "none")
      tensors.push(vector(part("ffn_up.bias"), hidden, 0.2), vector(part("ffn_down.bias"), dim, 0.2));
    if (shape.normAfter) tensors.push(...norm(part("post_ffw_norm")));
  }
  tensors.push(...norm(taps ? "token_embd_norm" : "output_norm"));
  if (!shape.tied) tensors.push(matrix("output.weight", dim, vocab, 2.5 * wide));
  return writeGguf(keysOf(family, shape), shape.change?.(tensors) ?? tensors);
}
