// Random schemas, regular expressions and grammars with the vocabulary of llama3: less than a minute of what `make
// test-long` does for hours. The judges are independent of the code and are tested themselves.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { isAbsent, readSuite } from "../bench/grammar-data.js";
import { Failure } from "../oracle/failure.js";
import { Exact, parseExact } from "../oracle/json.js";
import { Bench } from "../oracle/reader.js";
import { openOracle, runBatch } from "../oracle/run.js";
import { isInstance } from "../oracle/schema-judge.js";
import { isSentence } from "../oracle/grammar-arbitrary.js";
import { rounds } from "../rounds.js";
import { openLlama3 } from "../oracle/vocabulary.js";

const vocabulary = openLlama3();
const bench = await Bench.open(vocabulary);

/** @type {[string, number, number][]} the oracle, batches, cases of each batch */
const plan = [
  ["schema", rounds(2, 1), 40],
  ["regex", rounds(4, 2), 60],
  ["grammar", rounds(5, 2), 100],
];
for (const [name, batches, runs] of plan)
  test(`${name} oracle: no random case differs from its judge in texts, masks or walks`, async () => {
    const oracle = await openOracle(name);
    const before = bench.tally.counts["valid texts"] ?? 0;
    for (let seed = 1; seed <= batches; seed++) {
      const found = await runBatch(bench, oracle, { seed, runs });
      const again = `node tests/oracle/run.js --oracle ${name} --seed ${seed} --path ${found?.path}`;
      assert.ok(!found, `${found?.failure.message}\n  again: ${again}`);
    }
    assert.ok(bench.tally.counts["valid texts"] - before > batches * runs, "texts that are valid come up");
  });

test("a failure shrinks to the smallest case, and its path reproduces that case", async () => {
  const oracle = {
    cases: fc.record({ size: fc.nat(1000) }),
    check: async (_, { size }) => {
      if (size >= 10) throw new Failure("accepts", { size });
    },
  };
  const found = await runBatch(bench, oracle, { seed: 1 });
  assert.deepEqual(found?.chosen, { size: 10 });
  const again = await runBatch(bench, oracle, { seed: 1, path: found?.path ?? "" });
  assert.equal(again?.failure.message, 'accepts: {"size":10}');
});

test("a verdict, a token or a walk that differs from the judge's is a failure", async () => {
  const reader = await bench.compile({ regex: "ab|cd" }, 1);
  assert.ok(reader);
  reader.read("ab", true);
  assert.throws(() => reader.read("ab", false), { kind: "accepts" });
  assert.throws(() => reader.read("ac", true), { kind: "refuses" });
  assert.throws(() => reader.follow("abc"), { kind: "no token" });
  await assert.rejects(
    reader.walk("", () => false),
    { kind: "invalid walk" },
  );
  reader.compareAll("ab");
  reader.dispose();
  await assert.rejects(bench.compile({ regex: "(" }, 1), { kind: "grammar-syntax" });
});

test("the vocabulary is llama3's: every text comes back from its tokens", () => {
  const { tokens, eos, encode } = vocabulary;
  assert.equal(tokens.length, 128_256);
  assert.deepEqual(eos, [128_001, 128_009]);
  for (const text of ['{"name":"Alice","id":12345}', "é中😀\n\t  x", "<|eot_id|>"])
    assert.equal(Buffer.concat(encode(text).map((id) => tokens[id])).toString(), text);
  assert.equal(encode('{"name":"Alice"}').length, 5);
});

test("the judge's numbers are exact", () => {
  const of = (text) => new Exact(text);
  assert.equal(String(of("-12.500e3")), "-125e2");
  assert.ok(of("1e6102954").compare(of("9e6102953")) > 0 && of("-0").compare(of("0")) === 0);
  assert.ok(of("-1e-400").compare(of("-1e-399")) > 0 && of("0.1").compare(of("1e-1")) === 0);
  assert.ok(of("0.3").isMultiple(of("0.1")) && !of("0.35").isMultiple(of("0.1")) && of("1e999").isMultiple(of("16")));
  assert.ok(!of("1").isMultiple(of("1e2")) && of("7e2").isMultiple(of("35")));
  assert.deepEqual([...parseExact(' {"a":1,"b":[{}],"a":"x"}')].map(String), ["a,x", "b,[object Map]"]);
});

test("the recogniser accepts the sentences of ambiguous, empty and left-recursive rules", () => {
  const a = { kind: "text", text: "a" };
  const self = { kind: "rule", rule: 0 };
  const left = {
    kind: "choice",
    parts: [{ kind: "sequence", parts: [self, self, a] }, a, { kind: "sequence", parts: [] }],
  };
  for (const [text, is] of [
    ["", true],
    ["a", true],
    ["aaaaa", true],
    ["ab", false],
  ])
    assert.equal(isSentence({ rules: [left], isSpaced: false }, text), is, text);
  const pair = { kind: "repeat", body: a, least: 2, most: 2 };
  assert.deepEqual(
    [" a  a ", "aa", "a", "aaa"].map((text) => isSentence({ rules: [pair], isSpaced: true }, text)),
    [true, true, false, false],
  );
});

test("the schema judge is right about the official suite", { skip: isAbsent }, () => {
  // Leaves out what the oracle never gives the judge: other ways to name a schema, and keywords of other drafts.
  const isAsked = (schema) =>
    !/\$(?:id|anchor|dynamic|vocabulary)|https?:|"\$ref":"[^#]|"\$ref":"#[^/"]|definitions/.test(
      schema.replace('"$schema":"https:', ""),
    );
  let count = 0;
  const wrong = [];
  const groups = readSuite("draft2020-12").filter(({ file }) => file !== "format.json");
  for (const { file, description, schema, tests } of groups) {
    if (!isAsked(schema)) continue;
    for (const each of tests) {
      count++;
      if (isInstance(JSON.parse(schema), each.text) !== each.valid) wrong.push([file, description, each.description]);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(count > 900, `${count} were asked`);
});
