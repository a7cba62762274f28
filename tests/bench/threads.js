// What threads gain: `node tests/bench/threads.js [--threads 2] [--runs 12] [--only 110M-Q8_0] [--in chromium,firefox]`,
// without --in in Node. There, beside it, what a loop that only reads gains: where both wait for memory, neither can do
// better.
import { parseArgs } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { readFileSync } from "node:fs";
import { loadModel } from "../../dist/index.js";
import { closeBrowsers, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { buildLimits, modelFile } from "./model-peers.js";

const READ = 1 << 27; // bytes, more than caches hold

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const digits = (value) => Number(value.toPrecision(3));

/** A thread that reads as often as it is asked to. */
async function serveReads() {
  const instance = await WebAssembly.instantiate(workerData, {});
  const { _initialize, li_memory_alloc, read_only } = /** @type {any} */ (instance.exports);
  _initialize?.();
  const bytes = li_memory_alloc(READ);
  parentPort.on("message", () => {
    read_only(bytes, READ);
    parentPort.postMessage(null);
  });
  parentPort.postMessage(null);
}

async function openReaders(count) {
  const module = await WebAssembly.compile(readFileSync(new URL("../../build/bench/limits.wasm", import.meta.url)));
  const workers = Array.from({ length: count }, () => new Worker(new URL(import.meta.url), { workerData: module }));
  const answers = () => Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))));
  await answers();
  return {
    async time() {
      const start = performance.now();
      for (const worker of workers) worker.postMessage(null);
      await answers();
      return (performance.now() - start) / count;
    },
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

/** Milliseconds a token, of a text and of a prompt. Runs in Node and in pages, which have nothing else of this file. */
async function timeModel(model) {
  const prompt = Array.from({ length: 64 }, (_, i) => 3 + 7 * i);
  let start = performance.now();
  await model.forward(prompt);
  const prefill = (performance.now() - start) / prompt.length;
  const options = { maxTokens: prompt.length, temperature: 0, bannedTokens: [2] };
  let count = 0;
  start = performance.now();
  for await (const { tokens } of model.generate([1], options)) count += tokens.length;
  return { prefill, decode: (performance.now() - start) / count };
}

// Everything takes its turn in every round, so that a busy moment of the machine falls on all.
async function measure(name, threads, runs) {
  const path = modelFile(...name.split("-"));
  const models = [await loadModel(path, { threads: 1 }), await loadModel(path, { threads })];
  const readers = [await openReaders(1), await openReaders(threads)];
  const times = {};
  const note = (key, value) => (times[key] ??= []).push(value);
  for (let run = 0; run < runs; run++)
    for (const i of [0, 1]) {
      for (const [key, value] of Object.entries(await timeModel(models[i]))) note(`${key} ${i}`, value);
      note(`read ${i}`, await readers[i].time());
    }
  for (const model of models) model.dispose();
  for (const reader of readers) await reader.close();
  report(name, times, threads);
}

async function measureIn(browser, name, threads, runs) {
  modelFile(...name.split("-"));
  const site = await startSite();
  site.isIsolated = true;
  const driver = await launch(browser);
  const times = {};
  try {
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    await driver.evaluate(
      async (path, threads, source) => {
        const { loadModel } = await import("/dist/index.js");
        const models = [];
        for (const count of [1, threads]) models.push(await loadModel(path, { threads: count, cache: false }));
        const timeModel = new Function(`return ${source}`)();
        globalThis.timeNext = (i) => timeModel(models[i]);
      },
      `/build/bench/${name}.gguf`,
      threads,
      String(timeModel),
    );
    for (let run = 0; run < runs; run++)
      for (const i of [0, 1]) {
        const found = await driver.evaluate((i) => globalThis.timeNext(i), i);
        for (const [key, value] of Object.entries(found)) (times[`${key} ${i}`] ??= []).push(value);
      }
  } finally {
    await driver.close();
    await site.close();
  }
  report(`${name} in ${browser}`, times, threads);
}

function report(title, times, threads) {
  const rate = (key, choose) => {
    const time = choose(times[key]);
    return digits(key.startsWith("read") ? READ / time / 1e6 : 1e3 / time);
  };
  const least = (numbers) => Math.min(...numbers);
  const row = (what) => ({
    what,
    "one thread, best": rate(`${what} 0`, least),
    median: rate(`${what} 0`, median),
    [`${threads} threads, best`]: rate(`${what} 1`, least),
    "median of those": rate(`${what} 1`, median),
    gain: digits(least(times[`${what} 0`]) / least(times[`${what} 1`])),
    "gain of medians": digits(median(times[`${what} 0`]) / median(times[`${what} 1`])),
  });
  console.log(`\n== ${title}: tokens a second; of reading GB a second`);
  console.table(["decode", "prefill", "read"].filter((what) => times[`${what} 0`]).map(row));
}

if (isMainThread) {
  const { values } = parseArgs({
    options: {
      threads: { type: "string", default: "2" },
      runs: { type: "string", default: "12" },
      only: { type: "string" },
      in: { type: "string" },
    },
  });
  const names = values.only ? [values.only] : ["15M-Q8_0", "15M-F32", "110M-Q8_0", "110M-Q4_0"];
  const [threads, runs] = [Number(values.threads), Number(values.runs)];
  if (!values.in) buildLimits();
  for (const name of names) {
    if (!values.in) await measure(name, threads, runs);
    for (const browser of values.in?.split(",") ?? []) await measureIn(browser, name, threads, runs);
  }
  await closeBrowsers();
} else await serveReads();
