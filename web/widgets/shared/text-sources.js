// The texts that a model may learn: three in the public domain, fetched on use, or the reader's own.

/** @type {Record<string, () => Promise<{ default: string }>>} */
const texts = {
  alice: () => import("../texts/alice.js"),
  aesop: () => import("../texts/aesop.js"),
  richard: () => import("../texts/richard.js"),
};

export const sources = [...Object.keys(texts), "own"];

/** @param {string} source @param {string} own */
export const textOf = async (source, own) => (source === "own" ? own : (await texts[source]()).default);
