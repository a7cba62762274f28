// Mutation testing: changes one operator, bound or condition at a time, runs the tests that reach the change, and lists
// the changes that no test sees. `make mutants folder=src/sample seed=1 count=200 seconds=3600`; `file=top_p.c` tries that
// file alone, `within=30` gives a change up after half a minute of tests. What a test has killed is remembered until that
// test or the file changes, so that a second run tries little but what survived the first.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { changesOf } from "./changes.js";
import { prepareNative } from "./native.js";
import { prepareScripts } from "./scripts.js";
import { prepareWasm } from "./wasm.js";

const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const {
  folder = "src/sample",
  seed = "1",
  count = "200",
  seconds = "3600",
  jobs = "2",
  within = "1e9",
  node = "yes",
  file: only,
} = given;
const scratch = join(tmpdir(), `lastinch-mutants-${process.getuid?.() ?? ""}`);
mkdirSync(scratch, { recursive: true });
const remembered = join(scratch, "verdicts.txt");
const hash = (/** @type {string} */ text) => createHash("sha1").update(text).digest("hex");
const isEqual = (/** @type {any} */ a, /** @type {any} */ b) =>
  a.file === b.file && a.before === b.before && a.after === b.after;

/** @type {{ file: string, before: string, after: string, reason: string }[]} */
const equivalent = JSON.parse(readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8"));

/** All mutants of the folder; `before` and `after` are the lines that change. */
function mutantsOf() {
  const flat = (/** @type {string} */ text) => text.trim().replace(/\s+/g, " ");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(?:c|js)$/.test(name) && (!only || basename(name) === only),
  );
  return files.sort().flatMap((name) => {
    const file = `${folder}/${name}`;
    const source = readFileSync(file, "utf8");
    return changesOf(file, source).map(({ start, end, text }) => {
      const from = source.lastIndexOf("\n", start - 1) + 1;
      const to = source.indexOf("\n", end);
      return {
        file,
        line: source.slice(0, start).split("\n").length,
        start,
        before: flat(source.slice(from, to)),
        after: flat(source.slice(from, start) + text + source.slice(end, to)),
        source: source.slice(0, start) + text + source.slice(end),
      };
    });
  });
}

/** Shuffles by a seed. @template T @param {T[]} items @param {number} state */
function shuffle(items, state) {
  for (let last = items.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const at = Math.floor((state / 2 ** 32) * (last + 1));
    [items[last], items[at]] = [items[at], items[last]];
  }
  return items;
}

/** @template T @param {() => T} make @returns {() => T} what `make` returned at the first call */
function once(make) {
  /** @type {{ made: T } | undefined} */
  let kept;
  return () => (kept ??= { made: make() }).made;
}

const all = mutantsOf();
for (const entry of equivalent)
  if (entry.file.startsWith(`${folder}/`) && !only && !all.some((mutant) => isEqual(mutant, entry)))
    console.log(`equivalent.json: no such change any more: ${entry.file}: ${entry.before} → ${entry.after}`);
const mutants = shuffle(all, Number(seed));

/** Verdicts of former runs by the changed file. @type {Map<string, { verdict: string, test: string }>} */
const verdicts = new Map();
for (const row of existsSync(remembered) ? readFileSync(remembered, "utf8").split("\n") : []) {
  const [key, test, verdict] = row.split("\t");
  verdicts.set(key, { verdict, test });
}
const contentOf = (/** @type {string} */ verdict) => (existsSync(verdict) ? hash(readFileSync(verdict, "utf8")) : "");
/** What is remembered of a survivor, until any test changes or the run may take longer. */
const tests = ["tests/c", "tests/js"].flatMap((place) =>
  readdirSync(place).map((name) => contentOf(`${place}/${name}`)),
);
const survived = `survived ${within} ${node} ${hash(tests.join())}`;

const work = mkdtempSync(join(scratch, "run-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const prepare = folder.startsWith("src/") ? prepareNative : prepareScripts;
/** Built when the first change is tried that no former run has judged. */
const attempt = once(() => prepare(scratch, work, Number(jobs), Number(within), folder));
const module = folder.match(/^src\/(grammar|model)/)?.[1];
const attemptWasm = once(() =>
  prepareWasm(/** @type {"grammar" | "model"} */ (module), scratch, work, Number(jobs), Number(within)),
);
const begun = Date.now();
const tally = { tried: 0, killed: 0, "same code": 0, equivalent: 0, "does not compile": 0 };
/** @type {typeof mutants} */
const survivors = [];

/** Takes mutants from the list until there are enough, or the time is over. @param {number} job */
async function tryMutants(job) {
  while (mutants.length && tally.tried < Number(count) && Date.now() - begun < 1000 * Number(seconds)) {
    const mutant = mutants.shift();
    if (!mutant) return;
    tally.tried++;
    const known = equivalent.some((entry) => isEqual(mutant, entry));
    const key = hash(mutant.file + mutant.source);
    const former = verdicts.get(key);
    let answer = known ? "equivalent" : former?.test === contentOf(former?.verdict ?? "") ? former.verdict : undefined;
    if (!answer && former?.verdict !== survived) {
      answer = await (await attempt())(mutant.file, mutant.source, mutant.line, job, mutant.start);
      if (!answer && module && node === "yes") answer = await (await attemptWasm())(mutant.file, mutant.source, job);
      appendFileSync(remembered, `${key}\t${answer ? contentOf(answer) : "-"}\t${answer ?? survived}\n`);
      if (tally.tried % 20 === 0) console.error(`${tally.tried} tried`);
    }
    if (answer === "does not compile") tally.tried--;
    if (answer === "does not compile" || answer === "same code" || answer === "equivalent") tally[answer]++;
    else if (answer) tally.killed++;
    else survivors.push(mutant);
    if (!answer) console.log(`${mutant.file}:${mutant.line}: ${mutant.before}\n    → ${mutant.after}`);
  }
}
await Promise.all(Array.from({ length: Number(jobs) }, (_, job) => tryMutants(job)));

const harmless = tally["same code"] + tally.equivalent;
console.log(
  `${folder}, seed ${seed}: ${tally.tried} changes, ${tally.killed} killed, ${harmless} equivalent (${tally["same code"]} of them ` +
    `the same code), ${survivors.length} survive; ${((100 * (tally.killed + harmless)) / tally.tried).toFixed(1)} %, ` +
    `${Math.round((Date.now() - begun) / 1000)} s`,
);
process.exit();
