// Checkpoints of llama2.c (karpathy, version 0 of its format) to GGUF: seven numbers, then the matrices in F32.
import { writeGguf } from "../vectors/gguf-files.js";

/** The bytes of a GGUF file. `words`: llama2.c's tokenizer.bin. */
export function convertLlama2c(checkpoint, words) {
  const header = new DataView(checkpoint.buffer, checkpoint.byteOffset, 28);
  const [dim, hidden, layers, heads, kvHeads, vocab, context] = Array.from({ length: 7 }, (_, i) =>
    header.getInt32(4 * i, true),
  );
  let at = 28;
  const take = (count) => checkpoint.subarray(at, (at += 4 * count)); // float32
  const kvDim = (dim / heads) * kvHeads;
  const tensors = [{ name: "token_embd.weight", shape: [dim, vocab], type: 0, data: take(dim * vocab) }];
  // The matrices of one kind follow each other, layer by layer.
  const kinds = {
    attn_norm: [dim],
    attn_q: [dim, dim],
    attn_k: [dim, kvDim],
    attn_v: [dim, kvDim],
    attn_output: [dim, dim],
    ffn_norm: [dim],
    ffn_gate: [dim, hidden],
    ffn_down: [hidden, dim],
    ffn_up: [dim, hidden],
  };
  for (const [kind, shape] of Object.entries(kinds))
    for (let layer = 0; layer < layers; layer++)
      tensors.push({ name: `blk.${layer}.${kind}.weight`, shape, type: 0, data: take(shape[0] * (shape[1] ?? 1)) });
  tensors.push({ name: "output_norm.weight", shape: [dim], type: 0, data: take(dim) });

  const { tokens, scores, types } = readWords(words, vocab);
  return writeGguf(
    {
      "general.architecture": ["text", "llama"],
      "general.name": ["text", "stories15M"],
      "llama.context_length": ["u32", context],
      "llama.embedding_length": ["u32", dim],
      "llama.block_count": ["u32", layers],
      "llama.feed_forward_length": ["u32", hidden],
      "llama.attention.head_count": ["u32", heads],
      "llama.attention.head_count_kv": ["u32", kvHeads],
      "llama.attention.layer_norm_rms_epsilon": ["f32", 1e-5],
      "llama.rope.dimension_count": ["u32", dim / heads],
      "tokenizer.ggml.model": ["text", "llama"],
      "tokenizer.ggml.tokens": ["text", tokens],
      "tokenizer.ggml.scores": ["f32", scores],
      "tokenizer.ggml.token_type": ["i32", types],
      "tokenizer.ggml.bos_token_id": ["u32", 1],
      "tokenizer.ggml.eos_token_id": ["u32", 2],
      "tokenizer.ggml.unknown_token_id": ["u32", 0],
    },
    tensors,
  );
}

// The length of the longest token; then for each token its score, length and bytes. Spaces are written as spaces, and
// tokens of single bytes as these bytes.
function readWords(bytes, count) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 4;
  const scores = [];
  const tokens = Array.from({ length: count }, () => {
    scores.push(data.getFloat32(at, true));
    const length = data.getInt32(at + 4, true);
    at += 8 + length;
    return new TextDecoder().decode(bytes.subarray(at - length, at)).replaceAll(" ", "\u2581");
  });
  const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");
  tokens.splice(0, 259, "<unk>", "<s>", "</s>", ...Array.from({ length: 256 }, (_, byte) => `<0x${hex(byte)}>`));
  const types = tokens.map((_, id) => (id === 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1));
  return { tokens, scores, types };
}
