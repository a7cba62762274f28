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

const plain = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  2,
  100,
  1e9,
  "",
  "a",
  "2020-02-30",
  "x".repeat(70),
  [],
  {},
  [1, 1],
  { a: 1 },
];

/** What a schema is about: names of properties, and values that it mentions. */
function topicsOf(schema) {
  const names = new Set(["a", "zz"]);
  const values = new Set();
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === "object" && value && ["properties", "dependencies", "dependentRequired"].includes(key))
        for (const name of Object.keys(value)) names.add(name);
      if (key === "required" && Array.isArray(value))
        for (const name of value) if (typeof name === "string") names.add(name);
      if (key === "enum" && Array.isArray(value)) for (const one of value.slice(0, 20)) values.add(JSON.stringify(one));
      if (["const", "default"].includes(key)) values.add(JSON.stringify(value));
      if (typeof value === "number") for (const step of [-1, 0, 1]) values.add(String(value + step));
      visit(value);
    }
  };
  visit(schema);
  return {
    names: [...names],
    values: [...values].filter((text) => text !== undefined).map((text) => JSON.parse(text)),
  };
}

/** A changed copy of a value. */
function mutate(value, { names, values }, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const fresh = () => structuredClone(random() < 0.5 && values.length ? pick(values) : pick(plain));
  const root = { value: structuredClone(value) };
  /** @type {[any, string | number][]} */
  const places = [];
  const visit = (holder, key) => {
    places.push([holder, key]);
    const at = holder[key];
    if (typeof at === "object" && at)
      for (const inner of Object.keys(at)) visit(at, Array.isArray(at) ? Number(inner) : inner);
  };
  visit(root, "value");
  const [holder, key] = pick(places);
  const at = holder[key];
  const changes = [() => (holder[key] = fresh()), () => (holder[key] = structuredClone(root.value && pick(places)[0]))];
  if (holder !== root) changes.push(() => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]));
  if (Array.isArray(holder))
    changes.push(() => holder.splice(Number(key), 0, random() < 0.5 ? structuredClone(at) : fresh()));
  if (typeof at === "number")
    changes.push(...[at + 1, at - 1, at + 0.5, -at, at * 10, at / 10].map((next) => () => (holder[key] = next)));
  if (typeof at === "string") {
    const cut = Math.floor(random() * (at.length + 1));
    const [head, tail] = [at.slice(0, cut), at.slice(cut)];
    const texts = [
      head + pick(["a", "0", "-", ".", " ", "é", "\n", "Z"]) + tail,
      head,
      tail,
      head + tail.slice(1),
      at + at,
    ];
    changes.push(...texts.map((next) => () => (holder[key] = next)));
  }
  if (Array.isArray(at))
    changes.push(
      () => at.push(fresh()),
      () => at.reverse(),
    );
  if (typeof at === "object" && at && !Array.isArray(at)) {
    const add = () =>
      Object.defineProperty(at, pick(names), { value: fresh(), enumerable: true, writable: true, configurable: true });
    changes.push(add, add, () => (at[pick(names)] = structuredClone(pick(places)[0])));
  }
  pick(changes)();
  return root.value;
}

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
