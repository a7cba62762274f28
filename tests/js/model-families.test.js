// The forward pass of every family and tensor type against llama.cpp and a float64 reference, on small files of random
// weights. tests/models/random.test.js does it for each type, shape and cache.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { argmax, distance, largestDifference, wrongChoices } from "../models/distance.js";
import { randomModel, shapes } from "../models/random-model.js";
import { referenceLogits } from "../models/reference.js";
import { caches, families, floatFile, forced, mixedFile, positions } from "../vectors/family-files.js";
import { openModel } from "./model-wasm.js";

const fixtures = JSON.parse(readFileSync(new URL("../vectors/llama-families.json", import.meta.url), "utf8"));

async function ourLogits(file, cache) {
  const model = await openModel(file, { slots: positions, cache });
  const rows = forced.map((token) => model.forward([token]).slice());
  model.dispose();
  return rows;
}

for (const family of families) {
  const { ids, logits, begin, greedy, distances } = fixtures[family];

  test(`${family} in F32 gives llama.cpp's logits`, async () => {
    const bytes = Buffer.from(logits, "base64");
    const theirs = forced.map((_, i) => ids.map((_, j) => bytes.readFloatLE(4 * (i * ids.length + j))));
    const ours = (await ourLogits(floatFile(family), "f32")).map((row) => ids.map((id) => row[id]));
    assert.ok(largestDifference(ours, theirs) <= 1e-4);
  });

  test(`${family} in F32 chooses llama.cpp's ${positions} greedy tokens`, async () => {
    const model = await openModel(floatFile(family), { slots: positions, cache: "f32" });
    let token = begin;
    const chosen = greedy.map(() => (token = argmax(model.forward([token]))));
    assert.deepEqual(chosen, greedy);
  });

  test(`${family} in a mixture of all types is as near to float64 as llama.cpp`, async (t) => {
    const file = mixedFile(family);
    const reference = referenceLogits(file, forced);
    for (const cache of caches) {
      const ours = await ourLogits(file, cache);
      const away = distance(ours, reference);
      t.diagnostic(`${cache} cache: ${away.toExponential(2)}, llama.cpp ${distances[cache].toExponential(2)}`);
      assert.ok(away <= 1.1 * distances[cache], cache);
      assert.equal(wrongChoices(ours, reference, 6 * distances[cache]), 0);
    }
  });
}

test("a negative extrapolation factor, as llama.cpp writes for the usual one, is the usual one", async () => {
  const logits = async (scaling) => {
    const scaled = { type: ["text", "yarn"], factor: ["f32", 4], original_context_length: ["u32", 16] };
    const file = randomModel("llama", shapes.llama.odd, { context: 64, scaling: { ...scaled, ...scaling } });
    const model = await openModel(file, { slots: 64 });
    return Array.from(forced.slice(0, 20), (token) => [...model.forward([token])]).at(-1);
  };
  const usual = await logits({});
  assert.deepEqual(await logits({ yarn_ext_factor: ["f32", -1] }), usual);
  assert.notDeepEqual(await logits({ yarn_ext_factor: ["f32", 0.5] }), usual);
});
