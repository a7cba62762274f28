// A small file of random weights for each family, in F32 and in a mixture of all tensor types: see
// make-family-fixtures.js, and tests/js/model-families.test.js.
import { tensorTypes } from "../models/blocks.js";
import { randomBlocks } from "../models/random-blocks.js";
import { randomModel } from "../models/random-model.js";
import { randomNumbers } from "./gguf-files.js";

export const positions = 200;
export const caches = ["f32", "f16", "q8_0"];
export const forced = randomNumbers("forced", positions, 384);

const narrow = { dim: 96, hidden: 200, layers: 2, heads: 3, kvHeads: 1, base: 10000 };
const wide = { dim: 256, hidden: 256, layers: 2, heads: 4, kvHeads: 2, base: 1e6 };
const flags = {
  llama: { ropeFactors: true },
  qwen2: {},
  qwen3: { keyWidth: 64 },
};
export const families = Object.keys(flags);

export const floatFile = (family) => randomModel(family, narrow, flags[family]);

/** Matrices take the types in turn. */
export function mixedFile(family) {
  const types = Object.keys(tensorTypes).filter((name) => name !== "F32");
  let next = families.indexOf(family);
  return randomModel(family, wide, {
    ...flags[family],
    tied: family === "qwen2",
    choose: () => types[next++ % types.length],
    encode: (name, type, { columns, rows, deviation }) => randomBlocks(name, type, columns * rows, deviation),
  });
}
