// Steps of the model that learns in a page, beside PyTorch (Debian's, one thread) and TensorFlow.js (its cpu and wasm
// backends), in turns; processor time. Run `node --import ./tests/js/source/register.js tests/bench/train.js TEXT`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { readCharacters } from "../../web/train/text-characters.js";
import { Training } from "../../web/train/training.js";
import { tensorflowSteps } from "./train-tensorflow.js";

const path = process.argv[2];
const text = readFileSync(path, "utf8").slice(0, 400_000);
const { characters, tokens } = readCharacters(text);
const shape = { vocabSize: characters.vocabSize, layers: 2, dim: 48, hidden: 96, heads: 4, context: 64 };
const batch = 16;
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const training = await Training.open({ ...shape, batch }, 1, tokens);

/** Milliseconds of this process's time that a step takes. */
async function timed(steps, run) {
  const before = process.cpuUsage();
  await run(steps);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / steps;
}

/** PyTorch in another process: a function like `timed`. */
async function openPyTorch() {
  const child = spawn("/usr/bin/python3", [new URL("train.py", import.meta.url).pathname, path]);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  if (!value?.startsWith("ready")) return undefined;
  return {
    run: async (steps) => {
      child.stdin.write(`${steps}\n`);
      return Number((await lines.next()).value.split(" ")[0]) / steps;
    },
    end: () => child.kill(),
  };
}

const pyTorch = await openPyTorch().catch(() => undefined);
const ways = {
  lastinch: (steps) => timed(steps, (count) => Array.from({ length: count }, () => training.step(0.003))),
  ...(pyTorch && { PyTorch: pyTorch.run }),
};
for (const backend of ["cpu", "wasm"]) {
  const steps = await tensorflowSteps(backend, tokens, { ...shape, batch }).catch((error) =>
    console.log(error.message),
  );
  if (steps) ways[`TensorFlow.js ${backend}`] = (count) => timed(backend === "cpu" ? 1 : count, steps);
}
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (const run of Object.values(ways)) await run(2); // the first steps compile
for (let round = 0; round < 7; round++) for (const [name, run] of Object.entries(ways)) times[name].push(await run(10));
console.log(`| ${batch} x ${shape.context} characters | ms a step: least, median | steps a minute | beside lastinch |`);
console.log("| --- | --- | --- | --- |");
for (const [name, all] of Object.entries(times)) {
  const least = Math.min(...all);
  const ratio = least / Math.min(...times.lastinch);
  const shown = [least.toFixed(1), median(all).toFixed(1)].join(", ");
  console.log(`| ${name} | ${shown} | ${Math.round(60_000 / least)} | ${ratio.toFixed(2)} |`);
}
pyTorch?.end();
process.exit();
