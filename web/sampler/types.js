// The types of a sampler's arguments and results.

/** @typedef {import("./options.js").ResolvedOptions} ResolvedOptions */

/**
 * A row of logits: float32, or float16 as bits, of length vocabSize. -1e30 and below count as masked; every other finite
 * logit is taken, however large.
 * @typedef {Float32Array | Uint16Array} Logits
 */

/**
 * Survivors only, most probable first, ties by lower id.
 * @typedef {object} Distribution
 * @property {Uint32Array} tokens
 * @property {Float64Array} probabilities they sum to 1
 */

/**
 * What one stage did. Threshold and mass are null for stages that cut nothing off.
 * @typedef {object} TraceStage
 * @property {string} name
 * @property {number} before tokens that reached the stage
 * @property {number} after tokens that left it
 * @property {number | null} threshold probability, among those that reached it, below which tokens were removed (typical: and above; XTC: from which on)
 * @property {number | null} mass share of their probability that survived
 */

/**
 * @typedef {object} Trace
 * @property {Float32Array} logits after bias and penalties, by token id
 * @property {Float64Array} probabilities softmax of those logits at the temperature over the whole vocabulary, before any truncation
 * @property {Uint32Array} kept the survivors, most probable first
 * @property {Uint8Array} removedBy index into stages by token id; 255 = kept
 * @property {TraceStage[]} stages in the order they ran
 */

/**
 * State of a sampler at one moment, for its restore.
 * @typedef {object} Snapshot
 * @property {Uint8Array} state
 * @property {number[]} accepted what the grammar had been told
 */

/** @typedef {Snapshot & { options: ResolvedOptions }} OwnSnapshot */

/**
 * What a distribution says about a token and about itself. Surprise and entropy are in bits.
 * @typedef {object} Information
 * @property {number | null} logprob natural logarithm of the token's probability; -Infinity when it was removed, null when no token was asked for
 * @property {number | null} surprise -log2 of that probability
 * @property {number | null} rank 1 is the likeliest, ties by lower id; null when the token was removed
 * @property {number} entropy expected surprise
 * @property {number} choices 2^entropy: how many equally likely tokens would be as uncertain
 * @property {number} survivors tokens of the distribution
 * @property {{ token: number, logprob: number }[]} top the likeliest tokens, most probable first
 */

export {};
