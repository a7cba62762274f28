// The forward pass in float64, independent of src/model/: exact weights, activations and cache. Slow and obvious.
// Sources: "LLaMA" (Touvron et al., 2023), "Qwen2" (2024) and "Qwen3" (2025), RoFormer for rotary positions, YaRN (Peng
// et al., 2023) for their scaling; names of keys and tensors as in GGUF files.
import { readGguf } from "../vectors/gguf-files.js";
import { dequantise } from "./blocks.js";

// The differences of a family from LLaMA. Sources: the papers "Gemma 2" (2024) and "Gemma 3" (2025), "Phi-3" (2024),
// "Power scheduler" (Granite, 2024), SmolLM3 (2025), "2 OLMo 2 Furious" (2024), "EXAONE 4.0" (2025), GPT-2 (2019),
// "GPT-NeoX-20B" (2022), "StableLM 2" (2024), "MiniCPM" (2024), Hunyuan (2025), "LFM2" (2025), "Gated delta
// networks" (2025) for Qwen3.5; their modelling code where these are silent.
const halves = { isApart: true };
const gemma = { ...halves, act: geluTanh, rootEmbedding: true };
const gpt = { act: geluTanh, layerNorm: true };
const families = {
  llama: {},
  qwen2: halves,
  qwen3: halves,
  gemma2: { ...gemma, every: 2, scoreCap: 50, logitCap: 30, window: 4096 },
  gemma3: { ...gemma, every: 6, localBase: 10000, localIsPlain: true },
  phi3: halves,
  granite: {},
  smollm3: { isStill: (layer) => layer % 4 === 3 },
  olmo2: { ...halves, every: 4, localIsPlain: true },
  exaone4: { ...halves, every: 4, isStill: (layer, isLocal, hasLocal) => hasLocal && !isLocal },
  ernie4_5: {},
  gpt2: { ...gpt, isStill: () => true },
  gptneox: { ...gpt, ...halves, parallel: true },
  stablelm: { ...halves, layerNorm: true },
  minicpm: { embedding: 12, residual: (layers) => 1.4 / Math.sqrt(layers), divisor: (dim) => dim / 256 },
  lfm2: halves,
  qwen35: { ...halves, middleNorm: "post_attention_norm" },
  "hunyuan-dense": { ...halves, normsTurned: true },
};

