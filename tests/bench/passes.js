// What a pass costs by its number of rows, which bounds what drafts can gain: `node tests/bench/passes.js [--shapes
// Qwen3-0.6B:Q8_0,Qwen3-0.6B:Q4_K_M,storyteller] [--threads 1,2] [--runs 9]`, with all rows of logits. The numbers take turns
// in every round. Of one thread the time that is computed counts, so that other work on the machine matters less; of two the
// time of the clock. Medians, in passes of one row. `node --experimental-wasm-relaxed-simd` takes that build.
import { parseArgs } from "node:util";
import { loadModel } from "lastinch";
import { pathInBench } from "./model-peers.js";
import { realFile } from "./real-shapes.js";

const { values } = parseArgs({
  options: {
    shapes: { type: "string", default: "Qwen3-0.6B:Q8_0,Qwen3-0.6B:Q4_K_M,storyteller" },
    threads: { type: "string", default: "1,2" },
    runs: { type: "string", default: "9" },
  },
});
const counts = [1, 2, 3, 4, 8, 16];
const PREFIX = 64;

/** @param {number} threads */
const now = (threads) => (threads === 1 ? process.cpuUsage().user / 1e3 : performance.now());
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** @type {Record<string, any>} */
const table = {};
for (const wanted of values.shapes.split(","))
  for (const threads of values.threads.split(",").map(Number)) {
    const [shape, mix] = wanted.split(":");
    const path = mix ? pathInBench(realFile(shape, /** @type {any} */ (mix))) : `demos/model/${shape}.gguf`;
    const model = await loadModel(path, { threads, cache: false, contextLength: 128, worker: threads > 1 });
    const repeats = model.config.size < 1e8 ? 20 : 1;
    const text = Array.from({ length: PREFIX }, (_, i) => 3 + 7 * i);
    await model.forward(text);
    const times = new Map(counts.map((count) => [count, /** @type {number[]} */ ([])]));
    for (let run = 0; run < Number(values.runs); run++)
      for (const count of counts) {
        const began = now(threads);
        for (let i = 0; i < repeats; i++) await model.forward(text.slice(0, count), { keep: PREFIX, rows: "all" });
        times.get(count)?.push((now(threads) - began) / repeats);
      }
    const [one] = counts.map((count) => median(times.get(count)));
    const row = (table[`${wanted}, threads ${threads}`] = /** @type {Record<string, any>} */ ({
      "1 row, ms": one.toFixed(2),
    }));
    for (const count of counts.slice(1)) row[`${count} rows`] = Number((median(times.get(count)) / one).toFixed(2));
    model.dispose();
  }
console.table(table);
