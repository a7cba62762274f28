// Reads bodies of OpenAI's interface: messages or prompts, and options of the model.
import {
  chatNames,
  checkBoolean,
  checkNames,
  checkObject,
  checkWhole,
  namedOptions,
  readLoopStop,
  rangeError,
  typeError,
} from "../engine.js";

/** @typedef {import("./openai-types.js").ChatBody} ChatBody */
/** @typedef {import("./openai-types.js").CompletionBody} CompletionBody */

/**
 * A body, read.
 * @typedef {object} Request
 * @property {string} [model] its id
 * @property {any} input messages, or a list of prompts
 * @property {Record<string, any>} options of model.chat or model.generate, by their names
 * @property {boolean} isStream
 * @property {boolean} includeUsage the last chunk of a stream has the usage
 * @property {number} [top] how many of the likeliest tokens to list with each token; undefined: no probabilities
 */

const noServer = "No server keeps, bills or checks anything";
const noSound = "The model only writes text";
const ownCache = "The model always keeps what it has read";

/** Fields that have no meaning here, and fields of both calls that have newer names. */
const refusedInBoth = {
  user: noServer,
  captureLogits: "Give logprobs",
  capture_logits: "Give logprobs",
  captureDrafts: "Chunks have no place for drafts",
  capture_drafts: "Chunks have no place for drafts",
  captureBeams: "Chunks have no place for beams",
  capture_beams: "Chunks have no place for beams",
  signal: "Pass it in the second argument: create(body, { signal })",
};

export const refusedInChat = {
  ...refusedInBoth,
  audio: noSound,
  echo: "The answer is a message of its own",
  function_call: "Its name is tool_choice now",
  functions: "Their name is tools now",
  metadata: noServer,
  modalities: noSound,
  moderation: noServer,
  prediction: 'Give draft: "lookup", which guesses from the conversation',
  prompt_cache_key: ownCache,
  prompt_cache_options: ownCache,
  prompt_cache_retention: ownCache,
  safety_identifier: noServer,
  service_tier: noServer,
  store: noServer,
  verbosity: "Say in a message how long the answer should be",
  web_search_options: "The model does not search: offer a tool that does",
};

export const refusedInCompletions = {
  ...refusedInBoth,
  best_of: "Give n, and choose among the texts",
  suffix: "The model continues a text and does not fill a gap",
};

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The largest `top_logprobs`, as in OpenAI's interface. */
const MOST_TOP = 20;

/**
 * @param {ChatBody} body
 * @returns {Request}
 * @throws {TypeError | RangeError} with a `code`: a field is wrong or not supported
 */
export function readChat(body) {
  const { messages, logprobs, top_logprobs: top, ...given } = fieldsOf("chat.completions", body, refusedInChat);
  const { response_format: format, tools, tool_choice: choice, parallel_tool_calls: isParallel, ...others } = given;
  const { reasoning_effort: effort, enable_thinking: isThinking, ...rest } = others;
  checkBoolean("logprobs", logprobs);
  if (top !== undefined && !logprobs) throw typeError("conflict", "top_logprobs has no effect without logprobs: true.");
  checkTop("top_logprobs", top);
  const input = Array.isArray(messages) ? messages.map(readMessage) : messages;
  const options = {
    ...readFormat(format),
    ...readTools(tools, choice, isParallel),
    ...readReasoning(effort, isThinking),
  };
  return readShared(rest, { input, options, top: logprobs ? (top ?? 0) : undefined, kept: chatNames });
}

/**
 * @param {CompletionBody} body
 * @returns {Request} input: a list of prompts
 * @throws {TypeError | RangeError} as readChat
 */
export function readCompletion(body) {
  const { prompt, logprobs: top, echo, ...rest } = fieldsOf("completions", body, refusedInCompletions);
  checkBoolean("echo", echo);
  checkTop("logprobs", top);
  if (echo && top)
    throw rangeError("conflict", "With echo, logprobs must be 0: the prompt's tokens have no alternatives.");
  const isOne = typeof prompt === "string" || ArrayBuffer.isView(prompt) || typeof prompt?.[0] === "number";
  const prompts = isOne ? [prompt] : prompt;
  if (!Array.isArray(prompts))
    throw typeError("bad-type", "prompt must be a text, ids of tokens, or a list of either.");
  if (!prompts.length) throw rangeError("out-of-range", "prompt is an empty list: give at least one.");
  return readShared(rest, { input: prompts, options: echo ? { echo } : {}, top });
}

