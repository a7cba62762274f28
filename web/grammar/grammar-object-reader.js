// Grammar.objectReader: reads a text of the grammar while any engine writes it, and what must follow before it comes.
import { checkBoolean, checkNames } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError } from "../core/errors.js";
import { ObjectReader } from "./object-reader.js";
import { hasUniqueKeys } from "./readers/form.js";

/** @typedef {import("./object-reader.js").Growth} Growth */

const encoder = new TextEncoder();

/** An object while it arrives. */
export class GrammarObjectReader {
  #matcher;
  #reader;
  #ahead;
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Bytes that the reader has read, and the text has not reached. @type {Uint8Array} */
  #read = new Uint8Array(0);

  /**
   * Use grammar.objectReader.
   * @internal
   * @param {import("./matcher.js").Matcher} matcher
   * @param {{ mayRepeat: boolean, ahead: boolean }} how
   */
  constructor(matcher, { mayRepeat, ahead }) {
    this.#matcher = matcher;
    this.#reader = new ObjectReader({ mayRepeat });
    this.#ahead = ahead;
  }

  /**
   * Reads the next piece.
   * @param {Uint8Array | string} piece a text in whole characters, or bytes
   * @returns {Growth}
   * @throws {LastInchError} "grammar-refused": the grammar does not allow the piece, or its text is not JSON
   */
  push(piece) {
    if (!this.#matcher.acceptBytes(piece))
      throw new LastInchError("grammar-refused", `(${typeof piece === "string" ? JSON.stringify(piece) : piece})`);
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    const known = Math.min(bytes.length, this.#read.length);
    for (let i = 0; i < known; i++)
      if (bytes[i] !== this.#read[i])
        throw new LastInchError(
          "grammar-refused",
          "No mask leads to this spelling of what had to follow: give ahead: false.",
        );
    this.#read = this.#read.subarray(known);
    let text = this.#decode(bytes.subarray(known));
    if (this.#ahead) {
      const forced = this.#matcher.forced();
      text += this.#decode(forced.subarray(this.#read.length));
      if (forced.length > this.#read.length) this.#read = forced;
    }
    return this.#reader.push(text);
  }

  /**
   * Ends a whole text. A number that is the whole text is known only now.
   * @returns {Growth}
   */
  end() {
    return this.#reader.end();
  }

  /** Frees the memory. Using the reader afterwards throws. */
  dispose() {
    this.#matcher.dispose();
  }

  [disposeSymbol]() {
    this.dispose();
  }

  /** @param {Uint8Array} bytes */
  #decode(bytes) {
    return this.#decoder.decode(bytes, { stream: true });
  }
}

/**
 * @param {import("./grammar.js").Grammar} grammar
 * @param {{ ahead?: boolean }} options
 */
export function createObjectReader(grammar, options) {
  checkNames("objectReader", options, ["ahead"]);
  const { ahead = true } = options;
  checkBoolean("ahead", ahead);
  return new GrammarObjectReader(grammar.matcher(), { mayRepeat: !hasUniqueKeys(grammar.posted.form), ahead });
}
