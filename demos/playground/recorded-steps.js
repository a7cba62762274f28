// The recorded story as steps.

/** A step as record-opening.js writes it. @typedef {[number, string, number, number, number, [number, string, number, number][]]} Recorded */

/**
 * @param {unknown} recorded of recorded.js
 * @returns {import("./texts.js").Step[]}
 */
export function expand(recorded) {
  const steps = /** @type {Recorded[]} */ (recorded);
  return steps.map(([id, text, probability, own, bits, top], i) => ({
    id,
    text,
    probability,
    rawLogprob: Math.log(own),
    bits,
    isEnd: text === "" && i === steps.length - 1,
    top: top.map(([other, label, raw, share]) => ({ id: other, label, raw, share })),
  }));
}
