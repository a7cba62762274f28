// What the benches have measured, tests/bench/results/, is what README and documentation say.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { entryOf, isQuiet, merged, readResults } from "../bench/record.js";
import { tablesOf } from "../markdown.js";

const root = new URL("../../", import.meta.url);
const names = readdirSync(new URL("tests/bench/results/", root)).map((file) => file.replace(".json", ""));

for (const name of names)
  test(`${name}: results say their command, date and machine`, () => {
    const { command, unit, entries } = readResults(name);
    const [, script] = /^node (tests\/bench\/[\w-]+\.js)( --[\w-]+( [\w.,-]+)?)*$/.exec(command) ?? [];
    assert.ok(script && existsSync(new URL(script, root)), command);
    assert.ok(unit && Object.keys(entries).length);
    for (const { date, machine, load, source, values } of Object.values(entries)) {
      assert.match(date, /^20\d\d-[01]\d-[0-3]\d$/);
      assert.ok(machine.length > 10 && (source || Number.isFinite(load)), "neither measured nor copied");
      for (const value of Object.values(values)) assert.ok(Number.isFinite(value) && value >= 0);
    }
  });

test("new results replace those of the same name alone, and what is missing is named", () => {
  const entry = (/** @type {number} */ ms) => ({ date: "2026-01-01", machine: "m", load: 1, values: { lastinch: ms } });
  const before = { command: "a", unit: "ms", entries: { one: entry(1), two: entry(2) } };
  const after = merged(before, { command: "b", unit: "ms", entries: { two: entry(3) } });
  assert.deepEqual(after, { command: "b", unit: "ms", entries: { one: entry(1), two: entry(3) } });
  assert.throws(() => entryOf("sampler", "nothing"), /sampler\.json has no nothing/);
});

test("times by the clock are believed while the load is not above the cores", () => {
  assert.deepEqual(
    [
      [1, 1],
      [2, 2],
      [2.1, 2],
      [9.2, 2],
      [7, 8],
    ].map(([load, cores]) => isQuiet(load, cores)),
    [true, true, false, false, true],
  );
});

/** The numbers in a cell: "11 (wllama), 52 (native)" has two. @param {string} cell */
const numbersIn = (cell) =>
  [...cell.replace(/\([^)]*\)/g, "").matchAll(/[\d,]*\.?\d+/g)].map(([n]) => Number(n.replace(/,/g, "")));

for (const [path, caption] of [
  ["README.md", "Measured"],
  ["demos/docs/measurements.md", "In short"],
])
  test(`${path} says what was measured, and nothing else`, () => {
    const { rows } = tablesOf(path).find((one) => one.caption === caption) ?? { rows: [] };
    const said = rows.map(([, ours, others]) => [...numbersIn(ours), ...numbersIn(others)]);
    const of = (/** @type {string} */ name, /** @type {string} */ what) => entryOf(name, what).values;
    const pair = (/** @type {string} */ name, /** @type {string} */ what, /** @type {string[]} */ keys) =>
      keys.map((key) => of(name, what)[key]);
    const [right, under] = ["right", "underConstrained"].map((what) =>
      pair("structured-output", what, ["lastinch", "webXgrammar"]),
    );
    const measured = [
      pair("sampler", "topP", ["lastinch", "javascript"]),
      pair("structured-output", "mask", ["lastinch", "webXgrammar"]),
      [right[0], under[0], right[1], under[1]],
      pair("models", "Qwen3-0.6B Q4_K_M", ["lastinch", "wllama", "llamacpp"]),
      pair("models", "Qwen3-0.6B Q4_0", ["lastinch", "wllama", "llamacpp"]),
      pair("transformers", "storyteller, no truncation", ["lastinch", "transformers"]),
    ];
    assert.equal(said.length, measured.length);
    for (const [i, numbers] of measured.entries()) {
      assert.equal(said[i].length, numbers.length, rows[i].join(" | "));
      // Two digits, as much as repeats.
      for (const [j, number] of numbers.entries())
        assert.ok(Math.abs(said[i][j] - number) <= 0.05 * number, `${rows[i]}: ${number} was measured`);
    }
  });

test("every row of measurements.md says its day, its machine, and its command or that it was copied", () => {
  const { rows } = tablesOf("demos/docs/measurements.md").find((one) => one.caption === "In short") ?? {};
  assert.ok(rows?.length);
  for (const [, , , origin] of rows)
    assert.match(
      origin,
      /^20\d\d-\d\d-\d\d, .{10,}(, load [\d.]+: `node tests\/bench\/.+`|; copied from the tables below)$/,
    );
});

test("numbers that were copied from measurements.md still stand there", () => {
  const all = names.flatMap((name) => Object.entries(readResults(name).entries));
  for (const [what, { source, values }] of all) {
    if (!source) continue;
    const text = readFileSync(new URL(source.replace("copied from ", ""), root), "utf8");
    for (const value of Object.values(values)) {
      // As it stands; in thousandths; as a part of ours.
      const thousandths = Math.round(1000 * value);
      const part = values.lastinch / value;
      const forms = [value, thousandths, thousandths.toLocaleString("en"), part.toFixed(1), part.toFixed(2)];
      assert.ok(
        forms.some((form) => new RegExp(`(?<![\\d.,])${form}(?![\\d]|[.,]\\d)`).test(text)),
        `${what}: ${value}`,
      );
    }
  }
});
