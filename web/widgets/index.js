// All widgets.
export { LastInchElement } from "./shared/element.js";
export { LastInchFunnel } from "./funnel.js";
export { LastInchNucleus } from "./nucleus.js";
export { LastInchOrderBench } from "./order-bench.js";
export { LastInchPenalties } from "./penalties.js";
export { LastInchRulers } from "./rulers.js";
export { LastInchTemperaturePanels } from "./temperature-panels.js";
export { LastInchWorkedExample } from "./worked-example.js";
