// What the bench measures off the page's thread: a step of the sampler, masks, and peers where the visitor agreed.
import { compileGrammar, createSampler, prepareVocabulary } from "../../dist/index.js";
import { openTransformers, openWllama, openXgrammar, peers } from "./bench-peers.js";
import { cases, tokensOf, vocabularyOf } from "./bench-schemas.js";
import { interleave, modelLikeRow, usualTopP } from "./measuring.js";

const ROW = 128_256; // Llama 3's vocabulary
const MASKED = 32_768;
/** Tokens of a text in the loop of transformers.js. */
const LOOP = 20;

/** @typedef {{ rounds: number }} Way */

/** ms of one choice by top-p .95 at temperature .8, the row's copy included. @param {Way} way */
async function sampler({ rounds }) {
  const row = modelLikeRow(ROW);
  const own = await createSampler({ vocabSize: ROW, temperature: 0.8, topP: 0.95, seed: 1 });
  const calls = { lastinch: () => own.sample(row), "softmax, sort, walk": () => usualTopP(row, 0.8, 0.95) };
  const samples = await interleave(calls, { rounds, shortest: 20 });
  own.dispose();
  return { samples };
}

/** @typedef {ArrayLike<number>} Mask */
/** @typedef {{ mask(): Mask | Promise<Mask>, accept(token: number): boolean, dispose(): void }} Walk */
/** @typedef {{ compile(schema: object): Promise<Walk>, dispose?(): void }} MaskEngine */

/** @param {{ tokens: Uint8Array[], eos: number[] }} vocabulary @returns {Promise<MaskEngine>} */
async function openOurs(vocabulary) {
  const prepared = await prepareVocabulary(vocabulary);
  const into = new Uint32Array(Math.ceil(vocabulary.tokens.length / 32));
  return {
    async compile(jsonSchema) {
      const grammar = await compileGrammar({ vocabulary: prepared, jsonSchema });
      const matcher = grammar.matcher();
      const dispose = () => [matcher, grammar].forEach((one) => one.dispose());
      return { mask: () => matcher.bitmask(into), accept: (token) => matcher.accept(token), dispose };
    },
    dispose: () => prepared.dispose?.(),
  };
}

/**
 * Compiles a schema anew and walks its text. Counts the masks that forbid the text's own next token.
 * @param {MaskEngine} engine
 * @param {object} schema
 * @param {number[]} ids
 */
async function walk(engine, schema, ids) {
  const start = performance.now();
  const place = await engine.compile(schema);
  const compiled = performance.now();
  let wrong = 0;
  for (const id of ids) {
    const given = place.mask();
    const mask = given instanceof Promise ? await given : given;
    if (!((mask[id >> 5] >>> (id & 31)) & 1) || !place.accept(id)) {
      wrong++;
      break;
    }
  }
  const end = performance.now();
  place.dispose();
  return { compile: compiled - start, mask: (end - compiled) / ids.length, wrong };
}

/**
 * ms of a mask, the mean of ten schemas, and ms of a compilation; wrong: schemas whose text is refused.
 * @param {Way & { tokens: Uint8Array[], eos: number[], hasPeer: boolean }} way
 */
async function masks({ rounds, tokens, eos, hasPeer }) {
  const vocabulary = { tokens: vocabularyOf(tokens, MASKED), eos };
  /** @type {Record<string, MaskEngine>} */
  const engines = { lastinch: await openOurs(vocabulary) };
  if (hasPeer) engines["web-xgrammar"] = await openXgrammar(vocabulary);
  const texts = cases.map(({ text }) => tokensOf(text, vocabulary.tokens));
  /** @type {Record<string, number[]>} */
  const samples = {};
  /** @type {Record<string, number[]>} */
  const compile = {};
  /** @type {Record<string, number>} */
  const wrong = {};
  for (let round = -1; round < rounds; round++)
    for (const [name, engine] of Object.entries(engines)) {
      const walks = [];
      for (const [i, { schema }] of cases.entries()) walks.push(await walk(engine, schema, texts[i]));
      const mean = (/** @type {"mask" | "compile"} */ key) =>
        walks.reduce((sum, one) => sum + one[key], 0) / walks.length;
      if (round < 0) continue; // warm-up
      (samples[name] ??= []).push(mean("mask"));
      (compile[name] ??= []).push(mean("compile"));
      wrong[name] = walks.reduce((sum, one) => sum + one.wrong, 0);
    }
  for (const engine of Object.values(engines)) engine.dispose?.();
  return { samples, compile, wrong };
}

/**
 * ms of a token in the loop of transformers.js, with our sampler and with its own: the row stands for the model's pass.
 * @param {Way & { topK: number }} way
 */
async function transformers({ rounds, topK }) {
  const { createTransformersSampler } = await import("../../dist/transformers.js");
  const peer = await openTransformers(modelLikeRow(ROW));
  const ours = await createTransformersSampler(peer, { temperature: 0.8, topK, seed: 1 });
  const theirs = { do_sample: true, temperature: 0.8, top_k: topK };
  const name = `transformers.js ${peers["@huggingface/transformers"].version}`;
  const calls = { lastinch: () => peer.write(ours, LOOP), [name]: () => peer.write(theirs, LOOP) };
  const samples = await interleave(calls, { rounds, shortest: 20 });
  const ofToken = Object.entries(samples).map(([key, list]) => [key, list.map((time) => time / LOOP)]);
  return { samples: Object.fromEntries(ofToken) };
}

/** Tokens a second of wllama with that file. @param {Way & { file: Blob, count: number }} way */
async function wllama({ rounds, file, count }) {
  const peer = await openWllama(file);
  await peer.write(count);
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await peer.write(count));
  await peer.close();
  return { samples: { wllama: samples } };
}

/** @type {Record<string, (way: any) => Promise<unknown>>} */
const parts = { sampler, transformers, masks, wllama };

addEventListener("message", async ({ data: { part, way } }) => {
  try {
    postMessage({ result: await parts[part](way) });
  } catch (error) {
    postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
