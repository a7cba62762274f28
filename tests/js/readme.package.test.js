// The README's examples run as they stand.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { examplesOf } from "../markdown.js";

const examples = examplesOf("README.md");

/** Runs an example as a module in which `globals` replace the real globals. */
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

test("the sampler example chooses one of the surviving tokens", async () => {
  const [[token, tokens, probabilities]] = await logged(examples[0]);
  assert.ok(tokens.includes(token));
  assert.ok(Math.abs(probabilities.reduce((a, b) => a + b) - 1) < 1e-12);
});

test("the grammar example writes an instance of its schema from all-zero logits", async () => {
  const [[value]] = await logged(examples[1]);
  assert.deepEqual(Object.keys(value), ["age"]);
  assert.ok(Number.isInteger(value.age) && value.age >= 18 && value.age <= 120);
});

test("a test runs every example", () => {
  assert.equal(examples.length, 2);
  // copied.chromium.test.js opens the first, docs.package.test.js' elements the second.
  assert.equal(examplesOf("README.md", "html").length, 2);
});

test("the first page of the documentation has the README's first examples", () => {
  const page = "demos/docs/start.md";
  assert.deepEqual(examplesOf(page), [examples[0]]);
  assert.deepEqual(examplesOf(page, "html"), [examplesOf("README.md", "html")[0]]);
});

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
  const files = ["src", "web", "wasm", "tools", "tests", "demos"].flatMap((folder) =>
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

test("the README names the version of the package in the CDN's addresses", () => {
  const { version } = JSON.parse(read("package.json"));
  const single = readdirSync(new URL("demos/templates/single", root)).map((name) => `demos/templates/single/${name}`);
  const named = ["README.md", "demos/docs/setup.md", "demos/templates/turbowarp/lastinch.js", ...single].flatMap(
    (path) => [...read(path).matchAll(/lastinch@([\d.]+)\//g)],
  );
  assert.ok(named.length > 2 + single.length);
  for (const [, number] of named) assert.equal(number, version);
  assert.match(read("CITATION.cff"), new RegExp(`^version: ${version}$`, "m"));
  assert.match(read("CHANGELOG.md"), new RegExp(`^## ${version}$`, "m"));
  assert.ok(read("demos/bench.js").includes(`const VERSION = "${version}";`));
  for (const name of readdirSync(new URL("demos/templates", root))) {
    const path = `demos/templates/${name}/package.json`;
    if (existsSync(new URL(path, root)))
      assert.equal(JSON.parse(read(path)).dependencies.lastinch, `^${version}`, path);
  }
});

for (const [name, most] of Object.entries({ README: 150, ARCHITECTURE: 200 }))
  test(`${name}.md has at most ${most} lines`, () => assert.ok(read(`${name}.md`).split("\n").length <= most + 1));
