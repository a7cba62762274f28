// The tokenizers of real models against llama.cpp: its own vectors, and a million characters of mixed text.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { writeGguf } from "../js/tiny-gguf.js";
import { bpeMetadata } from "../js/tokenizer-tools.js";
import { openTokenizer } from "../js/tokenizer-wasm.js";
import { isThere, pathOf, tokenise } from "./llama.js";

const names = [
  ...["llama-bpe", "llama-spm", "qwen2", "qwen35", "gpt-2", "phi-3", "refact", "starcoder", "command-r"],
  ...["deepseek-llm", "deepseek-coder", "falcon", "mpt"],
];
// Where llama.cpp is not what the model's own tokenizer.json says:
// - deepseek-llm: it does not see U+3000 among the punctuation that the model's expression lists.
const departures = new Set(["deepseek-llm"]);

const fileOf = (name) => pathOf(`vocabularies/ggml-vocab-${name}.gguf`);
const isSpm = (name) => name === "llama-spm" || name === "phi-3";
const open = (name) => openTokenizer(readFileSync(fileOf(name)), { prefix: isSpm(name) });
const skip = isThere() && existsSync(fileOf("qwen2")) ? false : "make models gets the vocabularies";

for (const name of names)
  test(`llama.cpp's own vectors: ${name}`, { skip }, async () => {
    const tokenizer = await open(name);
    const texts = readFileSync(`${fileOf(name)}.inp`, "utf8").split("\n__ggml_vocab_test__\n");
    const lines = readFileSync(`${fileOf(name)}.out`, "utf8")
      .trim()
      .split("\n");
    assert.ok(lines.length >= 40);
    for (const [i, line] of lines.entries())
      assert.deepEqual(tokenizer.encode(texts[i]), line.trim().split(" ").filter(Boolean).map(Number), texts[i]);
  });

let state = 11;
const random = (limit) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const scripts = [
  ...[0x4e00, 0x3040, 0xac00, 0x1f300, 0x1f600, 0x300, 0x400, 0x600, 0x900, 0xe00, 0x20, 0x41, 0x61, 0xa0, 0x370],
  ...[0x2000, 0x2190, 0x3000, 0xff01, 0x1d400, 0x20000],
];
const words = [
  "'s",
  "'T",
  "'re",
  "'VE",
  "'ll",
  "don't",
  "I'LL",
  "camelCase",
  " function(",
  "){\n\t",
  " = [0];",
  "://",
  "/*",
];

/** @param {number} length @param {string[]} special texts of special tokens */
function mixedText(length, special) {
  let text = "";
  while (text.length < length) {
    const kind = random(9);
    if (kind < 3)
      for (let i = random(9), from = scripts[random(scripts.length)]; i >= 0; i--)
        text += String.fromCodePoint(from + random(0x5f));
    else if (kind === 3) text += " ".repeat(1 + random(20));
    else if (kind === 4) text += "\n".repeat(1 + random(5)) + " ".repeat(random(5));
    else if (kind === 5) text += String(random(1e9)).slice(0, 1 + random(9));
    else if (kind === 6) text += words[random(words.length)];
    else if (kind === 7) text += ["\r\n", "\t", "\t\t", "\r", "\u00a0"][random(5)];
    else text += special.length ? special[random(special.length)] : " the";
  }
  return text;
}

for (const name of names.filter((each) => !departures.has(each)))
  test(`a million characters as llama.cpp: ${name}`, { skip, timeout: 600_000 }, async () => {
    const tokenizer = await open(name);
    for (let i = 0; i < 10; i++) {
      const text = mixedText(100_000, tokenizer.specials);
      const [ours, theirs] = [tokenizer.encode(text, { special: true }), [...tokenise(fileOf(name), text)]];
      const at = ours.findIndex((id, place) => id !== theirs[place]);
      assert.deepEqual([at, ours.length], [-1, theirs.length]);
    }
  });

// Every name of a pre-tokenizer, on the vocabulary of tests/js/tokenizer-groups.test.js, whose merges cross every border.
const source = readFileSync(new URL("../../src/tokenizer/pre_tokenizer.c", import.meta.url), "utf8");
const rows = source.slice(source.indexOf("static const li_pre_tokenizer table")).matchAll(/"([a-z][^"]*)"/g);
const preTokenizers = Array.from(rows, ([, list]) => list.trim().split(" ")).flat();
const vectors = new URL("../vectors/tokenizer-groups.json", import.meta.url);
// llama.cpp takes the case of ASCII letters for that of all in the splits of GPT-4o and Tekken.
const ofAscii = new Set(["tekken", "gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2", ...departures]);

test("every name of a pre-tokenizer splits as in llama.cpp", { skip, timeout: 600_000 }, async () => {
  assert.ok(preTokenizers.length >= 70);
  const { merges, special } = JSON.parse(readFileSync(vectors, "utf8"));
  mkdirSync(pathOf("random"), { recursive: true });
  const path = pathOf("random/pre-tokenizer.gguf");
  const text = mixedText(30_000, []);
  for (const pre of preTokenizers) {
    const file = writeGguf(bpeMetadata({ merges, special, pre }), []);
    writeFileSync(path, file);
    const tokenizer = await openTokenizer(file);
    const given = ofAscii.has(pre) ? text.replace(/[^\0-\x7f]/g, "") : text;
    assert.deepEqual(tokenizer.encode(given, { special: true }), [...tokenise(path, given)], pre);
  }
});
