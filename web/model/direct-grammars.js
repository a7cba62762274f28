// Grammars given to generate as options (jsonSchema, regex …). The page reads them; the model's thread compiles them at
// first use, and keeps them.
import { LastInchError, typeError } from "../core/errors.js";
import { refuseForeignSchema } from "../core/foreign-schema.js";
import { plainText } from "../core/plain-data.js";
import { Recent } from "../core/recent.js";

/** @typedef {import("../grammar/posted.js").PostedGrammar} PostedGrammar */
/** @typedef {import("../grammar/read.js").ReadOptions} ReadOptions */
/** @typedef {import("../grammar/compile-there.js").SentGrammar} SentGrammar */
/** @typedef {import("../grammar/thought.js").Thought} Thought */

/**
 * The option and a copy of its value: the caller may change the value later.
 * @typedef {object} DirectGrammar
 * @property {typeof kinds[number]} kind
 * @property {unknown} value
 * @property {string} text of the value: equal for equal values
 */

/** @typedef {{ after?: Thought, uniqueKeys?: boolean }} Further what else compileGrammar takes */

const kinds = /** @type {const} */ (["jsonSchema", "regex", "choice", "ebnf", "lark", "toolCalls", "structuralTags"]);

/**
 * The whitespace of kinds that write JSON: none, because small models may write whitespace without end. Only the
 * arguments of calls have the spaces of chat templates, so that a call keeps its tokens when it goes back to the model.
 */
const spellings = /** @type {const} */ ({
  jsonSchema: "compact",
  lark: "compact",
  toolCalls: { separators: [", ", ": "] },
  structuralTags: { separators: [", ", ": "] },
});

/** Number of grammars that a model keeps. */
const KEPT = 16;

/**
 * Finds the option that constrains the text; undefined if there is none, or if a compiled grammar is given.
 * @param {Record<string, any>} own options by their names
 * @param {unknown} grammar the option `grammar`
 * @returns {DirectGrammar | undefined}
 * @throws {TypeError} "conflict": two are given; "bad-type": the value is not plain data
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
  // Text keeps the order of a schema's keys.
  return { kind, value: kind === "jsonSchema" ? text : JSON.parse(text), text };
}

/**
 * The grammars that a model used last. The page reads them; only the model's thread sorts the vocabulary and compiles.
 */
export class DirectGrammars {
  #vocabulary;
  #ask;
  /** @type {Recent<string, Promise<SentGrammar>>} */
  #kept = new Recent(KEPT);

  /**
   * @param {() => import("../grammar/compile-there.js").Vocabulary} vocabulary of the model
   * @param {import("../grammar/compile-there.js").Ask} ask
   */
  constructor(vocabulary, ask) {
    this.#vocabulary = vocabulary;
    this.#ask = ask;
  }

  /**
   * Compiles an option of generate, or finds an equal grammar.
   * @param {DirectGrammar} direct
   * @param {Further} further
   * @returns {Promise<PostedGrammar>} rejected with the errors of compileGrammar, and with "grammar-empty"
   */
  async open({ kind, value, text }, further) {
    const { posted } = await this.#find([kind, text, further], async () => {
      const grammar = await this.#compile({
        [kind]: value,
        ...(kind in spellings && { whitespace: spellings[/** @type {keyof typeof spellings} */ (kind)] }),
        ...further,
      });
      if (grammar.isEmpty) throw new LastInchError("grammar-empty");
      // Callers get no grammar object, so they could not read its warnings.
      for (const { pointer, keyword, reason } of grammar.warnings)
        console.warn(`lastinch: ${kind} ${pointer}/${keyword}: ${reason}`);
      return grammar;
    });
    return posted;
  }

  /**
   * Like compileGrammar, but in the model's thread.
   * @param {ReadOptions} options with one of the kinds of generate
   * @param {string} [beginning] the text begins with it, but does not repeat it
   * @returns {Promise<SentGrammar>}
   */
  async compile({ signal, ...options }, beginning) {
    signal?.throwIfAborted();
    const { kind, value, text } = /** @type {DirectGrammar} */ (readDirectGrammar(options, undefined));
    const parts = [kind, text, { ...options, [kind]: undefined }, beginning];
    const found = await this.#find(parts, () => this.#compile({ ...options, [kind]: value }, beginning));
    signal?.throwIfAborted();
    return found;
  }

  /**
   * @param {unknown} parts that tell a grammar from others
   * @param {() => Promise<SentGrammar>} compile
   */
  #find(parts, compile) {
    const key = JSON.stringify(parts);
    let found = this.#kept.get(key);
    if (!found) {
      this.#kept.set(key, (found = compile()));
      found.catch(() => this.#kept.delete(key));
    }
    return found;
  }

  /**
   * @param {ReadOptions} options
   * @param {string} [beginning]
   * @returns {Promise<SentGrammar>}
   */
  async #compile(options, beginning) {
    const { compileThere } = await import("../grammar/compile-there.js");
    return compileThere(options, this.#vocabulary(), this.#ask, beginning);
  }

  dispose() {
    this.#kept.clear();
  }
}

/**
 * A compiled grammar as it is posted to the model.
 * @param {any} grammar
 * @param {number} count of the model's tokens
 * @returns {import("../grammar/posted.js").PostedGrammar}
 */
export function postedOf(grammar, count) {
  const { posted } = grammar ?? {};
  if (!(posted?.form instanceof Uint8Array))
    throw typeError(
      "bad-type",
      "grammar must come from compileGrammar and not be a matcher; give a schema as jsonSchema, GBNF as ebnf.",
    );
  if (grammar.isEmpty) throw new LastInchError("grammar-empty");
  if (posted.size !== count)
    throw typeError(
      "conflict",
      `The grammar is for ${posted.size} tokens, the model has ${count}: use its vocabulary.`,
    );
  return posted;
}
