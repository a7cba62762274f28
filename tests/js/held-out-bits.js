// How well a model predicts a text, measured as in demos/model/README.md.

/** The bits of a text's tokens after BOS. A text longer than the context is read in windows that overlap by half. */
export async function bitsOf(model, text) {
  const ids = await model.tokenize(text, { bos: true });
  const context = model.config.contextLength;
  let bits = 0;
  for (let done = 1; done < ids.length;) {
    const start = done === 1 ? 0 : done - context / 2;
    const { logprobs } = await model.score(ids.slice(start, start + context + 1));
    bits -= logprobs.slice(done - start - 1).reduce((a, b) => a + b, 0) / Math.LN2;
    done = start + 1 + logprobs.length;
  }
  return bits;
}
