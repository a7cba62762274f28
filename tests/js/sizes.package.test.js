// What a page loads: the bytes, and which chunks of the bundle load which others.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { loadedWith, pageSize } from "../../tools/package/elements.js";
import { limitOf } from "../limits.js";

const dist = join(import.meta.dirname, "../../dist");
const read = (/** @type {string} */ name) => readFileSync(join(dist, name), "utf8");

/** The script with this text that `index.js` imports, statically or dynamically. @param {string} text */
function chunkWith(text) {
  const seen = new Set(["index.js"]);
  for (const name of seen)
    for (const [, other] of read(name).matchAll(/(?:from|import)\s*\(?"\.\/([^"]+)"/g)) seen.add(other);
  return [...seen].find((name) => read(name).includes(text));
}
const compilerOf = () => chunkWith("compileGrammar takes one of");

// The goal is 15 KB; demos/docs/measurements.md says what could still be saved. The limit may only shrink.
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
  const models = chunkWith("complete returns one text");
  assert.ok(compiler && models && !loadedWith(models).has(compiler));
});

test("the adapter for OpenAI's interface adds at most 6 KB to a page", () => {
  const size = brotliCompressSync(readFileSync(join(dist, "openai.js"))).length;
  assert.ok(size > 1000 && size <= 6000, `${size} bytes`);
});
