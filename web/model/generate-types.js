// Generated from src/tables/generate.json by wasm/generate.js: edit that, then run `make generate`.

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("../grammar/grammar.js").Grammar} Grammar */
/** @typedef {import("../grammar/compile.js").GrammarOptions} GrammarOptions */

/**
 * @typedef {object} OwnGenerateOptions
 * @property {number} [maxTokens] default: until the context is full. A whole number, 0 or more.
 * @property {string | string[]} [stop] the text ends before the first of these
 * @property {AbortSignal} [signal] ends the text with finishReason "abort"
 * @property {boolean} [captureLogits] every token has its raw row of logits
 * @property {boolean} [echo] the first chunk is the prompt; with several texts the chunk belongs to all of them and has no index
 * @property {Grammar} [grammar] constrains the text; compiled with the model's own vocabulary
 * @property {GrammarOptions["jsonSchema"]} [jsonSchema] the text is JSON that satisfies this schema, without whitespace between its parts: an object, a boolean or JSON text. Only one of jsonSchema, regex, choice, ebnf, lark, toolCalls and grammar may be given. They are compiled at first use, kept with the model, and take no options of spelling: for these use compileGrammar
 * @property {GrammarOptions["regex"]} [regex] this regular expression matches the whole text
 * @property {GrammarOptions["choice"]} [choice] the text is one of these texts
 * @property {GrammarOptions["ebnf"]} [ebnf] the text matches this grammar in GBNF
 * @property {GrammarOptions["lark"]} [lark] the text matches this grammar in Lark
 * @property {GrammarOptions["toolCalls"]} [toolCalls] free text with calls of these tools, whose arguments satisfy their schemas
 * @property {number} [n] number of continuations of the prompt, generated in one batch: their chunks have an index. Continuation i draws from the random stream `stream` + i. With beams: the number of texts that are returned; fewer if the options allow no more. Default: 1. A whole number, 1 to 64.
 * @property {Model | "lookup" | "lookahead" | "mtp"} [draft] speculative decoding: what proposes tokens, of which the model verifies several in one pass: a smaller model of the same vocabulary; "lookup", tokens that followed the same words earlier in the text; "lookahead", the model's own guesses; or "mtp", the file's block for multi-token prediction. The text has the same distribution as without a draft; without a second model, and where it is greedy, it is the same text
 * @property {number | "auto"} [draftTokens] how many tokens are proposed at a time. "auto", the default: as many as save time, none if none do. Then the number that a draft model proposes depends on the clock, and so may the text of a seed. A whole number, 1 to 32.
 * @property {number} [beams] beam search of this width, which returns the likeliest text found. A whole number, 1 to 32.
 * @property {number} [lengthPenalty] a beam's log-probability is divided by its length to this power. Default: 1. From -100 to 100.
 * @property {boolean | "never"} [earlyStopping] when the search ends. true: when there are as many finished texts as beams; false, the default: when no running beam at its present length scores better; "never": when no running beam could ever score better
 * @property {number} [beamGroups] groups of beams that avoid each other's tokens. Default: 1. A whole number, 1 or more.
 * @property {number} [diversityPenalty] subtracted from the score of a token for each time that an earlier group has chosen it at the same step. From 0 to 1000000000.
 * @property {boolean} [captureBeams] every step of the search gives a chunk without text, with the present beams
 * @property {number} [guidance] classifier-free guidance: above 1 the text follows the prompt more than negativePrompt. Default: 1, none. From 0 to 1000.
 * @property {string | ArrayLike<number>} [negativePrompt] the prompt that guidance leads away from. Default: the BOS token or, if the model has none, the last token of the prompt
 * @property {{ model: Model, weight?: number, plausibility?: number }} [contrast] contrastive decoding: subtracts weight (default 1) times the log-probabilities of a weaker model, for tokens at least plausibility (default .1) times as likely as the likeliest. If the other options mask all of these tokens, the model's own probabilities count
 * @property {"low" | "high" | readonly number[]} [dola] DoLa: subtracts the log-probabilities of an early layer, as contrast does: of the lower or upper half of the layers, or of the given layers, the layer with the largest divergence from the last
 * @property {number} [penaltyAlpha] contrastive search: chooses, of the topK likeliest tokens, the best by (1 - alpha) times its probability less alpha times its similarity to the text so far. 0 switches it off. From 0 to 1.
 * @property {boolean} [heal] token healing: removes the prompt's last token if longer tokens begin with it, and makes the new tokens begin with its bytes. The text is still what follows the prompt
 */

/**
 * Other systems' spellings of the options.
 * @typedef {object} OwnGenerateAliases
 * @property {number} [max_tokens] maxTokens
 * @property {number} [max_new_tokens] maxTokens
 * @property {number} [max_completion_tokens] maxTokens
 * @property {OwnGenerateOptions["stop"]} [stop_strings] stop
 * @property {boolean} [capture_logits] captureLogits
 * @property {OwnGenerateOptions["jsonSchema"]} [json_schema] jsonSchema
 * @property {OwnGenerateOptions["jsonSchema"]} [guided_json] jsonSchema
 * @property {OwnGenerateOptions["regex"]} [guided_regex] regex
 * @property {OwnGenerateOptions["choice"]} [guided_choice] choice
 * @property {OwnGenerateOptions["ebnf"]} [guided_grammar] ebnf
 * @property {OwnGenerateOptions["toolCalls"]} [tool_calls] toolCalls
 * @property {number} [num_return_sequences] n
 * @property {OwnGenerateOptions["draft"]} [assistant_model] draft
 * @property {OwnGenerateOptions["draftTokens"]} [num_assistant_tokens] draftTokens
 * @property {OwnGenerateOptions["draftTokens"]} [num_speculative_tokens] draftTokens
 * @property {number} [num_beams] beams
 * @property {number} [length_penalty] lengthPenalty
 * @property {OwnGenerateOptions["earlyStopping"]} [early_stopping] earlyStopping
 * @property {number} [num_beam_groups] beamGroups
 * @property {number} [diversity_penalty] diversityPenalty
 * @property {boolean} [capture_beams] captureBeams
 * @property {number} [guidance_scale] guidance
 * @property {OwnGenerateOptions["negativePrompt"]} [negative_prompt] negativePrompt
 * @property {OwnGenerateOptions["dola"]} [dola_layers] dola
 * @property {number} [penalty_alpha] penaltyAlpha
 * @property {boolean} [token_healing] heal
 */

export {};