function readConfig(metadata) {
  const name = metadata["general.architecture"];
  const family = families[name];
  const get = (key, otherwise) => metadata[`${name}.${key}`] ?? otherwise;
  const dim = get("embedding_length");
  const layers = get("block_count") - get("nextn_predict_layers", 0);
  const heads = get("attention.head_count");
  const keyWidth = get("attention.key_length", dim / heads);
  const rope = {
    isApart: family.isApart,
    width: get("rope.dimension_count", keyWidth),
    base: get("rope.freq_base", 10000),
    scaling: get("rope.scaling.type", "linear"),
    factor: get("rope.scaling.factor", get("rope.scale_linear", 1)),
    context: get("rope.scaling.original_context_length", get("context_length")),
    fast: get("rope.scaling.yarn_beta_fast", 32),
    slow: get("rope.scaling.yarn_beta_slow", 1),
    magnitude: get("rope.scaling.attn_factor", 1),
  };
  const window = get("attention.sliding_window", family.window ?? 0);
  const every = get("attention.sliding_window_pattern", family.every);
  const isLocal = (layer) =>
    window > 0 && every !== undefined && (Array.isArray(every) ? every[layer] : layer % every !== every - 1);
  const localBase = get("rope.freq_base_swa", family.localBase ?? rope.base);
  return {
    family,
    dim,
    heads,
    layers,
    keyWidth,
    rope,
    window,
    isLocal,
    localRope: family.localIsPlain ? { ...rope, scaling: "none", magnitude: 1, base: localBase } : rope,
    isStill: (layer) => get("rope.scaling.finetuned") === false || family.isStill?.(layer, isLocal(layer), window > 0),
    kvHeads: get("attention.head_count_kv", heads),
    valueWidth: get("attention.value_length", dim / heads),
    epsilon: get(family.layerNorm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
    scale: get("attention.scale", 0) || 1 / Math.sqrt(keyWidth),
    embeddingScale: get("embedding_scale", family.rootEmbedding ? Math.sqrt(dim) : (family.embedding ?? 1)),
    residualScale: get("residual_scale", family.residual?.(layers) ?? 1),
    divisor: get("logit_scale", family.divisor?.(dim) ?? 1),
    scoreCap: get("attn_logit_softcapping", family.scoreCap ?? 0),
    logitCap: get("final_logit_softcapping", family.logitCap ?? 0),
    delta: get("ssm.state_size") && {
      width: get("ssm.state_size"),
      heads: get("ssm.time_step_rank"),
      keyHeads: get("ssm.group_count"),
      taps: get("ssm.conv_kernel"),
    },
    isParallel: family.parallel && get("use_parallel_residual", true),
  };
}

// { angles: radians per position, one for each pair; magnitude: the factor of rotated pairs }
export function rotation({ width, base, scaling, factor, context, fast, slow, magnitude }, divisors) {
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

export function rotate(vector, start, position, { isApart, width }, { angles, magnitude }) {
  angles.forEach((angle, i) => {
    const [a, b] = isApart ? [start + i, start + i + width / 2] : [start + 2 * i, start + 2 * i + 1];
    const [x, y] = [vector[a], vector[b]];
    const [cosine, sine] = [magnitude * Math.cos(position * angle), magnitude * Math.sin(position * angle)];
    vector[a] = x * cosine - y * sine;
    vector[b] = x * sine + y * cosine;
  });
}

// matrix: (rows, columns); bias: (rows) or nothing.
export function multiply(matrix, vector, bias) {
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
export function normalise(vector, weights, epsilon, start = 0, width = vector.length) {
  let squares = 0;
  for (let i = 0; i < width; i++) squares += vector[start + i] ** 2;
  const factor = 1 / Math.sqrt(squares / width + epsilon);
  return Float64Array.from({ length: width }, (_, i) => vector[start + i] * factor * weights[i]);
}

function centre(vector) {
  const mean = vector.reduce((sum, x) => sum + x, 0) / vector.length;
  return vector.map((x) => x - mean);
}

const cap = (x, most) => (most ? most * Math.tanh(x / most) : x);

// A head's values, weighted by the softmax of its scores, over the positions from `from` on; and these weights.
export function attend(query, keys, values, { head, kvHead, keyWidth, valueWidth, scale, scoreCap }, from) {
  const scores = keys.slice(from).map((key) => {
    let sum = 0;
    for (let i = 0; i < keyWidth; i++) sum += query[head * keyWidth + i] * key[kvHead * keyWidth + i];
    return cap(sum * scale, scoreCap);
  });
  const largest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mixture = new Float64Array(valueWidth);
  values.slice(from).forEach((value, position) => {
    for (let i = 0; i < valueWidth; i++) mixture[i] += (weights[position] / total) * value[kvHead * valueWidth + i];
  });
  return { mixture, shares: [...Array(from).fill(0), ...weights.map((weight) => weight / total)] };
}

function geluTanh(x) {
  return (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}

export const silu = (x) => x / (1 + Math.exp(-x));
export const add = (a, b) => a.map((x, i) => x + b[i]);

// The parts of a file's forward pass. `context`: for how many positions the model is loaded.
function openReference(file, context) {
  const { metadata, tensors } = readGguf(file);
  const config = readConfig(metadata);
  const { family, dim, heads, keyWidth, valueWidth, epsilon, rope, residualScale } = config;
  const stored = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const values = new Map();
  const read = (name) => {
    const tensor = stored.get(name);
    if (tensor && !values.has(name)) values.set(name, dequantise(tensor.data, tensor.type, tensor.count));
    return values.get(name);
  };
  const length = context > rope.context ? "long" : "short";
  const divisors = read("rope_freqs.weight") ?? read(`rope_factors_${length}.weight`);
  const turns = { true: rotation(config.localRope, divisors), false: rotation(rope, divisors) };
  const embeddings = read("token_embd.weight");
  const places = read("position_embd.weight");
  const embed = (token, position) =>
    embeddings
      .slice(token * dim, (token + 1) * dim)
      .map((x, i) => x * config.embeddingScale + (places ? places[position * dim + i] : 0));
  // A norm that the file lacks changes nothing.
  const normOf = (name) => {
    const weights = read(`${name}.weight`);
    const bias = read(`${name}.bias`);
    return (vector) => {
      if (!weights) return vector;
      const normed = normalise(family.layerNorm ? centre(vector) : vector, weights, epsilon);
      return bias ? add(normed, bias) : normed;
    };
  };

  const attention = [];
  const runLayer = (layer, states) => {
    const part = (name) => read(`blk.${layer}.${name}`);
    const kvHeads = config.kvHeads[layer] ?? config.kvHeads;
    const names = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"];
    const weights = Object.fromEntries(names.map((name) => [name, part(`${name}.weight`)]));
    const biases = Object.fromEntries(names.map((name) => [name, part(`${name}.bias`)]));
    // Fused tensors: q, k and v one below the other; the gate above what it gates.
    const decay = part("ssm_a");
    const fused = decay ? undefined : part("attn_qkv.weight");
    let row = 0;
    for (const [name, count] of [
      ["attn_q", heads * keyWidth],
      ["attn_k", kvHeads * keyWidth],
      ["attn_v", kvHeads * valueWidth],
    ]) {
      if (!fused) break;
      weights[name] = fused.slice(row * dim, (row + count) * dim);
      biases[name] = part("attn_qkv.bias")?.slice(row, row + count);
      row += count;
    }
    const hidden = weights.ffn_down.length / dim;
    if (weights.ffn_up.length === 2 * hidden * dim) {
      weights.ffn_gate = weights.ffn_up.slice(0, hidden * dim);
      weights.ffn_up = weights.ffn_up.slice(hidden * dim);
    }
    const apply = (name, vector) => multiply(weights[name], vector, biases[name]);
    const around = family.middleNorm
      ? ["attn_norm", "no_norm", family.middleNorm, "no_norm"]
      : ["attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"];
    const [before, after, inside, outside] = around.map((name) => normOf(`blk.${layer}.${name}`));
    const queryNorms = { attn_q: part("attn_q_norm.weight"), attn_k: part("attn_k_norm.weight") };
    const [isLocal, isStill] = [config.isLocal(layer), config.isStill(layer)];
    const normHeads = (name, vector) => {
      const weight = queryNorms[name];
      for (let start = 0; weight && start < vector.length; start += weight.length)
        vector.set(normalise(vector, weight, epsilon, start, weight.length), start);
    };
    const projectHeads = (name, vector, position) => finishHeads(name, apply(name, vector), position);
    const finishHeads = (name, projected, position) => {
      if (!family.normsTurned) normHeads(name, projected);
      for (let start = 0; start < projected.length && !isStill; start += keyWidth)
        rotate(projected, start, position, rope, turns[isLocal]);
      if (family.normsTurned) normHeads(name, projected);
      return projected;
    };
    const feedForward = (vector) => {
      const up = apply("ffn_up", vector);
      const act = family.act ?? silu;
      if (!weights.ffn_gate) return apply("ffn_down", up.map(act));
      const gate = apply("ffn_gate", vector);
      return apply(
        "ffn_down",
        up.map((x, i) => act(gate[i]) * x),
      );
    };
    // A short convolution: of the last inputs, with gates before and after.
    const convolution = part("shortconv.conv.weight");
    const passed = [];
    const convolve = (input) => {
      const [before, after, entering] = [0, 1, 2].map((i) =>
        multiply(part("shortconv.in_proj.weight").subarray(i * dim * dim, (i + 1) * dim * dim), input),
      );
      passed.push(entering.map((x, i) => x * before[i]));
      const taps = convolution.length / dim;
      const mixed = after.map((gate, i) => {
        let sum = 0;
        for (let tap = 0; tap < taps; tap++)
          sum += convolution[i * taps + tap] * (passed[passed.length - taps + tap]?.[i] ?? 0);
        return gate * sum;
      });
      return multiply(part("shortconv.out_proj.weight"), mixed);
    };
    // A gated delta net. Matrices S (keys, values) by head; the last inputs of its convolution.
    const memory = [];
    const passing = [];
    const deltaNet = (input) => {
      const { delta } = config;
      const kernel = part("ssm_conv1d.weight");
      const norms = part("ssm_norm.weight");
      const sigmoid = (x) => 1 / (1 + Math.exp(-x));
      passing.push(multiply(part("attn_qkv.weight"), input));
      const gate = multiply(part("attn_gate.weight"), input);
      const mixed = passing.at(-1).map((_, channel) => {
        let sum = 0;
        for (let back = 0; back < delta.taps; back++)
          sum += kernel[channel * delta.taps + delta.taps - 1 - back] * (passing.at(-1 - back)?.[channel] ?? 0);
        return silu(sum);
      });
      const headOf = (start, head) => mixed.slice((start + head) * delta.width, (start + head + 1) * delta.width);
      const unit = (vector) => {
        const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, epsilon));
        return vector.map((x) => x / length);
      };
      const written = multiply(part("ssm_beta.weight"), input).map(sigmoid);
      const steps = multiply(part("ssm_alpha.weight"), input, part("ssm_dt.bias")).map((x) => Math.log1p(Math.exp(x)));
      const result = new Float64Array(delta.heads * delta.width);
      for (let head = 0; head < delta.heads; head++) {
        const query = unit(headOf(0, head % delta.keyHeads));
        const key = unit(headOf(delta.keyHeads, head % delta.keyHeads));
        const value = headOf(2 * delta.keyHeads, head);
        memory[head] ??= Array.from(key, () => new Float64Array(delta.width));
        const old = memory[head].map((row) => row.map((x) => x * Math.exp(steps[head] * decay[head])));
        const read = (vector) => value.map((_, j) => old.reduce((sum, row, i) => sum + row[j] * vector[i], 0));
        const known = read(key);
        old.forEach((row, i) => row.forEach((x, j) => (row[j] = x + key[i] * written[head] * (value[j] - known[j]))));
        memory[head] = old;
        const out = normalise(read(query.map((x) => x / Math.sqrt(delta.width))), norms, epsilon);
        out.forEach((x, j) => (result[head * delta.width + j] = x * silu(gate[head * delta.width + j])));
      }
      return multiply(part("ssm_out.weight"), result);
    };
    const grow = (state, delta) => state.map((x, i) => x + delta[i] * residualScale);
    const keys = [];
    const values = [];
    return states.map((state, position) => {
      const input = before(state);
      if (convolution || decay) {
        const middle = grow(state, (convolution ? convolve : deltaNet)(input));
        return grow(middle, feedForward(inside(middle)));
      }
      keys.push(projectHeads("attn_k", input, position));
      values.push(apply("attn_v", input));
      let gates;
      let query;
      if (!config.delta) query = projectHeads("attn_q", input, position);
      else {
        // By head: the query, then its gate.
        const both = apply("attn_q", input);
        const half = (second) => both.filter((_, i) => i % (2 * keyWidth) >= keyWidth === second);
        gates = half(true);
        query = finishHeads("attn_q", half(false), position);
      }
      const attended = new Float64Array(heads * valueWidth);
      const from = isLocal ? Math.max(0, position + 1 - config.window) : 0;
      for (let head = 0; head < heads; head++) {
        const kvHead = Math.floor(head / (heads / kvHeads));
        const { mixture, shares } = attend(query, keys, values, { ...config, head, kvHead }, from);
        attended.set(mixture, head * valueWidth);
        ((attention[layer] ??= [])[position] ??= [])[head] = shares;
      }
      const mixture = gates ? attended.map((x, i) => x / (1 + Math.exp(-gates[i]))) : attended;
      const middle = grow(state, after(apply("attn_output", mixture)));
      return grow(middle, outside(feedForward(inside(config.isParallel ? state : middle))));
    });
  };
  const norm = normOf(stored.has("token_embd_norm.weight") ? "token_embd_norm" : "output_norm");
  const output = read("output.weight") ?? embeddings;
  const bias = read("output.bias");
  const logits = (normed) => multiply(output, normed, bias).map((x) => cap(x / config.divisor, config.logitCap));
  // The states of the embedding and after each layer.
  const runLayers = (tokens) => {
    const states = [tokens.map(embed)];
    for (let layer = 0; layer < config.layers; layer++) states.push(runLayer(layer, states[layer]));
    return states;
  };
  return { config, read, normOf, runLayer, runLayers, norm, logits, attention };
}

/** Logits of every token of a text, as rows of float64. `context`: for how many positions the model is loaded. */
export const referenceLogits = (file, tokens, context) => referencePass(file, tokens, context).logits;

/**
 * The same with the activations: `states` of the embedding and after each layer, by token; `attention`, the weights by
 * layer, token and head; `norm`, of a state before the output; `output`, the logits of a state after it; `logitsOf`, both.
 */
export function referencePass(file, tokens, context = tokens.length) {
  const { runLayers, norm, logits, attention } = openReference(file, context);
  const states = runLayers(tokens);
  const logitsOf = (state) => logits(norm(state));
  return { logits: states.at(-1).map(logitsOf), states, attention, norm, output: logits, logitsOf };
}

/**
 * What the block for multi-token prediction says of the tokens after a text: `count` rows of logits. Each further row
 * follows the likeliest token of the row before, in `guesses`. The state of the text's last token is not used.
 * Sources: "DeepSeek-V3 technical report" (2024); the graph `graph_mtp` of llama.cpp's qwen35.cpp and its
 * speculative.cpp, for the order of the inputs and zeros before the text.
 */
export function referenceAhead(file, tokens, count) {
  const { config, read, normOf, runLayer, runLayers, norm, logits } = openReference(file, tokens.length);
  const { dim, layers } = config;
  const name = (part) => `blk.${layers}.nextn.${part}`;
  const embeddings = read(name("embed_tokens.weight")) ?? read("token_embd.weight");
  const output = read(name("shared_head_head.weight"));
  const ownNorm = read(name("shared_head_norm.weight")) ? name("shared_head_norm") : "output_norm";
  const [tokenNorm, stateNorm, outputNorm] = [name("enorm"), name("hnorm"), ownNorm].map(normOf);
  const text = [...tokens];
  const states = runLayers(tokens.slice(0, -1)).at(-1).map(norm);
  const rows = [];
  const guesses = [];
  while (rows.length < count) {
    const inputs = text.map((token, position) => {
      const embedding = embeddings.slice(token * dim, (token + 1) * dim);
      const before = states[position - 1] ?? new Float64Array(dim);
      return multiply(read(name("eh_proj.weight")), [...tokenNorm(embedding), ...stateNorm(before)]);
    });
    const state = outputNorm(runLayer(layers, inputs).at(-1));
    const row = output ? multiply(output, state) : logits(state);
    rows.push(row);
    guesses.push(row.indexOf(Math.max(...row)));
    states.push(state);
    text.push(guesses.at(-1));
  }
  return { rows, guesses };
}
