// Grammars that are given to generate as options (jsonSchema, regex …): compiled at first use, and kept with the model.
import { LastInchError, typeError } from "../core/errors.js";
import { refuseForeignSchema } from "../core/foreign-schema.js";
import { plainText } from "../core/plain-data.js";
import { Recent } from "../core/recent.js";

/** @typedef {import("../grammar/grammar.js").PostedGrammar} PostedGrammar */
/** @typedef {import("../grammar/vocabulary.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("../grammar/readers/free-text.js").Thought} Thought */

/**
 * The option and a copy of its value: the caller may change the value later.
 * @typedef {object} DirectGrammar
 * @property {typeof kinds[number]} kind
 * @property {unknown} value
 * @property {string} text of the value: equal for equal values
 */

const kinds = /** @type {const} */ (["jsonSchema", "regex", "choice", "ebnf", "lark", "toolCalls"]);

/**
 * The whitespace of kinds that spell JSON. There is none, because small models may write whitespace without end. Only the
 * arguments of calls have the spaces of chat templates, so that a call keeps its tokens when it goes back to the model.
 */
const spellings = {
  jsonSchema: "compact",
  lark: "compact",
  toolCalls: { separators: [", ", ": "] },
};

/** Grammars that a model keeps. */
const KEPT = 16;

/**
 * The option that constrains the text; undefined if there is none, or if a compiled grammar is given.
 * @param {Record<string, any>} own options by their names
 * @param {unknown} grammar the option of this name
 * @returns {DirectGrammar | undefined}
 * @throws {TypeError} "conflict": two of them are given; "bad-type": the value is no plain data
 */
export function readDirectGrammar(own, grammar) {
  const given = kinds.filter((kind) => own[kind] !== undefined);
  const all = [...(grammar === undefined ? [] : ["grammar"]), ...given];
  if (all.length > 1)
    throw typeError("conflict", `${all.join(" and ")} each say what the text must be: give one of them.`);
  const [kind] = given;
  if (!kind) return undefined;
  const value = own[kind];
  // eslint-disable-next-line no-restricted-syntax -- the caller's own, copied and never run
  if (value instanceof RegExp) return { kind, value: new RegExp(value.source, value.flags), text: String(value) };
  if (kind === "jsonSchema") refuseForeignSchema(kind, value);
  const text = plainText(kind, value);
  if (typeof value !== "object") return { kind, value, text };
  // As text a schema keeps the order of its keys.
  return { kind, value: kind === "jsonSchema" ? text : JSON.parse(text), text };
}

/** The grammars of a model that were used last, as they are posted to the model. */
export class DirectGrammars {
  #vocabulary;
  /** @type {Recent<string, Promise<PostedGrammar>>} */
  #kept = new Recent(KEPT);

  /** @param {() => GrammarVocabulary} vocabulary of the model */
  constructor(vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /**
   * Compiles a grammar, or finds one that is the same.
   * @param {DirectGrammar} direct
   * @param {Thought} [after] the grammar begins after this thought
   * @returns {Promise<PostedGrammar>} rejected with the errors of compileGrammar, and with "grammar-empty"
   */
  open({ kind, value, text }, after) {
    const key = JSON.stringify([kind, text, after]);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const compiled = compile(this.#vocabulary(), kind, value, after);
    this.#kept.set(key, compiled);
    compiled.catch(() => this.#kept.delete(key));
    return compiled;
  }

  dispose() {
    this.#kept.clear();
  }
}

/**
 * @param {GrammarVocabulary} vocabulary
 * @param {DirectGrammar["kind"]} kind
 * @param {unknown} value
 * @param {Thought} [after]
 * @returns {Promise<PostedGrammar>}
 */
async function compile(vocabulary, kind, value, after) {
  const { compileGrammar } = await import("../grammar/compile.js");
  const options = {
    vocabulary,
    [kind]: value,
    ...(kind in spellings && { whitespace: spellings[/** @type {keyof typeof spellings} */ (kind)] }),
    ...(after !== undefined && { after }),
  };
  const grammar = await compileGrammar(/** @type {any} */ (options));
  try {
    if (grammar.isEmpty) throw new LastInchError("grammar-empty");
    // The caller gets no grammar object whose warnings could be read.
    for (const { pointer, keyword, reason } of grammar.warnings)
      console.warn(`lastinch: ${kind} ${pointer}/${keyword}: ${reason}`);
    return grammar.posted;
  } finally {
    // The model's thread compiles what is posted.
    grammar.dispose();
  }
}
