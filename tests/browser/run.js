// Runs the browser tests: `node tests/browser/run.js [--only NAME] [--browser NAME]`. Each browser runs the files in
// its own process. Chromium has most to do, so it runs those of widgets in a second one; it alone runs files that end
// in .chromium.test.js. WebKit sometimes stops answering, so each file has a process and a browser of its own. One
// process more than there are cores runs at a time, since tests also wait.
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { allBrowserNames } from "./names.js";
import { runFiles } from "./run-files.js";

/** ms until the tests are ended, failed, because a browser hangs: six times of what they take. */
const LIMIT = (process.env.CHECK_LONG ? 180 : 35) * 60_000;

const { values: chosen } = parseArgs({ options: { only: { type: "string" }, browser: { type: "string" } } });
const names = chosen.browser?.split(",") ?? allBrowserNames;
const strange = names.find((name) => !allBrowserNames.includes(name));
if (strange) throw new Error(`There is no browser called ${strange}: name one of ${allBrowserNames.join(", ")}.`);

const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.js") && name.includes(chosen.only ?? ""))
  .map((name) => join(import.meta.dirname, name));
const isAlone = (file) => file.endsWith(".chromium.test.js");
const isOfWidget = (file) => basename(file).startsWith("widget-");

const all = join(import.meta.dirname, "all.js");
/** @param {string[]} files */
const together = (files) => [[all, ...files]];
/** @param {string[]} files */
const apart = (files) => files.map((file) => [file]);
/** @typedef {{ title: string, browser: string, processes: string[][] }} Job */
/** @type {Job[]} The shortest job is last, so that nothing waits for a long one at the end. */
const jobs = [
  ["firefox", "firefox", together, (file) => !isAlone(file)],
  ["webkit", "webkit", apart, (file) => !isAlone(file)],
  ["chromium", "chromium", together, (file) => !isAlone(file) && !isOfWidget(file)],
  ["chromium, widgets", "chromium", together, isOfWidget],
  ["chromium alone", "chromium", apart, isAlone],
]
  .filter(([, browser, , takes]) => names.includes(browser) && files.some(takes))
  .map(([title, browser, divide, takes]) => ({ title, browser, processes: divide(files.filter(takes)) }));
if (!jobs.length) throw new Error(`No browser test named "${chosen.only ?? ""}" runs in ${names.join(", ")}.`);

const ending = new AbortController();
/** Ends the processes and their browsers, and starts no more. @param {string} why */
const end = (why) => {
  console.log(`# the browser tests end early: ${why}`);
  process.exitCode = 1;
  ending.abort();
};
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => end(signal));
const timer = setTimeout(end, LIMIT, `they take longer than ${LIMIT / 60_000} minutes`);

let testCount = 0;
/** @type {string[]} */
const unsure = [];
/** @param {Job} job */
async function run({ title, browser, processes }) {
  const started = performance.now();
  let isGood = true;
  for (const args of processes) {
    if (ending.signal.aborted) isGood = false;
    else {
      const result = await runFiles(browser, args, ending.signal);
      testCount += result.count;
      isGood &&= result.isGood;
      unsure.push(...result.unsure.map((name) => `${name} (${title})`));
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`# ${title}: ${isGood ? "passed" : "FAILED"} in ${seconds} s`);
  if (!isGood) process.exitCode = 1;
}

await Promise.all(
  Array.from({ length: Math.min(availableParallelism() + 1, jobs.length) }, async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) await run(job);
  }),
);
clearTimeout(timer);
// Neither lost among the output nor taken for good: each of them has a fault that luck decides.
if (unsure.length) console.log(`# UNSURE, since a test failed and passed the second time: ${unsure.join(", ")}`);
// A file may run in only some browsers.
if (!testCount) throw new Error(`No browser test named "${chosen.only ?? ""}" runs in ${names.join(", ")}.`);
