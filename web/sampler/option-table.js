// Generated from src/tables/options.json and stages.json by wasm/generate.js: edit that, then run `make generate`.

/**
 * @typedef {object} SamplerOptions
 * @property {number} vocabSize Length of a row of logits. Required; any other length throws. A whole number, 1 to 1048576. Default: required.
 * @property {number} [tokenCount] Number of real tokens; the padding beyond it can never be chosen. A whole number, 1 to 1048576. Default: vocabSize.
 * @property {number} [temperature] Divides the logits: below 1 sharpens, above 1 flattens, 0 is greedy. From 0 to 1000000. Default: 1.
 * @property {number} [dynatempRange] Lets the temperature move this far up and down with the entropy. 0 switches it off. From 0 to 1000000. Default: 0.
 * @property {number} [dynatempExponent] Exponent of the entropy, as a share of its maximum, when it sets the temperature within dynatempRange. From 0 to 100. Default: 1.
 * @property {number} [topK] Keeps the k most likely tokens. 0 switches it off. A whole number, 0 or more. Default: 0.
 * @property {number} [topP] Keeps the smallest set of tokens whose probabilities sum to p. 1 switches it off. From 0 to 1. Default: 1.
 * @property {number} [minP] Keeps tokens at least this fraction as likely as the likeliest. 0 switches it off. From 0 to 1. Default: 0.
 * @property {number} [typicalP] Keeps the tokens whose surprise is nearest the entropy, until their probabilities sum to p. 1 switches it off. From 0 to 1. Default: 1.
 * @property {number} [epsilonCutoff] Keeps tokens of at least this probability. 0 switches it off. From 0 to 1. Default: 0.
 * @property {number} [etaCutoff] As epsilonCutoff, but with a lower bound where the distribution is flat. 0 switches it off. From 0 to 1. Default: 0.
 * @property {number} [topNSigma] Keeps tokens whose logit is within n standard deviations of the largest. 0 switches it off. From 0 to 1000. Default: 0.
 * @property {number} [topH] Keeps the likeliest tokens while they hold no more than this fraction of the entropy. 0 switches it off. From 0 to 1. Default: 0.
 * @property {number} [tfsZ] Tail-free sampling: sorts the probabilities, and cuts where the bends of their curve reach the share z of all bends. 1 switches it off. From 0 to 1. Default: 1.
 * @property {number} [xtcProbability] Probability, per step, of excluding the top choices: all tokens that reach xtcThreshold, except the least likely of these. 0 switches it off. From 0 to 1. Default: 0.
 * @property {number} [xtcThreshold] Probability that makes a token a top choice. Above 0.5 no token is excluded. From 0 to 1. Default: 0.1.
 * @property {number} [mirostat] Holds the surprise of the text at mirostatTau: version 1 or 2. 0 switches it off. A whole number, 0 to 2. Default: 0.
 * @property {number} [mirostatTau] The surprise that mirostat aims at, in bits. From 0 to 100. Default: 5.
 * @property {number} [mirostatEta] How fast mirostat corrects itself. From 0 to 1. Default: 0.1.
 * @property {number} [adaptiveTarget] Adaptive-p: favours tokens near this probability, so that this is the average probability of the chosen tokens. Negative switches it off. From -1 to 1. Default: -1.
 * @property {number} [adaptiveDecay] How slowly adaptive-p forgets the probabilities of the chosen tokens. From 0 to 0.99. Default: 0.9.
 * @property {number} [minKeep] Every truncation leaves at least this many tokens, except top-n-sigma and (in all orders but hf) top-k. A whole number, 1 to 1048576. Default: 1.
 * @property {number} [repetitionPenalty] Divides the positive and multiplies the negative logits of tokens already in scope. 1 switches it off. From 0.001 to 1000. Default: 1.
 * @property {number} [frequencyPenalty] Subtracted from a token's logit once per occurrence in scope. 0 switches it off. From -1000 to 1000. Default: 0.
 * @property {number} [presencePenalty] Subtracted from a token's logit once when it occurs in scope. 0 switches it off. From -1000 to 1000. Default: 0.
 * @property {number | "preset"} [penaltyWindow] How many of the last tokens the penalties count; 0 is all tokens. A whole number, 0 or more. Default: by order.
 * @property {"context" | "generated" | "preset"} [repetitionScope] What repetitionPenalty counts: prompt and output, or output only. Default: by order.
 * @property {"context" | "generated" | "preset"} [countScope] What frequencyPenalty and presencePenalty count: prompt and output, or output only. Default: by order.
 * @property {number} [dryMultiplier] DRY: subtracts multiplier * base^(length - allowedLength) from a token that would extend a repetition of that length. 0 switches it off. From 0 to 1000. Default: 0.
 * @property {number} [dryBase] How fast DRY's penalty grows with the length of the repetition. From 1 to 1000. Default: 1.75.
 * @property {number} [dryAllowedLength] DRY penalises repetitions of at least this many tokens. A whole number, 1 or more. Default: 2.
 * @property {readonly (number | readonly number[])[]} [dryBreakers] Token ids, or lists of ids, that end a repetition for DRY. Default: none.
 * @property {number} [noRepeatNgram] Bans every token that would complete an n-gram for a second time. 0 switches it off. A whole number, 0 or more. Default: 0.
 * @property {Record<number, number> | Map<number, number> | readonly (readonly [number, number])[]} [logitBias] Added to logits by token id: an object, a Map or [id, bias] pairs. -Infinity bans; +Infinity is refused. Default: none.
 * @property {number | readonly number[] | Uint32Array | Int32Array} [bannedTokens] Token ids that can never be chosen. Default: none.
 * @property {readonly (readonly [number | readonly number[], number])[]} [sequenceBias] [ids, bias] pairs: adds the bias to the last id's logit when the text ends with the ids before it. Default: none.
 * @property {readonly (number | readonly number[])[]} [badWords] Lists of token ids that can never follow each other. Default: none.
 * @property {number | readonly number[] | Uint32Array | Int32Array} [allowedTokens] The only token ids that can be chosen. Default: all.
 * @property {number | readonly number[] | Uint32Array | Int32Array} [eos] The token ids that end a text, for generate, minTokens and lengthDecay. Default: none.
 * @property {number} [minTokens] Bans eos until this many tokens are generated. 0 switches it off. A whole number, 0 or more. Default: 0.
 * @property {number} [lengthDecay] Adds the logit's size times (lengthDecay^n - 1) to eos, n tokens after lengthDecayStart. 1 switches it off. From 0.001 to 1000. Default: 1.
 * @property {number} [lengthDecayStart] Number of generated tokens after which lengthDecay begins. A whole number, 0 or more. Default: 0.
 * @property {number | readonly number[] | Uint32Array | Int32Array} [forcedFirst] The first tokens of the output, whatever their logits. Default: none.
 * @property {number | readonly number[] | Uint32Array | Int32Array} [forcedLast] The last tokens of an output of maxTokens, whatever their logits. Default: none.
 * @property {number} [maxTokens] Length of the output in tokens, for forcedLast. A whole number, 0 or more. Default: 0.
 * @property {import("./grammar-mask.js").MatcherLike} [grammar] A matcher that says which tokens may come next: an object with bitmask, accept and rollback. Default: none.
 * @property {"multinomial" | "gumbel"} [draw] How a token is drawn: with one random number, or with one for each survivor (Gumbel-max). The distribution is the same. Default: multinomial.
 * @property {number} [seed] Start of the random stream: the same seed and logits give the same tokens everywhere. A whole number, 0 to 2^53 - 1. Default: drawn from crypto.
 * @property {number} [stream] Which of the seed's independent random streams to draw from. A whole number, 0 or more. Default: 0.
 * @property {readonly ("bias" | "sequence_bias" | "repetition" | "frequency" | "dry" | "no_repeat_ngram" | "length_decay" | "min_tokens" | "temperature" | "top_k" | "top_p" | "min_p" | "typical" | "epsilon" | "eta" | "top_n_sigma" | "top_h" | "tfs" | "xtc" | "mirostat" | "adaptive_p")[] | "default" | "llamacpp" | "hf" | "vllm" | "webllm"} [order] Order of the stages: a list of their names, or the rules of a system: llamacpp, hf, vllm, webllm. Default: default.
 */

