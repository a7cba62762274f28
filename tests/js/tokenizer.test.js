// Tokenization against SentencePiece: see tests/vectors/make-tokenizer.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";
import { openTokenizer } from "./tokenizer-wasm.js";
import { bpeMetadata } from "./tokenizer-tools.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/tokenizer.json", import.meta.url), "utf8"));

const load = (vocabulary, options) => loadModel(randomModel({ vocabulary, ...options }), { worker: false });

for (const { name, pieces, spacePrefix, ids } of vectors.tokenizers) {
  test(`the ids are SentencePiece's: ${name}`, async () => {
    const model = await load(pieces, { spacePrefix });
    for (const [i, text] of vectors.texts.entries())
      assert.deepEqual(await model.tokenize(text), ids[i], JSON.stringify(text));
    model.dispose();
  });

  test(`decoding gives the same text: ${name}`, async () => {
    const hasBytes = pieces.some(([, , type]) => type === 6);
    const known = new Set(pieces.flatMap(([text, , type]) => (type === 1 ? [...text] : [])));
    const model = await load(pieces, { spacePrefix });
    let count = 0;
    for (const text of vectors.texts) {
      const isKnown = [...text.replaceAll(" ", "\u2581")].every((character) => known.has(character));
      if (!hasBytes && !isKnown) continue; // without byte tokens unknown characters are lost
      const back = await model.detokenize(await model.tokenize(text));
      // To SentencePiece U+2581 is a space.
      assert.equal(back, text.replaceAll("\u2581", " "), JSON.stringify(text));
      count++;
    }
    assert.ok(count > 30);
    model.dispose();
  });
}

test("lone surrogates become U+FFFD", async () => {
  const model = await load(vocabularyOf(["a", "\u2581", "\ufffd"]));
  assert.deepEqual(await model.tokenize("a\ud83d"), [259, 261]);
  assert.equal(await model.detokenize(await model.tokenize("a\ud83d a\udc00")), "a\ufffd a\ufffd");
  assert.equal(await model.detokenize(await model.tokenize("\ud83d\ude00")), "\ud83d\ude00");
  model.dispose();
});

test("text never becomes control tokens, and control tokens give no text", async () => {
  const model = await load([...vocabularyOf(["<", "s", ">", "<s"]), ["!", 0, 3]]);
  const ids = await model.tokenize("<s>");
  assert.deepEqual(ids, [262, 261]);
  assert.equal(await model.detokenize([1, ...ids, 2, 0]), "<s>");
  assert.deepEqual(await model.tokenize("!"), [3 + 0x21]);
  model.dispose();
});

test("Phi-3 drops white space after all but three special tokens", async () => {
  const marks = ["<|user|>", "<|end|>", "<|endoftext|>"].map((text, i) => [text, 0, i ? 3 : 4]);
  const vocabulary = [...vocabularyOf(["a", "\u2581"]), ...marks];
  const open = (family) =>
    openTokenizer(randomModel({ vocabulary, headerOnly: true, extra: { "general.architecture": ["string", family] } }));
  const [a, space, user, end, text] = [259, 260, 261, 262, 263];
  const encode = (tokenizer, line) => tokenizer.encode(line, { special: true });
  const phi = await open("phi3");
  assert.deepEqual(encode(phi, "<|user|>\n a<|end|> \t\r\n<|user|>"), [user, a, end, user]);
  assert.deepEqual(encode(phi, "<|endoftext|> a<s> a<unk> a</s> a"), [text, space, a, 1, space, a, 0, space, a, 2, a]);
  assert.deepEqual(encode(phi, "<|end|> "), [end]);
  // Elsewhere U+2581 is a space, but not white space.
  assert.deepEqual(encode(phi, "<|end|>\u2581a"), [end, space, a]);
  assert.deepEqual(encode(phi, "<|user|>\n\u2581 a\u2581<|end|> \u2581"), [user, space, space, a, space, end, space]);
  assert.deepEqual(encode(phi, "a\u2581a a"), [a, space, a, space, a]);
  assert.deepEqual(encode(await open("llama"), "<|end|> a"), [end, space, a]);
});

test("bos comes before the ids when asked for", async () => {
  const model = await load(vocabularyOf(["a"]));
  assert.deepEqual(await model.tokenize("a", { bos: true }), [1, 259]);
  assert.deepEqual(await model.tokenize("", { bos: true }), [1]);
  assert.deepEqual(await model.tokenize(""), []);
  model.dispose();
});

test("of equal scores the leftmost pair is merged first", async () => {
  const vocabulary = vocabularyOf(["aa", "a"]).map(([text, , type]) => [text, 0, type]);
  const model = await load(vocabulary);
  assert.deepEqual(await model.tokenize("aaaaa"), [259, 259, 260]);
  model.dispose();
});

test("invalid bytes become U+FFFD and no text is lost", async () => {
  const model = await load(vocabularyOf(["a"]));
  const bytes = (...list) => list.map((byte) => 3 + byte);
  assert.equal(await model.detokenize([...bytes(0xf0, 0x9f), 259]), "\ufffda");
  assert.equal(await model.detokenize([259, ...bytes(0xe4, 0xb8)]), "a\ufffd");
  assert.equal(await model.detokenize(bytes(0xef, 0xbb, 0xbf, 0x41)), "\ufeffA");
  assert.equal(await model.detokenize([]), "");
  model.dispose();
});

