// Ends a text before its first stop string. A stop string may arrive in pieces.
import { rangeError, typeError } from "../core/errors.js";

/**
 * @param {unknown} stop a text or a list of them
 * @returns {string[]}
 */
export function readStops(stop) {
  const stops = typeof stop === "string" ? [stop] : stop;
  if (!Array.isArray(stops) || stops.some((text) => typeof text !== "string"))
    throw typeError("bad-type", "stop must be a text or a list of texts.");
  if (stops.includes("")) throw rangeError("out-of-range", "stop has an empty text, which every text contains.");
  return [...stops];
}

/**
 * The search for one stop string, which reads each character once (Knuth, Morris and Pratt 1977).
 * @typedef {{ stop: string, borders: Uint32Array, matched: number }} Search borders: for each prefix of `stop`, the length of
 *   its longest proper prefix that is also its suffix; matched: length of the longest prefix of `stop` that ends the text
 */

/** @param {Search} search @param {number} unit of the text, its next */
export function advance(search, unit) {
  const { stop, borders } = search;
  while (search.matched && stop.charCodeAt(search.matched) !== unit) search.matched = borders[search.matched - 1];
  if (stop.charCodeAt(search.matched) === unit) search.matched++;
}

/** @param {string} stop @returns {Search} */
export function beginSearch(stop) {
  const borders = new Uint32Array(stop.length);
  const search = { stop, borders, matched: 0 };
  for (let at = 1; at < stop.length; at++) {
    advance(search, stop.charCodeAt(at));
    borders[at] = search.matched;
  }
  return { ...search, matched: 0 };
}

export class StopStrings {
  #searches;
  #held = "";
  isStopped = false;

  /** @param {string[]} stops */
  constructor(stops) {
    this.#searches = stops.map(beginSearch);
  }

  /**
   * The text that can be emitted. A suffix that may still become a stop string is held back.
   * @param {string} text
   * @returns {string}
   */
  push(text) {
    if (this.isStopped || !this.#searches.length) return this.isStopped ? "" : text;
    const held = this.#held;
    let first = Infinity;
    this.#held = "";
    for (const search of this.#searches) {
      const { stop } = search;
      for (let at = 0; at < text.length && search.matched < stop.length; at++) {
        advance(search, text.charCodeAt(at));
        if (search.matched === stop.length) first = Math.min(first, held.length + at + 1 - stop.length);
      }
      // The text ends with this part of the stop string, so take it from there instead of the text.
      if (search.matched > this.#held.length) this.#held = stop.slice(0, search.matched);
    }
    this.isStopped = first < Infinity;
    const end = this.isStopped ? first : held.length + text.length - this.#held.length;
    return held.slice(0, end) + text.slice(0, Math.max(0, end - held.length));
  }

  /**
   * A search at the end of another text, which has no stop string.
   * @param {string} text
   */
  restart(text) {
    const copy = new StopStrings(this.#searches.map(({ stop }) => stop));
    copy.push(text.slice(-Math.max(1, ...this.#searches.map(({ stop }) => stop.length))));
    return copy;
  }

  /** The text that was held back but is not a stop string. */
  end() {
    const text = this.isStopped ? "" : this.#held;
    this.#held = "";
    return text;
  }
}
