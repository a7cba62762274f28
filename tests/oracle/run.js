// Runs the oracles: random schemas, regular expressions and grammars, with a vocabulary of real size.
// node tests/oracle/run.js [--oracle schema,regex,grammar] [--seconds 60] [--seed 1] [--path 3:0:1] [--list failures.json]
//   [--slow 25] masks that take more milliseconds, twice, are failures too
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { Failure } from "./failure.js";
import { known } from "./known.js";
import { Bench } from "./reader.js";
import { openLlama3 } from "./vocabulary.js";

/** How many cases share a seed: as many as fast-check takes to go from small ones to large ones. */
const BATCH = 100;
const names = ["schema", "regex", "grammar"];

/**
 * Runs one batch of cases.
 * @param {Bench} bench
 * @param {{ cases: fc.Arbitrary<any>, check: (bench: Bench, chosen: any) => Promise<void> }} oracle
 * @param {{ seed: number, path?: string, runs?: number, seconds?: number }} how
 * @returns {Promise<{ failure: Failure, path: string | null, chosen: any } | undefined>} the smallest case found that fails
 */
export async function runBatch(bench, { cases, check }, { seed, path = "", runs = BATCH, seconds = 300 }) {
  const property = fc.asyncProperty(cases, async (chosen) => {
    bench.tally.add("cases");
    try {
      await check(bench, chosen).catch((error) => {
        if (error.kind === "slow mask") return check(bench, chosen); // perhaps the machine was busy
        throw error;
      });
    } catch (error) {
      const issue = error instanceof Failure && known.find(({ isIt }) => isIt(error))?.issue;
      if (!issue) throw error;
      bench.tally.add(`known: ${issue}`);
    }
  });
  const result = await fc.check(property, {
    ...{ seed, path, numRuns: runs, interruptAfterTimeLimit: seconds * 1000, endOnFailure: Boolean(path) },
  });
  if (!result.failed || !result.counterexample) return;
  const error = result.errorInstance;
  const failure =
    error instanceof Failure ? error : new Failure("crash", { message: String(/** @type {any} */ (error)?.stack) });
  return { failure, path: result.counterexamplePath, chosen: result.counterexample[0] };
}

/** @param {string} name */
export const openOracle = (name) => import(`./${name}-oracle.js`);

async function main() {
  const { values: flags } = parseArgs({
    options: {
      oracle: { type: "string", default: names.join() },
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      path: { type: "string" },
      list: { type: "string" },
      slow: { type: "string", default: "Infinity" },
    },
  });
  const bench = await Bench.open(openLlama3());
  bench.patience = Number(flags.slow);
  const chosen = flags.oracle.split(",");
  const end = performance.now() + Number(flags.seconds) * 1000;
  const failures = [];
  for (let turn = 0; turn < (flags.path ? 1 : Infinity) && performance.now() < end; turn++) {
    const name = chosen[turn % chosen.length];
    const seed = Number(flags.seed) + Math.floor(turn / chosen.length);
    const seconds = flags.path ? 600 : Math.min(120, (end - performance.now()) / 1000);
    const found = await runBatch(bench, await openOracle(name), { seed, path: flags.path, seconds });
    if (!found) continue;
    failures.push({ name, seed, ...found, details: found.failure.details });
    console.log(`${found.failure.message.slice(0, 1500)}\n  ${JSON.stringify(found.chosen).slice(0, 1500)}`);
    console.log(`  again: node tests/oracle/run.js --oracle ${name} --seed ${seed} --path ${found.path}`);
  }
  const { counts, slow } = bench.tally;
  for (const [what, count] of Object.entries(counts)) console.log(`${what}: ${count}`);
  slow.sort((a, b) => b.ms - a.ms);
  for (const { ms, what } of slow.slice(0, 5))
    console.log(`mask of ${ms.toFixed(0)} ms: ${JSON.stringify(what).slice(0, 600)}`);
  if (flags.list) writeFileSync(flags.list, JSON.stringify({ failures, slow }, null, 1));
  console.log(`${failures.length} failures`);
  process.exitCode = failures.length ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) await main();
