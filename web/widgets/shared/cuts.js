// How a text is cut into tokens, step by step.
import { legibleBytes } from "./format.js";

/** @typedef {import("../../index.js").TokenizerTrace} TokenizerTrace */
/** A part of a text, in bytes; token: once a merge has made it. @typedef {{ begin: number, end: number, token?: number }} Symbol */

/**
 * A text as a tokenizer cuts it.
 * @typedef {object} CutText
 * @property {TokenizerTrace} cut
 * @property {boolean} isBytes whether a piece starts as single bytes, and not as single characters
 * @property {number[]} ids
 */

/** Number of merges. @param {TokenizerTrace} cut */
export const mergesOf = ({ pieces }) => pieces.reduce((sum, { merges }) => sum + merges.length, 0);

/**
 * Steps of a text: its merges, and one in which what is no token becomes bytes.
 * @param {CutText} text
 */
export const stepsOf = (text) => {
  const count = mergesOf(text.cut);
  return symbolsAfter(text, count).symbols.length === text.ids.length ? count : count + 1;
};

/**
 * The symbols of a text after so many merges, piece by piece.
 * @param {CutText} text
 * @param {number} count
 * @returns {{ symbols: Symbol[], last?: { left: Symbol, right: Symbol, made: Symbol } }} last: the newest merge of two
 */
export function symbolsAfter({ cut: { bytes, pieces }, isBytes }, count) {
  /** @type {Symbol[]} */
  const all = [];
  /** @type {ReturnType<typeof symbolsAfter>["last"]} */
  let last;
  for (const { begin, end, merges } of pieces) {
    /** @type {Symbol[]} */
    const symbols = [];
    for (let at = begin; at < end;) {
      let next = at + 1;
      while (!isBytes && next < end && (bytes[next] & 0xc0) === 0x80) next++;
      symbols.push({ begin: at, end: next });
      at = next;
    }
    for (const made of merges.slice(0, Math.max(0, count))) {
      const at = symbols.findIndex((symbol) => symbol.begin === made.begin);
      const inside = symbols.filter((symbol) => symbol.begin >= made.begin && symbol.end <= made.end);
      symbols.splice(at, inside.length, made);
      last = { left: inside[0], right: inside[inside.length - 1], made };
    }
    count -= merges.length;
    all.push(...symbols);
  }
  return { symbols: all, last };
}

/** A symbol as it is shown. @param {TokenizerTrace} cut @param {Symbol} symbol */
export const labelOf = ({ bytes }, { begin, end }) => legibleBytes(bytes.slice(begin, end));

/** Bytes as two hexadecimal digits each. @param {Uint8Array} bytes */
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
