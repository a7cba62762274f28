// Makes a conversation fit the context: its oldest turns go.
import { rangeError } from "../core/errors.js";

/** @typedef {import("./conversation.js").Turn} Turn */
/** @typedef {import("./messages.js").Message} Message */

/**
 * What happens to a conversation that is too long.
 * @typedef {"error" | "drop-oldest"} Overflow
 */

/**
 * The messages that are not in the prompt: `messages` of them, from `first` on.
 * @typedef {object} Dropped
 * @property {number} first index of the first one
 * @property {number} messages how many
 * @property {number} tokens by which the prompt is shorter
 */

/** Answers get at least this part of the context, unless maxTokens is less. So much goes at once, too. */
const PART = 1 / 4;

/** @param {unknown} overflow */
export function checkOverflow(overflow) {
  if (overflow !== "error" && overflow !== "drop-oldest")
    throw rangeError("out-of-range", `overflow is "error" or "drop-oldest", not ${JSON.stringify(overflow)}.`);
}

/**
 * The prompt of a conversation with as many of its turns as leave room for the answer. Turns go by quarters of the
 * context, so the next prompts begin alike and the model need not read them from the start.
 * @template {{ ids: ArrayLike<number> }} Prompt
 * @param {(count: number) => Promise<Prompt>} promptWithout the prompt without the first `count` turns
 * @param {number} turns that may go
 * @param {{ contextLength: number, maxTokens?: number }} limits maxTokens: of the answer
 * @returns {Promise<{ prompt: Prompt, count: number, tokens: number }>} count: turns that go. tokens: by which the
 *   prompt is shorter. Without any of these turns it may still be too long
 */
export async function fitPrompt(promptWithout, turns, { contextLength, maxTokens = Infinity }) {
  const whole = await promptWithout(0);
  const part = Math.ceil(PART * contextLength);
  const surplus = whole.ids.length - (contextLength - Math.min(maxTokens, part));
  if (surplus <= 0 || !turns) return { prompt: whole, count: 0, tokens: 0 };
  const without = async (/** @type {number} */ count) => {
    const prompt = await promptWithout(count);
    return { prompt, count, tokens: whole.ids.length - prompt.ids.length };
  };
  let found = await without(turns);
  const quarters = part * Math.ceil(surplus / part);
  // Where all turns together are less than these quarters, no more go than must.
  const goal = found.tokens < quarters ? surplus : quarters;
  for (let low = 1; found.tokens >= goal && low < found.count;) {
    const middle = await without(Math.floor((low + found.count) / 2));
    if (middle.tokens >= goal) found = middle;
    else low = middle.count + 1;
  }
  return found;
}

/**
 * The prompt of a conversation. A turn is a message of the user with everything up to the next one, so calls stay with
 * their results. System messages at the beginning stay, and so does the last turn.
 * @param {import("./conversation.js").Conversation} conversation
 * @param {readonly Message[]} messages
 * @param {Overflow} overflow
 * @param {{ contextLength: number, maxTokens?: number }} limits
 * @returns {Promise<{ turn: Turn, dropped?: Dropped }>}
 */
export async function promptThatFits(conversation, messages, overflow, limits) {
  if (overflow === "error") return { turn: await conversation.prompt(messages) };
  const end = messages.findIndex((message) => message?.role !== "system" && message?.role !== "developer");
  const first = end < 0 ? messages.length : end;
  /** Where the kept messages may begin. @type {number[]} */
  const starts = [];
  for (let i = first + 1; i < messages.length; i++) if (messages[i]?.role === "user") starts.push(i);
  const startAfter = (/** @type {number} */ count) => (count ? starts[count - 1] : first);
  const promptWithout = (/** @type {number} */ count) =>
    conversation.prompt([...messages.slice(0, first), ...messages.slice(startAfter(count))]);
  const { prompt, count, tokens } = await fitPrompt(promptWithout, starts.length, limits);
  if (!count) return { turn: prompt };
  return { turn: prompt, dropped: { first, messages: startAfter(count) - first, tokens } };
}
