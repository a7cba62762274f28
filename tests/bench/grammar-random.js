// Random walks: tokens drawn from an engine's own masks until it lets the text end.
import { isSet } from "./grammar-walk.js";

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ones = (word) => {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** The number of bits that are set. */
export function countSet(mask) {
  let count = 0;
  for (let word = 0; word < mask.length; word++) count += ones(mask[word]);
  return count;
}

/** The bit that is set after `rank` others. */
export function selectSet(mask, rank) {
  for (let word = 0; ; word++) {
    const count = ones(mask[word]);
    if (rank < count) for (let bit = 0; ; bit++) if ((mask[word] >>> bit) & 1 && rank-- === 0) return word * 32 + bit;
    rank -= count;
  }
}

/**
 * What draws prefer once a text is to end, first to last; and what they avoid: openers, escapes, whitespace.
 * @param {import("./grammar-vocabulary.js").BenchVocabulary} vocabulary
 */
export function tasteOf({ tokens, eos }) {
  const byText = new Map(tokens.map((bytes, id) => [Buffer.from(bytes).toString("latin1"), id]));
  const ids = (texts) => texts.map((text) => byText.get(text)).filter((id) => id !== undefined);
  const dull = new Set();
  tokens.forEach((bytes, id) => {
    if (bytes.length && [0x20, 9, 10, 13, 0x7b, 0x5b, 0x5c].includes(bytes[0])) dull.add(id);
  });
  return { outside: [...eos, ...ids(["}", "]", ",", ":", '"'])], inside: ids(['"']), dull };
}

/** Whether JSON that began as `state` says (0 outside, 1 inside a string, 2 behind a backslash) is in one after the bytes. */
export function stringState(state, bytes) {
  for (const byte of bytes) {
    if (state === 2) state = 1;
    else if (byte === 0x22) state = 1 - state;
    else if (byte === 0x5c && state === 1) state = 2;
  }
  return state;
}

/**
 * @typedef {object} Walked
 * @property {"finished" | "dead end" | "unfinished" | "wrong mask"} end
 * @property {Uint8Array} bytes
 * @property {number[]} tokens
 */

/**
 * One walk. Draws are uniform over the mask; with the chance `closing`, and always after `patience` steps, what brings
 * the end nearer is preferred.
 * @param {import("./grammar-engines.js").EngineMatcher} matcher
 * @param {import("./grammar-vocabulary.js").BenchVocabulary} vocabulary
 * @param {() => number} random
 * @param {{ closing?: number, patience?: number, limit?: number, state?: number, taste: ReturnType<typeof tasteOf> }} how
 *   state: as stringState has it of the text before
 * @returns {Promise<Walked>}
 */
export async function randomWalk(
  matcher,
  { tokens, eos },
  random,
  { closing = 0, patience = 200, limit = 2000, state = 0, taste },
) {
  /** @type {number[]} */
  const path = [];
  const result = (end) => ({ end, tokens: path, bytes: Buffer.concat(path.map((id) => tokens[id])) });
  for (let step = 0; step < limit; step++) {
    let mask = matcher.mask();
    if (mask instanceof Promise) mask = await mask;
    const bits = Uint32Array.from(/** @type {ArrayLike<number>} */ (mask));
    if (tokens.length % 32) bits[bits.length - 1] &= 2 ** (tokens.length % 32) - 1; // web-xgrammar sets the padding
    const count = countSet(bits);
    if (!count) return result("dead end");
    const draw = () => selectSet(bits, Math.floor(random() * count));
    let token = draw();
    if (step >= patience ? random() < 0.9 : random() < closing) {
      const closer = taste[state ? "inside" : "outside"].find((id) => isSet(bits, id));
      if (closer !== undefined) token = closer;
      else for (let again = 0; again < 16 && taste.dull.has(token); again++) token = draw();
    }
    if (eos.includes(token)) return result("finished");
    // What a mask leaves out is refused; but whitespace may run longer than masks offer it, escapes be needless and
    // integers be spelt with a fraction.
    const other = Math.floor(random() * tokens.length);
    const text = Buffer.from(tokens[other]).toString("latin1");
    if (text && !/[\t\n\r \\]|^[-+.\deE]+$/.test(text) && !isSet(bits, other) && matcher.accept(other)) {
      path.push(other);
      return result("wrong mask");
    }
    path.push(token);
    state = stringState(state, tokens[token]);
    if (!matcher.accept(token)) return result("wrong mask");
  }
  return result("unfinished");
}
