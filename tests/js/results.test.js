// What the benches have measured, tests/bench/results/, is what README and documentation say.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { entryOf, merged, readResults } from "../bench/record.js";
import { tablesOf } from "../markdown.js";

const root = new URL("../../", import.meta.url);
const page = "demos/docs/measurements.md";
const text = readFileSync(new URL(page, root), "utf8");
const names = readdirSync(new URL("tests/bench/results/", root)).map((file) => file.replace(".json", ""));

/** The numbers in a row of a table. @param {string} caption its beginning @param {string} first cell of the row */
function numbersOf(caption, first) {
  const table = tablesOf(page).find((one) => one.caption.startsWith(caption));
  const row = table?.rows.find(([cell]) => cell === first);
  assert.ok(row, `${page} has no row ${first} under ${caption}`);
  return row.slice(1).map((cell) => cell.split(" / ").map((part) => Number(part.replace(/[,%\s]/g, ""))));
}

/** Asserts that two numbers are the same but for rounding. @param {number} said @param {number} measured */
const isRounded = (said, measured, share = 0.03) =>
  assert.ok(Math.abs(said - measured) <= share * Math.abs(measured), `${page} says ${said}, measured ${measured}`);

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

test("measurements.md has the times of the sampler", () => {
  const { lastinch, javascript } = entryOf("sampler", "topP").values;
  const [, part, ms] =
    /top-p \.95 takes 1\/(\d+) of the time of the usual JavaScript \(.*?: (\d+) ms\)/.exec(text) ?? [];
  isRounded(Number(ms), javascript);
  isRounded(Number(part), javascript / lastinch);
});

test("measurements.md has the verdicts and masks of structured output", () => {
  const valuesOf = (/** @type {string} */ what) => entryOf("structured-output", what).values;
  const [right, underConstrained, mask, schemas] = ["right", "underConstrained", "mask", "schemas"].map(valuesOf);
  assert.ok(text.includes(`${schemas.all}\nschemas)`) || text.includes(`${schemas.all} schemas)`));
  const systems = ["lastinch", "webXgrammar", "huggingface"];
  const verdicts = numbersOf("Three engines for JSON Schema", "right / under-constrained");
  const masks = numbersOf("Three engines for JSON Schema", "mask, mean / p50 / p99 µs");
  systems.forEach((system, i) => {
    isRounded(verdicts[i][0], right[system], 0.01);
    isRounded(verdicts[i][1], underConstrained[system], 0.02);
    isRounded(masks[i][0], 1000 * mask[system]);
  });
});

test("measurements.md has the speeds of models beside wllama and llama.cpp", () => {
  for (const [name, { values }] of Object.entries(readResults("models").entries)) {
    const { lastinch, wllama, llamacpp } = values;
    const row = numbersOf("Shapes of real checkpoints", name.replace(" ", ", ")).flat();
    isRounded(row[0], lastinch);
    isRounded(row[2], lastinch / wllama, 0.04);
    isRounded(row[3], lastinch / llamacpp, 0.02);
  }
});

test("measurements.md has the gain of transformers.js with our sampler", () => {
  const { lastinch, transformers } = entryOf("transformers", "storyteller, no truncation").values;
  const [[ratio]] = numbersOf("Speed of transformers.js", "temperature .8, no truncation");
  isRounded(ratio, transformers / lastinch, 0.06); // a median of pairs, from runs that differ by .04
});
