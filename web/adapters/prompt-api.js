// The browser's Prompt API over a model that runs in the page, for browsers that have none: the class LanguageModel of
// https://webmachinelearning.github.io/prompt-api/
import { checkBoolean, checkNames, checkObject } from "../core/arguments.js";
import { unlessAborted } from "../core/signal.js";
import { loadModel } from "../index.js";
import { failure, fromError } from "./prompt-errors.js";
import { readMessages } from "./prompt-messages.js";
import { Session } from "./prompt-session.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./prompt-session.js").Session} LanguageModelSession */
/** @typedef {import("../index.js").GenerateOptions} GenerateOptions */
/** @typedef {import("../index.js").GenerateAliases} GenerateAliases */
/** @typedef {import("../index.js").LoadOptions} LoadOptions */
/** @typedef {import("../model/load.js").ModelSource} ModelSource */
/** @typedef {import("./prompt-messages.js").PromptMessage} PromptMessage */
/** @typedef {import("./prompt-messages.js").PromptInput} PromptInput */
/** @typedef {import("./prompt-session.js").PromptOptions} PromptOptions */
/** @typedef {keyof typeof samplingModes} SamplingMode */

/**
 * @typedef {object} LanguageModelSettings
 * @property {boolean} [install] puts the class into globalThis.LanguageModel where the browser has none. Default: false
 * @property {string | null} [chatTemplate] in Jinja, instead of the one in the model's file. null: none, the model gets the
 *   texts of the messages, one a line
 * @property {string[]} [languages] that the model reads and writes, as "en". Sessions that expect another are then
 *   refused. Default: no language is refused
 * @property {Omit<LoadOptions, "signal" | "onProgress">} [load] how the model is loaded
 * @property {Omit<GenerateOptions & GenerateAliases, "signal" | "grammar" | "n">} [generate] further options for every answer, such as seed,
 *   minP, maxTokens
 */

/**
 * @typedef {object} CoreOptions
 * @property {SamplingMode} [samplingMode] Default: "balanced"
 * @property {number} [temperature] instead of samplingMode; from 0, above 2 means 2
 * @property {number} [topK] instead of samplingMode; from 1, above 1000 means 1000
 * @property {{ type: string, languages?: string[] }[]} [expectedInputs] "text" alone, in the model's languages
 * @property {{ type: string, languages?: string[] }[]} [expectedOutputs] "text" alone, in the model's languages
 * @property {object[]} [tools] not supported
 * @property {{ effort?: string, includeThoughts?: boolean }} [thinking] not supported, but for effort "none"
 */

/**
 * @typedef {object} OwnCreateOptions
 * @property {PromptMessage[]} [initialPrompts] never forgotten
 * @property {AbortSignal} [signal] stops the creation and, afterwards, destroys the session
 * @property {(monitor: EventTarget) => void} [monitor] gets the target of the events "downloadprogress"
 */

/** @typedef {CoreOptions & OwnCreateOptions} CreateOptions */

/**
 * The class. Its sessions are those of create(): `new` throws.
 * @typedef {object} LanguageModelStatics
 * @property {(options?: CreateOptions) => Promise<Session>} create loads the model, unless that is done, and begins a session
 * @property {(options?: CoreOptions) => Promise<"unavailable" | "downloadable" | "downloading" | "available">} availability
 *   whether such sessions can be had, and whether the model is there
 * @property {() => Promise<typeof params>} params defaults and limits of topK and temperature
 */

/** What the modes mean here. */
const samplingModes = {
  "most-predictable": { temperature: 0, topK: 1 },
  predictable: { temperature: 0.3, topK: 10 },
  "slightly-predictable": { temperature: 0.6, topK: 20 },
  balanced: { temperature: 0.8, topK: 40 },
  "slightly-creative": { temperature: 1, topK: 60 },
  creative: { temperature: 1.2, topK: 100 },
  "most-creative": { temperature: 1.5, topK: 200 },
};

const { temperature: defaultTemperature, topK: defaultTopK } = samplingModes.balanced;
const params = { defaultTopK, maxTopK: 1000, defaultTemperature, maxTemperature: 2 };

/**
 * The class LanguageModel over one model. As elsewhere on the web, unknown options have no effect.
 * @param {ModelSource | Model | (() => Model | Promise<Model>)} source what loadModel takes, which the first create() loads
 *   and the page keeps; or a loaded model, which is yours to dispose; or a function that gives one
 * @param {LanguageModelSettings} [settings]
 * @returns {typeof Session & LanguageModelStatics}
 */
