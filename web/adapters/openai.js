// OpenAI's interface, as in WebLLM and the `openai` package, to models that run in the page.
import { checkNames, checkSignal, rangeError, unlessAborted } from "../engine.js";
import { openModels } from "./models-by-id.js";
import { chatChunks, completionChunks, wholeChat, wholeCompletion } from "./openai-chunks.js";
import { readChat, readCompletion } from "./openai-request.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./models-by-id.js").Models} Models */
/** @typedef {import("./openai-types.js").ChatFields} ChatFields of chat.completions.create, beside the options of model.chat */
/** @typedef {import("./openai-types.js").ChatCompletion} ChatCompletion */
/** @typedef {import("./openai-types.js").Loop} Loop */
/** @typedef {import("./openai-types.js").ChatCompletionChunk} ChatCompletionChunk */
/** @typedef {import("./openai-types.js").CompletionFields} CompletionFields of completions.create, beside the options of model.generate */
/** @typedef {import("./openai-types.js").Completion} Completion */
/** @typedef {import("./openai-types.js").ChatBody} ChatBody */
/** @typedef {import("./openai-types.js").CompletionBody} CompletionBody */
/** @typedef {import("./openai-types.js").SharedFields} SharedFields */
/** @typedef {import("./openai-types.js").ChatChoice} ChatChoice */
/** @typedef {import("./openai-types.js").ChatChunkChoice} ChatChunkChoice */
/** @typedef {import("./openai-types.js").CompletionChoice} CompletionChoice */
/** @typedef {import("./openai-types.js").CompletionUsage} CompletionUsage */
/** @typedef {import("./openai-types.js").MessageParam} MessageParam */
/** @typedef {import("./openai-types.js").ToolCall} ToolCall */
/** @typedef {import("./openai-types.js").TokenLogprob} TokenLogprob */
/** @typedef {import("./openai-types.js").TopLogprob} TopLogprob */
/** @typedef {import("./openai-types.js").ChatMessageOut} ChatMessageOut */
/** @typedef {import("./openai-types.js").ChatLogprobs} ChatLogprobs */
/** @typedef {import("./openai-types.js").FinishReason} FinishReason */
/** @typedef {import("./openai-types.js").ChatDelta} ChatDelta */
/** @typedef {import("./openai-types.js").CompletionLogprobs} CompletionLogprobs */
/** @typedef {import("./openai-types.js").ContentPart} ContentPart */
/** @typedef {{ signal?: AbortSignal }} RequestOptions the signal's reason is thrown where an abort ends a call */

/**
 * A call of OpenAI's interface: a promise of the whole answer or, with `stream: true`, of its chunks. A mistake in
 * the body rejects the promise before the first chunk.
 * @template Body, Whole, Part
 * @typedef {{
 *   (body: Body & { stream: true }, options?: RequestOptions): Promise<AsyncIterable<Part>>;
 *   (body: Body & { stream?: false | null }, options?: RequestOptions): Promise<Whole>;
 *   (body: Body, options?: RequestOptions): Promise<AsyncIterable<Part> | Whole>;
 * }} Create
 */

/**
 * @typedef {object} OpenAISettings
 * @property {string} [chatTemplate] a Jinja template instead of the file's
 */

/**
 * @typedef {object} OpenAIClient
 * @property {{ completions: { create: Create<import("./openai-types.js").ChatBody, ChatCompletion, ChatCompletionChunk> } }} chat
 * @property {{ create: Create<import("./openai-types.js").CompletionBody, Completion, Completion> }} completions
 * @property {{ list: () => Promise<{ object: "list", data: { id: string, object: "model", created: number, owned_by: string }[] }> }} models
 *   list: the model, or the models that the function has loaded
 */

/**
 * `chat.completions.create`, `completions.create` and `models.list` for a model in the page. Every field is honoured or
 * refused by name. The other options of model.chat and model.generate are fields too, in camelCase or snake_case.
 * @param {Model | ((modelId: string) => Model | Promise<Model>)} source a loaded model, which `model` may name; or a
 *   function that loads the model that `model` names when it is first used ("default" if it is left out)
 * @param {OpenAISettings} [settings]
 * @returns {OpenAIClient}
 */
export function createOpenAI(source, settings = {}) {
  checkNames("createOpenAI", settings, ["chatTemplate"]);
  const { usual, known, find } = openModels("createOpenAI", source);
  const created = Math.floor(Date.now() / 1000);

  /**
   * @template Body, Part, Whole
   * @param {(body: Body) => import("./openai-request.js").Request} read
   * @param {(model: Model, id: string, request: any, signal?: AbortSignal) => AsyncGenerator<Part, void>} write
   * @param {(chunks: AsyncIterable<Part>) => Promise<Whole>} gather
   * @returns {Create<Body, Whole, Part>}
   */
  const createOf = (read, write, gather) => {
    /** @param {Body} body @param {RequestOptions} [options] @returns {Promise<any>} */
    const create = async (body, options = {}) => {
      checkNames("create", options, ["signal"]);
      const { signal } = options;
      checkSignal(signal);
      const request = read(body);
      const { model: id = usual, isStream } = request;
      const isNone = typeof source !== "function" && id !== usual;
      const hint = isNone ? `name "${usual}", or leave model out` : "the function of createOpenAI gave none";
      const none = rangeError("out-of-range", `There is no model ${JSON.stringify(id)}: ${hint}.`);
      if (isNone) throw none;
      signal?.throwIfAborted();
      const model = await unlessAborted(signal, find(id));
      if (!model) throw none;
      if (!isStream) return gather(write(model, id, { ...request, includeUsage: true }, signal));
      return begun(write(model, id, request, signal));
    };
    return create;
  };

  const readWithTemplate = (/** @type {import("./openai-types.js").ChatBody} */ body) => {
    const request = readChat(body);
    return { ...request, options: { ...settings, ...request.options } };
  };
  return {
    chat: { completions: { create: createOf(readWithTemplate, chatChunks, wholeChat) } },
    completions: { create: createOf(readCompletion, completionChunks, wholeCompletion) },
    models: {
      list: async () => ({
        object: "list",
        data: known().map((id) => ({ id, object: "model", created, owned_by: "lastinch" })),
      }),
    },
  };
}

/**
 * Waits for the first chunk, so that a mistake in the call rejects the promise.
 * @template Part
 * @param {AsyncGenerator<Part, void>} chunks
 * @returns {Promise<AsyncIterable<Part>>}
 */
async function begun(chunks) {
  /** @type {IteratorResult<Part, void> | undefined} */
  let first = await chunks.next();
  const rest = {
    async next() {
      const held = first;
      first = undefined;
      return held ?? chunks.next();
    },
    return: () => chunks.return(),
    [Symbol.asyncIterator]: () => rest,
  };
  return rest;
}
