// Models that learn a text in the page: a small transformer, and a table of counts.
export { createTrainer } from "./train/trainer.js";
export { createCounts } from "./train/counts.js";

/** @typedef {import("./train/trainer.js").Trainer} Trainer */
/** @typedef {import("./train/counts.js").Counts} Counts */
/** @typedef {import("./train/train-types.js").TrainerOptions} TrainerOptions */
/** @typedef {import("./train/train-types.js").LearnOptions} LearnOptions */
/** @typedef {import("./train/train-types.js").LearnReport} LearnReport */
