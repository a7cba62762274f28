// A provider for the Vercel AI SDK over models that run here.
import { checkNames } from "../core/arguments.js";
import { unlessAborted } from "../core/signal.js";
import { writePrompt } from "../chat/prompt.js";
import { rangeError, typeError } from "../sampler/sampler.js";
import { ToolCallStream, callStyle, oneCall } from "./tool-call-stream.js";

/** @typedef {import("@ai-sdk/provider").LanguageModelV4} LanguageModelV4 */
/** @typedef {import("@ai-sdk/provider").LanguageModelV4CallOptions} CallOptions */
/** @typedef {import("@ai-sdk/provider").LanguageModelV4StreamPart} StreamPart */
/** @typedef {import("@ai-sdk/provider").LanguageModelV4GenerateResult} GenerateResult */
/** @typedef {import("@ai-sdk/provider").LanguageModelV4Content} Content */
/** @typedef {import("@ai-sdk/provider").LanguageModelV4Prompt} Prompt */
/** @typedef {import("@ai-sdk/provider").SharedV4Warning} Warning */
/** @typedef {import("../chat/messages.js").Message} Message */
/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ name: string, description?: string, parameters: object }} Tool */

/**
 * @typedef {object} LastInchSettings
 * @property {string | null} [chatTemplate] in Jinja, instead of the one in the model's file. null: none, the model gets the
 *   texts of the messages, one a line
 */

/**
 * @typedef {((modelId?: string) => LanguageModelV4) & import("@ai-sdk/provider").ProviderV4} LastInchProvider
 */

/**
 * A provider: `createLastInch(model)()` goes wherever the AI SDK takes a model. All its settings are honoured; further
 * options of model.generate go into `providerOptions: { lastinch: { minP: 0.05 } }`. JSON that has a schema satisfies it, as
 * do the arguments of tools; the model itself is not told of a schema, so the prompt should say what is wanted. What cannot
 * be done comes as a warning.
 * @param {Model | ((modelId: string) => Model | Promise<Model>)} source a loaded model, which every id means; or a function
 *   that loads the one of an id, once it is needed
 * @param {LastInchSettings} [settings]
 * @returns {LastInchProvider}
 */
export function createLastInch(source, settings = {}) {
  checkNames("createLastInch", settings, ["chatTemplate"]);
  const isModel = typeof source === "object" && typeof source?.generate === "function";
  if (!isModel && typeof source !== "function")
    throw typeError("bad-type", "createLastInch takes a model of loadModel, or a function that loads one.");
  /** @type {Map<string, Promise<Model>>} */
  const models = new Map();
  /** @param {string} modelId */
  const find = (modelId) => {
    let model = models.get(modelId);
    if (!model) {
      model = (async () => (typeof source === "function" ? source(modelId) : source))();
      models.set(modelId, model);
      model.catch(() => models.delete(modelId));
    }
    return model;
  };
  const usual = (typeof source === "object" && source.config.name) || "default";
  const provider = (modelId = usual) => new LanguageModel(modelId, () => find(modelId), settings);
  /** @param {string} kind */
  const none = (kind) => () => {
    throw typeError("conflict", `lastinch has no ${kind} models.`);
  };
  return Object.assign(provider, {
    specificationVersion: /** @type {const} */ ("v4"),
    languageModel: provider,
    embeddingModel: none("embedding"),
    imageModel: none("image"),
  });
}

