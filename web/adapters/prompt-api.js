// The browser's Prompt API with a model that runs in the page, for browsers that lack it: the class LanguageModel of
// https://webmachinelearning.github.io/prompt-api/
import {
  checkBoolean,
  checkNames,
  checkObject,
  namedOptions,
  readLoopStop,
  typeError,
  unlessAborted,
} from "../engine.js";
import { loadModel } from "../index.js";
import { failure, fromError } from "./prompt-errors.js";
import { readMessages } from "./prompt-messages.js";
import { OutOfRange, languageOf, openSessionConversation, params, readCoreOptions } from "./prompt-options.js";
import { Session } from "./prompt-session.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./prompt-session.js").Session} LanguageModelSession */
/** @typedef {import("../index.js").GenerateOptions} GenerateOptions */
/** @typedef {import("../index.js").GenerateAliases} GenerateAliases */
/** @typedef {import("../index.js").LoadOptions} LoadOptions */
/** @typedef {import("../index.js").ModelSource} ModelSource */
/** @typedef {import("./prompt-messages.js").PromptMessage} PromptMessage */
/** @typedef {import("./prompt-messages.js").PromptInput} PromptInput */
/** @typedef {import("./prompt-session.js").PromptOptions} PromptOptions */
/** @typedef {import("./prompt-options.js").SamplingMode} SamplingMode */
/** @typedef {import("./prompt-options.js").CoreOptions} CoreOptions */
/** @typedef {import("./prompt-options.js").PartType} PartType */
/** @typedef {import("./prompt-tools.js").PromptTool} PromptTool */

/**
 * @typedef {object} LanguageModelSettings
 * @property {boolean} [install] sets globalThis.LanguageModel to the class if the browser has none. Default: false
 * @property {string | null} [chatTemplate] a Jinja template instead of the file's. null: none; the model gets the texts
 *   of the messages, one a line
 * @property {string[]} [languages] languages that the model reads and writes, such as "en". Sessions that expect
 *   another are refused. Default: all languages
 * @property {Omit<LoadOptions, "signal" | "onProgress">} [load] options of loadModel
 * @property {Omit<GenerateOptions & GenerateAliases, typeof sessionOptions[number]>} [generate] more options for every
 *   answer, such as seed, minP, maxTokens
 */

/** Options of generate that sessions and prompts set under their own names. */
const sessionOptions = /** @type {const} */ ([
  ...["temperature", "topK", "signal", "grammar", "jsonSchema", "regex", "choice", "ebnf", "lark", "toolCalls"],
  ...["structuralTags", "n", "echo", "captureDrafts", "captureBeams", "captureLogits"],
]);

/**
 * @typedef {object} OwnCreateOptions
 * @property {PromptMessage[]} [initialPrompts] never forgotten
 * @property {AbortSignal} [signal] stops the creation and, afterwards, destroys the session
 * @property {(monitor: EventTarget) => void} [monitor] gets the target of "downloadprogress" events
 */

/** @typedef {CoreOptions & OwnCreateOptions} CreateOptions */

/**
 * The class. create() makes its sessions: `new` throws.
 * @typedef {object} LanguageModelStatics
 * @property {(options?: CreateOptions) => Promise<Session>} create loads the model, if it is not loaded, and begins a
 *   session
 * @property {(options?: CoreOptions) => Promise<"unavailable" | "downloadable" | "downloading" | "available">} availability
 *   whether such a session is possible, and whether the model is loaded
 * @property {() => Promise<typeof params>} params defaults and limits of topK and temperature
 */

/**
 * The class LanguageModel over one model. As elsewhere on the web, unknown options have no effect.
 * @param {ModelSource | Model | (() => Model | Promise<Model>)} source a source for loadModel: the first create() loads
 *   it and the page keeps it; or a loaded model, which you dispose of; or a function that returns one
 * @param {LanguageModelSettings} [settings]
 * @returns {typeof Session & LanguageModelStatics}
 */
