// The forward pass in float64, independent of src/model/: exact weights, activations and cache. Slow and obvious.
// Sources: "LLaMA" (Touvron et al., 2023), "Qwen2" (2024) and "Qwen3" (2025), RoFormer for rotary positions, YaRN (Peng
// et al., 2023) for their scaling; names of keys and tensors as in GGUF files.
import { readGguf } from "../vectors/gguf-files.js";
import { dequantise } from "./blocks.js";

// Pairs of a rotated head: neighbours, or elements that lie half of the rotated width apart.
const hasPairsApart = { llama: false, qwen2: true, qwen3: true };

function readConfig(metadata) {
  const family = metadata["general.architecture"];
  const get = (key, otherwise) => metadata[`${family}.${key}`] ?? otherwise;
  const dim = get("embedding_length");
  const heads = get("attention.head_count");
  const keyWidth = get("attention.key_length", dim / heads);
  return {
    dim,
    heads,
    keyWidth,
    kvHeads: get("attention.head_count_kv", heads),
    valueWidth: get("attention.value_length", dim / heads),
    layers: get("block_count"),
    epsilon: get("attention.layer_norm_rms_epsilon"),
    scale: get("attention.scale", 0) || 1 / Math.sqrt(keyWidth),
    rope: {
      isApart: hasPairsApart[family],
      width: get("rope.dimension_count", keyWidth),
      base: get("rope.freq_base", 10000),
      scaling: get("rope.scaling.type", "linear"),
      factor: get("rope.scaling.factor", get("rope.scale_linear", 1)),
      context: get("rope.scaling.original_context_length", get("context_length")),
      fast: get("rope.scaling.yarn_beta_fast", 32),
      slow: get("rope.scaling.yarn_beta_slow", 1),
      magnitude: get("rope.scaling.attn_factor", 1),
    },
  };
}

// { angles: radians a position, one for each pair; magnitude: what rotated pairs are multiplied by }
function rotation({ width, base, scaling, factor, context, fast, slow, magnitude }, divisors) {
  const pairs = width / 2;
  const own = Array.from({ length: pairs }, (_, i) => base ** (-i / pairs) / (divisors?.[i] ?? 1));
  if (scaling === "none") return { angles: own, magnitude };
  if (scaling !== "yarn") return { angles: own.map((angle) => angle / factor), magnitude };
  // Pairs that turn often within the context keep their angle, pairs that turn seldom are slowed down.
  const pairOfTurns = (turns) => (pairs * Math.log(context / (turns * 2 * Math.PI))) / Math.log(base);
  const from = Math.max(0, Math.floor(pairOfTurns(fast)));
  const to = Math.min(width - 1, Math.ceil(pairOfTurns(slow)));
  const angles = own.map((angle, i) => {
    const slowed = Math.min(1, Math.max(0, (i - from) / Math.max(0.001, to - from)));
    return angle * (1 - slowed) + (angle / factor) * slowed;
  });
  return { angles, magnitude: magnitude * (1 + 0.1 * Math.log(factor)) };
}

function rotate(vector, start, position, { isApart, width }, { angles, magnitude }) {
  angles.forEach((angle, i) => {
    const [a, b] = isApart ? [start + i, start + i + width / 2] : [start + 2 * i, start + 2 * i + 1];
    const [x, y] = [vector[a], vector[b]];
    const [cosine, sine] = [magnitude * Math.cos(position * angle), magnitude * Math.sin(position * angle)];
    vector[a] = x * cosine - y * sine;
    vector[b] = x * sine + y * cosine;
  });
}

// matrix: (rows, columns); bias: (rows) or nothing.
function multiply(matrix, vector, bias) {
  const columns = vector.length;
  const rows = matrix.length / columns;
  const result = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let i = 0, at = row * columns; i < columns; i++) sum += matrix[at + i] * vector[i];
    result[row] = sum + (bias ? bias[row] : 0);
  }
  return result;
}

// The part of `width` numbers from `start`, divided by its root mean square.
function normalise(vector, weights, epsilon, start = 0, width = vector.length) {
  let squares = 0;
  for (let i = 0; i < width; i++) squares += vector[start + i] ** 2;
  const factor = 1 / Math.sqrt(squares / width + epsilon);
  return Float64Array.from({ length: width }, (_, i) => vector[start + i] * factor * weights[i]);
}

// A head's values, weighted by the softmax of its scores.
function attend(query, keys, values, { head, kvHead, keyWidth, valueWidth, scale }) {
  const scores = keys.map((key) => {
    let sum = 0;
    for (let i = 0; i < keyWidth; i++) sum += query[head * keyWidth + i] * key[kvHead * keyWidth + i];
    return sum * scale;
  });
  const largest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const result = new Float64Array(valueWidth);
  values.forEach((value, position) => {
    for (let i = 0; i < valueWidth; i++) result[i] += (weights[position] / total) * value[kvHead * valueWidth + i];
  });
  return result;
}

const silu = (x) => x / (1 + Math.exp(-x));
const add = (a, b) => a.map((x, i) => x + b[i]);

/** Logits of every token of a text, as rows of float64. */
export function referenceLogits(file, tokens) {
  const { metadata, tensors } = readGguf(file);
  const config = readConfig(metadata);
  const { dim, heads, kvHeads, keyWidth, valueWidth, epsilon, rope } = config;
  const stored = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const read = (name) => {
    const tensor = stored.get(name);
    return tensor && dequantise(tensor.data, tensor.type, tensor.count);
  };
  const turns = rotation(rope, read("rope_freqs.weight"));
  const embeddings = read("token_embd.weight");
  let states = tokens.map((token) => embeddings.slice(token * dim, (token + 1) * dim));

  for (let layer = 0; layer < config.layers; layer++) {
    const part = (name) => read(`blk.${layer}.${name}`);
    const names = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"];
    const weights = Object.fromEntries(names.map((name) => [name, part(`${name}.weight`)]));
    const biases = Object.fromEntries(names.map((name) => [name, part(`${name}.bias`)]));
    const apply = (name, vector) => multiply(weights[name], vector, biases[name]);
    const before = part("attn_norm.weight");
    const between = part("ffn_norm.weight");
    const headNorms = { attn_q: part("attn_q_norm.weight"), attn_k: part("attn_k_norm.weight") };
    const projectHeads = (name, vector, position) => {
      const projected = apply(name, vector);
      for (let start = 0; start < projected.length; start += keyWidth) {
        const norm = headNorms[name];
        if (norm) projected.set(normalise(projected, norm, epsilon, start, keyWidth), start);
        rotate(projected, start, position, rope, turns);
      }
      return projected;
    };
    const keys = [];
    const values = [];
    states = states.map((state, position) => {
      const input = normalise(state, before, epsilon);
      keys.push(projectHeads("attn_k", input, position));
      values.push(apply("attn_v", input));
      const query = projectHeads("attn_q", input, position);
      const attended = new Float64Array(heads * valueWidth);
      for (let head = 0; head < heads; head++) {
        const kvHead = Math.floor(head / (heads / kvHeads));
        attended.set(attend(query, keys, values, { ...config, head, kvHead }), head * valueWidth);
      }
      const middle = add(state, apply("attn_output", attended));
      const inner = normalise(middle, between, epsilon);
      const up = apply("ffn_up", inner);
      const gated = apply("ffn_gate", inner).map((x, i) => silu(x) * up[i]);
      return add(middle, apply("ffn_down", gated));
    });
  }
  const last = read("output_norm.weight");
  const output = read("output.weight") ?? embeddings;
  const bias = read("output.bias");
  return states.map((state) => multiply(output, normalise(state, last, epsilon), bias));
}
