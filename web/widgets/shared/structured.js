// Writes text under a grammar, and shows what the mask did at each step. Loaded when a reader first asks for it.
import { compileGrammar } from "../../grammar.js";
import { createSampler } from "../../sampler.js";
import { legible, legibleBytes, plainText, tokenLabel } from "./format.js";
import { rowAfter } from "./rows.js";
import { look, uncut } from "./look.js";
import { samplerFor, topOf } from "./sampling.js";

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {import("../../index.js").Grammar} Grammar */

/**
 * One step.
 * @typedef {object} Step
 * @property {number} id of the token that was drawn
 * @property {Set<number>} allowed
 * @property {string} forced text that had to follow
 * @property {string} starts characters with which the next token could begin
 * @property {Float64Array} probabilities the model's own
 * @property {Float64Array} shares under the mask, at the temperature
 * @property {number} mass share of the model's probability that the mask leaves
 */

/** The opening of a call: the prompt ends with it, and the grammar begins after it. */
const OPEN = "<call>";
const CLOSE = "</call>";

/**
 * What to write.
 * @typedef {object} How
 * @property {string} form
 * @property {string} prompt
 * @property {number} temperature
 * @property {number} seed
 * @property {number} longest most tokens
 * @property {Say} say
 */

/**
 * How many texts are valid, and how many are true; the beginning of the first.
 * @typedef {{ valid: number, right: number, sample: string }} Count
 */

/** Shades of the vocabulary strip. */
const BINS = 128;

/**
 * How much of the vocabulary a mask allows, in order of the token ids: 0 is none of a bin's tokens, 9 all.
 * @param {Set<number>} allowed
 * @param {number} size of the vocabulary
 */
function shadesOf(allowed, size) {
  const counts = new Uint32Array(BINS);
  for (const id of allowed) counts[Math.floor((id * BINS) / size)]++;
  return Array.from(counts, (count) => Math.ceil(Math.min(1, (count * BINS) / size) * 9));
}

const SHOWN = 5;

/**
 * A step in the form for readers and recordings.
 * @param {Step} step
 * @param {Model} model
 */
export function describeStep({ id, allowed, forced, starts, probabilities, shares, mass }, model) {
  const { eos } = model.vocabulary;
  const label = (/** @type {number} */ one) => (eos.includes(one) ? "" : tokenLabel(one, model));
  const likely = topOf(shares, SHOWN).filter((one) => shares[one] >= 0.00005);
  const shown = [...new Set([...topOf(probabilities, SHOWN), ...likely, id])];
  shown.sort((a, b) => probabilities[b] - probabilities[a] || a - b);
  return {
    label: label(id),
    allowed: allowed.size,
    forced,
    starts,
    mass,
    shades: shadesOf(allowed, probabilities.length).join(""),
    rows: shown.map((one) => [label(one), probabilities[one], allowed.has(one) ? shares[one] : -1, Number(one === id)]),
  };
}

/** Names of classes of characters. @typedef {(key: string) => string} Say */

/**
 * @param {"schema" | "call" | "regex"} form
 * @param {string} source a JSON Schema, a list of tools or a pattern
 * @param {Model} model
 * @param {AbortSignal} signal
 * @throws {Error} what is wrong with the source
 */
export async function compileForm(form, source, model, signal) {
  const grammar = await compile(form, source, model, signal);
  const matcher = grammar.matcher();
  const isMute = matcher.bitmask().every((word) => !word);
  matcher.dispose();
  if (!isMute) return grammar;
  grammar.dispose();
  throw new RangeError("This model has no token with which the form could begin: its text has no such character.");
}

/** @param {string} form @param {string} source @param {Model} model @param {AbortSignal} [signal] */
async function compile(form, source, model, signal) {
  const shared = { vocabulary: model.vocabulary, signal };
  if (form === "regex") return compileGrammar({ ...shared, regex: source });
  const whitespace = { separators: /** @type {[string, string]} */ ([", ", ": "]) };
  if (form === "schema") return compileGrammar({ ...shared, whitespace, jsonSchema: source });
  const style = { trigger: OPEN, begin: '{"name": "{name}", "arguments": ', end: "}" + CLOSE };
  const toolCalls = { tools: JSON.parse(source), style, required: true, stopAfterFirst: true };
  return compileGrammar({ ...shared, whitespace, toolCalls });
}

/** What is put before the text. @param {string} form */
const opening = (form) => (form === "call" ? OPEN : "");

/**
 * What a text says; undefined if it is not valid. The reader's pattern does not run in the browser's engine, in which
 * some patterns never end.
 * @param {string} form
 * @param {Grammar} grammar
 * @param {string} text
 * @returns {any}
 */
