// The logits of a small model of random weights, of every tensor type, as digests: equal digests, equal bits.
import { convertGguf, randomGguf, randomNumbers, typeNames } from "./gguf-files.js";

/** `forward` takes a file and tokens and gives the logits after each of them, as a list of rows. */
export async function logitDigests(forward) {
  const whole = randomGguf();
  const tokens = randomNumbers("digests", 40, 640);
  const digests = {};
  for (const [type, number] of Object.entries(typeNames)) {
    const rows = await forward(convertGguf(whole, number), tokens);
    const all = new Float32Array(rows.flatMap((row) => Array.from(row)));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
    digests[type] = Array.from(hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return digests;
}

/** The same through the library. */
export function libraryDigests(loadModel) {
  return logitDigests(async (file, tokens) => {
    const model = await loadModel(file.buffer);
    const rows = await model.forward(tokens, { rows: "all" });
    model.dispose();
    return rows;
  });
}
