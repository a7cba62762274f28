// A model large enough that threads share even the loops of a single row, and its logits as digests.
import { randomModel } from "../models/random-model.js";
import { convertGguf, randomGguf, randomNumbers, typeNames } from "./gguf-files.js";

// Powers of four: of other widths not every engine computes the same inverse square root, and so not the same weights.
const shape = { vocab: 4096, dim: 256, hidden: 1024, layers: 2, heads: 8, kvHeads: 4, context: 256 };

export const threadedGguf = () => randomGguf(shape);

/** Layers without attention: a short convolution, or a delta net. */
export const threadedMixers = () =>
  ["lfm2", "qwen35"].map((family) => [
    family,
    randomModel(family, {
      ...{ vocab: shape.vocab, dim: 256, hidden: 1024, layers: 3, heads: 4, keyWidth: 64, base: 10000, context: 256 },
      ...(family === "lfm2" ? { kvHeads: [0, 2, 0] } : { kvHeads: 2, ropeWidth: 32 }),
      ...(family === "qwen35" && { delta: { heads: 16, keyHeads: 4, width: 64, taps: 4, interval: 3 } }),
    }),
  ]);

/** @returns {[string, Uint8Array][]} by type of weight, or family */
export function threadedGgufs() {
  const whole = threadedGguf();
  return [...Object.entries(typeNames).map(([name, type]) => [name, convertGguf(whole, type)]), ...threadedMixers()];
}

/**
 * Loads a model until it has that many threads: on a busy machine helpers may start too late for it, and join later.
 * @param {() => Promise<any>} load
 * @param {number} threads
 */
export async function loadWithThreads(load, threads) {
  for (let tries = 1; ; tries++) {
    const model = await load();
    if (model.threads === threads || tries === 5) return model;
    model.dispose();
  }
}

/** By type of weight, or family: the digest of a prompt's logits, taken at once, and of those that follow one by one. */
export async function threadDigests(load, files = threadedGgufs()) {
  const ids = randomNumbers("threads", 100, shape.vocab);
  const digests = {};
  for (const [type, file] of files) {
    const model = await load(file);
    const rows = await model.forward(ids.slice(0, 90), { rows: "all" });
    for (let i = 90; i < ids.length; i++) rows.push(await model.forward([ids[i]], { keep: i }));
    model.dispose();
    const bytes = await new Blob(rows).arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    digests[type] = Array.from(hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return digests;
}
