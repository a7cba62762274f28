// Runs the browser tests: `node tests/browser/run.js [--only NAME] [--browser NAME]`. Each browser runs the files in a process
// of its own, and Chromium alone those that end in .chromium.test.js. One process more than there are cores runs at a time,
// since tests also wait.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allBrowserNames } from "./names.js";

const { values: chosen } = parseArgs({ options: { only: { type: "string" }, browser: { type: "string" } } });
const names = chosen.browser?.split(",") ?? allBrowserNames;
const strange = names.find((name) => !allBrowserNames.includes(name));
if (strange) throw new Error(`There is no browser called ${strange}: name one of ${allBrowserNames.join(", ")}.`);

const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.js") && name.includes(chosen.only ?? ""))
  .map((name) => join(import.meta.dirname, name));
const [inChromium, inAll] = [true, false].map((is) =>
  files.filter((file) => file.endsWith(".chromium.test.js") === is),
);

const all = join(import.meta.dirname, "all.js");
// The shortest job is the last, so that the others do not wait for a long one.
const jobs = [
  ...names.map((name) => ({ title: name, browser: name, args: [all, ...inAll], files: inAll })),
  {
    title: "chromium alone",
    browser: "chromium",
    args: ["--test", "--test-concurrency=1", ...inChromium],
    files: names.includes("chromium") ? inChromium : [],
  },
].filter((job) => job.files.length);
if (!jobs.length) throw new Error(`No browser test named "${chosen.only ?? ""}" runs in ${names.join(", ")}.`);

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
// Who is interrupted ends the browsers too, and starts no others.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
  process.on(signal, () => {
    jobs.length = 0;
    process.exitCode = 1;
    for (const child of running) child.kill("SIGTERM");
  });

/** Prints what a process said when it has ended, so that two do not mix. @param {typeof jobs[number]} job */
async function run({ title, browser, args }) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
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
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`# ${title}: ${code === 0 ? "passed" : "FAILED"} in ${seconds} s`);
  if (code !== 0) process.exitCode = 1;
}

await Promise.all(
  Array.from({ length: Math.min(availableParallelism() + 1, jobs.length) }, async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) await run(job);
  }),
);
