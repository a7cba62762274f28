// Checks messages and tools, and converts them to the form of chat templates.
import { checkNames, checkObject } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { refuseForeignSchema } from "../core/foreign-schema.js";
import { plainText } from "../core/plain-data.js";

/**
 * A message.
 * @typedef {object} Message
 * @property {"system" | "developer" | "user" | "assistant" | "tool"} role
 * @property {string | { type: "text", text: string }[]} [content] required, except in an answer with calls or reasoning
 * @property {string} [reasoning] the thought before this answer
 * @property {{ id?: string, name: string, arguments: object }[]} [toolCalls] in an answer
 * @property {string} [toolCallId] id of the call that this is the result of. Default: the first call without a result
 * @property {string} [name] name of the speaker or the tool. Default for a tool: the name in the call
 */

/**
 * A tool that a model may call.
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} [description]
 * @property {object} [parameters] JSON Schema of the arguments. They are always an object, even if the schema allows
 *   other values
 */
/** @typedef {{ type: "function", function: Tool }} OpenAITool a tool as OpenAI's interface has it */

/**
 * A message in the form of chat templates.
 * @typedef {object} TemplateMessage
 * @property {string} role
 * @property {string} content
 * @property {string} [reasoning_content]
 * @property {string} [thinking] what some templates call it
 * @property {{ id: string, type: "function", function: { name: string, arguments: object | string } }[]} [tool_calls]
 * @property {string} [tool_call_id]
 * @property {string} [name]
 */

const ROLES = ["system", "developer", "user", "assistant", "tool"];
const FIELDS = ["role", "content", "reasoning", "toolCalls", "toolCallId", "name"];

/** @param {string} detail */
const messageError = (detail) => typeError("bad-message", detail);

/**
 * @param {any} messages
 * @returns {TemplateMessage[]}
 * @throws {TypeError} bad-message
 */
export function readMessages(messages) {
  checkMessages(messages);
  /** Calls so far, and whether they have a result. @type {Map<string, { name: string, isDone: boolean }>} */
  const calls = new Map();
  return messages.map((/** @type {any} */ message, /** @type {number} */ i) =>
    readMessage(message, `messages[${i}]`, calls),
  );
}

/** @param {any} messages */
export function checkMessages(messages) {
  if (typeof messages === "string")
    throw messageError(
      'Messages are a list like [{ role: "user", content: "…" }]: give a text to generate or complete.',
    );
  if (!Array.isArray(messages) || !messages.length)
    throw messageError('Messages must be a list of at least one, like [{ role: "user", content: "…" }].');
}

/**
 * @param {any} message
 * @param {string} place
 * @param {Map<string, { name: string, isDone: boolean }>} calls
 * @returns {TemplateMessage}
 */
function readMessage(message, place, calls) {
  if (typeof message !== "object" || message === null || Array.isArray(message))
    throw messageError(`${place} must be an object like { role: "user", content: "…" }.`);
  for (const field of Object.keys(message))
    if (!FIELDS.includes(field))
      throw messageError(`${place} has a field "${field}"; there are: ${FIELDS.join(", ")}.`);
  const { role, content, reasoning, toolCalls, toolCallId, name } = message;
  if (!ROLES.includes(role)) throw messageError(`${place}.role is ${shown(role)}; there are: ${ROLES.join(", ")}.`);
  for (const [field, wanted] of [
    ["reasoning", "assistant"],
    ["toolCalls", "assistant"],
    ["toolCallId", "tool"],
  ])
    if (message[field] !== undefined && role !== wanted)
      throw messageError(`${place}.${field} belongs to messages of the role "${wanted}", not "${role}".`);
  const isEmpty = (content === undefined || content === null) && (reasoning !== undefined || toolCalls?.length);
  /** @type {TemplateMessage} */
  const read = { role, content: isEmpty ? "" : readContent(content, place) };
  if (name !== undefined) read.name = readText(name, `${place}.name`);
  if (reasoning !== undefined) read.reasoning_content = readText(reasoning, `${place}.reasoning`);
  if (toolCalls !== undefined) {
    if (!Array.isArray(toolCalls)) throw messageError(`${place}.toolCalls must be a list.`);
    if (toolCalls.length)
      read.tool_calls = toolCalls.map((call, i) => readCall(call, `${place}.toolCalls[${i}]`, calls));
  }
  if (role === "tool") {
    const id = toolCallId ?? [...calls].find(([, { isDone }]) => !isDone)?.[0];
    const call = calls.get(id);
    if (!call)
      throw messageError(
        `${place} does not belong to a call${id === undefined ? "" : ` (toolCallId ${shown(id)})`}: an earlier message of the assistant must have the call in toolCalls.`,
      );
    call.isDone = true;
    read.tool_call_id = id;
    read.name ??= call.name;
  }
  return read;
}

