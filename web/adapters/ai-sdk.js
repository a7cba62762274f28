// A provider for the Vercel AI SDK, with models that run in the page. Versions 6 and 7 of the SDK both take version 3
// of its interface.
import {
  checkNames,
  checkOverflow,
  namedOptions,
  readLoopStop,
  newId,
  openConversation,
  promptThatFits,
  typeError,
  unlessAborted,
  withSampling,
} from "../engine.js";
import { openModels } from "./models-by-id.js";

/** @typedef {import("@ai-sdk/provider").LanguageModelV3} LanguageModelV3 */
/** @typedef {import("@ai-sdk/provider").LanguageModelV3CallOptions & Pick<import("@ai-sdk/provider").LanguageModelV4CallOptions, "reasoning">} CallOptions reasoning: what version 7 of the AI SDK adds */
/** @typedef {import("@ai-sdk/provider").LanguageModelV3StreamPart} StreamPart */
/** @typedef {import("@ai-sdk/provider").LanguageModelV3GenerateResult} GenerateResult */
/** @import { LanguageModelV3Content as Content } from "@ai-sdk/provider" */
/** @typedef {import("@ai-sdk/provider").LanguageModelV3Prompt} Prompt */
/** @typedef {import("../engine.js").Dropped} Dropped */
/** @typedef {import("@ai-sdk/provider").SharedV3Warning} Warning */
/** @typedef {import("../index.js").Message} Message */
/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./models-by-id.js").Models} Models */
/** @typedef {{ name: string, description?: string, parameters: object }} Tool */

/**
 * @typedef {object} LastInchSettings
 * @property {string | null} [chatTemplate] a Jinja template instead of the file's. null: none; the model gets the texts
 *   of the messages, one a line
 */

/**
 * @typedef {((modelId?: string) => LanguageModelV3) & import("@ai-sdk/provider").ProviderV3} LastInchProvider a provider of
 *   the AI SDK
 */

/**
 * A provider: `createLastInch(model)()` is a language model of the AI SDK. It honours all settings of the SDK; pass
 * other options of model.generate in `providerOptions: { lastinch: { minP: 0.05 } }`. JSON and the arguments of tools
 * satisfy their schemas; the model does not see a schema, so describe the JSON in the prompt. A setting that cannot be
 * honoured becomes a warning.
 * @param {import("./models-by-id.js").Models} source a loaded model, for every id; or a function that loads the model
 *   of an id when it is first used
 * @param {LastInchSettings} [settings]
 * @returns {LastInchProvider}
 */
export function createLastInch(source, settings = {}) {
  checkNames("createLastInch", settings, ["chatTemplate"]);
  const { usual, find } = openModels("createLastInch", source);
  const provider = (modelId = usual) => new LanguageModel(modelId, () => find(modelId), settings);
  /** @param {string} modelType @returns {(modelId: string) => never} */
  const none = (modelType) => (modelId) => {
    throw noSuchModel(modelId, modelType);
  };
  return Object.assign(provider, {
    specificationVersion: /** @type {const} */ ("v3"),
    languageModel: provider,
    embeddingModel: none("embeddingModel"),
    imageModel: none("imageModel"),
  });
}

/**
 * The AI SDK's NoSuchModelError. The SDK recognises it by properties.
 * @param {string} modelId
 * @param {string} modelType
 */
function noSuchModel(modelId, modelType) {
  const name = "AI_NoSuchModelError";
  const error = new Error(`lastinch has no ${modelType} "${modelId}".`);
  const marks = ["vercel.ai.error", `vercel.ai.error.${name}`].map((mark) => [Symbol.for(mark), true]);
  return Object.assign(error, { name, modelId, modelType, ...Object.fromEntries(marks) });
}

/** @implements {LanguageModelV3} */
class LanguageModel {
  specificationVersion = /** @type {const} */ ("v3");
  provider = "lastinch";
  /** The model supports no files, so the SDK downloads all of them. */
  supportedUrls = /** @type {Record<string, RegExp[]>} */ ({});
  #find;
  #settings;

  /**
   * @param {string} modelId
   * @param {() => Promise<Model>} find
   * @param {LastInchSettings} settings
   */
  constructor(modelId, find, settings) {
    this.modelId = modelId;
    this.#find = find;
    this.#settings = settings;
  }

  /** @param {CallOptions} options @returns {Promise<GenerateResult>} */
  async doGenerate(options) {
    /** @type {Content[]} */
    const content = [];
    /** @type {Partial<GenerateResult>} */
    const result = {};
    for await (const part of this.#write(options)) {
      const last = content.at(-1);
      if (part.type === "stream-start") result.warnings = part.warnings;
      else if (part.type === "response-metadata") {
        const { type, ...response } = part;
        result.response = response;
      } else if (part.type === "text-start" || part.type === "reasoning-start")
        content.push({ type: part.type === "text-start" ? "text" : "reasoning", text: "" });
      else if (part.type === "text-delta" || part.type === "reasoning-delta") {
        if (last && "text" in last) last.text += part.delta;
      } else if (part.type === "tool-call") content.push(part);
      else if (part.type === "finish") {
        const { type, ...rest } = part;
        Object.assign(result, rest);
      }
    }
    return /** @type {GenerateResult} */ ({ ...result, content });
  }

