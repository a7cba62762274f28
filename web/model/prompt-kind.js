// Checks that prompts are texts or ids, and not conversations.
import { typeError } from "../core/errors.js";

/** @param {any} value */
const isMessage = (value) => typeof value === "object" && value !== null && "role" in value;

/** Whether a prompt is a conversation. @param {unknown} prompt */
export const isConversation = (prompt) => Array.isArray(prompt) && isMessage(prompt[0]);

/**
 * Refuses anything but text and ids.
 * @param {string} call
 * @param {unknown} prompt
 */
export function checkPrompt(call, prompt) {
  if (isMessage(prompt) || isConversation(prompt))
    throw typeError("bad-type", `${call} takes a text or token ids: give messages to model.chat.`);
  if (prompt === undefined || prompt === null)
    throw typeError("bad-type", `The prompt is missing: ${call} takes a text or token ids.`);
  const isList = Array.isArray(prompt) || ArrayBuffer.isView(prompt);
  if (typeof prompt !== "string" && !isList)
    throw typeError("bad-type", `The prompt must be a text or token ids, not ${typeof prompt}.`);
}
