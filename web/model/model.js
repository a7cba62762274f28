// The page's object of a model. Arguments are checked here; the thread of the model does the work.
import { checkNames } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError, typeError } from "../core/errors.js";
import { ModelError } from "../core/model-errors.js";
import { checkSignal } from "../core/signal.js";
import { tokenList } from "../sampler/options.js";
import { collect } from "./complete.js";
import { DirectGrammars, postedOf } from "./direct-grammars.js";
import { checkHeads, readGenerateOptions } from "./generate-options.js";
import { readForwardOptions } from "./forward-options.js";
import { Generation } from "./generation.js";
import { checkPrompt, isConversation } from "./prompt-kind.js";
import { Statistics } from "./model-stats.js";
import { readSavedPrompt } from "./saved-prompt.js";
import { tokenizeRequest } from "./tokenize-request.js";
import { isSameVocabulary, readableVocabulary, unpackVocabulary } from "./packed-vocabulary.js";

/** @typedef {import("./worker/engine.js").ModelConfig} ModelConfig */
/** @typedef {import("./worker/engine.js").ModelInfo} ModelInfo */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./packed-vocabulary.js").Vocabulary} Vocabulary */
/** @typedef {import("./complete.js").Completion} Completion */
/** @typedef {import("../chat/messages.js").Message} Message */
/** @typedef {import("../chat/chat.js").ChatChunk} ChatChunk */
/** @typedef {import("../chat/chat.js").ChatAnswer} ChatAnswer */
/** @typedef {ArrayLike<number>} Ids a list or a typed array of token ids */

/** @typedef {import("./generate-types.js").OwnGenerateOptions} OwnGenerateOptions */
/** @typedef {import("./generate-types.js").OwnGenerateAliases} OwnGenerateAliases */
/** @typedef {import("../sampler/option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {OwnGenerateOptions & Omit<SamplerOptions, "vocabSize" | "grammar" | "maxTokens">} GenerateOptions */
/**
 * Other systems' names for the options of generate.
 * @typedef {OwnGenerateAliases & Omit<import("../sampler/option-table.js").SamplerAliases, "vocab_size">} GenerateAliases
 */
/** @typedef {Omit<GenerateOptions, "echo" | "toolCalls" | "captureDrafts"> & import("../chat/chat.js").OwnChatOptions} ChatOptions */
/** @typedef {Omit<GenerateAliases, "tool_calls" | "capture_drafts">} ChatAliases Other systems' names for the options of chat. */

/** Most tokens that the model generates ahead of the reader. */
const AHEAD = 64;

export class Model {
  #link;
  #leave;
  #id;
  #info;
  #statistics;
  #isDisposed = false;
  /** @type {Vocabulary | undefined} */
  #vocabulary;
  #grammars = new DirectGrammars(
    () => readableVocabulary(this.#info),
    (grammar, isKept) => this.#link.ask({ kind: "compile", model: this.#id, grammar, isKept }),
  );

  /**
   * Use loadModel.
   * @internal
   * @param {Link} link
   * @param {() => void} leave
   * @param {number} id
   * @param {ModelInfo} info
   * @param {number} began performance.now() at the call of loadModel
   */
  constructor(link, leave, id, info, began) {
    this.#link = link;
    this.#leave = leave;
    this.#id = id;
    this.#info = info;
    this.#statistics = new Statistics(info, began);
  }

  /** @returns {Readonly<ModelConfig>} */
  get config() {
    return this.#info.config;
  }

  /**
   * Number of threads that compute the model: 1 unless the page is cross-origin isolated and `threads` of loadModel is more.
   * Of a shared model, the page that runs it. It may change when a lost worker is replaced.
   */
  get threads() {
    return this.#info.threads;
  }

  /**
   * What the model has done so far, how fast, and in how much memory. `performance` has the newest entries "lastinch
   * load", "lastinch prompt" and "lastinch text"; the panel Performance of DevTools shows them all.
   * @returns {import("./model-stats.js").ModelStats} a copy
   */
  get stats() {
    return this.#statistics.read();
  }

  /** False: the model runs in the thread that loaded it and blocks it, by `worker: false` or because no Worker started. */
  get isInWorker() {
    return this.#link.isInWorker;
  }

