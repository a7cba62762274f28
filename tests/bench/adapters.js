// What the adapters cost: the bytes that each adds to a page that has lastinch already, tokens a second of transformers.js
// with its own sampler and with ours, on the storyteller, and our step on a large vocabulary. `node tests/bench/adapters.js`.
// Seconds are those of one thread of the processor, since other programs use the machine too.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { createTransformersSampler } from "lastinch/transformers";
import { openPeer } from "../js/onnx-tools.js";

const TOKENS = 150;
const ROUNDS = 7;

const root = resolve(import.meta.dirname, "../..");
const folder = resolve(root, "web/adapters");
const { exports } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));

/** What is not the adapter's own stays outside. */
const own = {
  name: "own",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
      const isOwn = path.startsWith(".") && resolve(resolveDir, path).startsWith(folder);
      if (kind === "entry-point" || isOwn) return undefined;
      return { path, external: true };
    });
  },
};

/** @param {string} entry @param {import("esbuild").Plugin[]} plugins */
async function brotli(entry, plugins) {
  const how = { bundle: true, minify: true, write: false, format: "esm", target: "es2022" };
  const { outputFiles } = await build({ entryPoints: [entry], absWorkingDir: root, plugins, ...how });
  return brotliCompressSync(outputFiles[0].contents).length;
}

for (const name of Object.keys(exports).map((key) => key.slice(2)))
  if (existsSync(resolve(folder, `${name}.js`)))
    console.log(`${name}: ${await brotli(`web/adapters/${name}.js`, [own])} bytes`);
console.log(`chat templates, on use: ${await brotli("@huggingface/jinja", [])} bytes`);

/** Seconds of the processor since then. */
function spent(began) {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

const { model, tokenizer } = await openPeer("storyteller", "fp32", { intraOpNumThreads: 1, interOpNumThreads: 1 });
const peer = { model, tokenizer };
const inputs = tokenizer("Once upon a time");
const ours = (options) => createTransformersSampler(peer, { bannedTokens: [2], ...options });
const theirs = { bad_words_ids: [[2]] };
const ways = {
  "greedy, theirs": { ...theirs, do_sample: false },
  "greedy, ours": await ours({ temperature: 0 }),
  "temperature 0.8 and top_k 50, theirs": { ...theirs, do_sample: true, temperature: 0.8, top_k: 50 },
  "temperature 0.8 and topK 50, ours": await ours({ temperature: 0.8, topK: 50 }),
  "temperature 0.8, no cut, theirs": { ...theirs, do_sample: true, temperature: 0.8, top_k: 0 },
  "temperature 0.8, no cut, ours": await ours({ temperature: 0.8 }),
  "temperature 0.8, topP 0.95, minP 0.05, penalties, ours": await ours({
    ...{ temperature: 0.8, topP: 0.95, minP: 0.05, repetitionPenalty: 1.1, frequencyPenalty: 0.1 },
  }),
};
const rates = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round <= ROUNDS; round++)
  for (const [name, options] of Object.entries(ways)) {
    const began = process.cpuUsage();
    const output = await model.generate({ ...inputs, max_new_tokens: TOKENS, ...options });
    const seconds = spent(began);
    const count = output.dims[1] - inputs.input_ids.dims[1];
    if (round) rates[name].push(count / seconds);
  }
for (const [name, list] of Object.entries(rates)) {
  list.sort((a, b) => a - b);
  const [least, middle, most] = [list[0], list[ROUNDS >> 1], list.at(-1)].map((rate) => rate.toFixed(0));
  console.log(`${name}: ${middle} tokens a second (${least} to ${most})`);
}

const size = 151_936;
const row = Float32Array.from({ length: size }, (_, i) => 6 * Math.sin(i * 12.9898) * Math.cos(i * 78.233));
for (const options of [{ temperature: 0 }, { topK: 50 }, { topP: 0.95, minP: 0.05 }, { temperature: 0.8 }]) {
  const lastinch = await createTransformersSampler({ tokenizer, model: { config: { vocab_size: size } } }, options);
  const texts = [[1n]];
  const times = [];
  for (let step = 0; step < 60; step++) {
    const data = row.slice();
    const began = performance.now();
    lastinch.logits_processor[0](texts, { data, dims: [1, size] });
    times.push(performance.now() - began);
    texts[0].push(BigInt(data.indexOf(0)));
  }
  times.sort((a, b) => a - b);
  console.log(`a step on ${size} logits, ${JSON.stringify(options)}: ${times[0].toFixed(2)} ms at least`);
  lastinch.dispose();
}
