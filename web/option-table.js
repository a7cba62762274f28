// Generated from src/tables/options.json and stages.json by wasm/generate.js: edit that, then run `make generate`.

/**
 * @typedef {object} SamplerOptions
 * @property {number} vocabSize Length of a row of logits. Required; any other length throws. Default: required.
 * @property {number} [tokenCount] Number of real tokens; the padding beyond it can never be chosen. Default: vocabSize.
 * @property {number} [temperature] Divides the logits: below 1 sharpens, above 1 flattens, 0 is greedy. Default: 1.
 * @property {number} [topK] Keeps the k most likely tokens. 0 switches it off. Default: 0.
 * @property {number} [topP] Keeps the smallest set of tokens whose probabilities sum to p. 1 switches it off. Default: 1.
 * @property {number} [minP] Keeps tokens at least this fraction as likely as the likeliest. 0 switches it off. Default: 0.
 * @property {number} [repetitionPenalty] Divides the positive and multiplies the negative logits of tokens already in scope. 1 switches it off. Default: 1.
 * @property {number} [frequencyPenalty] Subtracted from a token's logit once per occurrence in scope. 0 switches it off. Default: 0.
 * @property {number} [presencePenalty] Subtracted from a token's logit once when it occurs in scope. 0 switches it off. Default: 0.
 * @property {number | "preset"} [penaltyWindow] How many of the last tokens the penalties look at; 0 is all of them. Default: by order.
 * @property {"context" | "generated" | "preset"} [repetitionScope] What repetitionPenalty counts: prompt and output, or output only. Default: by order.
 * @property {"context" | "generated" | "preset"} [countScope] What frequencyPenalty and presencePenalty count: prompt and output, or output only. Default: by order.
 * @property {Record<number, number> | Map<number, number> | [number, number][]} [logitBias] Added to logits by token id: an object, a Map or [id, bias] pairs. -Infinity bans; +Infinity is refused. Default: none.
 * @property {number[] | Uint32Array | Int32Array} [bannedTokens] Token ids that can never be chosen. Default: none.
 * @property {number[] | Uint32Array | Int32Array} [allowedTokens] The only token ids that can be chosen. Default: all.
 * @property {number} [seed] Start of the random stream: the same seed and logits give the same tokens everywhere. Default: drawn from crypto.
 * @property {("bias" | "repetition" | "frequency" | "temperature" | "top_k" | "top_p" | "min_p")[] | "default" | "llamacpp" | "hf" | "vllm" | "webllm"} [order] Order of the stages: a list of their names, or the rules of a system: llamacpp, hf, vllm, webllm. Default: default.
 */

/**
 * Other systems' spellings of the options.
 * @typedef {object} SamplerAliases
 * @property {SamplerOptions["vocabSize"]} [vocab_size] vocabSize
 * @property {SamplerOptions["tokenCount"]} [token_count] tokenCount
 * @property {SamplerOptions["topK"]} [top_k] topK
 * @property {SamplerOptions["topP"]} [top_p] topP
 * @property {SamplerOptions["minP"]} [min_p] minP
 * @property {SamplerOptions["repetitionPenalty"]} [repetition_penalty] repetitionPenalty
 * @property {SamplerOptions["repetitionPenalty"]} [repeat_penalty] repetitionPenalty
 * @property {SamplerOptions["frequencyPenalty"]} [frequency_penalty] frequencyPenalty
 * @property {SamplerOptions["presencePenalty"]} [presence_penalty] presencePenalty
 * @property {SamplerOptions["penaltyWindow"]} [penalty_window] penaltyWindow
 * @property {SamplerOptions["penaltyWindow"]} [repeat_last_n] penaltyWindow
 * @property {SamplerOptions["repetitionScope"]} [repetition_scope] repetitionScope
 * @property {SamplerOptions["countScope"]} [count_scope] countScope
 * @property {SamplerOptions["logitBias"]} [logit_bias] logitBias
 * @property {SamplerOptions["bannedTokens"]} [banned_tokens] bannedTokens
 * @property {SamplerOptions["bannedTokens"]} [suppress_tokens] bannedTokens
 * @property {SamplerOptions["allowedTokens"]} [allowed_tokens] allowedTokens
 * @property {SamplerOptions["allowedTokens"]} [allowed_token_ids] allowedTokens
 */

