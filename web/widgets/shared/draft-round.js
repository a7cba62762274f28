// One round of speculative sampling: a draft proposes, a target judges.
import { probabilitiesOf } from "./decoders.js";

/** @typedef {import("../../index.js").Decoder} Decoder */
/**
 * A proposed token with both models' probabilities of all tokens there. No verdict: an earlier one was rejected.
 * @typedef {{ token: number, target: Float64Array, draft: Float64Array, verdict?: { isAccepted: boolean, token: number } }} Proposal
 */
/** @typedef {{ proposals: Proposal[], tokens: number[] }} Round tokens: what the round adds to the text */

/**
 * The draft proposes, the target judges.
 * @param {Decoder} decoder at the end of the text so far
 * @param {number} count tokens that are proposed
 * @param {readonly number[]} eos
 * @param {object} rows
 * @param {(guess: number[]) => Float32Array | Promise<Float32Array>} rows.draftRow after the guesses so far
 * @param {(guess: number[]) => Float32Array[] | Promise<Float32Array[]>} rows.targetRows after the text, and after each
 * @returns {Promise<Round>}
 */
export async function playRound(decoder, count, eos, { draftRow, targetRows }) {
  // Random numbers of its own.
  const drafter = decoder.clone({ stream: 1 });
  /** @type {Float32Array[]} */
  const drafts = [];
  /** @type {number[]} */
  const guess = [];
  try {
    while (guess.length < count && !eos.includes(guess[guess.length - 1])) {
      drafts.push(await draftRow(guess));
      guess.push(drafter.sample(drafts[drafts.length - 1]));
    }
  } finally {
    drafter.dispose();
  }
  const targets = await targetRows(guess);
  /** @type {Proposal[]} */
  const proposals = guess.map((token, i) => ({
    token,
    target: probabilitiesOf(decoder, targets[i]),
    draft: probabilitiesOf(decoder, drafts[i]),
  }));
  const tokens = [];
  for (const [i, proposal] of proposals.entries()) {
    proposal.verdict = decoder.acceptDraft(targets[i], drafts[i], proposal.token);
    decoder.accept(proposal.verdict.token);
    tokens.push(proposal.verdict.token);
    if (!proposal.verdict.isAccepted) return { proposals, tokens };
  }
  // All stay: the last row gives one more.
  if (!eos.includes(tokens[tokens.length - 1])) tokens.push(decoder.sample(targets[guess.length]));
  return { proposals, tokens };
}
