// Keeps a text to a compiled grammar: masks the tokens that must not follow, and finds the forced tokens.
import { LastInchError } from "../core/errors.js";
import { Recent } from "../core/recent.js";
import { Grammar } from "../grammar/grammar.js";
import { checkOutcome } from "../grammar/outcome.js";
import { prepareVocabulary } from "../grammar/vocabulary.js";

/** @typedef {import("../grammar/posted.js").PostedGrammar} PostedGrammar */
/** @typedef {import("../grammar/vocabulary.js").GrammarVocabulary} GrammarVocabulary */

/** With fewer forced bytes than this, forcing saves no time. */
const LEAST_FORCED = 2;

/** Number of grammars to keep compiled, with their cached masks. */
const KEPT = 8;

/**
 * The part of a tokenizer that we need.
 * @typedef {{ encode(text: string, how: { continues: boolean, special?: boolean }): number[], bytesOf(id: number): Uint8Array }} Tokenizer
 */

/**
 * Keeps a text to a grammar, or to the bytes of a healed token.
 * @typedef {object} TextConstraint
 * @property {import("../sampler/grammar-mask.js").MatcherLike} matcher
 * @property {() => TextConstraint} fork a constraint at the same place of the same text; both may be disposed in any order
 * @property {(tokenizer: Tokenizer, most: number) => number[]} forced tokens that must follow
 * @property {() => Uint8Array} forcedBytes bytes that must follow
 * @property {() => void} dispose
 */

/** @implements {TextConstraint} */
class GrammarConstraint {
  /** @param {import("../grammar/matcher.js").Matcher} matcher */
  constructor(matcher) {
    this.matcher = matcher;
  }

  /** A constraint at the same place of the same text. Both may be disposed in any order. */
  fork() {
    return new GrammarConstraint(this.matcher.clone());
  }

  /**
   * The forced bytes as tokens, split by the tokenizer. Leaves out the last token, because the model may choose a
   * longer one there.
   * @param {Tokenizer} tokenizer
   * @param {number} most
   * @returns {number[]}
   */
  forced(tokenizer, most) {
    const bytes = this.matcher.forced();
    if (bytes.length < LEAST_FORCED || most <= 0) return [];
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
    const tokens = tokenizer.encode(text, { continues: true }).slice(0, -1);
    // The bytes of the tokens may differ from the text, for instance after an unknown token.
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

  forcedBytes() {
    return this.matcher.forced();
  }

  dispose() {
    this.matcher.dispose();
  }
}

/** The constraints of one model's texts. Keeps the most recently used grammars compiled. */
export class Constraints {
  #vocabulary;
  /** @type {Promise<import("../grammar/vocabulary.js").PreparedVocabulary> | undefined} */
  #prepared;
  /** @type {Recent<number, Grammar>} */
  #grammars = new Recent(KEPT, (grammar) => grammar.dispose());
  #isDisposed = false;

  /** @param {GrammarVocabulary} vocabulary */
  constructor(vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /**
   * Compiles a grammar for the thread that has read it.
   * @param {PostedGrammar} posted
   * @param {boolean} isKept a text will need it; otherwise only errors and warnings count
   * @returns {ReturnType<import("../grammar/compile-there.js").Ask>}
   */
  async compile({ id, form, limits, begun }, isKept) {
    const vocabulary = await this.#prepare();
    const { grammar, outcome } = Grammar.compile(vocabulary, form, limits);
    if (!grammar) return { ...outcome, isBegun: false };
    let isNeeded = false;
    try {
      const isBegun = !begun || grammar.canBegin(begun);
      isNeeded = isKept && isBegun && !outcome.isEmpty;
      return { ...outcome, isBegun };
    } finally {
      if (isNeeded) this.#grammars.set(id, grammar);
      else grammar.dispose();
    }
  }

  /**
   * A constraint from a posted grammar.
   * @param {PostedGrammar} posted
   * @param {Uint8Array} [heal] bytes that the text begins with, before the grammar's text
   * @returns {Promise<TextConstraint>}
   */
  async open({ id, form, limits, begun }, heal) {
    const vocabulary = await this.#prepare();
    let grammar = this.#grammars.get(id);
    if (!grammar) {
      const compiled = Grammar.compile(vocabulary, form, limits);
      checkOutcome(compiled.outcome);
      this.#grammars.set(id, (grammar = /** @type {Grammar} */ (compiled.grammar)));
    }
    const matcher = grammar.matcher({ heal });
    if (begun) matcher.acceptBytes(begun);
    return new GrammarConstraint(matcher);
  }

  async #prepare() {
    this.#prepared ??= prepareVocabulary(this.#vocabulary);
    const vocabulary = await this.#prepared.catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    if (this.#isDisposed) throw new LastInchError("disposed");
    return vocabulary;
  }

  dispose() {
    this.#isDisposed = true;
    this.#grammars.clear();
    this.#prepared?.then(
      (vocabulary) => vocabulary.dispose(),
      () => {},
    );
  }
}
