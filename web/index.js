// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { loadModel } from "./load-model.js";
export { LastInchError } from "./errors.js";

/** @typedef {import("./sampler.js").Sampler} Sampler */
/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./loaded-model.js").Model} Model */
/** @typedef {import("./loaded-model.js").GenerateOptions} GenerateOptions */
/** @typedef {import("./load-model.js").LoadOptions} LoadOptions */
/** @typedef {import("./engine.js").Chunk} Chunk */
/** @typedef {import("./engine.js").Token} Token */
