// The forward pass of every family and tensor type against llama.cpp and a float64 reference, on small files of random
// weights. tests/models/random.test.js covers each type, shape and cache.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { argmax, distance, largestDifference, wrongChoices } from "../models/distance.js";
import { layouts } from "../models/layouts.js";
import { randomModel } from "../models/random-model.js";
import { referenceLogits, referencePass } from "../models/reference.js";
import { caches, families, fewer, floatFile, forced, mixedFile, positions, variants } from "../vectors/family-files.js";
import { loadModel } from "lastinch";
import { openModel } from "./model-wasm.js";

const fixtures = JSON.parse(readFileSync(new URL("../vectors/llama-families.json", import.meta.url), "utf8"));

async function ourLogits(file, cache, tokens = forced) {
  const model = await openModel(file, { slots: positions, cache });
  const rows = tokens.map((token) => model.forward([token]).slice());
  model.dispose();
  return rows;
}

const joined = (rows) => Float32Array.from(rows.flatMap((row) => [...row]));

for (const family of families) {
  const { ids, logits, begin, greedy, distances } = fixtures[family];
  const { gelu } = layouts[family];
  let mixture; // made once
  const mixed = () => (mixture ??= mixedFile(family));

  test(`${family} in F32 gives llama.cpp's logits`, async () => {
    const bytes = Buffer.from(logits, "base64");
    const theirs = forced.map((_, i) => ids.map((_, j) => bytes.readFloatLE(4 * (i * ids.length + j))));
    const ours = (await ourLogits(floatFile(family), "f32")).map((row) => ids.map((id) => row[id]));
    assert.ok(largestDifference(ours, theirs) <= (gelu ? 5e-3 : 1e-4));
  });

  if (gelu)
    test(`${family} in F32 gives the float64 logits`, async () => {
      const file = floatFile(family);
      const reference = referenceLogits(file, fewer, positions);
      assert.ok(largestDifference(await ourLogits(file, "f32", fewer), reference) <= 2e-5);
    });
  else
    test(`${family} in F32 chooses llama.cpp's ${positions} greedy tokens`, async () => {
      const model = await openModel(floatFile(family), { slots: positions, cache: "f32" });
      let token = begin;
      const chosen = greedy.map(() => (token = argmax(model.forward([token]))));
      assert.equal(chosen.length, positions);
      assert.deepEqual(chosen, greedy);
    });

  test(`${family}: norms, attention and logits of each layer equal the float64 reference`, async () => {
    const tokens = fewer.slice(0, 40); // beyond the windows
    const file = floatFile(family);
    const { states, attention, logitsOf } = referencePass(file, tokens, positions);
    const model = await loadModel(file, { worker: false, cacheType: "f32", contextLength: positions });
    const { layers } = await model.activations(tokens);
    assert.equal(layers.length, states.length);
    layers.forEach((layer, i) => {
      const state = states[i].at(-1);
      assert.ok(Math.abs(layer.norm / Math.hypot(...state) - 1) < 1e-5, `norm ${i}`);
      assert.ok(largestDifference([layer.logits], [logitsOf(state)]) < 1e-4, `logits ${i}`);
      const weights = i ? attention[i - 1]?.at(-1) : undefined;
      if (!weights) return assert.equal(layer.attention, null);
      assert.equal(layer.attention.length, weights.length);
      weights.forEach((head, h) =>
        head.forEach((weight, t) => assert.ok(Math.abs(layer.attention[h][t] - weight) < 1e-5, `${i} ${h} ${t}`)),
      );
    });
    model.dispose();
  });

  test(`${family} gives the same bits for every size of batch`, async () => {
    const model = await openModel(mixed(), { slots: positions, cache: "f16" });
    const one = forced.map((token) => model.forward([token]).slice());
    model.keep(0);
    for (const [from, to] of [
      [0, 37],
      [37, 38],
      [38, 100],
    ])
      assert.deepEqual(model.forward(forced.slice(from, to), { all: true }), joined(one.slice(from, to)));
    // A sequence that was cut continues as before, and so does a branch of it.
    model.keep(80);
    assert.deepEqual(model.forward(forced.slice(80, 84)), one[83]);
    model.c.li_sequence_share(model.model, 0, 1, 83);
    assert.deepEqual(model.forward(forced.slice(83, 86), { sequence: 1 }), one[85]);
    assert.deepEqual(model.forward(forced.slice(84, 86)), one[85]);
    // Where that is not possible, the sequence is empty.
    model.keep(40);
    assert.equal(model.c.li_sequence_length(model.model, 0), family === "qwen35" ? 0 : 40);
    model.keep(0);
    assert.deepEqual(model.forward(forced.slice(0, 40)), one[39]);
    model.dispose();
  });

  test(`${family} in a mixture of all types is as close to float64 as llama.cpp`, async (t) => {
    const file = mixed();
    const reference = referenceLogits(file, fewer, positions);
    for (const cache of caches) {
      const ours = await ourLogits(file, cache, fewer);
      const away = distance(ours, reference);
      t.diagnostic(`${cache} cache: ${away.toExponential(2)}, llama.cpp ${distances[cache].toExponential(2)}`);
      assert.ok(away <= 1.1 * distances[cache], cache);
      assert.equal(wrongChoices(ours, reference, 6 * distances[cache]), 0);
    }
  });
}

