// A text to learn, and the losses of its first steps: the same bits in Node and in every browser.

/** Sentences of a small grammar, which a few steps begin to learn. */
export const trainText = Array.from({ length: 120 }, (_, i) => {
  const [animals, verbs, places] = ["cat dog bird fox mouse", "sat ran slept sang", "mat roof tree hill"].map((words) =>
    words.split(" "),
  );
  return `The ${animals[(i * 7) % 5]} ${verbs[(i * 3 + (i >> 2)) % 4]} on the ${places[(i * 5 + (i >> 3)) % 4]}. `;
}).join("");

/** The losses of reports, with all their bits. @param {{ loss: number, heldOut: number }[]} reports */
export const trainLosses = (reports) =>
  [...new Uint8Array(Float64Array.from(reports.flatMap(({ loss, heldOut }) => [loss, heldOut])).buffer)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/** Those of `createTrainer(trainText, { seed: 7 })` after 20, 40 and 60 steps. */
export const trainDigest =
  "8a3b707ba0ae07407601086b7bff004017d6176a8157f93f871d3b5ff5f2f13ff4f26760b57de73ffd15052b8c85da3f";
