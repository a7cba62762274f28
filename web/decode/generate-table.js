// Generated from src/tables/generate.json by wasm/generate.js: edit that, then run `make generate`.

/** @typedef {import("../model/model.js").Model} Model */
/** @typedef {import("../grammar/grammar.js").Grammar} Grammar */
/** @typedef {import("../grammar/compile.js").GrammarOptions} GrammarOptions */

/**
 * @typedef {object} OwnGenerateOptions
 * @property {number} [maxTokens] default: until the context is full. A whole number, 0 or more.
 * @property {string | string[]} [stop] the text ends before the first of these
 * @property {AbortSignal} [signal] ends the text with finishReason "abort"
 * @property {boolean} [captureLogits] gives every token its raw row of logits
 * @property {boolean} [echo] the first chunk is the prompt; with several texts the chunk belongs to all of them and has no index
 * @property {Grammar} [grammar] constrains the text; compiled with the model's own vocabulary
 * @property {GrammarOptions["jsonSchema"]} [jsonSchema] the text is JSON that satisfies this schema, without whitespace between its parts: an object, a boolean or JSON text. Only one of jsonSchema, regex, choice, ebnf, lark, toolCalls and grammar may be given. They are compiled at first use and kept with the model. For options of JSON's spelling use compileGrammar
 * @property {GrammarOptions["regex"]} [regex] this regular expression matches the whole text
 * @property {GrammarOptions["choice"]} [choice] the text is one of these texts
 * @property {GrammarOptions["ebnf"]} [ebnf] the text matches this grammar in GBNF
 * @property {GrammarOptions["lark"]} [lark] the text matches this grammar in Lark
 * @property {GrammarOptions["toolCalls"]} [toolCalls] free text with calls of these tools, whose arguments satisfy their schemas
 * @property {number} [n] number of continuations of the prompt, generated in one batch; their chunks have an index. Continuation i draws from the random stream `stream` + i. With beams: the number of texts to return, or fewer if the options allow no more. Default: 1. A whole number, 1 to 64.
 * @property {Model | "lookup" | "lookahead" | "mtp"} [draft] speculative decoding: proposes tokens, and the model verifies several in one pass. The proposals come from a smaller model of the same vocabulary; "lookup": tokens that followed the same words earlier in the text; "lookahead": the model's own guesses; or "mtp": the file's block for multi-token prediction. The text has the same distribution as without a draft; greedy text, and any text without a second model, is the same
 * @property {number | "auto"} [draftTokens] how many tokens are proposed at a time. "auto", the default: as many as save time, or none. With a draft model this number depends on the clock, and so may the text for a seed. A whole number, 1 to 32.
 * @property {number} [beams] beam search of this width, which returns the likeliest text found. A whole number, 1 to 32.
 * @property {number} [lengthPenalty] a beam's log-probability is divided by its length to this power. Default: 1. From -100 to 100.
 * @property {boolean | "never"} [earlyStopping] when the search ends. true: when it has as many finished texts as beams; false, the default: when no running beam at its current length scores better; "never": when no running beam can ever score better
 * @property {number} [beamGroups] groups of beams that avoid each other's tokens. Default: 1. A whole number, 1 or more.
 * @property {number} [diversityPenalty] subtracted from a token's score each time that an earlier group has chosen it at the same step. From 0 to 1000000000.
 * @property {boolean} [captureBeams] every step of the search gives a chunk without text, with the current beams
 * @property {number} [guidance] classifier-free guidance: above 1 the text follows the prompt more than negativePrompt. Default: 1, none. From 0 to 1000.
 * @property {string | ArrayLike<number>} [negativePrompt] the prompt that guidance leads away from. Default: the BOS token or, if the model has none, the prompt's last token
 * @property {{ model: Model, weight?: number, plausibility?: number }} [contrast] contrastive decoding: subtracts weight (default 1) times the log-probabilities of a weaker model, for tokens at least plausibility (default .1) times as likely as the likeliest. If the other options mask all of these tokens, the model's own probabilities count
 * @property {"low" | "high" | readonly number[]} [dola] DoLa: subtracts the log-probabilities of an early layer, like contrast. Takes the layer that diverges most from the last, from the lower or upper half of the layers, or from the given ones
 * @property {number} [penaltyAlpha] contrastive search: chooses, of the topK likeliest tokens, the best by (1 - alpha) times its probability less alpha times its similarity to the text so far. 0 switches it off. From 0 to 1.
 * @property {boolean} [heal] token healing: removes the prompt's last token if longer tokens begin with it, and makes the new tokens begin with its bytes. The text still begins after the prompt
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

/**
 * @typedef {object} GenerateRow
 * @property {string} name
 * @property {"integer" | "number" | "boolean"} [type] none: it has a reader of its own
 * @property {number} [min]
 * @property {number} [max] none: another option says it
 * @property {string} [needs] an option without which this one means nothing
 * @property {string[]} [aliases] other systems' spellings
 */

/** @type {(keyof GenerateRow)[]} */
const columns = ["name","type","min","max","needs","aliases"];

/** @type {GenerateRow[]} The options of model.generate that are not the sampler's. */
export const generateTable = [
  ["maxTokens","integer",0,4294967295,,["max_tokens","max_new_tokens","max_completion_tokens"]],
  ["stop",,,,,["stop_strings"]],
  ["signal"],
  ["captureLogits","boolean",,,,["capture_logits"]],
  ["echo","boolean"],
  ["jsonSchema",,,,,["json_schema","guided_json"]],
  ["regex",,,,,["guided_regex"]],
  ["choice",,,,,["guided_choice"]],
  ["ebnf",,,,,["guided_grammar"]],
  ["lark"],
  ["toolCalls",,,,,["tool_calls"]],
  ["n","integer",1,64,,["num_return_sequences"]],
  ["draft",,,,,["assistant_model"]],
  ["draftTokens","integer",1,32,"draft",["num_assistant_tokens","num_speculative_tokens"]],
  ["beams","integer",1,32,,["num_beams"]],
  ["lengthPenalty","number",-100,100,"beams",["length_penalty"]],
  ["earlyStopping",,,,"beams",["early_stopping"]],
  ["beamGroups","integer",1,,"beams",["num_beam_groups"]],
  ["diversityPenalty","number",0,1000000000,"beamGroups",["diversity_penalty"]],
  ["captureBeams","boolean",,,"beams",["capture_beams"]],
  ["guidance","number",0,1000,,["guidance_scale"]],
  ["negativePrompt",,,,"guidance",["negative_prompt"]],
  ["contrast"],
  ["dola",,,,,["dola_layers"]],
  ["penaltyAlpha","number",0,1,,["penalty_alpha"]],
  ["heal","boolean",,,,["token_healing"]],
].map((/** @type {any[]} */ cells) => /** @type {any} */ (Object.fromEntries(columns.map((column, i) => [column, cells[i]]))));

/** Options that exclude each other. */
export const exclusiveOptions = [["draft","beams","penaltyAlpha"],["guidance","contrast","dola","penaltyAlpha"]];
