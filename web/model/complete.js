// Collects the chunks of one text into one result.

/** @typedef {import("../decode/decode-types.js").Token} Token */
/** @typedef {import("../decode/decode-types.js").Usage} Usage */

/**
 * @typedef {object} Completion
 * @property {string} text
 * @property {Token[]} tokens
 * @property {Usage} [usage] missing after an abort
 * @property {"eos" | "stop" | "length" | "context" | "abort"} finishReason
 */

/**
 * A chunk of one text, from model.generate or model.chat.
 * @template [Call=never]
 * @typedef {object} Piece
 * @property {string} [text]
 * @property {string} [reasoning]
 * @property {readonly Call[]} [toolCalls]
 * @property {readonly Token[]} tokens
 * @property {Usage} [usage]
 * @property {string} [finishReason]
 */

/**
 * Reads one text to its end. The result has reasoning and tool calls only if chunks have them.
 * @template [Call=never]
 * @param {AsyncIterable<Piece<Call>>} chunks
 * @returns {Promise<Completion & { reasoning?: string, toolCalls?: Call[] }>}
 */
export async function collect(chunks) {
  /** @type {any} */
  const result = { text: "", tokens: [] };
  for await (const { text = "", reasoning, toolCalls, tokens, usage, finishReason } of chunks) {
    result.text += text;
    if (reasoning !== undefined) result.reasoning = (result.reasoning ?? "") + reasoning;
    if (toolCalls) result.toolCalls = [...(result.toolCalls ?? []), ...toolCalls];
    for (const token of tokens) result.tokens.push(token);
    if (usage) result.usage = usage;
    if (finishReason) result.finishReason = finishReason;
  }
  return result;
}
