// The tokens of a conversation that its next turn leaves as they are.
import { openConversation } from "./conversation.js";
import { checkMessages } from "./messages.js";

/** @typedef {import("./messages.js").Message} Message */

/**
 * The tokens with which the prompts of all later turns begin. After a user's message or a tool's result that is what the
 * prompt of the answer has in common with the conversation as a template writes it later, without the beginning of an
 * answer. After other messages, and while a call waits for its result, it is what any two next messages leave as it is.
 * @param {import("./chat-types.js").ChatModel} model
 * @param {readonly Message[]} messages
 * @param {import("./chat.js").OwnChatOptions} options
 * @returns {Promise<number[]>}
 */
export async function sharedPrefix(model, messages, options) {
  checkMessages(messages);
  const conversation = await openConversation(model, options);
  const idsOf = async (/** @type {readonly Message[]} */ given, /** @type {boolean} */ isOpen) =>
    (await conversation.prompt(given, { isOpen })).ids;
  const { role } = messages[messages.length - 1];
  const isWaiting = waitsForResults(messages);
  if (isWaiting || (role !== "user" && role !== "tool")) {
    const after = isWaiting ? "tool" : "user";
    const next = ["a", "b"].map((content) => idsOf([...messages, { role: after, content }], false));
    const [one, other] = await Promise.all(next);
    return common(one, other);
  }
  const prompt = await idsOf(messages, true);
  return common(prompt, await idsOf(messages, false));
}

/** Whether the last answer has calls without a result. @param {readonly Message[]} messages */
function waitsForResults(messages) {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.length - 1 - at < (messages[at]?.toolCalls?.length ?? 0);
}

/** @param {number[]} one @param {number[]} other */
function common(one, other) {
  const end = one.findIndex((id, i) => id !== other[i]);
  return end < 0 ? one : one.slice(0, end);
}
