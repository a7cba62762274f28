// What a model costs: no more than its tensors and a little, and nothing per step.
import assert from "node:assert/strict";
import { test } from "node:test";
import { convertGguf, Q8_0, randomGguf, readGguf } from "../vectors/gguf-files.js";
import { openModel } from "./model-wasm.js";

// The shape of the shipped model.
const shape = { vocab: 2048, dim: 192, hidden: 512, layers: 5, heads: 6, kvHeads: 2, context: 512, tied: true };
const file = convertGguf(randomGguf(shape), Q8_0);

test("loading takes at most 1.15 times the tensors", async (t) => {
  const tensors = readGguf(file).tensors.reduce((sum, { data }) => sum + data.length, 0);
  const { memoryTaken } = await openModel(file, { slots: 1, sequences: 1 });
  t.diagnostic(`${memoryTaken} bytes for ${tensors} bytes of tensors: ${(memoryTaken / tensors).toFixed(3)}`);
  assert.ok(memoryTaken <= 1.15 * tensors);
});

test("steps take no memory", async () => {
  const model = await openModel(file);
  const tokens = Array.from({ length: 64 }, (_, i) => 3 + i);
  model.forward(tokens, { all: true }); // rows of logits, once
  const before = model.c.memory.buffer.byteLength;
  for (let i = 0; i < 20; i++) {
    model.keep(0);
    model.forward(tokens, { all: true });
    for (let step = 0; step < 20; step++) model.forward([step]);
  }
  assert.equal(model.c.memory.buffer.byteLength, before);
});
