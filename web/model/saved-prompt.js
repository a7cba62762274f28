// What save and keepPrefix take: a text, ids or messages.
import { checkNames, checkWhole } from "../core/arguments.js";
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
 * @template {unknown} Prompt
 * @typedef {SaveOptions<Prompt> & { bytes?: number }} KeepOptions bytes: most of all kept prefixes of the origin; the
 *   least recently used are deleted. Default: 512 MB
 */

/** Bytes that kept prefixes may have together. */
const LIMIT = 2 ** 29;

/**
 * @param {import("../chat/chat-types.js").ChatModel} model
 * @param {"save" | "keepPrefix"} call
 * @param {string | ArrayLike<number> | readonly Message[]} prompt
 * @param {object} options
 * @returns {Promise<{ given: string | ArrayLike<number>, signal?: AbortSignal, bytes: number }>}
 */
export async function readSavedPrompt(model, call, prompt, options) {
  const isChat = isConversation(prompt);
  checkNames(call, options, ["signal", ...(call === "save" ? [] : ["bytes"]), ...(isChat ? chatNames : [])]);
  const { signal, bytes = LIMIT, ...own } = /** @type {{ signal?: AbortSignal, bytes?: number }} */ (options);
  checkSignal(signal);
  checkWhole("bytes", bytes, 0, Number.MAX_SAFE_INTEGER);
  signal?.throwIfAborted();
  if (!isChat) {
    checkPrompt(call, prompt);
    return { given: /** @type {string | ArrayLike<number>} */ (prompt), signal, bytes };
  }
  const { sharedPrefix } = await import("../chat/shared-prefix.js");
  return { given: await sharedPrefix(model, /** @type {readonly Message[]} */ (prompt), own), signal, bytes };
}
