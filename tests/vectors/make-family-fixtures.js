// Writes tests/vectors/llama-families.json, with which tests/js/model-families.slow.test.js compares: `make models`, then
// `node tests/vectors/make-family-fixtures.js`. Of the F32 file of each family it has some of llama.cpp's logits of every
// position and, unless its GELU is a table, its greedy tokens, of the mixed file llama.cpp's distance from float64 with each type of cache.
import { writeFileSync } from "node:fs";
import { argmax, distance } from "../models/distance.js";
import { layouts } from "../models/layouts.js";
import { logits, pathOf } from "../models/llama.js";
import { referenceLogits } from "../models/reference.js";
import { caches, families, fewer, floatFile, forced, mixedFile, positions } from "./family-files.js";

const KEPT = 4; // logits of a position
const BEGIN = 3;
const path = pathOf("family.gguf");

function rowsOf(file, ids, options) {
  writeFileSync(path, file);
  const all = logits(path, ids, options);
  const count = ids.length + (options?.greedy ?? 0);
  return Array.from({ length: count }, (_, i) => all.subarray((i * all.length) / count, ((i + 1) * all.length) / count));
}

const result = {};
for (const family of families) {
  const rows = rowsOf(floatFile(family), forced);
  const ids = Array.from({ length: KEPT }, (_, i) => Math.floor(((i + 0.5) * rows[0].length) / KEPT));
  const kept = Float32Array.from(rows.flatMap((row) => ids.map((id) => row[id])));
  const greedy = layouts[family].gelu ? [] : rowsOf(floatFile(family), [BEGIN], { greedy: positions - 1 }).map(argmax);
  const mixed = mixedFile(family);
  const reference = referenceLogits(mixed, fewer, positions);
  const distances = caches.map((cache) => [cache, distance(rowsOf(mixed, fewer, { cache }), reference)]);
  result[family] = {
    ids,
    logits: Buffer.from(kept.buffer).toString("base64"),
    begin: BEGIN,
    greedy,
    distances: Object.fromEntries(distances),
  };
}
const about = "llama.cpp, made by make-family-fixtures.js: logits are (position, id) float32, base64";
writeFileSync(new URL("llama-families.json", import.meta.url), JSON.stringify({ about, ...result }) + "\n");
