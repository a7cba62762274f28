// loadTokenizer: the tokens of a file, without its weights.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel, loadTokenizer } from "lastinch";
import { randomModel, vocabularyOf, writeGguf } from "./tiny-gguf.js";
import { bpeMetadata } from "./tokenizer-tools.js";

const storyteller = new URL("../../demos/model/storyteller.gguf", import.meta.url);
const TEXTS = [
  "Once upon a time, there was a strawberry.",
  "",
  " two  spaces",
  "123 + 4567",
  "\ud83c\udf53 \u4f60\u597d na\u00efve",
  "<s>",
  "a\u2581b",
];

for (const worker of [true, false])
  test(`its tokens are those of the model (worker: ${worker})`, async () => {
    const file = new Blob([readFileSync(storyteller)]);
    const [model, tokenizer] = await Promise.all([loadModel(file, { worker }), loadTokenizer(file, { worker })]);
    for (const text of TEXTS) {
      const ids = await model.tokenize(text, { bos: true });
      assert.deepEqual(await tokenizer.tokenize(text, { bos: true }), ids, text);
      assert.equal(await tokenizer.detokenize(ids), await model.detokenize(ids), text);
      assert.deepEqual(
        await tokenizer.tokenize(["a", 1, text], { special: true }),
        await model.tokenize(["a", 1, text], { special: true }),
      );
    }
    assert.deepEqual(tokenizer.vocabulary.tokens, model.vocabulary.tokens);
    assert.deepEqual(tokenizer.vocabulary.special, model.vocabulary.special);
    const { bos, addBos, vocabSize, name } = model.config;
    const config = { bos, addBos, vocabSize, name, kind: "sentencepiece", preTokenizer: null };
    assert.deepEqual({ ...tokenizer.config }, config);
    model.dispose();
    tokenizer.dispose();
    await assert.rejects(tokenizer.tokenize("a"), { code: "disposed" });
    await assert.rejects(tokenizer.trace("a"), { code: "disposed" });
  });

test("it reads the header only, and of architectures that no model runs here", async () => {
  const merges = [["a", "b"]];
  const extra = { "general.architecture": ["string", "unheard-of"] };
  const file = writeGguf(bpeMetadata({ merges, pre: "gpt-2", extra }), []);
  let pulled = 0;
  let isCancelled = false;
  const stream = new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(pulled ? new Uint8Array(50_000) : file);
        pulled++;
      },
      cancel: () => void (isCancelled = true),
    },
    { highWaterMark: 0 },
  );
  const tokenizer = await loadTokenizer(stream);
  assert.deepEqual(await tokenizer.tokenize("ab"), [256]);
  assert.ok(isCancelled);
  assert.ok(pulled < 5, `${pulled} pieces were read`);
  tokenizer.dispose();
});

/** The ids of a text from its merges, by the definition: a symbol is its newest token. @param {any} tokenizer @param {string} text */
async function replay(tokenizer, text) {
  const { bytes, pieces } = await tokenizer.trace(text);
  const { tokens } = tokenizer.vocabulary;
  const ids = [];
  let end = 0;
  for (const piece of pieces) {
    assert.equal(piece.begin, end, "pieces follow each other");
    end = piece.end;
    let symbols = [];
    const isBytes = tokenizer.config.kind === "bpe";
    for (let at = piece.begin; at < piece.end;) {
      let next = at + 1;
      while (!isBytes && next < piece.end && (bytes[next] & 0xc0) === 0x80) next++;
      symbols.push({ begin: at, end: next });
      at = next;
    }
    for (const { begin, end, token } of piece.merges) {
      const inside = symbols.filter((symbol) => symbol.begin >= begin && symbol.end <= end);
      assert.ok(inside.length === 2 || (begin === piece.begin && end === piece.end), "a merge takes two symbols");
      assert.deepEqual([...tokens[token]], [...bytes.slice(begin, end)], "a token has the bytes of its place");
      symbols = symbols.flatMap((symbol) =>
        symbol === inside[0] ? [{ begin, end, token }] : inside.includes(symbol) ? [] : [symbol],
      );
    }
    for (const { begin, end, token } of symbols) {
      const same = (/** @type {Uint8Array} */ one, /** @type {Uint8Array} */ two) =>
        one.length === two.length && one.every((byte, i) => byte === two[i]);
      const part = bytes.slice(begin, end);
      // What no merge has made is a character with a token, or its bytes.
      const whole = tokens.findLastIndex((one) => same(one, part));
      if (token !== undefined) ids.push(token);
      else if (whole >= 0) ids.push(whole);
      else for (const byte of part) ids.push(tokens.findIndex((one) => same(one, Uint8Array.of(byte))));
    }
  }
  assert.equal(end, bytes.length, "pieces cover the text");
  return ids;
}

