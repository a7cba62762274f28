// MiniMind2-Small: from the int8 graph for ONNX to a GGUF file of the llama layout.
import { floatToHalf, writeGguf } from "../vectors/gguf-files.js";

const LAYERS = 8;
const HEAD = 64;
// Matrices of layer l have the numbers of layer 0 and STEP * l more. As { tensor of GGUF: number }.
const STEP = 35;
const matrices = {
  attn_q: 2454,
  attn_k: 2461,
  attn_v: 2462,
  attn_output: 2485,
  ffn_gate: 2486,
  ffn_up: 2487,
  ffn_down: 2488,
};

// The fields of a message of protocol buffers: [number, value], a number or bytes.
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  const wide = { 1: 8, 5: 4 };
  while (at < bytes.length) {
    const key = varint();
    const wire = key & 7;
    if (wire === 0) yield [key >>> 3, varint()];
    else {
      const length = wire === 2 ? varint() : wide[wire];
      yield [key >>> 3, bytes.subarray(at, (at += length))];
    }
  }
}

const only = (bytes, number) => [...fields(bytes)].filter(([field]) => field === number).map(([, value]) => value);

// { name: { shape, raw } } of the stored tensors: field 5 of the graph, which is field 7 of the model.
function storedTensors(onnx) {
  const tensors = only(only(onnx, 7)[0], 5).map((tensor) => {
    const [name] = only(tensor, 8);
    const [raw] = [...only(tensor, 9), ...only(tensor, 4)]; // bytes, or floats
    return [new TextDecoder().decode(name), { shape: only(tensor, 1), raw }];
  });
  return Object.fromEntries(tensors);
}

const floats = (bytes) => new Float32Array(Uint8Array.from(bytes).buffer);

// (rows, columns) from int8 values that are stored as (columns, rows).
function matrixOf(tensors, number) {
  const { shape, raw } = tensors[`onnx::MatMul_${number}_quantized`];
  const [scale] = floats(tensors[`onnx::MatMul_${number}_scale`].raw);
  const [columns, rows] = shape;
  const quants = new Int8Array(raw.buffer, raw.byteOffset, raw.length);
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < columns; i++) values[row * columns + i] = scale * quants[i * rows + row];
  return { columns, rows, values };
}

// The rows of a head, from pairs that lie half a head apart to pairs of neighbours, which the llama layout rotates.
function pairNeighbours({ columns, rows, values }) {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const i = row % HEAD;
    const from = row - i + (i % 2) * (HEAD / 2) + (i >> 1);
    result.set(values.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return { columns, rows, values: result };
}

const halves = (values) => new Uint8Array(Uint16Array.from(values, floatToHalf).buffer);

/** The bytes of a GGUF file, matrices in F16. `tokenizer`, `settings`: tokenizer.json and tokenizer_config.json. */
export function convertMiniMind(onnx, tokenizer, settings) {
  const stored = storedTensors(onnx);
  const matrix = (name, { columns, rows, values }) => ({ name, shape: [columns, rows], type: 1, data: halves(values) });
  const vector = (name, from) => ({ name, shape: [512], type: 0, data: floats(stored[from].raw) });
  const [scale] = floats(stored["model.embed_tokens.weight_scale"].raw);
  const embedding = Float32Array.from(
    stored["model.embed_tokens.weight_quantized"].raw,
    (quant) => scale * (quant - 128),
  );
  const tensors = [matrix("token_embd.weight", { columns: 512, rows: 6400, values: embedding })];
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = (part) => `blk.${layer}.${part}.weight`;
    tensors.push(vector(name("attn_norm"), `model.layers.${layer}.input_layernorm.weight`));
    tensors.push(vector(name("ffn_norm"), `model.layers.${layer}.post_attention_layernorm.weight`));
    for (const [part, number] of Object.entries(matrices)) {
      const values = matrixOf(stored, number + STEP * layer);
      tensors.push(matrix(name(part), /attn_[qk]/.test(part) ? pairNeighbours(values) : values));
    }
  }
  tensors.push(vector("output_norm.weight", "model.norm.weight"));

  const words = Object.entries(tokenizer.model.vocab).sort(([, a], [, b]) => a - b);
  const special = new Set(tokenizer.added_tokens.map(({ id }) => id));
  return writeGguf(
    {
      "general.architecture": ["text", "llama"],
      "general.name": ["text", "MiniMind2-Small"],
      "llama.context_length": ["u32", 32768],
      "llama.embedding_length": ["u32", 512],
      "llama.block_count": ["u32", LAYERS],
      "llama.feed_forward_length": ["u32", 1408],
      "llama.attention.head_count": ["u32", 8],
      "llama.attention.head_count_kv": ["u32", 2],
      "llama.attention.layer_norm_rms_epsilon": ["f32", 1e-5],
      "llama.rope.dimension_count": ["u32", HEAD],
      "llama.rope.freq_base": ["f32", 1e6],
      "tokenizer.ggml.model": ["text", "gpt2"],
      "tokenizer.ggml.pre": ["text", "gpt-2"],
      "tokenizer.ggml.tokens": ["text", words.map(([word]) => word)],
      "tokenizer.ggml.token_type": ["i32", words.map(([, id]) => (special.has(id) ? 3 : 1))],
      "tokenizer.ggml.merges": ["text", tokenizer.model.merges.map((pair) => pair.join(" "))],
      "tokenizer.ggml.bos_token_id": ["u32", 1],
      "tokenizer.ggml.eos_token_id": ["u32", 2],
      "tokenizer.ggml.padding_token_id": ["u32", 0],
      "tokenizer.ggml.add_bos_token": ["bool", false],
      "tokenizer.chat_template": ["text", settings.chat_template],
    },
    tensors,
  );
}