/**
 * Other systems' spellings of the options.
 * @typedef {object} SamplerAliases
 * @property {SamplerOptions["vocabSize"]} [vocab_size] vocabSize
 * @property {SamplerOptions["tokenCount"]} [token_count] tokenCount
 * @property {SamplerOptions["dynatempRange"]} [dynatemp_range] dynatempRange
 * @property {SamplerOptions["dynatempExponent"]} [dynatemp_exponent] dynatempExponent
 * @property {SamplerOptions["topK"]} [top_k] topK
 * @property {SamplerOptions["topP"]} [top_p] topP
 * @property {SamplerOptions["minP"]} [min_p] minP
 * @property {SamplerOptions["typicalP"]} [typical_p] typicalP
 * @property {SamplerOptions["typicalP"]} [typ_p] typicalP
 * @property {SamplerOptions["epsilonCutoff"]} [epsilon_cutoff] epsilonCutoff
 * @property {SamplerOptions["etaCutoff"]} [eta_cutoff] etaCutoff
 * @property {SamplerOptions["topNSigma"]} [top_n_sigma] topNSigma
 * @property {SamplerOptions["topH"]} [top_h] topH
 * @property {SamplerOptions["tfsZ"]} [tfs_z] tfsZ
 * @property {SamplerOptions["xtcProbability"]} [xtc_probability] xtcProbability
 * @property {SamplerOptions["xtcThreshold"]} [xtc_threshold] xtcThreshold
 * @property {SamplerOptions["mirostatTau"]} [mirostat_tau] mirostatTau
 * @property {SamplerOptions["mirostatEta"]} [mirostat_eta] mirostatEta
 * @property {SamplerOptions["adaptiveTarget"]} [adaptive_target] adaptiveTarget
 * @property {SamplerOptions["adaptiveDecay"]} [adaptive_decay] adaptiveDecay
 * @property {SamplerOptions["minKeep"]} [min_keep] minKeep
 * @property {SamplerOptions["minKeep"]} [min_tokens_to_keep] minKeep
 * @property {SamplerOptions["repetitionPenalty"]} [repetition_penalty] repetitionPenalty
 * @property {SamplerOptions["repetitionPenalty"]} [repeat_penalty] repetitionPenalty
 * @property {SamplerOptions["frequencyPenalty"]} [frequency_penalty] frequencyPenalty
 * @property {SamplerOptions["presencePenalty"]} [presence_penalty] presencePenalty
 * @property {SamplerOptions["penaltyWindow"]} [penalty_window] penaltyWindow
 * @property {SamplerOptions["repetitionScope"]} [repetition_scope] repetitionScope
 * @property {SamplerOptions["countScope"]} [count_scope] countScope
 * @property {SamplerOptions["dryMultiplier"]} [dry_multiplier] dryMultiplier
 * @property {SamplerOptions["dryBase"]} [dry_base] dryBase
 * @property {SamplerOptions["dryAllowedLength"]} [dry_allowed_length] dryAllowedLength
 * @property {SamplerOptions["dryBreakers"]} [dry_breakers] dryBreakers
 * @property {SamplerOptions["noRepeatNgram"]} [no_repeat_ngram] noRepeatNgram
 * @property {SamplerOptions["noRepeatNgram"]} [no_repeat_ngram_size] noRepeatNgram
 * @property {SamplerOptions["logitBias"]} [logit_bias] logitBias
 * @property {SamplerOptions["bannedTokens"]} [banned_tokens] bannedTokens
 * @property {SamplerOptions["bannedTokens"]} [suppress_tokens] bannedTokens
 * @property {SamplerOptions["sequenceBias"]} [sequence_bias] sequenceBias
 * @property {SamplerOptions["badWords"]} [bad_words] badWords
 * @property {SamplerOptions["badWords"]} [bad_words_ids] badWords
 * @property {SamplerOptions["allowedTokens"]} [allowed_tokens] allowedTokens
 * @property {SamplerOptions["allowedTokens"]} [allowed_token_ids] allowedTokens
 * @property {SamplerOptions["eos"]} [eos_token_id] eos
 * @property {SamplerOptions["minTokens"]} [min_tokens] minTokens
 * @property {SamplerOptions["minTokens"]} [min_new_tokens] minTokens
 * @property {SamplerOptions["lengthDecay"]} [length_decay] lengthDecay
 * @property {SamplerOptions["lengthDecayStart"]} [length_decay_start] lengthDecayStart
 * @property {SamplerOptions["forcedFirst"]} [forced_first] forcedFirst
 * @property {SamplerOptions["forcedFirst"]} [forced_bos_token_id] forcedFirst
 * @property {SamplerOptions["forcedLast"]} [forced_last] forcedLast
 * @property {SamplerOptions["forcedLast"]} [forced_eos_token_id] forcedLast
 * @property {SamplerOptions["maxTokens"]} [max_tokens] maxTokens
 * @property {SamplerOptions["maxTokens"]} [max_tokens] maxTokens
 * @property {SamplerOptions["maxTokens"]} [max_new_tokens] maxTokens
 */

