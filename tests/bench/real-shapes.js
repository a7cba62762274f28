// Files of random weights in the shapes of real checkpoints. A model of over a billion weights has fewer layers than its
// checkpoint here, so that one layer and the output weigh as much as there.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { randomBlocks } from "../models/random-blocks.js";
import { randomModel } from "../models/random-model.js";
import { pathInBench } from "./model-peers.js";

/** Positions of a context. */
export const POSITIONS = 4096;

/** By name: the family of tests/models/layouts.js, and the shape. */
export const realShapes = {
  "SmolLM2-135M": {
    family: "llama",
    shape: { vocab: 49152, dim: 576, hidden: 1536, layers: 30, heads: 9, kvHeads: 3, base: 1e5, tied: true },
  },
  "Qwen2.5-0.5B": {
    family: "qwen2",
    shape: { vocab: 151936, dim: 896, hidden: 4864, layers: 24, heads: 14, kvHeads: 2, base: 1e6, tied: true },
  },
  "Qwen3-0.6B": {
    family: "qwen3",
    shape: {
      ...{ vocab: 151936, dim: 1024, hidden: 3072, layers: 28, heads: 16, kvHeads: 8, base: 1e6, tied: true },
      keyWidth: 128,
    },
  },
  "Qwen3.5-0.8B": {
    family: "qwen35",
    shape: {
      ...{ vocab: 248320, dim: 1024, hidden: 3584, layers: 24, heads: 8, kvHeads: 2, keyWidth: 256, base: 1e7 },
      ...{ ropeWidth: 64, delta: { heads: 16, keyHeads: 16, width: 128, taps: 4 }, tied: true },
    },
  },
  "LFM2-350M": {
    family: "lfm2",
    shape: {
      ...{ vocab: 65536, dim: 1024, hidden: 4608, layers: 16, heads: 16, base: 1e6, tied: true },
      kvHeads: Array.from({ length: 16 }, (_, layer) => ([2, 5, 8, 10, 12, 14].includes(layer) ? 8 : 0)),
    },
  },
  "gemma-3-270m": {
    family: "gemma3",
    shape: {
      ...{ vocab: 262144, dim: 640, hidden: 2048, layers: 18, heads: 4, kvHeads: 1, base: 1e6, tied: true },
      ...{ keyWidth: 256, window: 512, scaling: {} },
    },
  },
  "gemma-2-2b, 4 of 26 layers": {
    family: "gemma2",
    shape: {
      ...{ vocab: 256000, dim: 2304, hidden: 9216, layers: 4, heads: 8, kvHeads: 4, base: 1e4, tied: true },
      ...{ keyWidth: 256, window: 4096, caps: [50, 30] },
    },
  },
  "granite-4.0-350m": {
    family: "granite",
    shape: { vocab: 100352, dim: 1024, hidden: 2048, layers: 28, heads: 16, kvHeads: 4, base: 1e7, tied: true },
  },
  "SmolLM3-3B, 8 of 36 layers": {
    family: "smollm3",
    shape: { vocab: 128256, dim: 2048, hidden: 11008, layers: 8, heads: 16, kvHeads: 4, base: 5e6, tied: true },
  },
  "OLMo-2-1B, 8 of 16 layers": {
    family: "olmo2",
    shape: { vocab: 100352, dim: 2048, hidden: 8192, layers: 8, heads: 16, kvHeads: 16, base: 5e5 },
  },
  "Phi-3.5-mini, 6 of 32 layers": {
    family: "phi3",
    shape: { vocab: 32064, dim: 3072, hidden: 8192, layers: 6, heads: 32, kvHeads: 32, base: 1e4, original: 4096 },
  },
  "ERNIE-4.5-0.3B": {
    family: "ernie4_5",
    shape: {
      ...{ vocab: 103424, dim: 1024, hidden: 3072, layers: 18, heads: 16, kvHeads: 2, base: 5e5, tied: true },
      keyWidth: 128,
    },
  },
  "Hunyuan-0.5B": {
    family: "hunyuan-dense",
    shape: {
      ...{ vocab: 120818, dim: 1024, hidden: 3584, layers: 24, heads: 16, kvHeads: 8, base: 11158840, tied: true },
      keyWidth: 128,
    },
  },
  "EXAONE-4.0-1.2B, 20 of 30 layers": {
    family: "exaone4",
    shape: { vocab: 102400, dim: 2048, hidden: 4096, layers: 20, heads: 32, kvHeads: 8, base: 1e6, tied: true },
  },
  "MiniCPM-1B, 26 of 52 layers": {
    family: "minicpm",
    shape: { vocab: 73440, dim: 1536, hidden: 3840, layers: 26, heads: 24, kvHeads: 8, base: 1e4, tied: true },
  },
  "stablelm-2-1.6b, 10 of 24 layers": {
    family: "stablelm",
    shape: {
      ...{ vocab: 100352, dim: 2048, hidden: 5632, layers: 10, heads: 32, kvHeads: 32, base: 1e4 },
      ...{ ropeWidth: 16, qkvBias: true },
    },
  },
  "gpt2-medium": {
    family: "gpt2",
    shape: { vocab: 50257, dim: 1024, hidden: 4096, layers: 24, heads: 16, kvHeads: 16, tied: true },
  },
  "pythia-410m": {
    family: "gptneox",
    shape: { vocab: 50304, dim: 1024, hidden: 4096, layers: 24, heads: 16, kvHeads: 16, base: 1e4, ropeWidth: 16 },
  },
  "Llama-3.2-1B": {
    family: "llama",
    shape: {
      ...{ vocab: 128256, dim: 2048, hidden: 8192, layers: 16, heads: 32, kvHeads: 8, base: 5e5, tied: true },
      ropeFactors: true,
    },
  },
};

// What llama.cpp's quantiser puts into a mix: the output (or the embedding that serves as output) in Q6_K, in Q4_K_M
// also the values and ffn_down of half of the layers.
function typeIn(mix, name, { layers, tied }) {
  if (name === "position_embd.weight") return "F32";
  if (mix === "Q8_0") return "Q8_0";
  if (name === (tied ? "token_embd.weight" : "output.weight")) return "Q6_K";
  if (mix === "Q4_0") return "Q4_0";
  const layer = Number(/^blk\.(\d+)/.exec(name)?.[1]);
  const eighth = Math.floor(layers / 8);
  const isFine = layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
  return isFine && /attn_v|ffn_down/.test(name) ? "Q6_K" : "Q4_K";
}

/**
 * The name below build/bench of the file of a shape; written at the first time.
 * @param {string} name
 * @param {"Q8_0" | "Q4_0" | "Q4_K_M"} mix
 */
export function realFile(name, mix) {
  const file = `${name.split(",")[0]}-${mix}.gguf`;
  const path = pathInBench(file);
  if (existsSync(path)) return file;
  const { family, shape } = realShapes[name];
  const encode = (tensor, type, { columns, rows, deviation }) => randomBlocks(tensor, type, columns * rows, deviation);
  const choose = (tensor) => typeIn(mix, tensor, shape);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, randomModel(family, { ...shape, context: POSITIONS }, { choose, encode }));
  return file;
}
