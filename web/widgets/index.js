// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchInspector } from "./inspector.js";
export { LastInchNucleus } from "./nucleus.js";
