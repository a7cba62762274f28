// The logits of small models of random weights as digests: equal digests, equal bits. Models of one type each, then for
// some families a model of many tensor types, with the types of cache in turn.
import { caches, forced, mixedFile } from "./family-files.js";
import { convertGguf, randomGguf, randomNumbers, typeNames } from "./gguf-files.js";

// The last four have norms, activations, limits and mixers that the others do not.
const digested = ["llama", "qwen2", "qwen3", "gemma2", "gpt2", "qwen35", "lfm2"];

/** `forward` takes a file, tokens and a type of cache (undefined: chosen) and gives the logits after each token, as a list of rows. */
export async function logitDigests(forward) {
  const digests = {};
  const digest = async (name, file, tokens, cache) => {
    const rows = await forward(file, tokens, cache);
    const all = new Float32Array(rows.flatMap((row) => Array.from(row)));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
    digests[name] = Array.from(hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const whole = randomGguf();
  const tokens = randomNumbers("digests", 40, 640);
  for (const [type, number] of Object.entries(typeNames)) await digest(type, convertGguf(whole, number), tokens);
  for (const [i, family] of digested.entries()) {
    const cache = caches[i % caches.length];
    await digest(`${family}, ${cache} cache`, mixedFile(family), forced.slice(0, 40), cache);
  }
  return digests;
}

/** The same through the library. */
export function libraryDigests(loadModel) {
  return logitDigests(async (file, tokens, cacheType) => {
    const model = await loadModel(file.buffer, { cacheType });
    const rows = await model.forward(tokens, { rows: "all" });
    model.dispose();
    return rows;
  });
}
