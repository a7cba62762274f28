// Structured output on real schemas and on the official suite: the counts must not get worse.
import assert from "node:assert/strict";
import test from "node:test";
import { isAbsent, readMaskBench } from "../bench/grammar-data.js";
import { engines } from "../bench/grammar-engines.js";
import { randomFrom, randomWalk, tasteOf } from "../bench/grammar-random.js";
import { runSuite } from "../bench/grammar-suite.js";
import { byteVocabulary } from "../bench/grammar-vocabulary.js";
import { walkEntry } from "../bench/grammar-walk.js";

const vocabulary = byteVocabulary();
const options = { skip: isAbsent };
const engine = isAbsent ? undefined : await engines.lastinch(vocabulary);
const count = (list, key, value) => list.filter((one) => one[key] === value).length;
const first = (list) => list.slice(0, 5).map((one) => JSON.stringify({ ...one, masks: undefined, commits: undefined }));

// What is wrong in 2020-12 is format.json, which wants formats to be annotations (19).
for (const [draft, below, tests, right] of /** @type {const} */ ([
  ["draft2020-12", "", 1299, 1280],
  ["draft2020-12", "optional", 162, 162],
  ["draft2020-12", "optional/format", 764, 746],
  ["draft7", "", 927, 927],
  ["draft7", "optional/format", 676, 658],
  ["draft4", "", 618, 618],
]))
  test(
    `${draft}/${below} of the official suite: at least ${right} of ${tests} right, no invalid instance accepted`,
    options,
    async () => {
      const verdicts = await runSuite(/** @type {any} */ (engine), draft, below);
      assert.equal(verdicts.length, tests);
      const accepts = verdicts.filter((one) => one.verdict === "accepts");
      assert.deepEqual(first(accepts), []);
      assert.deepEqual(first(verdicts.filter((one) => one.verdict === "error")), []);
      assert.ok(count(verdicts, "verdict", "right") >= right, `${count(verdicts, "verdict", "right")} are right`);
    },
  );

test("one in eight schemas of MaskBench: at least 275 of 287 right, none under-constrained", options, async () => {
  const outcomes = [];
  for (const { id, schema, tests } of readMaskBench({ every: 8 })) {
    const entry = { schema, tests: tests.map((one) => ({ ...one, tokens: vocabulary.encode(one.text) })) };
    const outcome = await walkEntry(/** @type {any} */ (engine), vocabulary.eos, entry);
    outcomes.push({ id, ...outcome });
  }
  assert.equal(outcomes.length, 287);
  for (const status of ["under", "error"])
    assert.deepEqual(first(outcomes.filter((outcome) => outcome.status === status)), []);
  assert.ok(count(outcomes, "status", "right") >= 275, `${count(outcomes, "status", "right")} are right`);
});

test("random walks through schemas of MaskBench end in JSON and never in a dead end", options, async () => {
  const taste = tasteOf(vocabulary);
  let finished = 0;
  for (const { id, schema } of readMaskBench({ every: 16 })) {
    let grammar;
    try {
      grammar = await engine?.compile(schema);
    } catch {
      continue; // refused: counted above
    }
    for (let seed = 0; seed < 4; seed++) {
      const matcher = await /** @type {any} */ (grammar).matcher();
      const walked = await randomWalk(matcher, vocabulary, randomFrom(seed), { taste, closing: 0.1, patience: 100 });
      matcher.dispose();
      if (walked.end === "dead end" && !walked.tokens.length) break; // nothing satisfies the schema
      assert.ok(["finished", "unfinished"].includes(walked.end), `${id}, seed ${seed}: ${walked.end}: ${walked.bytes}`);
      if (walked.end === "unfinished") continue;
      JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(walked.bytes));
      finished++;
    }
    grammar?.dispose();
  }
  assert.ok(finished >= 550, `${finished} ended`);
});
