// Compiles what an answer of the Prompt API must satisfy: a responseConstraint, or text with tool calls.
import { plainText } from "../core/plain-data.js";
import { failure } from "./prompt-errors.js";

/** @typedef {import("../grammar/compile-there.js").SentGrammar} SentGrammar */

/**
 * @param {import("./prompt-session.js").PromptOptions} options
 * @throws {TypeError}
 */
export function checkConstraint({ responseConstraint, omitResponseConstraintInput = false }) {
  if (responseConstraint !== undefined && (typeof responseConstraint !== "object" || responseConstraint === null))
    throw new TypeError("responseConstraint is a JSON Schema or a RegExp.");
  if (responseConstraint && !(responseConstraint instanceof RegExp))
    plainText("responseConstraint", responseConstraint);
  if (omitResponseConstraintInput && responseConstraint === undefined)
    throw new TypeError("omitResponseConstraintInput means nothing without responseConstraint.");
}

/**
 * @param {import("../index.js").Model} model
 * @param {import("../chat/conversation.js").Conversation} conversation
 * @param {object} wanted
 * @param {unknown} [wanted.constraint] checked
 * @param {string} [wanted.prefix] the beginning of the answer
 * @param {import("../chat/conversation.js").Turn["after"]} [wanted.after] the thought before the answer
 * @param {AbortSignal} wanted.signal
 * @returns {Promise<SentGrammar | undefined>} undefined: any text
 * @throws {DOMException} "NotSupportedError"
 */
export async function compileConstraint(model, conversation, { constraint, prefix = "", after, signal }) {
  const shared = { signal, after };
  const isRegExp = constraint instanceof RegExp;
  const jsonSchema = isRegExp ? undefined : /** @type {object | undefined} */ (constraint);
  const toolCalls = conversation.toolCalls({ jsonSchema });
  if (toolCalls) {
    if (isRegExp)
      throw failure("NotSupportedError", "A session with tools takes a JSON Schema as responseConstraint, no RegExp.");
    if (prefix && constraint)
      throw failure("NotSupportedError", "A session with tools takes a responseConstraint or a prefix, not both.");
    // Calls keep the spaces of their template.
    return model.compile({ ...shared, toolCalls, whitespace: { separators: [", ", ": "] } });
  }
  if (isRegExp) return begun(await model.compile({ ...shared, regex: constraint }, prefix));
  if (constraint === undefined) return undefined;
  // Small models may write whitespace without end. A prefix may use any spelling.
  const compact = { whitespace: /** @type {const} */ ("compact"), numbers: /** @type {const} */ ("canonical") };
  const grammar = await model.compile({ ...shared, jsonSchema, ...compact }, prefix);
  if (grammar.isBegun) return grammar;
  return begun(await model.compile({ ...shared, jsonSchema, numbers: "any" }, prefix));
}

/**
 * @param {SentGrammar} grammar
 * @throws {DOMException} "NotSupportedError": no text of the grammar begins with the prefix
 */
function begun(grammar) {
  if (grammar.isBegun) return grammar;
  throw failure("NotSupportedError", "No answer that satisfies responseConstraint begins with the prefix.");
}
