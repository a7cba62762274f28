// What each way of choosing does to the shipped storyteller's text, beside what people wrote:
// `LASTINCH_TEST_DATA=… node tests/bench/text-quality.js [--prompts 60] [--start 32] [--tokens 100] [--groups 40] [--seed 1]`.
//
// Every prompt is the beginning of a held-out story, and every text goes on for the same number of tokens: the end token is
// banned, and only stories that are long enough are taken. Log-probabilities are the storyteller's own (model.score), in
// nats a token. Repeated: share of a text's 4-grams of tokens that it had before. Distinct n: n-grams of tokens that differ
// among all texts of a row, of all.
import { parseArgs } from "node:util";
import { loadModel } from "../../dist/index.js";
import { heldOutStories, lacksStories } from "../vectors/held-out-stories.js";

const { values } = parseArgs({
  options: {
    prompts: { type: "string", default: "60" },
    start: { type: "string", default: "32" },
    tokens: { type: "string", default: "100" },
    groups: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
  },
});
const [wanted, start, length, groupCount, seed] = ["prompts", "start", "tokens", "groups", "seed"].map((name) =>
  Number(values[name]),
);

if (lacksStories) {
  console.error(`text-quality: ${lacksStories}`);
  process.exit(1);
}

const folder = new URL("../../demos/model/", import.meta.url);
const model = await loadModel(new URL("storyteller.gguf", folder), { worker: false });
const draft = await loadModel(new URL("draft.gguf", folder), { worker: false });
const [end] = model.vocabulary.eos;

const stories = [];
for (const story of heldOutStories()) {
  const ids = await model.tokenize(story, { bos: true });
  if (ids.length >= start + length) stories.push(ids.slice(0, start + length));
  if (stories.length === wanted) break;
}
if (stories.length < wanted) console.error(`text-quality: only ${stories.length} stories are long enough`);
const prompts = stories.map((ids) => ids.slice(0, start));

/** Ids of the continuations of a prompt; with several, those of each. */
async function write(prompt, options) {
  const texts = [];
  for await (const { tokens, index = 0 } of model.generate(prompt, {
    seed,
    maxTokens: length,
    bannedTokens: [end],
    ...options,
  }))
    (texts[index] ??= []).push(...tokens.map(({ id }) => id));
  return texts;
}

const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
const deviation = (numbers) => Math.sqrt(mean(numbers.map((value) => (value - mean(numbers)) ** 2)));

/** n-grams as texts. */
const grams = (ids, n) => Array.from({ length: ids.length - n + 1 }, (_, i) => ids.slice(i, i + n).join());

async function measure(texts) {
  const logprobs = [];
  for (const [i, ids] of texts.entries()) {
    const scored = await model.score([...prompts[i], ...ids]);
    logprobs.push(...scored.logprobs.slice(start - 1));
  }
  const perText = texts.map((_, i) => mean(logprobs.slice(i * length, (i + 1) * length)));
  const repeated = mean(texts.map((ids) => 1 - new Set(grams(ids, 4)).size / grams(ids, 4).length));
  const distinct = [1, 2, 3].map((n) => {
    const all = texts.flatMap((ids) => grams(ids, n));
    return new Set(all).size / all.length;
  });
  const sure = logprobs.filter((value) => value > Math.log(0.9)).length / logprobs.length;
  return { logprob: mean(logprobs), spread: deviation(perText), sure, repeated, distinct };
}

const nucleus = { topP: 0.95 };
const greedy = { temperature: 0 };
const ways = {
  greedy: greedy,
  "beams 2": { beams: 2 },
  "beams 4": { beams: 4 },
  "beams 8": { beams: 8 },
  sampling: {},
  "nucleus .95, T 1": nucleus,
  "nucleus .95, T .8": { ...nucleus, temperature: 0.8 },
  "contrastive search .6, k 4": { penaltyAlpha: 0.6, topK: 4 },
  "guidance 1.5, greedy": { guidance: 1.5, ...greedy },
  "guidance 1.5, nucleus .95": { guidance: 1.5, ...nucleus },
  "contrastive decoding, greedy": { contrast: { model: draft }, ...greedy },
  "contrastive decoding, beams 4": { contrast: { model: draft }, beams: 4 },
  "contrastive decoding, sampled": { contrast: { model: draft } },
  "DoLa low, greedy": { dola: "low", ...greedy },
  "DoLa high, greedy": { dola: "high", ...greedy },
};

const columns = ["", "log p", "± texts", "p > .9", "repeated", "distinct 1", "2", "3", "tokens/s"];
const row = (cells) =>
  console.log(
    cells[0].padEnd(31) +
      cells
        .slice(1)
        .map((cell) => cell.padStart(12))
        .join(""),
  );
const cellsOf = ({ logprob, spread, sure, repeated, distinct }) => [
  logprob.toFixed(3),
  spread.toFixed(3),
  (100 * sure).toFixed(1) + " %",
  (100 * repeated).toFixed(1) + " %",
  ...distinct.map((share) => (100 * share).toFixed(1) + " %"),
];

console.log(`${stories.length} stories, ${start} tokens given, ${length} written\n`);
row(columns);
row(["people", ...cellsOf(await measure(stories.map((ids) => ids.slice(start)))), ""]);
for (const [name, options] of Object.entries(ways)) {
  const texts = [];
  const began = performance.now();
  for (const prompt of prompts) texts.push((await write(prompt, options))[0]);
  const rate = (texts.length * length) / ((performance.now() - began) / 1000);
  row([name, ...cellsOf(await measure(texts)), rate.toFixed(0)]);
}

// Groups, as a trainer samples them: without continuations that differ in their reward there is nothing to learn.
const rewards = {
  "words that differ": (text) => new Set(text.toLowerCase().match(/[a-z']+/g)).size,
  "somebody speaks": (text) => Number(text.includes('"')),
};
console.log(
  `\nGroups of 8 for ${Math.min(groupCount, prompts.length)} prompts: how many differ in their first tokens\n`,
);
const lengths = [10, 25, 50, length];
row(["", ...lengths.map((count) => `in ${count}`), ...Object.keys(rewards).flatMap(() => ["spread", "no spread"])]);
for (const temperature of [0.2, 0.8, 1, 1.5]) {
  const counts = lengths.map(() => /** @type {number[]} */ ([]));
  const spreads = Object.fromEntries(Object.keys(rewards).map((name) => [name, []]));
  for (const prompt of prompts.slice(0, groupCount)) {
    const group = await write(prompt, { n: 8, temperature });
    lengths.forEach((count, i) => counts[i].push(new Set(group.map((ids) => ids.slice(0, count).join())).size));
    const texts = [];
    for (const ids of group) texts.push(await model.detokenize(ids));
    for (const [name, reward] of Object.entries(rewards)) spreads[name].push(deviation(texts.map(reward)));
  }
  row([
    `T ${temperature}`,
    ...counts.map((all) => mean(all).toFixed(2)),
    ...Object.values(spreads).flatMap((all) => [
      mean(all).toFixed(3),
      ((100 * all.filter((one) => one === 0).length) / all.length).toFixed(0) + " %",
    ]),
  ]);
}
console.log(
  `\nspread: mean standard deviation of a reward within a group; no spread: groups where all have the same.` +
    `\nRewards: ${Object.keys(rewards).join(", then ")}.`,
);
for (const one of [model, draft]) one.dispose();
