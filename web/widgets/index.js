// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchCheatSheet } from "./cheat-sheet.js";
export { LastInchFunnel } from "./funnel.js";
export { LastInchGlossary } from "./glossary.js";
export { LastInchHands } from "./hands.js";
export { LastInchNucleus } from "./nucleus.js";
export { LastInchOrderBench } from "./order-bench.js";
export { LastInchPenalties } from "./penalties.js";
export { LastInchQuickCheck } from "./quick-check.js";
export { LastInchRulers } from "./rulers.js";
export { LastInchSoftmaxSteps } from "./softmax-steps.js";
export { LastInchTemperaturePanels } from "./temperature-panels.js";
export { LastInchWorkedExample } from "./worked-example.js";