/**
 * The given fields, including those of `extra_body`.
 * @param {string} call
 * @param {any} body
 * @param {Record<string, string>} refused
 * @returns {Record<string, any>}
 */
function fieldsOf(call, body, refused) {
  checkObject(`The body of ${call}`, body);
  const { extra_body: extra, ...fields } = body;
  if (isGiven(extra)) {
    checkObject("extra_body", extra);
    for (const [name, value] of Object.entries(extra)) add(fields, name, value);
  }
  for (const [name, value] of Object.entries(fields))
    if (!isGiven(value)) delete fields[name];
    else if (Object.hasOwn(refused, name))
      throw typeError("unknown-option", `There is no ${name} of ${call} here. ${refused[name]}.`);
  return fields;
}

/** In OpenAI's interface null means not given. @param {unknown} value */
const isGiven = (value) => value !== undefined && value !== null;

/**
 * @param {Record<string, any>} fields
 * @param {string} name
 * @param {unknown} value
 */
function add(fields, name, value) {
  if (!isGiven(value)) return;
  if (Object.hasOwn(fields, name) && isGiven(fields[name]))
    throw typeError("conflict", `${name} is given twice, the second time under another name or in another place.`);
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}

/** @param {string} name @param {unknown} top */
function checkTop(name, top) {
  if (top !== undefined) checkWhole(name, top, 0, MOST_TOP);
}

/**
 * The fields of both calls.
 * @param {Record<string, any>} rest fields not read yet
 * @param {object} read
 * @param {any} read.input
 * @param {Record<string, any>} read.options
 * @param {any} read.top
 * @param {string[]} [read.kept] options of the call that generate does not have
 * @returns {Request}
 */
function readShared({ model, stream, stream_options: how, ...rest }, { input, options, top, kept }) {
  if (model !== undefined && typeof model !== "string")
    throw typeError("bad-type", `model must be the id of a model, as text, not ${typeof model}.`);
  checkBoolean("stream", stream);
  if (how !== undefined) {
    if (!stream) throw typeError("conflict", "stream_options has no effect without stream: true.");
    checkNames("stream_options", how, ["include_usage"]);
    checkBoolean("stream_options.include_usage", how.include_usage);
  }
  if (top) options.captureLogits = true;
  for (const [name, value] of Object.entries(namedOptions(rest, kept))) add(options, name, value);
  readLoopStop(options.loops);
  return { model, input, options, isStream: stream ?? false, includeUsage: how?.include_usage ?? false, top };
}

/** @param {any} format response_format */
function readFormat(format) {
  if (format === undefined) return {};
  checkObject("response_format", format);
  const { type, ...rest } = withoutNull(format);
  if (type === "text" || type === "json_object") {
    checkNames(`response_format "${type}"`, rest, type === "text" ? [] : ["schema"]);
    return type === "text" ? {} : { jsonSchema: rest.schema ?? { type: "object" } };
  }
  if (type === "grammar") {
    checkNames('response_format "grammar"', rest, ["grammar"]);
    return { ebnf: rest.grammar };
  }
  if (type === "structural_tag") return { structuralTags: { type, ...rest } };
  if (type !== "json_schema")
    throw rangeError(
      "out-of-range",
      `response_format.type must be "text", "json_object", "json_schema", "grammar" or "structural_tag", not ${JSON.stringify(type)}.`,
    );
  checkNames('response_format "json_schema"', rest, ["json_schema"]);
  checkObject("response_format.json_schema", rest.json_schema);
  checkNames("response_format.json_schema", rest.json_schema, ["name", "description", "schema", "strict"]);
  const { schema, strict } = withoutNull(rest.json_schema);
  checkBoolean("response_format.json_schema.strict", strict);
  if (schema === undefined)
    throw typeError("bad-type", 'response_format.json_schema needs a schema: for any object give "json_object".');
  return { jsonSchema: schema };
}

