// What a step costs at later positions of a text, on a shape of a real checkpoint with random weights, one thread:
// `node tests/bench/long-text.js [--shape Qwen3-0.6B] [--mix Q8_0] [--positions 64,2048,4032]`, with keys and values as halves
// and as bytes, and llama.cpp beside. Times are the least of several steps. In a Node with relaxed SIMD that variant runs.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openModel, wasmPath } from "../js/model-wasm.js";
import { installPeers, openNative, pathInBench } from "./model-peers.js";
import { realFile } from "./real-shapes.js";

const { values } = parseArgs({
  options: {
    shape: { type: "string", default: "Qwen3-0.6B" },
    mix: { type: "string", default: "Q8_0" },
    positions: { type: "string", default: "64,2048,4032" },
  },
});
const positions = values.positions.split(",").map(Number);
const STEPS = 12;
const ROWS = 64; // of a pass that reads the text

const relaxed = readFileSync(new URL("model-relaxed.wasm", wasmPath));
const wasm = WebAssembly.validate(relaxed) ? relaxed : readFileSync(wasmPath);
const text = Array.from({ length: Math.max(...positions) }, (_, i) => 3 + ((7 * i) % 300));

installPeers();
const path = pathInBench(realFile(values.shape, /** @type {any} */ (values.mix)));
/** @type {Record<string, Record<string, string>>} */
const table = {};

/** @param {string} name @param {number[]} times */
function note(name, times) {
  table[name] = Object.fromEntries(
    positions.map((position, i) => [position, `${times[i].toFixed(1)} ms (${(times[i] / times[0]).toFixed(2)})`]),
  );
}

for (const cache of ["f16", "q8_0"]) {
  const model = await openModel(readFileSync(path), { slots: text.length + 1, cache, sequences: 1, wasm });
  let length = 0;
  note(
    cache,
    positions.map((position) => {
      for (; length < position; length += ROWS) model.forward(text.slice(length, Math.min(length + ROWS, position)));
      let least = Infinity;
      for (let i = 0; i < STEPS; i++) {
        model.keep(position);
        const start = performance.now();
        model.forward([5]);
        least = Math.min(least, performance.now() - start);
      }
      model.keep((length = position));
      return least;
    }),
  );
}

const native = await openNative(path, text.length + STEPS + 1);
if (native) {
  const times = [];
  for (const position of positions) times.push(await native.stepAt(text.slice(0, position), STEPS));
  note("llama.cpp, halves", times);
  await native.dispose();
}
console.log(`${values.shape} ${values.mix}: a step at so many positions, and in steps at ${positions[0]}`);
console.table(table);
