// compileGrammar for our own models: this thread reads the text, and the model's thread compiles the form. So this
// thread fetches no grammar.wasm and sorts no vocabulary.
import { checkOutcome, refusalsOf } from "./outcome.js";
import { newPosted } from "./posted.js";
import { openReader } from "./read.js";

/** @typedef {import("./posted.js").PostedGrammar} PostedGrammar */
/** @typedef {import("./read.js").ReadVocabulary & { size: number }} Vocabulary */
/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * Asks the model's thread to compile a form. isKept: a text will need the grammar; otherwise only the outcome counts.
 * @typedef {(grammar: PostedGrammar, isKept: boolean) => Promise<import("./outcome.js").Outcome & { isBegun: boolean }>} Ask
 */

/**
 * A grammar that the model's thread has compiled: `grammar` of generate takes it like one of compileGrammar.
 * @typedef {object} SentGrammar
 * @property {PostedGrammar} posted
 * @property {boolean} isEmpty no text satisfies the grammar
 * @property {boolean} isBegun some text of the grammar begins as wanted
 * @property {Remark[]} warnings
 * @property {Remark[]} refusals
 */

/**
 * @param {import("./read.js").ReadOptions} options
 * @param {Vocabulary} vocabulary of the model
 * @param {Ask} ask
 * @param {string} [beginning] the text begins with it, but does not repeat it
 * @returns {Promise<SentGrammar>} rejected with the errors of compileGrammar
 */
export async function compileThere(options, vocabulary, ask, beginning) {
  const { fuel, stepFuel } = options;
  /**
   * @param {Uint8Array} form
   * @param {import("./read.js").GrammarSource} source
   * @param {string} [text] with which it begins
   * @param {boolean} [isKept]
   */
  const compile = async (form, source, text, isKept = true) => {
    const posted = newPosted(form, vocabulary.size, { fuel, stepFuel });
    if (text) posted.begun = new TextEncoder().encode(text);
    const outcome = await ask(posted, isKept);
    const refusals = refusalsOf(outcome, source);
    checkOutcome(outcome, refusals);
    const { isEmpty, isBegun } = outcome;
    return { posted, isEmpty, isBegun, warnings: source.warnings, refusals };
  };
  const read = await openReader(options);
  const { posted, source } = await read(
    vocabulary,
    async (form, source, text) => (await compile(form, source, text, false)).isBegun,
  );
  return compile(posted, source, beginning);
}