export function createLanguageModel(source, settings = {}) {
  checkNames("createLanguageModel", settings, ["install", "chatTemplate", "languages", "load", "generate"]);
  const { install, chatTemplate, languages, load = {}, generate = {} } = settings;
  const known = languages && Intl.getCanonicalLocales(languages).map(languageOf);
  checkBoolean("install", install);
  checkObject("load", load);
  checkObject("generate", generate);
  const shared = new SharedModel(source, load);

  class LanguageModel extends Session {
    /** @param {CreateOptions} [options] */
    static async create(options = {}) {
      const sampling = readSampling(options);
      const { signal, monitor, initialPrompts = [] } = options;
      signal?.throwIfAborted();
      const lack = lackOf(options, known);
      if (lack) throw failure("NotSupportedError", lack);
      const initial = initialPrompts.length ? readMessages(initialPrompts, false) : [];
      if (initial.some(({ prefix }) => prefix))
        throw failure("SyntaxError", "A prefix is for an answer, which initialPrompts do not ask for.");
      const model = await unlessAborted(signal, shared.open(monitor));
      const session = new LanguageModel(model, { chatTemplate, generate, ...sampling }, initial);
      await session.begin(signal);
      signal?.addEventListener("abort", () => session.destroy(signal.reason), { once: true });
      return session;
    }

    /** @param {CoreOptions} [options] */
    static async availability(options = {}) {
      readSampling(options);
      return lackOf(options, known) ? "unavailable" : shared.state;
    }

    static async params() {
      return { ...params };
    }
  }

  // The names that the browser's class has, whatever the bundler made of them.
  Object.defineProperty(LanguageModel, "name", { value: "LanguageModel", configurable: true });
  Object.defineProperty(LanguageModel.prototype, Symbol.toStringTag, { value: "LanguageModel", configurable: true });
  if (install && !("LanguageModel" in globalThis)) Object.assign(globalThis, { LanguageModel });
  return LanguageModel;
}

/** The model of a class: loaded once, for all who want it. */
class SharedModel {
  #source;
  #options;
  /** @type {Promise<Model> | undefined} */
  #model;
  /** @type {Set<EventTarget>} */
  #monitors = new Set();
  /** @type {"downloadable" | "downloading" | "available"} */
  state;

  /**
   * @param {ModelSource | Model | (() => Model | Promise<Model>)} source
   * @param {LoadOptions} options
   */
  constructor(source, options) {
    this.#source = source;
    this.#options = options;
    this.state = isModel(source) ? "available" : "downloadable";
  }

  /**
   * @param {(monitor: EventTarget) => void} [watch]
   * @returns {Promise<Model>}
   */
  async open(watch) {
    const monitor = new EventTarget();
    watch?.(monitor);
    tell(monitor, 0);
    this.#monitors.add(monitor);
    try {
      const model = await (this.#model ??= this.#load());
      tell(monitor, 1);
      return model;
    } catch (error) {
      throw fromError("OperationError", error);
    } finally {
      this.#monitors.delete(monitor);
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

/** @param {CoreOptions} options */
function readSampling({ samplingMode, temperature, topK }) {
  if (temperature === undefined && topK === undefined) {
    const mode = samplingMode ?? "balanced";
    if (!Object.hasOwn(samplingModes, mode))
      throw new TypeError(`samplingMode is one of ${Object.keys(samplingModes).join(", ")}.`);
    return { samplingMode: mode, ...samplingModes[mode] };
  }
  if (samplingMode !== undefined) throw new TypeError("samplingMode already says what temperature and topK are.");
  const [heat, count] = [Number(temperature ?? defaultTemperature), Number(topK ?? defaultTopK)];
  if (!(heat >= 0)) throw new RangeError("temperature is at least 0.");
  if (!(count >= 1)) throw new RangeError("topK is at least 1.");
  const { maxTemperature, maxTopK } = params;
  return {
    samplingMode: null,
    temperature: Math.min(heat, maxTemperature),
    topK: Math.floor(Math.min(count, maxTopK)),
  };
}

/** @param {string} locale */
const languageOf = (locale) => new Intl.Locale(locale).language;

/**
 * A sentence that says which option is not supported; undefined where all are.
 * @param {CoreOptions} options
 * @param {string[]} [known] languages
 */
function lackOf({ expectedInputs = [], expectedOutputs = [], tools = [], thinking }, known) {
  for (const { type, languages = [] } of [...expectedInputs, ...expectedOutputs]) {
    const missing = Intl.getCanonicalLocales(languages).find((locale) => known && !known.includes(languageOf(locale)));
    if (missing) return `The model has no language "${missing}", only ${known?.join(", ")}.`;
    if (type !== "text") return `The model reads and writes text alone, not "${type}".`;
  }
  if (tools.length) return "Tools are not supported.";
  if (thinking && ((thinking.effort ?? "none") !== "none" || thinking.includeThoughts))
    return "The model answers without thinking first.";
  return undefined;
}
