// The constraint of a text: a compiled grammar masks the tokens that must not follow and names the tokens that must.
import { Grammar } from "../grammar/compile.js";
import { preparedVocabulary } from "../grammar/vocabulary.js";

/** @typedef {import("../grammar/compile.js").PostedGrammar} PostedGrammar */
/** @typedef {import("../grammar/vocabulary.js").GrammarVocabulary} GrammarVocabulary */

/** Shorter runs of forced bytes save no time. */
const LEAST_FORCED = 2;

/** The part of a tokenizer that is needed here. @typedef {{ encode(text: string, how: { continues: boolean }): number[], bytesOf(id: number): Uint8Array }} Tokenizer */

/**
 * Keeps a text to a grammar, or to the bytes of a healed token.
 * @typedef {object} TextConstraint
 * @property {import("../sampler/grammar-mask.js").Matcher} matcher
 * @property {() => TextConstraint} fork a constraint at the same place of the same text; both may be disposed in any order
 * @property {(tokenizer: Tokenizer, most: number) => number[]} forced tokens that must follow
 * @property {() => void} dispose
 */

/** @implements {TextConstraint} */
export class GrammarConstraint {
  #grammar;

  /**
   * @param {Grammar} grammar
   * @param {import("../grammar/matcher.js").GrammarMatcher} [matcher]
   */
  constructor(grammar, matcher = grammar.matcher()) {
    this.#grammar = grammar;
    this.matcher = matcher;
  }

  /** A constraint at the same place of the same text. Both may be disposed in any order. */
  fork() {
    return new GrammarConstraint(this.#grammar, this.matcher.clone());
  }

  /**
   * The tokens of the bytes that must follow, as the tokenizer cuts them. The last token is left to the model: it may be
   * longer than the forced bytes.
   * @param {Tokenizer} tokenizer
   * @param {number} most
   * @returns {number[]}
   */
  forced(tokenizer, most) {
    const bytes = this.matcher.forced();
    if (bytes.length < LEAST_FORCED || most <= 0) return [];
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
    const tokens = tokenizer.encode(text, { continues: true }).slice(0, -1);
    // A tokenizer may change a text, for instance by an unknown token.
    let at = 0;
    let count = 0;
    for (const id of tokens) {
      const token = tokenizer.bytesOf(id);
      if (!token.length || token.some((byte, i) => byte !== bytes[at + i])) break;
      at += token.length;
      count++;
    }
    return tokens.slice(0, Math.min(count, most));
  }

  dispose() {
    this.matcher.dispose();
    this.#grammar.dispose();
  }
}

/**
 * Compiles a grammar again that another thread has compiled.
 * @param {PostedGrammar} posted
 * @param {GrammarVocabulary} vocabulary
 * @param {Uint8Array} [heal] with which the text must begin, before what the grammar says
 */
export async function openConstraint({ form, limits }, vocabulary, heal) {
  const grammar = new Grammar(await preparedVocabulary(vocabulary), form, limits);
  return new GrammarConstraint(grammar, grammar.matcher({ heal }));
}
