// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { loadModel } from "./load-model.js";
export { LastInchError } from "./errors.js";
