// The logits of small models of random weights as digests: equal digests, equal bits. Models of one type each, then for
// each family a model that has every tensor type, with every type of cache.
import { caches, families, forced, mixedFile } from "./family-files.js";
import { convertGguf, randomGguf, randomNumbers, typeNames } from "./gguf-files.js";

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
  for (const [i, family] of families.entries())
    await digest(`${family}, ${caches[i]} cache`, mixedFile(family), forced.slice(0, 40), caches[i]);
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
