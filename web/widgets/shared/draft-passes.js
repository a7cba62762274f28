// A text written with guesses, pass by pass, and how long that takes. Fetched when a reader first asks for it.
import { tokenLabel } from "./format.js";

/** @typedef {import("../../index.js").Model} Model */
/**
 * A pass that verified guesses: their labels and parents (-1: the text), those that the text took, in order, and the
 * tokens that it added.
 * @typedef {{ labels: string[], parents: number[], taken: number[], added: string[] }} Pass
 */
/** @typedef {{ prompt: string, seed: number, temperature: number, draftTokens: number, length: number }} Settings */
/** A way to write a text: milliseconds, the least of a few, its passes and tokens. @typedef {{ ms: number, passes: number, tokens: number }} Run */

/**
 * Writes a text with heads, and yields every pass.
 * @param {Model} model
 * @param {Model} heads
 * @param {Settings} settings
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Pass>}
 */
export async function* passesOf(model, heads, { prompt, length, ...settings }, signal) {
  const label = (/** @type {number} */ id) => tokenLabel(id, model);
  /** @type {Pass | undefined} */
  let pass;
  /** @type {number[]} */
  let guesses = [];
  let isOn = false;
  const options = { ...settings, maxTokens: length, draft: heads, captureDrafts: true, signal };
  for await (const { tokens, draft } of model.generate(prompt, options)) {
    if (draft) {
      if (pass) yield pass;
      pass = { labels: draft.tokens.map(label), parents: draft.parents, taken: [], added: [] };
      guesses = draft.tokens;
      isOn = true;
    }
    for (const { id } of tokens) {
      if (!pass) {
        yield { labels: [], parents: [], taken: [], added: [label(id)] }; // the prompt's own pass
        continue;
      }
      const { parents, taken } = pass;
      /** @type {number} */
      const at = isOn ? guesses.findIndex((guess, i) => guess === id && parents[i] === (taken.at(-1) ?? -1)) : -1;
      // After the first token that nobody guessed, the pass is over.
      isOn = at >= 0;
      if (isOn) taken.push(at);
      pass.added.push(label(id));
    }
  }
  if (pass) yield pass;
}

/**
 * The time of a text, the least of three, because other work only adds.
 * @param {Model} model
 * @param {Settings} settings
 * @param {Model} [draft]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Run>}
 */
export async function timeOf(model, { prompt, length, draftTokens, ...settings }, draft, signal) {
  const run = { ms: Infinity, passes: 0, tokens: 0 };
  const drafting = draft ? { draft, draftTokens } : {};
  for (let i = 0; i < 3; i++) {
    const began = performance.now();
    for await (const { usage } of model.generate(prompt, { ...settings, ...drafting, maxTokens: length, signal }))
      if (usage) Object.assign(run, { passes: usage.passes, tokens: usage.completionTokens });
    run.ms = Math.min(run.ms, performance.now() - began);
  }
  return run;
}
