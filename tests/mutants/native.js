// Mutants of C: which tests run which lines, and whether a test fails. Tests link against one shared library, so that the
// object of a mutant takes the place of the original by LD_PRELOAD and nothing else is built again.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { Order } from "./order.js";
import { reachOf } from "./reach.js";

const run = promisify(execFile);
const plain = ["-O2", "-fPIC"];
const sanitized = ["-O1", "-g1", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const counted = ["-O1", "-fprofile-instr-generate", "-fcoverage-mapping"];
const flags = ["-std=c11", "-Isrc", "-Itests/c", "-ffp-contract=off", "-w", "-DCHECK_STOPS"];
// Under the sanitizers run the tests that need no more seconds than this without them.
const SANITIZED_SECONDS = 1;
const SANITIZED_SLOWER = 4;

/**
 * @typedef {object} Test
 * @property {string} name
 * @property {number} seconds of the processor
 * @property {Map<string, Set<number>>} lines that it runs, by file
 */

/**
 * @param {string} scratch a folder that keeps what was built, by the hash of its sources
 * @param {string} tree a folder of this run
 * @param {number} jobs
 * @param {number} within seconds of tests for a change, by their time without it
 * @param {string} changing the folder of src/ that changes
 */
export async function prepareNative(scratch, tree, jobs, within, changing) {
  const built = join(scratch, "built");
  mkdirSync(built, { recursive: true });
  for (const folder of ["src", "tests/c", "tests/vectors"]) cpSync(folder, join(tree, folder), { recursive: true });
  const list = (/** @type {string} */ folder, /** @type {string} */ ending) =>
    readdirSync(join(tree, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(ending))
      .map((file) => join(folder, file))
      .sort();
  const read = (/** @type {string} */ file) => readFileSync(join(tree, file), "utf8");
  const hash = (/** @type {string[]} */ ...parts) => createHash("sha1").update(parts.join("\0")).digest("hex");
  const headers = hash(...list("src", ".h").map(read));
  const testHeaders = hash(headers, ...[...list("tests/c", ".h"), ...list("tests/vectors", ".h")].map(read));

  /** Makes a file unless there is one. @type {(path: string, parameters: string[]) => Promise<string>} */
  const make = async (path, parameters) => {
    if (existsSync(path)) return path;
    const fresh = `${path}.${process.pid}`;
    await run("clang", [...flags, ...parameters, "-o", fresh], { cwd: tree });
    renameSync(fresh, path);
    return path;
  };
  const object = (/** @type {string} */ file, /** @type {string[]} */ how) =>
    make(join(built, `${hash(headers, read(file), ...flags, ...how)}.o`), [...how, "-c", file]);

  const headersOfTests = [...list("tests/c", ".h"), ...list("tests/vectors", ".h")];
  const reach = reachOf([...list("src", ".c"), ...list("src", ".h")], headersOfTests, read);
  const reached = list("tests/c", "_test.c")
    .map((file) => ({ file, sources: reach(file) }))
    .filter(({ sources }) => sources.some((source) => source.startsWith(`${changing}/`)));
  const sources = [...new Set(reached.flatMap((test) => test.sources))].sort();

  /** The objects that the tests need, the shared library, and the tests by name. @param {string[]} how */
  const buildAll = async (how) => {
    const objects = [];
    for (const file of sources) objects.push(await object(file, how));
    const isShared = how.includes("-fPIC");
    const library = join(built, `lib${hash(...objects)}.so`);
    if (isShared) await make(library, [...how, "-shared", ...objects]);
    /** @type {Map<string, string>} */
    const tests = new Map();
    for (const { file } of reached) {
      const path = join(built, hash(testHeaders, read(file), ...how, ...objects));
      tests.set(basename(file, ".c"), await make(path, [...how, file, ...(isShared ? [library] : objects), "-lm"]));
    }
    return tests;
  };
  const [fast, careful, counting] = [await buildAll(plain), await buildAll(sanitized), await buildAll(counted)];

  /** @type {Test[]} */
  const tests = [];
  const waiting = [...counting];
  const measure = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, path] = next;
      const record = `${path}.json`;
      if (!existsSync(record)) {
        const { passes } = await runTest(path, { seconds: 900, profile: `${path}.raw` });
        const lines = passes ? await linesOf(path) : [];
        writeFileSync(record, JSON.stringify({ passes, lines }));
      }
      // Counting makes a test several times as slow, so its time is measured without.
      const timed = `${fast.get(name)}.json`;
      if (!existsSync(timed))
        writeFileSync(timed, JSON.stringify(await runTest(fast.get(name) ?? "", { seconds: 300 })));
      const { passes, lines } = JSON.parse(readFileSync(record, "utf8"));
      const { seconds } = JSON.parse(readFileSync(timed, "utf8"));
      if (passes) tests.push({ name, seconds, lines: new Map(lines.map(([file, all]) => [file, new Set(all)])) });
      else console.log(`${name} fails without any change, or takes too long, and is left out`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, measure));
  /** @type {Order<Test>} */
  const order = new Order();
  /** @type {Map<string, string>} the digest of each file's object without a change */
  const originals = new Map();

  /**
   * What kills a changed file, or "same code", "does not compile", or nothing.
   * @param {string} file
   * @param {string} source
   * @param {number} line
   * @param {number} job
   */
  return async function attempt(file, source, line, job) {
    const place = join(tree, `changed-${job}`);
    const [compiled, library] = [`${place}.o`, `${place}.so`];
    // From standard input, so that the object does not name its source: the same code makes the same bytes.
    const compile = (/** @type {string} */ text, /** @type {string[]} */ how) => {
      const compiler = run("clang", [...flags, ...how, "-x", "c", "-c", "-", "-o", compiled], { cwd: tree });
      compiler.child.stdin?.end(text);
      return compiler;
    };
    const digest = () => createHash("sha1").update(readFileSync(compiled)).digest("hex");
    if (!originals.has(file)) {
      await compile(read(file), plain);
      originals.set(file, digest());
    }
    try {
      await compile(source, plain);
    } catch {
      return "does not compile";
    }
    if (digest() === originals.get(file)) return "same code";
    const covering = tests.filter((test) => test.lines.get(file)?.has(line));
    for (const [how, paths, slower] of /** @type {const} */ ([
      [plain, fast, 3],
      [sanitized, careful, 30],
    ])) {
      if (how === sanitized) await compile(source, sanitized);
      await run("clang", [...how, "-shared", compiled, "-o", library]);
      const chosen = how === plain ? covering : covering.filter(({ seconds }) => seconds <= SANITIZED_SECONDS);
      for (const { name, seconds } of order.of(file, chosen, how === plain ? within : within / SANITIZED_SLOWER)) {
        const limit = { seconds: slower * seconds + 1, library, isSanitized: how === sanitized };
        if ((await runTest(paths.get(name) ?? "", limit)).passes) continue;
        order.note(file, name);
        return `tests/c/${name}.c`;
      }
    }
    return undefined;
  };
}

