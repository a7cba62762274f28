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

for (const [name, isNormed] of [
  ["as it is", false],
  ["with a normed residual stream", true],
])
  test(`the layer is as near to float64 as llama.cpp's: ${name}`, { skip }, async () => {
    const keys = { ...tokenizer, "eagle3.norm_before_residual": ["bool", isNormed] };
    const file = eagleFile(target, { layers, keys });
    const expected = referenceEagle(file, target, ids, drafted);
    const opened = await openModel(target, { slots: 64 });
    const eagle = opened.openEagle(file, [opened.layers + 1, 0, 1]);
    opened.forward(ids.slice(0, -1));
    const ours = [eagle.read(ids, 640), ...drafted.map((token) => eagle.step(token, 640))];
    const all = llama.eagle(write("eagle-target", target), write("eagle", file), layers, ids, drafted);
    const theirs = ours.map((_, i) => all.subarray(640 * i, 640 * (i + 1)));
    const [own, other] = [distance(ours, expected), distance(theirs, expected)];
    console.log(`${name}: ours ${own.toExponential(2)}, llama.cpp's ${other.toExponential(2)}`);
    assert.ok(own < CLOSE && other < CLOSE, `${own}, ${other}`);
    opened.dispose();
  });
