// Checks the prompts of the Prompt API, and brings them into one form.
import { failure } from "./prompt-errors.js";

/**
 * @typedef {object} PromptMessage
 * @property {"system" | "user" | "assistant"} role
 * @property {string | { type: string, value: unknown }[]} content
 * @property {boolean} [prefix] only for the last message, by the assistant: the answer begins with it
 */

/** @typedef {string | Iterable<PromptMessage>} PromptInput a text is the user's */

/** @typedef {{ role: "system" | "user" | "assistant", content: string, prefix: boolean }} ReadMessage */

export const partTypes = ["text", "image", "audio", "tool-call", "tool-response"];

const roles = ["system", "user", "assistant"];

/**
 * @param {unknown} input
 * @param {boolean} hasPast there are messages before these
 * @returns {ReadMessage[]} at least one
 * @throws {TypeError | DOMException} "SyntaxError" for a misplaced prefix, "NotSupportedError" for anything but text
 */
export function readMessages(input, hasPast) {
  if (typeof input === "string") return [{ role: "user", content: input, prefix: false }];
  if (typeof input !== "object" || input === null || !(Symbol.iterator in input))
    throw new TypeError("A prompt is a text or a list of messages.");
  const messages = Array.from(/** @type {Iterable<any>} */ (input), (message, i) => {
    const { role, content, prefix = false } = message ?? {};
    if (!roles.includes(role)) throw new TypeError(`The role of a message is one of ${roles.join(", ")}.`);
    if (role === "system" && (hasPast || i))
      throw new TypeError("A system message comes before all others, or not at all.");
    return { role, content: readContent(content), prefix: Boolean(prefix) };
  });
  if (messages.some(({ role, prefix }, i) => prefix && (role !== "assistant" || i < messages.length - 1)))
    throw failure("SyntaxError", "Only the last message can be a prefix, and it must be the assistant's.");
  return messages.length ? messages : readMessages("", hasPast);
}

/** @param {unknown} content */
function readContent(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new TypeError("The content of a message is a text or a list of parts.");
  return content
    .map(({ type, value }) => {
      if (!partTypes.includes(type)) throw new TypeError(`The type of a part is one of ${partTypes.join(", ")}.`);
      if (type.startsWith("tool-"))
        throw failure(
          "NotSupportedError",
          "Calls and results of tools are no parts of a message: execute gets and gives them.",
        );
      if (type !== "text") throw failure("NotSupportedError", `The model reads only text, not "${type}".`);
      if (typeof value !== "string") throw new TypeError("The value of a text is a string.");
      return value;
    })
    .join("");
}
