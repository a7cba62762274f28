// The parts of the playground that need no page: the tree of texts, its options, its lists of words, its recording.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { examples } from "../../demos/playground/examples.js";
import { keptRows } from "../../demos/playground/kept-rows.js";
import { knobs } from "../../demos/playground/playground-knobs.js";
import { groups, left, rowsOf } from "../../demos/playground/option-fields.js";
import { record } from "../../demos/playground/record-opening.js";
import { steps } from "../../demos/playground/recorded.js";
import { expand } from "../../demos/playground/recorded-steps.js";
import { Texts, sharedLength } from "../../demos/playground/texts.js";
import { readItems } from "../../demos/playground/typed-items.js";

const table = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(new URL(`../../src/tables/${name}.json`, import.meta.url), "utf8"));

const setup = { prompt: "Once", settings: {}, more: {}, seed: 1, maxTokens: 9 };
const step = (/** @type {number} */ id) => ({ id, text: `${id}`, probability: 1, rawLogprob: 0, bits: 0 });

test("a branch has the tokens before it, and comes below the text that it left", () => {
  const texts = new Texts();
  const first = texts.begin(setup);
  first.steps.push(...[1, 2, 3, 4].map(step));
  const second = texts.branch(first, 2, step(7), setup);
  assert.deepEqual(
    second.steps.map(({ id }) => id),
    [1, 2, 7],
  );
  assert.deepEqual([second.kept, texts.current, first.steps.length], [3, second, 4]);
  const third = texts.branch(second, 1, step(8), setup);
  const other = texts.begin(setup);
  assert.deepEqual(
    texts.rows.map(({ text, depth }) => [text.number, depth]),
    [
      [first.number, 0],
      [second.number, 1],
      [third.number, 2],
      [other.number, 0],
    ],
  );
  assert.equal(sharedLength(first.steps, second.steps), 2);
});

test("a text with branches stays when it is written again; a text without branches is replaced", () => {
  const texts = new Texts();
  const first = texts.begin(setup);
  first.steps.push(...[1, 2, 3].map(step));
  assert.equal(texts.again({ ...setup, seed: 2 }), first);
  assert.equal(first.setup.seed, 2);
  texts.branch(first, 1, step(7), setup);
  texts.current = first;
  const twin = texts.again({ ...setup, seed: 3 });
  assert.notEqual(twin, first);
  assert.deepEqual([twin?.steps, first.steps.length, first.setup.seed, texts.current], [[], 3, 2, twin]);
});

test("a text without tokens gives way to the text that it left, or else to the latest", () => {
  const texts = new Texts();
  const first = texts.begin(setup, [step(1), step(2)]);
  const second = texts.begin(setup, [step(3)]);
  texts.remove(texts.branch(first, 1, step(7), setup));
  assert.equal(texts.current, first);
  texts.remove(texts.begin(setup));
  assert.deepEqual([texts.current, texts.list], [second, [first, second]]);
  texts.remove(first);
  texts.remove(second);
  assert.deepEqual([texts.current, texts.list], [second, [second]]);
});

test("at most forty texts are kept, each with the text that it branches from", () => {
  const texts = new Texts();
  const first = texts.begin(setup, [step(1), step(2)]);
  for (let id = 10; id < 70; id++) texts.branch(first, 1, step(id), setup);
  assert.equal(texts.list.length, 40);
  assert.ok(texts.list.includes(first) && texts.current && texts.list.includes(texts.current));
});

test("rows of logits beyond the limit are dropped, except those of the shown text", () => {
  const texts = new Texts();
  const withRow = (/** @type {number} */ id) => ({ ...step(id), logits: new Float32Array(4) });
  const first = texts.begin(setup, [1, 2, 3].map(withRow));
  const second = texts.branch(first, 1, withRow(7), setup);
  texts.trim(3);
  assert.deepEqual(
    first.steps.map(({ logits }) => Boolean(logits)),
    [true, false, true],
  );
  texts.trim(0);
  assert.ok(second.steps.every(({ logits }) => logits));
});

