// Types of training.

/**
 * @typedef {object} TrainerShape
 * @property {number} vocabSize tokens: characters and three more
 * @property {number} layers
 * @property {number} dim
 * @property {number} hidden
 * @property {number} heads
 * @property {number} context characters of a sequence
 * @property {number} batch sequences of a step
 */

/**
 * @typedef {object} TrainerOptions
 * @property {number} [seed] a whole number below 2^53, by default 0
 * @property {number} [layers] 1 to 8, by default 2
 * @property {number} [dim] width of the residual stream, a multiple of 4 times the heads, at most 512; by default 48
 * @property {number} [hidden] width inside a block, a multiple of 4, at most 2,048; by default 96
 * @property {number} [heads] 1 to 64, by default 4
 * @property {number} [context] characters that it sees, a multiple of 16, at most 512; by default 64
 * @property {number} [batch] sequences of a step, 1 to 256, by default 16
 * @property {AbortSignal} [signal] stops the start
 */

/**
 * @typedef {object} LearnOptions
 * @property {number} [steps] how many, by default without an end
 * @property {number} [every] steps between two reports, by default 20
 * @property {AbortSignal} [signal] ends the loop after the step that runs, without an error
 */

/**
 * What a report of `learn` says.
 * @typedef {object} LearnReport
 * @property {number} step steps taken since the beginning
 * @property {number} loss mean of the steps since the last report, in nats a character
 * @property {number} heldOut loss of 16 sequences of the part of the text that is not learnt, at equal distances, in nats a character
 * @property {number} stepsPerMinute of the steps since the last report
 */

export {};
