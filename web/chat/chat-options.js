// The options of model.chat by their names, whatever their spellings.
import { checkObject } from "../core/arguments.js";
import { namedOptions } from "../decode/named-options.js";

/** Options of the conversation, which generate does not have. They have one spelling. */
const ownNames = ["tools", "toolChoice", "parallelToolCalls", "reasoning", "chatTemplate"];

/**
 * @param {object} options
 * @returns {{ own: Record<string, any>, given: Record<string, any> }} of the conversation, and of generate
 * @throws {TypeError} "unknown-option"; "conflict" where an option is given twice
 */
export function splitChatOptions(options) {
  checkObject("Options", options);
  const entries = Object.entries(options);
  const isOwn = (/** @type {[string, unknown]} */ [name]) => ownNames.includes(name);
  const rest = entries.filter((entry) => !isOwn(entry));
  return { own: Object.fromEntries(entries.filter(isOwn)), given: namedOptions(Object.fromEntries(rest)) };
}
