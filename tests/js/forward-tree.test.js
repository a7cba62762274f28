// model.forward with `parents`: a tree of tokens in one pass, each row with the bits of its own path alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { floatFile } from "../vectors/family-files.js";
import { randomGguf, randomNumbers } from "../vectors/gguf-files.js";
import { loadWithThreads, threadedGguf } from "../vectors/thread-digests.js";
import { countForwards, load, shipped } from "./decode-tools.js";

const bits = (row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString("base64");

/** The row of each node, or of some, computed token by token along its path. */
async function alone(model, prompt, ids, parents, some = ids.keys()) {
  const rows = [];
  for (const i of some) {
    const path = [];
    for (let at = i; at >= 0; at = parents[at]) path.unshift(ids[at]);
    let row;
    for (const [depth, id] of [...prompt, ...path].entries()) row = await model.forward([id], { keep: depth });
    rows.push(bits(row));
  }
  return rows;
}

/** Parents drawn at random: some tokens begin at the prompt, the others follow any token before them. */
const randomParents = (name, count) => randomNumbers(name, count, 2 ** 20).map((n, i) => (i ? (n % (i + 1)) - 1 : -1));

const prompt = [1, 50, 7, 90];

test("every row of a tree has the bits of its path computed alone, and the text stays as it was", async () => {
  const [model, other] = [await load(randomGguf()), await load(randomGguf())];
  const after = await other.forward([...prompt, 33]);
  for (const count of [1, 2, 9, 40]) {
    const ids = randomNumbers(`tree ${count}`, count, 500);
    const parents = randomParents(`parents ${count}`, count);
    await model.forward(prompt);
    const rows = await model.forward(ids, { keep: prompt.length, rows: "all", parents });
    assert.deepEqual(rows.map(bits), await alone(other, prompt, ids, parents));
    await assert.rejects(model.forward([5], { keep: prompt.length + 1 }), { code: "out-of-range" });
    assert.deepEqual(bits(await model.forward([33], { keep: prompt.length })), bits(after));
  }
  const parents = [-1, -1, 0];
  const first = await model.forward([8, 9, 10], { rows: "all", parents });
  assert.deepEqual(first.map(bits), await alone(other, [], [8, 9, 10], parents));
  for (const one of [model, other]) one.dispose();
});

test("a tree costs a row for each token, and may be wider than the context is long", async () => {
  const model = await load(shipped("storyteller"), { contextLength: 8 });
  const ids = Array.from({ length: 24 }, (_, i) => 100 + i);
  const rows = await model.forward(ids, { rows: "all", parents: ids.map(() => -1) });
  assert.equal(new Set(rows.map(bits)).size, 24);
  await assert.rejects(model.forward(ids, { rows: "all", parents: ids.map((_, i) => i - 1) }), {
    code: "model-context-full",
  });
  assert.equal((await model.forward([100], { rows: "all" })).map(bits)[0], bits(rows[0]));
  model.dispose();
});

test("models with sliding windows take trees, and those with a recurrent state chains", async () => {
  const chain = [-1, 0, 1, 2];
  for (const [family, parents] of /** @type {const} */ ([
    ["gemma3", [-1, 0, -1, 1, 0, 2, 2]],
    ["qwen35", chain],
  ])) {
    const [model, other] = [await load(floatFile(family)), await load(floatFile(family))];
    const long = randomNumbers("long", 60, 250);
    const ids = randomNumbers("ids", parents.length, 250);
    await model.forward(long);
    const rows = await model.forward(ids, { keep: long.length, rows: "all", parents });
    assert.deepEqual(rows.map(bits), await alone(other, long, ids, parents), family);
    assert.deepEqual(bits(await model.forward([9], { keep: long.length })), bits(await other.forward([...long, 9])));
    if (parents === chain)
      await assert.rejects(model.forward([1, 2], { rows: "all", parents: [-1, -1] }), /must be a chain/);
    for (const one of [model, other]) one.dispose();
  }
});

test("parents that make no tree are refused", async () => {
  const model = await load(randomGguf());
  const refused = (parents, error, rows = "all") =>
    assert.rejects(model.forward([5, 6, 7], { rows, parents }), { ...error, isLastInch: true });
  await refused([-1, 0, 1], { name: "TypeError", code: "conflict" }, "last");
  await refused([-1, 0], { name: "TypeError", code: "bad-type" });
  await refused(null, { name: "TypeError", code: "bad-type" });
  for (const parents of [
    [0, 0, 1],
    [-1, -2, 1],
    [-1, 0, 2],
    [-1, 0, 0.5],
  ])
    await refused(parents, { name: "RangeError", code: "out-of-range" });
  await refused("123", { name: "TypeError", code: "bad-type" });
  const wide = Array.from({ length: 65 }, () => 5);
  await assert.rejects(model.forward(wide, { rows: "all", parents: wide.map(() => -1) }), /at most 64 tokens/);
  model.dispose();
});

test("the largest trees are computed: a comb of 64 tokens, and a long chain with a sibling of its first", async () => {
  for (const file of [randomGguf(), floatFile("gemma3")]) {
    const [model, other] = [await load(file), await load(file)];
    const ids = randomNumbers("comb", 64, 250);
    for (const parents of [ids.map(() => -1), ids.map((_, i) => (i === 63 ? -1 : i - 1))]) {
      await model.forward(prompt);
      const rows = await model.forward(ids, { keep: prompt.length, rows: "all", parents });
      const some = [0, 1, 31, 62, 63];
      const expected = await alone(other, prompt, ids, parents, some);
      assert.deepEqual(
        some.map((i) => bits(rows[i])),
        expected,
      );
    }
    for (const one of [model, other]) one.dispose();
  }
});

test("a refused tree leaves the text as it was", async () => {
  const [model, recurrent] = [
    await load(shipped("storyteller"), { contextLength: 8 }),
    await load(floatFile("qwen35")),
  ];
  for (const [one, ids, parents] of [
    [model, [1, 2, 3, 4, 5, 6, 7, 8, 9], [-1, 0, 1, 2, 3, 4, 5, 6, 7]],
    [recurrent, [1, 2], [-1, -1]],
  ]) {
    const whole = await one.forward([1, 50, 7, 90]);
    await assert.rejects(one.forward(ids, { rows: "all", parents }), { isLastInch: true });
    assert.deepEqual(bits(await one.forward([90], { keep: 3 })), bits(whole));
    one.dispose();
  }
});

test("a tree follows a text whose place other texts have taken, which is read again", async () => {
  const other = await load(randomGguf());
  const ids = [5, 6, 7, 8, 9];
  const parents = [-1, 0, 0, 2, -1];
  const long = randomNumbers("long", 40, 250);
  const expected = await alone(other, long, ids, parents);
  other.dispose();
  await countForwards(async (counter) => {
    const model = await load(randomGguf(), { contextLength: 64 });
    await model.forward(long);
    // More texts than there are places, so that the caller's has lost its own.
    for (let i = 0; i < 80; i++) await model.complete([1, 100 + i, 7], { maxTokens: 40, seed: i });
    for (const computed of [long.length + ids.length, ids.length]) {
      const before = counter.rows;
      const rows = await model.forward(ids, { keep: long.length, rows: "all", parents });
      assert.equal(counter.rows - before, computed);
      assert.deepEqual(rows.map(bits), expected);
    }
    model.dispose();
  });
});

test("a tree waits for a text that is being written, and harms it as little as it is harmed", async () => {
  const [model, other] = [await load(randomGguf()), await load(randomGguf())];
  const options = { maxTokens: 40, seed: 3, bannedTokens: [2] };
  const { text } = await other.complete(prompt, options);
  const ids = [5, 6, 7];
  const expected = await alone(other, [], ids, [-1, 0, 0]);
  const writing = model.complete(prompt, options);
  const trees = Array.from({ length: 5 }, () => model.forward(ids, { rows: "all", parents: [-1, 0, 0] }));
  for (const rows of await Promise.all(trees)) assert.deepEqual(rows.map(bits), expected);
  assert.equal((await writing).text, text);
  for (const one of [model, other]) one.dispose();
});

test("a tree has the same bits on several threads", async () => {
  const file = threadedGguf();
  const ids = randomNumbers("ids", 12, 250);
  const parents = randomParents("parents", 12);
  const computed = [];
  for (const threads of [1, 3]) {
    const model = await loadWithThreads(() => loadModel(file, { threads }), threads);
    await model.forward(prompt);
    computed.push((await model.forward(ids, { keep: prompt.length, rows: "all", parents })).map(bits));
    model.dispose();
  }
  assert.deepEqual(computed[1], computed[0]);
});
