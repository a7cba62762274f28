// Grammars: JSON Schema, regular expressions, EBNF and more, compiled to masks of tokens.
import { Grammar } from "./grammar.js";
import { checkOutcome, refusalsOf } from "./outcome.js";
import { openReader } from "./read.js";
import { preparedVocabulary } from "./vocabulary.js";

/** @typedef {import("./read.js").GrammarOptions} GrammarOptions */
/** @typedef {import("./read.js").Spelling} Spelling */
/** @typedef {import("./vocabulary.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("./vocabulary.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./matcher.js").Matcher} Matcher */
/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * Compiles a grammar for a vocabulary.
 * @param {GrammarOptions} options
 * @returns {Promise<Grammar>}
 * @throws {TypeError | RangeError} for an unknown option or a bad value, with a `code`
 * @throws {LastInchError} "grammar-…", with `pointer` and `keyword` if a JSON Schema cannot be enforced
 */
export async function compileGrammar(options) {
  const [read, vocabulary] = await Promise.all([openReader(options), preparedVocabulary(options.vocabulary)]);
  const { fuel, stepFuel } = options;
  /** @param {Uint8Array} form @param {import("./read.js").GrammarSource} source @param {{ stepFuel?: number }} limits */
  const open = (form, source, limits) => {
    const { grammar, outcome } = Grammar.compile(vocabulary, form, { fuel, ...limits });
    const refusals = refusalsOf(outcome, source);
    checkOutcome(outcome, refusals);
    const compiled = /** @type {Grammar} */ (grammar);
    return Object.assign(compiled, { warnings: source.warnings, refusals, objectReader: readerOf(compiled) });
  };
  const { form, posted, source } = await read(vocabulary, (form, source, text) => {
    // stepFuel only bounds the matchers of the caller.
    const grammar = open(form, source, {});
    try {
      return grammar.beginAfter(text);
    } finally {
      grammar.dispose();
    }
  });
  const grammar = open(form, source, { stepFuel });
  grammar.posted.form = posted;
  return grammar;
}

/**
 * What reads the objects of a grammar, fetched when a page first asks for it. Threads of models ask for none.
 * @param {Grammar} grammar
 * @returns {Grammar["objectReader"]}
 */
const readerOf =
  (grammar) =>
  async (options = {}) =>
    (await import("./grammar-object-reader.js")).createObjectReader(grammar, options);
