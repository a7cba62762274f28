// Our own models as ONNX, laid out as Hugging Face's Optimum exports a llama: so that tests can run what is shipped in
// transformers.js and onnxruntime. Weights are single precision: those of a GGUF file, dequantised.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dequantise } from "../models/blocks.js";
import { readGguf } from "./gguf-files.js";
import { Graph } from "./onnx-file.js";

const root = new URL("../../", import.meta.url).pathname;
const SPACE = "\u2581";

/** What a GGUF of the llama layout says of itself. */
function shapeOf({ metadata }) {
  const at = (key) => metadata[`llama.${key}`];
  const heads = at("attention.head_count");
  return {
    dim: at("embedding_length"),
    hidden: at("feed_forward_length"),
    layers: at("block_count"),
    heads,
    kvHeads: at("attention.head_count_kv") ?? heads,
    headDim: at("embedding_length") / heads,
    context: at("context_length"),
    epsilon: at("attention.layer_norm_rms_epsilon"),
    base: at("rope.freq_base") ?? 10000,
  };
}

/** A matrix of rows, one for each output, as MatMul takes it: one for each input. */
function transpose(data, columns) {
  const rows = data.length / columns;
  return Float32Array.from(data, (_, i) => data[(i % rows) * columns + Math.floor(i / rows)]);
}

