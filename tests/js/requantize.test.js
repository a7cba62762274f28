// A file with fewer bits for each weight: against the rule in float64, and as a model.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { heldOut } from "../../web/widgets/shared/held-out.js";
import { requantize } from "../../web/widgets/shared/requantize.js";
import { dequantise } from "../models/blocks.js";
import { F16, F32, Q4_0, Q8_0, convertGguf, floatToHalf, randomGguf, readGguf } from "../vectors/gguf-files.js";

const storyteller = new Uint8Array(readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url)));
const Q5_0 = 6;
const typeOf = { 16: F16, 8: Q8_0, 6: Q8_0, 5: Q5_0, 4: Q4_0, 3: Q8_0, 2: Q8_0 };
const even = randomGguf({ hidden: 192 });
const halfOf = (/** @type {number} */ value) =>
  dequantise(new Uint8Array(Uint16Array.of(floatToHalf(value)).buffer), F16, 1)[0];
const numbersOf = ({ data, type, count }) => dequantise(data, type, count);

/** Rows of 48 and of 200 numbers, as of models that learn in a page: their last block is shorter. */
const odd = randomGguf({ dim: 48, hidden: 200 });
/** The blocks of rows, which end with their row. @param {Float32Array} numbers @param {number} columns */
function* blocksOf(numbers, columns) {
  for (let row = 0; row < numbers.length; row += columns)
    for (let first = 0; first < columns; first += 32) yield [row + first, row + Math.min(columns, first + 32)];
}

const files = { storyteller, floats: even, halves: convertGguf(even, F16), odd, oddHalves: convertGguf(odd, F16) };
for (const [name, file] of Object.entries(files))
  test(`${name}: every weight is the nearest multiple of its block's scale`, async () => {
    const before = readGguf(file).tensors;
    for (const bits of [16, 8, 6, 5, 4, 3, 2]) {
      const { bytes, size } = await requantize(file, bits);
      const { tensors, metadata } = readGguf(bytes);
      assert.deepEqual(metadata, readGguf(file).metadata);
      let counted = bytes.length;
      tensors.forEach((tensor, at) => {
        const source = before[at];
        assert.deepEqual([tensor.name, tensor.shape], [source.name, source.shape]);
        const [given, written] = [numbersOf(source), numbersOf(tensor)];
        if (tensor.shape.length < 2) return assert.deepEqual(written, given, "vectors stay");
        const [columns] = tensor.shape;
        const isOdd = columns % 32 > 0 && bits < 16;
        assert.equal(tensor.type, isOdd ? F32 : typeOf[bits], `${tensor.name} with ${bits} bits`);
        if (tensor.type === Q8_0) counted -= (tensor.count / 32) * (32 - 4 * bits);
        // Of 4 bytes a number, what its bits and the scale of its block would take.
        if (isOdd)
          for (const [first, end] of blocksOf(given, columns)) counted -= ((end - first) * (32 - bits)) / 8 - 2;
        if (bits === 16) return given.forEach((value, i) => assert.equal(written[i], halfOf(Math.fround(value))));
        if (bits === 8 && source.type === Q8_0) return assert.deepEqual(written, given, "8 bits are 8 bits already");
        for (const [first, end] of blocksOf(given, columns)) {
          const block = [...given.subarray(first, end)];
          const largest = block.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
          const steps = 2 ** (bits - 1);
          const scale = bits === 8 ? Math.abs(largest) / 127 : largest / -steps;
          const rounded = halfOf(scale);
          const values = written.subarray(first, end);
          block.forEach((value, i) => {
            const digit = rounded ? values[i] / rounded : 0;
            assert.ok(Number.isInteger(Math.round(digit * 1e6) / 1e6), `${digit} is no whole number`);
            assert.ok(digit >= -steps && digit < steps, `${digit} needs more than ${bits} bits`);
            // The largest digit is one below what its sign would need.
            const wanted = scale ? Math.min(steps - 1, value / scale) : 0;
            assert.ok(Math.abs(digit - wanted) < 0.5001, `${value} is ${digit} of ${scale}`);
          });
        }
      });
      assert.equal(size, counted);
    }
  });

test("fewer bits are smaller, run as models, and surprise them more", async () => {
  /** @type {number[]} */
  const surprise = [];
  /** @type {number[]} */
  const sizes = [];
  for (const bits of [16, 8, 4, 2]) {
    const { bytes, size } = await requantize(storyteller, bits);
    const model = await loadModel(bytes, { worker: false });
    const { logprobs } = await model.score(heldOut);
    surprise.push(-logprobs.reduce((sum, one) => sum + one, 0) / logprobs.length);
    sizes.push(size);
    model.dispose();
  }
  const [sixteen, eight, four, two] = surprise;
  // The products of halves and of bytes round the inputs differently.
  assert.ok(Math.abs(sixteen - eight) < 0.01, `16 bits bring nothing back: ${surprise}`);
  assert.ok(eight < four && four + 0.1 < two, surprise.join(" "));
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
  );
  assert.equal(sizes[1], storyteller.length);
});

test("it ends when its signal aborts, and lets other work go on meanwhile", async () => {
  const abort = new AbortController();
  const work = requantize(storyteller, 4, abort.signal);
  setImmediate(() => abort.abort());
  await assert.rejects(work, { name: "AbortError" });
});

test("a file is refused whose types are not read", async () => {
  const file = readFileSync(new URL("../../demos/model/shakespeare.gguf", import.meta.url));
  const { bytes: four } = await requantize(new Uint8Array(file), 4);
  await assert.rejects(requantize(four, 2), { name: "RangeError", code: "bad-weights" });
  // Counts that no file could have end at once.
  for (const at of [8, 16]) {
    const hostile = storyteller.slice();
    new DataView(hostile.buffer).setBigUint64(at, 2n ** 60n, true);
    await assert.rejects(requantize(hostile, 4), { name: "RangeError" });
  }
});
