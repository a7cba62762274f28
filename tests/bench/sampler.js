// Microseconds a step of the sampler at two vocabulary sizes, beside the usual JavaScript (softmax, sort,
// walk) in the same run; and the bytes that a page loads. `node tests/bench/sampler.js`
import { readFileSync, readdirSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { createSampler } from "lastinch";

let state = 12345;
const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** A row like a model's: N(-2, 2.2) with 300 spikes N(6, 3) to 128 k tokens. */
function realisticRow(size) {
  const row = Float32Array.from({ length: size }, () => -2 + 2.2 * normal());
  for (let i = 0; i < (300 * size) / 128256; i++) row[Math.floor(uniform() * size)] = 6 + 3 * normal();
  return row;
}

/** Minimum and median microseconds of a call. */
function time(call, repeats, perRepeat) {
  for (let i = 0; i < 3 * perRepeat; i++) call();
  const samples = [];
  for (let i = 0; i < repeats; i++) {
    const start = performance.now();
    for (let k = 0; k < perRepeat; k++) call();
    samples.push(((performance.now() - start) * 1000) / perRepeat);
  }
  samples.sort((a, b) => a - b);
  return { minimum: samples[0], median: samples[repeats >> 1] };
}

/** Top-p as most pages do it. */
function usualTopP(logits, temperature, p) {
  const peak = logits.reduce((a, b) => Math.max(a, b));
  const weights = Array.from(logits, (z) => Math.exp((z - peak) / temperature));
  const total = weights.reduce((a, b) => a + b);
  const sorted = weights
    .map((weight, id) => ({ id, probability: weight / total }))
    .sort((a, b) => b.probability - a.probability);
  let sum = 0;
  let kept = 0;
  while (kept < sorted.length && sum < p) sum += sorted[kept++].probability;
  let rest = Math.random() * sum;
  for (let i = 0; i < kept; i++) if ((rest -= sorted[i].probability) < 0) return sorted[i].id;
  return sorted[kept - 1].id;
}

const chains = {
  greedy: { temperature: 0 },
  "temperature .8": { temperature: 0.8 },
  "top-k 40, min-p .05, temperature .8": { temperature: 0.8, topK: 40, minP: 0.05 },
  "top-p .95, temperature .8": { temperature: 0.8, topP: 0.95 },
  "penalties over 2,000 tokens, top-k 40, top-p .95, min-p .05": {
    temperature: 0.8,
    topK: 40,
    topP: 0.95,
    minP: 0.05,
    repetitionPenalty: 1.1,
    frequencyPenalty: 0.1,
    countScope: "context",
  },
};

console.log(`Node ${process.version}; µs a step, minimum and median of 40; sample() on logits in wasm memory`);
for (const vocabSize of [2048, 128256]) {
  const row = realisticRow(vocabSize);
  const perRepeat = vocabSize > 10000 ? 5 : 200;
  const usual = time(() => usualTopP(row, 0.8, 0.95), vocabSize > 10000 ? 7 : 40, 1);
  const show = (name, { minimum, median }, ratio = "") =>
    console.log(
      `${String(vocabSize).padStart(7)}  ${name.padEnd(60)} ${minimum.toFixed(1).padStart(9)} ${median.toFixed(1).padStart(9)}  ${ratio}`,
    );
  for (const [name, options] of Object.entries(chains)) {
    const sampler = await createSampler({ vocabSize, seed: 1, ...options });
    sampler.accept(
      Array.from({ length: 2000 }, () => Math.floor(uniform() * Math.min(vocabSize, 900))),
      { prompt: true },
    );
    sampler.logits.set(row);
    const measured = time(() => sampler.sample(), 40, perRepeat);
    show(
      name,
      measured,
      name.startsWith("top-p")
        ? `${(usual.median / measured.median).toFixed(0)} times faster than the usual JavaScript`
        : "",
    );
    sampler.dispose();
  }
  show("the usual JavaScript: top-p .95, temperature .8", usual);
}

console.log("\nbytes                              raw    brotli");
const dist = new URL("../../dist/", import.meta.url);
for (const name of readdirSync(dist).filter((file) => /\.(js|wasm)$/.test(file))) {
  const bytes = readFileSync(new URL(name, dist));
  console.log(
    `${name.padEnd(30)} ${String(bytes.length).padStart(8)} ${String(brotliCompressSync(bytes).length).padStart(8)}`,
  );
}
