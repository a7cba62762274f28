// A text for a model, or a conversation: each has functions of its own.
import { typeError } from "../core/errors.js";

/** @param {any} value */
const isMessage = (value) => typeof value === "object" && value !== null && "role" in value;

/**
 * Refuses messages where a text or ids are wanted.
 * @param {string} call
 * @param {unknown} prompt
 */
export function refuseMessages(call, prompt) {
  if (isMessage(prompt) || (Array.isArray(prompt) && isMessage(prompt[0])))
    throw typeError("bad-type", `${call} takes a text or token ids: give messages to model.chat.`);
}
