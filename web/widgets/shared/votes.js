// Finds what the texts of a group have in common.

/** @typedef {import("../../index.js").Vote<string>} Vote */
/** Equal texts, and the vote on their first words. @typedef {{ alike: Vote, first: Vote }} Votes */

/** @param {string} text */
export const wordsOf = (text) => text.match(/[\p{L}\p{N}'-]+/gu) ?? [];

/**
 * @param {typeof import("../../index.js").majorityVote} vote majorityVote, fetched on demand
 * @param {string[]} texts
 * @returns {Promise<Votes>}
 */
export const votesOf = async (vote, texts) => ({
  alike: await vote(texts),
  first: await vote(texts, (text) => wordsOf(text)[0]?.toLowerCase()),
});
