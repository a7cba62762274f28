// Writes tokenizer-groups.json: a byte-level vocabulary whose merges cross every border between words, and the ids of texts
// with each pre-tokenizer. They are llama.cpp's, but for tekken and gpt-4o: there llama.cpp takes the case of ASCII letters
// for that of all, and the ids are those of Hugging Face's tokenizers with the models' own expressions.
// Usage: node make-tokenizer-groups.js LLAMA_CPP LIBRARIES TOKENIZERS > tokenizer-groups.json, with llama.cpp's sources (for
// llama.h), the folder of its shared libraries and that of npm's package tokenizers 0.23.2.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeGguf } from "../js/tiny-gguf.js";
import { bpeMetadata } from "../js/tokenizer-tools.js";

const [sources, libraries, tokenizers] = process.argv.slice(2);

const groups = [
  "llama-bpe",
  "smaug-bpe",
  "qwen2",
  "qwen35",
  "smollm",
  "gpt-2",
  "tekken",
  "gpt-4o",
  "deepseek-v3",
  "deepseek-llm",
  "deepseek-coder",
  "falcon",
  "default",
  "minicpm5",
  "seed-coder",
  "bailingmoe",
  "ufakzeka",
];

// ---- texts -------------------------------------------------------------------------------------------

let state = 7;
const random = (limit) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

const parts = [
  ..."abcxyzABCXYZ0123456789'\"!?.,:;-_/\\|`~^$+<=>@#%&*()[]{}",
  ..." \t\n\r      \n\n\u00a0\u3000\u2028\u0085\u000b",
  ..."éüßÀÑœǅǈªºʰˇαΩЖжԱა中文字日本語のテスト、。한국어ไทยहिन्दीעברית٣४Ⅷ½²",
  ..."\u0301\u0308\u20dd\u200d\ufe0f\ufeff\u00ad«»“”‘’…—～！（）￥€©™→∑😀👩👍🏽🇩🇪🚀",
  "'s",
  "'S",
  "'t",
  "'re",
  "'RE",
  "'ve",
  "'ll",
  "'Ll",
  "'d",
  "'x",
  "the ",
  " and",
  "Hello",
  "camelCase",
  "HTTPServer",
  "12345",
  "   ",
  "\n\n\n",
  "\r\n",
  "----",
  "====",
  "/*",
  "//\n",
  "https://",
  "<|im_end|>",
  "<|eot_id|>",
  "<tool>",
  "<tool>>",
  "<|im_",
];
const texts = [
  "",
  " ",
  "  ",
  "   a",
  "a   ",
  "\n",
  "\n\n\nx",
  " \n \n x \n",
  "I'm you're HE'S they'Ll o'x '' 's'",
  "1 12 123 1234 12345 1234567890 3.14 1,000",
  "x1y22z333 ٣٤٥٦ ½²Ⅷ",
  "camelCase HTTPServer iPhone XMLHttpRequest éÉé ǅǈ aBcD",
  "a/b//c/\n/* x */ !!/\n",
  "中文字123日本語のテスト、한국어ไทยहिन्दी",
  "e\u0301a\u0308 \u0301x \u0301\u0301 1\u0301",
  "😀👩\u200d👩\u200d👧👍🏽🇩🇪 ☂\ufe0f",
  "\u00a0\u00a0x\u3000y\u2028z\u0085w",
  "<|im_end|> <|im_end|>x<tool><tool>> <|eot_id|><|im_",
  "for (let i = 0; i < n; i++) {\n\t\tsum += a[i];\n}\n\n  return sum;  \n",
];
for (let i = 0; i < 100; i++)
  texts.push(Array.from({ length: 1 + random(24) }, () => parts[random(parts.length)]).join(""));

// ---- the vocabulary: BPE trained on the texts without any split ---------------------------------------

