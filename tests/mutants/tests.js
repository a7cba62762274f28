// A test as mutants see it: what it takes, what it reaches, and whether it passes.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Test
 * @property {string} file
 * @property {number} seconds of the processor
 * @property {Record<string, [number, number][]>} reaches from and to by file: lines of C, or characters of JavaScript
 */

/** @param {string[]} parts */
export const hash = (...parts) => createHash("sha1").update(parts.join("\0")).digest("hex");

/** The files in a folder and those below, in order. @param {string} folder @param {RegExp} pattern */
export const filesIn = (folder, pattern) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => pattern.test(file))
    .sort();

/**
 * Whether a command of bash passes, and the seconds of the processor that it took. It fails when it takes too many of
 * them, or with the first line that says so.
 * @param {string} command
 * @param {{ seconds: number, fails: RegExp, cwd?: string, env?: Record<string, string> }} how
 * @returns {Promise<{ passes: boolean, seconds: number }>}
 */
export function runTest(command, { seconds, fails, cwd, env }) {
  const limits = `ulimit -t ${Math.ceil(seconds)}; TIMEFORMAT=%U`;
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", `${limits}; time ${command} 2>/dev/null`], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let spent = "";
    let hasFailed = false;
    const stop = () => {
      hasFailed = true;
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {}
    };
    const timer = setTimeout(stop, 10_000 * seconds); // by the clock, on a machine that has others to serve
    child.stdout.on("data", (data) => fails.test(String(data)) && stop());
    child.stderr.on("data", (data) => (spent += data));
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve({ passes: status === 0 && !hasFailed, seconds: Number(spent.trim().split("\n").at(-1)) });
    });
  });
}

/**
 * What tests reach, of those that pass without a change. It is kept in build/mutants/ while they and the sources stay.
 * @param {string[]} files of the tests
 * @param {string[]} sources what all of them depend on
 * @param {number} jobs
 * @param {(file: string, job: number) => Promise<Omit<Test, "file"> | undefined>} measure
 */
export async function measureAll(files, sources, jobs, measure) {
  mkdirSync("build/mutants", { recursive: true });
  const common = hash(...sources.map((file) => readFileSync(file, "utf8")));
  const waiting = [...files];
  /** @type {Test[]} */
  const tests = [];
  const work = async (/** @type {number} */ job) => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const record = `build/mutants/${hash(common, file, readFileSync(file, "utf8"))}.json`;
      if (!existsSync(record)) writeFileSync(record, JSON.stringify((await measure(file, job)) ?? null));
      const found = JSON.parse(readFileSync(record, "utf8"));
      if (found) tests.push({ file, ...found });
      else console.log(`${file} fails without a change and is left out`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
  return tests;
}

/** @type {Map<string, number>} how many changes of a file a test has killed */
const kills = new Map();

/**
 * The file of the test that fails with a change, or nothing. First come those that killed most changes of the file for
 * their time; as many run as take `within` seconds.
 * @param {string} file
 * @param {Test[]} tests
 * @param {number} within
 * @param {(test: Test) => Promise<boolean>} passes
 */
export async function killerOf(file, tests, within, passes) {
  const worth = (/** @type {Test} */ test) => (1 + (kills.get(file + test.file) ?? 0)) / (test.seconds + 0.1);
  for (const test of [...tests].sort((a, b) => worth(b) - worth(a))) {
    if (test.seconds > within) continue;
    within -= test.seconds;
    if (await passes(test)) continue;
    kills.set(file + test.file, 1 + (kills.get(file + test.file) ?? 0));
    return test.file;
  }
  return undefined;
}