/**
 * @typedef {object} OptionRow
 * @property {string} name
 * @property {"integer" | "choice" | "bias" | "tokens" | "sequences" | "weighted" | "grammar" | "order"} [type] none: a number
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [stages] one of them must run for the option to mean something
 * @property {number | string} [default] "preset": what the order's preset says
 * @property {1} [isSwitch] the default switches the mechanism off
 * @property {string[]} [aliases] other systems' names, besides the snake_case spelling
 * @property {string} [list] which of the C sampler's lists it goes to
 * @property {string} [needs] an option without which this one does nothing
 * @property {string[]} [choices]
 */

/** @type {(keyof OptionRow)[]} */
const columns = ["name","type","stages","min","max","default","isSwitch","aliases","list","needs","choices"];

/** @type {OptionRow[]} The numbers among them, but for vocabSize, are in the order in which the C sampler reads them. */
export const optionTable = [
  ["vocabSize","integer",,1,1048576],
  ["tokenCount","integer",["mask"],1,1048576],
  ["temperature",,["temperature"],0,1000000,1,1],
  ["dynatempRange",,["temperature"],0,1000000,0,1],
  ["dynatempExponent",,["temperature"],0,100,1],
  ["topK","integer",["top_k"],0,4294967295,0,1],
  ["topP",,["top_p"],0,1,1,1],
  ["minP",,["min_p"],0,1,0,1],
  ["typicalP",,["typical"],0,1,1,1,["typ_p"]],
  ["epsilonCutoff",,["epsilon"],0,1,0,1],
  ["etaCutoff",,["eta"],0,1,0,1],
  ["topNSigma",,["top_n_sigma"],0,1000,0,1],
  ["topH",,["top_h"],0,1,0,1],
  ["tfsZ",,["tfs"],0,1,1,1],
  ["xtcProbability",,["xtc"],0,1,0,1],
  ["xtcThreshold",,["xtc"],0,1,0.1],
  ["mirostat","integer",["mirostat"],0,2,0,1],
  ["mirostatTau",,["mirostat"],0,100,5],
  ["mirostatEta",,["mirostat"],0,1,0.1],
  ["adaptiveTarget",,["adaptive_p"],-1,1,-1,1],
  ["adaptiveDecay",,["adaptive_p"],0,0.99,0.9],
  ["minKeep","integer",,1,1048576,1,,["min_tokens_to_keep"]],
  ["repetitionPenalty",,["repetition"],0.001,1000,1,1,["repeat_penalty"]],
  ["frequencyPenalty",,["frequency"],-1000,1000,0,1],
  ["presencePenalty",,["frequency"],-1000,1000,0,1],
  ["penaltyWindow","integer",["repetition","frequency","dry"],0,4294967295,"preset"],
  ["repetitionScope","choice",["repetition"],,,"preset",,,,,["context","generated"]],
  ["countScope","choice",["frequency"],,,"preset",,,,,["context","generated"]],
  ["dryMultiplier",,["dry"],0,1000,0,1],
  ["dryBase",,["dry"],1,1000,1.75],
  ["dryAllowedLength","integer",["dry"],1,4294967295,2],
  ["dryBreakers","sequences",["dry"],,,,,,"breakers"],
  ["noRepeatNgram","integer",["no_repeat_ngram"],0,4294967295,0,1,["no_repeat_ngram_size"]],
  ["logitBias","bias",["bias"],,,,,,"bias"],
  ["bannedTokens","tokens",["bias"],,,,,["suppress_tokens"],"banned"],
  ["sequenceBias","weighted",["sequence_bias"],,,,,,"sequences"],
  ["badWords","sequences",["sequence_bias"],,,,,["bad_words_ids"],"sequences"],
  ["allowedTokens","tokens",["mask"],,,,,["allowed_token_ids"],"allowed"],
  ["eos","tokens",,,,,,["eos_token_id"],"eos"],
  ["minTokens","integer",["min_tokens"],0,4294967295,0,1,["min_new_tokens"],,"eos"],
  ["lengthDecay",,["length_decay"],0.001,1000,1,1,,,"eos"],
  ["lengthDecayStart","integer",["length_decay"],0,4294967295,0],
  ["forcedFirst","tokens",["mask"],,,,,["forced_bos_token_id"],"first"],
  ["forcedLast","tokens",["mask"],,,,,["forced_eos_token_id"],"last","maxTokens"],
  ["maxTokens","integer",["mask"],0,4294967295,0,1,["max_tokens","max_new_tokens"],,"forcedLast"],
  ["grammar","grammar",["mask"]],
  ["draw","choice",,,,"multinomial",,,,,["multinomial","gumbel"]],
  ["seed","integer",,0,9007199254740991],
  ["stream","integer",,0,4294967295,0],
  ["order","order",,,,"default"],
].map((/** @type {any[]} */ cells) => /** @type {any} */ (Object.fromEntries(columns.map((column, i) => [column, cells[i]]))));

