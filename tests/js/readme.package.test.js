// The README's examples run as they stand.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { examplesOf } from "../markdown.js";
import { openPeer } from "./onnx-tools.js";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const examples = examplesOf("README.md");

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

test("the grammar example writes an instance of its schema from all-zero logits", async () => {
  const [[value]] = await logged(examples[1]);
  assert.deepEqual(Object.keys(value), ["age"]);
  assert.ok(Number.isInteger(value.age) && value.age >= 18 && value.age <= 120);
});

test("the transformers.js example writes with our sampler", async () => {
  const { folder } = await openPeer("draft");
  const example = examples[2].replace("onnx-community/SmolLM2-135M-ONNX", folder.name);
  const [[text, tokens]] = await logged(example);
  assert.match(text, /^Once upon a time/);
  assert.equal(tokens.length, 20);
});

test("the model example appends a story", async () => {
  const parts = [];
  await run(examples[3], { document: { body: { append: (text) => parts.push(text) } } });
  assert.ok(parts.length > 10);
  assert.match(parts.join(""), /[a-z]+ [a-z]+/);
});

test("the AI SDK example gives text, and no warning", async () => {
  const [[text, warnings]] = await logged(examples[4]);
  assert.match(text, /[a-z]+ [a-z]+/);
  assert.deepEqual(warnings, []);
});

test("the Prompt API example answers yes or no", async () => {
  const [[answer]] = await logged(examples[5]);
  assert.match(answer, /^(yes|no)$/);
});

test("every example is run by a test", () => assert.equal(examples.length, 6));

const root = new URL("../../", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");
const texts = ["README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG"].map((name) => `${name}.md`);

/** The ids that GitHub gives the headings of a text. */
const idsOf = (text) =>
  (text.match(/^#+ .*$/gm) ?? []).map((heading) =>
    heading
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

for (const name of texts)
  test(`${name}: every link leads to a file and a heading`, () => {
    for (const [, target] of read(name).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path, anchor] = target.split("#");
      assert.ok(!path || existsSync(new URL(path, root)), target);
      if (anchor) assert.ok(idsOf(read(path || name)).includes(anchor), target);
    }
  });

test("every file and folder that ARCHITECTURE.md and CONTRIBUTING.md name exists", () => {
  const files = ["src", "web", "wasm", "tests", "demos"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true }).map((path) => `/${folder}/${path}`),
  );
  const all = [...files, ...readdirSync(root).map((name) => `/${name}`)];
  const isThere = (path) =>
    all.some((file) => (path.endsWith("/") ? `${file}/`.endsWith(`/${path}`) : file.endsWith(`/${path}`)));
  const named = texts
    .slice(1, 3)
    .flatMap((name) => [...read(name).matchAll(/`([\w./-]+(?:\/|\.(?:[ch]|js|json|md)))`/g)]);
  const missing = named.map(([, path]) => path).filter((path) => !/^(dist|build)\//.test(path) && !isThere(path));
  assert.deepEqual(missing, []);
});

test("the README has at most 200 lines", () => assert.ok(readme.split("\n").length <= 201));
