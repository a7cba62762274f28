// Records what widgets show before a reader runs them, as the models write it: node demos/model/record.js (after make build).
import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import "../../dist/inline.js";
import { createSampler, createWatermarkDetector, loadModel, majorityVote } from "../../dist/index.js";
import { bits, cache, draftTrees, tokens } from "./record-engine.js";
import { tokenLabel } from "../../web/widgets/shared/format.js";
import { describePass } from "../../web/widgets/shared/layers.js";
import { look } from "../../web/widgets/shared/look.js";
import { fall, isFirstMarked, keyOf } from "../../web/widgets/shared/marks.js";
import { examples } from "../../web/widgets/shared/mask-examples.js";
import { samplerFor, topOf } from "../../web/widgets/shared/sampling.js";
import { votesOf } from "../../web/widgets/shared/votes.js";
import { recordReaders, recordTraining } from "./record-training.js";
import { compileForm, describeStep, writeMasked } from "../../web/widgets/shared/structured.js";

/** @typedef {import("../../dist/index.js").Model} Model */

const STORY = "Once upon a time";
const RABBIT =
  " there were four little Rabbits, and their names were Flopsy, Mopsy, Cotton-tail, and Peter. They lived with their Mother in a sand-bank, underneath the root of a very big fir-tree.";
const PLAIN =
  ", there was a little boy named Tim. He had a red ball. One day, Tim went to the park with his mom. He saw a big dog. The dog wanted to play with the ball, too. Tim was happy to share.";

/** Widgets show no more than hundredths. @param {number} number */
const hundredths = (number) => Math.round(100 * number);

/** Surprise in hundredths of a bit. @param {number} logprob */
const bitsOf = (logprob) => Math.abs(hundredths(-logprob / Math.LN2));

/** @param {Model} model */
function reader(model) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (/** @type {number} */ id) => {
    const text = model.vocabulary.eos.includes(id) ? "" : decoder.decode(model.vocabulary.tokens[id], { stream: true });
    if (text.includes("|")) throw new Error("A token has the character that stands between tokens.");
    return text;
  };
}

/**
 * A text: its tokens, and the surprise of each.
 * @param {Model} model
 * @param {string | number[]} prompt
 * @param {object} options
 * @param {(id: number) => void} [onToken]
 */
async function write(model, prompt, options, onToken) {
  const read = reader(model);
  const tokens = [];
  const bits = [];
  for await (const chunk of model.generate(prompt, options))
    for (const { id, rawLogprob } of chunk.tokens) {
      tokens.push(read(id));
      bits.push(bitsOf(rawLogprob));
      onToken?.(id);
    }
  return { tokens: tokens.join("|"), bits: bits.join(" ") };
}

/** @param {Model} model */
async function sameSeed(model) {
  const settings = { prompt: STORY, count: 70, seed: 1 };
  const texts = [];
  for (const temperature of [0, 0.7, 1.5])
    texts.push({ temperature, ...(await write(model, STORY, { temperature, seed: 1, maxTokens: settings.count })) });
  return { settings, texts };
}

/** @param {Model} model */
async function failureModes(model) {
  const settings = { prompt: "The dog had a box", count: 130, seed: 1 };
  const texts = [];
  for (const [temperature, topP] of [
    [0, 1],
    [0.7, 0.9],
    [2, 1],
  ]) {
    const text = await write(model, settings.prompt, { temperature, topP, seed: 1, maxTokens: settings.count });
    texts.push({ temperature, topP, ...text });
  }
  return { settings, texts };
}

/** @param {Model} model */
async function greedySpiral(model) {
  const settings = { prompt: "The tree did not want to" };
  return { settings, text: await write(model, settings.prompt, { temperature: 0, maxTokens: 200 }) };
}

/** @param {Model} model */
async function likelihood(model) {
  const settings = { prompt: STORY, human: RABBIT, plain: PLAIN, seed: 1 };
  const start = await model.tokenize(STORY, { bos: model.config.addBos });
  const texts = [];
  const score = async (/** @type {string} */ name, /** @type {number[]} */ ids) => {
    const { logprobs } = await model.score([...start, ...ids]);
    const read = reader(model);
    const bits = Array.from(logprobs.subarray(start.length - 1), bitsOf);
    texts.push({ name, tokens: ids.map(read).join("|"), bits: bits.join(" ") });
  };
  await score("byHuman", await model.tokenize(RABBIT));
  await score("byPlain", await model.tokenize(PLAIN));
  for (const [name, how] of /** @type {[string, object][]} */ ([
    ["greedy", { temperature: 0 }],
    ["beam", { beams: 4 }],
    ["nucleus", { temperature: 1, topP: 0.9 }],
  ])) {
    const ids = [];
    for await (const { tokens } of model.generate(start, { maxTokens: 48, seed: 1, ...how }))
      for (const { id } of tokens) ids.push(id);
    await score(name, ids);
  }
  return { settings, texts };
}