  /** Whether the first space of a text does not belong to it. @internal */
  get dropsSpace() {
    return this.#info.dropsSpace;
  }

  /** @returns {Vocabulary} */
  get vocabulary() {
    const { vocabulary, eos, special } = this.#info;
    /** @type {Uint8Array[] | undefined} */
    let tokens;
    this.#vocabulary ??= {
      // Unpacked at first use: most callers need only the names of control tokens.
      get tokens() {
        return (tokens ??= unpackVocabulary(vocabulary));
      },
      eos,
      special,
    };
    return this.#vocabulary;
  }

  /**
   * Continues a prompt. Iterate over the result; leaving the loop stops the model.
   * @param {string | Ids} prompt a text, which gets the model's BOS token, or ids, which are used unchanged
   * @param {GenerateOptions & GenerateAliases} [options] a grammar (jsonSchema, regex …) is compiled when the first
   *   chunk is requested, and kept for later calls
   * @returns {Generation}
   */
  generate(prompt, options = {}) {
    return this.generateAfter(undefined, prompt, options);
  }

  /**
   * Like generate, with a grammar that begins after a thought of the model.
   * @internal
   * @param {import("../grammar/thought.js").Thought | undefined} after
   * @param {string | Ids} prompt
   * @param {GenerateOptions & GenerateAliases} options
   * @param {{ call?: string, uniqueKeys?: boolean, thought?: import("../decode/decode-types.js").ThoughtSettings,
   *   began?: number }} [how] call: the caller's. uniqueKeys: of compileGrammar. thought: ends the thought if it grows
   *   too long. began: performance.now() at the caller's call
   * @returns {Generation}
   */
  generateAfter(after, prompt, options, { call = "generate", uniqueKeys, thought, began } = {}) {
    return this.#generation(call, { after, uniqueKeys }, prompt, this.#read(options, thought), began);
  }

  /**
   * Like compileGrammar for the model's vocabulary, but in the model's thread, which keeps the grammars that were used
   * last.
   * @internal
   * @param {import("../grammar/read.js").ReadOptions} options
   * @param {string} [beginning] the beginning of the text, which the model continues
   * @returns {Promise<import("../grammar/compile-there.js").SentGrammar>} for the option `grammar`
   */
  async compile(options, beginning) {
    this.#checkLive();
    return this.#grammars.compile(options, beginning);
  }

  /**
   * Continues a prompt in one call.
   * @param {string | Ids} prompt as for generate
   * @param {GenerateOptions & GenerateAliases} [options] those of generate, of which `n` must be 1
   * @returns {Promise<Completion>}
   */
  async complete(prompt, options = {}) {
    const read = this.#read(options);
    const { n, captureDrafts, captureBeams } = read.settings;
    if (n > 1) throw typeError("conflict", `complete returns one text, but n is ${n}: model.generate returns several.`);
    if (captureBeams) throw typeError("conflict", "captureBeams shows the steps of a search: use model.generate.");
    if (captureDrafts) throw typeError("conflict", "captureDrafts shows what is proposed: use model.generate.");
    return collect(this.#generation("complete", {}, prompt, read));
  }

  /**
   * Answers a conversation. The chat template turns it into a prompt. Iterate over the result; leaving the loop stops
   * the model. Reasoning and tool calls are separate from the text. `usage.cachedTokens` counts the prompt tokens that
   * were in the model's cache from an earlier turn.
   * @param {readonly Message[]} messages not changed
   * @param {ChatOptions & ChatAliases} [options]
   * @returns {AsyncGenerator<ChatChunk, void>}
   */
  async *chat(messages, options = {}) {
    this.#checkLive();
    const { chat } = await import("../chat/chat.js");
    yield* chat(this, messages, options);
  }

  /**
   * Answers a conversation in one call.
   * @param {readonly Message[]} messages as for chat
   * @param {ChatOptions & ChatAliases} [options] those of chat, of which `n` must be 1
   * @returns {Promise<ChatAnswer>}
   */
  async answer(messages, options = {}) {
    this.#checkLive();
    const { chat, checkSingle } = await import("../chat/chat.js");
    checkSingle(options);
    return /** @type {Promise<ChatAnswer>} */ (collect(chat(this, messages, options)));
  }

  /**
   * Counts the tokens of a prompt: `usage.promptTokens` of the same call of generate or chat.
   * @template {string | Ids | readonly Message[]} Prompt
   * @param {Prompt} prompt a text or ids, as for generate, or messages, as for chat
   * @param {Prompt extends readonly Message[] ? ChatOptions & ChatAliases : GenerateOptions & GenerateAliases} [options]
   *   those of the call: `tools`, `reasoning` and others change the prompt
   * @returns {Promise<{ tokens: number, fits: boolean, context: number }>} fits: the context has room for one more
   *   token. context: config.contextLength
   */
  async count(prompt, options = /** @type {any} */ ({})) {
    this.#checkLive();
    /** @type {any} */
    let input = prompt;
    /** @type {any} */
    let given = options;
    /** @type {import("../decode/decode-types.js").ThoughtSettings | undefined} */
    let thought;
    if (isConversation(prompt)) {
      const { openChat } = await import("../chat/chat.js");
      const { turn, wanted } = await openChat(this, /** @type {any} */ (prompt), options);
      [input, given, thought] = [turn.ids, wanted, turn.limit];
    }
    const { settings, signal } = this.#read(given, thought);
    signal?.throwIfAborted();
    checkPrompt("count", input);
    const request = { kind: /** @type {const} */ ("count"), model: this.#id, heal: settings.heal };
    const tokens = await this.#link.ask({ ...request, prompt: this.#input("prompt", input) });
    const context = this.config.contextLength;
    return { tokens, fits: tokens < context, context };
  }

  /**
   * Reads a prompt, as far as the cache lacks it, and saves what the model keeps of it. The Blob contains the text.
   * @template {string | Ids | readonly Message[]} Prompt
   * @param {Prompt} prompt a text or ids, as for generate, or messages, as for chat. Of messages it saves what the next
   *   turn leaves as it is: where the template allows, without the beginning of an answer
   * @param {import("./saved-prompt.js").SaveOptions<Prompt>} [options]
   * @returns {Promise<Blob>} for restore
   */
  async save(prompt, options = /** @type {any} */ ({})) {
    return this.#askToSave("save", prompt, options);
  }

  /**
   * Takes what `save` returned, here, on another page or in Node, into the model's cache: a text whose prompt begins with
   * these tokens does not read them again, and is the same bit for bit. It stays as long as there is room.
   * @param {Blob} blob of the same file and cacheType. It is not trusted
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ tokens: number }>}
   * @throws {LastInchError} "saved-…" if it is foreign, cut off or damaged; "model-context-full" if it is too long
   */
  async restore(blob, options = {}) {
    this.#checkLive();
    checkNames("restore", options, ["signal"]);
    checkSignal(options.signal);
    if (!(blob instanceof Blob)) throw typeError("bad-type", "restore takes the Blob that save returned.");
    return this.#link.ask({ kind: "restore", model: this.#id, blob }, options.signal);
  }

  /**
   * Saves a prompt in the browser, where a later prompt that begins with its tokens finds it by itself. It contains the
   * text: `models()` lists it, `removeModel()` deletes it with the model.
   * @template {string | Ids | readonly Message[]} Prompt
   * @param {Prompt} prompt as for save
   * @param {import("./saved-prompt.js").KeepOptions<Prompt>} [options]
   * @returns {Promise<{ tokens: number, bytes: number }>}
   * @throws {LastInchError} "prefix-not-kept" where nothing is kept, as in Node, or there is no room; "prefix-too-large"
   */
  async keepPrefix(prompt, options = /** @type {any} */ ({})) {
    return this.#askToSave("keepPrefix", prompt, options);
  }

  /** @param {"save" | "keepPrefix"} kind @param {string | Ids | readonly Message[]} prompt @param {object} options */
  async #askToSave(kind, prompt, options) {
    this.#checkLive();
    const { given, signal, bytes } = await readSavedPrompt(this, kind, prompt, options);
    return this.#link.ask({ kind, model: this.#id, prompt: this.#input("prompt", given), bytes }, signal);
  }

  /**
   * Writes JSON of a schema, and gives the value while it arrives. Iterate over the result; leaving the loop stops the
   * model. Each item is a chunk of generate or chat with `value`, the object so far, which grows in place; `changed`,
   * JSON Pointers of what began or grew; and `done`, JSON Pointers of what cannot change any more.
   * @template const Schema
   * @param {string | Ids | readonly Message[]} prompt as for generate, or messages as for chat
   * @param {import("./object-types.js").StreamObjectOptions<Schema>} options
   * @returns {AsyncGenerator<import("./object-types.js").ObjectChunk<import("./object-types.js").ValueOf<Schema>>, void>}
   */
  async *streamObject(prompt, options) {
    this.#checkLive();
    const { streamObject } = await import("./stream-object.js");
    yield* /** @type {AsyncGenerator<any, void>} */ (streamObject(this, prompt, options));
  }

  /**
   * Token ids of a text, or of a list of texts and ids of control tokens.
   * @param {string | (string | number)[]} text
   * @param {{ bos?: boolean, special?: boolean }} [options] bos: begin with the BOS token. special: names of control tokens
   *   in the text, like `<|im_end|>`, become these tokens; do not use this for untrusted text
   * @returns {Promise<number[]>}
   */
  async tokenize(text, options = {}) {
    this.#checkLive();
    return this.#link.ask({ model: this.#id, ...tokenizeRequest(text, options, this.config.vocabSize) });
  }

  /**
   * Renders a conversation with the chat template of the model's file, as text, or with `tokens: true` as ids. The name
   * of a control token in a message is plain text. Templates run in bounded time and can read only the conversation.
   * @template {boolean} [Tokens=false]
   * @param {import("../chat/messages.js").Message[]} messages
   * @param {import("../chat/prompt.js").ApplyOptions & { tokens?: Tokens }} [options]
   * @returns {Promise<Tokens extends true ? number[] : string>}
   */
  async applyTemplate(messages, options) {
    this.#checkLive();
    const { applyTemplate } = await import("../chat/prompt.js");
    return /** @type {any} */ (applyTemplate(this, messages, options ?? {}));
  }

  /**
   * The text of tokens. Invalid UTF-8 becomes U+FFFD; control tokens have no text.
   * @param {Ids} ids
   * @returns {Promise<string>}
   */
  async detokenize(ids) {
    this.#checkLive();
    return this.#link.ask({ kind: "detokenize", model: this.#id, ids: this.#ids("detokenize", ids) });
  }

  /**
   * The log-probability of each token of a text, given the tokens before it: natural logarithm, no option applied. The
   * first of the given ids is context only and is not in the result. A text begins with the BOS token, so every token of
   * the text is scored.
   * @param {string | Ids} input
   * @returns {Promise<{ tokens: Uint32Array, logprobs: Float64Array }>}
   */
  async score(input) {
    this.#checkLive();
    checkPrompt("score", input);
    return this.#link.ask({ kind: "score", model: this.#id, input: this.#input("score", input) });
  }

  /**
   * The activations of each layer at the last token of a text: the norms of the residual stream, the attention weights
   * of each head, and the logits of early exits. For inspecting a model: each layer costs about as much as a row of
   * logits.
   * @param {string | Ids} input as for score; at least one token
   * @returns {Promise<import("./worker/activations.js").Activations>}
   */
  async activations(input) {
    this.#checkLive();
    checkPrompt("activations", input);
    return this.#link.ask({ kind: "activations", model: this.#id, input: this.#input("activations", input) });
  }

  /**
   * Runs tokens after the first `keep` tokens of earlier calls. Returns the logits after the last token ("last": one row) or
   * after every token ("all": a list of rows). With `parents` the tokens are a tree of guesses: each follows the token of
   * the call that its number names, or with -1 the kept tokens. Then the text stays at `keep` tokens. A tree has at most
   * 64 tokens; a model with a recurrent state takes only a chain, -1, 0, 1 … (both "out-of-range"). Branches take the
   * places of the least recently used texts in the cache.
   * @template {"last" | "all"} [Rows="last"]
   * @param {Ids} ids at least one
   * @param {{ keep?: number, rows?: Rows, parents?: ArrayLike<number> }} [options] keep: default 0, which starts a new
   *   text; parents: one for each of ids, -1 or of an earlier one; needs rows: "all"
   * @returns {Promise<Rows extends "all" ? Float32Array[] : Float32Array>}
   */
  async forward(ids, options = {}) {
    this.#checkLive();
    const list = this.#ids("forward", ids);
    const read = readForwardOptions(options, list.length, this.config.contextLength);
    const result = await this.#link.ask({ kind: "forward", model: this.#id, ids: list, ...read });
    return read.rows === "all" ? result : result[0];
  }

  /** Frees the memory. Running calls are rejected, and using the model afterwards throws. */
  dispose() {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#grammars.dispose();
    this.#link.endModel(this.#id, new LastInchError("disposed"));
    this.#leave();
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #checkLive() {
    if (this.#isDisposed) throw new LastInchError("disposed");
    if (this.#info.base) throw new ModelError("model-heads");
  }

  /**
   * @param {string} name
   * @param {unknown} ids
   */
  #ids(name, ids) {
    return Uint32Array.from(tokenList(name, ids, this.config.vocabSize));
  }

  /**
   * @param {string} name
   * @param {string | Ids} input
   */
  #input(name, input) {
    return typeof input === "string" ? input : this.#ids(name, input);
  }

  /**
   * @param {string} call
   * @param {import("./direct-grammars.js").Further} further
   * @param {string | Ids} prompt
   * @param {ReturnType<typeof readGenerateOptions>} read
   * @param {number} [began] performance.now() at the call. Default: when the first chunk is requested
   */
  #generation(call, further, prompt, { settings, signal, onPrompt, direct, compileBans }, began) {
    checkPrompt(call, prompt);
    const input = this.#input("prompt", prompt);
    /** @param {Omit<import("./link.js").Listener, "model">} listener */
    const begin = (listener) => {
      this.#checkLive();
      const request = {
        kind: /** @type {const} */ ("generate"),
        model: this.#id,
        prompt: input,
        settings,
        room: AHEAD,
      };
      return this.#link.begin(request, { ...listener, model: this.#id });
    };
    const prepare =
      (direct || compileBans) &&
      (async () => {
        this.#checkLive();
        if (compileBans) settings.bans = await compileBans();
        if (direct) settings.grammar = await this.#grammars.open(direct, further);
      });
    const watch = () => this.#statistics.watch(began ?? performance.now());
    return new Generation(this.#link, signal, begin, { watch, onPrompt, prepare: prepare || undefined });
  }

  /**
   * @param {GenerateOptions & GenerateAliases} options
   * @param {import("../decode/decode-types.js").ThoughtSettings} [thought]
   */
  #read(options, thought) {
    this.#checkLive();
    const { config, eos, suppressed, vocabulary } = this.#info;
    const read = readGenerateOptions(options, {
      vocabSize: config.vocabSize,
      tokenCount: vocabulary.ends.length,
      eos,
      suppressed,
      layers: config.layers,
      checkMtp: () => this.#checkMtp(),
      neighbour: (name, model) => this.#neighbour(name, model),
      input: (name, prompt) => this.#input(name, prompt),
      grammar: (grammar) => postedOf(grammar, vocabulary.ends.length),
    });
    if (thought && read.settings.beams) throw typeError("conflict", "reasoning: beams have no budget of thoughts.");
    read.settings.thought = thought;
    return read;
  }

  #checkMtp() {
    if (this.config.predictsAhead) return;
    const instead = 'use "lookup", a second model, or a file of Qwen 3.5 that was converted with that block (nextn).';
    throw new LastInchError("model-no-mtp", `The file has no block that predicts later tokens: ${instead}`);
  }

  /**
   * The number of another model, which helps this one.
   * @param {string} name
   * @param {unknown} other
   */
  #neighbour(name, other) {
    if (!(other instanceof Model)) throw typeError("bad-type", `${name} must be a model from loadModel.`);
    if (name !== "draft" || !other.#info.base || other.#isDisposed) other.#checkLive();
    if (other.#link !== this.#link)
      throw typeError("conflict", `${name} must be in the same thread: give both the same worker and shareAcrossTabs.`);
    const hasSameSize = other.config.vocabSize === this.config.vocabSize;
    if (other.#info.base) checkHeads(other.#info, this.#info);
    else if (!hasSameSize || !isSameVocabulary(this.#info.vocabulary, other.#info.vocabulary))
      throw typeError("conflict", `${name} must have the same vocabulary as the model.`);
    return other.#id;
  }
}
