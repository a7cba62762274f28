// What passes of a model compute and keep, counted from its shape.

/** @typedef {Pick<import("../../index.js").ModelConfig, "layers" | "dim" | "hiddenDim" | "heads" | "kvHeads" | "headDim" | "valueDim" | "vocabSize">} Shape */

/** Bytes of a number in the cache; of q8_0, 32 bytes share a scale of 2. */
export const cacheTypes = { f32: 4, f16: 2, q8_0: 34 / 32 };

/**
 * Multiplications of a pass of a llama model that computes the tokens from position `first` to `end`, of which only the
 * last gets a row of logits: those of the matrices and of attention, which reads all earlier positions.
 * @param {Shape} shape
 * @param {number} first
 * @param {number} end
 */
export function multiplications({ layers, dim, hiddenDim, heads, kvHeads, headDim, valueDim, vocabSize }, first, end) {
  const queries = Number(heads) * headDim;
  const matrices =
    dim * (queries + kvHeads * (headDim + valueDim)) + Number(heads) * valueDim * dim + 3 * dim * hiddenDim;
  const rows = end - first;
  // The token at position p reads p + 1 keys and as many values.
  const read = (end * (end + 1) - first * (first + 1)) / 2;
  return layers * (rows * matrices + read * Number(heads) * (headDim + valueDim)) + dim * vocabSize;
}

/** What decides how much a cache keeps. @typedef {Pick<Shape, "layers" | "kvHeads" | "headDim" | "valueDim">} Kept */

/** Numbers that the cache keeps of a position: keys and values of every layer. @param {Kept} shape */
export const keptNumbers = ({ layers, kvHeads, headDim, valueDim }) => layers * kvHeads * (headDim + valueDim);

/**
 * Milliseconds of a pass, the least of a few, because other work only adds.
 * @param {() => Promise<unknown>} pass
 */
export async function leastTime(pass) {
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const began = performance.now();
    await pass();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