/** GGUF turns neighbours of a head's numbers by their position, ONNX exports those that are half a head apart. */
function splitPairs(data, columns, headDim) {
  const moved = new Float32Array(data.length);
  for (let row = 0; row < data.length / columns; row++) {
    const i = row % headDim;
    const from = row - i + (i < headDim / 2 ? 2 * i : 2 * (i - headDim / 2) + 1);
    moved.set(data.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return moved;
}

const BLOCK = 32;

/** A matrix as MatMulNBits takes it: blocks of 32 weights of a row, each four bits above -8, with a scale. */
function packFourBits(data, columns) {
  const blocks = data.length / BLOCK;
  const scales = new Float32Array(blocks);
  const packed = new Uint8Array(data.length / 2);
  for (let block = 0; block < blocks; block++) {
    const values = data.subarray(block * BLOCK, (block + 1) * BLOCK);
    const farthest = values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    scales[block] = farthest / -8;
    values.forEach((value, i) => {
      const bits = farthest ? Math.min(15, Math.round(value / scales[block]) + 8) : 8;
      packed[(block * BLOCK + i) >> 1] |= bits << (4 * (i % 2));
    });
  }
  return { packed, scales, dims: [data.length / columns, columns / BLOCK, BLOCK / 2] };
}

/**
 * The bytes of an ONNX model.
 * @param {Uint8Array} gguf
 * @param {object} [how]
 * @param {boolean} [how.isHalf] keys, values and logits are float16 (what is computed with is not)
 * @param {boolean} [how.isPacked] matrices have four bits a weight
 * @param {boolean} [how.hasLastLogits] with the input num_logits_to_keep
 * @param {number} [how.padding] rows of zeros after the vocabulary
 */
export function exportOnnx(gguf, { isHalf = false, isPacked = false, hasLastLogits = false, padding = 0 } = {}) {
  const file = readGguf(gguf);
  const { dim, hidden, layers, heads, kvHeads, headDim, epsilon, base } = shapeOf(file);
  const weights = new Map(file.tensors.map(({ name, type, count, data }) => [name, Float32Array.from(dequantise(data, type, count))]));
  const weight = (name) => weights.get(`${name}.weight`);
  const vocab = weight("token_embd").length / dim + padding;
  const graph = new Graph();
  const op = graph.op.bind(graph);
  const type = isHalf ? "float16" : "float32";
  const scalar = (value) => graph.floats(Float32Array.of(value));
  const narrow = (value, name) => op("Cast", [value], { to: isHalf ? 10 : 1 }, name);
  const linear = (value, name, columns, data = weight(name)) => {
    const rows = data.length / columns;
    if (!isPacked || columns % BLOCK) return op("MatMul", [value, graph.floats(transpose(data, columns), [columns, rows])]);
    const { packed, scales, dims } = packFourBits(data, columns);
    const attributes = { K: columns, N: rows, bits: 4, block_size: BLOCK };
    return graph.ownOp("MatMulNBits", [value, graph.floats(packed, dims), graph.floats(scales)], attributes);
  };
  const epsilonAt = scalar(epsilon);
  const norm = (value, name) => {
    const mean = op("ReduceMean", [op("Mul", [value, value])], { axes: [-1], keepdims: 1 });
    const size = op("Sqrt", [op("Add", [mean, epsilonAt])]);
    return op("Mul", [op("Div", [value, size]), graph.floats(weight(name))]);
  };

  graph.input("input_ids", "int64", ["batch_size", "sequence_length"]);
  graph.input("attention_mask", "int64", ["batch_size", "total_sequence_length"]);
  graph.input("position_ids", "int64", ["batch_size", "sequence_length"]);
  if (hasLastLogits) graph.input("num_logits_to_keep", "int64", []);
  const past = (layer, part) =>
    graph.input(`past_key_values.${layer}.${part}`, type, ["batch_size", kvHeads, "past_sequence_length", headDim]);

  // What each row may see: what is not masked and no later than itself. [batch, 1, 1, rows, all]
  const total = op("Gather", [op("Shape", ["attention_mask"]), graph.ints(1)]);
  const rows = op("Gather", [op("Shape", ["input_ids"]), graph.ints(1)]);
  const [zero, one] = [graph.ints(0), graph.ints(1)];
  const places = op("Range", [zero, total, one]);
  const own = op("Unsqueeze", [op("Range", [op("Sub", [total, rows]), total, one]), graph.ints([1])]);
  const isNoLater = op("LessOrEqual", [places, own]);
  const isThere = op("Unsqueeze", [op("Cast", ["attention_mask"], { to: 9 }), graph.ints([1, 2, 3])]);
  const bias = op("Where", [op("And", [isThere, isNoLater]), scalar(0), scalar(-1e30)]);

  const frequencies = Float32Array.from({ length: headDim / 2 }, (_, i) => base ** ((-2 * i) / headDim));
  const positions = op("Unsqueeze", [op("Cast", ["position_ids"], { to: 1 }), graph.ints([2])]);
  const angles = op("Mul", [positions, graph.floats(frequencies)]);
  const both = op("Unsqueeze", [op("Concat", [angles, angles], { axis: -1 }), graph.ints([1])]);
  const [cosine, sine] = [op("Cos", [both]), op("Sin", [both])];
  const [middle, end, last] = [graph.ints([headDim / 2]), graph.ints([headDim]), graph.ints([-1])];
  const start = graph.ints([0]);
  const turn = (value) => {
    const second = op("Neg", [op("Slice", [value, middle, end, last])]);
    const turned = op("Concat", [second, op("Slice", [value, start, middle, last])], { axis: -1 });
    return op("Add", [op("Mul", [value, cosine]), op("Mul", [turned, sine])]);
  };
  const split = (value, count) =>
    op("Transpose", [op("Reshape", [value, graph.ints([0, 0, count, headDim])])], { perm: [0, 2, 1, 3] });

  let state = op("Gather", [graph.floats(weight("token_embd"), [vocab - padding, dim]), "input_ids"]);
  for (let layer = 0; layer < layers; layer++) {
    const name = (part) => `blk.${layer}.${part}`;
    const input = norm(state, name("attn_norm"));
    const turned = (part, count) =>
      turn(split(linear(input, "", dim, splitPairs(weight(name(part)), dim, headDim)), count));
    // Heads that share keys and values stand side by side. [batch, kvHeads, heads of each, rows, headDim]
    const queries = op("Reshape", [
      turned("attn_q", heads),
      graph.ints([0, kvHeads, heads / kvHeads, -1, headDim]),
    ]);
    const kept = (part, value) => {
      const former = op("Cast", [past(layer, part)], { to: 1 });
      const all = op("Concat", [former, value], { axis: 2 });
      graph.output(narrow(all, `present.${layer}.${part}`), type, [
        "batch_size",
        kvHeads,
        "past_sequence_length + sequence_length",
        headDim,
      ]);
      return op("Unsqueeze", [all, graph.ints([2])]);
    };
    const keys = kept("key", turned("attn_k", kvHeads));
    const values = kept("value", split(linear(input, name("attn_v"), dim), kvHeads));
    const products = op("MatMul", [queries, op("Transpose", [keys], { perm: [0, 1, 2, 4, 3] })]);
    const scores = op("Add", [op("Mul", [products, scalar(headDim ** -0.5)]), bias]);
    const seen = op("MatMul", [op("Softmax", [scores], { axis: -1 }), values]);
    const apart = op("Reshape", [seen, graph.ints([0, heads, -1, headDim])]);
    const flat = op("Reshape", [op("Transpose", [apart], { perm: [0, 2, 1, 3] }), graph.ints([0, 0, dim])]);
    state = op("Add", [state, linear(flat, name("attn_output"), dim)]);

    const inner = norm(state, name("ffn_norm"));
    const gate = linear(inner, name("ffn_gate"), dim);
    const swish = op("Mul", [gate, op("Sigmoid", [gate])]);
    const product = op("Mul", [swish, linear(inner, name("ffn_up"), dim)]);
    state = op("Add", [state, linear(product, name("ffn_down"), hidden)]);
  }
  if (hasLastLogits) {
    // 0 keeps all of them.
    const first = op("Neg", [op("Unsqueeze", ["num_logits_to_keep", graph.ints([0])])]);
    state = op("Slice", [state, first, graph.ints([Number.MAX_SAFE_INTEGER]), graph.ints([1])]);
  }
  const output = weight("output") ?? weight("token_embd");
  const padded = new Float32Array(vocab * dim);
  padded.set(output);
  narrow(linear(norm(state, "output_norm"), "", dim, padded), "logits");
  graph.output("logits", type, ["batch_size", "sequence_length", vocab]);
  return graph.finish();
}

/** tokenizer.json for SentencePiece's BPE: what may be joined, by the score of what it makes. */
function tokenizerJson({ metadata }) {
  const of = (key) => metadata[`tokenizer.ggml.${key}`];
  const [pieces, scores, types] = [of("tokens"), of("scores"), of("token_type")];
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const merges = [];
  pieces.forEach((piece, id) => {
    if (types[id] !== 1) return;
    const characters = [...piece];
    for (let i = 1; i < characters.length; i++) {
      const pair = [characters.slice(0, i).join(""), characters.slice(i).join("")];
      if (pair.every((part) => types[ids.get(part)] === 1)) merges.push({ pair, score: scores[id] });
    }
  });
  merges.sort((a, b) => b.score - a.score);
  const added = (id) => ({
    id,
    content: pieces[id],
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const replaceSpaces = { type: "Replace", pattern: { String: " " }, content: SPACE };
  const prepend = { type: "Prepend", prepend: SPACE };
  const bos = pieces[of("bos_token_id")];
  const begin = { SpecialToken: { id: bos, type_id: 0 } };
  const first = { Sequence: { id: "A", type_id: 0 } };
  const hasPrefix = of("add_space_prefix") ?? true;
  const decoders = [
    { type: "Replace", pattern: { String: SPACE }, content: " " },
    { type: "ByteFallback" },
    { type: "Fuse" },
    ...(hasPrefix ? [{ type: "Strip", content: " ", start: 1, stop: 0 }] : []),
  ];
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: pieces.flatMap((_, id) => (types[id] === 2 || types[id] === 3 ? [added(id)] : [])),
    normalizer: { type: "Sequence", normalizers: hasPrefix ? [prepend, replaceSpaces] : [replaceSpaces] },
    pre_tokenizer: null,
    post_processor: {
      type: "TemplateProcessing",
      single: [begin, first],
      pair: [begin, first, { Sequence: { id: "B", type_id: 1 } }],
      special_tokens: { [bos]: { id: bos, ids: [of("bos_token_id")], tokens: [bos] } },
    },
    decoder: { type: "Sequence", decoders },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: pieces[of("unknown_token_id")],
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(ids),
      merges: merges.map(({ pair }) => pair),
    },
  };
}

/** The files of a folder that transformers.js loads, but for the model itself. */
function companions(gguf) {
  const file = readGguf(gguf);
  const { dim, hidden, layers, heads, kvHeads, headDim, context, epsilon, base } = shapeOf(file);
  const of = (key) => file.metadata[`tokenizer.ggml.${key}`];
  const pieces = of("tokens");
  const [bos, eos] = [of("bos_token_id"), of("eos_token_id")];
  return {
    "config.json": {
      architectures: ["LlamaForCausalLM"],
      model_type: "llama",
      vocab_size: pieces.length,
      hidden_size: dim,
      intermediate_size: hidden,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      num_key_value_heads: kvHeads,
      head_dim: headDim,
      max_position_embeddings: context,
      rms_norm_eps: epsilon,
      rope_theta: base,
      hidden_act: "silu",
      tie_word_embeddings: true,
      bos_token_id: bos,
      eos_token_id: eos,
    },
    "generation_config.json": { bos_token_id: bos, eos_token_id: eos },
    "tokenizer.json": tokenizerJson(file),
    "tokenizer_config.json": {
      tokenizer_class: "PreTrainedTokenizerFast",
      bos_token: pieces[bos],
      eos_token: pieces[eos],
      unk_token: pieces[of("unknown_token_id")],
      pad_token: pieces[eos],
      padding_side: "left",
      model_max_length: context,
      clean_up_tokenization_spaces: false,
    },
  };
}

/**
 * Folders of models: where they lie, and the name of one that is shipped ("draft" or "storyteller"). Written when they
 * are first wanted, and kept in build/.
 * @param {string} name
 * @returns {{ models: string, name: string }}
 */
export function onnxModel(name) {
  const gguf = new Uint8Array(readFileSync(join(root, `demos/model/${name}.gguf`)));
  const hash = createHash("sha256").update(gguf);
  for (const source of ["export-onnx.js", "onnx-file.js"])
    hash.update(readFileSync(join(root, "tests/vectors", source)));
  const folder = `${name}-${hash.digest("hex").slice(0, 12)}`;
  const models = join(root, "build/onnx/");
  const place = join(models, folder);
  if (!existsSync(place)) {
    // Under another name until it is complete: tests run side by side.
    const unfinished = `${place}.${process.pid}`;
    const write = (path, content) => {
      mkdirSync(dirname(join(unfinished, path)), { recursive: true });
      writeFileSync(join(unfinished, path), content);
    };
    for (const [path, content] of Object.entries(companions(gguf))) write(path, JSON.stringify(content));
    write("onnx/model.onnx", exportOnnx(gguf));
    write("onnx/model_fp16.onnx", exportOnnx(gguf, { isHalf: true, hasLastLogits: true, padding: 16 }));
    write("onnx/model_q4.onnx", exportOnnx(gguf, { isPacked: true, hasLastLogits: true }));
    try {
      renameSync(unfinished, place);
    } catch (error) {
      rmSync(unfinished, { recursive: true });
      if (!existsSync(place)) throw error;
    }
  }
  return { models, name: folder };
}
