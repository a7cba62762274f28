// All drafters side by side in one run, as Markdown: `node tests/bench/drafters.js [--tasks story,loop,counting]
// [--in node,chromium] [--threads 1,2] [--runs 7] [--ways plain,eagle,…]`, after `make build`. Ways take turns in every
// run, each time in another order.
//
// The bound of a way is its tokens a pass, divided by what its passes cost: the time of their rows, and of the passes of
// draft models, heads and layers beside them, all in passes of one row. Rows, their times and drafting are counted in one
// thread, in texts of their own; with more threads the times are scaled as those of whole calls are. "reached" says how
// much of the bound the text's own pace is. What "auto" chooses has no bound.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { counting, countingHeads, countingLayer, following } from "../models/planted.js";
import { randomBlocks } from "../models/random-blocks.js";
import { randomModel } from "../models/random-model.js";
import { Q8_0, convertGguf } from "../vectors/gguf-files.js";
import { eagleFile, medusaFile } from "../vectors/heads-file.js";
import * as local from "./drafters-page.js";
import { pathInBench } from "./model-peers.js";
import { realShapes } from "./real-shapes.js";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "story,loop,counting" },
    in: { type: "string", default: "node,chromium" },
    threads: { type: "string", default: "1,2" },
    runs: { type: "string", default: "7" },
    ways: { type: "string" },
  },
});
const runs = Number(values.runs);
const root = new URL("../../", import.meta.url).href;
const ROWS = [1, 2, 3, 4, 8, 16];

/** The path below the root of a planted file; made at the first time. @param {() => Uint8Array} make */
function planted(name, make) {
  const path = pathInBench(name);
  mkdirSync(pathInBench(""), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, make());
  return `build/bench/${name}`;
}

/** A model at the shape of Qwen3-0.6B, a small one of its family, heads and EAGLE's layer, all in Q8_0, that count. */
function countingFiles() {
  const { shape } = realShapes["Qwen3-0.6B"];
  const small = { ...shape, dim: 256, hidden: 768, layers: 6, heads: 4, kvHeads: 2, keyWidth: 64 };
  const encode = (tensor, type, { columns, rows, deviation }) => randomBlocks(tensor, type, columns * rows, deviation);
  const model = (sizes, doesSkip) =>
    randomModel("qwen3", sizes, {
      ...{ tied: false, context: 512, choose: () => "Q8_0", encode },
      change: counting(doesSkip),
    });
  const target = planted("counting.gguf", () => model(shape, true));
  const read = () => readFileSync(pathInBench("counting.gguf"));
  const { dim, hidden, heads, kvHeads, keyWidth } = shape;
  const layer = { dim, embeds: false, outputs: false, sizes: [hidden, heads, kvHeads, keyWidth] };
  return {
    target,
    model: planted("counting-draft.gguf", () => model(small, false)),
    medusa: planted("counting-medusa.gguf", () => convertGguf(medusaFile(read(), { change: countingHeads }), Q8_0)),
    eagle: planted("counting-eagle.gguf", () =>
      convertGguf(eagleFile(read(), { ...layer, change: countingLayer }), Q8_0),
    ),
  };
}

const shipped = (name) => `demos/model/${name}.gguf`;
const storyteller = () => ({
  target: shipped("storyteller"),
  model: shipped("draft"),
  medusa: shipped("medusa"),
  eagle: shipped("eagle"),
});
const { loops } = JSON.parse(readFileSync(new URL("demos/model/prompts.json", root), "utf8"));
const begins = ["Once upon a time", "Lily and Tom wanted to", "One day, the old man", "The little dog was sad because"];

/** 50 tokens that come again, of which every tenth is wrong, and the first two of them. */
function countingPrompt(start) {
  const ids = [start];
  while (ids.length < 50) ids.push(following(ids.at(-1)));
  return [...ids.map((id, i) => (i % 10 === 9 ? id + 40000 : id)), ...ids.slice(0, 2)];
}

