// What save and keepPrefix take: a text, ids or messages.
import { checkNames } from "../core/arguments.js";
import { checkSignal } from "../core/signal.js";
import { chatNames } from "../decode/named-options.js";
import { checkPrompt, isConversation } from "./prompt-kind.js";

/** @typedef {import("../chat/messages.js").Message} Message */

/**
 * @template {unknown} Prompt
 * @typedef {{ signal?: AbortSignal }
 *   & (Prompt extends readonly Message[] ? import("../chat/chat.js").OwnChatOptions : unknown)} SaveOptions options of
 *   chat that change the prompt, such as tools; they must be those of the later call
 */

/**
 * @param {import("../chat/chat-types.js").ChatModel} model
 * @param {string} call
 * @param {string | ArrayLike<number> | readonly Message[]} prompt
 * @param {{ signal?: AbortSignal }} options
 * @returns {Promise<{ given: string | ArrayLike<number>, signal?: AbortSignal }>}
 */
export async function readSavedPrompt(model, call, prompt, options) {
  const isChat = isConversation(prompt);
  checkNames(call, options, ["signal", ...(isChat ? chatNames : [])]);
  const { signal, ...own } = options;
  checkSignal(signal);
  signal?.throwIfAborted();
  if (!isChat) {
    checkPrompt(call, prompt);
    return { given: /** @type {string | ArrayLike<number>} */ (prompt), signal };
  }
  const { sharedPrefix } = await import("../chat/shared-prefix.js");
  return { given: await sharedPrefix(model, /** @type {readonly Message[]} */ (prompt), own), signal };
}