export function createLanguageModel(source, settings = {}) {
  checkNames("createLanguageModel", settings, ["install", "chatTemplate", "languages", "load", "generate"]);
  const { install, chatTemplate, languages, load = {} } = settings;
  const known = languages && Intl.getCanonicalLocales(languages).map(languageOf);
  checkBoolean("install", install);
  checkObject("load", load);
  const generate = readGenerate(settings.generate ?? {});
  const shared = new SharedModel(source, load);

  class LanguageModel extends Session {
    /** @param {CreateOptions} [options] */
    static async create(options = {}) {
      const core = readCoreOptions(options, known);
      const { signal, monitor, initialPrompts = [] } = options;
      signal?.throwIfAborted();
      const initial = initialPrompts.length ? readMessages(initialPrompts, false) : [];
      if (initial.some(({ prefix }) => prefix))
        throw failure("SyntaxError", "A prefix is for an answer, which initialPrompts do not ask for.");
      const model = await unlessAborted(signal, shared.open(monitor, signal));
      const session = new LanguageModel(model, { chatTemplate, generate, ...core }, initial);
      await session.begin(signal);
      signal?.addEventListener("abort", () => session.destroy(signal.reason), { once: true });
      return session;
    }

    /** @param {CoreOptions} [options] */
    static async availability(options = {}) {
      try {
        const core = readCoreOptions(options, known);
        if (shared.loaded) await openSessionConversation(shared.loaded, { chatTemplate, ...core });
      } catch (error) {
        const isLack = error instanceof DOMException && error.name === "NotSupportedError";
        if (isLack || error instanceof OutOfRange) return "unavailable";
        throw error;
      }
      return shared.state;
    }

    static async params() {
      return { ...params };
    }
  }

  // The names of the browser's class, which a bundler may have changed.
  Object.defineProperty(LanguageModel, "name", { value: "LanguageModel", configurable: true });
  Object.defineProperty(LanguageModel.prototype, Symbol.toStringTag, { value: "LanguageModel", configurable: true });
  if (install && !("LanguageModel" in globalThis)) Object.assign(globalThis, { LanguageModel });
  return LanguageModel;
}

/** More options of generate, by their names. @param {any} generate */
function readGenerate(generate) {
  checkObject("generate", generate);
  const named = namedOptions(generate);
  for (const name of Object.keys(named))
    if (sessionOptions.includes(/** @type {any} */ (name)))
      throw typeError("conflict", `generate cannot have ${name}: give it to a session or a prompt.`);
  readLoopStop(named.loops);
  return named;
}

/** The model of a class: loaded once for all sessions. */
class SharedModel {
  #source;
  #options;
  /** @type {Promise<Model> | undefined} */
  #model;
  /** @type {Set<EventTarget>} */
  #monitors = new Set();
  /** @type {"downloadable" | "downloading" | "available"} */
  state;
  /** @type {Model | undefined} */
  loaded;

  /**
   * @param {ModelSource | Model | (() => Model | Promise<Model>)} source
   * @param {LoadOptions} options
   */
  constructor(source, options) {
    this.#source = source;
    this.#options = options;
    this.loaded = isModel(source) ? source : undefined;
    this.state = this.loaded ? "available" : "downloadable";
  }

  /**
   * @param {(monitor: EventTarget) => void} [watch]
   * @param {AbortSignal} [signal] after which the monitor gets no more events
   * @returns {Promise<Model>}
   */
  async open(watch, signal) {
    const monitor = new EventTarget();
    watch?.(monitor);
    tell(monitor, 0);
    this.#monitors.add(monitor);
    const leave = () => this.#monitors.delete(monitor);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const model = await (this.#model ??= this.#load());
      if (this.#monitors.has(monitor)) tell(monitor, 1);
      // A listener may still abort at the end of the download.
      if (watch) await new Promise((resolve) => setTimeout(resolve));
      return model;
    } catch (error) {
      throw fromError("OperationError", error);
    } finally {
      leave();
      signal?.removeEventListener("abort", leave);
    }
  }

  async #load() {
    const source = this.#source;
    if (isModel(source)) return source;
    this.state = "downloading";
    /** @param {{ loaded: number, total: number }} bytes */
    const onProgress = ({ loaded, total }) => {
      if (loaded < total) for (const monitor of this.#monitors) tell(monitor, loaded / total);
    };
    try {
      const model = await (typeof source === "function"
        ? source()
        : loadModel(source, { ...this.#options, onProgress }));
      if (!isModel(model))
        throw typeError("bad-type", "The function of createLanguageModel must return a model from loadModel.");
      this.loaded = model;
      this.state = "available";
      return model;
    } catch (error) {
      this.#model = undefined;
      this.state = "downloadable";
      throw error;
    }
  }
}

/** @param {unknown} source @returns {source is Model} */
function isModel(source) {
  return typeof (/** @type {Model} */ (source)?.generate) === "function";
}

/**
 * @param {EventTarget} monitor
 * @param {number} loaded from 0 to 1
 */
function tell(monitor, loaded) {
  const type = "downloadprogress";
  // Node has no ProgressEvent.
  const event = globalThis.ProgressEvent
    ? new ProgressEvent(type, { lengthComputable: true, loaded, total: 1 })
    : Object.assign(new Event(type), { loaded, total: 1 });
  monitor.dispatchEvent(event);
}