  /** @param {CallOptions} options @returns {Promise<{ stream: ReadableStream<StreamPart> }>} */
  async doStream(options) {
    const parts = this.#write(options);
    // A mistake in the call rejects the promise; a later error becomes a part of the stream.
    let next = await parts.next();
    const stream = new ReadableStream({
      async pull(controller) {
        try {
          if (next.done) return controller.close();
          controller.enqueue(next.value);
          next = await parts.next();
          if (next.done) controller.close();
        } catch (error) {
          if (options.abortSignal?.aborted) return controller.error(error);
          controller.enqueue({ type: "error", error });
          controller.enqueue({ type: "finish", finishReason: { unified: "error", raw: undefined }, usage: noUsage });
          controller.close();
        }
      },
      async cancel() {
        await parts.return(undefined);
      },
    });
    return { stream };
  }

  /**
   * @param {CallOptions} options
   * @returns {AsyncGenerator<StreamPart, undefined>}
   */
  async *#write(options) {
    const { abortSignal } = options;
    abortSignal?.throwIfAborted();
    const model = await unlessAborted(abortSignal, this.#find());
    if (!model) throw noSuchModel(this.modelId, "languageModel");
    const { chatTemplate = model.config.chatTemplate } = this.#settings;
    /** @type {Warning[]} */
    const warnings = [];
    const settings = { chatTemplate, ...readTools(options, chatTemplate, warnings) };
    const { reasoning, overflow = "error", ...read } = readOptions(options);
    checkOverflow(overflow);
    const given = withSampling(read, model.config.sampling);
    const conversation = await open(model, { ...settings, reasoning }, options, warnings);
    const limits = { contextLength: model.config.contextLength, maxTokens: given.maxTokens };
    const messages = options.prompt.map(readMessage);
    const { turn, dropped } = await promptThatFits(conversation, messages.flat(), overflow, limits);
    const toolCalls = conversation.toolCalls({ jsonSchema: schemaOf(options) });
    const wanted = toolCalls ? { toolCalls } : { jsonSchema: schemaOf(options) };
    if (toolCalls?.required && schemaOf(options) !== undefined) {
      const details = "A tool must be called, so the answer is a call and not JSON of the schema.";
      warnings.push({ type: "unsupported", feature: "responseFormat", details });
    }
    const grammar = await compile(model, { ...wanted, after: turn.after }, options, warnings);
    const writer = new PartWriter(dropped && droppedOf(messages, dropped));
    // This checks the options; the model starts with the first chunk.
    const how = { ...given, signal: abortSignal, grammar: /** @type {any} */ (grammar) };
    const chunks = model.generateAfter(turn.after, turn.ids, how, { thought: turn.limit });
    yield { type: "stream-start", warnings };
    yield { type: "response-metadata", id: newId(), timestamp: new Date(), modelId: this.modelId };
    for await (const { chunk, pieces, reasoningTokens } of turn.read(chunks, { ...wanted, ...given })) {
      if (chunk.finishReason === "abort") throw abortSignal?.reason;
      if (options.includeRawChunks) yield { type: "raw", rawValue: chunk };
      for (const piece of pieces) yield* writer.write(piece);
      if (chunk.finishReason) yield* writer.end(chunk, reasoningTokens);
    }
    return undefined;
  }
}

const noUsage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Turns the pieces of an answer into parts. */
class PartWriter {
  #blocks = 0;
  #callCount = 0;
  /** The open text or thought. @type {{ id: string, kind: "text" | "reasoning" } | undefined} */
  #block;
  /** The open call. @type {{ id: string, toolName: string, input: string }} */
  #call = { id: "", toolName: "", input: "" };
  #dropped;

  /** @param {Dropped} [dropped] messages that are not in the prompt */
  constructor(dropped) {
    this.#dropped = dropped;
  }

