// The bench page's arithmetic, words and link, without a page; and that its ten texts satisfy their schemas.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";
import { byteLevel } from "../../demos/bench/bench-peers.js";
import {
  comparison,
  digits,
  packReport,
  rowsOf,
  textOf,
  unpackReport,
  wasDisturbed,
} from "../../demos/bench/bench-report.js";
import { cases, tokensOf, vocabularyOf } from "../../demos/bench/bench-schemas.js";
import { interleave, isDisturbed, modelLikeRow, ratioOf, summarise, usualTopP } from "../../demos/bench/measuring.js";

test("medians are those of the middle, and the spread is that of half of the samples", () => {
  assert.deepEqual(summarise([5, 1, 3, 2, 4]), { median: 3, spread: 2 / 3 });
  assert.equal(summarise([7, 7, 7, 90]).median, 7);
});

test("calls take turns, short ones are repeated, and a sample is the time of one", async () => {
  let clock = 0;
  const order = [];
  const calls = {
    short: () => (order.push("s"), (clock += 1)),
    long: async () => (order.push("l"), (clock += 10)),
  };
  const samples = await interleave(calls, { rounds: 2, shortest: 4, now: () => clock });
  assert.deepEqual(samples, { short: [1, 1], long: [10, 10] });
  assert.equal(order.slice(-10).join(""), "sssslssssl");
});

test("a ratio is refused where either side was disturbed", () => {
  const quiet = { median: 2, spread: 0.05 };
  assert.equal(ratioOf(quiet, { median: 10, spread: 0.29 }), 5);
  for (const other of [
    { median: 10, spread: 0.31 },
    { median: 0, spread: 0 },
    { median: NaN, spread: NaN },
  ]) {
    assert.equal(ratioOf(quiet, other), null);
    assert.equal(ratioOf(other, quiet), null);
    assert.ok(isDisturbed(quiet, other));
  }
});

const report = {
  date: "2026-11-28",
  version: "1.2.3",
  device: "a device",
  parts: [
    { id: "sampler", rows: rowsOf({ lastinch: [0.2, 0.2, 0.2], "usual JavaScript": [80, 80, 80] }) },
    {
      id: "model",
      rows: rowsOf({ "lastinch, 1 thread": [2000, 2000, 2000], wllama: [100, 400, 900] }, { wllama: "a note" }),
    },
  ],
};

test("the report says times and speeds, and not those that were disturbed", () => {
  const [sampler, model] = report.parts;
  assert.equal(comparison(sampler, sampler.rows[0]), "");
  assert.equal(comparison(sampler, sampler.rows[1]), "400 times the time of the first row");
  assert.equal(comparison(model, model.rows[1]), "no ratio: disturbed");
  assert.ok(wasDisturbed(report));
  assert.ok(!wasDisturbed({ ...report, parts: [sampler] }));
  assert.match(textOf(report), /^lastinch 1\.2\.3, 2026-11-28, a device\n.*\n {2}lastinch: 0\.2 ms\n/);
  assert.match(textOf(report), /wllama: 400 tokens a second \(no ratio: disturbed; a note\)$/);
  assert.deepEqual([0.1234, 12.6, 1234.5].map(digits), ["0.12", "13", "1,235"]);
});

test("a link brings the report back, and a forged one brings nothing", () => {
  assert.deepEqual(unpackReport(packReport(report)), report);
  const forged = (/** @type {object} */ change) => unpackReport(packReport({ ...report, ...change }));
  assert.equal(forged({ parts: [{ id: "constructor", rows: report.parts[0].rows }] }), null);
  assert.equal(forged({ parts: [{ id: "sampler", rows: [{ name: "x", median: "<b>", spread: 0 }] }] }), null);
  assert.equal(forged({ device: "x".repeat(301) }), null);
  assert.equal(forged({ parts: null }), null);
  for (const hash of ["", "#quick", "#r=", "#r=!", "#r=AAAA"]) assert.equal(unpackReport(hash), null);
});

test("the usual JavaScript draws only what top-p keeps", () => {
  const row = Float32Array.of(3, 1, 2, -50);
  const drawn = new Set(Array.from({ length: 200 }, () => usualTopP(row, 1, 0.9)));
  assert.deepEqual([...drawn].sort(), [0, 2]);
  assert.deepEqual(modelLikeRow(400), modelLikeRow(400));
});

test("each of the ten texts satisfies its schema, token by token, in the page's vocabulary", async (t) => {
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  t.after(() => model.dispose());
  const tokens = vocabularyOf([...model.vocabulary.tokens], 32_768);
  assert.equal(tokens.length, 32_768);
  assert.equal(cases.length, 10);
  for (const { name, schema, text } of cases) {
    const ids = tokensOf(text, tokens);
    assert.equal(ids.map((id) => new TextDecoder().decode(tokens[id])).join(""), text);
    const grammar = await compileGrammar({
      vocabulary: { tokens, eos: [...model.vocabulary.eos] },
      jsonSchema: schema,
    });
    const matcher = grammar.matcher();
    for (const id of ids) {
      assert.ok((matcher.bitmask()[id >> 5] >>> (id & 31)) & 1, name);
      assert.ok(matcher.accept(id), name);
    }
    assert.ok(matcher.isAccepting, name);
    grammar.dispose();
  }
});

test("tokens are spelt for peers with GPT-2's letters", () =>
  assert.equal(byteLevel(Uint8Array.of(32, 65, 10, 200)), "ĠAĊÈ"));
