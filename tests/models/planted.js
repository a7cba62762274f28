// Weights planted into a file of random weights, so that the next token and the guesses of the block for multi-token
// prediction are known. No trained weights of such a block are available here.
import { encode, floatToHalf, randomNumbers } from "../vectors/gguf-files.js";
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

/** Tokens after which a model that counts leaves one out: without this, four of five guesses are right. */
const skips = (token) => token % 6 === 0;
/** What a planted model writes after a token. */
export const following = (token) => token + (skips(token) ? 2 : 1);

// The embedding of a token is that of the token before, with each pair of its numbers turned by an angle of its own.
// The first pair stays as it is: 1 and 0.
const anglesOf = (dim) => randomNumbers("angles", dim / 2, 2 ** 20).map((n, i) => (i ? (Math.PI * n) / 2 ** 20 : 0));

function turned({ shape: [dim, vocab], data, type }) {
  const angles = anglesOf(dim);
  const bytes = new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  const row = new Float32Array(dim);
  for (let token = 0; token < vocab; token++) {
    angles.forEach((angle, i) => row.set([Math.cos(token * angle), Math.sin(token * angle)], 2 * i));
    bytes.set(encode(row, type), (token * bytes.length) / vocab);
  }
  return bytes;
}

/** The matrix that turns an embedding into that of a token so much further on, and adds the embedding so many times. */
function turn(dim, tokens, times = 0) {
  const matrix = new Float32Array(dim * dim);
  for (const [i, angle] of anglesOf(dim).entries()) {
    const [c, s] = [Math.cos(tokens * angle), Math.sin(tokens * angle)];
    matrix.set([c + times, -s], 2 * i * dim + 2 * i);
    matrix.set([s, c + times], (2 * i + 1) * dim + 2 * i);
  }
  return matrix;
}

/**
 * Tensors of a model with an output matrix of its own that counts: the token t + 1 follows the token t, or, if it
 * skips, what `following` says. So a file that does not skip drafts for one that does, and so do the heads below.
 * @param {boolean} doesSkip
 */
export const counting = (doesSkip) => (tensors) => {
  const found = tensors.find(({ name }) => name === "token_embd.weight");
  const embedding = { ...found, data: turned(found) };
  return tensors.map((tensor) => {
    const { name, data } = tensor;
    if (name === found.name)
      return { ...tensor, data: shifted(embedding, (token) => (doesSkip && skips(token) ? 1 : 0)) };
    if (name === "output.weight") return { ...embedding, name, data: shifted(embedding, () => -1) };
    if (name === "output_norm.weight") return { ...tensor, data: data.map(() => 1) };
    return silenced(tensor);
  });
};

/** Medusa's heads for a model that counts, without skips: of the random ones only the projection counts. */
export const countingHeads = (tensors) =>
  tensors.map((tensor) => {
    const [, head] = /^medusa\.(\d+)\.projection/.exec(tensor.name) ?? [];
    const { data, shape } = tensor;
    return { ...tensor, data: head ? turn(shape[0], Number(head) + 1) : new Float32Array(data.length) };
  });

/**
 * EAGLE's layer for a model that counts, without skips. Its feature is the last of three states. Its attention adds
 * nothing, and its feed-forward block makes a token's embedding that of the next: the gate is the same for all tokens.
 */
export const countingLayer = (tensors) => {
  const [dim] = tensors.find(({ name }) => name === "output_norm.weight").shape;
  const GATE = 4; // of which SiLU is SILU; the block's input has the embedding √2 times
  const SILU = GATE / (1 + Math.exp(-GATE));
  const plant = {
    "fc.weight": (data) => fill(data, (row) => [2 * dim + row, 1], 3 * dim),
    "blk.0.attn_output.weight": (data) => data,
    "blk.0.ffn_gate.weight": (data) => fill(data, () => [0, GATE / Math.SQRT2], dim),
    "blk.0.ffn_up.weight": (data) => (data.set(turn(dim, 1, -1)), data),
    "blk.0.ffn_down.weight": (data) => fill(data, (row) => [row, 1 / (SILU * Math.SQRT2)], data.length / dim),
  };
  return tensors.map((tensor) => {
    const { name, data, shape } = tensor;
    if (shape.length === 1) return { ...tensor, data: data.map(() => 1) };
    return plant[name] ? { ...tensor, data: plant[name](new Float32Array(data.length)) } : tensor;
  });
};

/** Sets one number of each row. @param {(row: number) => [number, number]} choose its column and value */
function fill(matrix, choose, columns) {
  for (let row = 0; row < matrix.length / columns; row++) {
    const [column, value] = choose(row);
    matrix[row * columns + column] = value;
  }
  return matrix;
}

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
