// Mutants of C. The commands of make compile the changed file and link the program of all C tests again, beside the
// build; of its tests those run that reach the change.
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import { filesIn, killerOf, measureAll, runTest } from "./tests.js";

const run = promisify(execFile);
const fails = /not so: /;

/** @typedef {import("./changes.js").Change & { file: string, line: number, source: string }} Mutant */

/**
 * How make brings a changed file into a target that is made, as a function that does so beside the target.
 * @param {string} file
 * @param {string} target
 * @param {string[]} settings
 */
export async function rebuilder(file, target, ...settings) {
  const { stdout } = await run("make", [...settings, "-n", "-W", file, target], { maxBuffer: 1e8 });
  const object = stdout.match(/-c \S+ -o (\S+)/)?.[1] ?? "";
  /** @type {(source: string, folder: string) => Promise<string>} */
  return async (source, folder) => {
    const built = `${folder}/${basename(target)}`;
    const commands = stdout
      .replaceAll(object, `${folder}/changed.o`)
      .replaceAll(target, built)
      .replace(`-c ${file}`, "-x c -c -")
      .replace("-Werror", "-w");
    const shell = run("bash", ["-ec", commands]);
    shell.child.stdin?.end(source);
    await shell;
    return built;
  };
}

/** What clang -O2 makes of a source. @param {string} source */
async function assemblyOf(source) {
  const compiler = run(
    "clang",
    ["-std=c11", "-Isrc", "-ffp-contract=off", "-w", "-O2", "-x", "c", "-S", "-", "-o", "-"],
    {
      maxBuffer: 1e8,
    },
  );
  compiler.child.stdin?.end(source);
  return (await compiler).stdout;
}

/** The lines of src/ that a test runs. @param {string} profile @param {string} program */
async function linesOf(profile, program) {
  await run("llvm-profdata", ["merge", profile, "-o", `${profile}.merged`]);
  const how = ["export", "-format=lcov", `-instr-profile=${profile}.merged`, program, "src"];
  const { stdout } = await run("llvm-cov", how, { maxBuffer: 1e9 });
  rmSync(profile);
  rmSync(`${profile}.merged`);
  /** @type {Record<string, [number, number][]>} */
  const lines = {};
  let file = "";
  for (const row of stdout.split("\n")) {
    const [key, value] = row.split(/:(.*)/);
    if (key === "SF") lines[(file = value.slice(value.lastIndexOf("/src/") + 1))] = [];
    const [line, count] = (value ?? "").split(",").map(Number);
    if (key === "DA" && count) lines[file].push([line, line]);
  }
  return lines;
}

/**
 * @param {number} jobs
 * @param {number} within seconds of tests for a change
 */
export async function prepareNative(jobs, within) {
  const counting = "build/coverage/c-tests";
  const program = "build/debug/c-tests";
  await run("make", ["config=coverage", counting], { maxBuffer: 1e8 });
  await run("make", ["config=debug", program], { maxBuffer: 1e8 });
  const sources = [...filesIn("src", /\.[ch]$/), ...filesIn("tests/c", /\.h$/), ...filesIn("tests/vectors", /\.h$/)];
  const only = (/** @type {string} */ file) => `--only ${basename(file, ".c")}`;
  const tests = await measureAll(filesIn("tests/c", /_test\.c$/), sources, jobs, async (file) => {
    const profile = `build/mutants/${basename(file)}.profile`;
    const env = { LLVM_PROFILE_FILE: profile };
    const { passes, seconds } = await runTest(`${counting} ${only(file)}`, { seconds: 900, fails, env });
    return passes ? { seconds, reaches: await linesOf(profile, counting) } : undefined;
  });
  /** @type {Map<string, Promise<any>>} */
  const kept = new Map();
  /** @template T @param {string} key @param {() => Promise<T>} make @returns {Promise<T>} */
  const once = (key, make) => kept.get(key) ?? (kept.set(key, make()), kept.get(key));

  /**
   * What kills a mutant, or "not compiled", "same code", or nothing.
   * @param {Mutant} mutant
   * @param {string} folder of the job
   */
  return async function attempt({ file, line, source }, folder) {
    const covering = tests.filter(({ reaches }) => reaches[file]?.some(([from, to]) => from <= line && line <= to));
    const rebuild = await once(`rebuild ${file}`, () => rebuilder(file, program, "config=debug"));
    let changed = "";
    try {
      changed = await rebuild(source, folder);
    } catch {
      return "not compiled";
    }
    const killer = await killerOf(file, covering, within, async (test) => {
      const limits = { seconds: 2 * test.seconds + 2, fails };
      return (await runTest(`${changed} ${only(test.file)}`, limits)).passes;
    });
    if (killer) return killer;
    const original = await once(`code of ${file}`, () => assemblyOf(readFileSync(file, "utf8")));
    if ((await assemblyOf(source)) !== original) return undefined;
    return covering.length ? "same code" : "not compiled"; // as the code of threads natively
  };
}
