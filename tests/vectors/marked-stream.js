// Marked texts and what detectors say of them, as one number: the stream of tests/c/watermark_test.c through the
// JavaScript API. Runs in Node and in browsers.
import { fillRow } from "./golden-stream.js";

export const MARKED_DIGEST = "0xa3208bf3";

const vocabSize = 2048;
const marks = [
  { scheme: "gumbel", key: "golden" },
  { scheme: "green", key: "golden", gamma: 0.25, delta: 3 },
  { scheme: "synthid", key: "golden" },
];

/**
 * @param {typeof import("lastinch")} lastinch
 * @returns {Promise<string>} FNV-1a of the tokens as little-endian words and of the p-values as doubles, in hexadecimal
 */
export async function markedStream({ createSampler, createWatermarkDetector }) {
  const row = new Float32Array(vocabSize);
  let digest = 2166136261;
  const mix = (/** @type {ArrayBuffer} */ bytes) => {
    for (const byte of new Uint8Array(bytes)) digest = Math.imul(digest ^ byte, 16777619);
  };
  for (const watermark of /** @type {import("lastinch").Watermark[]} */ (marks)) {
    const sampler = await createSampler({ vocabSize, seed: 20261121, temperature: 0.8, topP: 0.95, watermark });
    const detector = await createWatermarkDetector(watermark);
    for (let step = 0; step < 100; step++) {
      fillRow(row, step);
      const token = sampler.sample(row);
      detector.add(token);
      mix(Uint32Array.of(token).buffer);
      if (step % 25 === 24) mix(Float64Array.of(detector.result.pValue).buffer);
    }
    sampler.dispose();
  }
  return `0x${(digest >>> 0).toString(16).padStart(8, "0")}`;
}
