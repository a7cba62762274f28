// The page that compares: every cell of the others has a source with a version or a date, every cell of ours a test.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { codesOf, tablesOf } from "../markdown.js";

const root = new URL("../../tests/", import.meta.url);
const tables = tablesOf("demos/docs/comparison.md");
const sources = new Map(tables.at(-1)?.rows.map(([letter, what]) => [letter, what]));
const compared = tables.slice(0, -1);

test("every cell names its source or its test", () => {
  const used = new Set();
  assert.ok(compared.length === 3 && compared.every(({ rows }) => rows.length > 5));
  for (const { head, rows } of compared)
    for (const [feature, ours, ...others] of rows) {
      const [name, word] = codesOf(ours);
      const found = ["js/", "browser/", "c/"].find((folder) => name && existsSync(new URL(folder + name, root)));
      assert.ok(found && word, `${feature}: no test ${name}`);
      const text = readFileSync(new URL(found + name, root), "utf8").toLowerCase();
      assert.ok(text.includes(word.toLowerCase()), `${feature}: ${name} has no ${word}`);
      assert.equal(others.length, head.length - 2, feature);
      others.forEach((cell, i) => {
        const [, letter] = /^.+ ([TWLCP]\d)$/.exec(cell) ?? [];
        assert.ok(letter && sources.has(letter), `${feature}, ${head[i + 2]}: ${cell}`);
        used.add(letter);
      });
    }
  assert.deepEqual([...used].sort(), [...sources.keys()].sort(), "a source that no cell uses");
});

test("sources say a version, a build, an issue or a day", () => {
  for (const [letter, what] of sources) {
    const first = [...sources].find(([other]) => other[0] === letter[0])?.[1] ?? "";
    const said = /^(the same|its)\b/.test(what) ? first + what : what;
    assert.match(said, /\d+\.\d+\.\d+|build b\d+|#\d+|20\d\d/, letter);
  }
});

test("a row of the limits page has an answer in every cell", () => {
  const [{ rows }] = tablesOf("demos/docs/limits.md");
  assert.ok(rows.length > 15);
  for (const cells of rows) assert.ok(cells.length === 4 && cells.every((cell) => cell.length > 1), cells[0]);
});
