// The Scratch extension as TurboWarp calls it: blocks by their opcodes, arguments as texts and numbers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createSampler, loadModel } from "lastinch";

const source = readFileSync(new URL("../../demos/templates/turbowarp/lastinch.js", import.meta.url), "utf8");
const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));

/** The registered extension. Its CDN is the sources here, and its model runs in this thread. */
function register() {
  let extension;
  const Cast = { toNumber: (value) => Number(value) || 0, toString: String };
  // Any other type is undefined, and a test below sees that.
  const ArgumentType = { STRING: "string", NUMBER: "number" };
  const BlockType = { COMMAND: "command", REPORTER: "reporter" };
  const Scratch = {
    ArgumentType,
    BlockType,
    Cast,
    extensions: { register: (one) => (extension = one) },
  };
  const modules = {
    "index.js": { createSampler, loadModel: (given) => loadModel(given, { worker: false }) },
    "storyteller.js": { default: new Blob([file]) },
  };
  const code = source.replaceAll(
    /import\(`\$\{PACKAGE\}([\w.]+)`\)/g,
    (_, name) => `Promise.resolve(modules[${JSON.stringify(name)}])`,
  );
  new Function("Scratch", "modules", code)(Scratch, modules);
  return extension;
}

test("every block has a method, and every argument of its text a default", () => {
  const extension = register();
  const { blocks } = extension.getInfo();
  assert.equal(blocks.length, 4);
  for (const { opcode, blockType, text, arguments: given } of blocks) {
    assert.ok(blockType, opcode);
    assert.equal(typeof extension[opcode], "function", opcode);
    const named = [...text.matchAll(/\[([A-Z]+)\]/g)].map(([, name]) => name);
    assert.deepEqual(named.sort(), Object.keys(given).sort(), opcode);
    for (const { type, defaultValue } of Object.values(given)) assert.ok(type && defaultValue !== undefined);
  }
});

test("a draw is a place in the list, and the same seed draws the same places", async () => {
  const extension = register();
  const row = { LOGITS: "0, 5;1 4", TEMPERATURE: "1.5", TOPP: 1 };
  const draw = async () => {
    extension.setSeed({ SEED: "7" });
    const places = [];
    for (let i = 0; i < 12; i++) places.push(await extension.draw(row));
    return places;
  };
  const first = await draw();
  assert.ok(first.every((place) => [1, 2, 3, 4].includes(place)) && new Set(first).size > 1, String(first));
  assert.deepEqual(await draw(), first);
  assert.equal(await extension.draw({ ...row, TEMPERATURE: 0 }), 2);
});

test("two sprites that draw at once share one row of random numbers, with or without commas", async () => {
  const one = register();
  const row = { LOGITS: "1 1 1 1 1 1 1 1", TEMPERATURE: 1, TOPP: 1 };
  const inTurn = [await one.draw(row), await one.draw(row), await one.draw(row)];
  const other = register();
  const atOnce = await Promise.all([0, 1, 2].map(() => other.draw({ ...row, LOGITS: ` ${row.LOGITS}, ` })));
  assert.deepEqual(atOnce.sort(), inTurn.sort());
  assert.ok(new Set(inTurn).size > 1);
});

test("chances are percentages, 0 where top-p cuts", async () => {
  const extension = register();
  const row = { LOGITS: "0 0 -100", TEMPERATURE: 1, TOPP: 1 };
  assert.equal(await extension.chances(row), "50 50 0");
  assert.equal(await extension.chances({ LOGITS: "2 0 -1", TEMPERATURE: 1, TOPP: 0.5 }), "100 0 0");
});

test("the storyteller goes on with a text, the same with the same seed", async () => {
  const extension = register();
  const asked = { PROMPT: "Once upon a time", COUNT: "8", TEMPERATURE: 0.8 };
  const story = await extension.continueStory(asked);
  assert.match(story, /[a-z]+ [a-z]+/);
  assert.equal(await extension.continueStory(asked), story);
});

test("a wrong argument is a text that says so", async () => {
  const extension = register();
  assert.match(await extension.draw({ LOGITS: "1 2", TEMPERATURE: -1, TOPP: 1 }), /^Error: .*temperature/);
  assert.match(await extension.draw({ LOGITS: "a b", TEMPERATURE: 1, TOPP: 1 }), /^Error: /);
  assert.match(await extension.draw({ LOGITS: " ", TEMPERATURE: 1, TOPP: 1 }), /^Error: There are no logits/);
  assert.match(await extension.continueStory({ PROMPT: "a", COUNT: 1, TEMPERATURE: -1 }), /^Error: .*temperature/);
});
