// A session of the Prompt API: a conversation that answers prompts in turn. When it gets too long, it forgets the
// oldest messages.
import { fitPrompt, newId } from "../engine.js";
import { checkConstraint, compileConstraint } from "./prompt-constraint.js";
import { failure, fromError, quotaExceeded } from "./prompt-errors.js";
import { readMessages } from "./prompt-messages.js";
import { openSessionConversation } from "./prompt-options.js";
import { runCalls } from "./prompt-tools.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("../engine.js").Conversation} Conversation */
/** @typedef {import("../index.js").Message} Message */
/** @typedef {import("./prompt-tools.js").Call} Call */
/** @typedef {import("./prompt-messages.js").PromptInput} PromptInput */
/** @typedef {import("./prompt-messages.js").ReadMessage} ReadMessage */

/**
 * @typedef {object} PromptOptions
 * @property {object | RegExp} [responseConstraint] a JSON Schema that the answer satisfies, or a RegExp that matches
 *   all of it. A prefix is part of the answer
 * @property {boolean} [omitResponseConstraintInput] has no effect, because the constraint is never put into the prompt
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} SessionSettings
 * @property {string | null} [chatTemplate]
 * @property {{ maxTokens?: number }} generate options of model.generate
 * @property {string | null} samplingMode
 * @property {number} temperature
 * @property {number} topK
 * @property {import("./prompt-tools.js").ReadTool[]} tools
 * @property {import("../engine.js").ConversationOptions["reasoning"]} [reasoning]
 */

/** After this many answers that only call tools, we give up. */
const CALL_ROUNDS = 16;

export class Session extends EventTarget {
  #model;
  #settings;
  #initial;
  /** @type {Conversation | undefined} */
  #conversation;
  /** Turns that can be forgotten: messages and their answer. @type {Message[][]} */
  #turns = [];
  #usage = 0;
  #end = new AbortController();
  /** Settles after the last waiting call. @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {((event: Event) => void) | null} messages were forgotten to make room, or an answer was cut off */
  oncontextoverflow = null;
  /** @deprecated Its name is oncontextoverflow. @type {((event: Event) => void) | null} */
  onquotaoverflow = null;

  /**
   * Use create().
   * @internal
   * @param {Model} model
   * @param {SessionSettings} settings
   * @param {ReadMessage[]} initial never forgotten
   */
  constructor(model, settings, initial) {
    super();
    if (!settings) throw new TypeError("Illegal constructor: use create().");
    this.#model = model;
    this.#settings = settings;
    this.#initial = initial;
  }

  /** Tokens of the conversation so far. */
  get contextUsage() {
    return this.#usage;
  }

  /** Tokens that a conversation can have. */
  get contextWindow() {
    return this.#model.config.contextLength;
  }

  /** @deprecated Its name is contextUsage. */
  get inputUsage() {
    return this.contextUsage;
  }

  /** @deprecated Its name is contextWindow. */
  get inputQuota() {
    return this.contextWindow;
  }

  /** null if temperature or topK was given. */
  get samplingMode() {
    return this.#settings.samplingMode;
  }

  get temperature() {
    return this.#settings.temperature;
  }

  get topK() {
    return this.#settings.topK;
  }

  /**
   * Asks the model, and waits for the whole answer.
   * @param {PromptInput} input
   * @param {PromptOptions} [options]
   * @returns {Promise<string>}
   */
  async prompt(input, options = {}) {
    let answer = "";
    await this.#run(options.signal, (signal) => this.#answer(input, options, signal, (text) => void (answer += text)));
    return answer;
  }

