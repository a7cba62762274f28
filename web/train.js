// A small transformer that learns a text in the page.
export { createTrainer } from "./train/trainer.js";

/** @typedef {import("./train/trainer.js").Trainer} Trainer */
/** @typedef {import("./train/train-types.js").TrainerOptions} TrainerOptions */
/** @typedef {import("./train/train-types.js").LearnOptions} LearnOptions */
/** @typedef {import("./train/train-types.js").LearnReport} LearnReport */
