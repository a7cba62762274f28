// Types of OpenAI's interface, with the fields that have a meaning here.

/** @typedef {import("../index.js").GenerateOptions} GenerateOptions */
/** @typedef {import("../index.js").GenerateAliases} GenerateAliases */

/**
 * Options of generate under all their names, except those that are OpenAI's fields; its `stream` is something else.
 * @typedef {Omit<GenerateOptions & GenerateAliases, "stream" | "signal" | "captureLogits" | "capture_logits" | "captureDrafts" | "capture_drafts" | "captureBeams" | "capture_beams" | "echo" | "max_tokens" | "max_completion_tokens" | "temperature" | "top_p" | "stop" | "seed" | "n" | "presence_penalty" | "frequency_penalty" | "logit_bias">} OwnOptions
 */

/**
 * Fields of both calls. null means left out.
 * @typedef {object} SharedFields
 * @property {string | null} [model] the id of a model. Default: the only model
 * @property {boolean | null} [stream] the answer comes in chunks
 * @property {{ include_usage?: boolean | null } | null} [stream_options] include_usage: adds a last chunk with the
 *   usage
 * @property {number | null} [max_tokens] default: until the context is full
 * @property {number | null} [temperature]
 * @property {number | null} [top_p]
 * @property {string | string[] | null} [stop] the text ends before the first of these
 * @property {number | null} [seed]
 * @property {number | null} [n] number of answers, written side by side
 * @property {number | null} [presence_penalty]
 * @property {number | null} [frequency_penalty]
 * @property {Record<string, number> | null} [logit_bias] by token id
 * @property {Record<string, any> | null} [extra_body] more fields
 */

/**
 * @typedef {object} OwnChatFields
 * @property {MessageParam[]} messages
 * @property {number | null} [max_completion_tokens] the same as max_tokens
 * @property {boolean | null} [logprobs] adds the log-probability of every token: the model's own, before any option
 * @property {number | null} [top_logprobs] from 0 to 20: number of likeliest tokens to list with each token
 * @property {ResponseFormat | null} [response_format]
 * @property {Tool[] | null} [tools]
 * @property {ToolChoice | null} [tool_choice]
 * @property {boolean | null} [parallel_tool_calls] false: at most one call
 * @property {"none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | (string & {}) | null} [reasoning_effort]
 *   "none": no thoughts. Others as `effort` of model.chat's reasoning
 * @property {boolean | null} [enable_thinking] the same, as true or false
 */

/** @typedef {SharedFields & OwnChatFields} ChatFields of chat.completions.create, beside the options of model.chat */
/** @typedef {ChatFields & OwnOptions} ChatBody */

/**
 * @typedef {object} OwnCompletionFields
 * @property {string | string[] | number[] | number[][] | ArrayBufferView | null} prompt a text or token ids, or a list of either
 * @property {boolean | null} [echo] the text begins with the prompt
 * @property {number | null} [logprobs] from 0 to 20: adds the log-probability of every token, and lists this many of
 *   the likeliest tokens with each. With echo: 0
 */

/** @typedef {SharedFields & OwnCompletionFields} CompletionFields of completions.create, beside the options of model.generate */
/** @typedef {CompletionFields & OwnOptions} CompletionBody */

/** @typedef {{ type: string, text?: string }} ContentPart only parts of the type "text" are read */
/** @typedef {{ id: string, type: "function", function: { name: string, arguments: string } }} ToolCall arguments: JSON */

/**
 * A message in OpenAI's form. An answer can be passed back unchanged.
 * @typedef {object} MessageParam
 * @property {string} role system, developer, user, assistant or tool
 * @property {string | readonly ContentPart[] | null} [content]
 * @property {string} [name]
 * @property {string | null} [reasoning_content] the thought before this answer
 * @property {readonly { id?: string, type: string, function?: { name: string, arguments: string } }[]} [tool_calls]
 * @property {string} [tool_call_id]
 */

