// Gets rows of logits from a model that other widgets use at the same time.

/** @typedef {import("../../index.js").Model} Model */

/**
 * The row that follows these tokens. Tokens that begin like an earlier text are not computed again.
 * @param {Model} model
 * @param {number[]} ids fewer than the model's context
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ logits: Float32Array, cached: number }>} cached: how many of the tokens needed no computing
 */
export async function rowAfter(model, ids, signal) {
  // Any token will do, except an end of the text, which comes without a row.
  const options = { maxTokens: 1, temperature: 0, captureLogits: true, bannedTokens: model.vocabulary.eos, signal };
  /** @type {Float32Array | undefined} */
  let logits;
  let cached = 0;
  for await (const { tokens, usage } of model.generate(ids, options)) {
    logits ??= tokens[0]?.logits;
    cached = usage?.cachedTokens ?? cached;
  }
  signal?.throwIfAborted();
  if (!logits) throw new RangeError(`The text is too long for the model: ${ids.length} tokens.`);
  return { logits, cached };
}