test("the merges of a trace lead to the tokens: SentencePiece", async () => {
  const tokenizer = await loadTokenizer(new Blob([readFileSync(storyteller)]), { worker: false });
  for (const text of TEXTS) assert.deepEqual(await replay(tokenizer, text), await tokenizer.tokenize(text), text);
  await assert.rejects(tokenizer.trace(/** @type {any} */ (7)), { name: "TypeError", code: "bad-type" });
  tokenizer.dispose();
});

test("the merges of a trace lead to the tokens: byte-level BPE, cut before it is merged", async () => {
  const merges = [
    ["a", "b"],
    ["\u0120", "a"],
    ["ab", "c"],
    ["\u0120a", "b"],
  ];
  const file = writeGguf(bpeMetadata({ merges, pre: "gpt-2" }), []);
  const tokenizer = await loadTokenizer(file, { worker: false });
  const { pieces } = await tokenizer.trace("abc ab");
  assert.deepEqual(pieces, [
    {
      begin: 0,
      end: 3,
      merges: [
        { begin: 0, end: 2, token: 256 },
        { begin: 0, end: 3, token: 258 },
      ],
    },
    { begin: 3, end: 6, merges: [{ begin: 4, end: 6, token: 256 }] },
  ]);
  for (const text of ["abc ab", "cab", " a a", "na\u00efve", ""])
    assert.deepEqual(await replay(tokenizer, text), await tokenizer.tokenize(text), text);
  tokenizer.dispose();
});

test("a user's token is a piece, a control token's name is text; Phi-3's tokenizer is not traced", async () => {
  const vocabulary = [...vocabularyOf(["a", "\u2581a"]), ["<u>", 0, 4], ["<c>", 0, 3]];
  const open = (/** @type {object} */ extra) =>
    loadTokenizer(randomModel({ vocabulary, spacePrefix: true, ...extra }), { worker: false });
  const tokenizer = await open({});
  for (const text of ["a<u>a", "<u>", "a a\u2581a", "a<c>a"])
    assert.deepEqual(await replay(tokenizer, text), await tokenizer.tokenize(text), text);
  assert.notDeepEqual(await tokenizer.tokenize("a<c>a", { special: true }), await tokenizer.tokenize("a<c>a"));
  tokenizer.dispose();
  const phi = await open({ extra: { "general.architecture": ["string", "phi3"] } });
  assert.ok((await phi.tokenize("a")).length);
  await assert.rejects(phi.trace("a"), { code: "model-tokenizer" });
  phi.dispose();
});

test("mistakes of the caller and of the file have their codes", async () => {
  const good = randomModel({ vocabulary: vocabularyOf(["a"]) });
  await assert.rejects(loadTokenizer(good, /** @type {any} */ ({ contextLength: 9 })), { code: "unknown-option" });
  await assert.rejects(loadTokenizer(good, { preTokenizer: "gpt-2", worker: false }), { code: "conflict" });
  await assert.rejects(loadTokenizer(new Uint8Array(100)), { code: "gguf-magic" });
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(loadTokenizer(good, { signal }), /enough/);
});
