// The programs that the bench compares with, and the files that all of them run: everything lies in build/bench.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { convertGguf, randomGguf, typeNames } from "../vectors/gguf-files.js";

const folder = new URL("../../build/bench/", import.meta.url);
/** The path of a file that the benches make. */
export const pathInBench = (name) => fileURLToPath(new URL(name, folder));
const native = `@node-llama-cpp/${process.platform.replace("darwin", "mac")}-${process.arch}`;
const packages = { "@wllama/wllama": "3.8.1", "node-llama-cpp": "3.22.1", [native]: "3.22.1" };

export const shapes = {
  "15M": { vocab: 32000, dim: 288, hidden: 768, layers: 6, heads: 6, kvHeads: 6, context: 512, tied: true },
  "110M": { vocab: 32000, dim: 768, hidden: 2048, layers: 12, heads: 12, kvHeads: 12, context: 512, tied: true },
};

/** Installs what is missing; a peer that cannot be had is left out of the tables. */
export function installPeers() {
  const missing = Object.entries(packages).filter(([name]) => !existsSync(new URL(`node_modules/${name}`, folder)));
  if (!missing.length) return;
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-save", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  try {
    execFileSync("npm", ["install", ...flags, "--prefix", fileURLToPath(folder), ...wanted], { stdio: "inherit" });
  } catch {
    console.error("bench: the peers could not be installed");
  }
}

/** The path of a file of random weights below the root of the site; made at the first time. */
export function modelFile(shape, type) {
  const path = new URL(`${shape}-${type}.gguf`, folder);
  if (existsSync(path)) return fileURLToPath(path);
  mkdirSync(folder, { recursive: true });
  const whole = randomGguf(shapes[shape]);
  for (const [name, number] of Object.entries(typeNames)) {
    const isMeasured = shape === "15M" || name.startsWith("Q");
    if (isMeasured) writeFileSync(new URL(`${shape}-${name}.gguf`, folder), convertGguf(whole, number));
  }
  return fileURLToPath(path);
}

/** limits.c as a module of its own, with the compiler of the Makefile. */
export function buildLimits() {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const sources = ["tests/bench/limits.c", ...["memory", "parallel", "simd"].map((name) => `src/base/${name}.c`)];
  sources.push(
    ...[
      "matrix",
      "multiply",
      "multiply_blocks",
      "multiply_small",
      "multiply_super",
      "input_rows",
      "weight_type",
      "blocks/tile",
      "blocks/small_blocks",
      "blocks/super_blocks",
    ].map((name) => `src/model/${name}.c`),
  );
  const exports = ["read_only", "multiply_words_only", "multiply_floats_only", "make_matrices", "multiply_all"];
  exports.push("li_memory_alloc");
  const flags = [
    "-O3",
    "-std=c11",
    "-Isrc",
    "-ffp-contract=off",
    "-msimd128",
    "-mbulk-memory",
    "--no-entry",
    "-sSTANDALONE_WASM",
  ];
  flags.push("-sMALLOC=none", "-sALLOW_MEMORY_GROWTH=1", "-sMAXIMUM_MEMORY=4GB", "-sTOTAL_STACK=65536");
  flags.push(...exports.map((name) => `-Wl,--export=${name}`));
  execFileSync(process.env.EMCC ?? "emcc", [...flags, ...sources, "-o", "build/bench/limits.wasm"], { cwd: root });
}

/**
 * llama.cpp on one thread, or null: decode(count) gives milliseconds a token, eight at a time, prompt() milliseconds a token
 * of a prompt of 256, stepAt(text, count) the least milliseconds of some tokens after the text.
 */
export async function openNative(path, contextSize = 512) {
  let llama;
  try {
    const resolved = createRequire(new URL("x.js", folder)).resolve("node-llama-cpp");
    const { getLlama } = await import(pathToFileURL(resolved).href);
    llama = await getLlama({ gpu: false, build: "never", progressLogs: false, logLevel: "error" });
  } catch {
    return null;
  }
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const context = await model.createContext({ contextSize, threads: 1 });
  const sequence = context.getSequence();
  return {
    async decode(count) {
      await sequence.clearHistory();
      const times = [];
      for await (const _ of sequence.evaluate([1], { temperature: 0, yieldEogToken: true })) {
        times.push(performance.now());
        if (times.length > count) break;
      }
      return times.flatMap((at, i) => (i % 8 || !i ? [] : [(at - times[i - 8]) / 8]));
    },
    async prompt() {
      await sequence.clearHistory();
      const began = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(Array.from({ length: 256 }, (_, i) => 3 + ((7 * i) % 300)));
      return (performance.now() - began) / 256;
    },
    async stepAt(text, count) {
      await sequence.clearHistory();
      await sequence.evaluateWithoutGeneratingNewTokens(text.slice(0, -1));
      const times = [];
      for await (const _ of sequence.evaluate(text.slice(-1), { temperature: 0, yieldEogToken: true })) {
        times.push(performance.now());
        if (times.length > count) break;
      }
      return Math.min(...times.slice(1).map((at, i) => at - times[i]));
    },
    dispose: () => model.dispose(),
  };
}
