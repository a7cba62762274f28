// What else could have come at a step: the model's likeliest tokens, and the probability that the settings leave each.
import { configure } from "../../dist/widgets-base.js";
import { tokenLabel } from "../../web/widgets/shared/format.js";

/**
 * @typedef {object} Alternative
 * @property {number} id
 * @property {string} label
 * @property {number} raw the model's own probability
 * @property {number} share the probability of the draw; 0 where the settings removed the token
 */

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {import("../../dist/index.js").Sampler} Sampler */
/** @typedef {import("./texts.js").Text} Text */

export const SHOWN = 5;

/**
 * The likeliest tokens of a step, and the step's own if it is not among them.
 * @param {Sampler} sampler of samplerFor, for rows of the model's length
 * @param {Model} model
 * @param {Text} text
 * @param {number} index of a step with logits
 * @param {Record<string, any>} options of the sampler
 * @returns {Alternative[]} the model's likeliest first
 */
export function alternativesAt(sampler, model, { ids, steps, kept }, index, options) {
  const { id: chosen, logits } = steps[index];
  const row = /** @type {Float32Array} */ (logits);
  const { eos, tokens } = model.vocabulary;
  configure(sampler, { tokenCount: tokens.length, eos, ...options });
  // As in the sampler that wrote the text: kept steps count as prompt.
  const idsOf = (/** @type {number} */ from, /** @type {number} */ to) => steps.slice(from, to).map(({ id }) => id);
  sampler.accept([...ids, ...idsOf(0, Math.min(kept, index))], { prompt: true });
  sampler.accept(idsOf(Math.min(kept, index), index));
  const { raw } = sampler.information(row, { top: Math.min(SHOWN, tokens.length), token: chosen });
  const { tokens: left, probabilities } = sampler.distribution(row);
  const shares = new Map(Array.from(left, (id, i) => [id, probabilities[i]]));
  const found = raw.top.map(({ token, logprob }) => ({ id: token, raw: Math.exp(logprob) }));
  if (!found.some(({ id }) => id === chosen)) found.push({ id: chosen, raw: Math.exp(raw.logprob ?? -Infinity) });
  return found.map(({ id, raw: own }) => ({
    id,
    label: tokenLabel(id, model),
    raw: own,
    share: shares.get(id) ?? 0,
  }));
}
