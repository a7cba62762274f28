// Mutants of the C code of grammars and models that no test in C has killed: whether a test in JavaScript fails, with a
// grammar.wasm or model.wasm that has the change.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Order } from "./order.js";
import { plant, runTest, sourceTests } from "./scripts.js";

const run = promisify(execFile);
const features = ["-msimd128", "-mbulk-memory", "-mnontrapping-fptoint", "-msign-ext"];
const compiling = ["-O1", "-std=c11", "-Isrc", "-ffp-contract=off", "-w", "-DGROWTH_SHARE=8", ...features];
const linking = "--no-entry -sSTANDALONE_WASM -sMALLOC=none -sTOTAL_STACK=1048576 -sINITIAL_MEMORY=2097152";
const growing = "-sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB";
const emcc = process.env.EMCC ?? "emcc";

/** What a .wasm file is made of, and a word of each test that opens it. */
const modules = {
  grammar: { folders: ["src/grammar"], exports: ["grammar"], opens: /compileGrammar/ },
  model: {
    folders: ["src/base", "src/sample", "src/decode", "src/model", "src/tokenizer"],
    exports: ["sampler", "decode", "model"],
    opens: /loadModel|openModel|openHeader|decode-tools/,
  },
};

/**
 * @param {"grammar" | "model"} name of the module
 * @param {string} scratch a folder that keeps what was built and measured, by the hash of its sources
 * @param {string} folder a folder of this run
 * @param {number} jobs
 * @param {number} within seconds of tests for a change, by their time without it
 */
export async function prepareWasm(name, scratch, folder, jobs, within) {
  const module = modules[name];
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
  const sources = module.folders.flatMap((place) => list(place, ".c"));
  if (name === "grammar") sources.unshift("src/base/memory.c");
  const exported = module.exports
    .flatMap((file) => read(`wasm/${file}.exports`).split("\n"))
    .filter((word) => word && !word.startsWith("#"))
    .map((word) => `-Wl,--export=${word}`);

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
  /** @param {string[]} parts @param {string} tree */
  const link = async (parts, tree) => {
    const to = join(tree, `build/wasm/${name}.wasm`);
    await run(emcc, [
      "-O1",
      ...linking.split(" "),
      ...growing.split(" "),
      ...features,
      ...exported,
      ...parts,
      "-o",
      to,
    ]);
  };

  const trees = Array.from({ length: jobs }, (_, job) => join(folder, `wasm-tree-${job}`));
  for (const tree of trees) {
    plant(tree);
    // Without the variants of the model the loader takes the plain one, which has the change.
    rmSync(join(tree, "build/wasm"));
    cpSync("build/wasm", join(tree, "build/wasm"), { recursive: true, filter: (path) => !path.includes("/model-") });
    await link([...objects.values()], tree);
  }
  const common = hash(headers, ...sources.map(read), ...list("web", ".js").map(read));
  /** @type {{ name: string, seconds: number }[]} */
  const tests = [];
  const unmeasured = sourceTests().filter((file) => module.opens.test(read(join("tests/js", file))));
  const measure = async (/** @type {string} */ tree) => {
    for (let file = unmeasured.shift(); file; file = unmeasured.shift()) {
      const record = join(built, `${hash(common, read(join("tests/js", file)))}.json`);
      if (!existsSync(record)) writeFileSync(record, JSON.stringify(await runTest(tree, file, { seconds: 300 })));
      const { passes, seconds } = JSON.parse(read(record));
      if (passes) tests.push({ name: file, seconds });
      if (!passes) console.log(`${file} fails with ${name}.wasm as it is and is left out`);
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
    const others = sources.filter((other) => other !== file).map((other) => objects.get(other) ?? "");
    await link([...others, object], trees[job]);
    for (const { name: test, seconds } of order.of(file, tests, within)) {
      if ((await runTest(trees[job], test, { seconds: 3 * seconds + 5 })).passes) continue;
      order.note(file, test);
      return `tests/js/${test}`;
    }
    return undefined;
  };
}
