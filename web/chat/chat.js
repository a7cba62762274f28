// Model.chat: turns messages into a prompt, and the model's tokens into reasoning, text and tool calls.
import { typeError } from "../core/errors.js";
import { chatNames, namedOptions } from "../decode/named-options.js";
import { exactKinds, openConversation } from "./conversation.js";
import { checkMessages } from "./messages.js";
import { newId } from "./new-id.js";
import { checkOverflow, promptThatFits } from "./overflow.js";
import { withSampling } from "./sampling-defaults.js";

/** @typedef {import("../decode/decode-types.js").Chunk} Chunk */
/** @typedef {import("../decode/decode-types.js").Token} Token */
/** @typedef {import("../decode/decode-types.js").Usage & { reasoningTokens: number }} ChatUsage reasoningTokens: of the
 *   thought, with the tokens that begin and end it */
/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").Tool} Tool */
/** @typedef {import("./messages.js").OpenAITool} OpenAITool */

/**
 * @typedef {object} OwnChatOptions
 * @property {readonly (Tool | OpenAITool)[]} [tools] tools that the model may call. The chat template describes the
 *   tools in the prompt; if the template has no place for tools, the first message describes them. Calls are written as
 *   in the template, or as `{"name": …, "arguments": …}`, and a grammar makes arguments satisfy their schemas. With
 *   jsonSchema the answer is calls or JSON, so toolChoice must be "auto" or "none"
 * @property {"auto" | "none" | "required" | { name: string }} [toolChoice] whether the model calls a tool: the model decides,
 *   no tool, exactly one tool, or exactly this tool. Default: "auto"
 * @property {boolean} [parallelToolCalls] false: at most one call. Default: true
 * @property {import("./reasoning.js").Reasoning} [reasoning] whether the model thinks before it answers, and how long. "on",
 *   "off": a switch of the template decides, or an empty thought for "off". `{ budget, message }`: on; when the thought
 *   has `budget` tokens, it ends with `message`. `{ effort }`: on, with the template's degree of effort or, where it has
 *   none, a budget. Default: "auto", the template decides
 * @property {string} [chatTemplate] in Jinja, instead of the one in the model's file
 * @property {import("./overflow.js").Overflow} [overflow] what happens if the conversation is too long for the context.
 *   "error", the default: a prompt that is longer than the context is the error "model-context-full". "drop-oldest": the
 *   oldest turns go, until the prompt leaves room for `maxTokens`, but at most for a quarter of the context. A turn is a
 *   message of the user with everything up to the next one. System messages at the beginning stay, and so does the last
 *   turn. Turns go by quarters of the context, so the following prompts begin alike. `dropped` says which. An answer that
 *   fills the context ends with finishReason "context" either way
 */

/** @typedef {{ id: string, name: string, arguments: any }} ToolCall arguments: an object that satisfies the schema */

/**
 * A piece of an answer.
 * @typedef {object} ChatChunk
 * @property {string} text a part of the answer, without thoughts and calls; may be empty
 * @property {string} [reasoning] a part of the thought
 * @property {ToolCall[]} [toolCalls] complete calls
 * @property {Token[]} tokens
 * @property {"eos" | "stop" | "loop" | "length" | "context" | "abort" | "toolCalls"} [finishReason] on the last chunk.
 *   toolCalls: the model called tools and needs their results
 * @property {import("./conversation.js").TurnChunk["loop"]} [loop] with finishReason "loop". textEnd counts `text`; if
 *   there is a thought, reasoningEnd counts it
 * @property {import("./conversation.js").TurnChunk["takenBack"]} [takenBack] with `loops: "redraw"`: what to remove from
 *   the end: characters of `text`, UTF-16 units of `reasoning`, and calls
 * @property {number} [index] number of the answer, if there are several
 * @property {import("./overflow.js").Dropped} [dropped] on the first chunk, with `overflow: "drop-oldest"`: the messages
 *   that are not in the prompt
 * @property {ChatUsage} [usage] on the last chunk
 * @property {Chunk["stats"]} [stats] on the last chunk
 */

/**
 * A whole answer.
 * @typedef {object} ChatAnswer
 * @property {string} text
 * @property {string} [reasoning]
 * @property {ToolCall[]} [toolCalls]
 * @property {Token[]} tokens
 * @property {ChatUsage} [usage] missing after an abort
 * @property {Chunk["stats"]} [stats] missing after an abort
 * @property {"eos" | "stop" | "loop" | "length" | "context" | "abort" | "toolCalls"} finishReason
 * @property {ChatChunk["loop"]} [loop] with finishReason "loop"
 * @property {ChatChunk["dropped"]} [dropped] messages that were not in the prompt
 */

/** Options that define the text, so they exclude calls. */
const grammars = ["grammar", "regex", "choice", "ebnf", "lark", "structuralTags"];

/**
 * Writes the prompt of a conversation.
 * @param {import("./chat-types.js").AnsweringModel} model
 * @param {readonly Message[]} messages
 * @param {object} options of model.chat
 * @returns {Promise<{ turn: import("./conversation.js").Turn, dropped?: import("./overflow.js").Dropped,
 *   wanted: Record<string, any> }>} wanted: options of generate
 */
