// The types of a sampler's arguments and results.

/** @typedef {import("./options.js").ResolvedOptions} ResolvedOptions */
/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */

/**
 * A row of logits: float32, or float16 as bits, of length vocabSize. -1e30 and below count as masked; every other finite
 * logit is valid, however large.
 * @typedef {Float32Array | Uint16Array} Logits
 */

/**
 * Survivors only, most probable first, ties by lower id.
 * @typedef {object} Distribution
 * @property {Uint32Array} tokens
 * @property {Float64Array} probabilities they sum to 1
 */

/**
 * The effect of one stage. Threshold and mass are null for stages that removed no token by probability.
 * @typedef {object} TraceStage
 * @property {string} name
 * @property {number} before tokens that reached the stage
 * @property {number} after tokens that left it
 * @property {number | null} threshold probability, in the distribution that reached the stage, below which tokens were removed (typical: also above; XTC: from the threshold on)
 * @property {number | null} mass share of the probability that survived the stage
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
 * State of a sampler, for `restore`.
 * @typedef {object} Snapshot
 * @property {Uint8Array} state
 * @property {number[]} accepted tokens that the grammar had accepted
 */

/** @typedef {Snapshot & { options: ResolvedOptions }} OwnSnapshot */

/**
 * A distribution and one of its tokens. Surprise and entropy are in bits.
 * @typedef {object} Information
 * @property {number | null} logprob natural logarithm of the token's probability; -Infinity if the token was removed, null if no token was given
 * @property {number | null} surprise -log2 of that probability
 * @property {number | null} rank 1 is the likeliest, ties by lower id; null when the token was removed
 * @property {number} entropy expected surprise
 * @property {number} choices 2^entropy: the number of equally likely tokens with the same entropy
 * @property {number} survivors tokens of the distribution
 * @property {{ token: number, logprob: number }[]} top the likeliest tokens, most probable first
 */

/**
 * @typedef {object} Sampling
 * @property {Pick<SamplerOptions, "temperature" | "topK" | "topP" | "minP" | "xtcProbability" | "xtcThreshold" | "mirostat" | "mirostatTau" | "mirostatEta" | "penaltyWindow" | "repetitionPenalty" | "order">} options
 *   defaults for model.chat
 * @property {{ name: string, value: number | string | null, reason: string }[]} dropped keys that cannot be followed;
 *   value is null if its type is wrong
 */

export {};
