// Weights planted into a file of random weights, so that the next token and the guesses of the block for multi-token
// prediction are known. No trained weights of such a block are available here.
import { floatToHalf } from "../vectors/gguf-files.js";
import { tensorTypes } from "./blocks.js";

// Columns of the identity, then zeros, in F32 or Q8_0.
function identity(columns, rows, type) {
  if (type === tensorTypes.F32.number) {
    const data = new Float32Array(columns * rows);
    for (let row = 0; row < rows; row++) data[row * columns + row] = 1;
    return data;
  }
  const [size, half] = [(columns / 32) * 34, floatToHalf(1)];
  const data = new Uint8Array(rows * size);
  for (let row = 0; row < rows; row++) {
    const at = row * size + Math.floor(row / 32) * 34;
    data.set([half & 255, half >> 8], at);
    data[at + 2 + (row % 32)] = 1;
  }
  return data;
}

/**
 * Tensors of Qwen 3.5, untied and with one block that predicts later tokens, of which each says that the token t + 1
 * follows the token t: no layer changes an embedding, and the row t + 1 of the output is the embedding of t. The block
 * says t + 2 where isWrong(t). Matrices are in F32 or Q8_0; what the weights cost to compute stays the same.
 * @param {(token: number) => boolean} isWrong
 */
export const planted = (isWrong) => (tensors) => {
  const embedding = tensors.find(({ name }) => name === "token_embd.weight");
  const [dim, vocab] = embedding.shape;
  const row = embedding.data.length / vocab;
  const shifted = (by) => {
    const data = new embedding.data.constructor(embedding.data.length);
    for (let token = 0; token < vocab; token++) {
      const from = (token + vocab + by(token)) % vocab;
      data.set(embedding.data.subarray(from * row, (from + 1) * row), token * row);
    }
    return data;
  };
  const block = tensors.find(({ name }) => name.endsWith("nextn.eh_proj.weight"));
  const silent = /(attn_output|ssm_out|ffn_down)\.weight$/;
  return [
    ...tensors.map((tensor) => {
      const { name, data } = tensor;
      if (name === "output.weight") return { ...embedding, name, data: shifted(() => -1) };
      if (tensor === block) return { ...tensor, data: identity(2 * dim, dim, tensor.type) };
      return silent.test(name) ? { ...tensor, data: new data.constructor(data.length) } : tensor;
    }),
    {
      ...embedding,
      name: block.name.replace("eh_proj", "embed_tokens"),
      data: shifted((token) => (isWrong(token) ? 1 : 0)),
    },
  ];
};
