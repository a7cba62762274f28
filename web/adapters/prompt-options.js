// Checks the options of a session of the Prompt API: once before its model is loaded, and again with the model.
import { openConversation } from "../engine.js";
import { failure } from "./prompt-errors.js";
import { partTypes } from "./prompt-messages.js";
import { readTools } from "./prompt-tools.js";

/** @typedef {keyof typeof samplingModes} SamplingMode */

/** @typedef {"text" | "image" | "audio" | "tool-call" | "tool-response"} PartType kinds of content, as the Prompt API names them */

/**
 * @typedef {object} CoreOptions
 * @property {SamplingMode} [samplingMode] Default: "balanced"
 * @property {number} [temperature] instead of samplingMode; from 0, above 2 means 2
 * @property {number} [topK] instead of samplingMode; from 1, above 1000 means 1000
 * @property {{ type: PartType, languages?: string[] }[]} [expectedInputs] "text" in the model's languages, and "tool-response"
 * @property {{ type: PartType, languages?: string[] }[]} [expectedOutputs] "text" in the model's languages, and "tool-call",
 *   which tools need
 * @property {import("./prompt-tools.js").PromptTool[]} [tools] functions of the page that the model may call
 * @property {{ effort?: typeof efforts[number], includeThoughts?: false }} [thinking] effort: "none" for an answer
 *   without a thought; "low", "medium" and "high" as in model.chat. The model's template has the default. The thought
 *   is never part of the answer
 */

/** The options of each mode. */
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
export const params = { defaultTopK, maxTopK: 1000, defaultTemperature, maxTemperature: 2 };

const efforts = /** @type {const} */ (["none", "low", "medium", "high"]);

/**
 * @param {CoreOptions} options
 * @param {string[]} [known] languages; undefined: all
 * @throws {TypeError | RangeError | DOMException} "NotSupportedError": no model of this class can do this
 */
export function readCoreOptions(options, known) {
  if (typeof options !== "object" || options === null) throw new TypeError("The options are an object.");
  const { expectedInputs = [], expectedOutputs = [], tools = [], thinking } = options;
  checkExpected("expectedInputs", expectedInputs, ["text", "tool-response"], known);
  checkExpected("expectedOutputs", expectedOutputs, ["text", "tool-call"], known);
  const read = readTools(tools);
  if (read.length && !expectedOutputs.some(({ type }) => type === "tool-call"))
    throw new TypeError('Tools need { type: "tool-call" } in expectedOutputs.');
  return { ...readSampling(options), tools: read, reasoning: readThinking(thinking) };
}

/**
 * @param {string} name
 * @param {{ type: PartType, languages?: string[] }[]} expected
 * @param {string[]} types that are supported
 * @param {string[]} [known]
 */
function checkExpected(name, expected, types, known) {
  for (const { type, languages = [] } of expected) {
    if (!partTypes.includes(type)) throw new TypeError(`A type of ${name} is one of ${partTypes.join(", ")}.`);
    const missing = Intl.getCanonicalLocales(languages).find((locale) => known && !known.includes(languageOf(locale)));
    if (missing)
      throw failure("NotSupportedError", `The model has no language "${missing}", only ${known?.join(", ")}.`);
    if (!types.includes(type))
      throw failure("NotSupportedError", `The model reads and writes only text, so ${name} cannot have "${type}".`);
  }
}

/** @param {string} locale */
export const languageOf = (locale) => new Intl.Locale(locale).language;

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
  if (!(heat >= 0)) throw new OutOfRange("temperature is at least 0.");
  if (!(count >= 1)) throw new OutOfRange("topK is at least 1.");
  const { maxTemperature, maxTopK } = params;
  return {
    samplingMode: null,
    temperature: Math.min(heat, maxTemperature),
    topK: Math.floor(Math.min(count, maxTopK)),
  };
}

/** A number for which create() fails, and availability() says "unavailable". */
export class OutOfRange extends RangeError {
  name = "RangeError";
}

/** @param {CoreOptions["thinking"]} thinking */
function readThinking(thinking) {
  if (thinking === undefined) return undefined;
  const { effort, includeThoughts = false } = thinking;
  if (effort !== undefined && !efforts.includes(effort))
    throw new TypeError(`thinking.effort is one of ${efforts.join(", ")}.`);
  if (includeThoughts) throw failure("NotSupportedError", "An answer is a text, which holds no thoughts.");
  if (effort === undefined) return undefined;
  return effort === "none" ? /** @type {const} */ ("off") : { effort };
}

/**
 * The conversation of a session.
 * @param {import("../index.js").Model} model
 * @param {Pick<import("./prompt-session.js").SessionSettings, "chatTemplate" | "tools" | "reasoning">} settings
 * @throws {DOMException} "NotSupportedError": the model's template cannot express this
 */
export async function openSessionConversation(model, { chatTemplate = model.config.chatTemplate, tools, reasoning }) {
  if (chatTemplate === null && tools.length)
    throw failure("NotSupportedError", "The model has no chat template, so it cannot be told of tools.");
  const given = tools.map(({ type, function: tool }) => ({ type, function: tool }));
  const usual = await openConversation(model, { chatTemplate, tools: given });
  if (reasoning && reasoning !== "off" && !usual.traits.thought)
    throw failure("NotSupportedError", 'The model answers without thinking first, so thinking.effort must be "none".');
  return reasoning ? openConversation(model, { chatTemplate, tools: given, reasoning }) : usual;
}