/**
 * @typedef {object} OptionRow
 * @property {string} name
 * @property {"integer" | "number" | "choice" | "bias" | "tokens" | "order"} type
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [choices]
 * @property {number} [off] the value that switches the mechanism off
 * @property {string[]} [stages] one of them must run for the option to mean something
 * @property {boolean} [preset] the value "preset" leaves it to the order's preset
 * @property {string[]} [aliases] other systems' names, besides the snake_case spelling
 * @property {number | string} [default]
 * @property {number} [slot] index among the numbers that the C sampler reads
 */

/** @type {OptionRow[]} */
export const optionTable = [
  {"name":"vocabSize","type":"integer","min":1,"max":1048576},
  {"name":"tokenCount","type":"integer","min":1,"max":1048576,"stages":["mask"],"slot":0},
  {"name":"temperature","type":"number","min":0,"max":1000000,"stages":["temperature"],"default":1,"slot":1},
  {"name":"topK","type":"integer","min":0,"max":4294967295,"off":0,"stages":["top_k"],"default":0,"slot":2},
  {"name":"topP","type":"number","min":0,"max":1,"off":1,"stages":["top_p"],"default":1,"slot":3},
  {"name":"minP","type":"number","min":0,"max":1,"off":0,"stages":["min_p"],"default":0,"slot":4},
  {"name":"repetitionPenalty","type":"number","min":0.001,"max":1000,"off":1,"stages":["repetition"],"aliases":["repeat_penalty"],"default":1,"slot":5},
  {"name":"frequencyPenalty","type":"number","min":-1000,"max":1000,"off":0,"stages":["frequency"],"default":0,"slot":6},
  {"name":"presencePenalty","type":"number","min":-1000,"max":1000,"off":0,"stages":["frequency"],"default":0,"slot":7},
  {"name":"penaltyWindow","type":"integer","min":0,"max":4294967295,"stages":["repetition","frequency"],"preset":true,"aliases":["repeat_last_n"],"slot":8},
  {"name":"repetitionScope","type":"choice","choices":["context","generated"],"stages":["repetition"],"preset":true,"slot":9},
  {"name":"countScope","type":"choice","choices":["context","generated"],"stages":["frequency"],"preset":true,"slot":10},
  {"name":"logitBias","type":"bias","stages":["bias"]},
  {"name":"bannedTokens","type":"tokens","stages":["bias"],"aliases":["suppress_tokens"]},
  {"name":"allowedTokens","type":"tokens","stages":["mask"],"aliases":["allowed_token_ids"]},
  {"name":"seed","type":"integer","min":0,"max":9007199254740991,"slot":11},
  {"name":"order","type":"order","default":"default"},
];

/** Stage names by their number in C. "mask" always runs first and is not named in an order. */
export const stageNames = ["mask","bias","repetition","frequency","temperature","top_k","top_p","min_p"];

/** Those that edit logits and come before all others. */
export const editStages = ["bias","repetition","frequency"];

/**
 * @typedef {object} OrderPreset
 * @property {string[]} order
 * @property {boolean} keepTies top-k keeps every token that ties with the k-th
 * @property {string} repetitionScope
 * @property {string} countScope
 * @property {number} penaltyWindow
 */

/** @type {Record<string, OrderPreset>} */
export const orderPresets = {
  default: {"order":["bias","repetition","frequency","temperature","top_k","top_p","min_p"],"keepTies":false,"repetitionScope":"context","countScope":"generated","penaltyWindow":0},
  llamacpp: {"order":["bias","repetition","frequency","top_k","top_p","min_p","temperature"],"keepTies":false,"repetitionScope":"context","countScope":"context","penaltyWindow":64},
  hf: {"order":["bias","repetition","frequency","temperature","top_k","top_p","min_p"],"keepTies":true,"repetitionScope":"context","countScope":"generated","penaltyWindow":0},
  vllm: {"order":["bias","repetition","frequency","temperature","min_p","top_k","top_p"],"keepTies":true,"repetitionScope":"context","countScope":"generated","penaltyWindow":0},
  webllm: {"order":["bias","frequency","repetition","temperature","top_p"],"keepTies":false,"repetitionScope":"generated","countScope":"generated","penaltyWindow":0},
};
