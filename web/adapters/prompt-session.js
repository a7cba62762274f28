// A session of the Prompt API: a conversation of prompts in turn. The oldest messages are forgotten when it gets too long.
import { openConversation } from "../chat/conversation.js";
import { failure, fromError, quotaExceeded } from "./prompt-errors.js";
import { readMessages } from "./prompt-messages.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./prompt-messages.js").PromptInput} PromptInput */
/** @typedef {import("./prompt-messages.js").ReadMessage} ReadMessage */

/**
 * @typedef {object} PromptOptions
 * @property {object | RegExp} [responseConstraint] a JSON Schema that the answer satisfies, or what it matches as a whole
 * @property {boolean} [omitResponseConstraintInput] the model is never told of the constraint, so this changes nothing
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} SessionSettings
 * @property {string | null} [chatTemplate]
 * @property {object} generate options of model.generate
 * @property {string | null} samplingMode
 * @property {number} temperature
 * @property {number} topK
 */

export class Session extends EventTarget {
  #model;
  #settings;
  #initial;
  /** What can be forgotten: messages with the answer to them. @type {ReadMessage[][]} */
  #turns = [];
  #usage = 0;
  #end = new AbortController();
  /** The last of those that wait for their turn. @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {((event: Event) => void) | null} messages were forgotten, to make room */
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

