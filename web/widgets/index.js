// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchJsonMask } from "./json-mask.js";
export { LastInchNucleus } from "./nucleus.js";
