// What the widgets of the engine's inside show before a reader runs them: tokens, cache, bits, trees of guesses.
import { readFileSync } from "node:fs";
import { loadTokenizer } from "../../dist/index.js";
import { measure } from "../../web/widgets/shared/bit-levels.js";
import { passesOf } from "../../web/widgets/shared/draft-passes.js";
import { tokenLabel } from "../../web/widgets/shared/format.js";
import { languages } from "../../web/widgets/shared/token-price.js";
import { heldOut } from "../../web/widgets/shared/held-out.js";

/** @typedef {import("../../dist/index.js").Model} Model */

export async function tokens() {
  const settings = { text: "strawberry", size: 0 };
  const file = new Blob([readFileSync(new URL("storyteller.gguf", import.meta.url))]);
  const tokenizer = await loadTokenizer(file, { worker: false });
  settings.size = tokenizer.config.vocabSize;
  const { pieces } = await tokenizer.trace(settings.text);
  const cut = { pieces, ids: await tokenizer.tokenize(settings.text) };
  const costs = [];
  for (const [, text] of languages) costs.push((await tokenizer.tokenize(text)).length);
  tokenizer.dispose();
  return { settings, cut, costs };
}

/** @param {Model} model */
export async function cache(model) {
  const settings = { prompt: "Once upon a time there was a", count: 12 };
  const ids = await model.tokenize(settings.prompt, { bos: model.config.addBos });
  const prompt = ids.length;
  for (let i = 0; i < settings.count; i++) {
    const row = await model.forward(ids);
    ids.push(row.indexOf(Math.max(...row)));
  }
  const { layers, dim, hiddenDim, heads, kvHeads, headDim, valueDim, vocabSize } = model.config;
  const shape = { layers, dim, hiddenDim, heads, kvHeads, headDim, valueDim, vocabSize };
  const labels = ids.slice(prompt).map((id) => tokenLabel(id, model));
  return { settings, prompt, labels: labels.join("|"), shape };
}

export async function bits() {
  const settings = { prompt: "Once upon a time there was a", count: 60, temperature: 0.7, seed: 1 };
  const file = new Uint8Array(readFileSync(new URL("storyteller.gguf", import.meta.url)));
  /** @type {{ heldOut: number, vocabulary: number, sizes: number[], surprise: number[], stories: string[] }} */
  const levels = { heldOut: 0, vocabulary: 2048, sizes: [], surprise: [], stories: [] };
  for (const bits of [16, 8, 6, 5, 4, 3, 2]) {
    const { size, surprise, count, tokens } = await measure(file, bits, heldOut, { ...settings, worker: false });
    levels.heldOut = count;
    levels.sizes.push(size);
    levels.surprise.push(Math.round(100 * surprise));
    levels.stories.push(tokens.join("|"));
  }
  return { settings, levels };
}

/** @param {Model} model @param {Record<string, Model>} heads */
export async function draftTrees(model, heads) {
  const settings = { prompt: "Once upon a time, there was a", seed: 2, temperature: 1, draftTokens: 4 };
  /** @type {Record<string, import("../../web/widgets/shared/draft-passes.js").Pass[]>} */
  const recordings = {};
  for (const [name, one] of Object.entries(heads)) {
    recordings[name] = [];
    for await (const pass of passesOf(model, one, { ...settings, length: 40 })) recordings[name].push(pass);
  }
  return { settings, recordings };
}
