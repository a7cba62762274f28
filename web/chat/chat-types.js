// The model of a conversation, as chats use it.

/**
 * A model with the file's chat template and vocabulary.
 * @typedef {{
 *   readonly config: {
 *     readonly chatTemplate: string | null,
 *     readonly bos: number | null,
 *     readonly addBos: boolean,
 *   },
 *   readonly vocabulary: {
 *     readonly tokens: readonly Uint8Array[],
 *     readonly eos: readonly number[],
 *     readonly special: Record<string, number>,
 *   },
 *   readonly dropsSpace: boolean,
 *   tokenize(text: string | (string | number)[], options?: { bos?: boolean, special?: boolean }): Promise<number[]>,
 * }} ChatModel
 */

/**
 * One that also writes answers.
 * @typedef {ChatModel & {
 *   readonly config: { readonly contextLength: number, readonly sampling: import("../sampler/sampler-types.js").Sampling },
 *   generateAfter(after: import("../grammar/thought.js").Thought | undefined, prompt: number[], options: object,
 *     how?: { thought?: import("../decode/decode-types.js").ThoughtSettings, began?: number }): AsyncIterable<import("../decode/decode-types.js").Chunk>,
 * }} AnsweringModel
 */

export {};
