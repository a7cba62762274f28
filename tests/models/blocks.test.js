// The readers of blocks against llama.cpp's own dequantised values.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { dequantise, tensorTypes } from "./blocks.js";
import { writeBlocks } from "../../web/widgets/shared/requantize.js";
import { randomValues } from "../vectors/gguf-files.js";
import * as llama from "./llama.js";

const skip = llama.isThere() ? false : "run make models first";
const COUNT = 256 * 64;

// NaN must be NaN. Other values may differ by llama.cpp's rounding in float32.
function assertSame(ours, theirs, largest) {
  ours.forEach((value, i) => {
    if (!Number.isFinite(Math.fround(value))) return assert.ok(!Number.isFinite(theirs[i]), `value ${i}`);
    assert.ok(Math.abs(value - theirs[i]) <= 2 ** -22 * largest, `value ${i}: ${value}, ${theirs[i]}`);
  });
}

for (const { name, number, values, bytes } of Object.values(tensorTypes)) {
  test(`${name}: any bits decode to llama.cpp's values`, { skip }, () => {
    const size = (COUNT / values) * bytes;
    for (let round = 0; round < 8; round++) {
      const blocks = new Uint8Array(randomBytes(size));
      const theirs = number ? llama.decodeBlocks(blocks, number) : new Float32Array(blocks.buffer);
      const ours = dequantise(blocks, number, COUNT);
      for (let i = 0; i < COUNT; i += values) {
        // Within a block the terms of a difference may be larger than the value.
        const block = ours.subarray(i, i + values);
        const largest = block.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        assertSame(block, theirs.subarray(i, i + values), Number.isFinite(largest) ? 8 * largest + 2 ** -60 : Infinity);
      }
    }
  });
}

for (const [name, bits] of /** @type {[string, number][]} */ ([
  ["Q4_0", 4],
  ["Q5_0", 5],
  ["Q8_0", 8],
]))
  test(`${name}: the page's quantiser writes llama.cpp's blocks`, { skip }, () => {
    const { number, bytes } = tensorTypes[name];
    const values = randomValues(name, COUNT, 0.05);
    values.fill(0, 0, 32);
    const theirs = llama.encodeRows(values, number, 256);
    const ours = new Uint8Array((COUNT / 32) * bytes);
    writeBlocks(ours, number, bits, values, 256);
    assert.deepEqual(ours, theirs);
  });
