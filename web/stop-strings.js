// Ends a text before the first stop string, which may come in pieces.
import { rangeError, typeError } from "./errors.js";

/**
 * @param {unknown} stop a text or a list of them
 * @returns {string[]}
 */
export function readStops(stop) {
  const stops = typeof stop === "string" ? [stop] : stop;
  if (!Array.isArray(stops) || stops.some((text) => typeof text !== "string"))
    throw typeError("bad-type", "stop must be a text or a list of texts.");
  if (stops.includes("")) throw rangeError("out-of-range", "stop holds an empty text, which every text contains.");
  return [...stops];
}

export class StopStrings {
  #stops;
  #held = "";
  isStopped = false;

  /** @param {string[]} stops */
  constructor(stops) {
    this.#stops = stops;
  }

  /**
   * Text that can be shown: what could still become a stop string is held back.
   * @param {string} text
   * @returns {string}
   */
  push(text) {
    if (this.isStopped || !this.#stops.length) return this.isStopped ? "" : text;
    const all = this.#held + text;
    const found = this.#stops.map((stop) => all.indexOf(stop)).filter((at) => at >= 0);
    this.isStopped = found.length > 0;
    const end = this.isStopped ? Math.min(...found) : all.length - this.#beginning(all);
    this.#held = all.slice(end);
    return all.slice(0, end);
  }

  /** What was held back and has come to nothing. */
  end() {
    const text = this.isStopped ? "" : this.#held;
    this.#held = "";
    return text;
  }

  /**
   * Length of the longest end of `text` with which a stop string begins.
   * @param {string} text
   */
  #beginning(text) {
    let longest = 0;
    for (const stop of this.#stops)
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length--)
        if (text.endsWith(stop.slice(0, length))) longest = length;
    return longest;
  }
}
