// A compiled grammar: the form that a reader has written, as masks of a vocabulary's tokens. A model's thread compiles the
// forms that the page posts, and needs no reader.
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError } from "../core/errors.js";
import {
  ERROR_GRAMMAR_UNSUPPORTED,
  REFUSAL_KEYWORD,
  REFUSAL_REASON,
  REFUSAL_SCHEMA,
  REFUSAL_SIZE,
} from "../core/layouts.js";
import { allocated } from "../core/memory.js";
import { GrammarError, checkGrammar } from "./errors.js";
import { withBytes } from "./instance.js";
import { createMatcher } from "./matcher.js";

/** @typedef {import("./vocabulary.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./matcher.js").Matcher} Matcher */
/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * What was read of a grammar's text.
 * @typedef {object} Source
 * @property {Remark[]} warnings
 * @property {Remark[]} refusals
 * @property {(index: number, keyword: number, reason: number) => Remark} remark a refusal of C, with its place in the schemas
 */

/** @param {Remark} refusal */
function refusalSentence({ pointer, keyword, reason }) {
  const place = pointer + (keyword && `/${keyword}`);
  return `${place === "" ? "The schema" : place}: ${reason}.`;
}

/**
 * @param {import("../core/wasm.js").Instance} instance
 * @param {number} grammar
 * @param {Source | undefined} source
 * @returns {Remark[]}
 */
function refusalsOf({ exports, views }, grammar, source) {
  const count = exports.li_grammar_refusal_count(grammar);
  const start = exports.li_grammar_refusals(grammar) >>> 2;
  const { words } = views();
  return Array.from({ length: source ? count : 0 }, (_, i) => {
    const at = start + (REFUSAL_SIZE / 4) * i;
    return /** @type {Source} */ (source).remark(
      words[at + REFUSAL_SCHEMA],
      words[at + REFUSAL_KEYWORD],
      words[at + REFUSAL_REASON],
    );
  });
}

/**
 * The data with which another thread compiles a grammar again.
 * @typedef {object} PostedGrammar
 * @property {number} id unique among the grammars of a thread
 * @property {Uint8Array} form
 * @property {{ fuel?: number, stepFuel?: number }} limits
 * @property {number} size of the vocabulary
 * @property {Uint8Array} [begun] bytes that the text has already
 */

let lastGrammar = 0;

/** A compiled grammar. */
export class Grammar {
  #vocabulary;
  #masker;
  #isEmpty;
  #words;

  /**
   * Use compileGrammar.
   * @internal
   * @param {PreparedVocabulary} vocabulary
   * @param {Uint8Array} form
   * @param {{ fuel?: number, stepFuel?: number }} limits
   * @param {Source} [source]
   */
  constructor(vocabulary, form, { fuel = 0, stepFuel = 0 }, source) {
    const { instance } = vocabulary;
    const { exports } = instance;
    this.#vocabulary = vocabulary;
    /** @internal @type {PostedGrammar} */
    this.posted = { id: ++lastGrammar, form, limits: { fuel, stepFuel }, size: vocabulary.size };
    const grammar = allocated(
      withBytes(instance, form, (address) => exports.li_grammar_compile(address, form.length, fuel)),
    );
    /** @type {Remark[]} words without an effect that look like keywords */
    this.warnings = source?.warnings ?? [];
    /** @type {Remark[]} keywords that `lenient` left out */
    this.refusals = [...(source?.refusals ?? []), ...refusalsOf(instance, grammar, source)];
    const status = exports.li_grammar_status(grammar);
    this.#isEmpty = exports.li_grammar_is_empty(grammar) !== 0;
    this.#masker = status < 0 ? 0 : exports.li_masker_create(grammar, vocabulary.pointer, stepFuel) >>> 0;
    if (!this.#masker) {
      const limit = exports.li_grammar_limit(grammar);
      exports.li_grammar_destroy(grammar);
      const [refusal] = this.refusals;
      if (status === ERROR_GRAMMAR_UNSUPPORTED && refusal)
        throw new GrammarError("grammar-unsupported", refusalSentence(refusal), refusal);
      checkGrammar(status, undefined, () => limit);
      throw new LastInchError("out-of-memory");
    }
    this.#words = Math.ceil(vocabulary.size / 32);
  }

  /** Whether no text satisfies the grammar. */
  get isEmpty() {
    this.#live();
    return this.#isEmpty;
  }

  /** @internal */
  get vocabulary() {
    this.#live();
    return this.#vocabulary;
  }

  /**
   * A matcher at the start of a text.
   * @param {{ heal?: Uint8Array | string }} [options] heal: the text begins with these bytes, before the grammar: the bytes
   *   of removed prompt tokens, so that the model may tokenize them in another way (token healing)
   * @returns {Matcher}
   */
  matcher(options = {}) {
    return createMatcher(this.#live(), this.#masker, this.#words, options);
  }

  /**
   * Restricts the texts of `generate` to texts of the grammar that begin with `text`, and leaves `text` out.
   * @internal
   * @param {string} text
   * @returns {boolean} false: there is no such text, and nothing has changed
   */
  beginAfter(text) {
    const begun = new TextEncoder().encode(text);
    const matcher = this.matcher();
    try {
      const isAllowed = matcher.acceptBytes(begun);
      if (isAllowed) this.posted.begun = begun;
      return isAllowed;
    } finally {
      matcher.dispose();
    }
  }

  /** Frees the memory when no matcher uses the grammar any more. */
  dispose() {
    if (!this.#masker) return;
    this.#vocabulary.instance.exports.li_masker_destroy(this.#masker);
    this.#masker = 0;
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #live() {
    if (!this.#masker) throw new LastInchError("disposed");
    return this.#vocabulary.instance;
  }
}