for (const [name, [family, flags]] of Object.entries(variants))
  test(`${name}: logits equal the float64 reference`, async () => {
    const file = floatFile(family, flags);
    const reference = referenceLogits(file, fewer, positions);
    const [given, usual] = [await ourLogits(file, "f32", fewer), await ourLogits(floatFile(family), "f32", fewer)];
    assert.ok(largestDifference(given, reference) <= 2e-5);
    assert.ok(largestDifference(usual, reference) > 1e-3, "the variant differs from the usual file");
  });

test("the pattern of sliding-window layers may be a number or a list", async () => {
  const logits = async (pattern) => {
    const keys = () => ({ "attention.sliding_window": ["u32", 9], ...pattern });
    return (await ourLogits(floatFile("gemma3", { layers: 3, keys }), "f32", fewer)).at(-1);
  };
  const list = (...slides) => ({ "attention.sliding_window_pattern": ["bool", slides] });
  const third = await logits({ "attention.sliding_window_pattern": ["u32", 3] });
  assert.deepEqual(await logits(list(true, true, false)), third);
  assert.deepEqual(await logits({}), await logits(list(true, true, true)));
  assert.notDeepEqual(await logits({}), third);
  assert.notDeepEqual(await logits(list(false, false, false)), third);
  await assert.rejects(
    logits(list(true, false, true)).then(() => logits(list(false, true, true))),
    /status -30$/,
  );
  await assert.rejects(logits(list(true, false)), /status -34$/);
  await assert.rejects(logits({ "attention.sliding_window_pattern": ["u32", 0] }), /status -34$/);
  await assert.rejects(logits({ "attention.sliding_window_pattern": ["text", "LLG"] }), /status -34$/);
});

test("a negative extrapolation factor, as llama.cpp writes it, means the default", async () => {
  const logits = async (scaling) => {
    const scaled = { type: ["text", "yarn"], factor: ["f32", 4], original_context_length: ["u32", 16] };
    const file = randomModel("llama", layouts.llama.odd, { context: 64, scaling: { ...scaled, ...scaling } });
    const model = await openModel(file, { slots: 64 });
    return Array.from(forced.slice(0, 20), (token) => [...model.forward([token])]).at(-1);
  };
  const usual = await logits({});
  assert.deepEqual(await logits({ yarn_ext_factor: ["f32", -1] }), usual);
  assert.notDeepEqual(await logits({ yarn_ext_factor: ["f32", 0.5] }), usual);
});
