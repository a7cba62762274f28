// Finds watermarks: adds up the keyed numbers of a text's tokens, and says how likely an unmarked text has so many.
import { checkObject } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { VOCAB_LIMIT } from "../core/layouts.js";
import { withMemory } from "../core/memory.js";
import { openDecode } from "../sampler/decode-module.js";
import { listed, tokenList } from "../sampler/options.js";
import { readWatermark } from "../sampler/watermark-options.js";

/** @typedef {import("../core/wasm.js").Instance<import("../core/exports.js").ExportsByModule["decode"]>} Instance */
/** @typedef {import("../sampler/watermark-options.js").Watermark} Watermark */

/**
 * What splits a text as the model did that may have written it: a loaded model, or a function.
 * @typedef {{ tokenize(text: string): ArrayLike<number> | Promise<ArrayLike<number>> }
 *   | ((text: string) => ArrayLike<number> | Promise<ArrayLike<number>>)} Splitter
 */

/**
 * @typedef {object} Detection
 * @property {number} score mean of the tokens that were used. An unmarked text has about 1 with "gumbel" (the sum of
 *   -ln(1 - u)), gamma with "green" (the share of green tokens) and .5 with "synthid" (the weighted mean of its bits).
 *   NaN if no token was used
 * @property {number} pValue the probability that a text without this mark scores as much: over all keys, exactly this,
 *   whatever the text is. 1 if no token was used. It is for one look at a length that was fixed before: who takes the
 *   best of several moments, keys or passages must divide the limit by their number
 * @property {number} tokensUsed tokens with a whole window before them, where this window is new: the sampler marks no
 *   token after a window that the text has had
 */

/** Reads a text token by token. */
export class WatermarkDetector {
  #instance;
  #mark;
  /** The tokens of the window. @type {number[]} */
  #last = [];
  /** Windows that a token has followed. @type {Set<string>} */
  #seen = new Set();
  #total = 0;

  /**
   * Use createWatermarkDetector.
   * @internal
   * @param {Instance} instance
   * @param {ReturnType<typeof readWatermark>} mark
   */
  constructor(instance, mark) {
    this.#instance = instance;
    this.#mark = mark;
  }

  /**
   * Reads the next tokens of the text. The detector keeps every window that it has read: some 100 bytes a token.
   * @param {number | ArrayLike<number>} tokens
   * @throws {TypeError | RangeError} "bad-type", "out-of-range"
   */
  add(tokens) {
    const { window, words } = this.#mark;
    const ids = [...this.#last, ...tokenList("add", listed(tokens), VOCAB_LIMIT)];
    const { exports, views } = this.#instance;
    withMemory(this.#instance, 4 * (words.length + ids.length), (address) => {
      views().words.set([...words, ...ids], address >>> 2);
      for (let i = window; i < ids.length; i++) {
        const before = ids.slice(i - window, i).join();
        if (this.#seen.has(before)) continue;
        this.#seen.add(before);
        const first = address + 4 * (words.length + i - window);
        this.#total += exports.li_watermark_score(address, words.length, first);
      }
    });
    this.#last = ids.slice(-window);
  }

  /** What the tokens so far show. @returns {Detection} */
  get result() {
    const { words } = this.#mark;
    const tokensUsed = this.#seen.size;
    const pValue = withMemory(this.#instance, 4 * words.length, (address) => {
      this.#instance.views().words.set(words, address >>> 2);
      return this.#instance.exports.li_watermark_tail(address, words.length, this.#total, tokensUsed);
    });
    return { score: this.#total / tokensUsed, pValue, tokensUsed };
  }
}

/**
 * A detector of one mark in one text, for texts that arrive token by token.
 *
 * ```js
 * const key = "a long secret";
 * const sampler = await createSampler({ vocabSize: 50, watermark: { scheme: "gumbel", key } });
 * const detector = await createWatermarkDetector({ scheme: "gumbel", key });
 * for (let i = 0; i < 60; i++) detector.add(sampler.sample(new Float32Array(50)));
 * detector.result; // { score: 4.4…, pValue: 1e-57…, tokensUsed: 56 }
 * ```
 * @param {Watermark} options those that the text was marked with; `delta` does not matter
 * @returns {Promise<WatermarkDetector>}
 * @throws {TypeError | RangeError} for an unknown option or a bad value, with a `code`
 * @throws {LastInchError} "no-webassembly", "no-simd", "wasm-unavailable", "out-of-memory"
 */
export async function createWatermarkDetector(options) {
  const mark = readWatermark(options, "createWatermarkDetector");
  return new WatermarkDetector(await openDecode(), mark);
}

/**
 * Looks for a mark in a text.
 *
 * Give the tokens that the model wrote where you have them. A text is split again, and a split that differs from the
 * model's hides the mark of the tokens around it.
 * @param {string | ArrayLike<number>} tokensOrText
 * @param {Watermark & { vocabulary?: Splitter }} options those that the text was marked with. vocabulary: for a text,
 *   what splits it
 * @returns {Promise<Detection>}
 * @throws as createWatermarkDetector
 */
export async function detectWatermark(tokensOrText, options) {
  checkObject("detectWatermark", options);
  const { vocabulary, ...mark } = options;
  const detector = await createWatermarkDetector(mark);
  detector.add(typeof tokensOrText === "string" ? await split(tokensOrText, vocabulary) : tokensOrText);
  return detector.result;
}

/**
 * @param {string} text
 * @param {any} vocabulary
 */
function split(text, vocabulary) {
  if (typeof vocabulary === "function") return vocabulary(text);
  if (typeof vocabulary?.tokenize === "function") return vocabulary.tokenize(text);
  throw typeError(
    "bad-type",
    "A text needs `vocabulary`: the model that may have written it, or a function from its text to token ids.",
  );
}
