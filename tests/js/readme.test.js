// The README's examples run as they stand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { openPeer } from "./onnx-tools.js";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1]);

/** Runs an example as a module whose globals are stood in for by those given. */
async function run(example, globals) {
  Object.assign(globalThis, globals);
  const code = example.replaceAll(/from "([^"]+)"/g, (_, name) => `from ${JSON.stringify(import.meta.resolve(name))}`);
  await import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** What an example logs. */
async function logged(example) {
  const lines = [];
  const { log } = console;
  console.log = (...values) => lines.push(values);
  try {
    await run(example, {});
  } finally {
    console.log = log;
  }
  return lines;
}

test("the sampler example chooses one of its survivors", async () => {
  const [[token, tokens, probabilities]] = await logged(examples[0]);
  assert.ok(tokens.includes(token));
  assert.ok(Math.abs(probabilities.reduce((a, b) => a + b) - 1) < 1e-12);
});

test("the model example appends a story", async () => {
  const parts = [];
  await run(examples[1], { document: { body: { append: (text) => parts.push(text) } } });
  assert.ok(parts.length > 10);
  assert.match(parts.join(""), /[a-z]+ [a-z]+/);
});

test("the group example samples eight tokens of the three likeliest", async () => {
  const [[tokens]] = await logged(examples[2]);
  assert.equal(tokens.length, 8);
  assert.ok(tokens.every((token) => token < 3));
});

test("the grammar example writes an instance of its schema, though its logits know nothing", async () => {
  const [[value]] = await logged(examples[3]);
  assert.deepEqual(Object.keys(value), ["age"]);
  assert.ok(Number.isInteger(value.age) && value.age >= 18 && value.age <= 120);
});

test("the example of several models and texts runs as it says", async () => {
  const [[beams], [drafted], [guided]] = await logged(examples[7]);
  assert.equal(beams.length, 2);
  assert.notEqual(beams[0], beams[1]);
  assert.match(drafted[0], /[a-z]+ [a-z]+/);
  assert.match(guided[0], /[a-z]+ [a-z]+/);
});

test("the beam search example finds what greedy does not", async () => {
  const results = await logged(examples[8]);
  assert.deepEqual(
    results.map(([tokens]) => [...tokens]),
    [
      [1, 0],
      [0, 0],
    ],
  );
  assert.ok(Math.abs(results[0][1] - 0.315) < 1e-6 && Math.abs(results[1][1] - 0.2) < 1e-6);
});

test("the transformers.js example writes with our sampler", async () => {
  const { folder } = await openPeer("draft");
  const example = examples[4].replace("onnx-community/SmolLM2-135M-ONNX", folder.name);
  const [[text, tokens]] = await logged(example);
  assert.match(text, /^Once upon a time/);
  assert.equal(tokens.length, 20);
});

test("the AI SDK example gives text, and no warning", async () => {
  const [[text, warnings]] = await logged(examples[5]);
  assert.match(text, /[a-z]+ [a-z]+/);
  assert.deepEqual(warnings, []);
});

test("the Prompt API example answers yes or no", async () => {
  const [[answer]] = await logged(examples[6]);
  assert.match(answer, /^(yes|no)$/);
});

test("there are no examples that nothing runs", () => assert.equal(examples.length, 9));
