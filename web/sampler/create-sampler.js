// createSampler. Workers load samplers without this module: older bundlers allow no import() in a Worker.
import { resolveOptions } from "./options.js";
import { openSampler } from "./sampler-instance.js";
import { GpuSampler } from "./gpu-sampler.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./option-table.js").SamplerAliases} SamplerAliases */

/**
 * A sampler for rows of `vocabSize` logits. All mechanisms are off unless an option switches them on.
 * @param {SamplerOptions & SamplerAliases} options
 * @returns {Promise<GpuSampler>}
 * @throws {TypeError | RangeError} for an unknown option or a bad value, with a `code`
 * @throws {LastInchError} "no-webassembly", "no-simd", "wasm-unavailable", "out-of-memory"
 */
export async function createSampler(options) {
  const open = options?.watermark !== undefined ? (await import("./decode-module.js")).openDecode : openSampler;
  const resolved = resolveOptions(options);
  return new GpuSampler(await open(), resolved);
}
