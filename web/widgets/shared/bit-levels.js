// A model with fewer bits, measured: fetched when a reader first asks for it.
import { loadModel } from "../../index.js";
import { requantize } from "./requantize.js";

/** A page holds three copies of a file, and rounds it seven times. */
const LIMIT = 50e6;

/**
 * The bytes of a model's file.
 * @param {string | URL | Uint8Array | ArrayBuffer | Blob} source what the module of a shipped model names, or an address
 */
export async function fileOf(source) {
  const bytes = await bytesOf(source);
  if (bytes.length > LIMIT) throw Object.assign(new RangeError("too large"), { code: "too-large", limit: LIMIT });
  return bytes;
}

/** @param {Parameters<typeof fileOf>[0]} source */
async function bytesOf(source) {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  const response = await fetch(new URL(source, document.baseURI));
  if (!response.ok) throw new Error(`${response.status} ${response.url}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Characters of a text that models of characters are asked about. */
const UNSEEN = 1000;

/** The end of the last tenth of a text, which no model that learns in a page sees. @param {string} text */
export function unseenOf(text) {
  const characters = Array.from(text);
  return characters.slice(-Math.min(UNSEEN, Math.floor(characters.length / 10))).join("");
}

/** Log-probabilities of a text's tokens, also of one that is longer than the context. @param {import("../../index.js").Model} model @param {string} text */
async function logprobsOf(model, text) {
  const ids = await model.tokenize(text);
  const { contextLength } = model.config;
  if (ids.length < contextLength) return (await model.score(text)).logprobs;
  /** @type {number[]} */
  const all = [];
  for (let first = 0; first + 1 < ids.length; first += contextLength - 1)
    all.push(...(await model.score(ids.slice(first, first + contextLength))).logprobs);
  return Float64Array.from(all);
}

/**
 * Writes the file with so many bits a weight, and asks the model for its surprise at a text and for a story.
 * @param {Uint8Array} file
 * @param {number} bits
 * @param {string} text
 * @param {{ prompt: string, count: number, temperature: number, seed: number, signal?: AbortSignal, worker?: boolean }} how
 * @returns {Promise<{ size: number, surprise: number, count: number, tokens: string[] }>} surprise: bits a token; count:
 *   tokens of the text; tokens: of the story, as text
 */
export async function measure(file, bits, text, { prompt, count: maxTokens, worker, ...options }) {
  const { bytes, size } = await requantize(file, bits, options.signal);
  const model = await loadModel(bytes, { worker, signal: options.signal });
  try {
    const logprobs = await logprobsOf(model, text);
    const nats = logprobs.reduce((sum, one) => sum - one, 0);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const tokens = [];
    for await (const chunk of model.generate(prompt, { maxTokens, ...options }))
      for (const { id } of chunk.tokens) tokens.push(decoder.decode(model.vocabulary.tokens[id], { stream: true }));
    return { size, surprise: nats / Math.LN2 / logprobs.length, count: logprobs.length, tokens };
  } finally {
    model.dispose();
  }
}
