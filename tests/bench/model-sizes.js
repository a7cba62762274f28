// Shapes of real checkpoints with random weights: memory, loading and speed in Chromium, beside wllama in the same
// browser and llama.cpp: `node tests/bench/model-sizes.js [--only SmolLM2-135M] [--rounds N]`. One thread each.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { openHeader } from "../js/model-wasm.js";
import { randomBlocks } from "../models/random-blocks.js";
import { randomModel } from "../models/random-model.js";
import { installPeers, openNative, pathInBench } from "./model-peers.js";

const { values } = parseArgs({ options: { only: { type: "string" }, rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);
const POSITIONS = 4096;

const models = {
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
  "gemma-3-270m": {
    family: "gemma3",
    shape: {
      ...{ vocab: 262144, dim: 640, hidden: 2048, layers: 18, heads: 4, kvHeads: 1, base: 1e6, tied: true },
      ...{ keyWidth: 256, window: 512, scaling: {} },
    },
  },
  "granite-4.0-350m": {
    family: "granite",
    shape: { vocab: 100352, dim: 1024, hidden: 2048, layers: 28, heads: 16, kvHeads: 4, base: 1e7, tied: true },
  },
  "Llama-3.2-1B": {
    family: "llama",
    shape: { vocab: 128256, dim: 2048, hidden: 8192, layers: 16, heads: 32, kvHeads: 8, base: 5e5, tied: true },
  },
};

// What llama.cpp's quantiser puts into a mix: the output (here the embedding, too) in Q6_K, in Q4_K_M also the values
// and ffn_down of half of the layers.
function typeIn(mix, name, layers) {
  if (mix === "Q8_0") return "Q8_0";
  if (name === "token_embd.weight") return "Q6_K";
  if (mix === "Q4_0") return "Q4_0";
  const layer = Number(/^blk\.(\d+)/.exec(name)?.[1]);
  const eighth = Math.floor(layers / 8);
  const isFine = layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
  return isFine && /attn_v|ffn_down/.test(name) ? "Q6_K" : "Q4_K";
}

function makeFile(name, mix) {
  const path = pathInBench(`${name}-${mix}.gguf`);
  if (existsSync(path)) return path;
  const { family, shape } = models[name];
  const encode = (tensor, type, { columns, rows, deviation }) => randomBlocks(tensor, type, columns * rows, deviation);
  const choose = (tensor) => typeIn(mix, tensor, shape.layers);
  writeFileSync(path, randomModel(family, shape, { context: POSITIONS, ropeFactors: name[0] === "L", choose, encode }));
  return path;
}

const megabytes = (bytes) => Number((bytes / 1e6).toFixed(1));

/** Bytes of weights and of keys and values, as the library plans them from the header. */
async function memory(path) {
  const header = await openHeader(readFileSync(path));
  const plans = ["f32", "f16", "q8_0"].map((cache) => [cache, header.plan(POSITIONS, cache)]);
  const keep = Object.fromEntries(
    plans.map(([cache, plan]) => [`MB of 4,096 positions, ${cache}`, megabytes(plan.cache)]),
  );
  return { "MB of weights": megabytes(plans[0][1].weights), ...keep };
}

async function speed(name, mix, path) {
  const site = await startSite();
  const driver = await launch("chromium");
  const native = await openNative(path);
  const times = {};
  const call = (fn) =>
    driver.evaluate(
      async (fn, file) => (await import("/tests/bench/sizes-page.js"))[fn](file),
      fn,
      /** @type {any} */ (`/build/bench/${name}-${mix}.gguf`),
    );
  const note = (found) => {
    for (const [key, time] of Object.entries(found)) times[key] = Math.min(times[key] ?? Infinity, time);
  };
  try {
    site.isIsolated = false;
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    note(await call("openBoth"));
    for (let i = 0; i < rounds; i++) {
      note(await call("measureOurs"));
      note(await call("measurePeer"));
      if (native) note({ native: Math.min(...(await native.decode(32))) });
    }
  } finally {
    await driver.close();
    await site.close();
    await native?.dispose();
  }
  const digits = (value) => (Number.isFinite(value) ? Number(value.toPrecision(3)) : "not there");
  return {
    "load, MB/s": digits(statSync(path).size / 1e3 / times.load),
    "tokens/s": digits(1e3 / times.decode),
    "prompt, tokens/s": digits(1e3 / times.prompt),
    "times wllama": digits(times.peer / times.decode),
    "of llama.cpp": digits(times.native / times.decode),
  };
}

installPeers();
const table = {};
for (const name of Object.keys(models).filter((name) => !values.only || name === values.only))
  for (const mix of ["Q8_0", "Q4_0", "Q4_K_M"]) {
    const path = makeFile(name, mix);
    const size = { "MB of the file": megabytes(statSync(path).size), ...(await memory(path)) };
    table[`${name} ${mix}`] = { ...size, ...(await speed(name, mix, path)) };
    console.log(name, mix, table[`${name} ${mix}`]);
  }
console.table(table);
process.exit(0);
