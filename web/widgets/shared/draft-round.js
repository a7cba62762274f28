// Speculative sampling round by round: a draft proposes, a target verifies. Fetched when a reader first asks for it.
import { decoderFor, probabilitiesOf } from "./decoders.js";
import { plainText } from "./format.js";
import { ranked } from "./sampling.js";

/** @typedef {import("../../index.js").Decoder} Decoder */
/** @typedef {import("../../index.js").Model} Model */
/**
 * A proposed token with both models' probabilities of all tokens there. No verdict: an earlier one was rejected.
 * @typedef {{ token: number, target: Float64Array, draft: Float64Array, verdict?: { isAccepted: boolean, token: number } }} Proposal
 */
/**
 * How much less likely a token is in the draft than in the target, and its chance to replace a rejected token. Token -1
 * means `count` others.
 * @typedef {{ token: number, lack: number, share: number, count: number }} Lack
 */
/**
 * tokens: the round adds them to the text; lacks: if a proposal was rejected.
 * @typedef {{ proposals: Proposal[], tokens: number[], lacks?: Lack[] }} Round
 */
/** Milliseconds of a pass, the least of several: of the draft, of the target over a round's tokens, and over a single token. @typedef {{ draft: number, judge: number, single: number }} Times */
/**
 * A text so far, and the results of its rounds.
 * @typedef {{ times: Times, rounds: { proposed: number, added: number }[], pieces: import("./token-text.js").Piece[], tokens: number, passes: number, proposed: number, kept: number, last: Round }} Written
 */

const SHOWN = 6;

/**
 * The draft proposes, the target verifies.
 * @param {Decoder} decoder at the end of the text so far
 * @param {number} count of proposed tokens
 * @param {readonly number[]} eos
 * @param {object} rows
 * @param {(guess: number[]) => Float32Array | Promise<Float32Array>} rows.draftRow after the guesses so far
 * @param {(guess: number[]) => Float32Array[] | Promise<Float32Array[]>} rows.targetRows after the text, and after each
 * @returns {Promise<Round>}
 */
async function playRound(decoder, count, eos, { draftRow, targetRows }) {
  // Its own random numbers.
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
    if (!proposal.verdict.isAccepted) return { proposals, tokens, lacks: lacksOf(proposal, proposal.verdict.token) };
  }
  // All were accepted: the last row gives one more.
  if (!eos.includes(tokens[tokens.length - 1])) tokens.push(decoder.sample(targets[guess.length]));
  return { proposals, tokens };
}

/** @param {Proposal} rejected @param {number} chosen @returns {Lack[]} the largest, and the chosen one */
function lacksOf({ target, draft }, chosen) {
  const lacks = target.map((p, id) => Math.max(0, p - draft[id]));
  const sum = lacks.reduce((total, one) => total + one, 0);
  const order = ranked(lacks).filter((id) => lacks[id] > 0);
  const ids = order.filter((id, i) => i < SHOWN || id === chosen);
  const count = order.length - ids.length;
  const row = (/** @type {number} */ token, /** @type {number} */ lack) => ({ token, lack, share: lack / sum, count });
  const rows = ids.map((id) => row(id, lacks[id]));
  if (count) rows.push(row(-1, Math.max(0, sum - ids.reduce((total, id) => total + lacks[id], 0))));
  return rows;
}

/**
 * A round of two models, given as the tokens that may come at each place.
 * @param {[word: string, target: number, draft: number][][]} places with their probabilities; only the target has the
 *   last place
 * @param {number} seed
 */
export async function playExample(places, seed) {
  const words = places.flat();
  const decoder = (await decoderFor(words.length)).clone({ seed });
  const rowOf = (/** @type {number} */ place, /** @type {1 | 2} */ who) =>
    Float32Array.from(words, (word) => (places[place].includes(word) ? Math.log(word[who]) : -Infinity));
  try {
    return await playRound(decoder, places.length - 1, [], {
      draftRow: (guess) => rowOf(guess.length, 2),
      targetRows: () => places.map((_, place) => rowOf(place, 1)),
    });
  } finally {
    decoder.dispose();
  }
}

/**
 * Milliseconds of a pass over `count` tokens after a text: the least of several, because other work only adds. Passes
 * are timed together, because browsers' clocks are coarse.
 * @param {Model} model
 * @param {number[]} text
 * @param {number} count
 */
async function passTime(model, text, count) {
  const ids = new Array(count).fill(text[text.length - 1]);
  await model.forward(text);
  let ms = Infinity;
  for (let i = 0; i < 4; i++) {
    const began = performance.now();
    for (let pass = 0; pass < 6; pass++) await model.forward(ids, { keep: text.length, rows: "all" });
    ms = Math.min(ms, (performance.now() - began) / 6);
  }
  return ms;
}

/**
 * Writes a text with two models.
 * @param {Model} model
 * @param {Model} draft
 * @param {{ prompt: string, seed: number, temperature: number, draftTokens: number, length: number }} settings length: tokens of the text
 * @returns {AsyncGenerator<Written>} after each round
 */
export async function* writeTogether(model, draft, { prompt, seed, temperature, draftTokens, length }) {
  const { config, vocabulary } = model;
  const text = await model.tokenize(prompt, { bos: config.addBos });
  const end = text.length + length;
  const decoder = (await decoderFor(config.vocabSize)).clone({ seed, temperature });
  const pieces = [{ text: prompt }];
  const rounds = [];
  const times = {
    draft: await passTime(draft, text, 1),
    judge: await passTime(model, text, draftTokens + 1),
    single: await passTime(model, text, 1),
  };
  let [tokens, passes, proposed, kept] = [0, 0, 0, 0];
  try {
    while (text.length < end) {
      const last = await playRound(decoder, draftTokens, vocabulary.eos, {
        draftRow: (guess) => draft.forward([...text, ...guess]),
        // One pass computes all rows: one after the text, and one after each guess.
        targetRows: async (guess) => {
          const rows = await model.forward([...text, ...guess], { rows: "all" });
          return rows.slice(text.length - 1);
        },
      });
      const stay = last.proposals.filter(({ verdict }) => verdict?.isAccepted).length;
      text.push(...last.tokens);
      passes++;
      tokens += last.tokens.length;
      proposed += last.proposals.length;
      kept += stay;
      pieces.push(...last.tokens.map((id, i) => ({ text: plainText([id], model), isMarked: i >= stay })));
      rounds.push({ proposed: last.proposals.length, added: last.tokens.length });
      yield { times, rounds: [...rounds], pieces, tokens, passes, proposed, kept, last };
      if (last.tokens.some((id) => vocabulary.eos.includes(id))) return;
    }
  } finally {
    decoder.dispose();
  }
}
