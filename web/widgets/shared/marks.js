// Two texts, one of them marked: by which key, and how the p-value falls as a text is read.

/** @typedef {import("../../index.js").Watermark} Watermark */

export const schemes = /** @type {const} */ (["gumbel", "green", "synthid"]);

/** The key that the page makes. @param {number} seed */
export const keyOf = (seed) => `lastinch ${seed}`;

/** Whether the first text is the marked one: by the seed, in no visible order. @param {number} seed */
export const isFirstMarked = (seed) => (Math.imul(seed + 1, 0x9e3779b1) >>> 16) % 2 === 1;

/**
 * After each token of a text, the logarithm to the base 10 of its p-value.
 * @param {typeof import("../../index.js").createWatermarkDetector} createDetector fetched on demand
 * @param {Watermark} mark
 */
export async function fall(createDetector, mark) {
  const detector = await createDetector(mark);
  return (/** @type {number} */ id) => {
    detector.add(id);
    return Math.log10(detector.result.pValue || Number.MIN_VALUE);
  };
}