export async function openChat(model, messages, options) {
  const { own, given } = split(options);
  const { overflow = "error", ...how } = own;
  checkOverflow(overflow);
  checkMessages(messages);
  const conversation = await openConversation(model, how);
  const limits = { contextLength: model.config.contextLength, maxTokens: given.maxTokens };
  const { turn, dropped } = await promptThatFits(conversation, messages, overflow, limits);
  const calls = conversation.toolCalls(given);
  if (calls) checkAlone(given, calls);
  if (given.grammar !== undefined && turn.after)
    throw typeError(
      "conflict",
      'grammar has no place for a thought: give reasoning: "off", or jsonSchema, regex … instead.',
    );
  const { jsonSchema, ...others } = given;
  const wanted = withSampling(calls ? { ...others, toolCalls: calls } : given, model.config.sampling);
  return { turn, dropped, wanted: { ...wanted, loops: wanted.loops ?? usualLoops(wanted) } };
}

/**
 * What `loops` is where the caller does not say. Repetition may be what a grammar asks for.
 * @param {Record<string, any>} wanted
 */
function usualLoops({ beams, toolCalls, ...others }) {
  const isExact = exactKinds.some((kind) => others[kind] !== undefined) || toolCalls?.required || toolCalls?.jsonSchema;
  return beams !== undefined || isExact ? "ignore" : "stop";
}

/**
 * @param {import("./chat-types.js").AnsweringModel} model
 * @param {readonly Message[]} messages
 * @param {object} options of model.chat
 * @returns {AsyncGenerator<ChatChunk, void>}
 */
export async function* chat(model, messages, options) {
  const began = performance.now();
  const { turn, dropped, wanted } = await openChat(model, messages, options);
  let isFirst = true;
  const generation = model.generateAfter(turn.after, turn.ids, wanted, { thought: turn.limit, began });
  /** @type {Map<number | undefined, CallReader>} */
  const readers = new Map();
  /** The answers so far. @type {string[]} */
  const answers = [];
  try {
    for await (const { chunk, pieces, reasoningTokens } of turn.read(generation, wanted)) {
      const { index = 0, takenBack } = chunk;
      // After takenBack the pieces are those that stay.
      const known = takenBack ? undefined : readers.get(chunk.index);
      const reader = known ?? new CallReader();
      readers.set(chunk.index, reader);
      const read = reader.read(pieces, chunk.finishReason);
      answers[index] = (known ? answers[index] : "") + read.text;
      const { usage, ...rest } = chunk;
      if (takenBack) {
        yield rest;
        continue;
      }
      yield {
        ...rest,
        ...read,
        ...(isFirst && dropped && { dropped }),
        ...(usage && { usage: { ...usage, reasoningTokens } }),
      };
      isFirst = false;
    }
  } catch (/** @type {any} */ error) {
    // The text so far is that of the answer, without thoughts and calls.
    if (error?.code === "worker-lost") {
      error.text = answers[0] ?? "";
      if (error.texts) error.texts = Array.from(answers, (text = "") => text);
    }
    throw error;
  }
}

/** @param {object} options of model.answer */
export function checkSingle(options) {
  const { n = 1, captureBeams } = split(options).given;
  if (n > 1) throw typeError("conflict", `answer returns one text, but n is ${n}: model.chat returns several.`);
  if (captureBeams) throw typeError("conflict", "captureBeams shows the steps of a search: use model.chat.");
}

/** Separates the options of the conversation from those of generate. @param {object} options */
function split(options) {
  const named = Object.entries(namedOptions(options, chatNames));
  /** @type {Record<string, any>} */
  const own = Object.fromEntries(named.filter(([name]) => chatNames.includes(name)));
  /** @type {Record<string, any>} */
  const given = Object.fromEntries(named.filter(([name]) => !chatNames.includes(name)));
  if (own.chatTemplate === null) throw typeError("bad-type", "chatTemplate must be a text in Jinja.");
  if (given.echo) throw typeError("conflict", "chat returns only the answer: echo is for generate.");
  if (given.captureDrafts)
    throw typeError("conflict", "Answers have no place for drafts: captureDrafts is for generate.");
  if (given.toolCalls !== undefined) throw typeError("conflict", "chat takes tools: toolCalls is for generate.");
  return { own, given };
}

/** @param {Record<string, any>} given @param {{ required?: boolean }} calls */
function checkAlone(given, { required }) {
  const other = grammars.find((name) => given[name] !== undefined);
  if (other)
    throw typeError("conflict", `tools and ${other} each say what the text must be: give one of them, or jsonSchema.`);
  if (required && given.jsonSchema !== undefined)
    throw typeError(
      "conflict",
      'jsonSchema says what the text must be, but toolChoice wants a call: give toolChoice "auto".',
    );
}

/** Turns the pieces of one answer into chunks. */
class CallReader {
  #count = 0;
  #name = "";
  #input = "";

  /**
   * @param {import("./answer-stream.js").Piece[]} pieces
   * @param {Chunk["finishReason"]} finishReason
   */
  read(pieces, finishReason) {
    /** @type {Pick<ChatChunk, "text" | "reasoning" | "toolCalls" | "finishReason">} */
    const result = { text: "" };
    for (const piece of pieces) {
      if (piece.kind === "text") result.text += piece.text;
      else if (piece.kind === "reasoning") result.reasoning = (result.reasoning ?? "") + piece.text;
      else if (piece.kind === "call") {
        this.#name = piece.name;
        this.#input = "";
      } else if (piece.kind === "input") this.#input += piece.text;
      else if (piece.kind === "end") {
        this.#count++;
        (result.toolCalls ??= []).push({ id: newId(), name: this.#name, arguments: JSON.parse(this.#input) });
      }
    }
    if (this.#count && (finishReason === "eos" || finishReason === "stop")) result.finishReason = "toolCalls";
    return result;
  }
}