/** @param {Model} model */
async function group(model) {
  const settings = { prompt: "Once upon a time, there was a little", size: 8, seed: 1, temperature: 1 };
  const { prompt, size: n, seed, temperature } = settings;
  const texts = new Array(n).fill("");
  for await (const { index = 0, text } of model.generate(prompt, { n, seed, temperature, maxTokens: 36 }))
    texts[index] += text;
  return { settings, groups: [{ temperature, texts, votes: await votesOf(majorityVote, texts) }] };
}

/** The model's row, the largest first, in steps of a hundredth. @param {Model} model */
async function minPHeat(model) {
  const settings = { prompt: "Once upon a time, there was a" };
  const row = await model.forward(await model.tokenize(settings.prompt, { bos: model.config.addBos }));
  const sorted = Array.from(row, hundredths).sort((a, b) => b - a);
  return {
    settings,
    first: sorted[0],
    falls: sorted
      .slice(1)
      .map((value, i) => sorted[i] - value)
      .join(" "),
  };
}

/** @param {Model} model of characters */
async function characters(model) {
  const settings = { prompt: "ROMEO:\n", temperature: 0.8, seed: 1 };
  const ids = await model.tokenize(settings.prompt, { bos: model.config.addBos });
  const sampler = await createSampler({ vocabSize: model.config.vocabSize, temperature: 0.8, seed: 1 });
  const read = reader(model);
  const tokens = [];
  const bits = [];
  let row = await model.forward(ids);
  for (let i = 0; i < 90; i++) {
    const id = sampler.sample(row);
    ids.push(id);
    tokens.push(read(id));
    bits.push(bitsOf(Math.log(sampler.lastProbability)));
    row = await model.forward([id], { keep: ids.length - 1 });
  }
  sampler.dispose();
  const labels = model.vocabulary.tokens.map((bytes) => new TextDecoder().decode(bytes));
  const places = ids.slice(-tokens.length).join(" ");
  return {
    settings,
    labels,
    row: Array.from(row, hundredths).join(" "),
    tokens: tokens.join("|"),
    ids: places,
    bits: bits.join(" "),
  };
}

/** Probabilities in ten-thousandths. @param {number} share */
const share = (share) => Number(share.toFixed(4));

/** The likeliest tokens with their probabilities. @param {ArrayLike<number>} shares @param {number} count @param {Model} model */
const likeliest = (shares, count, model) =>
  topOf(shares, count).map((id) => [tokenLabel(id, model), share(shares[id])]);

/** @param {Model} model */
async function inspector(model) {
  const settings = { prompt: STORY, count: 24, temperature: 0.8, seed: 1 };
  const options = { temperature: 0.8, seed: 1, maxTokens: settings.count, captureLogits: true };
  const sampler = await samplerFor(model.config.vocabSize);
  const steps = [];
  for await (const { tokens } of model.generate(STORY, options))
    for (const { id, logits, rawLogprob } of tokens) {
      const how = { temperature: 0.8, tokenCount: model.vocabulary.tokens.length };
      const { probabilities } = look(sampler, /** @type {Float32Array} */ (logits), how);
      const bits = probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0);
      steps.push({
        text: reader(model)(id),
        surprise: bitsOf(rawLogprob),
        bits: hundredths(bits),
        taken: [tokenLabel(id, model), share(probabilities[id])],
        top: likeliest(probabilities, 8, model).filter(([, p]) => Number(p) >= 0.001),
      });
    }
  return { settings, size: model.config.vocabSize, steps };
}

/** @param {Model} model */
async function forwardPass(model) {
  // This layer and this head find the word.
  const below1 = (/** @type {number} */ p) => Math.min(Number(p.toPrecision(4)), p < 1 ? 1 - 1e-9 : 1);
  const settings = { prompt: "Tom had a red ball and a blue box. He put the ball in the", layer: 4, head: 1 };
  const { stages, lines, ...pass } = await describePass(model, await model.activations(settings.prompt));
  return {
    settings,
    pass: {
      ...pass,
      stages: stages.map(({ norm, top, attention }) => ({
        norm: Number(norm.toFixed(2)),
        top: top.map(([label, p]) => [label, below1(p)]),
        attention: attention && attention.map((weights) => weights.map((weight) => Math.round(1e4 * weight)).join(" ")),
      })),
      lines: lines.map(([label, shares]) => [label, shares.map(share)]),
    },
  };
}

