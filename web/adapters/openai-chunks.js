// Turns a model's answers into chunks of OpenAI's interface, and joins chunks to one object.
import { newId, unlessAborted } from "../engine.js";
import { Logprobs, TextLogprobs } from "./openai-logprobs.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("../index.js").Chunk} Chunk */
/** @typedef {import("../index.js").Token} Token */
/** @typedef {import("./openai-request.js").Request} Request */
/** @typedef {import("./openai-types.js").ChatCompletion} ChatCompletion */
/** @typedef {import("./openai-types.js").ChatCompletionChunk} ChatCompletionChunk */
/** @typedef {import("./openai-types.js").ChatChoice} ChatChoice */
/** @typedef {import("./openai-types.js").ChatDelta} ChatDelta */
/** @typedef {import("./openai-types.js").Completion} Completion */
/** @typedef {import("./openai-types.js").CompletionChoice} CompletionChoice */
/** @typedef {import("./openai-types.js").CompletionUsage} CompletionUsage */

/** By the finish reasons of generate and chat. @type {Record<string, any>} */
const finishReasons = {
  eos: "stop",
  stop: "stop",
  loop: "stop",
  length: "length",
  context: "length",
  toolCalls: "tool_calls",
};

/** Counts the tokens of all answers to one call. */
class UsageSum {
  #prompt = 0;
  #cached = 0;
  #written = 0;
  #reasoning = 0;

  /**
   * @param {NonNullable<Chunk["usage"]> & { reasoningTokens?: number }} usage
   * @param {boolean} isFirst of the texts that continue one prompt
   */
  add({ promptTokens, cachedTokens, completionTokens, reasoningTokens = 0 }, isFirst) {
    this.#written += completionTokens;
    this.#reasoning += reasoningTokens;
    if (!isFirst) return;
    this.#prompt += promptTokens;
    this.#cached += cachedTokens;
  }