  /**
   * @param {import("../engine.js").Piece} piece
   * @returns {Generator<StreamPart>}
   */
  *write(piece) {
    const { id, ...call } = this.#call;
    switch (piece.kind) {
      case "reasoning":
        yield* this.#add("reasoning", piece.text);
        return;
      case "text":
        yield* this.#add("text", piece.text);
        return;
      case "call":
        yield* this.#endBlock();
        this.#call = { id: newId(), toolName: piece.name, input: "" };
        yield { type: "tool-input-start", id: this.#call.id, toolName: piece.name };
        return;
      case "input":
        this.#call.input += piece.text;
        yield { type: "tool-input-delta", id, delta: piece.text };
        return;
      case "cut":
        if (id) yield { type: "tool-input-end", id };
        return;
      case "end":
        this.#callCount++;
        yield { type: "tool-input-end", id };
        yield { type: "tool-call", toolCallId: id, ...call };
        this.#call = { id: "", toolName: "", input: "" };
    }
  }

  /**
   * @param {import("../index.js").Chunk | import("../engine.js").TurnChunk} last
   * @param {number} reasoning tokens of thoughts
   * @returns {Generator<StreamPart>}
   */
  *end({ finishReason, usage }, reasoning) {
    yield* this.#endBlock();
    const isStop = finishReason === "eos" || finishReason === "stop";
    const isLoop = finishReason === "loop";
    const unified = this.#callCount ? "tool-calls" : isStop ? "stop" : isLoop ? "other" : "length";
    const { promptTokens: total, cachedTokens: cacheRead = 0, completionTokens } = usage ?? {};
    const text = completionTokens && completionTokens - reasoning;
    yield {
      type: "finish",
      finishReason: { unified, raw: finishReason },
      usage: {
        inputTokens: { total, noCache: total && total - cacheRead, cacheRead, cacheWrite: undefined },
        outputTokens: { total: completionTokens, text, reasoning },
        raw: { ...usage },
      },
      ...(this.#dropped && { providerMetadata: { lastinch: { dropped: { ...this.#dropped } } } }),
    };
  }

  /** @param {"text" | "reasoning"} kind @param {string} text @returns {Generator<StreamPart>} */
  *#add(kind, text) {
    if (this.#block?.kind !== kind) {
      yield* this.#endBlock();
      this.#block = { kind, id: `${kind}-${this.#blocks++}` };
      yield { type: `${kind}-start`, id: this.#block.id };
    }
    yield { type: `${kind}-delta`, id: this.#block.id, delta: text };
  }

  /** @returns {Generator<StreamPart>} */
  *#endBlock() {
    if (this.#block) yield { type: `${this.#block.kind}-end`, id: this.#block.id };
    this.#block = undefined;
  }
}

/**
 * @param {Model} model
 * @param {import("../engine.js").ConversationOptions} settings
 * @param {CallOptions} options
 * @param {Warning[]} warnings
 */
async function open(model, settings, { reasoning: effort = "provider-default" }, warnings) {
  if (effort === "none") return openConversation(model, { ...settings, reasoning: "off" });
  const conversation = await openConversation(model, settings);
  if (effort === "provider-default") return conversation;
  if (conversation.traits.thought) return openConversation(model, { ...settings, reasoning: { effort } });
  const details = "The model answers without thinking first.";
  warnings.push({ type: "unsupported", feature: "reasoning", details });
  return conversation;
}

const inCall = "the call itself says it";
/** Options of generate that calls do not take. */
const refused = new Map([
  ...["n", "signal", "grammar"].map((name) => /** @type {[string, string]} */ ([name, inCall])),
  ["toolCalls", "tools are the call's own"],
  ["echo", "the answer is a message of its own"],
]);

/**
 * Turns the settings into options of generate.
 * @param {CallOptions} options
 */
function readOptions(options) {
  const { maxOutputTokens: maxTokens, stopSequences: stop, temperature, topP, topK, seed, includeRawChunks } = options;
  const { presencePenalty, frequencyPenalty, reasoning } = options;
  const settings = { maxTokens, stop, temperature, topP, topK, seed, presencePenalty, frequencyPenalty };
  /** @type {Record<string, any>} */
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const isTold = reasoning !== undefined && reasoning !== "provider-default";
  for (const [name, value] of Object.entries(
    namedOptions(options.providerOptions?.lastinch ?? {}, ["reasoning", "overflow"]),
  )) {
    const isGiven = Object.hasOwn(given, name) || (name === "reasoning" && isTold);
    const reason = isGiven ? inCall : refused.get(name);
    if (reason !== undefined) throw typeError("conflict", `providerOptions.lastinch cannot have ${name}: ${reason}.`);
    if (name.startsWith("capture") && value && !includeRawChunks)
      throw typeError("conflict", `${name} appears only in raw chunks: also give includeRawChunks.`);
    given[name] = value;
  }
  readLoopStop(given.loops);
  return given;
}

/**
 * The tools that the model may call, and whether it must.
 * @param {CallOptions} options
 * @param {string | null} template
 * @param {Warning[]} warnings
 * @returns {Pick<import("../engine.js").ConversationOptions, "tools" | "toolChoice">}
 */
function readTools({ tools: given = [], toolChoice = { type: "auto" } }, template, warnings) {
  /** @type {Tool[]} */
  const tools = [];
  /** @param {string} feature @param {string} details */
  const warn = (feature, details) => void warnings.push({ type: "unsupported", feature, details });
  if (toolChoice.type === "none") return {};
  for (const tool of given)
    if (tool.type === "provider") warn(`provider tool ${tool.id}`, "Another provider's servers run it.");
    else {
      tools.push({ name: tool.name, description: tool.description, parameters: tool.inputSchema });
      if (tool.inputExamples?.length) warn(`inputExamples of ${tool.name}`, "Chat templates have no place for them.");
    }
  if (!tools.length) return {};
  const isAuto = toolChoice.type === "auto";
  if (template !== null)
    return { tools, toolChoice: toolChoice.type === "tool" ? { name: toolChoice.toolName } : toolChoice.type };
  const place = "The model has no chat template";
  if (isAuto) warn("tools", `${place}: it does not know of them, and calls none.`);
  else warn("descriptions of tools", `${place}: it sees none, and calls one blindly.`);
  return isAuto ? {} : { tools, toolChoice: toolChoice.type === "tool" ? { name: toolChoice.toolName } : "required" };
}

/** The schema that the answer must satisfy. @param {CallOptions} options */
const schemaOf = ({ responseFormat }) =>
  responseFormat?.type === "json" ? (responseFormat.schema ?? true) : undefined;

/**
 * Compiles a grammar for the answer.
 * @param {Model} model
 * @param {Pick<import("../index.js").GrammarOptions, "toolCalls" | "jsonSchema"> & { after?: import("../index.js").Thought }} wanted
 * @param {CallOptions} options
 * @param {Warning[]} warnings
 */
async function compile(model, { toolCalls, jsonSchema, after }, { abortSignal: signal }, warnings) {
  if (jsonSchema === undefined && !toolCalls) return undefined;
  const shared = { signal, lenient: true, after };
  // Compact, because small models may write whitespace without end. Calls keep the spaces of their template.
  const grammar = await (toolCalls
    ? model.compile({ ...shared, toolCalls, whitespace: { separators: [", ", ": "] } })
    : model.compile({ ...shared, jsonSchema, whitespace: "compact" }));
  for (const { pointer, keyword, reason } of grammar.warnings)
    warnings.push({ type: "other", message: `${pointer}/${keyword}: ${reason}` });
  for (const { pointer, keyword, reason } of grammar.refusals) {
    const feature = toolCalls ? "schema of a tool or of the response" : "responseFormat";
    const details = `${pointer}/${keyword}: ${reason}. The model need not follow it.`;
    warnings.push({ type: "unsupported", feature, details });
  }
  return grammar;
}

/**
 * @param {Prompt[number]} message
 * @returns {Message[]} a message for each result of a tool
 */
function readMessage(message) {
  if (message.role === "system") return [{ role: "system", content: message.content }];
  /** @type {Message} */
  const result = { role: message.role, content: "" };
  /** @type {Message[]} */
  const answers = [];
  for (const part of message.content) {
    if (part.type === "text") result.content += part.text;
    else if (part.type === "reasoning") result.reasoning = (result.reasoning ?? "") + part.text;
    else if (part.type === "tool-call") {
      const { toolCallId: id, toolName: name, input } = part;
      (result.toolCalls ??= []).push({ id, name, arguments: /** @type {object} */ (input) });
    } else if (part.type === "tool-result") {
      const { toolCallId, toolName, output } = part;
      answers.push({ role: "tool", toolCallId, name: toolName, content: textOfOutput(output) });
    } else throw notText(part);
  }
  return message.role === "tool" ? answers : [result, ...answers];
}

/**
 * What is dropped, counted in messages of the prompt. Turns begin with a message of the user, which is one in both.
 * @param {Message[][]} messages those that each message of the prompt has become
 * @param {Dropped} dropped
 * @returns {Dropped}
 */
function droppedOf(messages, dropped) {
  const sources = messages.flatMap((list, source) => list.map(() => source));
  const first = sources[dropped.first];
  return { ...dropped, first, messages: sources[dropped.first + dropped.messages] - first };
}

/** @param {import("@ai-sdk/provider").LanguageModelV3ToolResultOutput} output */
function textOfOutput(output) {
  if (output.type === "text" || output.type === "error-text") return output.value;
  if (output.type === "json" || output.type === "error-json") return JSON.stringify(output.value);
  if (output.type === "execution-denied") return output.reason ?? "The call was not allowed.";
  return output.value
    .map((part) => {
      if (part.type !== "text") throw notText(part);
      return part.text;
    })
    .join("\n");
}

/** @param {{ type: string, mediaType?: string }} part */
function notText({ type, mediaType }) {
  return typeError("bad-type", `The model reads only text, but the prompt holds ${mediaType ?? `a part "${type}"`}.`);
}
