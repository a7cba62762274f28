// Attention alone by the type of the cache and the length of the text: G multiply-adds a second, and the ms that a step
// of 28 such layers (Qwen3-0.6B) would spend: `node tests/bench/attention.js [--positions 64,2048,4096] [--rows 1,16]`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    positions: { type: "string", default: "64,2048,4096" },
    rows: { type: "string", default: "1,16" },
    ms: { type: "string", default: "400" },
  },
});
const positions = values.positions.split(",").map(Number);
const types = { f32: 1, f16: 2, q8_0: 3 };
const LAYERS = 4;
const QUERY_NUMBERS = 16 * 128; // of a row: each is multiplied with a key and a value

const path = "build/bench/attention.wasm";
execFileSync("make", ["-s", path], { stdio: "inherit" });
const module = await WebAssembly.compile(readFileSync(path));

for (const [name, type] of Object.entries(types)) {
  const { exports } = await WebAssembly.instantiate(module, {});
  const loops = /** @type {any} */ (exports);
  loops._initialize?.();
  if (!loops.make_cache(type, Math.max(...positions))) throw new Error("no memory");
  for (const count of values.rows.split(",").map(Number)) {
    /** @type {Record<string, string>} */
    const row = {};
    for (const end of positions) {
      let least = Infinity;
      const limit = performance.now() + Number(values.ms);
      for (let turn = 0; turn < 5 || performance.now() < limit; turn++) {
        const start = performance.now();
        for (let layer = 0; layer < LAYERS; layer++) loops.attend_rows(layer, end, count);
        least = Math.min(least, performance.now() - start);
      }
      const products = 2 * LAYERS * QUERY_NUMBERS * count * (end - (count - 1) / 2);
      row[end] = `${(products / least / 1e6).toFixed(1)} G/s, ${((28 / LAYERS) * least).toFixed(1)} ms`;
    }
    console.log(name.padEnd(5), `${count} rows`.padEnd(8), JSON.stringify(row));
  }
}
