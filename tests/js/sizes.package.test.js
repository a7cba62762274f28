// What a page loads: bytes, and which chunks of the bundle bring which others.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { loadedWith, pageSize } from "../../tools/package/elements.js";
import { limitOf } from "../limits.js";

const dist = join(import.meta.dirname, "../../dist");
const names = readdirSync(dist).filter((name) => /^[A-Z0-9]{8}\.js$/.test(name));
const chunks = names.map((name) => ({ name, text: readFileSync(join(dist, name), "utf8") }));

/** The chunk that has some text. @param {string} text */
const chunkWith = (text) => chunks.find((chunk) => chunk.text.includes(text))?.name;
const compilerOf = () => chunkWith("compileGrammar takes one of");

// The goal is 15 KB; demos/docs/measurements.md says which bytes are left. The limit may only shrink.
test("a page that samples loads no more than its limit: sampler.wasm and the JavaScript of the package's entry", () => {
  const size = pageSize("index.js");
  assert.ok(size > 5000 && size <= limitOf("sampler"), `${size} bytes`);
});

test("a page whose schemas have neither pattern nor format loads no parser of regular expressions", () => {
  const parser = chunkWith("Invalid regular expression");
  for (const name of [chunkWith("unevaluatedProperties"), compilerOf()])
    assert.ok(name && parser && !loadedWith(name).has(parser), name);
});

test("a page whose texts have no grammar loads none of the code of grammars", () => {
  const compiler = compilerOf();
  const models = chunkWith("complete gives one text");
  assert.ok(compiler && models && !loadedWith(models).has(compiler));
});

test("the adapter for OpenAI's interface adds at most 6 KB to a page", () => {
  const size = brotliCompressSync(readFileSync(join(dist, "openai.js"))).length;
  assert.ok(size > 1000 && size <= 6000, `${size} bytes`);
});