/** @param {number} count of merges @returns {[string, string][]} */
function train(count) {
  const { alphabet } = bpeMetadata;
  let words = texts.map((text) => [...Buffer.from(text)].map((byte) => alphabet[byte]));
  const merges = [];
  while (merges.length < count) {
    const counts = new Map();
    for (const word of words)
      for (let i = 1; i < word.length; i++) {
        const pair = `${word[i - 1]} ${word[i]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    for (const [text] of special)
      for (const pair of counts.keys()) if (pair.replace(" ", "") === text) counts.delete(pair);
    const [[best]] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const [left, right] = best.split(" ");
    merges.push([left, right]);
    words = words.map((word) => {
      const joined = [];
      for (let i = 0; i < word.length; i++)
        if (word[i] === left && word[i + 1] === right) joined.push(left + word[++i]);
        else joined.push(word[i]);
      return joined;
    });
  }
  return merges;
}

const special = [
  ["<|im_end|>", 3],
  ["<|eot_id|>", 3],
  ["<tool>", 4],
  ["<tool>>", 4],
];
const merges = train(420);

// ---- llama.cpp ---------------------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), "lastinch-"));
const program = join(folder, "llama-tokenize");
const shared = readdirSync(libraries).filter((name) => /^lib(llama|ggml|ggml-base)\.(v[\d.]+\.)?so$/.test(name));
execFileSync("cc", [
  ...["-O1", join(import.meta.dirname, "llama-tokenize.c"), "-o", program],
  ...[`-I${sources}/include`, `-I${sources}/ggml/include`],
  ...[...shared.map((name) => join(libraries, name)), `-Wl,-rpath,${libraries}`],
]);
const byLlama = (pre, parse) => {
  const path = join(folder, `${pre}.gguf`);
  writeFileSync(path, writeGguf(bpeMetadata({ merges, special, pre }), []));
  return execFileSync(program, [path, parse ? "1" : "0"], { input: texts.map((text) => text + "\0").join("") })
    .toString()
    .split("\n")
    .slice(0, texts.length)
    .map((line) => line.trim().split(" ").filter(Boolean).map(Number));
};
const byHuggingFace = (pattern, ignoreMerges) => {
  const { Tokenizer } = createRequire(import.meta.url)(tokenizers);
  const [, tokens] = bpeMetadata({ merges, special, pre: "" })["tokenizer.ggml.tokens"];
  const first = tokens.length - special.length;
  const split = { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false };
  const bytes = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false };
  const tokenizer = Tokenizer.fromString(
    JSON.stringify({
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: special.flatMap(([content, type], i) =>
        type === 4
          ? { id: first + i, content, special: false, single_word: false, lstrip: false, rstrip: false, normalized: false }
          : [],
      ),
      normalizer: null,
      pre_tokenizer: { type: "Sequence", pretokenizers: [split, bytes] },
      post_processor: null,
      decoder: null,
      model: {
        type: "BPE",
        vocab: Object.fromEntries(tokens.map((token, i) => [token, i])),
        merges: merges.map((pair) => pair.join(" ")),
        ignore_merges: ignoreMerges,
      },
    }),
  );
  return Promise.all(texts.map(async (text) => (await tokenizer.encode(text)).getIds()));
};
const before = "[^\\r\\n\\p{L}\\p{N}]?";
const [upper, lower] = ["[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]", "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"];
const rest = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const words = (end) => `${before}${upper}*${lower}+${end}|${before}${upper}+${lower}*${end}`;
const exact = {
  tekken: () => byHuggingFace(`${words("")}|\\p{N}|${rest}`, true),
  "gpt-4o": () => byHuggingFace(`${words("(?i:'s|'t|'re|'ve|'m|'ll|'d)?")}|\\p{N}{1,3}|${rest}`, false),
};
const ids = {};
for (const pre of groups) ids[pre] = await (exact[pre]?.() ?? byLlama(pre, false));
const withSpecial = byLlama("qwen2", true);
rmSync(folder, { recursive: true });
process.stdout.write(JSON.stringify({ merges, special, texts, ids, withSpecial }) + "\n");
