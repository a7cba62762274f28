// Which of the texts that are not running is worth least in the cache.

/** @typedef {import("./sequence.js").Sequence} Sequence */

/**
 * The text of which the fewest tokens would run again without it, by the root of the time since its last use. So the
 * states that remain are spread over a long conversation, and an old conversation gives way to a new one. A running text
 * does not count, because soon it cannot be cut to where it is now.
 * @param {Sequence[]} texts that are not running
 * @param {object} facts
 * @param {number} facts.uses count of uses so far, which `usedAt` of a sequence is one of
 * @param {(sequence: Sequence) => number} facts.lengthOf its tokens in the cache
 * @param {(sequence: Sequence) => number} facts.leastOf the fewest tokens that it can be cut to
 * @returns {Sequence | undefined} undefined: there are none
 */
export function leastWorth(texts, { uses, lengthOf, leastOf }) {
  /** The tokens of a text that no other holds. @param {Sequence} text */
  const soleTokens = (text) => {
    const length = lengthOf(text);
    let held = 0;
    for (const other of texts) {
      if (other === text) continue;
      const common = commonLength(other.tokens, text.tokens, Math.min(lengthOf(other), length));
      if (common > held && common >= leastOf(other)) held = common;
    }
    return length - held;
  };
  const worths = texts.map((text) => soleTokens(text) / Math.sqrt(uses + 1 - text.usedAt));
  return texts[worths.indexOf(Math.min(...worths))];
}

/**
 * Length of the common prefix of two texts.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {number} most
 */
export function commonLength(a, b, most) {
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
