// Self-consistency (Wang et al., "Self-consistency improves chain of thought reasoning in language models", 2023): the most
// frequent answer of several texts.
import { typeError } from "../../core/errors.js";

/**
 * @template Answer
 * @typedef {object} Vote
 * @property {Answer | null} answer the most frequent answer, on a tie the first; null if no text has an answer
 * @property {number} votes number of texts with the answer
 * @property {boolean} isTie whether another answer has as many votes
 * @property {{ answer: Answer, votes: number, indices: number[] }[]} counts every answer with the indices of its texts:
 *   most frequent first, then by first text
 * @property {number} abstained number of texts without an answer
 */

/**
 * The most frequent answer of several texts.
 * @template [Answer=string]
 * @param {Iterable<string>} texts
 * @param {(text: string, index: number) => Answer | null | undefined} [extract] the answer of a text, null or undefined if
 *   there is none; objects are equal if their JSON is equal. Default: the text itself, trimmed; an empty text has no answer
 * @returns {Vote<Answer>}
 */
export function majorityVote(texts, extract = /** @type {any} */ (ownText)) {
  if (typeof extract !== "function") throw typeError("bad-type", "extract must be a function of a text.");
  if (typeof texts === "string" || typeof texts?.[Symbol.iterator] !== "function")
    throw typeError("bad-type", "majorityVote takes a list of texts.");
  /** @type {Map<unknown, { answer: Answer, votes: number, indices: number[] }>} */
  const found = new Map();
  let index = -1;
  let abstained = 0;
  for (const text of texts) {
    if (typeof text !== "string") throw typeError("bad-type", `majorityVote takes texts, not ${typeof text}.`);
    const answer = extract(text, ++index);
    if (answer === null || answer === undefined) {
      abstained++;
      continue;
    }
    const key = typeof answer === "object" ? `json ${JSON.stringify(answer)}` : `${typeof answer} ${String(answer)}`;
    const entry = found.get(key) ?? { answer, votes: 0, indices: [] };
    entry.votes++;
    entry.indices.push(index);
    found.set(key, entry);
  }
  // The sort is stable, so ties stay ordered by their first text.
  const counts = [...found.values()].sort((a, b) => b.votes - a.votes);
  const [first, second] = counts;
  if (!first) return { answer: null, votes: 0, isTie: false, counts, abstained };
  return { answer: first.answer, votes: first.votes, isTie: second?.votes === first.votes, counts, abstained };
}

/** @param {string} text */
function ownText(text) {
  return text.trim() || null;
}
