// What a forward pass left on its way, as a widget shows it and as it is recorded.
import { tokenLabel } from "./format.js";
import { look } from "./look.js";
import { samplerFor, topOf } from "./sampling.js";

/** The tokens that are shown of a layer, and those whose way through the layers is drawn. */
const [TOP, LINES] = [5, 3];

/**
 * @typedef {object} Stage the embedding, or what a layer has left
 * @property {number} norm of the residual stream
 * @property {[label: string, share: number][]} top the likeliest tokens, if this were the last layer
 * @property {number[][] | null} attention of each head, the weight of each token
 */

/**
 * @typedef {object} Pass
 * @property {string[]} tokens
 * @property {number} dim
 * @property {number} size of the vocabulary
 * @property {Stage[]} stages
 * @property {[label: string, shares: number[]][]} lines of the likeliest tokens in the end: their share after each stage
 */

/**
 * @param {import("./models.js").Model} model
 * @param {Awaited<ReturnType<import("./models.js").Model["activations"]>>} activations
 * @param {(key: string) => string} [say] a widget's words
 * @returns {Promise<Pass>}
 */
export async function describePass(model, { tokens, layers }, say) {
  const { config, vocabulary } = model;
  const sampler = await samplerFor(config.vocabSize);
  const label = (/** @type {number} */ id) => tokenLabel(id, model, say);
  const settings = { tokenCount: vocabulary.tokens.length };
  const all = layers.map(({ logits }) => look(sampler, logits, settings).probabilities);
  return {
    tokens: Array.from(tokens, label),
    dim: config.dim,
    size: config.vocabSize,
    stages: layers.map(({ norm, attention }, i) => ({
      norm,
      top: topOf(all[i], TOP).map((id) => [label(id), all[i][id]]),
      attention: attention?.map((weights) => Array.from(weights)) ?? null,
    })),
    lines: topOf(all[all.length - 1], LINES).map((id) => [label(id), all.map((shares) => shares[id])]),
  };
}
