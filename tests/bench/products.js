// Products of one matrix with 1 to 16 rows of inputs, by type: G multiply-adds a second of plain and relaxed SIMD in the
// same run, from the second cache and from memory, and how near one row comes to reading alone:
// `node tests/bench/products.js [--types Q4_K,Q8_0] [--columns 1024] [--rows 1,4] [--ms 400]`, in a Node with relaxed
// SIMD. `node --no-enable-avx-vnni …` shows processors without an instruction for products of bytes.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    types: { type: "string", default: "Q8_0,Q4_0,Q4_K,Q5_0,Q5_K,Q6_K,IQ4_NL,IQ4_XS,MXFP4,Q3_K,Q2_K" },
    columns: { type: "string", default: "1024" },
    rows: { type: "string", default: "1,2,4,8,16" },
    ms: { type: "string", default: "400" },
  },
});
const columns = Number(values.columns);
const counts = values.rows.split(",").map(Number);
const numbers = { Q4_0: 2, Q4_1: 3, Q5_0: 6, Q5_1: 7, Q8_0: 8, Q2_K: 10, Q3_K: 11, Q4_K: 12, Q5_K: 13, Q6_K: 14 };
Object.assign(numbers, { F32: 0, F16: 1, IQ4_NL: 20, IQ4_XS: 23, BF16: 30, MXFP4: 39 });
const places = { cache: 384, memory: Math.ceil(1e8 / columns) }; // matrix rows

async function open(path) {
  const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
  const loops = /** @type {any} */ (instance.exports);
  loops._initialize?.();
  return loops;
}

// The least time of each function, called in turn.
function least(functions) {
  const times = functions.map(() => Infinity);
  const end = performance.now() + Number(values.ms) * functions.length;
  for (let turn = 0; turn < 5 || performance.now() < end; turn++)
    functions.forEach((fn, i) => {
      const start = performance.now();
      fn();
      times[i] = Math.min(times[i], performance.now() - start);
    });
  return times;
}

const paths = { plain: "build/bench/products.wasm", relaxed: "build/bench/products-relaxed.wasm" };
execFileSync("make", ["-s", ...Object.values(paths)], { stdio: "inherit" });
const loops = {};
for (const [name, path] of Object.entries(paths)) {
  if (name === "relaxed" && !WebAssembly.validate(readFileSync(path))) console.error("bench: no relaxed SIMD here");
  else loops[name] = await open(path);
}

for (const type of values.types.split(","))
  for (const [place, rows] of Object.entries(places)) {
    const row = {};
    for (const one of Object.values(loops))
      if (!one.make_product(numbers[type], rows, columns, Math.max(...counts))) throw new Error("no memory");
    for (const count of counts) {
      const turns = Math.ceil(1e6 / (rows * columns * count));
      const work = Object.values(loops).map((one) => () => {
        for (let i = 0; i < turns; i++) one.multiply_rows(count);
      });
      const reading = place === "memory" && count === 1 ? [() => Object.values(loops)[0].read_matrix()] : [];
      const times = least([...work, ...reading]);
      Object.keys(loops).forEach((name, i) => {
        row[`${name} ${count}`] = Number(((rows * columns * count * turns) / times[i] / 1e6).toFixed(1));
      });
      if (reading.length) row["of reading"] = Number((times.at(-1) / times.at(-2)).toFixed(2));
    }
    const digests = Object.values(loops).map((one) => (one.multiply_rows(counts.at(-1)), one.digest(counts.at(-1))));
    if (new Set(digests).size > 1) throw new Error(`${type}: variants differ`);
    console.log(type.padEnd(7), place.padEnd(7), JSON.stringify(row));
  }