  /**
   * Asks the model. The stream has the pieces of the answer.
   * @param {PromptInput} input
   * @param {PromptOptions} [options]
   * @returns {ReadableStream<string>}
   */
  promptStreaming(input, options = {}) {
    const left = new AbortController();
    return new ReadableStream({
      start: (controller) => {
        /** @param {string} text */
        const emit = (text) => void (text && controller.enqueue(text));
        this.#run(options.signal, (signal) => this.#answer(input, options, signal, emit), { left: left.signal }).then(
          () => left.signal.aborted || controller.close(),
          (error) => controller.error(error),
        );
      },
      cancel: () => left.abort(),
    });
  }

  /**
   * Adds messages without asking for an answer. The model reads them at once, so the next answer begins sooner.
   * @param {PromptInput} input
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<void>}
   */
  async append(input, options = {}) {
    await this.#run(options.signal, async (signal) => {
      const messages = readMessages(input, this.#hasPast);
      if (messages.some(({ prefix }) => prefix))
        throw failure("SyntaxError", "A prefix is for an answer, which append does not ask for.");
      if (messages.every(({ content }) => content === "")) return;
      await this.#readAll(messages.map(plain), signal);
      await this.#keep(messages.map(plain));
    });
  }

  /**
   * Tokens that messages would add to contextUsage, without an answer. If they begin with a system message and the
   * session already has messages, they count as a separate conversation.
   * @param {PromptInput} input
   * @param {PromptOptions} [options]
   * @returns {Promise<number>}
   */
  async measureContextUsage(input, options = {}) {
    this.#checkLive();
    checkConstraint(options);
    options.signal?.throwIfAborted();
    const messages = readMessages(input, false);
    const isOwn = messages[0].role === "system";
    const past = isOwn ? [] : this.#past();
    const { ids } = await this.#prompt([...past, ...messages.map(plain)], false);
    options.signal?.throwIfAborted();
    return ids.length - (isOwn ? 0 : this.#usage);
  }

  /**
   * @deprecated Its name is measureContextUsage.
   * @param {PromptInput} input
   * @param {PromptOptions} [options]
   * @returns {Promise<number>}
   */
  measureInputUsage(input, options) {
    return this.measureContextUsage(input, options);
  }

  /**
   * An independent session with the same messages. The model does not read them again.
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<this>}
   */
  async clone({ signal } = {}) {
    return this.#run(signal, async () => {
      const { constructor } = /** @type {any} */ (this);
      const copy = new constructor(this.#model, this.#settings, this.#initial);
      copy.#conversation = this.#conversation;
      copy.#turns = [...this.#turns];
      copy.#usage = this.#usage;
      return copy;
    });
  }

  /**
   * Ends the session: running calls fail with `reason`. The model stays loaded.
   * @param {unknown} [reason]
   */
  destroy(reason = failure("AbortError", "The session was destroyed.")) {
    this.#end.abort(reason);
  }

  /** Checks the settings with the model, and reads the initial messages. @internal @param {AbortSignal} [signal] */
  async begin(signal) {
    /** @param {AbortSignal} one */
    const work = async (one) => {
      this.#conversation = await openSessionConversation(this.#model, this.#settings);
      const { generate, temperature, topK } = this.#settings;
      // Checks the options. The model would start with the first chunk, which we do not request.
      this.#model.generate("", { temperature, topK, ...generate });
      await compileConstraint(this.#model, this.#live, { signal: one });
      if (!this.#initial.length) return;
      await this.#readAll([], one);
      await this.#keep();
    };
    await this.#run(signal, work, { usual: "OperationError" });
  }

  #checkLive() {
    if (this.#end.signal.aborted) throw failure("InvalidStateError", "The session was destroyed.");
  }

  get #hasPast() {
    return this.#initial.length > 0 || this.#turns.length > 0;
  }

  #past(turns = this.#turns) {
    return [...this.#initial.map(plain), ...turns.flat()];
  }

  /**
   * Runs `work` after all earlier work of the session.
   * @template T
   * @param {AbortSignal | undefined} signal of the caller
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @param {{ left?: AbortSignal, usual?: string }} [how] left: aborted once no caller waits. usual: the default name
   *   of errors
   * @returns {Promise<T>}
   */
  async #run(signal, work, { left, usual = "UnknownError" } = {}) {
    this.#checkLive();
    signal?.throwIfAborted();
    const one = new AbortController();
    const signals = [signal, left, this.#end.signal].filter((other) => other !== undefined);
    /** @type {(error: unknown) => void} */
    let reject = () => {};
    const stop = () => {
      const { reason } = /** @type {AbortSignal} */ (signals.find(({ aborted }) => aborted));
      one.abort(reason);
      reject(reason);
    };
    for (const other of signals) other.addEventListener("abort", stop);
    const before = this.#queue;
    const result = (async () => {
      await before;
      one.signal.throwIfAborted();
      return work(one.signal);
    })();
    this.#queue = result.catch(() => {});
    try {
      return await Promise.race([result, new Promise((_, failed) => (reject = failed))]);
    } catch (error) {
      throw one.signal.aborted ? one.signal.reason : fromError(usual, error);
    } finally {
      for (const other of signals) other.removeEventListener("abort", stop);
    }
  }

  /**
   * @param {PromptInput} input
   * @param {PromptOptions} options
   * @param {AbortSignal} signal
   * @param {(text: string) => void} emit
   */
  async #answer(input, options, signal, emit) {
    checkConstraint(options);
    const read = readMessages(input, this.#hasPast);
    const last = read[read.length - 1];
    let prefix = last.prefix ? last.content : "";
    const messages = (last.prefix ? read.slice(0, -1) : read).map(plain);
    for (let round = 0; round < CALL_ROUNDS; round++) {
      const { text, reasoning, calls } = await this.#write(messages, { ...options, prefix }, signal, emit);
      const content = prefix + text;
      if (!calls.length) return this.#keep([...messages, { role: "assistant", content }]);
      messages.push({ role: "assistant", content, ...(reasoning && { reasoning }), toolCalls: calls });
      messages.push(...(await runCalls(calls, this.#settings.tools, signal)));
      prefix = "";
    }
    throw failure("UnknownError", `The model called tools ${CALL_ROUNDS} times in a row without an answer.`);
  }

  /**
   * One answer of the model, or its tool calls.
   * @param {Message[]} messages
   * @param {PromptOptions & { prefix: string }} options
   * @param {AbortSignal} signal
   * @param {(text: string) => void} emit
   */
  async #write(messages, options, signal, emit) {
    const { prefix } = options;
    const { prompt: turn, forget } = await this.#makeRoom(messages, { prefix });
    const { responseConstraint: constraint } = options;
    const wanted = { constraint, prefix, after: turn.after, signal };
    const grammar = await compileConstraint(this.#model, this.#live, wanted);
    let text = "";
    let reasoning = "";
    /** @type {{ id: string, name: string, input: string }[]} */
    const calls = [];
    forget();
    signal.throwIfAborted();
    const { generate, temperature, topK } = this.#settings;
    // A constraint holds for the bytes of a prefix, wherever tokens cut them.
    const how = { ...generate, ...(constraint && prefix && { heal: false }) };
    const said = constraint instanceof RegExp ? { regex: constraint } : { jsonSchema: constraint };
    const given = { temperature, topK, ...how, grammar: /** @type {any} */ (grammar), signal };
    const written = this.#model.generateAfter(turn.after, turn.ids, given, { thought: turn.limit });
    for await (const { chunk, pieces } of turn.read(written, { ...how, ...said })) {
      const { finishReason } = chunk;
      if (finishReason === "abort") throw signal.reason;
      for (const piece of pieces)
        if (piece.kind === "text") {
          text += piece.text;
          emit(piece.text);
        } else if (piece.kind === "reasoning") reasoning += piece.text;
        else if (piece.kind === "call") calls.push({ id: newId(), name: piece.name, input: "" });
        else if (piece.kind === "input") calls[calls.length - 1].input += piece.text;
        else if (piece.kind === "cut") throw failure("UnknownError", "The answer was cut off inside a tool call.");
      const isCut = finishReason === "length" || finishReason === "context" || finishReason === "loop";
      if (constraint && isCut && !calls.length)
        throw failure("SyntaxError", "The answer was cut off before it satisfied responseConstraint.");
      if (finishReason === "context") this.#overflow();
    }
    return {
      text,
      reasoning,
      calls: calls.map(({ id, name, input }) => /** @type {Call} */ ({ id, name, arguments: JSON.parse(input) })),
    };
  }

  /**
   * The prompt of all messages. If they do not fit, forgets the oldest turns.
   * @param {Message[]} messages
   * @param {{ prefix: string }} [answer] the answer that follows
   */
  async #makeRoom(messages, answer) {
    const turns = this.#turns;
    const isOpen = answer !== undefined;
    const promptWithout = (/** @type {number} */ count) =>
      this.#prompt([...this.#past(turns.slice(count)), ...messages], isOpen, answer?.prefix);
    const limits = { contextLength: this.contextWindow, maxTokens: answer ? this.#settings.generate.maxTokens : 0 };
    const { prompt, count } = await fitPrompt(promptWithout, turns.length, limits);
    if (prompt.ids.length > this.contextWindow - (answer ? 1 : 0))
      throw quotaExceeded(await this.#requested(messages, prompt.ids.length), this.contextWindow);
    const forget = () => {
      this.#turns = turns.slice(count);
      if (count) this.#overflow();
    };
    return { prompt, forget };
  }

  /** Says that the context was full. */
  #overflow() {
    for (const name of /** @type {const} */ (["contextoverflow", "quotaoverflow"])) {
      const event = new Event(name);
      this.dispatchEvent(event);
      this[`on${name}`]?.(event);
    }
  }

  /**
   * Tokens of a conversation that is too long, as measureContextUsage counts them, unless only the beginning of the
   * answer does not fit.
   * @param {Message[]} messages
   * @param {number} counted with the beginning of the answer
   */
  async #requested(messages, counted) {
    const { length } = (await this.#prompt([...this.#past([]), ...messages], false)).ids;
    return length > this.contextWindow ? length : counted;
  }

  /**
   * Makes the model read these messages, which it will need later.
   * @param {Message[]} messages
   * @param {AbortSignal} signal
   */
  async #readAll(messages, signal) {
    const { prompt, forget } = await this.#makeRoom(messages);
    forget();
    signal.throwIfAborted();
    for await (const { finishReason } of this.#model.generate(prompt.ids, { maxTokens: 1, signal }))
      if (finishReason === "abort") throw signal.reason;
  }

  /** @param {Message[]} [turn] */
  async #keep(turn) {
    if (turn) this.#turns = [...this.#turns, turn];
    this.#usage = (await this.#prompt(this.#past(), false)).ids.length;
  }

  /**
   * @param {Message[]} messages
   * @param {boolean} isOpen an answer follows
   * @param {string} [prefix] the beginning of the answer
   */
  #prompt(messages, isOpen, prefix) {
    return this.#live.prompt(messages, { isOpen, prefix });
  }

  get #live() {
    return /** @type {Conversation} */ (this.#conversation);
  }
}

/** @param {ReadMessage} message @returns {Message} */
const plain = ({ role, content }) => ({ role, content });
