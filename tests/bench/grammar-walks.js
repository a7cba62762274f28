// Random walks through the masks of many schemas, judged by ajv: all of them must end, and end valid.
// LASTINCH_TEST_DATA=... node tests/bench/grammar-walks.js [--walks 10000] [--vocabulary byte] [--engine lastinch]
//   [--order schema] [--closing 0.1] [--suite] [--every 1] [--seed 1] [--ids A,B] [--list wrong.json]
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isAbsent, readMaskBench, readRemotes } from "./grammar-data.js";
import { engines } from "./grammar-engines.js";
import { openJudge } from "./grammar-judge.js";
import { installPackages } from "./grammar-packages.js";
import { randomFrom, randomWalk, tasteOf } from "./grammar-random.js";
import { suiteEntries } from "./grammar-suite.js";
import { counts } from "./grammar-tables.js";
import { openVocabulary } from "./grammar-vocabulary.js";

const { values: flags } = parseArgs({
  options: {
    walks: { type: "string", default: "10000" },
    vocabulary: { type: "string", default: "byte" },
    engine: { type: "string", default: "lastinch" },
    order: { type: "string", default: "schema" },
    closing: { type: "string", default: "0.1" },
    patience: { type: "string", default: "200" },
    limit: { type: "string", default: "3000" },
    suite: { type: "boolean", default: false },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    ids: { type: "string" },
    splits: { type: "string" },
    show: { type: "string", default: "10" },
    "largest-schema": { type: "string", default: "100000" },
    list: { type: "string" },
  },
});
if (isAbsent) throw new Error(isAbsent);
installPackages();

const every = Number(flags.every);
const entries = (
  flags.suite
    ? suiteEntries(every)
    : readMaskBench({ every, ids: flags.ids?.split(","), splits: flags.splits?.split(",") })
).filter((entry) => entry.schema.length <= Number(flags["largest-schema"]));
const remotes = flags.suite ? readRemotes() : {};
const vocabulary = openVocabulary(flags.vocabulary);
const engine = await engines[flags.engine](vocabulary);
const taste = tasteOf(vocabulary);
const times = Math.ceil(Number(flags.walks) / entries.length);

/** @type {Record<string, number>} */
const table = {};
const tell = (what) => (table[what] = (table[what] ?? 0) + 1);
const wrong = [];
const unfinished = [];
let steps = 0;

for (const [index, entry] of entries.entries()) {
  let grammar;
  let judge;
  try {
    grammar = await engine.compile(entry.schema, { propertyOrder: flags.order, remotes });
  } catch (error) {
    tell(`schemas ${engine.refusal(error).kind}`);
    continue;
  }
  try {
    judge = openJudge(entry.schema, remotes, entry.tests);
  } catch {
    tell("schemas that ajv cannot judge");
  }
  for (let time = 0; time < times; time++) {
    const seed = Number(flags.seed) + index * 100_003 + time;
    const how = { taste, patience: Number(flags.patience), limit: Number(flags.limit) };
    const closing = time % 2 ? Number(flags.closing) : 0;
    let walked;
    try {
      const matcher = await grammar.matcher();
      walked = await randomWalk(matcher, vocabulary, randomFrom(seed), { ...how, closing });
      matcher.dispose?.();
    } catch (error) {
      tell("errors");
      wrong.push({ id: entry.id, why: engine.refusal(error).message, seed, time, text: "" });
      continue;
    }
    steps += walked.tokens.length;
    const text = Buffer.from(walked.bytes).toString();
    const isEmpty = walked.end === "dead end" && !walked.tokens.length;
    if (isEmpty) {
      tell("empty grammars");
      break;
    }
    if (walked.end === "unfinished") unfinished.push(entry.id);
    let why = walked.end === "finished" ? "" : walked.end;
    if (!why && !Buffer.from(text).equals(Buffer.from(walked.bytes))) why = "not UTF-8";
    if (!why && judge) why = judge(text);
    tell(
      !why
        ? judge
          ? "valid"
          : "finished, not judged"
        : ["dead end", "unfinished", "wrong mask", "doubtful", "twin keys"].includes(why)
          ? why
          : "invalid",
    );
    if (why && !["unfinished", "doubtful", "twin keys"].includes(why))
      wrong.push({ id: entry.id, why, seed, time, text });
  }
  grammar.dispose();
}

console.log(`${flags.engine}, ${flags.vocabulary}, ${entries.length} schemas, ${times} walks each, ${steps} steps`);
for (const [what, count] of Object.entries(table)) console.log(`  ${what}: ${count}`);
if (unfinished.length) console.log(`unfinished: ${counts(unfinished).slice(0, 1000)}`);
const first = wrong.filter((one, i) => wrong.findIndex((other) => other.id === one.id && other.why === one.why) === i);
console.log(`schemas with wrong walks: ${new Set(wrong.map((one) => one.id)).size}`);
if (wrong.length)
  console.log(`  ${counts(wrong.map((one) => one.why.replace(/^\S* /, "").slice(0, 60))).slice(0, 2000)}`);
for (const one of first.slice(0, Number(flags.show)))
  console.log(`${one.id} (${one.time}): ${one.why}: ${one.text.slice(0, 300)}`);
if (flags.list) writeFileSync(flags.list, JSON.stringify(wrong, null, 1));
