// Pre-tokenizers against llama.cpp and Hugging Face's tokenizers: see tests/vectors/make-tokenizer-groups.js.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bpeMetadata, tokenizerOf } from "./tokenizer-tools.js";

const file = new URL("../vectors/tokenizer-groups.json", import.meta.url);
const { merges, special, texts, ids, withSpecial } = JSON.parse(readFileSync(file, "utf8"));

for (const [pre, expected] of Object.entries(ids))
  test(`the ids are those of the model's own tokenizer: ${pre}`, async () => {
    const tokenizer = await tokenizerOf(bpeMetadata({ merges, special, pre }));
    for (const [i, text] of texts.entries())
      assert.deepEqual(tokenizer.encode(text), expected[i], JSON.stringify(text));
  });

test("the names of control tokens become tokens when asked for", async () => {
  const tokenizer = await tokenizerOf(bpeMetadata({ merges, special, pre: "qwen2" }));
  for (const [i, text] of texts.entries())
    assert.deepEqual(tokenizer.encode(text, { special: true }), withSpecial[i], JSON.stringify(text));
  assert.ok(withSpecial.some((list, i) => list.length !== ids.qwen2[i].length));
});

test("a pre-tokenizer is known by all its names, and another one can be chosen", async () => {
  const digits = "12345";
  const encoded = async (pre, options) => (await tokenizerOf(bpeMetadata({ merges, pre }), options)).encode(digits);
  assert.deepEqual(await encoded("deepseek-r1-qwen"), await encoded("qwen2"));
  assert.deepEqual(await encoded("llama4"), await encoded("gpt-4o"));
  assert.notDeepEqual(await encoded("qwen2"), await encoded("gpt-2"));
  assert.deepEqual(await encoded("qwen2", { pre: "gpt-2" }), await encoded("gpt-2"));
  assert.deepEqual(await encoded("no-such", { pre: "gpt-2" }), await encoded("gpt-2"));
  for (const pre of ["no-such", "", "gpt", "llama4 kanana2"])
    assert.equal((await tokenizerOf(bpeMetadata({ merges, pre }))).fault[0], 3, pre);
});

test("a long run without a split takes n log n steps", { timeout: 300_000 }, async () => {
  const tokenizer = await tokenizerOf(bpeMetadata({ merges, pre: "gpt-2" }));
  for (const text of ["a", "\n", " ", "-", "中", "aB"].map((part) => part.repeat(1_000_000 / part.length)))
    assert.ok(tokenizer.encode(text).length > 1000);
});

test("merges that name no token, or that form none, are refused with their number", async () => {
  const refused = async (merge) => {
    const metadata = bpeMetadata({ merges, pre: "gpt-2" });
    metadata["tokenizer.ggml.merges"][1].splice(2, 0, merge);
    return (await tokenizerOf(metadata)).fault;
  };
  for (const merge of ["", " ", "a", " a", "a ", "zz zz", "a zz", "\u0120\u0120\u0120\u0120q a", "q 9"])
    assert.deepEqual(await refused(merge), [8, 2], merge);
});
