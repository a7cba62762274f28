// A small file of random weights for each family, in F32 and in a mixture of all tensor types: see
// make-family-fixtures.js, and tests/js/model-families.slow.test.js.
import { tensorTypes } from "../models/blocks.js";
import { randomBlocks } from "../models/random-blocks.js";
import { layouts } from "../models/layouts.js";
import { randomModel } from "../models/random-model.js";
import { randomNumbers } from "./gguf-files.js";

export const positions = 200;
export const caches = ["f32", "f16", "q8_0"];
export const forced = randomNumbers("forced", positions, 384).slice(0, 100);
/** Fewer, for files whose float64 reference has to be computed. */
export const fewer = forced.slice(0, 50);

const narrow = { dim: 96, hidden: 200, layers: 2, heads: 3, kvHeads: 1, base: 10000 };
const wide = { dim: 256, hidden: 256, layers: 2, heads: 4, kvHeads: 2, base: 1e6 };
const windows = { window: 30, pattern: 2 };
// Besides what a family's files have anyway.
const flags = {
  llama: { ropeFactors: true, tokenizer: "llama-bpe" },
  qwen3: { keyWidth: 64 },
  gemma3: { ...windows, tied: true },
  granite: { tied: true },
  smollm3: { layers: 4 },
  olmo2: { window: 30, pattern: [true, false] },
  gemma2: { ...windows, tied: true },
  phi3: { ropeWidth: 24 },
  lfm2: { layers: 3, kvHeads: [0, 1, 0] },
  qwen35: {
    ...{ layers: 4, keyWidth: 64, ropeWidth: 16 },
    delta: { heads: 4, keyHeads: 2, width: 16, taps: 4 },
  },
  gptneox: { ropeWidth: 8 },
  stablelm: { ropeWidth: 8 },
};
export const families = Object.keys(layouts);

export const floatFile = (family, others) => randomModel(family, narrow, { ...flags[family], ...others });

const yarn = { type: ["text", "yarn"], factor: ["f32", 8], original_context_length: ["u32", 16] };
/** What files of a family may say besides: { what: [family, flags] }. */
export const variants = {
  "a window in EXAONE 4, whose other layers rotate nothing": ["exaone4", { layers: 4, window: 20 }],
  "YaRN in OLMo 3, but not where layers slide": ["olmo2", { layers: 4, window: 20, pattern: undefined, scaling: yarn }],
  "a base for the layers that slide": [
    "gemma3",
    { keys: () => ({ "attention.sliding_window": ["u32", 9], "rope.freq_base_swa": ["f32", 500] }) },
  ],
  "Gemma 3 without a window": ["gemma3", { keys: () => ({ "attention.sliding_window": ["u32", 0] }) }],
  "limits that Gemma 2's files need not name": [
    "gemma2",
    { keys: () => ({ "attention.sliding_window": ["u32", 4096] }), rootEmbedding: false },
  ],
  "Phi's factors for short contexts": ["phi3", { original: 400 }],
  "Phi without factors": ["phi3", { divisors: [] }],
  "Granite without rotary positions": ["granite", { rotates: false }],
  "Pythia with one block after the other": ["gptneox", { parallel: false }],
  "MiniCPM's scales, unless its file names them": ["minicpm", { says: false }],
};

/** Matrices take the types in turn. */
export function mixedFile(family) {
  const types = Object.keys(tensorTypes).filter((name) => name !== "F32");
  let next = families.indexOf(family);
  return randomModel(family, wide, {
    ...flags[family],
    tied: flags[family]?.tied ?? family === "qwen2",
    choose: () => types[next++ % types.length],
    encode: (name, type, { columns, rows, deviation }) => randomBlocks(name, type, columns * rows, deviation),
  });
}
