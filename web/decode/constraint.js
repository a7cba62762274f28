// A compiled grammar beside a model: it keeps the sampler to what may follow, and knows the tokens that must.
import { Grammar } from "../grammar/compile.js";
import { preparedVocabulary } from "../grammar/vocabulary.js";

/** @typedef {import("../grammar/compile.js").PostedGrammar} PostedGrammar */
/** @typedef {import("../grammar/vocabulary.js").GrammarVocabulary} GrammarVocabulary */

/** Fewer bytes are chosen about as fast as they are found. */
const LEAST_FORCED = 2;

/** What of a tokenizer is needed here. @typedef {{ encode(text: string, continues: boolean): number[], tokens: Uint8Array[] }} Tokenizer */

/**
 * What keeps a text to what it must be.
 * @typedef {object} TextConstraint
 * @property {import("../sampler/grammar-mask.js").Matcher} matcher
 * @property {() => TextConstraint} fork another one for the same text so far; both may be disposed in any order
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

  /** Another one for the same text so far. Both may be disposed in any order. */
  fork() {
    return new GrammarConstraint(this.#grammar, this.matcher.clone());
  }

  /**
   * Tokens that must follow, whatever is chosen, as the tokenizer would cut them. The last one is left to the model: what
   * comes after it may belong to it.
   * @param {Tokenizer} tokenizer
   * @param {number} most
   * @returns {number[]}
   */
  forced(tokenizer, most) {
    const bytes = this.matcher.forced();
    if (bytes.length < LEAST_FORCED || most <= 0) return [];
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
    const tokens = tokenizer.encode(text, true).slice(0, -1);
    // A tokenizer may write a text otherwise than it is, with an unknown token for instance.
    let at = 0;
    let count = 0;
    for (const id of tokens) {
      const token = tokenizer.tokens[id] ?? [];
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
 * Compiles a grammar that another thread has compiled before.
 * @param {PostedGrammar} posted
 * @param {GrammarVocabulary} vocabulary
 * @param {Uint8Array} [heal] with which the text must begin, before what the grammar says
 */
export async function openConstraint({ form, limits }, vocabulary, heal) {
  const grammar = new Grammar(await preparedVocabulary(vocabulary), form, limits);
  return new GrammarConstraint(grammar, grammar.matcher({ heal }));
}
