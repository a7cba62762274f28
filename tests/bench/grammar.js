// Structured output beside its peers in the same run, over MaskBench: verdicts, masks, compilation, set-up, bytes.
// LASTINCH_TEST_DATA=... node tests/bench/grammar.js [--every 1] [--peers-every 8] [--peers web-xgrammar,huggingface]
//   [--vocabulary llama3] [--splits A,B] [--limit 60] [--quiet-runs 5] [--order schema] [--skip beside,anyJson]
//   [--list wrong.json]
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { isAbsent, readMaskBench } from "./grammar-data.js";
import { anyJsonMasks, anyJsonTexts, engineSizes, leastMasks } from "./grammar-parts.js";
import { installPackages } from "./grammar-packages.js";
import { runEngine, tokenise } from "./grammar-runner.js";
import { counts, gather, line, printSummaries, spread, summary } from "./grammar-tables.js";
import { record } from "./record.js";

const { values: flags } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    "peers-every": { type: "string", default: "8" },
    peers: { type: "string", default: "web-xgrammar,huggingface" },
    vocabulary: { type: "string", default: "llama3" },
    splits: { type: "string" },
    ids: { type: "string" },
    limit: { type: "string", default: "60" },
    "quiet-runs": { type: "string", default: "5" },
    list: { type: "string" },
    ascii: { type: "boolean", default: false },
    order: { type: "string", default: "schema" },
    skip: { type: "string", default: "" },
  },
});
if (isAbsent) throw new Error(isAbsent);
installPackages();

const skipped = flags.skip.split(",");
const limitMs = 1000 * Number(flags.limit);
// Hugging Face's takes seconds for every key of an open object, so that an hour would not do.
const limits = { huggingface: Math.min(limitMs, 10_000) };
const peers = flags.peers.split(",").filter(Boolean);
const choice = { splits: flags.splits?.split(","), ids: flags.ids?.split(","), ascii: flags.ascii };
const progress = (entry, outcome, index) =>
  process.stderr.isTTY && process.stderr.write(`\r${index} ${entry.id} ${outcome.status}`.padEnd(100).slice(0, 100));

async function maskBench() {
  const entries = tokenise(readMaskBench({ ...choice, every: Number(flags.every) }), flags.vocabulary);
  const how = { limitMs, options: { propertyOrder: flags.order }, onOutcome: progress };
  const run = await runEngine("lastinch", flags.vocabulary, entries, how);
  printSummaries(`MaskBench, ${flags.vocabulary}, first walks`, { lastinch: summary(run) });

  const by = (status) => entries.flatMap((entry, i) => (run.outcomes[i].status === status ? [run.outcomes[i]] : []));
  console.log(`\nrefused: ${counts(by("refused").map((outcome) => outcome.keyword)) || "nothing"}`);
  console.log(`  by reason: ${counts(by("refused").map((outcome) => (outcome.message ?? "").replace(/ at .*$/, "")))}`);
  console.log(`errors: ${counts(by("error").map((outcome) => outcome.message)) || "none"}`);
  // MaskBench put keys into the order of the schema only where llguidance of its time could compile the schema.
  const over = entries.filter((_, i) => run.outcomes[i].status === "over");
  const anyOrder = await runEngine("lastinch", flags.vocabulary, over, { limitMs, options: { propertyOrder: "any" } });
  const isRight = (outcome) => outcome.status === "right";
  console.log(
    `over-constrained: ${over.length}, of them right in any order: ${anyOrder.outcomes.filter(isRight).length}`,
  );
  line("\npart of MaskBench", "schemas", "right", "refused", "over", "under", "other");
  for (const split of new Set(entries.map((entry) => entry.split))) {
    const mine = run.outcomes.filter((_, i) => entries[i].split === split);
    const of = (...status) => mine.filter((outcome) => status.includes(outcome.status)).length;
    const rest = of("error", "crash", "timeout");
    line(split, mine.length, of("right"), of("refused"), of("over"), of("under"), rest);
  }
  const wrong = entries.flatMap((entry, i) =>
    run.outcomes[i].status === "right"
      ? []
      : [{ ...run.outcomes[i], id: entry.id, schema: entry.schema, masks: undefined, commits: undefined }],
  );
  if (flags.list) writeFileSync(flags.list, JSON.stringify(wrong, null, 1));

  if (skipped.includes("least")) return;
  const slow = entries
    .map((entry, i) => ({ entry, outcome: run.outcomes[i] }))
    .filter(({ outcome }) => outcome.masks?.some((time) => time > 500) || Number(outcome.compile) > 20_000);
  const worst = await leastMasks(
    flags.vocabulary,
    slow.map(({ entry }) => entry),
    Number(flags["quiet-runs"]),
  );
  for (const [key, unit, scale] of /** @type {const} */ ([
    ["mask", "µs", 1],
    ["compile", "ms", 1000],
  ])) {
    worst.sort((a, b) => b[key] - a[key]);
    const found = worst.slice(0, 3).map((one) => `${(one[key] / scale).toFixed(0)} ${unit} in ${one.id}`);
    console.log(`worst ${key}, the least of ${flags["quiet-runs"]} runs each: ${found.join("; ")}`);
  }
}

