// The forward pass on files of random weights: every family and cache, at two shapes, over 200 forced positions; every
// tensor type in some representative families. Prints for each family and type our distance and llama.cpp's distance
// from the float64 reference.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { openModel } from "../js/model-wasm.js";
import { randomNumbers, randomValues } from "../vectors/gguf-files.js";
import { tensorTypes } from "./blocks.js";
import * as llama from "./llama.js";
import { layouts } from "./layouts.js";
import { VOCABULARY, randomModel } from "./random-model.js";
import { referenceLogits } from "./reference.js";
import { argmax, distance, largestDifference, wrongChoices } from "./distance.js";

const skip = llama.isThere() ? false : "run make models first";
const POSITIONS = 200;
const CLOSE = 1e-4; // of the logits' standard deviation
const CLOSE_TO_TABLE = 5e-3; // where llama.cpp's GELU is a table of halves
const withAllTypes = ["llama", "qwen2", "qwen3"];
const someTypes = ["F32", "Q8_0", "Q4_K"];
const ALLOWED = 1.1; // times llama.cpp's distance
// A choice counts if its margin is at least this number of distances: the difference of two logits deviates by 1.4.
const CERTAIN = 6;
const ids = randomNumbers("forced", POSITIONS, VOCABULARY);
const caches = ["f32", "f16", "q8_0"];

// The cases that llama.cpp computes, too. Its q8_0 cache requires a head width that is a multiple of 32.
const flags = {
  "biases of q, k, v and the output": ["llama", { qkvBias: true, outputBias: true }],
  rope_freqs: ["llama", { ropeFactors: true }],
  "linear scaling": ["qwen2", { scaling: { type: ["text", "linear"], factor: ["f32", 4] } }],
  "windows in EXAONE 4, which has them with 64 layers": [
    "exaone4",
    { dim: 64, hidden: 96, layers: 64, heads: 2, kvHeads: 1, window: 60 },
  ],
  YaRN: ["qwen3", { scaling: { type: ["text", "yarn"], factor: ["f32", 4], original_context_length: ["u32", 64] } }],
};
// Cases of these families that llama.cpp refuses or ignores, and lastinch computes.
const ownFlags = {
  "a part of a head rotated": ["llama", { ropeWidth: 32 }],
  "values narrower than keys": ["qwen3", { valueWidth: 32 }],
  "an attention scale": ["llama", { attentionScale: 0.2 }],
  // llama.cpp divides by the inverse of the right factor.
  "MiniCPM's scales, unless its file names them": ["minicpm", { says: false }],
};

const table = {};

function write(name, bytes) {
  mkdirSync(llama.pathOf("random/"), { recursive: true });
  const path = llama.pathOf(`random/${name}.gguf`);
  writeFileSync(path, bytes);
  return path;
}

const rowsOf = (logits) =>
  Array.from({ length: logits.length / VOCABULARY }, (_, i) => logits.subarray(i * VOCABULARY, (i + 1) * VOCABULARY));

async function ourLogits(file, cache) {
  const model = await openModel(file, { slots: POSITIONS, cache });
  const rows = ids.map((token) => model.forward([token]).slice());
  model.dispose();
  return rows;
}

function note(family, type, cache, ours, theirs) {
  const row = (table[`${family} ${type}`] ??= {});
  for (const [who, value] of [
    ["ours", ours],
    ["llama.cpp", theirs],
  ])
    row[`${cache} ${who}`] = Math.max(row[`${cache} ${who}`] ?? 0, value);
}

// Our logits and llama.cpp's against the float64 reference.
async function check(t, { family, type, file, path, cache, reference }) {
  const theirs = rowsOf(llama.logits(path, ids, { cache }));
  const ours = await ourLogits(file, cache);
  const [our, their] = [distance(ours, reference), distance(theirs, reference)];
  note(family, type, cache, our, their);
  t.diagnostic(`${cache}: ${our.toExponential(2)}, llama.cpp ${their.toExponential(2)}`);
  if (type === "F32" && cache === "f32") {
    const worst = largestDifference(ours, theirs);
    assert.ok(
      worst <= (layouts[family]?.gelu ? CLOSE_TO_TABLE : CLOSE),
      `${worst} of the standard deviation from llama.cpp`,
    );
  } else {
    assert.ok(our <= ALLOWED * their, `${cache}: ${our} is more than ${ALLOWED} times ${their}`);
  }
  assert.equal(wrongChoices(ours, reference, CERTAIN * their), 0, "choices that the distance does not explain");
}

for (const [family, layout] of Object.entries(layouts)) {
  for (const type of withAllTypes.includes(family) ? Object.keys(tensorTypes) : someTypes) {
    for (const kind of ["even", "odd"]) {
      test(`${family} ${type}, ${kind} rows`, { skip }, async (t) => {
        const encode = (name, { number }, { columns, rows, deviation }) =>
          llama.encodeRows(randomValues(name, columns * rows, deviation), number, columns);
        const file = randomModel(family, layout[kind], { type, encode });
        const path = write(`${family}-${kind}-${type}`, file);
        const reference = referenceLogits(file, ids);
        for (const cache of caches)
          await t.test(`${cache} cache`, (t) => check(t, { family, type, file, path, cache, reference }));
      });
    }
  }
  if (layout.gelu) continue;
  test(`${family} F32: 200 greedy tokens are llama.cpp's`, { skip }, async () => {
    const file = randomModel(family, layout.even);
    const theirs = rowsOf(llama.logits(write(`${family}-greedy`, file), [3], { greedy: POSITIONS - 1 }));
    const model = await openModel(file, { slots: POSITIONS, cache: "f32" });
    let token = 3;
    const ours = theirs.map(() => (token = argmax(model.forward([token]))));
    assert.deepEqual(ours, theirs.map(argmax));
  });
}

for (const [name, [family, options]] of Object.entries(flags)) {
  test(`${name}: as llama.cpp`, { skip }, async (t) => {
    const file = randomModel(family, layouts[family].even, options);
    const path = write("flags", file);
    const reference = referenceLogits(file, ids);
    await check(t, { family: name, type: "F32", file, path, cache: "f32", reference });
  });
}

for (const [name, [family, options]] of Object.entries(ownFlags)) {
  test(`${name}: as the float64 reference`, async (t) => {
    const file = randomModel(family, layouts[family].even, options);
    const worst = largestDifference(await ourLogits(file, "f32"), referenceLogits(file, ids));
    t.diagnostic(`largest difference ${worst.toExponential(2)} of the standard deviation`);
    assert.ok(worst <= CLOSE, `${worst}`);
  });
}

after(() => {
  for (const row of Object.values(table)) for (const key in row) row[key] = row[key].toExponential(2);
  console.table(table);
});
