// Computes what passes through the layers, up to the logits after a text.
import { ModelError } from "../../core/model-errors.js";
import { Scratch } from "../../decode/scratch.js";

/**
 * @typedef {object} LayerActivations
 * @property {number} norm Euclidean length of the residual stream, to which the layers add
 * @property {Float32Array[] | null} attention one array for each head: the weights with which the last token reads the
 *   values of all tokens up to itself. They sum to 1. null for the embedding and layers without attention
 * @property {Float32Array} logits the logits if this layer were the last (early exit, "logit lens"). For the last layer
 *   they are the model's own
 */

/**
 * @typedef {object} Activations
 * @property {Uint32Array} tokens of the text, including BOS if the model adds it
 * @property {LayerActivations[]} layers at the last token: the embedding, then each layer
 */

/**
 * @param {import("./engine.js").Engine} engine
 * @param {Uint32Array} tokens at least one
 * @param {import("./turns.js").Job} job
 * @returns {Promise<Activations>}
 */
export async function activations(engine, tokens, job) {
  const { config, instance, sequences, turns } = engine;
  const { layers: count, dim, vocabSize } = config;
  const heads = Number(config.heads);
  /** @type {LayerActivations[]} */
  const layers = [];
  const scratch = new Scratch(instance);
  await turns.take();
  try {
    const sequence = sequences.open(tokens);
    const copy = (/** @type {number} */ at, /** @type {number} */ length) =>
      instance.views().floats.slice(at / 4, at / 4 + length);
    const attentionOf = (/** @type {number} */ layer, /** @type {number} */ before) => {
      const at = scratch.reserve(heads * tokens.length);
      if (!engine.attention(sequence, before, layer, at)) return null;
      return Array.from({ length: heads }, (_, head) => copy(at + 4 * head * tokens.length, tokens.length));
    };
    const read = (/** @type {number} */ place) => {
      const at = scratch.reserve(vocabSize);
      for (let i = 0; i <= count; i++) {
        const state = sequences.state(place, i);
        sequences.earlyLogits(state, 1, at);
        const logits = copy(at, vocabSize);
        const norm = Math.sqrt(copy(state, dim).reduce((sum, x) => sum + x * x, 0));
        const attention = i ? attentionOf(i - 1, sequences.state(place, i - 1)) : null;
        layers.push({ norm, attention, logits });
      }
    };
    const run = { sequence, ids: tokens.subarray(sequence.tokens.length), wanted: 1 };
    // Before the first layer, and after each.
    const taps = { layers: [count + 1, ...Array(count).keys()] };
    await sequences.run([run], job, (_run, _row, _logits, place) => read(place), taps);
  } finally {
    scratch.dispose();
    turns.leave();
  }
  if (layers.some(({ logits }) => logits.some(Number.isNaN))) throw new ModelError("logits-nan");
  return { tokens, layers };
}
