// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { LastInchError } from "./errors.js";