/** Values that JSON cannot write show their type. @param {unknown} value */
const shown = (value) => (["string", "number"].includes(typeof value) ? JSON.stringify(value) : typeof value);

/** @param {any} content @param {string} place */
function readContent(content, place) {
  if (typeof content === "string") return content;
  const isText = (/** @type {any} */ part) => part?.type === "text" && typeof part.text === "string";
  if (Array.isArray(content) && content.every(isText)) return content.map(({ text }) => text).join("");
  throw messageError(
    `${place}.content must be a text or a list of { type: "text", text }: the model reads nothing else, such as images.`,
  );
}

/** @param {any} value @param {string} place */
function readText(value, place) {
  if (typeof value !== "string") throw messageError(`${place} must be a text, not ${typeof value}.`);
  return value;
}

/**
 * @param {any} call
 * @param {string} place
 * @param {Map<string, { name: string, isDone: boolean }>} calls
 */
function readCall(call, place, calls) {
  const { id = newId(calls), name, arguments: input } = call ?? {};
  if (typeof name !== "string" || !name) throw messageError(`${place}.name must be the name of a tool.`);
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw messageError(`${place}.arguments must be an object; parse JSON first.`);
  plainText(`${place}.arguments`, input, messageError);
  if (calls.has(readText(id, `${place}.id`))) throw messageError(`${place}.id belongs to an earlier call.`);
  calls.set(id, { name, isDone: false });
  return { id, type: /** @type {const} */ ("function"), function: { name, arguments: input } };
}

/** Nine letters and digits, because some templates refuse any other id. @param {Map<string, unknown>} calls */
function newId(calls) {
  for (let number = calls.size; ; number++) {
    const id = `call${String(number).padStart(5, "0")}`;
    if (!calls.has(id)) return id;
  }
}

/**
 * @param {any} tools
 * @returns {OpenAITool[]}
 * @throws {TypeError} bad-type, unknown-option
 */
export function readTools(tools = []) {
  if (!Array.isArray(tools))
    throw typeError("bad-type", "tools must be a list like [{ name, description, parameters }].");
  /** @type {Set<string>} */
  const names = new Set();
  return tools.map((tool, i) => {
    const place = `tools[${i}]`;
    checkObject(place, tool);
    const own = tool.type === "function" ? tool.function : tool;
    checkObject(place, own);
    checkNames(place, own, ["name", "description", "parameters", "strict"]);
    const { name, description, parameters } = own;
    if (typeof name !== "string" || !name) throw typeError("bad-type", `${place} needs a name.`);
    if (names.has(name)) throw typeError("conflict", `Two tools have the name "${name}".`);
    names.add(name);
    if (description !== undefined && typeof description !== "string")
      throw typeError("bad-type", `The description of ${place} must be a text.`);
    if (parameters !== undefined) {
      refuseForeignSchema(`parameters of ${place}`, parameters);
      checkObject(`parameters of ${place}`, parameters);
      plainText(`parameters of ${place}`, parameters);
    }
    return { type: /** @type {const} */ ("function"), function: own };
  });
}