/** @typedef {{ type: string, function?: { name: string, description?: string, parameters?: Record<string, any>, strict?: boolean | null } }} Tool only tools of the type "function" are taken */
/** @typedef {"auto" | "none" | "required" | { type: string, function?: { name: string } }} ToolChoice */

/**
 * The form of the text. "json_schema": JSON that satisfies the schema, strict or not. As in WebLLM, "json_object": any object,
 * or JSON that satisfies `schema`; "grammar": a text of a grammar in GBNF; "structural_tag": structural tags.
 * @typedef {object} ResponseFormat
 * @property {string} [type]
 * @property {{ name?: string, description?: string, schema?: Record<string, any>, strict?: boolean | null }} [json_schema]
 * @property {Record<string, any> | string} [schema]
 * @property {string} [grammar]
 * @property {Record<string, any>} [format] and the next two: of structural tags
 * @property {string[]} [triggers]
 * @property {Record<string, any>[]} [structures]
 */

/**
 * The tokens of an answer. With several texts: the tokens of all, and the prompt once.
 * @typedef {object} CompletionUsage
 * @property {number} prompt_tokens
 * @property {number} completion_tokens
 * @property {number} total_tokens
 * @property {{ cached_tokens: number }} prompt_tokens_details cached_tokens: found in the model's cache from an earlier
 *   text
 * @property {{ reasoning_tokens: number }} [completion_tokens_details] of a chat
 */

/** @typedef {{ token: string, bytes: number[] | null, logprob: number }} TopLogprob bytes: null for a control token */
/** @typedef {TopLogprob & { top_logprobs: TopLogprob[] }} TokenLogprob a token that was chosen, with the likeliest beside it */
/** @typedef {{ content: TokenLogprob[], refusal: null }} ChatLogprobs of every token but the one that ends the answer: of its thoughts and calls too, and of a stop string */

/** @typedef {"stop" | "length" | "tool_calls"} FinishReason length: also where the context is full */
/** @typedef {{ role: "assistant", content: string | null, refusal: null, tool_calls?: ToolCall[], reasoning_content?: string }} ChatMessageOut an answer */
/** @typedef {import("../index.js").Loop & { reasoningEnd?: number }} Loop where a text repeats itself, whose finish_reason is "stop" */
/** @typedef {{ index: number, message: ChatMessageOut, logprobs: ChatLogprobs | null, finish_reason: FinishReason, loop?: Loop }} ChatChoice one of the answers to a request */
/** @typedef {{ id: string, object: "chat.completion", created: number, model: string, choices: ChatChoice[], usage: CompletionUsage, dropped?: Dropped }} ChatCompletion what a request for an answer gives */
/** @typedef {import("../engine.js").Dropped} Dropped with `overflow: "drop-oldest"`: the messages that are not in the prompt */

/** @typedef {{ role?: "assistant", content?: string, refusal?: null, tool_calls?: (ToolCall & { index: number })[], reasoning_content?: string }} ChatDelta a call comes as a whole */
/** @typedef {{ index: number, delta: ChatDelta, logprobs: ChatLogprobs | null, finish_reason: FinishReason | null, loop?: Loop }} ChatChunkChoice a part of one of the answers */
/** @typedef {{ id: string, object: "chat.completion.chunk", created: number, model: string, choices: ChatChunkChoice[], usage?: CompletionUsage | null, dropped?: Dropped }} ChatCompletionChunk a part of what a streamed request gives */

/**
 * @typedef {object} CompletionLogprobs
 * @property {string[]} tokens
 * @property {number[]} token_logprobs with echo, null for the very first token
 * @property {number[]} text_offset position in the text where each token begins
 * @property {Record<string, number>[]} [top_logprobs]
 */
/** @typedef {{ index: number, text: string, logprobs: CompletionLogprobs | null, finish_reason: "stop" | "length", loop?: Loop }} CompletionChoice one of the texts that continue a prompt */
/** @typedef {{ id: string, object: "text_completion", created: number, model: string, choices: CompletionChoice[], usage?: CompletionUsage }} Completion of a stream: its chunks too, whose finish_reason is null until the last */

export {};