export function readForm(form, grammar, text) {
  if (form === "regex") return matching(grammar, text).includes(text) ? text : undefined;
  try {
    if (form === "schema") return JSON.parse(text);
    return text.endsWith(CLOSE) ? JSON.parse(text.slice(0, -CLOSE.length)) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The same for the shortest beginning of a text that matches, or is an object: a model may go on for ever.
 * @param {string} form
 * @param {Grammar} grammar
 * @param {string} text
 */
function readBeginning(form, grammar, text) {
  if (form === "regex") return matching(grammar, text.trimStart()).find(Boolean);
  for (let end = 1; end <= text.length; end++) {
    const value = readForm(form, grammar, text.slice(0, end).trim());
    if (value && typeof value === "object") return value;
  }
}

/**
 * The beginnings of a text that satisfy a grammar, the shortest first.
 * @param {Grammar} grammar
 * @param {string} text
 */
function matching(grammar, text) {
  const matcher = grammar.matcher();
  const ends = matcher.isAccepting ? [0] : [];
  let end = 0;
  for (const letter of text) {
    if (!matcher.acceptBytes(letter)) break;
    end += letter.length;
    if (matcher.isAccepting) ends.push(end);
  }
  matcher.dispose();
  return ends.map((at) => text.slice(0, at));
}

/**
 * Writes under a grammar until it ends the text.
 * @param {Model} model
 * @param {Grammar} grammar
 * @param {How} how
 * @returns {AsyncGenerator<Step, void, void>}
 */
export async function* writeMasked(model, grammar, { form, prompt, temperature, seed, longest, say }) {
  const { vocabSize, contextLength } = model.config;
  const { tokens } = model.vocabulary;
  const plain = await samplerFor(vocabSize);
  const matcher = grammar.matcher();
  const sampler = await createSampler({ vocabSize, tokenCount: tokens.length, temperature, seed, grammar: matcher });
  try {
    const ids = await model.tokenize(prompt + opening(form), { bos: true });
    matcher.acceptBytes(opening(form));
    for (let count = 0; count < longest && ids.length <= contextLength && !matcher.isTerminated; count++) {
      const { logits } = await rowAfter(model, ids);
      const mask = matcher.bitmask().slice();
      const list = tokens.map((_, id) => id).filter((id) => (mask[id >> 5] >>> (id & 31)) & 1);
      const { probabilities } = uncut(plain, logits);
      const { shares } = look(plain, logits, { temperature, allowedTokens: list });
      const mass = list.reduce((sum, id) => sum + probabilities[id], 0);
      const forced = legibleBytes(matcher.forced());
      const starts = describeStarts(list, model, say);
      const id = sampler.sample(logits);
      yield { id, allowed: new Set(list), forced, starts, probabilities, shares, mass };
      ids.push(id);
    }
  } finally {
    sampler.dispose();
    matcher.dispose();
  }
}

/**
 * Asks the same model again and again, each time with and without the mask.
 * @param {Model} model
 * @param {Grammar} grammar
 * @param {How & { runs: number, isRight: (value: any) => boolean }} how
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<[free: Count, masked: Count], void, void>}
 */
export async function* compareRuns(model, grammar, { runs, isRight, ...how }, signal) {
  const { form, prompt, temperature, longest } = how;
  const none = () => ({ valid: 0, right: 0, sample: "" });
  const [free, masked] = [none(), none()];
  const count = (/** @type {Count} */ result, /** @type {any} */ value, /** @type {string} */ text) => {
    result.sample ||= legible(text.slice(0, 60));
    if (value === undefined) return;
    result.valid++;
    if (isRight(value)) result.right++;
  };
  for (let run = 0; run < runs; run++) {
    const seed = how.seed + run;
    const ids = [];
    for await (const { id } of writeMasked(model, grammar, { ...how, seed })) {
      signal.throwIfAborted();
      ids.push(id);
    }
    const text = plainText(ids, model);
    count(masked, readForm(form, grammar, text), text);
    let unbound = "";
    for await (const chunk of model.generate(prompt + opening(form), { maxTokens: longest, temperature, seed, signal }))
      unbound += chunk.text;
    count(free, readBeginning(form, grammar, unbound), unbound);
    yield [{ ...free }, { ...masked }];
  }
}

/**
 * First characters of tokens, as ranges.
 * @param {number[]} ids
 * @param {Model} model
 * @param {Say} say
 */
function describeStarts(ids, { vocabulary: { eos, tokens } }, say) {
  const bytes = new Set(ids.filter((id) => !eos.includes(id)).map((id) => tokens[id][0]));
  if (bytes.size > 80) return say("any");
  /** @type {number[][]} */
  const ranges = [];
  for (let code = 0; code < 128; code++) {
    if (!bytes.has(code)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const one = (/** @type {number} */ code) => legible(String.fromCharCode(code));
  const words = ranges.map(([a, b]) => (a === b ? one(a) : one(a) + (b > a + 1 ? "–" : " ") + one(b)));
  if ([...bytes].some((byte) => byte > 127)) words.push(say("beyond"));
  if (ids.some((id) => eos.includes(id))) words.push(say("endOfText"));
  return words.join(" ");
}
