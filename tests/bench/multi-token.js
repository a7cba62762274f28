// What drafts by the model's own block cost and gain: `node tests/bench/multi-token.js [--rounds N] [--tokens N]`, on random
// weights in the shape of Qwen3.5-0.8B. The block is planted: in each region of tokens it is right after a known share of
// them. One thread; the two ways of writing take turns, and ratios are of the same round.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { collect, load } from "../js/decode-tools.js";
import { openModel } from "../js/model-wasm.js";
import { planted } from "../models/planted.js";
import { randomBlocks } from "../models/random-blocks.js";
import { randomModel } from "../models/random-model.js";
import { pathInBench } from "./model-peers.js";
import { POSITIONS, realShapes } from "./real-shapes.js";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, tokens: { type: "string", default: "40" } },
});
const [rounds, maxTokens] = [Number(values.rounds), Number(values.tokens)];

const shape = { ...realShapes["Qwen3.5-0.8B"].shape, tied: false, ahead: 1, context: POSITIONS };
// The tokens of each region, of which the block is wrong after some in five. Random blocks come again after 512 rows.
const wrong = [[], [0], [0, 2], [0, 2, 4]];
const isWrong = (token) => wrong[(token >> 7) & 3].includes(token % 5);

function makeFile() {
  const path = pathInBench("Qwen3.5-0.8B-planted.gguf");
  if (existsSync(path)) return path;
  const encode = (name, type, { columns, rows, deviation }) => randomBlocks(name, type, columns * rows, deviation);
  writeFileSync(path, randomModel("qwen35", shape, { choose: () => "Q8_0", encode, change: planted(isWrong) }));
  return path;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const round = (value, digits = 2) => Number(value.toFixed(digits));

function timed(run) {
  const began = performance.now();
  run();
  return performance.now() - began;
}

async function costs(bytes) {
  const model = await openModel(bytes, { slots: 512 });
  const text = Array.from({ length: 64 }, (_, i) => i);
  model.forward(text);
  const times = {};
  const note = (name, ms) => (times[name] ??= []).push(ms);
  for (let i = 0; i < rounds; i++) {
    for (const rows of [1, 2, 3, 4, 5, 8]) {
      model.c.li_sequence_share(model.model, 0, 1, 64);
      model.c.li_sequence_own(model.model, 1);
      note(
        `pass of ${rows} rows`,
        timed(() => model.forward(text.slice(0, rows), { all: true, sequence: 1 })),
      );
    }
    if (!i) model.draft(text, 0);
    note(
      "1 guess",
      timed(() => model.draft([64], 1)),
    );
    note(
      "4 guesses",
      timed(() => model.draft([64], 4)),
    );
  }
  const step = median(times["pass of 1 rows"]);
  for (const [name, all] of Object.entries(times))
    console.log(`${name}: ${round(median(all))} ms, ${round(median(all) / step)} of a step`);
}

async function gains(bytes) {
  const model = await load(bytes, { threads: 1, contextLength: 1024 });
  const write = async (start, options) => {
    const began = performance.now();
    const text = await collect(model.generate([start, start + 1], { temperature: 0, maxTokens, ...options }));
    return { ...text, ms: performance.now() - began };
  };
  for (const [region, some] of wrong.entries()) {
    const start = 128 * region + 6;
    const ways = [1, 2, 3, 7, "auto"].map((draftTokens) => ({ draftTokens, ratios: [], usage: undefined }));
    for (let i = 0; i < rounds; i++)
      for (const way of ways) {
        const plain = await write(start, {});
        const drafted = await write(start, { draft: "mtp", draftTokens: way.draftTokens });
        if (String(plain.ids) !== String(drafted.ids)) throw new Error("A draft changed the text.");
        way.ratios.push(plain.ms / drafted.ms);
        way.usage = drafted.usage;
      }
    for (const { draftTokens, ratios, usage } of ways) {
      const { passes, draftedTokens, acceptedTokens } = usage;
      const share = `right after ${20 * (5 - some.length)} % of tokens, draftTokens ${draftTokens}`;
      const counts = `${acceptedTokens} of ${draftedTokens} accepted, ${round(maxTokens / passes)} tokens a pass`;
      console.log(`${share}: ${round(median(ratios))} times as fast (${counts})`);
    }
  }
  model.dispose();
}

const bytes = new Uint8Array(readFileSync(makeFile()));
await costs(bytes);
await gains(bytes);