async function beside() {
  const every = Number(flags["peers-every"]);
  const entries = tokenise(readMaskBench({ ...choice, every }), flags.vocabulary);
  /** @type {Record<string, ReturnType<typeof summary>>} */
  const columns = {};
  const reasons = [];
  /** @type {Record<string, Record<string, number>>} */
  const verdicts = { right: {}, underConstrained: {}, schemas: { all: entries.length } };
  /** @type {Record<string, number>} */
  const mask = {};
  let load = 0;
  for (const name of ["lastinch", ...peers]) {
    const run = await runEngine(name, flags.vocabulary, entries, {
      limitMs: limits[name] ?? limitMs,
      onOutcome: progress,
    });
    columns[name] = summary(run);
    // Hugging Face's engine also collects garbage on other cores, which is a load of its own.
    if (name !== "huggingface") load = Math.max(load, loadavg()[0]);
    const system = name === "web-xgrammar" ? "webXgrammar" : name;
    const share = (status) => (100 * run.outcomes.filter((one) => one.status === status).length) / entries.length;
    mask[system] = spread(gather(run.outcomes, "masks"), 1000).mean;
    verdicts.right[system] = share("right");
    verdicts.underConstrained[system] = share("under");
    const refused = run.outcomes.filter((outcome) => outcome.status === "refused");
    reasons.push(`${name} refuses: ${counts(refused.map((outcome) => outcome.keyword)) || "nothing"}`);
  }
  printSummaries(`the same ${entries.length} schemas, limits of ${limitMs / 1000} s (huggingface 10 s)`, columns);
  for (const reason of reasons) console.log(reason);
  if (peers.length < 2) return;
  record("structured-output", "ms and % of schemas", verdicts, { load });
  record("structured-output", "ms and % of schemas", { mask }, { byClock: true, load });
}

async function anyJson() {
  const texts = anyJsonTexts(readMaskBench({ every: 2 }));
  line(`\nany JSON, ${texts.length} texts`, "masks", "mean µs", "p50", "p99", "max");
  for (const name of ["lastinch", ...peers.filter((peer) => peer !== "huggingface")])
    for (const [runs, what] of /** @type {const} */ ([
      [1, "first walk"],
      [5, "least of 5"],
    ])) {
      const masks = await anyJsonMasks(name, flags.vocabulary, texts, runs);
      const { mean, p50, p99, max } = spread(masks);
      line(`  ${name}, ${what}`, masks.length, ...[mean, p50, p99, max].map((value) => value.toFixed(2)));
    }
}

async function setUp() {
  line("\nvocabulary set-up, ms, least of 3 processes", "lastinch", "from saved", "saved KB", ...peers);
  for (const vocabulary of ["llama3", "qwen3", "gpt4o"]) {
    const cells = [];
    for (const name of ["lastinch", ...peers]) {
      const runs = [];
      for (let run = 0; run < 3; run++) runs.push(await runEngine(name, vocabulary, []));
      const least = (key) => Math.min(...runs.map((run) => run[key])).toFixed(key === "loadMs" ? 1 : 0);
      cells.push(least("setUpMs"));
      if (name === "lastinch") cells.push(least("loadMs"), (runs[0].savedBytes / 1000).toFixed(0));
    }
    line(`  ${vocabulary}`, ...cells);
  }
}

async function sizes() {
  const { wasm, plain, first, all, peers: theirs } = await engineSizes();
  const kilo = (bytes) => (bytes / 1000).toFixed(1);
  console.log(`\nbytes in brotli, KB: grammar.wasm ${kilo(wasm)}, JavaScript ${kilo(plain)} to ${kilo(all)}`);
  console.log(`  JSON without patterns and formats ${kilo(wasm + plain)}, with them and regular expressions`);
  console.log(`  ${kilo(wasm + first)} (goal 60), everything ${kilo(wasm + all)} (goal 100)`);
  for (const [name, bytes] of Object.entries(theirs)) console.log(`  ${name} ${kilo(bytes)}`);
}

console.log(`Node ${process.version}`);
for (const [name, part] of Object.entries({ maskBench, beside, anyJson, setUp, sizes }))
  if (!skipped.includes(name)) await part();
