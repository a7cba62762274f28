// The golden stream of tests/c/golden_test.c through the JavaScript API: 2,750 seeded tokens over logits
// from an integer generator. Runs in Node and in browsers.

const vocabSize = 2048;

const segments = [
  { temperature: 0.8, topP: 0.95, countScope: "context" },
  { topK: 40, minP: 0.05, repetitionPenalty: 1.1, countScope: "generated" },
  { temperature: 2, minP: 0.1, countScope: "context" },
  { temperature: 0, repetitionPenalty: 1.3, penaltyWindow: 64, countScope: "context" },
  { countScope: "context" },
  { temperature: 0.5, topK: 100, topP: 0.9, frequencyPenalty: 0.5, presencePenalty: 0.25, countScope: "context" },
  { temperature: 1.5, topP: 0.999, countScope: "context" },
  { temperature: 0.001, topK: 7, topP: 0.5, minP: 0.5, presencePenalty: 2, countScope: "context" },
  { typicalP: 0.9 },
  { temperature: 1.2, epsilonCutoff: 0.001 },
  { temperature: 2, etaCutoff: 0.002 },
  { temperature: 3, topNSigma: 3 },
  { topH: 0.4, minKeep: 20 },
  { tfsZ: 0.97 },
  { topP: 0.98, xtcProbability: 0.5, xtcThreshold: 0.05 },
  { temperature: 0.8, dynatempRange: 0.7, dynatempExponent: 1.5, minP: 0.01 },
  { topK: 30, dryMultiplier: 0.8, dryAllowedLength: 1 },
  { topK: 3, noRepeatNgram: 2 },
  { mirostat: 1, mirostatTau: 3 },
  { temperature: 1.5, mirostat: 2, mirostatTau: 5, mirostatEta: 0.3 },
  { minP: 0.05, adaptiveTarget: 0.4 },
  { temperature: 0.9, topP: 0.9, draw: "gumbel", stream: 3 },
];

const off = {
  temperature: 1,
  topK: 0,
  topP: 1,
  minP: 0,
  typicalP: 1,
  epsilonCutoff: 0,
  etaCutoff: 0,
  topNSigma: 0,
  topH: 0,
  tfsZ: 1,
  xtcProbability: 0,
  dynatempRange: 0,
  minKeep: 1,
  repetitionPenalty: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  penaltyWindow: 0,
  dryMultiplier: 0,
  noRepeatNgram: 0,
  mirostat: 0,
  adaptiveTarget: -1,
  draw: "multinomial",
  stream: 0,
};

/** @param {number} x */
function mix(x) {
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/**
 * @param {Float32Array} row
 * @param {number} step
 */
export function fillRow(row, step) {
  for (let id = 0; id < vocabSize; id++) {
    const x = mix(step * vocabSize + id);
    const sum = (x & 255) + ((x >>> 8) & 255) + ((x >>> 16) & 255) + (x >>> 24) - 510;
    row[id] = sum / 64 + (mix(x) % 300 === 0 ? 6 : 0);
  }
}

/**
 * @param {typeof import("lastinch").createSampler} createSampler
 * @returns {Promise<string>} FNV-1a of the tokens as little-endian words, in hexadecimal
 */
export async function goldenStream(createSampler) {
  const sampler = await createSampler({ vocabSize, seed: 20261121 });
  const row = new Float32Array(vocabSize);
  let digest = 2166136261;
  for (let step = 0; step < 125 * segments.length; step++) {
    if (step % 125 === 0) sampler.set({ ...off, ...segments[step / 125] });
    fillRow(row, step);
    const token = sampler.sample(row);
    for (let byte = 0; byte < 4; byte++) digest = Math.imul(digest ^ ((token >>> (8 * byte)) & 255), 16777619);
  }
  sampler.dispose();
  return `0x${(digest >>> 0).toString(16).padStart(8, "0")}`;
}
