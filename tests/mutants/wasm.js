// Mutants of the C code of grammars that no test in C has killed: whether a test in JavaScript fails, with a grammar.wasm
// that has the change.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Order } from "./order.js";
import { plant, runTest } from "./scripts.js";

const run = promisify(execFile);
const features = ["-msimd128", "-mbulk-memory", "-mnontrapping-fptoint", "-msign-ext"];
const compiling = ["-O1", "-std=c11", "-Isrc", "-ffp-contract=off", "-w", "-DGROWTH_SHARE=8", ...features];
const linking = "--no-entry -sSTANDALONE_WASM -sMALLOC=none -sTOTAL_STACK=1048576 -sINITIAL_MEMORY=2097152";
const growing = "-sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB";
const emcc = process.env.EMCC ?? "emcc";

/**
 * @param {string} scratch a folder that keeps what was built and measured, by the hash of its sources
 * @param {string} folder a folder of this run
 * @param {number} jobs
 * @param {number} within seconds of tests for a change, by their time without it
 */
export async function prepareWasm(scratch, folder, jobs, within) {
  const built = join(scratch, "wasm-built");
  mkdirSync(built, { recursive: true });
  const read = (/** @type {string} */ file) => readFileSync(file, "utf8");
  const list = (/** @type {string} */ place, /** @type {string} */ ending) =>
    readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(ending))
      .map((name) => join(place, name))
      .sort();
  const hash = (/** @type {string[]} */ ...parts) => createHash("sha1").update(parts.join("\0")).digest("hex");
  const headers = hash(...list("src", ".h").map(read));
  const sources = ["src/base/memory.c", ...list("src/grammar", ".c")];
  const names = read("wasm/grammar.exports")
    .split("\n")
    .filter((name) => name && !name.startsWith("#"));
  const exported = names.map((name) => `-Wl,--export=${name}`);

  /** @type {Map<string, string>} the object of each source */
  const objects = new Map();
  const waiting = [...sources];
  const compileAll = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const object = join(built, `${hash(headers, read(file), ...compiling)}.o`);
      const fresh = `${object}.${process.pid}.o`;
      if (!existsSync(object)) {
        await run(emcc, [...compiling, "-c", file, "-o", fresh]);
        renameSync(fresh, object);
      }
      objects.set(file, object);
    }
  };
  await Promise.all(Array.from({ length: jobs }, compileAll));
  const link = (/** @type {string[]} */ parts, /** @type {string} */ to) =>
    run(emcc, ["-O1", ...linking.split(" "), ...growing.split(" "), ...features, ...exported, ...parts, "-o", to]);

  const trees = Array.from({ length: jobs }, (_, job) => join(folder, `wasm-tree-${job}`));
  for (const tree of trees) {
    plant(tree);
    await link([...objects.values()], join(tree, "dist/grammar.wasm"));
  }
  const common = hash(headers, ...sources.map(read), ...list("web", ".js").map(read));
  /** @type {{ name: string, seconds: number }[]} */
  const tests = [];
  const unmeasured = readdirSync("tests/js").filter(
    (name) => name.endsWith(".test.js") && read(join("tests/js", name)).includes("compileGrammar"),
  );
  const measure = async (/** @type {string} */ tree) => {
    for (let name = unmeasured.shift(); name; name = unmeasured.shift()) {
      const record = join(built, `${hash(common, read(join("tests/js", name)))}.json`);
      if (!existsSync(record)) writeFileSync(record, JSON.stringify(await runTest(tree, name, { seconds: 300 })));
      const { passes, seconds } = JSON.parse(read(record));
      if (passes) tests.push({ name, seconds });
      if (!passes) console.log(`${name} fails with grammar.wasm as it is and is left out`);
    }
  };
  await Promise.all(trees.map(measure));
  const order = new Order();

  /**
   * The test that fails with a changed file, or nothing.
   * @param {string} file
   * @param {string} source
   * @param {number} job
   */
  return async function attempt(file, source, job) {
    const [changed, object] = [join(folder, `wasm-changed-${job}.c`), join(folder, `wasm-changed-${job}.o`)];
    writeFileSync(changed, source);
    await run(emcc, [...compiling, "-c", changed, "-o", object]);
    const others = sources.filter((name) => name !== file).map((name) => objects.get(name) ?? "");
    await link([...others, object], join(trees[job], "dist/grammar.wasm"));
    for (const { name, seconds } of order.of(file, tests, within)) {
      if ((await runTest(trees[job], name, { seconds: 3 * seconds + 5 })).passes) continue;
      order.note(file, name);
      return `tests/js/${name}`;
    }
    return undefined;
  };
}