  /** null where temperature or topK was given. */
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
   * Asks the model. The pieces of the answer, joined, are the answer.
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
        this.#run(options.signal, (signal) => this.#answer(input, options, signal, emit), left.signal).then(
          () => left.signal.aborted || controller.close(),
          (error) => controller.error(error),
        );
      },
      cancel: () => left.abort(),
    });
  }

  /**
   * Adds messages without asking for an answer. The model reads them meanwhile, so that the next answer begins sooner.
   * @param {PromptInput} input
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<void>}
   */
  async append(input, options = {}) {
    await this.#run(options.signal, async (signal) => {
      const messages = readMessages(input, this.#hasPast);
      if (messages.some(({ prefix }) => prefix))
        throw failure("SyntaxError", "A prefix is for an answer, which append does not ask for.");
      await this.#readAll(messages, signal);
      await this.#keep(messages);
    });
  }

  /**
   * Tokens that a prompt would add to contextUsage before the answer does.
   * @param {PromptInput} input
   * @param {PromptOptions} [options]
   * @returns {Promise<number>}
   */
  async measureContextUsage(input, options = {}) {
    this.#checkLive();
    checkConstraint(options);
    options.signal?.throwIfAborted();
    const messages = readMessages(input, this.#hasPast);
    const { ids } = await this.#prompt([...this.#past(), ...messages], true);
    options.signal?.throwIfAborted();
    return ids.length - this.#usage;
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
   * An independent session with the same messages, which the model does not read again.
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<this>}
   */
  async clone({ signal } = {}) {
    return this.#run(signal, async () => {
      const { constructor } = /** @type {any} */ (this);
      const copy = new constructor(this.#model, this.#settings, this.#initial);
      copy.#turns = [...this.#turns];
      copy.#usage = this.#usage;
      return copy;
    });
  }

  /**
   * Ends the session: calls that still run fail with `reason`. The model stays loaded.
   * @param {unknown} [reason]
   */
  destroy(reason = failure("AbortError", "The session was destroyed.")) {
    this.#end.abort(reason);
  }

  /** Reads the initial messages. @internal @param {AbortSignal} [signal] */
  async begin(signal) {
    if (!this.#initial.length) return;
    await this.#run(signal, async (one) => {
      await this.#readAll([], one);
      await this.#keep();
    });
  }

  #checkLive() {
    if (this.#end.signal.aborted) throw failure("InvalidStateError", "The session was destroyed.");
  }

  get #hasPast() {
    return this.#initial.length > 0 || this.#turns.length > 0;
  }

  #past(turns = this.#turns) {
    return [...this.#initial, ...turns.flat()];
  }

  /**
   * Runs `work` after all earlier work of the session.
   * @template T
   * @param {AbortSignal | undefined} signal of the caller
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @param {AbortSignal} [left] nobody waits any more
   * @returns {Promise<T>}
   */
  async #run(signal, work, left) {
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
      throw one.signal.aborted ? one.signal.reason : fromError("UnknownError", error);
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
    const messages = readMessages(input, this.#hasPast);
    const { prompt: turn, forget } = await this.#makeRoom(messages, true);
    const grammar = await this.#compile(options.responseConstraint, turn.after, signal);
    try {
      forget();
      signal.throwIfAborted();
      const { generate, temperature, topK } = this.#settings;
      let answer = "";
      const written = this.#model.generate(turn.ids, { temperature, topK, ...generate, grammar, signal });
      for await (const { chunk, pieces } of turn.read(written)) {
        const { finishReason } = chunk;
        if (finishReason === "abort") throw signal.reason;
        // Thoughts are not shown.
        for (const piece of pieces)
          if (piece.kind === "text") {
            answer += piece.text;
            emit(piece.text);
          }
        if (grammar && (finishReason === "length" || finishReason === "context"))
          throw failure("SyntaxError", "The answer was cut off before it satisfied responseConstraint.");
      }
      const last = messages.at(-1);
      const begun = last?.prefix ? last.content : "";
      const rest = last?.prefix ? messages.slice(0, -1) : messages;
      await this.#keep([...rest, { role: "assistant", content: begun + answer, prefix: false }]);
    } finally {
      grammar?.dispose();
    }
  }

  /**
   * @param {unknown} constraint
   * @param {import("../chat/conversation.js").Turn["after"]} after
   * @param {AbortSignal} signal
   */
  async #compile(constraint, after, signal) {
    if (constraint === undefined) return undefined;
    const shared = { vocabulary: this.#model.vocabulary, signal, after };
    const { compileGrammar } = await import("../index.js");
    if (constraint instanceof RegExp) return compileGrammar({ ...shared, regex: constraint });
    // Small models may write whitespace without end.
    const jsonSchema = /** @type {object} */ (constraint);
    return compileGrammar({ ...shared, jsonSchema, whitespace: "compact" });
  }

  /**
   * The prompt of all messages; without the oldest turns, which are then forgotten, where they do not fit.
   * @param {ReadMessage[]} messages
   * @param {boolean} isOpen an answer is to follow
   */
  async #makeRoom(messages, isOpen) {
    const room = this.contextWindow - (isOpen ? 1 : 0);
    let turns = this.#turns;
    let prompt = await this.#prompt([...this.#past(), ...messages], isOpen);
    while (prompt.ids.length > room) {
      if (!turns.length) throw quotaExceeded(prompt.ids.length, this.contextWindow);
      turns = turns.slice(1);
      prompt = await this.#prompt([...this.#past(turns), ...messages], isOpen);
    }
    const forget = () => {
      if (turns === this.#turns) return;
      this.#turns = turns;
      for (const name of /** @type {const} */ (["contextoverflow", "quotaoverflow"])) {
        const event = new Event(name);
        this.dispatchEvent(event);
        this[`on${name}`]?.(event);
      }
    };
    return { prompt, forget };
  }

  /**
   * Lets the model compute what it will need again.
   * @param {ReadMessage[]} messages
   * @param {AbortSignal} signal
   */
  async #readAll(messages, signal) {
    const { prompt, forget } = await this.#makeRoom(messages, false);
    forget();
    signal.throwIfAborted();
    for await (const { finishReason } of this.#model.generate(prompt.ids, { maxTokens: 1, signal }))
      if (finishReason === "abort") throw signal.reason;
  }

  /** @param {ReadMessage[]} [turn] */
  async #keep(turn) {
    if (turn) this.#turns = [...this.#turns, turn];
    this.#usage = (await this.#prompt(this.#past(), false)).ids.length;
  }

  /**
   * @param {ReadMessage[]} messages
   * @param {boolean} isOpen
   */
  async #prompt(messages, isOpen) {
    const last = messages.at(-1);
    const prefix = last?.prefix ? last.content : undefined;
    const whole = prefix === undefined ? messages : messages.slice(0, -1);
    const { chatTemplate = this.#model.config.chatTemplate } = this.#settings;
    const conversation = await openConversation(this.#model, { chatTemplate });
    return conversation.prompt(
      whole.map(({ role, content }) => ({ role, content })),
      { isOpen, prefix },
    );
  }
}

/** @param {PromptOptions} options */
function checkConstraint({ responseConstraint, omitResponseConstraintInput = false }) {
  if (responseConstraint !== undefined && (typeof responseConstraint !== "object" || responseConstraint === null))
    throw new TypeError("responseConstraint is a JSON Schema or a RegExp.");
  if (omitResponseConstraintInput && responseConstraint === undefined)
    throw new TypeError("omitResponseConstraintInput means nothing without responseConstraint.");
}
