// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchCharacters } from "./characters.js";
export { LastInchDie } from "./die.js";
export { LastInchGenerationLoop } from "./generation-loop.js";
export { LastInchJsonMask } from "./json-mask.js";
export { LastInchMinPHeat } from "./min-p-heat.js";
export { LastInchNucleus } from "./nucleus.js";
export { LastInchSameZero } from "./same-zero.js";
