// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchBeamTree } from "./beam-tree.js";
export { LastInchGroup } from "./group.js";
export { LastInchGuidance } from "./guidance.js";
export { LastInchLikelihood } from "./likelihood.js";
export { LastInchNucleus } from "./nucleus.js";
export { LastInchSpeculation } from "./speculation.js";
