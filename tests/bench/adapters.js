// What the adapters cost: the bytes that each adds to a page that has lastinch already, tokens a second of transformers.js
// with its own sampler and with ours, on the storyteller, and our step on a large vocabulary. `node tests/bench/adapters.js`;
// with --recorded only what results/ keeps.
// Seconds are those of one thread of the processor, since other programs use the machine too.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { Tensor } from "@huggingface/transformers";
import { createTransformersSampler } from "lastinch/transformers";
import { openPeer } from "../js/onnx-tools.js";
import { record } from "./record.js";

const TOKENS = 150;
const ROUNDS = 21;

const onlyRecorded = process.argv.includes("--recorded");
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
const pairs = {
  greedy: [{ do_sample: false }, { temperature: 0 }],
  "temperature 0.8 and top-k 50": [
    { do_sample: true, temperature: 0.8, top_k: 50 },
    { temperature: 0.8, topK: 50 },
  ],
  "temperature 0.8, no cut": [{ do_sample: true, temperature: 0.8, top_k: 0 }, { temperature: 0.8 }],
};

/** @param {object} options of generate @returns {Promise<number>} µs a token */
async function cost(options) {
  const began = process.cpuUsage();
  const output = await model.generate({ ...inputs, max_new_tokens: TOKENS, ...options });
  return (1e6 * spent(began)) / (output.dims[1] - inputs.input_ids.dims[1]);
}

/** @param {number[]} list */
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** @param {string} title @param {object} [more] options of ours */
async function compare(title, more) {
  for (const [name, [own, options]] of Object.entries(pairs)) {
    const isRecorded = title === "storyteller" && name.endsWith("no cut");
    if (onlyRecorded && !isRecorded) continue;
    const theirs = { bad_words_ids: [[2]], ...own };
    const lastinch = await ours({ ...options, ...more });
    const costs = [];
    // The first pairs are not counted: their code is not compiled yet.
    for (let round = -3; round < ROUNDS; round++) {
      // Each is the first of a pair as often as the other.
      const [first, second] = round % 2 ? [theirs, lastinch] : [lastinch, theirs];
      const both = [await cost(first), await cost(second)];
      if (round >= 0) costs.push(round % 2 ? both : both.reverse());
    }
    const [one, other] = [0, 1].map((i) => median(costs.map((pair) => pair[i])).toFixed(0));
    const ratio = median(costs.map(([before, after]) => before / after)).toFixed(2);
    console.log(`${title}, ${name}: theirs ${one} µs a token, ours ${other}; speed of ours / theirs, median: ${ratio}`);
    lastinch.dispose();
    if (isRecorded) {
      const numbers = { lastinch: Number(other) / 1000, transformers: Number(one) / 1000 };
      record("transformers", "ms of processor time a token", { "storyteller, no truncation": numbers });
    }
  }
}

await compare("storyteller");
if (onlyRecorded) process.exit(0);

// A model that takes no time: what remains is generate's own loop and the sampler.
const outputs = await model.forward(model.prepare_inputs_for_generation(inputs.input_ids.tolist(), { ...inputs }, {}));
for (const vocabSize of [2048, 32_768, 151_936]) {
  const rows = Array.from({ length: 8 }, (_, i) => {
    const row = Float32Array.from(
      { length: vocabSize },
      (_, id) => 6 * Math.sin(id * 12.9898) * Math.cos((id + i) * 78.233),
    );
    return new Tensor("float32", row, [1, 1, vocabSize]);
  });
  let step = 0;
  model.forward = async () => ({ ...outputs, logits: rows[step++ % rows.length] });
  await compare(`no model, ${vocabSize} logits`, { vocabSize, tokenCount: vocabSize });
}
delete model.forward;

const size = 151_936;
const row = Float32Array.from({ length: size }, (_, i) => 6 * Math.sin(i * 12.9898) * Math.cos(i * 78.233));
for (const options of [{ temperature: 0 }, { topK: 50 }, { topP: 0.95, minP: 0.05 }, { temperature: 0.8 }]) {
  const lastinch = await createTransformersSampler(
    { tokenizer, model: { config: { vocab_size: size } } },
    { bannedTokens: [2], ...options },
  );
  const texts = [[1n]];
  const times = [];
  for (let step = 0; step < 60; step++) {
    const logits = { data: row.slice(), dims: [1, size] };
    const began = performance.now();
    const [{ data }] = lastinch.logits_processor[0](texts, logits);
    times.push(performance.now() - began);
    texts[0].push(BigInt(data.length - 1));
  }
  times.sort((a, b) => a - b);
  console.log(`a step on ${size} logits, ${JSON.stringify(options)}: ${times[0].toFixed(2)} ms at least`);
  lastinch.dispose();
}
