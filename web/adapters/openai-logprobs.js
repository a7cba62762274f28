// Log-probabilities of tokens in the form of OpenAI's interface.

/** @typedef {import("../index.js").Token} Token */
/** @typedef {import("../index.js").Model["vocabulary"]} Vocabulary */
/** @typedef {import("./openai-types.js").TopLogprob} TopLogprob */
/** @typedef {import("./openai-types.js").TokenLogprob} TokenLogprob */

const decoder = new TextDecoder();

export class Logprobs {
  #vocabulary;
  #top;
  /** Names of control tokens, which have no text. @type {Map<number, string>} */
  #names = new Map();

  /**
   * @param {Vocabulary} vocabulary
   * @param {number} top how many of the likeliest tokens to list with each token; above 0, each token must have its row
   *   of logits
   */
  constructor(vocabulary, top) {
    this.#vocabulary = vocabulary;
    this.#top = top;
    for (const [name, id] of Object.entries(vocabulary.special)) this.#names.set(id, name);
  }

  /**
   * @param {Token} token
   * @returns {TokenLogprob}
   */
  of(token) {
    const { id, rawLogprob, logits } = token;
    // The logarithm of the row's sum follows from the token's logit and log-probability.
    const top = logits ? likeliest(logits, this.#top, this.#vocabulary.tokens.length) : [];
    const others = top.map((other) => this.#entry(other, rawLogprob + (at(logits, other) - at(logits, id))));
    return { ...this.#entry(id, rawLogprob), top_logprobs: others };
  }

  /**
   * @param {number} id
   * @param {number} logprob
   * @returns {TopLogprob}
   */
  #entry(id, logprob) {
    const name = this.#names.get(id);
    if (name !== undefined) return { token: name, bytes: null, logprob };
    const bytes = this.#vocabulary.tokens[id];
    return { token: decoder.decode(bytes), bytes: [...bytes], logprob };
  }
}

/** @param {Float32Array | undefined} row @param {number} id */
const at = (row, id) => /** @type {Float32Array} */ (row)[id];

/**
 * The ids of a row's largest values, largest first, ties by the lower id.
 * @param {Float32Array} row
 * @param {number} count
 * @param {number} size number of tokens; the rest of the row is padding
 */
function likeliest(row, count, size) {
  /** @type {number[]} */
  const best = [];
  for (let id = 0; id < size; id++) {
    if (best.length === count && !(row[id] > row[best[count - 1]])) continue;
    let place = best.length;
    while (place && row[id] > row[best[place - 1]]) place--;
    best.splice(place, 0, id);
    if (best.length > count) best.pop();
  }
  return best;
}

/** Tokens of a text in the lists of the older call. */
export class TextLogprobs {
  #logprobs;
  #top;
  /** A token may end inside a character. */
  #decoder = new TextDecoder();
  #length;

  /**
   * @param {Logprobs} logprobs
   * @param {number} top
   * @param {number} [length] of the text before the first token
   */
  constructor(logprobs, top, length = 0) {
    this.#logprobs = logprobs;
    this.#top = top;
    this.#length = length;
  }

  /**
   * @param {readonly Token[]} tokens
   * @returns {import("./openai-types.js").CompletionLogprobs}
   */
  of(tokens) {
    const entries = tokens.map((token) => this.#logprobs.of(token));
    const offsets = entries.map(({ bytes }) => {
      const offset = Math.max(0, this.#length);
      this.#length += this.#decoder.decode(Uint8Array.from(bytes ?? []), { stream: true }).length;
      return offset;
    });
    /** @type {(list: TopLogprob[]) => Record<string, number>} */
    const byText = (list) => Object.fromEntries(list.map(({ token, logprob }) => [token, logprob]).reverse());
    return {
      tokens: entries.map(({ token }) => token),
      token_logprobs: entries.map(({ logprob }) => logprob),
      text_offset: offsets,
      ...(this.#top && { top_logprobs: entries.map(({ top_logprobs: list }) => byText(list)) }),
    };
  }
}
