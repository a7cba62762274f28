// Writes a text with a model, token by token, with the logits of each step.
import { configure, samplerFor } from "../../dist/widgets-base.js";
import { acquireModel } from "../../dist/widgets-live.js";
import { createLoopDetector } from "../../dist/index.js";
import { shipped } from "./shipped.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {import("../../dist/index.js").Sampler} Sampler */
/** @typedef {import("./texts.js").Text} Text */
/** @typedef {import("./texts.js").Step} Step */
/** @typedef {import("./option-fields.js").Options} Options */

/** Bytes of logits that a column may keep: a large vocabulary takes 0.6 MB a step. */
const MOST_LOGITS = 2 ** 28;

/** Loops are marked early, because a person watches. */
const loopLimits = { turns: 3, least: 24 };

/** How many rows of a model's logits a column may keep. @param {Model} model */
export const mostRows = ({ config }) => Math.floor(MOST_LOGITS / (4 * config.vocabSize));

/**
 * The options of a text as the library takes them. Loads the tables only if they are needed.
 * @param {Model} model
 * @param {import("./texts.js").Setup} setup
 * @param {AbortSignal} [signal]
 * @returns {Promise<Options>}
 */
export async function optionsOf(model, { settings, more }, signal) {
  if (!Object.keys(more).length) return { sampler: settings, writing: {} };
  const { resolve } = await import("./option-fields.js");
  const tiny = async () => (await acquireModel("draft", shipped.draft, { signal })).model;
  return resolve(settings, more, { model, tiny });
}

/**
 * Writes what follows the steps that a text keeps.
 * @param {Model} model
 * @param {Text} text whose other steps are replaced
 * @param {object} how
 * @param {AbortSignal} how.signal
 * @param {() => void} how.onBegin the kept steps are there
 * @param {() => void} how.onStep one more is there
 * @returns {Promise<{ reason: string, seconds: number, usage?: import("../../dist/index.js").Usage }>}
 */
export async function write(model, text, { signal, onBegin, onStep }) {
  const { setup, kept, steps } = text;
  const options = await optionsOf(model, setup, signal);
  const sampler = await samplerFor(model.config.vocabSize);
  text.ids = [...(await model.tokenize(setup.prompt, { bos: model.config.addBos }))];
  steps.splice(kept);
  await fill(model, text, kept);
  signal.throwIfAborted();
  const prompt = [...text.ids, ...steps.map(({ id }) => id)];
  const room = mostRows(model) - kept;
  const { eos } = model.vocabulary;
  const isOver = kept > 0 && eos.includes(steps[kept - 1].id);
  const started = performance.now();
  let reason = isOver ? "eos" : "abort";
  let usage;
  const read = reader(model);
  for (const step of steps) step.text = read(step.id);
  const detector = await createLoopDetector(loopLimits);
  text.loop = undefined;
  for (const step of steps) detector.push(step.id, step.text);
  onBegin();
  const given = {
    ...options.sampler,
    ...options.writing,
    seed: setup.seed,
    maxTokens: Math.min(setup.maxTokens - kept, room),
    captureLogits: true,
    signal,
  };
  text.object = undefined;
  // A search gives its text as a whole, and of an object nothing is taken back.
  const isObject = given.jsonSchema !== undefined && given.beams === undefined && given.loops !== "redraw";
  if (!isOver && given.maxTokens > 0)
    for await (const chunk of isObject ? model.streamObject(prompt, given) : model.generate(prompt, given)) {
      if ("done" in chunk) text.object = grown(text.object, chunk);
      if (chunk.takenBack) {
        steps.length -= chunk.takenBack.tokens;
        detector.takeBack(chunk.takenBack.tokens);
        onStep();
      }
      for (const { id, probability, rawLogprob, logits } of chunk.tokens) {
        const bits = entropyOf(sampler, /** @type {Float32Array} */ (logits));
        const step = { id, text: read(id), probability, rawLogprob, bits, logits, isEnd: eos.includes(id) };
        steps.push(step);
        text.loop = detector.push(id, step.text);
        onStep();
      }
      reason = chunk.finishReason ?? reason;
      usage = chunk.usage ?? usage;
    }
  else if (!isOver) reason = "length";
  if (reason === "length" && room < setup.maxTokens - kept) reason = "room";
  return { reason, seconds: (performance.now() - started) / 1000, usage };
}

/**
 * @param {Text["object"]} object
 * @param {{ value: unknown, done: string[] }} chunk
 */
function grown({ done } = { value: undefined, done: new Set() }, chunk) {
  for (const pointer of chunk.done) done.add(pointer);
  return { value: chunk.value, done };
}

/**
 * Adds missing logits to the first steps of a text, in one pass of the model.
 * @param {Model} model
 * @param {Text} text
 * @param {number} count
 */
export async function fill(model, { ids, steps }, count) {
  if (steps.slice(0, count).every(({ logits }) => logits)) return;
  const sampler = await samplerFor(model.config.vocabSize);
  const { eos } = model.vocabulary;
  const rows = await model.forward([...ids, ...steps.slice(0, count).map(({ id }) => id)], { rows: "all" });
  const read = reader(model);
  for (let i = 0; i < count; i++) {
    const logits = rows[ids.length - 1 + i];
    configure(sampler, {});
    const { raw } = sampler.information(logits, { token: steps[i].id });
    const rawLogprob = raw.logprob ?? -Infinity;
    const known = steps[i].probability;
    // Other texts may share the step, so it is changed in place.
    Object.assign(steps[i], {
      text: read(steps[i].id),
      rawLogprob,
      bits: raw.entropy,
      logits,
      isEnd: eos.includes(steps[i].id),
    });
    if (!(known >= 0)) steps[i].probability = Math.exp(rawLogprob);
  }
}

/** @param {Sampler} sampler @param {Float32Array} logits */
function entropyOf(sampler, logits) {
  configure(sampler, {});
  return sampler.information(logits, { top: 0 }).raw.entropy;
}

/** Tokens as text: a character may be spread over several. @param {Model} model */
function reader({ vocabulary }) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (/** @type {number} */ id) =>
    vocabulary.eos.includes(id) ? "" : decoder.decode(vocabulary.tokens[id], { stream: true });
}
