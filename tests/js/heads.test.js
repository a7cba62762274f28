// The heads that are shipped for the storyteller: which model they belong to, their sizes, and how often they are right.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { readGguf } from "../vectors/gguf-files.js";
import { load, shipped } from "./decode-tools.js";
import { referenceEagle, referenceMedusa } from "./heads-reference.js";

const folder = new URL("../../demos/model/", import.meta.url);
const card = readFileSync(new URL("README.md", folder), "utf8");
const prompts = JSON.parse(readFileSync(new URL("prompts.json", folder), "utf8"));
const target = shipped("storyteller");
const heads = { medusa: shipped("medusa"), eagle: shipped("eagle") };
const most = { medusa: 320e3, eagle: 700e3 };

/** The numbers in the card's row that begins with this text. */
function stated(row) {
  const line = card.split("\n").find((line) => line.startsWith(`| ${row} |`));
  assert.ok(line, `the card has no row "${row}"`);
  return line
    .slice(row.length + 2)
    .match(/\d[\d.,]*/g)
    .map((number) => Number(number.replaceAll(",", "")));
}

const model = await load(target);
after(() => model.dispose());

test("the heads name the storyteller, by its name and by the hash that the engine gives its file", async () => {
  const saved = new DataView(await (await model.save([1])).arrayBuffer());
  const hash = saved.getBigUint64(8, true).toString(16).padStart(16, "0");
  for (const file of Object.values(heads)) {
    const { metadata } = readGguf(file);
    assert.equal(metadata["general.base_model.0.name"], readGguf(target).metadata["general.name"]);
    assert.equal(metadata["general.base_model.0.xxh64"], hash);
  }
});

test("the files of heads have the sizes that their card gives", () => {
  const sizes = Object.values(heads).map((file) => file.length);
  assert.deepEqual(sizes, stated("file of the heads, Q8_0, bytes"));
  for (const [name, file] of Object.entries(heads)) assert.ok(file.length < most[name], `${name}: ${file.length}`);
});

// A head's first choice.
const best = (row) => row.indexOf(Math.max(...row));
const story = [...(await model.tokenize(prompts.story.prompt, { bos: true })), ...prompts.story.tokens];

test("Medusa's heads know tokens ahead, the nearest best", () => {
  const rows = referenceMedusa(heads.medusa, target, story.slice(0, 80));
  const right = rows.map((ofHead, k) => ofHead.filter((row, t) => best(row) === story[t + 2 + k]).length / 80);
  assert.equal(rows.length, 4);
  assert.ok(right[0] > 0.3 && right[0] > right[3] && right[3] > 0.05, `${right}`);
});

test("EAGLE's layer knows tokens ahead, and goes on from its own output", () => {
  let right = 0;
  const ends = [6, 11, 16, 21, 26, 31];
  for (const end of ends) {
    const rows = referenceEagle(heads.eagle, target, story.slice(0, end), story.slice(end, end + 3));
    assert.equal(rows.length, 4);
    right += rows.filter((row, j) => best(row) === story[end + j]).length / (4 * ends.length);
  }
  assert.ok(right > 0.4, `${right}`);
});