test("every option of the tables is in a group, is a knob, or is left to the page or the model", () => {
  const options = table("options");
  const { options: writing } = table("generate-options");
  const rows = rowsOf(options, writing);
  const names = [...options, ...writing].map(({ name }) => name);
  assert.deepEqual(
    [...new Set([...rows.map(({ name }) => name), ...left])].sort(),
    [...new Set(names)].sort(),
    "an option is missing, or is no option any more",
  );
  for (const { name, group, field, help } of rows) {
    assert.ok(groups.includes(group), `${name}: ${group}`);
    assert.ok(help && field, name);
  }
  assert.deepEqual(
    groups.filter((group) => !rows.some((row) => row.group === group)),
    [],
  );
  const inGroup = (/** @type {string} */ group) => rows.filter((row) => row.group === group).map(({ name }) => name);
  assert.ok(["typicalP", "topNSigma", "xtcProbability", "minKeep"].every((name) => inGroup("Cuts").includes(name)));
  assert.ok(["beams", "draft", "guidance"].every((name) => inGroup("Beams, drafts and guidance").includes(name)));
  assert.deepEqual(inGroup("What the text must be"), ["jsonSchema", "regex", "choice", "ebnf", "lark"]);
  for (const { more = {}, settings = {}, name } of examples) {
    for (const key of Object.keys(more))
      assert.ok(
        rows.some((row) => row.name === key),
        `${name}: ${key}`,
      );
    for (const key of Object.keys(settings))
      assert.ok(
        knobs.some((knob) => knob.key === key),
        `${name}: ${key}`,
      );
  }
});

test("lists are read as ids and words in quotes", () => {
  assert.deepEqual(readItems(""), []);
  assert.deepEqual(readItems('17, " dog" ,"a\\"b, c"'), [[17], [" dog"], ['a"b, c']]);
  assert.deepEqual(readItems('" dog" 2, 17 -1.5,'), [
    [" dog", 2],
    [17, -1.5],
  ]);
  assert.throws(() => readItems("dog"), /words stand in quotes: "dog"/);
  assert.throws(() => readItems('"dog'), /quotation mark is missing/);
});

test("the recorded story equals the model's output", async () => {
  assert.deepEqual(await record(), steps);
  const all = expand(steps);
  assert.ok(all.length > 80 && all.at(-1)?.isEnd && !all[0].isEnd);
  assert.ok(all.every(({ top, id }) => top && top.length >= 5 && top.some((one) => one.id === id)));
});

test("kept files are shown by model: parts together, equal names with their paths", () => {
  const host = "https://models.example";
  const file = (/** @type {string} */ path, /** @type {any} */ others = {}) => ({
    address: host + path,
    bytes: 10,
    total: 10,
    isWhole: true,
    date: new Date(1e12),
    ...others,
  });
  const rowsFor = (/** @type {any[]} */ ...files) =>
    keptRows(files).map(({ name, bytes, total, isWhole, addresses }) => [
      name,
      bytes,
      total,
      isWhole,
      addresses.length,
    ]);
  assert.deepEqual(keptRows([]), []);
  assert.deepEqual(rowsFor(file("/a/model.gguf"), file("/100%.gguf"), file("/a%20b.gguf")), [
    ["model.gguf", 10, 10, true, 1],
    ["100%.gguf", 10, 10, true, 1],
    ["a b.gguf", 10, 10, true, 1],
  ]);
  assert.deepEqual(
    rowsFor(file("/a/model.gguf"), file("/b/model.gguf")).map(([name]) => name),
    ["models.example/a/model.gguf", "models.example/b/model.gguf"],
  );
  const parts = [1, 2, 3].map((number) => file(`/big-0000${number}-of-00003.gguf`));
  assert.deepEqual(rowsFor(...parts), [["big.gguf", 30, 30, true, 3]]);
  assert.deepEqual(rowsFor(parts[1], parts[2]), [["big.gguf", 20, null, false, 2]]);
  const unfinished = { ...parts[0], bytes: 4, isWhole: false };
  assert.deepEqual(rowsFor(unfinished, parts[1], parts[2]), [["big.gguf", 24, 30, false, 3]]);
});