/**
 * @param {any} tools
 * @param {any} choice tool_choice
 * @param {any} isParallel parallel_tool_calls
 */
function readTools(tools, choice, isParallel) {
  checkBoolean("parallel_tool_calls", isParallel);
  if (tools === undefined) {
    for (const [name, value] of Object.entries({ tool_choice: choice, parallel_tool_calls: isParallel }))
      if (value !== undefined) throw typeError("conflict", `${name} has no effect without tools.`);
    return {};
  }
  if (!Array.isArray(tools)) throw typeError("bad-type", "tools must be a list of tools.");
  for (const tool of tools) functionOf("A tool", tool);
  return {
    tools,
    ...(choice !== undefined && { toolChoice: readChoice(choice) }),
    ...(isParallel === false && { parallelToolCalls: false }),
  };
}

/** @param {any} choice tool_choice */
function readChoice(choice) {
  if (typeof choice === "string") return choice;
  if (choice?.type === "allowed_tools")
    throw typeError("unknown-option", "tool_choice has no allowed_tools here. Give only the allowed tools.");
  return { name: functionOf("tool_choice", choice)?.name };
}

/**
 * The function of `{ type: "function", function: { … } }`.
 * @param {string} what
 * @param {any} value
 */
function functionOf(what, value) {
  checkObject(what, value);
  if (value.type !== "function")
    throw rangeError("out-of-range", `${what} must be of type "function", not ${JSON.stringify(value.type)}.`);
  return value.function;
}

/**
 * @param {any} effort reasoning_effort
 * @param {any} isThinking enable_thinking
 */
function readReasoning(effort, isThinking) {
  checkBoolean("enable_thinking", isThinking);
  if (isThinking !== undefined && effort !== undefined)
    throw typeError("conflict", "enable_thinking and reasoning_effort mean the same: give one of them.");
  if (isThinking !== undefined) return { reasoning: isThinking ? "on" : "off" };
  if (effort === undefined) return {};
  if (!efforts.includes(effort))
    throw rangeError(
      "out-of-range",
      `reasoning_effort must be one of ${efforts.join(", ")}, not ${JSON.stringify(effort)}.`,
    );
  return { reasoning: effort === "none" ? "off" : { effort } };
}

/**
 * Turns a message into one of model.chat, which checks the rest of it.
 * @param {any} message
 */
function readMessage(message) {
  if (typeof message !== "object" || message === null) return message;
  const given = withoutNull(message);
  const { tool_calls: calls, tool_call_id: toolCallId, reasoning_content: reasoning, annotations, ...rest } = given;
  // An answer from OpenAI has an empty list of annotations when it is passed back.
  if (annotations?.length) throw typeError("bad-message", "Messages have no annotations here: leave these out.");
  if (Array.isArray(rest.content)) rest.content.forEach(checkPart);
  return {
    ...rest,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(reasoning !== undefined && { reasoning }),
    ...(calls !== undefined && { toolCalls: Array.isArray(calls) ? calls.map(readCall) : calls }),
  };
}

/** @param {any} part of content */
function checkPart(part) {
  if (part?.type !== "text")
    throw typeError("bad-message", `The model reads only text, but content has a part ${JSON.stringify(part?.type)}.`);
  checkNames('a part "text"', part, ["type", "text"]);
}

/** @param {any} call of tool_calls */
function readCall(call) {
  const { id, type, function: called } = call ?? {};
  if (type !== "function")
    throw typeError("bad-message", `A call must be of type "function", not ${JSON.stringify(type)}.`);
  const { name, arguments: text } = called ?? {};
  if (typeof text !== "string")
    throw typeError("bad-message", `arguments of the call of ${name} must be JSON, as a text.`);
  try {
    return { ...(id !== undefined && { id }), name, arguments: JSON.parse(text || "{}") };
  } catch {
    throw typeError("bad-message", `arguments of the call of ${name} are no JSON: ${text.slice(0, 80)}`);
  }
}

/** @param {Record<string, any>} fields */
const withoutNull = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
