// Conversations as text and tokens: by the chat template of the model's file, or another.
import { checkNames } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { ChatError } from "./errors.js";
import { Marks } from "./marks.js";
import { readMessages, readTools } from "./messages.js";
import { openTemplate } from "./template.js";

/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").TemplateMessage} TemplateMessage */
/** @typedef {Omit<import("./types.js").ChatModel, "dropsSpace">} ChatModel */

/**
 * @typedef {object} PromptOptions
 * @property {string | null} [chatTemplate] in Jinja, instead of the one in the model's file. null: none, the texts one a
 *   line, without roles
 * @property {(import("./messages.js").Tool | import("./messages.js").OpenAITool)[]} [tools] that the template may tell the
 *   model of
 * @property {boolean} [addGenerationPrompt] the model is to answer. Default: true
 * @property {string} [prefix] with which its answer begins
 * @property {Record<string, unknown>} [switches] further values for the template, such as enable_thinking
 * @property {Date} [date] for templates that write it. Default: now
 */

/**
 * @typedef {object} ApplyOptions
 * @property {(import("./messages.js").Tool | import("./messages.js").OpenAITool)[]} [tools] that the template may tell the model of
 * @property {boolean} [addGenerationPrompt] end with what begins an answer. Default: true
 * @property {boolean} [tokens] give token ids instead of the text. Default: false
 * @property {string} [chatTemplate] in Jinja, instead of the one in the model's file
 * @property {Record<string, unknown>} [switches] further values for the template, such as { enable_thinking: false }
 */

/** What is known of a vocabulary's control tokens. @type {WeakMap<object, { marks: Marks, names: RegExp }>} */
const controls = new WeakMap();

/** @param {Record<string, number>} special control tokens by name */
function controlsOf(special) {
  let known = controls.get(special);
  if (!known) {
    // The longest first: if one name is a prefix of another, the longer name counts.
    const names = Object.keys(special)
      .filter(Boolean)
      .sort((a, b) => b.length - a.length);
    const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    // eslint-disable-next-line no-restricted-syntax -- names, escaped, as alternatives
    known = { marks: new Marks(names), names: new RegExp(`(${escaped.join("|") || "[]"})`) };
    controls.set(special, known);
  }
  return known;
}

/**
 * A conversation as a text, with stand-ins in all parts that are not the template's.
 * @param {ChatModel} model
 * @param {TemplateMessage[]} messages
 * @param {PromptOptions} options
 * @param {string} source
 * @param {Marks} marks
 */
async function render(model, messages, { tools, addGenerationPrompt = true, switches, date }, source, marks) {
  const { special, eos } = model.vocabulary;
  const nameOf = (/** @type {number | null | undefined} */ id) =>
    Object.keys(special).find((name) => special[name] === id) ?? "";
  const told = readTools(tools);
  const template = await openTemplate(source);
  const values = {
    ...switches,
    tools: told.length ? told : null,
    add_generation_prompt: addGenerationPrompt,
    bos_token: nameOf(model.config.bos),
    eos_token: nameOf(eos[0]),
  };
  const spoken = source.includes("developer") ? messages : messages.map(withoutDeveloper);
  try {
    return template.render({ ...values, messages: spoken }, { date, marks });
  } catch (error) {
    // Some templates take the arguments of calls as JSON rather than as an object.
    const isFault = error instanceof ChatError && error.code === "template-invalid";
    if (!isFault || !spoken.some(({ tool_calls: calls }) => calls)) throw error;
    try {
      return template.render({ ...values, messages: spoken.map(withWrittenArguments) }, { date, marks });
    } catch {
      throw error;
    }
  }
}

/** Most templates have no developer role. @param {TemplateMessage} message */
const withoutDeveloper = (message) => (message.role === "developer" ? { ...message, role: "system" } : message);

/** @param {TemplateMessage} message */
function withWrittenArguments(message) {
  const { tool_calls: calls } = message;
  if (!calls) return message;
  return {
    ...message,
    tool_calls: calls.map((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.stringify(call.function.arguments) },
    })),
  };
}

/**
 * A conversation as text and token ids. Names of control tokens become tokens only where the template writes them: messages,
 * tools and the prefix are text. The BOS token comes once, from the template or from here.
 * @param {ChatModel} model
 * @param {Message[]} messages
 * @param {PromptOptions} [options]
 * @returns {Promise<{ text: string, ids: number[] }>}
 * @throws bad-message, bad-type, template-missing, template-invalid, template-refused, template-limit
 */
export async function writePrompt(model, messages, options = {}) {
  const { chatTemplate = model.config.chatTemplate, prefix = "" } = options;
  const { bos, addBos } = model.config;
  const read = readMessages(messages);
  if (chatTemplate === null) {
    if (options.chatTemplate !== null) throw new ChatError("template-missing");
    const text = [...read.map(plainText), ...(prefix ? [prefix] : [])].join("\n");
    return { text, ids: await model.tokenize(text, { bos: addBos }) };
  }
  const { special } = model.vocabulary;
  const { marks, names } = controlsOf(special);
  const written = (await render(model, read, options, chatTemplate, marks)) + marks.put(prefix);
  const parts = written.split(names).map((part, i) => (i % 2 ? special[part] : marks.remove(part)));
  const ids = await model.tokenize(parts);
  if (addBos && bos !== null && ids[0] !== bos) ids.unshift(bos);
  return { text: marks.remove(written), ids };
}

/**
 * Model.applyTemplate.
 * @param {ChatModel} model
 * @param {Message[]} messages
 * @param {ApplyOptions} options
 */
export async function applyTemplate(model, messages, options) {
  checkNames("applyTemplate", options, ["tools", "addGenerationPrompt", "tokens", "chatTemplate", "switches"]);
  const { tokens = false, chatTemplate = model.config.chatTemplate, ...others } = options;
  for (const [name, value] of Object.entries({ tokens, addGenerationPrompt: others.addGenerationPrompt ?? true }))
    if (typeof value !== "boolean") throw typeError("bad-type", `${name} must be true or false.`);
  if (chatTemplate === null) throw new ChatError("template-missing");
  if (typeof chatTemplate !== "string") throw typeError("bad-type", "chatTemplate must be a text in Jinja.");
  if (tokens) return (await writePrompt(model, messages, { ...others, chatTemplate })).ids;
  const { marks } = controlsOf(model.vocabulary.special);
  return marks.remove(await render(model, readMessages(messages), others, chatTemplate, marks));
}

/** @param {TemplateMessage} message */
function plainText({ content, tool_calls: calls = [] }) {
  const written = calls.map(({ function: { name, arguments: input } }) => JSON.stringify({ name, arguments: input }));
  return [...(content || !written.length ? [content] : []), ...written].join("\n");
}
