// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchGreedySpiral } from "./greedy-spiral.js";
export { LastInchInspector } from "./inspector.js";
export { LastInchNucleus } from "./nucleus.js";
