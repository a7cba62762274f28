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
  const options = { ...settings, maxTokens: length, draft: heads, captureDrafts: true, signal };
  for await (const { tokens, draft } of model.generate(prompt, options)) {
    if (draft) {
      if (pass) yield pass;
      pass = { labels: draft.tokens.map(label), parents: draft.parents, taken: [], added: [] };
      guesses = draft.tokens;
    }
    if (!pass) continue;
    const { parents, taken, added } = pass;
    for (const { id } of tokens) {
      // What the model chose itself ends a pass.
      const isOn = taken.length === added.length;
      const at = isOn ? guesses.findIndex((guess, i) => guess === id && parents[i] === (taken.at(-1) ?? -1)) : -1;
      if (at >= 0) taken.push(at);
      added.push(label(id));
    }
  }
  if (pass) yield pass;
}

/**
 * Times a text written in several ways: one run of each to warm up, then the least of three, in turns, because other work
 * only adds.
 * @param {Model} model
 * @param {(Model | undefined)[]} drafts one for each way; undefined: without
 * @param {Settings} settings
 * @param {AbortSignal} signal
 * @returns {Promise<Run[]>}
 */
export async function raceOf(model, drafts, { prompt, length, draftTokens, ...settings }, signal) {
  /** @type {Run[]} */
  const runs = drafts.map(() => ({ ms: Infinity, passes: 0, tokens: 0 }));
  for (let round = 0; round < 4; round++)
    for (const [i, draft] of drafts.entries()) {
      const drafting = draft ? { draft, draftTokens } : {};
      const began = performance.now();
      let [passes, tokens] = [0, 0];
      for await (const { usage } of model.generate(prompt, { ...settings, ...drafting, maxTokens: length, signal }))
        if (usage) [passes, tokens] = [usage.passes, usage.completionTokens];
      const ms = performance.now() - began;
      signal.throwIfAborted();
      if (round && ms < runs[i].ms) runs[i] = { ms, passes, tokens };
    }
  return runs;
}
