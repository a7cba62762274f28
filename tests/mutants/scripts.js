// Mutants of JavaScript: which tests run which characters, and whether a test fails. The tests import web/ as it is written
// (tests/js/source/), from copies of the tree, so that nothing is bundled again.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Order } from "./order.js";

/**
 * @typedef {object} Test
 * @property {string} name
 * @property {number} seconds of the processor
 * @property {Map<string, [number, number][]>} ranges that it runs, by file
 */

/**
 * @param {string} scratch a folder that keeps what was counted, by the hash of the sources
 * @param {string} folder a folder of this run
 * @param {number} jobs
 * @param {number} within seconds of tests for a change, by their time without it
 */
export async function prepareScripts(scratch, folder, jobs, within) {
  const trees = Array.from({ length: jobs }, (_, job) => join(folder, `tree-${job}`));
  for (const tree of trees) plant(tree);
  const names = sourceTests();
  const contents = (/** @type {string} */ folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js") && !name.endsWith(".test.js"))
      .map((name) => readFileSync(join(folder, name), "utf8"));
  const common = [...contents("web"), ...contents("tests/js"), ...contents("tests/vectors")].join("\0");
  const records = join(scratch, "scripts-timed");
  mkdirSync(records, { recursive: true });

  /** Tests that were measured, by name; those that fail without any change are left out. @type {Map<string, Test | undefined>} */
  const measured = new Map();
  /** What a test runs, measured when a change first needs the test. @type {(name: string, tree: string) => Promise<Test | undefined>} */
  const measure = async (name, tree) => {
    const text = readFileSync(join("tests/js", name), "utf8");
    const key = createHash("sha1").update(`${common}\0${text}`).digest("hex");
    const record = join(records, `${key}.json`);
    if (!existsSync(record)) {
      const coverage = join(folder, `${key}-${basename(tree)}`);
      const answer = await runTest(tree, name, { seconds: 300, coverage });
      const ranges = answer.passes ? [...rangesOf(coverage, tree)] : [];
      writeFileSync(record, JSON.stringify({ ...answer, ranges }));
    }
    const { passes, seconds, ranges } = JSON.parse(readFileSync(record, "utf8"));
    if (!passes) console.log(`${name} fails in the copy without any change and is left out`);
    measured.set(name, passes ? { name, seconds, ranges: new Map(ranges) } : undefined);
    return measured.get(name);
  };
  /** How near a test is to a file: whether it names the file or has the name of the file's part. */
  const nearness = (/** @type {string} */ file, /** @type {string} */ name) => {
    const part = file.split("/")[1];
    const isNamed = readFileSync(join("tests/js", name), "utf8").includes(basename(file, ".js"));
    return Number(isNamed) + 2 * Number(name.includes(part));
  };
  /** @type {Order<Test>} */
  const order = new Order();

  /**
   * The test that fails with a changed file, or nothing.
   * @param {string} file
   * @param {string} source
   * @param {number} _line
   * @param {number} job
   * @param {number} start
   */
  return async function attempt(file, source, _line, job, start) {
    const tree = trees[job];
    const path = join(tree, file);
    const original = readFileSync(path);
    let left = within;
    /** @param {Test} test */
    const kills = async ({ name, seconds }) => {
      left -= seconds;
      writeFileSync(path, source);
      const { passes } = await runTest(tree, name, { seconds: 2 * seconds + 5 });
      writeFileSync(path, original);
      if (!passes) order.note(file, name);
      return !passes;
    };
    const covers = (/** @type {Test | undefined} */ test) =>
      test?.ranges.get(file)?.some(([from, to]) => from <= start && start < to) ?? false;
    const known = [...measured.values()].filter((test) => test !== undefined).filter(covers);
    for (const test of order.of(file, known, within)) if (await kills(test)) return `tests/js/${test.name}`;
    const others = names.filter((name) => !measured.has(name));
    others.sort((a, b) => nearness(file, b) - nearness(file, a));
    for (const name of others) {
      if (left <= 0) break;
      const test = await measure(name, tree);
      if (test && test.seconds <= left && covers(test) && (await kills(test))) return `tests/js/${name}`;
    }
    return undefined;
  };
}

/** A copy of what tests need. @param {string} tree */
export function plant(tree) {
  const texts = readdirSync(".").filter((name) => name.endsWith(".md"));
  for (const folder of ["web", "wasm", "tools", "tests", "demos", "src", "package.json", "tsconfig.json", ...texts])
    cpSync(folder, join(tree, folder), { recursive: true });
  mkdirSync(join(tree, "build"));
  symlinkSync(resolve("node_modules"), join(tree, "node_modules"));
  for (const folder of ["bench", "wasm"])
    if (existsSync(`build/${folder}`)) symlinkSync(resolve("build", folder), join(tree, "build", folder));
}

/** The tests that run on the sources. */
export const sourceTests = () =>
  readdirSync("tests/js").filter((name) => name.endsWith(".test.js") && !name.endsWith(".package.test.js"));

/**
 * Whether a test passes, and the seconds of the processor that it took; the first failure ends it.
 * @param {string} tree
 * @param {string} name
 * @param {{ seconds: number, coverage?: string }} limits
 * @returns {Promise<{ passes: boolean, seconds: number }>}
 */
export function runTest(tree, name, { seconds, coverage = "" }) {
  const node = "node --import ./tests/js/source/register.js --test-reporter=tap tests/js/$0 2>/dev/null";
  const command = `ulimit -t ${Math.ceil(seconds)}; TIMEFORMAT=%U; time ${node}`;
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", command, name], {
      cwd: tree,
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
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
    const timer = setTimeout(stop, 10_000 * seconds);
    child.stdout.on("data", (data) => {
      if (/^\s*not ok(?!.*# TODO)/m.test(String(data))) stop();
    });
    child.stderr.on("data", (data) => (spent += data));
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve({ passes: status === 0 && !hasFailed, seconds: Number(spent) });
    });
  });
}

/**
 * The characters that a test ran, by file of web/: what V8 counted in any of its threads.
 * @param {string} folder
 * @param {string} tree
 * @returns {Map<string, [number, number][]>}
 */
function rangesOf(folder, tree) {
  const root = `${pathToFileURL(tree).href}/`;
  /** @type {Map<string, [number, number][]>} */
  const found = new Map();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    for (const { url, functions } of JSON.parse(readFileSync(join(folder, name), "utf8")).result) {
      if (!url.startsWith(`${root}web/`)) continue;
      const file = url.slice(root.length);
      // Inner ranges come after those around them, and are painted over them.
      const all = functions
        .flatMap((/** @type {any} */ one) => one.ranges)
        .sort(
          (/** @type {any} */ a, /** @type {any} */ b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
        );
      const painted = new Uint8Array(Math.max(0, ...all.map((/** @type {any} */ range) => range.endOffset)));
      for (const { startOffset, endOffset, count } of all) painted.fill(count ? 1 : 0, startOffset, endOffset);
      const ranges = found.get(file) ?? [];
      for (let at = 0; at < painted.length; at++) {
        if (!painted[at]) continue;
        let end = at;
        while (end < painted.length && painted[end]) end++;
        ranges.push([at, end]);
        at = end;
      }
      found.set(file, ranges);
    }
  }
  return found;
}
