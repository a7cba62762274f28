// Groups: members on streams of their own, whatever the size of the group.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroup, createSampler } from "lastinch";

const vocabSize = 600;
const row = Float32Array.from({ length: vocabSize }, (_, i) => 2 * Math.sin(i * 12.9898) + Math.cos(i * 78.233));
const rows = (count) => Float32Array.from({ length: count * vocabSize }, (_, i) => row[(i * 7 + (i >> 9)) % vocabSize]);
const options = { vocabSize, seed: 11, temperature: 1.3, repetitionPenalty: 1.2 };

/** The memory that all samplers of this file share. @type {WebAssembly.Memory} */
let memory;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const instance = await instantiate(...given);
  memory = instance.exports.memory;
  return instance;
};

// Engines do work in proportion to the whole memory whenever it grows.
test("the memory grows in few steps, however many members there are", async (t) => {
  const first = await createSampler(options);
  const { prototype } = first.constructor;
  const { clone } = prototype;
  t.after(() => void (prototype.clone = clone));
  let steps = 0;
  prototype.clone = function (changes) {
    const before = memory.buffer;
    const copy = clone.call(this, changes);
    if (memory.buffer !== before) steps++;
    return copy;
  };
  const from = memory.buffer.byteLength;
  const group = await createGroup(4000, options);
  const grown = memory.buffer.byteLength / from;
  group.dispose();
  const expected = Math.log(grown) / Math.log(9 / 8);
  assert.ok(grown > 50 && steps < 1.2 * expected + 8, `${steps} steps for ${grown} times the memory`);
});

test("a member's tokens are those of a sampler on its stream, and the same in a group of any size", async () => {
  const small = await createGroup(3, options);
  const large = await createGroup(9, options);
  for (let step = 0; step < 40; step++) {
    const few = small.sample(row);
    const many = large.sample(row);
    assert.deepEqual([...few], [...many.subarray(0, 3)]);
  }
  const alone = await createSampler({ ...options, stream: 2 });
  const again = await createGroup(3, options);
  for (let step = 0; step < 40; step++) assert.equal(alone.sample(row), again.sample(row)[2]);
});

test("each member has its own row, in float32 or float16 bits", async () => {
  const given = rows(4);
  const group = await createGroup(4, options);
  const copy = given.slice();
  const tokens = group.sample(given);
  assert.deepEqual(given, copy);
  for (let i = 0; i < 4; i++) {
    const alone = await createSampler({ ...options, stream: i });
    assert.equal(tokens[i], alone.sample(given.subarray(i * vocabSize, (i + 1) * vocabSize)));
  }
  const halves = new Uint16Array(4 * vocabSize).map((_, i) => 0x3c00 + ((i * 37) % 0x800));
  const [first] = (await createGroup(4, options)).sample(halves);
  assert.equal(first, (await createSampler(options)).sample(halves.subarray(0, vocabSize)));
  const one = (await createGroup(4, options)).sample(halves.subarray(0, vocabSize));
  assert.equal(one[0], first);
});

test("the draws of different members are independent: pairs of tokens occur as often as their product says", async () => {
  const weights = [0.5, 0.3, 0.2];
  const logits = Float32Array.from(weights, Math.log);
  const group = await createGroup(4, { vocabSize: 3, seed: 3 });
  const draws = 20000;
  const pairs = [0, 1, 2].map(() => [0, 0, 0]);
  for (let i = 0; i < draws; i++) {
    const tokens = group.sample(logits);
    pairs[tokens[1]][tokens[2]]++;
  }
  let chiSquare = 0;
  for (let a = 0; a < 3; a++)
    for (let b = 0; b < 3; b++) {
      const expected = draws * weights[a] * weights[b];
      chiSquare += (pairs[a][b] - expected) ** 2 / expected;
    }
  assert.ok(chiSquare < 26.12, `chi-square ${chiSquare} of 8 degrees of freedom (p = 0.001)`);
});

test("members continue alone, share only scratch memory, and refuse unsupported options", async () => {
  const group = await createGroup(2, { ...options, temperature: 0, noRepeatNgram: 1 });
  const [a] = group.sample(row);
  group.samplers[0].accept([5, 6]);
  group.samplers[1].reset();
  assert.equal(group.samplers[1].sample(row), a);
  assert.notEqual(group.samplers[0].sample(row), a);
  group.accept([1, 2], { prompt: true });
  assert.throws(() => group.sample(new Float32Array(vocabSize + 1)), { name: "RangeError", code: "wrong-length" });
  assert.throws(() => group.sample([1, 2, 3]), { name: "TypeError", code: "bad-type" });
  group.dispose();
  assert.throws(() => group.sample(row), { code: "disposed" });
  await assert.rejects(createGroup(0, options), { name: "RangeError", code: "out-of-range" });
  await assert.rejects(createGroup("3", options), { name: "TypeError", code: "bad-type" });
  await assert.rejects(createGroup(2, { ...options, stream: 2 ** 32 - 1 }), { name: "RangeError" });
  await assert.rejects(createGroup(2, { ...options, topQ: 1 }), { code: "unknown-option" });
});
