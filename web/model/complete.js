// Collects the chunks of one text into one result.

/** @typedef {import("../decode/decode-types.js").Token} Token */
/** @typedef {import("../decode/decode-types.js").Usage} Usage */

/**
 * @typedef {object} Completion
 * @property {string} text
 * @property {Token[]} tokens
 * @property {Usage} [usage] missing after an abort
 * @property {import("../decode/decode-types.js").TextStats} [stats] missing after an abort
 * @property {"eos" | "stop" | "loop" | "length" | "context" | "abort"} finishReason
 * @property {import("../decode/loop-detector.js").Loop} [loop] with finishReason "loop"
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
 * @property {import("../decode/decode-types.js").TextStats} [stats]
 * @property {string} [finishReason]
 * @property {import("../decode/loop-detector.js").Loop} [loop]
 * @property {object} [dropped] messages that are not in the prompt
 * @property {{ tokens: number, characters: number, reasoning?: number, toolCalls?: number }} [takenBack]
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
  for await (const chunk of chunks) {
    const { text = "", reasoning, toolCalls, tokens, usage, stats, finishReason, loop, dropped, takenBack } = chunk;
    if (takenBack) remove(result, takenBack);
    result.text += text;
    if (reasoning !== undefined) result.reasoning = (result.reasoning ?? "") + reasoning;
    if (toolCalls) result.toolCalls = [...(result.toolCalls ?? []), ...toolCalls];
    for (const token of tokens) result.tokens.push(token);
    if (usage) result.usage = usage;
    if (stats) result.stats = stats;
    if (finishReason) result.finishReason = finishReason;
    if (loop) result.loop = loop;
    if (dropped) result.dropped = dropped;
  }
  return result;
}

/**
 * @param {any} result
 * @param {NonNullable<Piece["takenBack"]>} takenBack
 */
function remove(result, { tokens, characters, reasoning = 0, toolCalls = 0 }) {
  result.tokens.length -= tokens;
  result.text = result.text.slice(0, result.text.length - characters);
  if (reasoning) result.reasoning = result.reasoning.slice(0, -reasoning);
  if (toolCalls) result.toolCalls.length -= toolCalls;
}
