// Mutants that tests in JavaScript judge: of JavaScript, and those of src/grammar that native tests let pass. Tests
// run on the sources in web/ (tests/js/source/), in a copy of the tree for each job.
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rebuilder } from "./native.js";
import { filesIn, killerOf, measureAll, runTest } from "./tests.js";

const fails = /^\s*not ok(?!.*# TODO)/m;

/** The module that has src/grammar, and the script that opens it. */
const grammar = { built: "build/wasm/grammar.wasm", opener: "web/grammar/grammar-instance.js" };

/** A copy of what tests need. @param {string} tree */
function plant(tree) {
  const texts = readdirSync(".").filter((name) => name.endsWith(".md"));
  for (const name of [
    "web",
    "wasm",
    "tools",
    "tests",
    "demos",
    "src",
    "build/wasm",
    "package.json",
    "tsconfig.json",
    ...texts,
  ])
    cpSync(name, join(tree, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(tree, "node_modules"));
}

/** @param {string} tree @param {string} file @param {number} seconds @param {string} [coverage] */
const runScript = (tree, file, seconds, coverage = "") =>
  runTest(`node --import ./tests/js/source/register.js --test-reporter=tap ${file}`, {
    seconds,
    fails,
    cwd: tree,
    env: { NODE_V8_COVERAGE: coverage },
  });

/**
 * @param {string[]} folders of the jobs
 * @param {number} within seconds of tests for a change
 */
export async function prepareScripts(folders, within) {
  const trees = folders.map((folder) => join(folder, "tree"));
  trees.forEach(plant);
  const sources = [
    ...filesIn("web", /\.js$/),
    ...filesIn("tests/js", /(?<!\.test)\.js$/),
    ...filesIn("tests/vectors", /\.js$/),
  ];
  const scripts = filesIn("tests/js", /(?<!\.package)\.test\.js$/);
  const tests = await measureAll(scripts, sources, folders.length, async (file, job) => {
    const coverage = join(folders[job], "coverage");
    const { passes, seconds } = await runScript(trees[job], file, 600, coverage);
    const reaches = charactersOf(coverage, trees[job]);
    rmSync(coverage, { recursive: true, force: true });
    return passes ? { seconds, reaches } : undefined;
  });

  /**
   * What kills a mutant, or nothing.
   * @param {import("./native.js").Mutant} mutant
   * @param {string} folder of the job
   */
  return async function attempt({ file, start, source }, folder) {
    const tree = join(folder, "tree");
    const isC = file.endsWith(".c");
    const reaches = (/** @type {import("./tests.js").Test} */ test) =>
      isC ? grammar.opener in test.reaches : test.reaches[file]?.some(([from, to]) => from <= start && start < to);
    const changed = isC ? grammar.built : file;
    if (isC) {
      const rebuild = await rebuilder(file, changed, "OPTIMISE=-O1");
      cpSync(await rebuild(source, folder), join(tree, changed));
    } else writeFileSync(join(tree, changed), source);
    const killer = await killerOf(file, tests.filter(reaches), within, async (test) => {
      return (await runScript(tree, test.file, 2 * test.seconds + 5)).passes;
    });
    cpSync(changed, join(tree, changed));
    return killer;
  };
}

/**
 * The characters of web/ that a test ran: what V8 counted in any of its threads.
 * @param {string} folder
 * @param {string} tree
 */
function charactersOf(folder, tree) {
  const root = `${pathToFileURL(resolve(tree)).href}/`;
  /** @type {Record<string, [number, number][]>} */
  const found = {};
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    for (const { url, functions } of JSON.parse(readFileSync(join(folder, name), "utf8")).result) {
      if (!url.startsWith(`${root}web/`)) continue;
      // Inner ranges come after those around them, and are painted over them.
      const all = functions
        .flatMap((/** @type {any} */ one) => one.ranges)
        .sort(
          (/** @type {any} */ a, /** @type {any} */ b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
        );
      const painted = new Uint8Array(Math.max(0, ...all.map((/** @type {any} */ range) => range.endOffset)));
      for (const { startOffset, endOffset, count } of all) painted.fill(count ? 1 : 0, startOffset, endOffset);
      const ranges = (found[url.slice(root.length)] ??= []);
      for (let at = painted.indexOf(1), end; at >= 0; at = painted.indexOf(1, end)) {
        end = painted.indexOf(0, at);
        if (end < 0) end = painted.length;
        ranges.push([at, end]);
      }
    }
  }
  return found;
}