/** @param {Model} model */
async function generationLoop(model) {
  const settings = { prompt: "Once upon a time, there was a little", temperature: 0.8, seed: 1 };
  const ids = await model.tokenize(settings.prompt, { bos: model.config.addBos });
  const tokens = ids.map((id) => tokenLabel(id, model));
  const sampler = await createSampler({ vocabSize: model.config.vocabSize, temperature: 0.8, seed: 1 });
  const read = reader(model);
  const rounds = [];
  let row = await model.forward(ids);
  for (let i = 0; i < 16; i++) {
    const { probabilities, tokens: order } = sampler.distribution(row);
    const shares = new Float64Array(row.length);
    order.forEach((id, i) => (shares[id] = probabilities[i]));
    const id = sampler.sample(row);
    ids.push(id);
    rounds.push({
      text: read(id),
      label: tokenLabel(id, model),
      share: share(shares[id]),
      top: likeliest(shares, 5, model),
    });
    row = await model.forward([id], { keep: ids.length - 1 });
  }
  sampler.dispose();
  return { settings, tokens, rounds };
}

/** @param {Model} model */
async function jsonMask(model) {
  const settings = {
    prompt: "Tom is five years old. He has a big blue ball. He wrote it on a card:\n",
    temperature: 0.8,
    seed: 1,
  };
  const grammar = await compileForm("schema", examples.schema, model, new AbortController().signal);
  // The widget has its own words for the classes of characters.
  const how = { ...settings, form: "schema", longest: 120, say: (/** @type {string} */ key) => `{${key}}` };
  const steps = [];
  const round = (/** @type {number} */ number) => Number(number.toPrecision(3));
  for await (const step of writeMasked(model, grammar, how)) {
    const { mass, rows, ...rest } = describeStep(step, model);
    // A label has no spaces, because they are written ␣. The end of the text has no label.
    const lines = rows.map(([label, ...numbers]) =>
      [label, ...numbers.map((number) => round(Number(number)))].join(" "),
    );
    steps.push({ ...rest, mass: round(mass), rows: lines.join("\n") });
  }
  grammar.dispose();
  return { settings, size: model.config.vocabSize, steps };
}

/** @param {Model} model */
async function watermark(model) {
  const settings = { prompt: "Once upon a time", scheme: "gumbel", count: 80, temperature: 1, seed: 1 };
  const { prompt, count: maxTokens, temperature, seed } = settings;
  const mark = { scheme: /** @type {const} */ ("gumbel"), key: keyOf(seed) };
  const options = { temperature, seed, maxTokens, minTokens: maxTokens };
  const texts = [];
  for (const isMarked of [isFirstMarked(seed), !isFirstMarked(seed)]) {
    const read = await fall(createWatermarkDetector, mark);
    const falls = [];
    const text = await write(model, prompt, { ...options, watermark: isMarked ? mark : undefined }, (id) =>
      falls.push(Math.round(1000 * read(id))),
    );
    texts.push({ ...text, fall: falls.join(" ") });
  }
  return { settings, texts };
}

/**
 * What each of the widgets shows: by the name of its file.
 * @param {number} [steps] of the model that learns
 * @returns {Promise<Record<string, Record<string, any>>>}
 */
export async function record(steps) {
  const open = (/** @type {string} */ name) =>
    loadModel(new Blob([readFileSync(new URL(`${name}.gguf`, import.meta.url))]), { worker: false });
  const [storyteller, shakespeare] = [await open("storyteller"), await open("shakespeare")];
  const [medusa, eagle] = [await open("medusa"), await open("eagle")];
  const recorded = {
    "same-seed": await sameSeed(storyteller),
    "failure-modes": await failureModes(storyteller),
    "greedy-spiral": await greedySpiral(storyteller),
    likelihood: await likelihood(storyteller),
    group: await group(storyteller),
    "min-p-heat": await minPHeat(storyteller),
    characters: await characters(shakespeare),
    inspector: await inspector(storyteller),
    "forward-pass": await forwardPass(storyteller),
    "generation-loop": await generationLoop(storyteller),
    "json-mask": await jsonMask(storyteller),
    watermark: await watermark(storyteller),
    train: await recordTraining(steps),
    markov: await recordReaders(shakespeare),
    tokens: await tokens(),
    cache: await cache(storyteller),
    bits: await bits(),
    speculation: await draftTrees(storyteller, { medusa, eagle }),
  };
  storyteller.dispose();
  shakespeare.dispose();
  for (const heads of [medusa, eagle]) heads.dispose();
  return recorded;
}

/** The module that a widget imports. @param {Record<string, any>} values @param {string} [script] that made them */
export async function sourceOf(values, script = "record.js") {
  const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
  const source = `// As a model wrote it. Made by demos/model/${script}.\n${lines.join("\n")}\n`;
  return format(source, { ...(await resolveConfig(folder)), parser: "babel" });
}

export const folder = new URL("../../web/widgets/recorded/", import.meta.url);

if (process.argv[1] === import.meta.filename)
  for (const [name, values] of Object.entries(await record()))
    writeFileSync(new URL(`${name}.js`, folder), await sourceOf(values));
