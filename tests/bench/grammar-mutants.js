// Differential test: instances with small changes, judged by ajv and by a grammar; both must say the same.
// LASTINCH_TEST_DATA=... node tests/bench/grammar-mutants.js [--mutants 40] [--every 1] [--suite] [--seed 1] [--ids A,B]
//   [--show 20] [--list wrong.json]
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isAbsent, readMaskBench, readRemotes } from "./grammar-data.js";
import { engines } from "./grammar-engines.js";
import { openJudge } from "./grammar-judge.js";
import { installPackages } from "./grammar-packages.js";
import { randomFrom } from "./grammar-random.js";
import { suiteEntries } from "./grammar-suite.js";
import { counts } from "./grammar-tables.js";
import { byteVocabulary } from "./grammar-vocabulary.js";
import { isSet } from "./grammar-walk.js";
import { mutate, plain, topicsOf } from "../oracle/mutants.js";

const { values: flags } = parseArgs({
  options: {
    mutants: { type: "string", default: "40" },
    every: { type: "string", default: "1" },
    suite: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    ids: { type: "string" },
    splits: { type: "string" },
    show: { type: "string", default: "20" },
    list: { type: "string" },
  },
});
if (isAbsent) throw new Error(isAbsent);
installPackages();

const vocabulary = byteVocabulary();
const engine = await engines.lastinch(vocabulary);

/** Whether the grammar takes the text. */
async function takes(grammar, text) {
  const matcher = await grammar.matcher();
  const isTaken =
    vocabulary.encode(text).every((token) => matcher.accept(token)) && isSet(await matcher.mask(), vocabulary.eos[0]);
  matcher.dispose?.();
  return isTaken;
}

const every = Number(flags.every);
const entries = flags.suite
  ? suiteEntries(every)
  : readMaskBench({ every, ids: flags.ids?.split(","), splits: flags.splits?.split(",") });
const remotes = flags.suite ? readRemotes() : {};
const table = { valid: 0, invalid: 0, accepts: 0, rejects: 0, doubtful: 0, "schemas left out": 0, errors: 0 };
/** @type {{ id: string, verdict: string, why: string, text: string }[]} */
const wrong = [];

for (const [index, { id, schema, tests }] of entries.entries()) {
  const random = randomFrom(Number(flags.seed) * 1_000_003 + index);
  let grammar, judge;
  try {
    judge = openJudge(schema, remotes, tests);
    grammar = await engine.compile(schema, { propertyOrder: "any", remotes });
  } catch {
    table["schemas left out"]++;
    continue;
  }
  const topics = topicsOf(JSON.parse(schema));
  const seeds = tests.map((test) => JSON.parse(test.text)).concat(topics.values.slice(0, 5), plain.slice(-4));
  for (let count = 0; count < Number(flags.mutants); count++) {
    let value = seeds[Math.floor(random() * (random() < 0.8 && tests.length ? tests.length : seeds.length))];
    for (let times = Math.floor(random() * 3); times >= 0; times--) value = mutate(value, topics, random);
    const text = JSON.stringify(value);
    if (text === undefined || text.length > 5000 || /\\ud[89a-f]/.test(text)) continue;
    const why = judge(text);
    let isTaken;
    try {
      isTaken = await takes(grammar, text);
    } catch (error) {
      table.errors++;
      wrong.push({ id, verdict: "error", why: engine.refusal(error).message, text });
      continue;
    }
    const verdict =
      why === "doubtful" ? why : isTaken === !why ? (isTaken ? "valid" : "invalid") : isTaken ? "accepts" : "rejects";
    table[verdict]++;
    if (verdict === "accepts" || verdict === "rejects") wrong.push({ id, verdict, why, text });
  }
  grammar.dispose();
}

console.log(`${entries.length} schemas:`, table);
const isFirst = (one, i) => wrong.findIndex((other) => other.id === one.id && other.verdict === one.verdict) === i;
const first = wrong.filter(isFirst);
console.log(
  `schemas with differences: ${new Set(wrong.map((one) => one.id)).size}; ${counts(first.map((one) => one.verdict))}`,
);
for (const one of first.slice(0, Number(flags.show)))
  console.log(`${one.id}: ${one.verdict} ${one.text.slice(0, 300)} ${one.why && `(${one.why})`}`);
if (flags.list) writeFileSync(flags.list, JSON.stringify(wrong, null, 1));
