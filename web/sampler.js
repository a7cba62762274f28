// Samplers without models and grammars, for bundlers that copy every file that a module names, used or not (Vite).
export { createSampler } from "./sampler/create-sampler.js";
export { LastInchError, isLastInchError } from "./core/errors.js";

/** @typedef {import("./sampler/sampler.js").Sampler} Sampler */
/** @typedef {import("./sampler/gpu-sampler.js").GpuSampler} GpuSampler */
/** @typedef {import("./sampler/gpu-sampler.js").RowRead} RowRead */
/** @typedef {import("./sampler/option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./sampler/option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./sampler/grammar-mask.js").MatcherLike} MatcherLike */
/** @typedef {import("./sampler/sampler-types.js").Logits} Logits */
/** @typedef {import("./sampler/gpu/device-types.js").Device} Device */
/** @typedef {import("./sampler/gpu/device-types.js").DeviceBuffer} DeviceBuffer */
/** @typedef {import("./sampler/gpu/device-types.js").RowOnDevice} RowOnDevice */
/** @typedef {import("./sampler/sampler-types.js").Distribution} Distribution */
/** @typedef {import("./sampler/sampler-types.js").Trace} Trace */
/** @typedef {import("./sampler/sampler-types.js").TraceStage} TraceStage */
/** @typedef {import("./sampler/sampler-types.js").Snapshot} Snapshot */
/** @typedef {import("./sampler/sampler-types.js").Information} Information */
/** @typedef {import("./core/error-table.js").ErrorCode} ErrorCode */
