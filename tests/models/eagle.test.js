// EAGLE's layer on files of random weights: our distance from the float64 reference, and llama.cpp's.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { referenceEagle } from "../js/heads-reference.js";
import { openModel } from "../js/model-wasm.js";
import { randomGguf, randomNumbers, readGguf } from "../vectors/gguf-files.js";
import { eagleFile } from "../vectors/heads-file.js";
import * as llama from "./llama.js";

const skip = llama.isThere() ? false : "run make models first";
const CLOSE = 1e-5; // of the logits' size

const target = randomGguf();
const { metadata } = readGguf(target);
/** llama.cpp wants a tokenizer in the file of the layer. */
const types = { model: "text", tokens: "text", scores: "f32", token_type: "i32", bos_token_id: "u32" };
const tokenizer = Object.fromEntries(
  Object.entries(types).map(([key, type]) => [`tokenizer.ggml.${key}`, [type, metadata[`tokenizer.ggml.${key}`]]]),
);
const layers = [0, 1, 2];
const ids = [1, ...randomNumbers("text", 30, 640)];
const drafted = [17, 33, 200, 5];

function write(name, bytes) {
  mkdirSync(llama.pathOf("random/"), { recursive: true });
  const path = llama.pathOf(`random/${name}.gguf`);
  writeFileSync(path, bytes);
  return path;
}

/** The distance of rows from those of float64, in parts of their size. */
function distance(rows, expected) {
  let [sum, all] = [0, 0];
  expected.forEach((row, i) =>
    row.forEach((x, id) => {
      sum += (x - rows[i][id]) ** 2;
      all += x * x;
    }),
  );
  return Math.sqrt(sum / all);
}

const some = Array.from({ length: 50 }, (_, i) => 11 * i + 3);
// Matrices of the target are not compared: llama.cpp shares them between contexts, in a way that its interface hides.
for (const [name, how] of [
  ["as it is", {}],
  ["with a normed residual stream", { keys: { "eagle3.norm_before_residual": ["bool", true] } }],
  ["with divided frequencies", { divides: true }],
  ["that knows some of the tokens", { map: some }],
])
  test(`the layer is as near to float64 as llama.cpp's: ${name}`, { skip }, async () => {
    const make = (map) => eagleFile(target, { ...how, layers, map, keys: { ...tokenizer, ...how.keys } });
    const file = make(how.map);
    const width = how.map?.length ?? 640;
    // The rows of a map's output are the first of the whole one: weights depend on names and places.
    const expected = referenceEagle(make(), target, ids, drafted).map((row) => row.slice(0, width));
    const opened = await openModel(target, { slots: 64 });
    const eagle = opened.openEagle(file, [opened.layers + 1, 0, 1]);
    opened.forward(ids.slice(0, -1));
    const ours = [eagle.read(ids, width), ...drafted.map((token) => eagle.step(token, width))];
    const all = llama.eagle(write("eagle-target", target), write("eagle", file), layers, ids, drafted);
    const whole = ours.map((_, i) => all.subarray(640 * i, 640 * (i + 1)));
    // The numbers of d2t are ids, not distances from the row's own: llama.cpp spreads its rows over the whole vocabulary.
    const theirs = how.map ? whole.map((row) => how.map.map((id) => row[id])) : whole;
    if (how.map) for (const row of whole) assert.equal(row.filter((x) => x > -Infinity).length, width);
    const [own, other] = [distance(ours, expected), distance(theirs, expected)];
    console.log(`${name}: ours ${own.toExponential(2)}, llama.cpp's ${other.toExponential(2)}`);
    assert.ok(own < CLOSE && other < CLOSE, `${own}, ${other}`);
    opened.dispose();
  });
