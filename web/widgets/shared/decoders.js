// The decoder of rows of one length, for widgets that search, judge drafts or combine rows.

/** @typedef {import("../../index.js").Decoder} Decoder */

/** @type {Map<number, { promise: Promise<Decoder>, decoder?: Decoder }>} */
const decoders = new Map();

/**
 * The page's decoder for rows of this length. Clone it to change its options.
 * @param {number} vocabSize
 */
export function decoderFor(vocabSize) {
  let entry = decoders.get(vocabSize);
  if (!entry) {
    const create = async () => (await import("../../index.js")).createDecoder({ vocabSize, seed: 0 });
    const made = (entry = { promise: create() });
    decoders.set(vocabSize, made);
    made.promise.then(
      (decoder) => Object.assign(made, { decoder }),
      () => decoders.delete(vocabSize),
    );
  }
  return entry.promise;
}

/**
 * The same for a view, which cannot wait: undefined until the decoder is ready; then the widget is drawn again.
 * @param {import("./element.js").LastInchElement} host
 * @param {number} vocabSize
 */
export function readyDecoder(host, vocabSize) {
  const ready = decoders.get(vocabSize)?.decoder;
  if (!ready)
    decoderFor(vocabSize).then(
      () => host.requestUpdate(),
      (error) => (host.failure = error),
    );
  return ready;
}

/**
 * Probabilities of a row by token, as a sampler's options leave them.
 * @param {import("../../index.js").Sampler} sampler a decoder is one
 * @param {Float32Array} logits
 */
export function probabilitiesOf(sampler, logits) {
  const { tokens, probabilities } = sampler.distribution(logits);
  const all = new Float64Array(logits.length);
  tokens.forEach((id, i) => (all[id] = probabilities[i]));
  return all;
}
