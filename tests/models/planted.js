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

// Makes layers pass their input on: the matrices that end their branches are zeros.
const silent = /(attn_output|ssm_out|ffn_down)\.weight$/;
const silenced = (tensor) =>
  silent.test(tensor.name) ? { ...tensor, data: new tensor.data.constructor(tensor.data.length) } : tensor;

// The rows of an embedding, each taken `by(token)` rows further on.
function shifted({ shape, data }, by) {
  const [, vocab] = shape;
  const row = data.length / vocab;
  const moved = new data.constructor(data.length);
  for (let token = 0; token < vocab; token++) {
    const from = (token + vocab + by(token)) % vocab;
    moved.set(data.subarray(from * row, (from + 1) * row), token * row);
  }
  return moved;
}

/**
 * Tensors of a model with an output matrix of its own, for which the token t + 1 follows the token t, or t + 2 where
 * isWrong(t). So one file with isWrong and one without are a draft and its target.
 * @param {(token: number) => boolean} [isWrong]
 */
export const counting =
  (isWrong = () => false) =>
  (tensors) => {
    const embedding = tensors.find(({ name }) => name === "token_embd.weight");
    return tensors.map((tensor) => {
      if (tensor === embedding) return { ...tensor, data: shifted(embedding, (token) => (isWrong(token) ? 1 : 0)) };
      if (tensor.name === "output.weight")
        return { ...embedding, name: tensor.name, data: shifted(embedding, () => -1) };
      return silenced(tensor);
    });
  };

/**
 * Tensors of Qwen 3.5, untied and with one block that predicts later tokens, of which each says that the token t + 1
 * follows the token t: no layer changes an embedding, and the row t + 1 of the output is the embedding of t. The block
 * says t + 2 where isWrong(t). Matrices are in F32 or Q8_0; what the weights cost to compute stays the same.
 * @param {(token: number) => boolean} isWrong
 */
export const planted = (isWrong) => (tensors) => {
  const embedding = tensors.find(({ name }) => name === "token_embd.weight");
  const [dim] = embedding.shape;
  const block = tensors.find(({ name }) => name.endsWith("nextn.eh_proj.weight"));
  return [
    ...tensors.map((tensor) => {
      const { name } = tensor;
      if (name === "output.weight") return { ...embedding, name, data: shifted(embedding, () => -1) };
      return tensor === block ? { ...tensor, data: identity(2 * dim, dim, tensor.type) } : silenced(tensor);
    }),
    {
      ...embedding,
      name: block.name.replace("eh_proj", "embed_tokens"),
      data: shifted(embedding, (token) => (isWrong(token) ? 1 : 0)),
    },
  ];
};
