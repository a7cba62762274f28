// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { loadModel } from "./model.js";
export { LastInchError } from "./errors.js";