// No way may find in the texts that others have written what it is to write, unless it is "suffix": so stories have seeds
// of their own, and counting begins elsewhere. Loops are the same for all: they come back within their own text, whose
// longer match comes first, so that others' texts help little.
const tasks = {
  story: {
    title: "Storyteller, stories at temperature 0.8",
    files: storyteller,
    options: { temperature: 0.8, maxTokens: 200 },
    times: 100,
    prompts: (run, way) => begins.map((prompt, i) => ({ prompt, seed: 10_000 + 400 * run + 10 * way + i })),
  },
  loop: {
    title: "Storyteller, greedy text that repeats itself",
    files: storyteller,
    options: { temperature: 0, maxTokens: 200 },
    times: 100,
    prompts: () =>
      loops.slice(0, 3).map(({ promptTokens, greedyTokens }) => ({ prompt: [...promptTokens, ...greedyTokens] })),
  },
  counting: {
    title:
      "Planted weights at the shape of Qwen3-0.6B in Q8_0, greedy; four fifths of each drafter's tokens are right, and " +
      "nine tenths of the prompt's",
    files: countingFiles,
    options: { temperature: 0, maxTokens: 40 },
    times: 7,
    prompts: (run, way) => [{ prompt: countingPrompt(2000 + 3000 * way + 100 * run) }],
  },
};
const ways = [
  { name: "plain" },
  ...[3, "auto"].map((draftTokens) => ({ name: "draft model", draft: "model", draftTokens })),
  ...[3, "auto"].map((draftTokens) => ({ name: "lookup", draft: "lookup", draftTokens })),
  ...[3, "auto"].map((draftTokens) => ({ name: "suffix", draft: "lookup", draftTokens })),
  ...[3, "auto"].map((draftTokens) => ({ name: "lookahead", draft: "lookahead", draftTokens })),
  ...[3, "auto"].map((draftTokens) => ({ name: "medusa", draft: "medusa", draftTokens })),
  ...[3, "auto"].map((draftTokens) => ({ name: "eagle", draft: "eagle", draftTokens })),
  { name: "auto", draft: "auto", draftTokens: "auto" },
].filter(({ name }) => name === "plain" || !values.ways || values.ways.split(",").includes(name));

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const median = (numbers) => sorted(numbers)[numbers.length >> 1];
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Where models run: calls of drafters-page.js there. */
async function openPlace(place) {
  if (place === "node") return { call: (name, ...args) => local[name](...args), root, close: async () => {} };
  const { launch } = await import("../browser/browsers.js");
  const { startSite } = await import("../browser/site.js");
  const site = await startSite();
  const driver = await launch(place);
  await driver.open(`${site.origin}/tests/browser/blank.html`);
  const call = (name, ...args) =>
    driver.evaluate(
      async (name, args) => (await import("/tests/bench/drafters-page.js"))[name](...args),
      name,
      /** @type {any} */ (args),
    );
  return { call, root: `${site.origin}/`, close: () => driver.close().then(() => site.close()) };
}

/** The time of a pass, between the numbers of rows that were measured. */
function costOf(costs, rows) {
  const at = Math.max(
    1,
    ROWS.findIndex((count) => count >= rows),
  );
  const share = (rows - ROWS[at - 1]) / (ROWS[at] - ROWS[at - 1]);
  return costs[at - 1] + share * (costs[at] - costs[at - 1]);
}

/** Texts of all prompts of a way: milliseconds, and sums of what was counted. */
async function writeAll(call, task, run, way, eos) {
  const { name, ...draft } = way;
  const texts = [];
  for (const { prompt, seed } of task.prompts(run, ways.indexOf(way))) {
    const options = { ...task.options, bannedTokens: eos, ...(seed && { seed }) };
    if (name === "suffix") await call("write", prompt, options);
    texts.push(await call("write", prompt, { ...options, ...draft }));
  }
  const total = (read) => sum(texts.map(read));
  const rows = {};
  for (const text of texts)
    for (const [count, passes] of Object.entries(text.rows)) rows[count] = (rows[count] ?? 0) + passes;
  return {
    ms: total(({ ms }) => ms),
    drafting: total(({ drafting }) => drafting),
    tokens: total(({ usage }) => usage.completionTokens),
    passes: total(({ usage }) => usage.passes),
    rows,
  };
}

