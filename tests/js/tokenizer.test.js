// Tokenization against SentencePiece: see tests/vectors/make-tokenizer.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

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
      if (!hasBytes && !isKnown) continue; // unknown characters are lost without bytes
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

test("text never gives control tokens, and control tokens give no text", async () => {
  const model = await load([...vocabularyOf(["<", "s", ">", "<s"]), ["!", 0, 3]]);
  const ids = await model.tokenize("<s>");
  assert.deepEqual(ids, [262, 261]);
  assert.equal(await model.detokenize([1, ...ids, 2, 0]), "<s>");
  assert.deepEqual(await model.tokenize("!"), [3 + 0x21]);
  model.dispose();
});

test("bos is put before the ids when asked for", async () => {
  const model = await load(vocabularyOf(["a"]));
  assert.deepEqual(await model.tokenize("a", { bos: true }), [1, 259]);
  assert.deepEqual(await model.tokenize("", { bos: true }), [1]);
  assert.deepEqual(await model.tokenize(""), []);
  model.dispose();
});

test("equal scores are joined from the left", async () => {
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

test("long texts take linear time, even without spaces", { timeout: 60_000 }, async () => {
  const { pieces } = vectors.tokenizers.find(({ name }) => name === "pieces of several words");
  const model = await load(pieces, { spacePrefix: true });
  const text = vectors.texts.join(" ").repeat(40).slice(0, 200_000).replaceAll("\u2581", " ");
  const ids = await model.tokenize(text);
  assert.ok(ids.length > 30_000);
  assert.equal(await model.detokenize(ids), text.replace(/\p{Surrogate}/gu, "\ufffd"));
  model.dispose();
});
