// Shared by the tests of decoding: texts as they come, rows in float64, and counts of what a model computes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { loadModel } from "lastinch";

/** The bytes of a model that is shipped: "storyteller" or "draft". */
export const shipped = (name) =>
  new Uint8Array(readFileSync(new URL(`../../demos/model/${name}.gguf`, import.meta.url)));

export const load = (bytes, options) => loadModel(bytes, { worker: false, ...options });

/** A finished generation: its chunks, text, tokens, ids, reason and usage. Of several texts, one for each index. */
export async function collect(generation) {
  const chunks = [];
  for await (const chunk of generation) chunks.push(chunk);
  return summary(chunks);
}

export async function collectAll(generation) {
  const chunks = [];
  for await (const chunk of generation) chunks.push(chunk);
  const count = 1 + Math.max(...chunks.map(({ index = 0 }) => index));
  return Array.from({ length: count }, (_, i) => summary(chunks.filter(({ index = 0 }) => index === i)));
}

export function summary(chunks) {
  const tokens = chunks.flatMap((chunk) => chunk.tokens);
  const { finishReason, usage } = chunks.at(-1);
  const text = chunks.map((chunk) => chunk.text).join("");
  return { chunks, tokens, ids: tokens.map(({ id }) => id), text, finishReason, usage };
}

/** Log-probabilities of a row of logits, in float64. */
export function logSoftmax(row) {
  const peak = row.reduce((a, b) => Math.max(a, b), -Infinity);
  let total = 0;
  for (const logit of row) total += Math.exp(logit - peak);
  const shift = peak + Math.log(total);
  return Float64Array.from(row, (logit) => logit - shift);
}

export const softmax = (row) => logSoftmax(row).map(Math.exp);

/** The first of the largest. */
export const argmax = (row) => row.reduce((best, value, i) => (value > row[best] ? i : best), 0);

/** The rows that each token of `ids` was chosen from, after `prompt`. */
export async function rowsOf(model, prompt, ids) {
  const rows = await model.forward([...prompt, ...ids.slice(0, -1)], { rows: "all" });
  return rows.slice(prompt.length - 1);
}

/**
 * Runs `use` with a counter of the forward passes and rows of models that this thread loads meanwhile. No pass takes long by
 * its clock: one that does would be followed by passes of fewer rows.
 */
export async function countForwards(use) {
  const { instantiate } = WebAssembly;
  const { now } = performance;
  let reads = 0;
  performance.now = () => ++reads / 1000;
  const counter = { forwards: 0, rows: 0, memory: null, seen: undefined };
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    counter.memory = exports.memory ?? imports.env.memory;
    const li_model_forward = (model, count) => {
      counter.forwards++;
      counter.rows += count;
      counter.seen?.();
      return exports.li_model_forward(model, count);
    };
    return { exports: { ...exports, li_model_forward } };
  };
  try {
    return await use(counter);
  } finally {
    performance.now = now;
    WebAssembly.instantiate = instantiate;
  }
}

/**
 * Lets a model find its pace, before which a pass takes four rows, and forgets the text.
 * @param {any} model
 * @param {{ forwards: number, rows: number }} counter of countForwards
 */
export async function warmUp(model, counter) {
  await model.forward(Array(40).fill(3));
  await model.forward([3], { keep: 0 });
  counter.forwards = counter.rows = 0;
}

/**
 * Compares the logits from which each token of texts was chosen with those that `fresh` gives for the whole text in one go.
 * `fresh` then forgets the text.
 */
export async function checkTexts(fresh, ids, texts) {
  for (const text of texts) {
    assert.ok(text.ids.length > 0);
    const expected = await rowsOf(fresh, ids, text.ids);
    text.tokens.forEach(({ logits }, i) => assert.deepEqual(logits, expected[i], `token ${i}`));
    await fresh.forward([3], { keep: 0 });
  }
}

/**
 * Checks that drafts change no token of a text that is easy to predict, and that lookup runs no row twice.
 * @param {{ model, fresh, counter }} models of countForwards
 * @param {{ file, prompt, options, draft: "lookup" | "lookahead" | "model" }} how
 */
export async function checkDrafts({ model, fresh, counter }, { file, prompt, options, draft }) {
  // A text of two alternating tokens is easy to predict.
  const biased = { ...options, logitBias: { 30: 50, 31: 50, 32: 49 }, temperature: 0 };
  const plain = await collect(fresh.generate(prompt, biased));
  for (const draftTokens of [1, 5, 32]) {
    const again = await load(file);
    counter.rows = 0;
    const by = draft === "model" ? again : draft;
    const text = await collect(model.generate(prompt, { ...biased, draft: by, draftTokens }));
    assert.deepEqual(text.ids, plain.ids);
    assert.deepEqual(text.tokens, plain.tokens);
    const { passes, draftedTokens, cachedTokens } = text.usage;
    assert.ok(draftedTokens > 10, `${draftedTokens} drafted`);
    // No row is run twice.
    if (draft === "lookup") assert.equal(counter.rows, prompt.length - cachedTokens + passes - 1 + draftedTokens);
    again.dispose();
  }
}
