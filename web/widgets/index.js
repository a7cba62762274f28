// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchFailureModes } from "./failure-modes.js";
export { LastInchGreedySpiral } from "./greedy-spiral.js";
export { LastInchInspector } from "./inspector.js";
export { LastInchNucleus } from "./nucleus.js";
export { LastInchPeakedFlat } from "./peaked-flat.js";
export { LastInchSameSeed } from "./same-seed.js";
