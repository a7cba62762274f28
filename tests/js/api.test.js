// Every export of the package, as a stranger looks for it: a sentence in the reference, an example in the documentation, and
// a test. What is experimental says so.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { examplesOf } from "../markdown.js";

const root = new URL("../../", import.meta.url);
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root), "utf8");
const reference = read("demos/docs/api.md");
const { exports } = JSON.parse(read("package.json"));

/** Entries whose names are of use by themselves: no widgets, which the gallery shows, and nothing that only installs. */
const entries = Object.keys(exports)
  .filter((key) => !/widgets|inline|react|preact|vue|svelte|\.json$|\.wasm$|\.gguf$/.test(key))
  .map((key) => key.replace(".", "lastinch"));

const pages = readdirSync(new URL("demos/docs/", root)).filter((file) => file.endsWith(".md") && file !== "api.md");
const languages = ["js", "js in-page", "html"];
const examples = ["README.md", ...pages.map((file) => `demos/docs/${file}`)]
  .flatMap((path) => languages.flatMap((language) => examplesOf(path, language)))
  .join("\n");
const tests = readdirSync(new URL("tests/js/", root))
  .filter((file) => file.endsWith(".test.js") && file !== "api.test.js")
  .map((file) => read(`tests/js/${file}`))
  .join("\n");

/** The sections of the reference by name: what follows each heading, up to the next. */
const sections = [
  ...reference.matchAll(/^### <a id="([\w./-]+)"><\/a>(\w+) <small>(\w+)<\/small>\n([^]*?)(?=^##|(?![^]))/gm),
];

/** What a section says, without code. @param {string} text */
const wordsOf = (text) => text.replace(/^(- )?`.*?`\\?$/gm, "").trim();

test("everything in the reference has a sentence, or members that have one", () => {
  assert.ok(sections.length > 150, String(sections.length));
  // The names of the experimental entry say enough to those who read its code; a model's address is a URL.
  const isPlain = (/** @type {string} */ id) => id.startsWith("lastinch-engine-") || id.endsWith("-default");
  const bare = sections.filter(([, id, , , text]) => !wordsOf(text) && !isPlain(id));
  assert.deepEqual(
    bare.map(([, id]) => id),
    [],
  );
});

/** Whether the signature of a section ends with that type. @param {string} text @param {string} type */
const returns = (text, type) => new RegExp(`: (Promise<)?${type}>?\`$`, "m").test(text);

test("every function, class and value that can be imported is in the reference, in an example and in a test", async () => {
  const missing = new Set();
  let count = 0;
  for (const entry of entries) {
    if (entry === "lastinch/engine") continue; // experimental: the adapters are its examples and tests
    for (const name of Object.keys(await import(entry))) {
      if (name === "default") continue; // addresses of models, which have pages of their own
      count++;
      // Of a class that is there for its type, what returns it is shown and tested.
      const makers = sections.filter(([, , , kind, text]) => kind === "function" && returns(text, name));
      const names = [name, ...makers.map(([, , maker]) => maker)].map((one) => new RegExp(`\\b${one}\\b`));
      const isIn = (/** @type {string} */ text) => names.some((pattern) => pattern.test(text));
      if (!sections.some(([, , known]) => known === name)) missing.add(`${name} of ${entry}: no reference`);
      if (!isIn(examples)) missing.add(`${name} of ${entry}: no example`);
      if (!isIn(tests)) missing.add(`${name} of ${entry}: no test`);
    }
  }
  assert.ok(count > 40, String(count));
  assert.deepEqual([...missing], []);
});

test("the reference and the page about it say that lastinch/engine is experimental", () => {
  assert.match(reference, /lastinch\/engine is experimental/);
  assert.match(read("demos/docs/transformers.md"), /entry is \*\*experimental\*\*/);
});
