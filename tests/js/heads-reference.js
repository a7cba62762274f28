// Heads that draft for a model, in float64, independent of src/model/. The layout of their files: demos/model/heads.py.
// Sources: "Medusa" (Cai et al., 2024); "EAGLE-3" (Li et al., 2025), with the keys and tensors of llama.cpp's `eagle3`.
import { dequantise } from "../models/blocks.js";
import { add, attend, multiply, normalise, referencePass, rotate, rotation, silu } from "../models/reference.js";
import { readGguf } from "../vectors/gguf-files.js";

function open(file) {
  const { metadata, tensors } = readGguf(file);
  const values = new Map(tensors.map(({ name, data, type, count }) => [name, dequantise(data, type, count)]));
  return { metadata, read: (name) => values.get(name) };
}

/** What each head says after each of `tokens`: rows of logits, by head and token. `heads`, `target`: bytes of files. */
export function referenceMedusa(heads, target, tokens) {
  const { metadata, read } = open(heads);
  const { states, norm, output } = referencePass(target, tokens);
  return Array.from({ length: metadata["medusa.head_count"] }, (_, k) =>
    states.at(-1).map((state) => {
      const hidden = norm(state);
      const change = multiply(read(`medusa.${k}.weight`), hidden, read(`medusa.${k}.bias`)).map(silu);
      return output(multiply(read(`medusa.${k}.projection.weight`), add(hidden, change)));
    }),
  );
}

/**
 * What EAGLE's layer says after `tokens`, the last of which the target has only drawn, and then after each of `drafted`:
 * rows of logits, one more than `drafted` has tokens.
 */
export function referenceEagle(heads, target, tokens, drafted) {
  const { metadata, read } = open(heads);
  const get = (key) => metadata[`eagle3.${key}`];
  const { states, output } = referencePass(target, tokens.slice(0, -1));
  const layers = get("target_layers") ?? get("extract_layers");
  const width = get("embedding_length");
  const count = get("attention.head_count");
  const kvCount = get("attention.head_count_kv") ?? count;
  const keyWidth = get("attention.key_length") ?? width / count;
  const valueWidth = get("attention.value_length") ?? width / count;
  const shape = { keyWidth, valueWidth, scale: 1 / Math.sqrt(keyWidth), scoreCap: 0 };
  const pairs = { width: get("rope.dimension_count") ?? keyWidth, base: get("rope.freq_base") ?? 10000, magnitude: 1 };
  const turns = rotation({ ...pairs, scaling: "none" }, read("rope_freqs.weight"));
  const norm = (name, vector) => normalise(vector, read(name), get("attention.layer_norm_rms_epsilon"));
  const part = (name) => read(`blk.0.${name}.weight`);
  const embeddings = read("token_embd.weight") ?? open(target).read("token_embd.weight");

  const text = [...tokens, ...drafted];
  const [keys, values, rows] = [[], [], []];
  let state;
  for (let position = 0; position + 1 < text.length; position++) {
    const features = layers.flatMap((layer) => Array.from(states[layer][position] ?? []));
    const feature = features.length ? multiply(read("fc.weight"), features) : state;
    const embedding = embeddings.slice(text[position + 1] * width, (text[position + 1] + 1) * width);
    const known = norm("blk.0.attn_norm_2.weight", feature);
    const input = Float64Array.of(...norm("blk.0.attn_norm.weight", embedding), ...known);
    const [query, key] = ["attn_q", "attn_k"].map((name) => multiply(part(name), input));
    for (const vector of [query, key])
      for (let start = 0; start < vector.length; start += keyWidth) rotate(vector, start, position, pairs, turns);
    keys.push(key);
    values.push(multiply(part("attn_v"), input));
    const mixed = new Float64Array(count * valueWidth);
    for (let head = 0; head < count; head++) {
      const kvHead = Math.floor(head / (count / kvCount));
      mixed.set(attend(query, keys, values, { ...shape, head, kvHead }, 0).mixture, head * valueWidth);
    }
    const middle = add(multiply(part("attn_output"), mixed), get("norm_before_residual") ? known : feature);
    const normed = norm("blk.0.ffn_norm.weight", middle);
    const [gate, up] = ["ffn_gate", "ffn_up"].map((name) => multiply(part(name), normed));
    state = add(
      middle,
      multiply(
        part("ffn_down"),
        up.map((x, i) => silu(gate[i]) * x),
      ),
    );
    const last = norm("output_norm.weight", state);
    if (position + 2 >= tokens.length)
      rows.push(read("output.weight") ? multiply(read("output.weight"), last) : output(last));
  }
  return rows;
}