/**
 * Whether a program succeeds, and the seconds of the processor that it took.
 * @param {string} path
 * @param {{ seconds: number, library?: string, isSanitized?: boolean, profile?: string }} limits
 * @returns {Promise<{ passes: boolean, seconds: number }>}
 */
function runTest(path, { seconds, library = "", isSanitized = false, profile = "" }) {
  const memory = isSanitized ? "" : "ulimit -v 6000000;";
  const command = `ulimit -t ${Math.ceil(seconds)}; ${memory} TIMEFORMAT=%U; time env LD_PRELOAD="$1" "$0" >/dev/null 2>&1`;
  const sanitizers = "detect_odr_violation=0:hard_rss_limit_mb=3000";
  const environment = { ...process.env, ASAN_OPTIONS: sanitizers, LLVM_PROFILE_FILE: profile };
  const timeout = Math.ceil(20_000 * seconds); // milliseconds by the clock, on a machine that has others to serve
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", command, path, library], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
      timeout,
    });
    let text = "";
    child.stderr.on("data", (data) => (text += data));
    child.on("close", (status) => resolve({ passes: status === 0, seconds: Number(text.trim().split("\n").at(-1)) }));
  });
}

/** The lines of src/ that a test ran: [file, lines] each. @param {string} path */
async function linesOf(path) {
  await run("llvm-profdata", ["merge", `${path}.raw`, "-o", `${path}.profile`]);
  const parameters = ["export", "-format=lcov", `-instr-profile=${path}.profile`, path];
  const { stdout } = await run("llvm-cov", parameters, { maxBuffer: 1e9 });
  /** @type {[string, number[]][]} */
  const files = [];
  for (const row of stdout.split("\n")) {
    const [key, value] = row.split(/:(.*)/);
    if (key === "SF") files.push([value.slice(value.lastIndexOf("/src/") + 1), []]);
    const [line, count] = (value ?? "").split(",").map(Number);
    if (key === "DA" && count) files.at(-1)?.[1].push(line);
  }
  return files;
}
