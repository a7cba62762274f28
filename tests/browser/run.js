// Runs the browser tests: `node tests/browser/run.js [--only NAME] [--browser NAME]`. Each browser runs the files in
// its own process. Chromium has most to do, so it runs those of widgets in a second one; it alone runs files that end
// in .chromium.test.js. One process more than there are cores runs at a time, since tests also wait.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { allBrowserNames } from "./names.js";

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
const alone = ["--test", "--test-concurrency=1"];
/** @typedef {{ title: string, browser: string, args: string[], files: string[] }} Job */
/** @type {Job[]} The shortest job is last, so that nothing waits for a long one at the end. */
const jobs = [
  ["firefox", "firefox", [all], (file) => !isAlone(file)],
  ["webkit", "webkit", [all], (file) => !isAlone(file)],
  ["chromium", "chromium", [all], (file) => !isAlone(file) && !isOfWidget(file)],
  ["chromium, widgets", "chromium", [all], isOfWidget],
  ["chromium alone", "chromium", alone, isAlone],
]
  .map(([title, browser, args, takes]) => ({ title, browser, args, files: files.filter(takes) }))
  .filter((job) => names.includes(job.browser) && job.files.length);
if (!jobs.length) throw new Error(`No browser test named "${chosen.only ?? ""}" runs in ${names.join(", ")}.`);

let testCount = 0;
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
// An interrupt also ends the browsers, and starts no more.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
  process.on(signal, () => {
    jobs.length = 0;
    process.exitCode = 1;
    for (const child of running) child.kill("SIGTERM");
  });

/** Prints the output of a process when it has ended, so that outputs do not mix. @param {Job} job */
async function run({ title, browser, args, files }) {
  const started = performance.now();
  const child = spawn(process.execPath, [...args, ...files], {
    env: { ...process.env, BROWSERS: browser },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  /** @type {Buffer[]} */
  const pieces = [];
  child.stdout.on("data", (piece) => pieces.push(piece));
  const code = await new Promise((resolve) => child.once("close", resolve));
  running.delete(child);
  process.stdout.write(Buffer.concat(pieces));
  testCount += Number(/^\D*tests (\d+)$/m.exec(String(Buffer.concat(pieces)))?.[1] ?? 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`# ${title}: ${code === 0 ? "passed" : "FAILED"} in ${seconds} s`);
  if (code !== 0) process.exitCode = 1;
}

await Promise.all(
  Array.from({ length: Math.min(availableParallelism() + 1, jobs.length) }, async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) await run(job);
  }),
);
// A file may run in only some browsers.
if (!testCount) throw new Error(`No browser test named "${chosen.only ?? ""}" runs in ${names.join(", ")}.`);
