// Tools of the Prompt API: functions of the page that the model calls while it answers.
import { readTools as checkTools } from "../chat/messages.js";
import { unlessAborted } from "../core/signal.js";

/**
 * @typedef {object} PromptTool
 * @property {string} name
 * @property {string} description
 * @property {object} inputSchema JSON Schema, of the type "object", of the argument of `execute`
 * @property {(input: any) => string | Promise<string>} execute called with an object that satisfies inputSchema. The
 *   model reads the text that it returns. What it throws rejects the prompt
 */

/** @typedef {{ id: string, name: string, arguments: any }} Call */
/** @typedef {import("../chat/messages.js").Message} Message */
/** @typedef {import("../chat/messages.js").OpenAITool & { execute: PromptTool["execute"] }} ReadTool */

/**
 * @param {Iterable<PromptTool>} tools
 * @returns {ReadTool[]} copies
 * @throws {TypeError}
 */
export function readTools(tools) {
  const given = Array.from(tools, (tool, i) => {
    const { name, description, inputSchema, execute } = tool ?? {};
    if (typeof name !== "string" || !name) throw new TypeError(`tools[${i}] needs a name.`);
    if (typeof description !== "string" || !description) throw new TypeError(`The tool "${name}" needs a description.`);
    checkSchema(name, inputSchema);
    if (typeof execute !== "function")
      throw new TypeError(`The tool "${name}" needs execute, a function that does what the tool is for.`);
    return { name, description, inputSchema, execute };
  });
  const checked = checkTools(
    given.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
  );
  return checked.map((tool, i) => ({ ...structuredClone(tool), execute: given[i].execute }));
}

/** @param {string} name @param {any} schema */
function checkSchema(name, schema) {
  const place = `inputSchema of the tool "${name}"`;
  if (typeof schema !== "object" || schema === null) throw new TypeError(`The ${place} is a JSON Schema.`);
  const { type, properties = {}, required = [] } = schema;
  if (type !== "object") throw new TypeError(`The ${place} needs type: "object".`);
  if (typeof properties !== "object" || properties === null)
    throw new TypeError(`The properties in the ${place} are an object.`);
  if (!Array.isArray(required)) throw new TypeError(`required in the ${place} is a list of names.`);
}

/**
 * Runs all calls of one answer at once.
 * @param {Call[]} calls
 * @param {ReadTool[]} tools
 * @param {AbortSignal} signal
 * @returns {Promise<Message[]>} the results, in the order of the calls
 * @throws what a tool throws, or the signal's reason
 */
export async function runCalls(calls, tools, signal) {
  const run = async (/** @type {Call} */ { id, name, arguments: input }) => {
    const { execute } = /** @type {ReadTool} */ (tools.find((tool) => tool.function.name === name));
    const result = /** @type {unknown} */ (await execute(structuredClone(input)));
    if (!["string", "number", "boolean"].includes(typeof result))
      throw new TypeError(`The tool "${name}" must give a text: JSON.stringify makes one of other values.`);
    return { role: /** @type {const} */ ("tool"), toolCallId: id, content: String(result) };
  };
  return unlessAborted(signal, Promise.all(calls.map(run)));
}
