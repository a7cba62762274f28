// Writes tests/vectors/llama-*.json: logits of llama.cpp that tests/js/model-reference.test.js compares ours with.
// llama.cpp is not needed to run the tests, only to make these files again (when the shipped model changes):
//
//   mkdir /tmp/llama && (cd /tmp/llama && npm init -y &&
//     npm i --ignore-scripts --omit=optional node-llama-cpp @node-llama-cpp/linux-x64)
//   node tests/vectors/make-llama-fixtures.js /tmp/llama [storyteller.gguf]
//
// Made with node-llama-cpp 3.22.1 on x86-64, with keys and values in F32. The numbers are raw logits.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { convertGguf, randomGguf, randomNumbers, typeNames } from "./gguf-files.js";

const POSITIONS = 200;
const SPREAD = 24; // token ids whose logits are kept at every position
const root = new URL("../../", import.meta.url);
const [folder, storyteller = new URL("demos/model/storyteller.gguf", root).pathname] = process.argv.slice(2);
if (!folder) throw new Error("usage: make-llama-fixtures.js <folder with node-llama-cpp> [storyteller.gguf]");
const resolved = createRequire(join(resolve(folder), "x.js")).resolve("node-llama-cpp");
const { getLlama } = await import(pathToFileURL(resolved).href);
const llama = await getLlama({ gpu: false, build: "never", progressLogs: false, logLevel: "error" });

// Logits (vocabulary) after each of `tokens`, which are evaluated one by one.
async function openReference(file) {
  const scratch = mkdtempSync(join(tmpdir(), "lastinch-"));
  writeFileSync(join(scratch, "model.gguf"), file);
  const model = await llama.loadModel({ modelPath: join(scratch, "model.gguf"), gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: 512,
    threads: 1,
    flashAttention: false,
    experimentalKvCacheKeyType: "F32",
    experimentalKvCacheValueType: "F32",
  });
  const sequence = context.getSequence();
  return {
    async next(token) {
      const options = { temperature: 0 };
      const [result] = await sequence.controlledEvaluate([[token, { generateNext: { logits: true, options } }]]);
      const logits = new Float32Array(result.next.logits.size);
      for (const [id, logit] of result.next.logits) logits[id] = logit;
      return logits;
    },
    clear: () => sequence.clearHistory(),
    async dispose() {
      await model.dispose();
      rmSync(scratch, { recursive: true });
    },
  };
}

const argmax = (logits) => logits.reduce((best, logit, id) => (logit > logits[best] ? id : best), 0);

function draw(logits, u) {
  const most = logits[argmax(logits)];
  const weights = logits.map((logit) => Math.exp(logit - most));
  let left = u * weights.reduce((sum, weight) => sum + weight, 0);
  for (let id = 0; id < weights.length; id++) if ((left -= weights[id]) < 0) return id;
  return weights.length - 1;
}

const base64 = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

async function fixture(name, file, { isTrained }) {
  const variants = Object.entries(typeNames).map(([type, number]) => [type, convertGguf(file, number)]);
  const result = { model: name, sha256: createHash("sha256").update(file).digest("hex"), variants: {} };
  const uniform = randomNumbers("uniform", POSITIONS, 2 ** 24);
  for (const [type, bytes] of variants) {
    const reference = await openReference(bytes);
    if (type === "F32") {
      // Greedy, with the smallest distance by which any choice was made.
      let token = 1;
      result.greedy = [];
      result.greedyMargin = Infinity;
      for (let i = 0; i < POSITIONS; i++) {
        const logits = await reference.next(token);
        token = argmax(logits);
        result.greedy.push(token);
        const second = logits.reduce((most, logit, id) => (id === token ? most : Math.max(most, logit)), -Infinity);
        result.greedyMargin = Math.min(result.greedyMargin, logits[token] - second);
      }
      await reference.clear();
    }
    // The forced tokens: text that the trained model might write, or any tokens.
    const isFirst = !result.forced;
    if (isFirst) result.forced = [1];
    if (isFirst && !isTrained) result.forced.push(...randomNumbers("forced", POSITIONS - 1, 640));
    const best = [];
    const kept = [];
    for (let i = 0; i < POSITIONS; i++) {
      const logits = await reference.next(result.forced[i]);
      result.ids ??= Array.from({ length: SPREAD }, (_, j) => Math.floor(((j + 0.5) * logits.length) / SPREAD));
      best.push(argmax(logits));
      kept.push(...result.ids.map((id) => logits[id]), logits[best[i]]);
      if (isFirst && isTrained && i + 1 < POSITIONS) result.forced.push(draw(logits, uniform[i] / 2 ** 24));
    }
    result.variants[type] = { argmax: best, logits: base64(kept) };
    await reference.dispose();
    console.log(name, type, "done");
  }
  const path = new URL(`llama-${name}.json`, import.meta.url);
  const about = "llama.cpp logits, made by make-llama-fixtures.js: (position, ids and then argmax) float32, base64";
  writeFileSync(path, JSON.stringify({ about, ...result }) + "\n");
}

await fixture("random", randomGguf(), { isTrained: false });
await fixture("storyteller", new Uint8Array(readFileSync(storyteller)), { isTrained: true });
process.exit(0);