async function measure(place, task, threads, isCounted) {
  const { call, root: there, close } = await openPlace(place);
  try {
    const files = task.files();
    const usable = ways.filter(({ draft }) => !["model", "medusa", "eagle"].includes(draft) || files[draft]);
    const { eos, threads: own } = await call("open", there, files, isCounted ? 0 : threads);
    const costs = await call("costs", ROWS, task.times);
    /** @type {Map<any, any[]>} */
    const texts = new Map(usable.map((way) => [way, []]));
    for (let run = 0; run < (isCounted ? 1 : runs); run++)
      for (const i of usable.keys()) {
        const way = usable[(i + 5 * run) % usable.length];
        texts.get(way)?.push(await writeAll(call, task, run, way, eos));
      }
    await call("close");
    return { costs, texts, threads: own };
  } finally {
    await close();
  }
}

// Says that no test runs, once, before the tables.
if (values.in !== "node") await import("../browser/browsers.js");
for (const name of values.tasks.split(","))
  for (const place of values.in.split(",")) {
    const task = tasks[name];
    const counted = await measure(place, task, 1, true);
    for (const wanted of values.threads.split(",").map(Number)) {
      const { costs: outer, texts, threads } = await measure(place, task, wanted, false);
      const { calls, passes: inner } = counted.costs;
      // In passes of one row.
      const costs = ROWS.map(
        (_, i) => ((inner[i] / inner[0]) * (outer.calls[i] / calls[i])) / (outer.calls[0] / calls[0]),
      );
      const plain = texts.get(ways[0]) ?? [];
      const perToken = (all) => all.map(({ ms, tokens }) => ms / tokens);
      const inPasses = ROWS.map((rows, i) => `${rows}: ${costs[i].toFixed(2)}`).join(", ");
      console.log(
        `\n*${task.title}; ${place}, threads: ${threads}. A call of one row takes ${outer.calls[0].toFixed(2)} ms; of`,
      );
      console.log(`so many rows, in passes: ${inPasses}. ${plain[0].tokens} tokens a run, ${runs} runs*\n`);
      console.log(
        "| way | tokens a pass | text, ms | ms a token: least, median | times plain: least, median | bound | reached |",
      );
      console.log("| --- | --- | --- | --- | --- | --- | --- |");
      for (const [way, all] of texts) {
        const [one] = counted.texts.get(way) ?? [];
        const passes = sum(Object.values(one.rows));
        const rows = sum(Object.entries(one.rows).map(([rows, passes]) => passes * costOf(costs, Number(rows))));
        const cost = (rows + one.drafting / inner[0]) / passes;
        const bound = one.tokens / passes / cost;
        const [least, usual] = [Math.min(...perToken(all)), median(perToken(all))];
        const [best, typical] = [Math.min(...perToken(plain)) / least, median(perToken(plain)) / usual];
        const cells = [
          way.draft ? `${way.name}, ${way.draftTokens}` : way.name,
          (sum(all.map(({ tokens }) => tokens)) / sum(all.map(({ passes }) => passes))).toFixed(2),
          median(all.map(({ ms }) => ms)).toFixed(0),
          `${least.toFixed(3)}, ${usual.toFixed(3)}`,
          `${best.toFixed(2)}, ${typical.toFixed(2)}`,
          ...(way.draftTokens === "auto" ? ["", ""] : [bound.toFixed(2), `${((100 * typical) / bound).toFixed(0)} %`]),
        ];
        console.log(`| ${cells.join(" | ")} |`);
      }
    }
  }
process.exit(0);
