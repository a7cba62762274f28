// What counts of order 1 to 5 and a transformer make of one passage: their rows at each place, and how each goes on.
// Fetched when a reader asks for it.
import { createSampler } from "../../index.js";
import { createCounts } from "../../train.js";
import { writeLine } from "./learning.js";
import { nextTask } from "./next-task.js";
import { rowAfter } from "./rows.js";

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {import("./learning.js").Writer} Writer */

/**
 * @typedef {object} Place what is known before a character
 * @property {number} next the probability of the character that comes
 * @property {[character: string, share: number][]} top the likeliest, three at most
 * @property {number} [seen] of counts: characters that it looks at
 * @property {number} [times] of counts: how often the text has them
 */
/** order: 1 to 5; undefined: the transformer. @typedef {{ order?: number, line: string, places: Place[] }} Reader */

const SHOWN = 3;

/**
 * A model of single characters as a writer.
 * @param {Model} model
 * @param {AbortSignal} signal
 * @returns {Writer}
 */
function writerOf(model, signal) {
  const { vocabulary, config } = model;
  const decoder = new TextDecoder();
  const window = Math.floor(config.contextLength * 0.75);
  return {
    vocabSize: config.vocabSize,
    banned: [...vocabulary.eos, ...(config.bos === null ? [] : [config.bos])],
    characterOf: (token) => decoder.decode(vocabulary.tokens[token]),
    logits: async (text) => (await rowAfter(model, (await model.tokenize(text)).slice(-window), signal)).logits,
  };
}

/**
 * @param {Writer} writer
 * @param {string[]} characters of the passage
 * @param {(row: Float32Array) => Partial<Place>} more
 * @param {AbortSignal} signal
 */
async function read(writer, characters, more, signal) {
  const sampler = await createSampler({ vocabSize: writer.vocabSize, seed: 0 });
  /** @type {Place[]} */
  const places = [];
  try {
    for (let at = 1; at < characters.length; at++) {
      await nextTask();
      signal.throwIfAborted();
      const row = await writer.logits(characters.slice(0, at).join(""));
      const { tokens, probabilities } = sampler.distribution(row);
      const names = Array.from(tokens, writer.characterOf, writer);
      const top = names.slice(0, SHOWN).map((name, i) => /** @type {[string, number]} */ ([name, probabilities[i]]));
      places.push({ next: probabilities[names.indexOf(characters[at])] ?? 0, top, ...more(row) });
    }
    return places;
  } finally {
    sampler.dispose();
  }
}

/**
 * The readers one by one, the transformer last.
 * @param {Model} model of single characters
 * @param {string} text that is counted
 * @param {{ passage: string, temperature: number, seed: number, length: number, signal: AbortSignal }} how
 * @returns {AsyncGenerator<Reader>}
 */
export async function* readersOf(model, text, how) {
  const { passage, signal } = how;
  const characters = Array.from(passage);
  for (const order of [1, 2, 3, 4, 5]) {
    const counts = createCounts(text, { order });
    const more = (/** @type {Float32Array} */ row) => ({
      seen: counts.seen,
      times: Math.round(row.reduce((sum, logit) => sum + Math.exp(logit), 0)),
    });
    const places = await read(counts, characters, more, signal);
    yield { order, places, line: await writeLine(counts, passage, how) };
  }
  const writer = writerOf(model, signal);
  const places = await read(writer, characters, () => ({}), signal);
  yield { places, line: await writeLine(writer, passage, how) };
}
