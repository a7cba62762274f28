// Samplers for callbacks, which cannot wait. Pages that await createSampler do not load this.
import { openSampler } from "./sampler-instance.js";
import { resolveOptions } from "./options.js";
import { Sampler } from "./sampler.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */

/**
 * Makes samplers at once, for callbacks that cannot wait for a promise.
 * @param {boolean} [isMarked] whether they have a watermark
 * @returns {Promise<(options: SamplerOptions) => Sampler>}
 * @throws {LastInchError} "no-webassembly", "no-simd", "wasm-unavailable", "out-of-memory"
 */
export async function openSamplers(isMarked) {
  const open = isMarked ? (await import("./decode-module.js")).openDecode : openSampler;
  const instance = await open();
  return (options) => new Sampler(instance, resolveOptions(options));
}
