// A compiled grammar: turns a reader's form into masks of a vocabulary's tokens. A model's thread compiles the forms
// that the page posts, and needs no reader.
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError } from "../core/errors.js";
import { ERROR_OUT_OF_MEMORY, REFUSAL_KEYWORD, REFUSAL_REASON, REFUSAL_SCHEMA, REFUSAL_SIZE } from "../core/layouts.js";
import { allocated } from "../core/memory.js";
import { withBytes } from "./grammar-instance.js";
import { createMatcher } from "./matcher.js";
import { newPosted } from "./posted.js";

/** @typedef {import("./vocabulary.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./matcher.js").Matcher} Matcher */
/** @typedef {import("./outcome.js").Outcome} Outcome */
/** @typedef {import("./posted.js").PostedGrammar} PostedGrammar */
/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * @param {import("../core/wasm.js").GrammarInstance} instance
 * @param {number} grammar
 * @returns {Outcome["refusals"]}
 */
function readRefusals({ exports, views }, grammar) {
  const start = exports.li_grammar_refusals(grammar) >>> 2;
  const { words } = views();
  return Array.from({ length: exports.li_grammar_refusal_count(grammar) }, (_, i) => {
    const at = start + (REFUSAL_SIZE / 4) * i;
    return [words[at + REFUSAL_SCHEMA], words[at + REFUSAL_KEYWORD], words[at + REFUSAL_REASON]];
  });
}

/** A compiled grammar. */
export class Grammar {
  #vocabulary;
  #masker;
  #isEmpty;
  #words;

  /** @type {Remark[]} words without an effect that look like keywords */
  warnings = [];
  /** @type {Remark[]} keywords that `lenient` left out */
  refusals = [];
  /**
   * Opens a reader of one text while it arrives: each piece gives the value so far, what grew and what is done. In a
   * grammar with `uniqueKeys` a member of an object is done when it is read, otherwise when the outermost object
   * closes. The option ahead: read what must follow before it comes. Default: true. false: also read spellings to which
   * no mask leads, such as needless escapes, in texts that were written without masks.
   * @type {(options?: { ahead?: boolean }) => Promise<import("./grammar-object-reader.js").GrammarObjectReader>}
   */
  objectReader = () => Promise.reject(new LastInchError("disposed"));

  /**
   * Use compileGrammar.
   * @internal
   * @param {PreparedVocabulary} vocabulary
   * @param {number} masker
   * @param {PostedGrammar} posted
   * @param {boolean} isEmpty
   */
  constructor(vocabulary, masker, posted, isEmpty) {
    this.#vocabulary = vocabulary;
    this.#masker = masker;
    /** @internal @type {PostedGrammar} */
    this.posted = posted;
    this.#isEmpty = isEmpty;
    this.#words = Math.ceil(vocabulary.size / 32);
  }

  /**
   * @internal
   * @param {PreparedVocabulary} vocabulary
   * @param {Uint8Array} form
   * @param {{ fuel?: number, stepFuel?: number }} limits
   * @returns {{ outcome: Outcome, grammar?: Grammar }} grammar: if the outcome's status is not negative
   */
  static compile(vocabulary, form, { fuel = 0, stepFuel = 0 }) {
    const { instance, pointer, size } = vocabulary;
    const { exports } = instance;
    const grammar = allocated(
      withBytes(instance, form, (address) => exports.li_grammar_compile(address, form.length, fuel)),
    );
    const status = exports.li_grammar_status(grammar);
    const masker = status < 0 ? 0 : exports.li_masker_create(grammar, pointer, stepFuel) >>> 0;
    const outcome = {
      status: status < 0 || masker ? status : ERROR_OUT_OF_MEMORY,
      limit: exports.li_grammar_limit(grammar),
      isEmpty: exports.li_grammar_is_empty(grammar) !== 0,
      refusals: readRefusals(instance, grammar),
    };
    if (masker)
      return {
        outcome,
        grammar: new Grammar(vocabulary, masker, newPosted(form, size, { fuel, stepFuel }), outcome.isEmpty),
      };
    exports.li_grammar_destroy(grammar);
    return { outcome };
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
   * @param {{ heal?: Uint8Array | string }} [options] heal: bytes that the text begins with, before the grammar. They
   *   are the bytes of removed prompt tokens, so the model may split them into other tokens (token healing)
   * @returns {Matcher}
   */
  matcher(options = {}) {
    return createMatcher(this.#live(), this.#masker, this.#words, options);
  }

  /**
   * Restricts `generate` to texts of the grammar that begin with `text`, and leaves `text` out of them.
   * @internal
   * @param {string} text
   * @returns {boolean} false: there is no such text, and nothing has changed
   */
  beginAfter(text) {
    const begun = new TextEncoder().encode(text);
    const isAllowed = this.canBegin(begun);
    if (isAllowed) this.posted.begun = begun;
    return isAllowed;
  }

  /**
   * Whether a text of the grammar begins with these bytes.
   * @internal
   * @param {Uint8Array} bytes
   */
  canBegin(bytes) {
    const matcher = this.matcher();
    try {
      return matcher.acceptBytes(bytes);
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