/** Stage names by their number in C. "mask" always runs first and is not named in an order. */
export const stageNames = ["mask","bias","sequence_bias","repetition","frequency","dry","no_repeat_ngram","length_decay","min_tokens","temperature","top_k","top_p","min_p","typical","epsilon","eta","top_n_sigma","top_h","tfs","xtc","mirostat","adaptive_p"];

/** The C sampler's lists in its order. */
export const listNames = ["breakers","bias","banned","sequences","allowed","eos","first","last"];

/** Those that edit logits and come before all others. */
export const editStages = ["bias","sequence_bias","repetition","frequency","dry","no_repeat_ngram","length_decay","min_tokens"];

/** Those that learn from the draw and come after all others. */
export const feedbackStages = ["mirostat","adaptive_p"];

/**
 * @typedef {object} OrderPreset
 * @property {string[]} order
 * @property {number} rules what the system does otherwise: a sum of li_rule
 * @property {string} repetitionScope
 * @property {string} countScope
 * @property {number} penaltyWindow
 * @property {number} [greedyBelow] a lower temperature is 0
 */

/** @type {Record<string, OrderPreset>} */
export const orderPresets = {
  default: {"order":["bias","sequence_bias","repetition","frequency","dry","no_repeat_ngram","length_decay","min_tokens","temperature","top_k","top_p","min_p","typical","epsilon","eta","top_n_sigma","top_h","tfs","xtc","mirostat","adaptive_p"],"rules":0,"repetitionScope":"context","countScope":"generated","penaltyWindow":0},
  llamacpp: {"order":["bias","repetition","frequency","dry","top_n_sigma","top_k","typical","top_p","min_p","xtc","temperature","mirostat","adaptive_p"],"rules":2,"repetitionScope":"context","countScope":"context","penaltyWindow":64},
  hf: {"order":["bias","sequence_bias","repetition","frequency","no_repeat_ngram","min_tokens","length_decay","temperature","top_h","top_k","top_p","min_p","typical","epsilon","eta"],"rules":9,"repetitionScope":"context","countScope":"generated","penaltyWindow":0},
  vllm: {"order":["sequence_bias","min_tokens","bias","repetition","frequency","temperature","min_p","top_k","top_p"],"rules":5,"repetitionScope":"context","countScope":"generated","penaltyWindow":0,"greedyBelow":0.00001},
  webllm: {"order":["bias","frequency","repetition","temperature","top_p"],"rules":0,"repetitionScope":"generated","countScope":"generated","penaltyWindow":0},
};
