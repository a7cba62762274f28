// All widgets.
/** @typedef {import("./shared/data.js").Row} Row */
/** @typedef {import("./shared/words.js").Words} Words */
/** @typedef {import("./shared/element.js").Content} Content */
export { LastInchElement } from "./shared/element.js";
export { LastInchBeamTree } from "./beam-tree.js";
export { LastInchBits } from "./bits.js";
export { LastInchCache } from "./cache.js";
export { LastInchCharacters } from "./characters.js";
export { LastInchCheatSheet } from "./cheat-sheet.js";
export { LastInchDie } from "./die.js";
export { LastInchFailureModes } from "./failure-modes.js";
export { LastInchForwardPass } from "./forward-pass.js";
export { LastInchFunnel } from "./funnel.js";
export { LastInchGenerationLoop } from "./generation-loop.js";
export { LastInchGlossary } from "./glossary.js";
export { LastInchGreedySpiral } from "./greedy-spiral.js";
export { LastInchGroup } from "./group.js";
export { LastInchGuidance } from "./guidance.js";
export { LastInchHands } from "./hands.js";
export { LastInchInspector } from "./inspector.js";
export { LastInchJsonMask } from "./json-mask.js";
export { LastInchLikelihood } from "./likelihood.js";
export { LastInchMarkov } from "./markov.js";
export { LastInchMinPHeat } from "./min-p-heat.js";
export { LastInchNucleus } from "./nucleus.js";
export { LastInchOrderBench } from "./order-bench.js";
export { LastInchPeakedFlat } from "./peaked-flat.js";
export { LastInchPenalties } from "./penalties.js";
export { LastInchQuickCheck } from "./quick-check.js";
export { LastInchRulers } from "./rulers.js";
export { LastInchSameSeed } from "./same-seed.js";
export { LastInchSameZero } from "./same-zero.js";
export { LastInchSoftmaxSteps } from "./softmax-steps.js";
export { LastInchSpeculation } from "./speculation.js";
export { LastInchTemperaturePanels } from "./temperature-panels.js";
export { LastInchThinking } from "./thinking.js";
export { LastInchTokens } from "./tokens.js";
export { LastInchTrain } from "./train.js";
export { LastInchWatermark } from "./watermark.js";
export { LastInchWorkedExample } from "./worked-example.js";