test("the vocabulary gives the bytes of every token", async () => {
  const model = await load(vocabularyOf(["\u2581the", "日"]));
  const { tokens, eos } = model.vocabulary;
  assert.equal(tokens.length, 261);
  assert.deepEqual(eos, [2]);
  assert.deepEqual([...tokens[1]], []);
  assert.deepEqual([...tokens[3 + 0xf0]], [0xf0]);
  assert.equal(new TextDecoder().decode(tokens[259]), " the");
  assert.equal(new TextDecoder().decode(tokens[260]), "日");
  model.dispose();
});

test("long texts take linear time, even without spaces", { timeout: 300_000 }, async () => {
  const { pieces } = vectors.tokenizers.find(({ name }) => name === "pieces of several words");
  const model = await load(pieces, { spacePrefix: true });
  const text = vectors.texts.join(" ").repeat(40).slice(0, 200_000).replaceAll("\u2581", " ");
  const ids = await model.tokenize(text);
  assert.ok(ids.length > 30_000);
  assert.equal(await model.detokenize(ids), text.replace(/\p{Surrogate}/gu, "\ufffd"));
  model.dispose();
});

test("names of control tokens become those tokens when asked for, and a space is added after them", async () => {
  const model = await load(vocabularyOf(["\u2581", "a", "\u2581a"]), { spacePrefix: true });
  assert.deepEqual(await model.tokenize("a</s>a", { special: true }), [261, 2, 261]);
  assert.deepEqual(await model.tokenize("</s>", { special: true, bos: true }), [1, 2]);
  assert.ok(!(await model.tokenize("a</s>a")).includes(2));
  await assert.rejects(model.tokenize("a", { special: 1 }), { code: "bad-type" });
  model.dispose();
});

/** A model with a byte-level vocabulary: the bytes, "12", "ab", then special tokens. */
function bytesModel(extra, options) {
  const merges = [
    ["1", "2"],
    ["a", "b"],
  ];
  const special = [
    ["<|im_end|>", 3],
    ["<|x|>", 4],
  ];
  const metadata = bpeMetadata({ merges, special, pre: "qwen2", extra });
  return loadModel(randomModel({ vocabulary: Array(260).fill(["", 0, 1]), addBos: false, extra: metadata }), {
    worker: false,
    ...options,
  });
}
const [TWELVE, AB, IM_END, X] = [256, 257, 258, 259];

test("byte-level BPE splits, merges, and streams characters that are spread over tokens", async () => {
  const model = await bytesModel({});
  const ids = await model.tokenize("ab12é<|im_end|><|x|>");
  assert.equal(ids[0], AB);
  assert.ok(!ids.includes(TWELVE) && !ids.includes(IM_END), "each digit is a piece; control tokens are no text");
  assert.equal(ids.at(-1), X);
  assert.deepEqual(await model.tokenize("<|im_end|>", { special: true }), [IM_END]);
  assert.equal(await model.detokenize(ids), "ab12é<|im_end|><|x|>");
  assert.deepEqual([model.config.bos, model.vocabulary.eos], [1, [2, IM_END]]);
  assert.deepEqual([...model.vocabulary.tokens[0x20]], [0x20]);
  model.dispose();
});

test("models of Qwen read texts in composed form, others as they are", async () => {
  const composed = await bytesModel({});
  assert.deepEqual(await composed.tokenize("cafe\u0301"), await composed.tokenize("caf\u00e9"));
  const plain = await bytesModel({}, { preTokenizer: "gpt-2" });
  assert.notDeepEqual(await plain.tokenize("cafe\u0301"), await plain.tokenize("caf\u00e9"));
  for (const model of [composed, plain]) model.dispose();
});

test("an unknown pre-tokenizer is an error that names it, and another can be chosen", async () => {
  const extra = { "tokenizer.ggml.pre": ["string", "no-such"] };
  await assert.rejects(bytesModel(extra), { code: "model-pre-tokenizer", message: /"no-such"/ });
  await assert.rejects(bytesModel({}, { preTokenizer: "nor-this" }), {
    code: "model-pre-tokenizer",
    message: /nor-this/,
  });
  await assert.rejects(bytesModel({}, { preTokenizer: 1 }), { code: "bad-type" });
  const sentencePiece = randomModel({ vocabulary: ["<unk>", "a"] });
  await assert.rejects(loadModel(sentencePiece, { worker: false, preTokenizer: "gpt-2" }), { code: "conflict" });
  const model = await bytesModel(extra, { preTokenizer: "gpt-2" });
  assert.deepEqual(await model.tokenize("12"), [TWELVE]);
  model.dispose();
});

test("tokens that the file suppresses are never chosen", async () => {
  const chosen = async (extra, options) => {
    const model = await bytesModel(extra);
    const ids = [];
    for await (const { tokens } of model.generate("a", { maxTokens: 30, temperature: 0, eos: [], ...options }))
      ids.push(...tokens.map(({ id }) => id));
    model.dispose();
    return ids;
  };
  const [first] = await chosen({});
  const suppressed = { "tokenizer.ggml.suppress_tokens": ["int32", [first, -1, 99_999]] };
  const [second, ...others] = await chosen(suppressed);
  assert.ok(second !== first && !others.includes(first));
  assert.ok(!(await chosen(suppressed, { bannedTokens: [second] })).some((id) => id === first || id === second));
});
