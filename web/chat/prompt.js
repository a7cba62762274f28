// Turns conversations into text and tokens with a chat template: the one in the model's file, or another.
import { checkNames } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { ChatError } from "./chat-errors.js";
import { StandIns } from "./stand-ins.js";
import { readMessages, readTools } from "./messages.js";
import { openTemplate } from "./template.js";

/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").TemplateMessage} TemplateMessage */
/** @typedef {Omit<import("./chat-types.js").ChatModel, "dropsSpace">} ChatModel */

/**
 * @typedef {object} PromptOptions
 * @property {string | null} [chatTemplate] a Jinja template instead of the file's. null: none; the texts, one a line,
 *   without roles
 * @property {(import("./messages.js").Tool | import("./messages.js").OpenAITool)[]} [tools] that the template may tell the
 *   model of
 * @property {boolean} [addGenerationPrompt] end with the beginning of an answer. Default: true
 * @property {string} [prefix] the beginning of the answer
 * @property {Record<string, unknown>} [switches] extra variables for the template, such as enable_thinking
 * @property {Date} [date] date that a template may write. Default: now
 */

/**
 * @typedef {object} ApplyOptions
 * @property {(import("./messages.js").Tool | import("./messages.js").OpenAITool)[]} [tools] that the template may tell the model of
 * @property {boolean} [addGenerationPrompt] end with the beginning of an answer. Default: true
 * @property {boolean} [tokens] return token ids instead of text. Default: false
 * @property {string} [chatTemplate] a Jinja template instead of the file's
 * @property {Record<string, unknown>} [switches] extra variables for the template, such as { enable_thinking: false }
 */

/** What we know about a vocabulary's control tokens. @type {WeakMap<object, { standIns: StandIns, names: RegExp }>} */
const controls = new WeakMap();

/** @param {Record<string, number>} special control tokens by name */
function controlsOf(special) {
  let known = controls.get(special);
  if (!known) {
    // Longest first: if one name is a prefix of another, the longer one counts.
    const names = Object.keys(special)
      .filter(Boolean)
      .sort((a, b) => b.length - a.length);
    const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    // eslint-disable-next-line no-restricted-syntax -- names, escaped, as alternatives
    known = { standIns: new StandIns(names), names: new RegExp(`(${escaped.join("|") || "[]"})`) };
    controls.set(special, known);
  }
  return known;
}

/**
 * Renders a conversation, with stand-ins in all text that is not the template's.
 * @param {ChatModel} model
 * @param {TemplateMessage[]} messages
 * @param {PromptOptions} options
 * @param {string} source
 * @param {StandIns} standIns
 */
async function render(model, messages, { tools, addGenerationPrompt = true, switches, date }, source, standIns) {
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
  let spoken = source.includes("developer") ? messages : messages.map(withoutDeveloper);
  if (source.includes(".thinking") && !source.includes("reasoning_content")) spoken = spoken.map(withThinking);
  try {
    return template.render({ ...values, messages: spoken }, { date, standIns });
  } catch (error) {
    // Some templates take the arguments of calls as JSON rather than as an object.
    const isFault = error instanceof ChatError && error.code === "template-invalid";
    if (!isFault || !spoken.some(({ tool_calls: calls }) => calls)) throw error;
    try {
      return template.render({ ...values, messages: spoken.map(withWrittenArguments) }, { date, standIns });
    } catch {
      throw error;
    }
  }
}

/** Most templates have no developer role. @param {TemplateMessage} message */
const withoutDeveloper = (message) => (message.role === "developer" ? { ...message, role: "system" } : message);

/**
 * Templates of gpt-oss call the thought so, and refuse one beside both a text and calls.
 * @param {TemplateMessage} message
 */
function withThinking(message) {
  const { reasoning_content: thinking, ...rest } = message;
  return thinking === undefined || (rest.tool_calls && rest.content) ? rest : { ...rest, thinking };
}

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
 * Renders a conversation as text and token ids. Names of control tokens become tokens only where the template writes
 * them: messages, tools and the prefix are plain text. The BOS token comes once, from the template or from us.
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
  const { standIns, names } = controlsOf(special);
  const written = (await render(model, read, options, chatTemplate, standIns)) + standIns.put(prefix);
  const parts = written.split(names).map((part, i) => (i % 2 ? special[part] : standIns.remove(part)));
  const ids = await model.tokenize(parts);
  if (addBos && bos !== null && ids[0] !== bos) ids.unshift(bos);
  return { text: standIns.remove(written), ids };
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
  const { standIns } = controlsOf(model.vocabulary.special);
  return standIns.remove(await render(model, readMessages(messages), others, chatTemplate, standIns));
}

/** @param {TemplateMessage} message */
function plainText({ content, tool_calls: calls = [] }) {
  const written = calls.map(({ function: { name, arguments: input } }) => JSON.stringify({ name, arguments: input }));
  return [...(content || !written.length ? [content] : []), ...written].join("\n");
}
