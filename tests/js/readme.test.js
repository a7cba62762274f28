// The README's examples run as they stand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1]);

/** Runs an example as a module whose globals are stood in for by those given. */
async function run(example, globals) {
  Object.assign(globalThis, globals);
  const code = example.replaceAll('from "lastinch"', `from ${JSON.stringify(import.meta.resolve("lastinch"))}`);
  await import(`data:text/javascript,${encodeURIComponent(code)}`);
}

test("the sampler example chooses one of its survivors", async () => {
  const lines = [];
  const { log } = console;
  console.log = (...values) => lines.push(values);
  try {
    await run(examples[0], {});
  } finally {
    console.log = log;
  }
  const [token, tokens, probabilities] = lines[0];
  assert.ok(tokens.includes(token));
  assert.ok(Math.abs(probabilities.reduce((a, b) => a + b) - 1) < 1e-12);
});

test("the model example appends a story", async () => {
  const parts = [];
  const page = { location: { href: new URL("../../", import.meta.url).href } };
  await run(examples[1], { ...page, document: { body: { append: (text) => parts.push(text) } } });
  assert.ok(parts.length > 10);
  assert.match(parts.join(""), /[a-z]+ [a-z]+/);
});

test("there are no examples that nothing runs", () => assert.equal(examples.length, 2));
