// What a step costs, in units of one exact pass of max plus exp-and-sum (unit.c), beside the peers in the same run; in
// the browsers; and from 2 k to 1 M entries. `node tests/bench/sampler.js [--rounds N] [--no-browsers] [--no-peers]`;
// with --recorded only what results/ keeps.
import { readFileSync, readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { createSampler } from "lastinch";
import { browserNames, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { transformersSampler, usualTopP } from "./peers.js";
import { record } from "./record.js";
import { chains, createStep, createUnit, interleave, measureChains, realisticRow } from "./steps.js";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    "no-browsers": { type: "boolean", default: false },
    "no-peers": { type: "boolean", default: false },
    recorded: { type: "boolean", default: false },
  },
});
const rounds = Number(flags.rounds);
const unitBytes = readFileSync(new URL("../../build/bench/unit.wasm", import.meta.url));

/** @param {string} text @param {(string | number)[]} cells */
const line = (text, ...cells) => console.log(text.padEnd(77) + cells.map((cell) => String(cell).padStart(9)).join(""));

function show(measured, unit) {
  for (const [name, { minimum, median }] of Object.entries(measured)) {
    const goal = chains.find((chain) => chain[0] === name)?.[1];
    const units = minimum / unit.minimum;
    const verdict = goal ? (units <= goal ? `<= ${goal}` : `> ${goal}`) : "";
    line(name, minimum.toFixed(1), median.toFixed(1), units.toFixed(2), verdict);
  }
}

async function inNode(vocabSize) {
  line(`\n${vocabSize} entries, Node ${process.version}, ${rounds} rounds`, "min µs", "median", "min / U", "goal");
  const measured = await measureChains({ createSampler, unitBytes, vocabSize, rounds, shortest: 0.2 });
  show(measured, measured.U);
}

/** Others' samplers and ours, on logits that are not in wasm memory yet. */
async function beside(vocabSize) {
  const row = realisticRow(vocabSize);
  const open = (options) => createStep(createSampler, vocabSize, options, row);
  const [copy, topP, all, top50] = await Promise.all([
    open({}),
    open({ topP: 0.95, temperature: 0.8 }),
    open({}),
    open({ topK: 50 }),
  ]);
  /** @type {Record<string, () => unknown>} */
  const calls = {
    U: await createUnit(unitBytes, row),
    "the copy into wasm memory": () => copy.logits.set(row),
    "top-p .95, temperature .8": () => topP.sample(row),
    "the usual JavaScript: the same": () => usualTopP(row, 0.8, 0.95),
    "nothing cut": () => all.sample(row),
    "top-k 50": () => top50.sample(row),
  };
  const others = [["top-p .95, temperature .8", "the usual JavaScript: the same", 200]];
  try {
    if (flags["no-peers"]) throw new Error("not asked for");
    const transformers = await transformersSampler();
    calls["transformers.js 4.3.1, top_k 0"] = transformers(row, 0);
    calls["transformers.js 4.3.1, top_k 50"] = transformers(row, 50);
    others.push(["nothing cut", "transformers.js 4.3.1, top_k 0", 150]);
    others.push(["top-k 50", "transformers.js 4.3.1, top_k 50", 6]);
  } catch (error) {
    console.log(`\ntransformers.js is left out: ${/** @type {Error} */ (error).message.split("\n")[0]}`);
  }
  line(`\n${vocabSize} entries, the copy into wasm memory included`, "min µs", "median", "min / U");
  const measured = await interleave(calls, Math.max(5, rounds / 20), 0.2);
  show(measured, measured.U);
  for (const [ours, theirs, goal] of others) {
    const times = measured[theirs].minimum / measured[ours].minimum;
    line(`  ${ours}: times faster than ${theirs}`, times.toFixed(1), "", "", `${times >= goal ? ">=" : "<"} ${goal}`);
  }
  for (const sampler of [copy, topP, all, top50]) sampler.dispose();
  const ms = (/** @type {string} */ name) => measured[name].minimum / 1000;
  return { lastinch: ms(others[0][0]), javascript: ms(others[0][1]) };
}

/** Runs in the page. */
async function stepsInPage(vocabSize, rounds) {
  const { createSampler } = await import("/dist/index.js");
  const { measureChains } = await import("/tests/bench/steps.js");
  const unitBytes = await (await fetch("/build/bench/unit.wasm")).arrayBuffer();
  return measureChains({ createSampler, unitBytes, vocabSize, rounds, shortest: 10, only: Boolean });
}

async function inBrowsers(vocabSize) {
  for (const name of browserNames) {
    line(`\n${vocabSize} entries, ${name}`, "min µs", "median", "min / U", "goal");
    const site = await startSite();
    const driver = await launch(name);
    try {
      await driver.open(`${site.origin}/tests/browser/blank.html`);
      const measured = await driver.evaluate(stepsInPage, vocabSize, 40);
      show(measured, measured.U);
    } finally {
      await driver.close();
      await site.close();
    }
  }
}

async function growth() {
  line("\nmin µs as the vocabulary grows", ...[2048, 8192, 32768, 131072, 524288, 1048576]);
  const table = new Map();
  for (const vocabSize of [2048, 8192, 32768, 131072, 524288, 1048576]) {
    const measured = await measureChains({
      createSampler,
      unitBytes,
      vocabSize,
      rounds: Math.max(5, rounds / 10),
      shortest: 0.2,
      only: (goal) => goal && goal < 10,
    });
    for (const [name, { minimum }] of Object.entries(measured))
      table.set(name, [...(table.get(name) ?? []), minimum.toFixed(1)]);
  }
  for (const [name, cells] of table) line(name, ...cells);
}

if (!flags.recorded) for (const vocabSize of [128256, 262144]) await inNode(vocabSize);
record("sampler", "ms", { topP: await beside(128256) }, { byClock: true });
if (flags.recorded) process.exit(0);
await beside(262144);
await growth();
if (!flags["no-browsers"]) await inBrowsers(128256);

console.log("\nbytes                              raw    brotli");
const dist = new URL("../../dist/", import.meta.url);
for (const name of readdirSync(dist).filter((file) => /\.(js|wasm)$/.test(file))) {
  const bytes = readFileSync(new URL(name, dist));
  console.log(
    `${name.padEnd(30)} ${String(bytes.length).padStart(8)} ${String(brotliCompressSync(bytes).length).padStart(8)}`,
  );
}