  /** @param {boolean} isChat @returns {CompletionUsage} */
  total(isChat) {
    return {
      prompt_tokens: this.#prompt,
      completion_tokens: this.#written,
      total_tokens: this.#prompt + this.#written,
      prompt_tokens_details: { cached_tokens: this.#cached },
      ...(isChat && { completion_tokens_details: { reasoning_tokens: this.#reasoning } }),
    };
  }
}

/**
 * @template {string} Kind
 * @param {string} prefix of its id
 * @param {Kind} object
 * @param {string} model
 */
const headOf = (prefix, object, model) => ({
  id: `${prefix}-${newId()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
});

/**
 * The tokens of a chunk, without the one that only ends the text.
 * @param {{ tokens: Token[], finishReason?: string }} chunk
 */
const written = ({ tokens, finishReason }) => (finishReason === "eos" ? tokens.slice(0, -1) : tokens);

/**
 * @param {Model} model
 * @param {string} modelId
 * @param {Request} request
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<ChatCompletionChunk, void>}
 */
export async function* chatChunks(model, modelId, { input, options, top, includeUsage }, signal) {
  const head = headOf("chatcmpl", /** @type {const} */ ("chat.completion.chunk"), modelId);
  const logprobs = top === undefined ? undefined : new Logprobs(model.vocabulary, top);
  const sum = new UsageSum();
  /** Number of calls in each answer so far. @type {Map<number, number>} */
  const begun = new Map();
  let finished = 0;
  /** @param {Record<string, any>} choice @returns {ChatCompletionChunk} */
  const chunkOf = (choice) => ({
    ...head,
    choices: [/** @type {any} */ ({ logprobs: null, finish_reason: null, ...choice })],
    ...(includeUsage && { usage: null }),
  });
  for await (const chunk of model.chat(input, { ...options, ...(signal && { signal }) })) {
    const { text, reasoning, toolCalls = [], index = 0, finishReason, loop, dropped, usage } = chunk;
    if (finishReason === "abort") throw signal?.reason;
    // The role has its own chunk, because the `openai` package reads the lists of an answer's first chunk twice.
    if (!begun.has(index))
      yield {
        ...chunkOf({ index, delta: { role: "assistant", content: "", refusal: null } }),
        ...(dropped && { dropped }),
      };
    const first = begun.get(index) ?? 0;
    /** @type {ChatDelta} */
    const delta = {};
    begun.set(index, first + toolCalls.length);
    if (text) delta.content = text;
    if (reasoning) delta.reasoning_content = reasoning;
    if (toolCalls.length)
      delta.tool_calls = toolCalls.map(
        (/** @type {any} */ { id, name, arguments: input }, /** @type {number} */ i) => ({
          index: first + i,
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(input) },
        }),
      );
    if (usage) sum.add(usage, !finished++);
    const content = logprobs && written(chunk).map((token) => logprobs.of(token));
    const told = content?.length ? { logprobs: { content, refusal: null } } : undefined;
    if (Object.keys(delta).length || told || finishReason)
      yield chunkOf({
        index,
        delta,
        ...told,
        ...(finishReason && { finish_reason: finishReasons[finishReason] }),
        ...(loop && { loop }),
      });
  }
  if (includeUsage) yield { ...head, choices: [], usage: sum.total(true) };
}

/**
 * @param {AsyncIterable<ChatCompletionChunk>} chunks with their usage
 * @returns {Promise<ChatCompletion>}
 */
export async function wholeChat(chunks) {
  /** @type {any} */
  let result;
  /** @type {any[]} */
  const choices = [];
  for await (const { choices: parts, usage, ...head } of chunks) {
    result ??= { ...head, object: "chat.completion", choices };
    if (usage) result.usage = usage;
    for (const { index, delta, logprobs, finish_reason: reason, loop } of parts) {
      const message = { role: "assistant", content: "", refusal: null };
      const choice = (choices[index] ??= { index, message, logprobs: null, finish_reason: null });
      const { content = "", reasoning_content: thought, tool_calls: calls = [] } = delta;
      choice.message.content += content;
      if (thought !== undefined) choice.message.reasoning_content = (choice.message.reasoning_content ?? "") + thought;
      for (const { index: place, ...call } of calls) (choice.message.tool_calls ??= [])[place] = call;
      if (logprobs) (choice.logprobs ??= { content: [], refusal: null }).content.push(...logprobs.content);
      if (reason) choice.finish_reason = reason;
      if (loop) choice.loop = loop;
    }
  }
  for (const { message } of choices) if (message.tool_calls && !message.content) message.content = null;
  return result;
}

/**
 * @param {Model} model
 * @param {string} modelId
 * @param {Request} request
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Completion, void>}
 */
export async function* completionChunks(model, modelId, { input: prompts, options, top, includeUsage }, signal) {
  const head = headOf("cmpl", /** @type {const} */ ("text_completion"), modelId);
  const sum = new UsageSum();
  const { n = 1 } = options;
  /** @param {any} choice @returns {Completion} */
  const chunkOf = (choice) => ({
    ...head,
    choices: [choice],
    ...(includeUsage && { usage: /** @type {any} */ (null) }),
  });
  for (const [i, prompt] of prompts.entries()) {
    const logprobs = top === undefined ? undefined : new Logprobs(model.vocabulary, top);
    /** @type {Map<number, TextLogprobs>} */
    const texts = new Map();
    let isEcho = options.echo === true;
    let length = 0;
    let finished = 0;
    for await (const chunk of model.generate(prompt, { ...options, ...(signal && { signal }) })) {
      const { text, index = 0, finishReason, loop, usage } = chunk;
      if (finishReason === "abort") throw signal?.reason;
      if (isEcho) {
        // All answers begin with the prompt.
        isEcho = false;
        length = text.length;
        const told = logprobs ? await promptLogprobs(model, prompt, logprobs, signal) : null;
        for (let k = 0; k < n; k++) yield chunkOf({ index: i * n + k, text, logprobs: told, finish_reason: null });
        continue;
      }
      if (usage) sum.add(usage, !finished++);
      let lists = texts.get(index);
      if (logprobs && !lists) texts.set(index, (lists = new TextLogprobs(logprobs, top ?? 0, length)));
      const tokens = written(chunk);
      if (text || tokens.length || finishReason)
        yield chunkOf({
          index: i * n + index,
          text,
          logprobs: lists && tokens.length ? lists.of(tokens) : null,
          finish_reason: finishReason ? finishReasons[finishReason] : null,
          ...(loop && { loop }),
        });
    }
  }
  if (includeUsage) yield { ...head, choices: [], usage: sum.total(false) };
}

/**
 * @param {Model} model
 * @param {any} prompt
 * @param {Logprobs} logprobs
 * @param {AbortSignal} [signal]
 */
async function promptLogprobs(model, prompt, logprobs, signal) {
  const hasStart = typeof prompt === "string" && model.config.addBos;
  const ids = typeof prompt === "string" ? await model.tokenize(prompt, { bos: hasStart }) : [...prompt].map(Number);
  const scores = await unlessAborted(signal, model.score(ids));
  const scored = Array.from(scores.tokens, (id, i) => ({ id, probability: 1, rawLogprob: scores.logprobs[i] }));
  const first = { id: ids[0], probability: 1, rawLogprob: 0 };
  const lists = new TextLogprobs(logprobs, 0).of(hasStart ? scored : [first, ...scored]);
  // OpenAI's types hide this null.
  if (!hasStart) lists.token_logprobs[0] = /** @type {any} */ (null);
  return lists;
}

/**
 * @param {AsyncIterable<Completion>} chunks with their usage
 * @returns {Promise<Completion>}
 */
export async function wholeCompletion(chunks) {
  /** @type {any} */
  let result;
  /** @type {any[]} */
  const choices = [];
  for await (const { choices: parts, usage, ...head } of chunks) {
    result ??= { ...head, choices };
    if (usage) result.usage = usage;
    for (const { index, text, logprobs, finish_reason: reason, loop } of parts) {
      const choice = (choices[index] ??= { index, text: "", logprobs: null, finish_reason: null });
      choice.text += text;
      if (reason) choice.finish_reason = reason;
      if (loop) choice.loop = loop;
      if (!logprobs) continue;
      choice.logprobs ??= Object.fromEntries(Object.keys(logprobs).map((key) => [key, []]));
      for (const [key, list] of Object.entries(logprobs)) choice.logprobs[key].push(...list);
    }
  }
  return result;
}
