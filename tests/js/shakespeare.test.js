// The character model: its vocabulary, the numbers on its card, and what it writes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { heldOutPlays, lacksPlays as skip } from "../vectors/held-out-plays.js";
import { collect, load, shipped } from "./decode-tools.js";
import { bitsOf } from "./held-out-bits.js";

const characters = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const card = readFileSync(new URL("../../demos/model/README.md", import.meta.url), "utf8");
const file = shipped("shakespeare");
const model = await load(file);
test.after(() => model.dispose());

/** The last number in the card's row that begins with this text. */
function stated(row) {
  const line = card.split("\n").find((line) => line.startsWith(`| ${row}`));
  assert.ok(line, `the card has no row "${row}"`);
  return Number(line.replaceAll(/[*,]/g, "").match(/(\d+(\.\d+)?)\D*$/)[1]);
}

test("the character model has the size that its card gives, below a megabyte", () => {
  assert.equal(file.length, stated("file of the playwright"));
  assert.ok(file.length < 1e6, `${file.length}`);
});

test("its vocabulary is three special tokens and the characters of the plays", () => {
  const { tokens, eos, special } = model.vocabulary;
  assert.deepEqual(
    tokens.map((bytes) => Buffer.from(bytes).toString()),
    ["", "", "", ...characters],
  );
  assert.deepEqual(special, { "<s>": 1, "</s>": 2 });
  assert.deepEqual(eos, [2]);
});

test("a text becomes its characters, whatever their order, and comes back", async () => {
  for (const text of [characters, [...characters].reverse().join(""), "  KING:\n\n\nthee  ll'' --no ", "\n", " "]) {
    const ids = await model.tokenize(text);
    assert.deepEqual(
      ids,
      Array.from(text, (character) => 3 + characters.indexOf(character)),
    );
    assert.equal(await model.detokenize(ids), text);
  }
});

test("characters that the plays lack are unknown, and a run of them is one token", async () => {
  assert.deepEqual(await model.tokenize("a10é🎭b"), [3 + characters.indexOf("a"), 0, 3 + characters.indexOf("b")]);
});

test("its bits per character on the held-out plays are those on its card", { skip }, async () => {
  const text = heldOutPlays().slice(0, 8192);
  const bits = (await bitsOf(model, text)) / text.length;
  console.log(`# shakespeare: ${bits.toFixed(4)} bits per character of the first ${text.length} held out`);
  const said = stated("… its first 8,192 characters");
  assert.ok(Math.abs(bits - said) < 0.0005, `${bits}, the card says ${said}`);
});

test("greedy decoding writes the text that its card shows", async () => {
  const [, prompt, shown] = card.match(/Greedy text after `(.+)`:\n\n```text\n([^]+?)\n```/);
  const options = { temperature: 0, maxTokens: shown.length };
  const first = await collect(model.generate(prompt.replace("\\n", "\n"), options));
  const again = await collect(model.generate(prompt.replace("\\n", "\n"), { ...options, seed: 7 }));
  assert.equal(first.text, shown);
  assert.deepEqual(again.ids, first.ids);
});

test("a text drawn at temperature 0.8 has one token for each character, and no unknown ones", async () => {
  for (const seed of [1, 2, 3]) {
    const { text, ids } = await collect(model.generate("ROMEO:\n", { temperature: 0.8, seed, maxTokens: 200 }));
    assert.equal(ids.length, 200);
    assert.deepEqual(
      Array.from(text, (character) => 3 + characters.indexOf(character)),
      ids,
    );
  }
});
