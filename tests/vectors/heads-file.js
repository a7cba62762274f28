// Files of heads with random weights: Medusa's, and EAGLE's in the layout of llama.cpp's `eagle3`.
import { F32, randomValues, readGguf, writeGguf } from "./gguf-files.js";

/**
 * Heads for the model of a file.
 * @param {Uint8Array} target
 * @param {{ count?: number, projects?: boolean, base?: Record<string, [string, string | number]>, keys?: object,
 *   change?: Function }} [how] base: what it says of the model; change: of the tensors
 */
export function medusaFile(target, { count = 4, projects = true, base = {}, keys = {}, change = (all) => all } = {}) {
  const [dim, vocab] = readGguf(target).tensors.find(({ name }) => name === "token_embd.weight").shape;
  const tensor = (name, shape, deviation) => ({
    name,
    shape,
    type: F32,
    data: randomValues(name, shape[0] * (shape[1] ?? 1), deviation),
  });
  const tensors = Array.from({ length: count }, (_, i) => [
    tensor(`medusa.${i}.weight`, [dim, dim], 1 / Math.sqrt(dim)),
    tensor(`medusa.${i}.bias`, [dim], 0.1),
    ...(projects ? [tensor(`medusa.${i}.projection.weight`, [dim, dim], 1 / Math.sqrt(dim))] : []),
  ]).flat();
  return writeGguf(
    {
      "general.architecture": ["text", "medusa"],
      "general.name": ["text", "random heads"],
      "general.base_model.count": ["u32", 1],
      "general.base_model.0.name": ["text", "random"],
      ...base,
      "medusa.head_count": ["u32", count],
      "medusa.embedding_length": ["u32", dim],
      "medusa.vocab_size": ["u32", vocab],
      ...keys,
    },
    change(tensors),
  );
}

/** The data of d2t: 64-bit integers. @param {number[]} tokens */
const mapBytes = (tokens) => new Uint8Array(BigInt64Array.from(tokens, BigInt).buffer);

/**
 * EAGLE's layer for the model of a file.
 * @param {Uint8Array} target
 * @param {{ dim?: number, embeds?: boolean, outputs?: boolean, map?: number[], layers?: number[], divides?: boolean, sizes?: number[],
 *   base?: Record<string, [string, string | number]>, keys?: object, change?: Function }} [how] embeds, outputs: it has
 *   matrices of its own; map: the tokens that the rows of its output stand for; divides: its frequencies have divisors; sizes:
 *   hidden, heads, those of keys, and their width
 */
export function eagleFile(target, how = {}) {
  const { dim = 48, embeds = true, outputs = true, map, layers = [0, 1, 2], divides = false } = how;
  const { sizes: [hidden, heads, kvHeads, size] = [80, 4, 2, 16] } = how;
  const { base = {}, keys = {}, change = (all) => all } = how;
  const [theirs, vocab] = readGguf(target).tensors.find(({ name }) => name === "token_embd.weight").shape;
  const tensor = (name, columns, rows, deviation = columns ** -0.5) => ({
    name,
    shape: [columns, rows],
    type: F32,
    data: randomValues(name, columns * rows, deviation),
  });
  const norm = (name, length = dim) => ({
    name,
    shape: [length],
    type: F32,
    data: randomValues(name, length, 0.2, 1),
  });
  const part = (name) => `blk.0.${name}.weight`;
  const tensors = [
    ...(embeds ? [tensor("token_embd.weight", dim, vocab, 1)] : []),
    tensor("fc.weight", 3 * theirs, dim),
    norm(part("attn_norm")),
    norm(part("attn_norm_2")),
    tensor(part("attn_q"), 2 * dim, heads * size),
    tensor(part("attn_k"), 2 * dim, kvHeads * size),
    tensor(part("attn_v"), 2 * dim, kvHeads * size),
    tensor(part("attn_output"), heads * size, dim),
    norm(part("ffn_norm")),
    tensor(part("ffn_gate"), dim, hidden),
    tensor(part("ffn_up"), dim, hidden),
    tensor(part("ffn_down"), hidden, dim),
    norm("output_norm.weight"),
    ...(outputs ? [tensor("output.weight", dim, map?.length ?? vocab)] : []),
    ...(map ? [{ name: "d2t", shape: [map.length], type: 27, data: mapBytes(map) }] : []),
    ...(divides ? [norm("rope_freqs.weight", size / 2)] : []),
  ];
  return writeGguf(
    {
      "general.architecture": ["text", "eagle3"],
      "general.name": ["text", "random layer"],
      ...base,
      "eagle3.vocab_size": ["u32", vocab],
      "eagle3.context_length": ["u32", 512],
      "eagle3.block_count": ["u32", 1],
      "eagle3.embedding_length": ["u32", dim],
      "eagle3.feed_forward_length": ["u32", hidden],
      "eagle3.target_hidden_size": ["u32", theirs],
      "eagle3.attention.head_count": ["u32", heads],
      "eagle3.attention.head_count_kv": ["u32", kvHeads],
      "eagle3.attention.key_length": ["u32", size],
      "eagle3.attention.value_length": ["u32", size],
      "eagle3.rope.dimension_count": ["u32", size],
      "eagle3.rope.freq_base": ["f32", 20000],
      "eagle3.attention.layer_norm_rms_epsilon": ["f32", 1e-5],
      "eagle3.target_layers": ["i32", layers],
      ...keys,
    },
    change(tensors),
  );
}
