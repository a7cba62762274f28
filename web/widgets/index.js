// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchNucleus } from "./nucleus.js";
