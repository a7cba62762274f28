// Run by saved-across-builds.slow.test.js in a Node with relaxed SIMD: prompts that one build saves and the other restores.
import { loadModel } from "lastinch";
import { families, floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";

const { validate } = WebAssembly;
const prompt = randomNumbers("prompt", 100, 256);
const RELAXED = 4; // LI_SAVED_RELAXED

/** @param {string} family @param {boolean} isRelaxed */
async function load(family, isRelaxed) {
  // The probe of relaxed SIMD has its instruction 0x113.
  const isRelaxedProbe = (/** @type {any} */ bytes) => bytes.includes(0x93);
  WebAssembly.validate = isRelaxed ? validate : (bytes) => !isRelaxedProbe(bytes) && validate(bytes);
  const how = /** @type {const} */ ({ worker: false, cacheType: "f16", contextLength: 200, threads: 1 });
  return loadModel(floatFile(family), how).finally(() => (WebAssembly.validate = validate));
}

const write = async (/** @type {any} */ model) => {
  const { tokens, usage } = await model.complete([...prompt, 7, 8], { maxTokens: 8, seed: 2, captureLogits: true });
  return { cached: usage.cachedTokens, tokens: JSON.stringify(tokens) };
};

/** @type {string[]} */
const wrong = [];
for (const family of families)
  for (const isRelaxed of [true, false]) {
    const [from, to] = [await load(family, isRelaxed), await load(family, !isRelaxed)];
    const blob = await from.save(prompt);
    const flags = new DataView(await blob.slice(20, 24).arrayBuffer()).getUint32(0, true);
    if (((flags & RELAXED) !== 0) !== isRelaxed) wrong.push(`${family}: the Blob names another build`);
    await to.restore(blob);
    const [expected, found] = [await write(from), await write(to)];
    if (found.cached !== prompt.length || found.tokens !== expected.tokens) wrong.push(`${family}, ${isRelaxed}`);
    from.dispose();
    to.dispose();
  }
console.log(JSON.stringify({ count: families.length, wrong }));