/** @implements {LanguageModelV4} */
class LanguageModel {
  specificationVersion = /** @type {const} */ ("v4");
  provider = "lastinch";
  /** Files are not supported, so none is left to the model to download. */
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
      } else if (part.type === "text-start") content.push({ type: "text", text: "" });
      else if (part.type === "text-delta" && last?.type === "text") last.text += part.delta;
      else if (part.type === "tool-call") content.push(part);
      else if (part.type === "finish") Object.assign(result, { finishReason: part.finishReason, usage: part.usage });
    }
    return /** @type {GenerateResult} */ ({ ...result, content });
  }

  /** @param {CallOptions} options @returns {Promise<{ stream: ReadableStream<StreamPart> }>} */
  async doStream(options) {
    const parts = this.#write(options);
    // What is wrong with the call shows before the first part.
    let next = await parts.next();
    const stream = new ReadableStream({
      async pull(controller) {
        try {
          if (next.done) return controller.close();
          controller.enqueue(next.value);
          next = await parts.next();
          if (next.done) controller.close();
        } catch (error) {
          controller.error(error);
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
    const { chatTemplate = model.config.chatTemplate } = this.#settings;
    /** @type {Warning[]} */
    const warnings = [];
    const tools = readTools(options, chatTemplate, warnings);
    const given = readOptions(options, warnings);
    const told = options.toolChoice?.type === "none" ? [] : tools;
    const { ids: prompt } = await writePrompt(model, readPrompt(options.prompt), { chatTemplate, tools: told });
    const grammar = await compile(model, options, tools, warnings);
    try {
      const writer = new PartWriter(tools.length ? model.vocabulary : undefined);
      yield { type: "stream-start", warnings };
      yield { type: "response-metadata", id: newId(), timestamp: new Date(), modelId: this.modelId };
      for await (const chunk of model.generate(prompt, { ...given, signal: abortSignal, grammar })) {
        if (chunk.finishReason === "abort") throw abortSignal?.reason;
        if (options.includeRawChunks) yield { type: "raw", rawValue: chunk };
        yield* writer.push(chunk);
        if (chunk.finishReason) yield* writer.end(chunk);
      }
    } finally {
      grammar?.dispose();
    }
    return undefined;
  }
}

/** Makes parts of chunks. */
class PartWriter {
  #calls;
  /** Control tokens, which are no text but may be marks of calls. @type {Map<number, string>} */
  #control = new Map();
  #texts = 0;
  #callCount = 0;
  /** The text that is open. @type {string | undefined} */
  #text;
  /** The call that is open. @type {{ id: string, toolName: string, input: string }} */
  #call = { id: "", toolName: "", input: "" };

  /** @param {import("../model/vocabulary.js").Vocabulary} [vocabulary] where there may be calls */
  constructor(vocabulary) {
    this.#calls = vocabulary && new ToolCallStream();
    for (const [name, id] of Object.entries(vocabulary?.special ?? {}))
      if (!vocabulary?.eos.includes(id)) this.#control.set(id, name);
  }

  /** @param {import("../index.js").Chunk} chunk @returns {Generator<StreamPart>} */
  *push({ text, tokens }) {
    const marks = tokens.map(({ id }) => this.#control.get(id) ?? "").join("");
    for (const piece of this.#calls?.push(text + marks) ?? [{ kind: /** @type {const} */ ("text"), text }])
      yield* this.#write(piece);
  }

  /** @param {import("../index.js").Chunk} last @returns {Generator<StreamPart>} */
  *end({ finishReason, usage }) {
    for (const piece of this.#calls?.end() ?? []) yield* this.#write(piece);
    yield* this.#endText();
    const isStop = finishReason === "eos" || finishReason === "stop";
    const unified = this.#callCount ? "tool-calls" : isStop ? "stop" : "length";
    const { promptTokens: total, cachedTokens: cacheRead = 0, completionTokens } = usage ?? {};
    yield {
      type: "finish",
      finishReason: { unified, raw: finishReason },
      usage: {
        inputTokens: { total, noCache: total && total - cacheRead, cacheRead, cacheWrite: undefined },
        outputTokens: { total: completionTokens, text: completionTokens, reasoning: 0 },
        raw: { ...usage },
      },
    };
  }

  /** @param {import("./tool-call-stream.js").Piece} piece @returns {Generator<StreamPart>} */
  *#write(piece) {
    const { id, ...call } = this.#call;
    switch (piece.kind) {
      case "text":
        if (!piece.text) return;
        if (!this.#text) yield { type: "text-start", id: (this.#text = `text-${this.#texts++}`) };
        yield { type: "text-delta", id: this.#text, delta: piece.text };
        return;
      case "call":
        yield* this.#endText();
        this.#call = { id: newId(), toolName: piece.name, input: "" };
        yield { type: "tool-input-start", id: this.#call.id, toolName: piece.name };
        return;
      case "input":
        this.#call.input += piece.text;
        yield { type: "tool-input-delta", id, delta: piece.text };
        return;
      case "cut":
        yield { type: "tool-input-end", id };
        return;
      case "end":
        this.#callCount++;
        yield { type: "tool-input-end", id };
        yield { type: "tool-call", toolCallId: id, ...call };
    }
  }

  /** @returns {Generator<StreamPart>} */
  *#endText() {
    if (this.#text) yield { type: "text-end", id: this.#text };
    this.#text = undefined;
  }
}

/** Not of crypto.randomUUID, which pages without https lack. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("");
}

/**
 * The settings as options of generate.
 * @param {CallOptions} options
 * @param {Warning[]} warnings
 */
function readOptions(options, warnings) {
  const { reasoning = "provider-default", providerOptions } = options;
  if (reasoning !== "provider-default" && reasoning !== "none")
    warnings.push({ type: "unsupported", feature: "reasoning", details: "The model answers without thinking first." });
  const { maxOutputTokens: maxTokens, stopSequences: stop, temperature, topP, topK, seed } = options;
  const { presencePenalty, frequencyPenalty } = options;
  const settings = { maxTokens, stop, temperature, topP, topK, seed, presencePenalty, frequencyPenalty };
  /** @type {Record<string, any>} */
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(providerOptions?.lastinch ?? {})) {
    if (name === "n" || name === "signal" || name === "grammar" || name in given)
      throw typeError("conflict", `providerOptions.lastinch cannot have ${name}: the call itself says it.`);
    given[name] = value;
  }
  return given;
}

/**
 * The tools that the model may call.
 * @param {CallOptions} options
 * @param {string | null} template
 * @param {Warning[]} warnings
 * @returns {Tool[]}
 */
function readTools({ tools = [], toolChoice = { type: "auto" } }, template, warnings) {
  /** @type {Tool[]} */
  const result = [];
  /** @param {string} feature @param {string} details */
  const warn = (feature, details) => void warnings.push({ type: "unsupported", feature, details });
  if (toolChoice.type === "none") return result;
  for (const tool of tools)
    if (tool.type === "provider") warn(`provider tool ${tool.id}`, "It is run by another provider's servers.");
    else if (toolChoice.type !== "tool" || toolChoice.toolName === tool.name) {
      if (!/^[\w.-]{1,128}$/.test(tool.name))
        throw rangeError("out-of-range", "A tool's name is of 1 to 128 letters, digits, _, . and -.");
      result.push({ name: tool.name, description: tool.description, parameters: tool.inputSchema });
      if (tool.inputExamples?.length) warn(`inputExamples of ${tool.name}`, "Chat templates have no place for them.");
    }
  if (!result.length) return result;
  const isTold = template !== null && /\btools\b/.test(template);
  const place = "The model's chat template has no place for tools";
  if (toolChoice.type !== "auto") {
    if (!isTold) warn("descriptions of tools", `${place}: it sees none, and calls one blindly.`);
    return result;
  }
  if (isTold && template.includes(callStyle.trigger)) return result;
  if (isTold) warn("tools", `The model's chat template writes calls otherwise than in ${callStyle.trigger}.`);
  else warn("tools", `${place}: it does not know of them, and calls none.`);
  return [];
}

/**
 * What the text must be.
 * @param {Model} model
 * @param {CallOptions} options
 * @param {Tool[]} tools
 * @param {Warning[]} warnings
 */
async function compile({ vocabulary }, { responseFormat, toolChoice, abortSignal: signal }, tools, warnings) {
  const isJson = responseFormat?.type === "json";
  if (!isJson && !tools.length) return undefined;
  const schema = isJson ? responseFormat.schema : undefined;
  const isForced = tools.length > 0 && toolChoice !== undefined && toolChoice.type !== "auto";
  // Whitespace says nothing, and small models get lost in it.
  const shared = { vocabulary, signal, lenient: true, whitespace: /** @type {const} */ ("compact") };
  const { compileGrammar } = await import("../index.js");
  const grammar = await (tools.length && (isJson || isForced)
    ? compileGrammar({ ...shared, lark: oneCall(tools, isForced ? "" : `%json ${JSON.stringify(schema ?? {})}`) })
    : tools.length
      ? compileGrammar({ ...shared, toolCalls: { tools, style: callStyle } })
      : schema === undefined
        ? compileGrammar({ ...shared, anyJson: true })
        : compileGrammar({ ...shared, jsonSchema: schema }));
  for (const { pointer, keyword, reason } of grammar.refusals) {
    const feature = tools.length ? "schema of a tool or of the response" : "responseFormat";
    const details = `${pointer}/${keyword}: ${reason}. The model is not kept to it.`;
    warnings.push({ type: "unsupported", feature, details });
  }
  return grammar;
}

/**
 * @param {Prompt} prompt
 * @returns {Message[]}
 */
function readPrompt(prompt) {
  return prompt.flatMap((message) => {
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
  });
}

/** @param {import("@ai-sdk/provider").LanguageModelV4ToolResultOutput} output */
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
  return typeError("bad-type", `The model reads text alone, but the prompt holds ${mediaType ?? `a part "${type}"`}.`);
}
