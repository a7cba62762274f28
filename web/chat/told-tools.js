// Adds to the messages what the chat template leaves out: the list of tools, tool calls and their results.
import { CDATA_BEGIN, CDATA_END } from "../grammar/readers/tool-call-styles.js";

/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").OpenAITool} OpenAITool */
/** @typedef {import("./traits.js").Traits} Traits */
/** @typedef {import("./traits.js").ToolCallStyle} ToolCallStyle */

/**
 * Copies the messages so that the template writes all of them. The caller's messages do not change.
 * @param {readonly Message[]} messages
 * @param {readonly OpenAITool[]} tools
 * @param {Traits} traits of the template
 * @param {ToolCallStyle} style of calls
 * @returns {Message[]}
 */
export function tellOfTools(messages, tools, traits, style) {
  const told = messages.map((message) => {
    if (message.role === "tool" && !traits.writesResults)
      return /** @type {Message} */ ({ role: "user", content: textOf(message) });
    return message.toolCalls && !traits.writesCalls ? withWrittenCalls(message, style) : message;
  });
  if (!tools.length || traits.isToldOfTools) return told;
  const words = describe(tools, style);
  const [first, ...rest] = told;
  // If the template has no system message, its text goes into the first message of the user.
  const isSystem = first.role === "system" || first.role === "developer";
  if (isSystem || !traits.hasSystem) {
    const parts = isSystem ? [textOf(first), words] : [words, textOf(first)];
    return [{ ...first, content: parts.join("\n\n") }, ...rest];
  }
  return [{ role: "system", content: words }, ...told];
}

/** @param {readonly OpenAITool[]} tools @param {ToolCallStyle} style */
function describe(tools, style) {
  const list = tools.map(({ function: { name, description, parameters } }) =>
    spaced({ name, description, parameters }),
  );
  const example = written("name of the function", style.parameters ? { "name of an argument": "…" } : "{…}", style);
  return `You can call these functions:\n${list.join("\n")}\nTo call one of them, write this, and nothing after it:\n${example}`;
}

/** @param {Message} message @param {ToolCallStyle} style @returns {Message} */
function withWrittenCalls(message, style) {
  const calls = (message.toolCalls ?? []).map((call) => written(call.name, call.arguments, style));
  return { ...message, content: [textOf(message), ...calls].filter(Boolean).join("\n") };
}

/** @param {string} name @param {any} input a text is written as it is @param {ToolCallStyle} style */
function written(name, input, { trigger, begin, end, close = "", parameters }) {
  const named = (/** @type {string} */ part) => part.replaceAll("{name}", () => name).replaceAll("{number}", "0");
  const value = parameters ? oneByOne(input, parameters) : typeof input === "string" ? input : spaced(input);
  return trigger + named(begin) + value + named(end) + close;
}

/** @param {Record<string, unknown>} input @param {NonNullable<ToolCallStyle["parameters"]>} style */
function oneByOne(input, { begin, end, separator = "", plain, quote = "", cdata }) {
  const items = Object.entries(input).map(([key, value]) => {
    const text = plain && typeof value === "string" ? quote + value + quote : spaced(value);
    const isSection = cdata && /[\n&<]/.test(text);
    return begin.replaceAll("{key}", () => key) + (isSection ? CDATA_BEGIN + text + CDATA_END : text) + end;
  });
  return items.join(separator);
}

/** Writes JSON with spaces, as templates do. @param {any} value @returns {string} */
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? "null" : spaced(item))).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`).join(", ")}}`;
}

/** @param {Pick<Message, "content">} message */
const textOf = ({ content = "" }) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));
