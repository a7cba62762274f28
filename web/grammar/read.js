// Reads a grammar's text in the thread that has the text: writes the form that C compiles, in this thread or in a
// model's, and puts C's refusals into words.
import { checkBoolean, checkNames, checkObject, checkWhole } from "../core/arguments.js";
import { LastInchError, rangeError, typeError } from "../core/errors.js";
import { refuseForeignSchema } from "../core/foreign-schema.js";
import { checkSignal } from "../core/signal.js";
import { REFUSAL_NEGATED, REFUSAL_TOO_COMPLEX, REFUSAL_UNDECIDED } from "./form-numbers.js";
import { withCanonicalNumbers, writeForm } from "./readers/form.js";
import { afterThought } from "./readers/free-text.js";
import { withPatternTools } from "./readers/schema/pattern-tools.js";
import { checkWellFormed } from "./well-formed.js";

/** @typedef {import("./vocabulary.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("./vocabulary.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./readers/form.js").Expression} Expression */
/** @typedef {import("./readers/schema/schema.js").Remark} Remark */

/**
 * The kind of grammar (exactly one of jsonSchema to structuralTags), and options.
 * @typedef {object} GrammarOptions
 * @property {GrammarVocabulary | PreparedVocabulary} vocabulary
 * @property {object | boolean | string} [jsonSchema] a JSON Schema; JSON text keeps the order of keys and exact numbers
 * @property {string | RegExp} [regex] the whole text must match; a string is read with the flag u and has at most 50,000 characters
 * @property {string} [ebnf] a grammar in llama.cpp's notation (GBNF)
 * @property {string} [lark] a Lark grammar
 * @property {readonly string[]} [choice] one of the texts
 * @property {boolean} [anyJson] true: any JSON value
 * @property {import("./readers/tool-calls.js").ToolCalls} [toolCalls] free text with tool calls
 * @property {import("./readers/structural-tags.js").StructuralTags} [structuralTags] free text in which triggers begin
 *   constrained parts
 * @property {"schema" | "any"} [propertyOrder] order of properties. Default: the schema's
 * @property {"flexible" | "compact" | Spelling} [whitespace] of JSON. Default: flexible, any whitespace that JSON allows
 * @property {"any" | "canonical"} [numbers] of JSON: in every spelling, or without needless zeros and exponents.
 *   Default: any, but canonical for a model's `generate`, `complete` and `chat`
 * @property {boolean} [uniqueKeys] no object repeats a key. Default: keys that the schema does not name may repeat
 * @property {boolean} [lenient] lists keywords that cannot be enforced in `refusals` instead of failing
 * @property {Record<string, object | boolean | string>} [remotes] schemas by the URI that $ref names
 * @property {"assert" | "annotate"} [format] whether `format` is enforced. Default: assert
 * @property {AbortSignal} [signal]
 * @property {number} [fuel] bounds the work of compiling, in steps of some 50 ns
 * @property {number} [stepFuel] bounds the work of one call of a matcher. Default: 120,000 for a mask or a token, and 4
 *   more for each byte of the compiled grammar; 4,000,000 to read or force a text
 * @property {import("./thought.js").Thought} [after] the text may begin with a thought, or must if the prompt has
 *   opened it. The grammar begins after the thought.
 */

/**
 * @typedef {object} Spelling
 * @property {number | string} [indent] spaces, or the text of one level; every item on its own line
 * @property {readonly [item: string, key: string]} [separators] Default: [", ", ": "], with indent [",", ": "]
 * @property {number} [maxRun] without indent and separators: like flexible, with masks that allow at most this many
 *   spaces in a row
 */

/** The longest run of whitespace that a mask allows, unless maxRun sets another. */
const MAX_RUN = 40;

const grammars = /** @type {const} */ (["jsonSchema", "regex", "ebnf", "lark", "choice", "anyJson"]);
const kinds = /** @type {const} */ ([...grammars, "toolCalls", "structuralTags"]);
const schemaOptions = /** @type {const} */ ([
  ...["propertyOrder", "whitespace", "numbers", "uniqueKeys", "lenient", "remotes", "format"],
]);
const otherOptions = ["vocabulary", "signal", "fuel", "stepFuel", "after"];

/** Kinds of grammars without JSON, for which the options of JSON's spelling would have no effect. */
const plainKinds = ["regex", "ebnf", "choice"];
/** Kinds of grammars whose texts need not be JSON, free text or calls. @type {string[]} */
const textKinds = [...plainKinds, "lark"];

/** @typedef {Omit<GrammarOptions, "vocabulary"> & { vocabulary?: unknown }} ReadOptions */

/**
 * The part of a vocabulary that readers need.
 * @typedef {Pick<PreparedVocabulary, "eos" | "special" | "isSilent">} ReadVocabulary
 */

/**
 * @typedef {object} ReadGrammar
 * @property {Uint8Array} form
 * @property {Uint8Array} posted the form for a model of this library
 * @property {GrammarSource} source
 */

/**
 * Checks the options of compileGrammar, and fetches the reader for their kind of grammar.
 * @param {ReadOptions} options
 * @returns {Promise<(vocabulary: ReadVocabulary, beginsWith: (form: Uint8Array, source: GrammarSource, text: string) => boolean | Promise<boolean>) => Promise<ReadGrammar>>}
 *   beginsWith: compiles a form, and says whether one of its texts begins with `text`
 * @throws {TypeError | RangeError} as compileGrammar
 */
export function openReader(options) {
  const kind = checkOptions(options);
  const { signal, after } = options;
  signal?.throwIfAborted();
  return readers[kind]().then((read) => async (vocabulary, beginsWith) => {
    signal?.throwIfAborted();
    const { source, rules, root } = await withPatternTools(() => {
      const source = new GrammarSource(options, vocabulary);
      return { source, ...read(source, /** @type {any} */ (options[kind])) };
    });
    const spelling = { ...spellingOf(options), plainIntegers: source.hasPlainIntegers };
    const formOf = (/** @type {Expression} */ whole) => writeForm(spelling, source.schemas, rules, whole).slice();
    // Newlines at the beginning of free text and JSON mean nothing. In other texts they differ from those of the
    // thought.
    const isExact = after !== undefined && textKinds.includes(kind) && (await beginsWith(formOf(root), source, "\n"));
    const form = formOf(after ? afterThought(after, root, source.specialToken, isExact) : root);
    // Numbers for our own models are spelt as by JSON.stringify, unless an option says otherwise.
    return { form, posted: options.numbers === undefined ? withCanonicalNumbers(form) : form, source };
  });
}

/** @param {ReadOptions} options */
function checkOptions(options) {
  checkNames("compileGrammar", options, [...kinds, ...schemaOptions, ...otherOptions]);
  const given = kinds.filter((name) => options[name] !== undefined);
  if (given.length !== 1)
    throw typeError(
      "bad-type",
      `compileGrammar takes one of ${kinds.join(", ")}; given: ${given.join(", ") || "none"}.`,
    );
  const [kind] = given;
  for (const name of schemaOptions)
    if (options[name] !== undefined && plainKinds.includes(kind))
      throw new LastInchError("conflict", `${name} has no effect on ${kind}.`);
  checkSignal(options.signal);
  checkThought(options.after);
  checkBoolean("uniqueKeys", options.uniqueKeys);
  checkBoolean("lenient", options.lenient);
  checkChoice("propertyOrder", options.propertyOrder, ["schema", "any"]);
  checkChoice("numbers", options.numbers, ["any", "canonical"]);
  checkChoice("format", options.format, ["assert", "annotate"]);
  if (options.remotes !== undefined) checkObject("remotes", options.remotes);
  for (const name of /** @type {const} */ (["fuel", "stepFuel"]))
    if (options[name] !== undefined) checkWhole(name, options[name], 1, 2 ** 32 - 1);
  return kind;
}

/** @param {unknown} after */
function checkThought(after) {
  if (after === undefined) return;
  checkNames("after", after, ["begin", "end"]);
  const { begin, end } = /** @type {import("./thought.js").Thought} */ (after);
  for (const [name, mark] of Object.entries({ begin: begin ?? end, end }))
    if (!checkWellFormed(`after.${name}`, checkText(`after.${name}`, mark)))
      throw rangeError("out-of-range", `after.${name} must not be empty.`);
}

/** @param {string} name @param {unknown} value @param {string[]} choices */
function checkChoice(name, value, choices) {
  if (value !== undefined && !choices.includes(/** @type {string} */ (value)))
    throw typeError("bad-type", `${name} must be ${choices.map((choice) => `"${choice}"`).join(" or ")}.`);
}

/** @param {string} name @param {unknown} value */
function checkText(name, value) {
  if (typeof value !== "string") throw typeError("bad-type", `${name} must be text.`);
  return value;
}

/** The schemas, warnings and refusals of a grammar while it is read. */
export class GrammarSource {
  #options;
  /** @type {Uint8Array[]} */
  #pieces = [];
  /** @type {{ first: number, written: import("./readers/schema/schema.js").WrittenSchema }[]} */
  #written = [];
  #count = 0;
  /** @type {typeof import("./readers/schema/schema.js") | undefined} where the kind of grammar can hold schemas */
  tools;

  /**
   * @param {ReadOptions} options
   * @param {ReadVocabulary} vocabulary
   */
  constructor(options, vocabulary) {
    this.#options = options;
    this.eos = vocabulary.eos;
    this.specialTokens = [...new Set(vocabulary.special.values())];
    /** Text that free text must not begin with. */
    this.opening = options.after?.begin;
    /** @param {string | number} token */
    this.specialToken = (token) => {
      if (typeof token === "string") return vocabulary.special.get(token);
      return vocabulary.isSilent(token) ? token : undefined;
    };
    /** @param {object | boolean | string} schema @param {boolean} [onlyObjects] of the values that it allows */
    this.addSchema = (schema, onlyObjects) => {
      const { writeSchema, writeObjectsOf } = /** @type {typeof import("./readers/schema/schema.js")} */ (this.tools);
      const { lenient, remotes, format } = this.#options;
      const written = writeSchema(schema, { lenient, remotes, format }, this.#count);
      this.#pieces.push(written.bytes.slice());
      this.#written.push({ first: this.#count, written });
      this.#count += written.count;
      if (!onlyObjects) return written.root;
      this.#pieces.push(writeObjectsOf(written.root));
      return this.#count++;
    };
    /**
     * The index of a property in the schema that was added last; undefined: it has none of its own.
     * @param {string} key
     */
    this.propertyIndex = (key) => {
      const { first, written } = this.#written[this.#written.length - 1];
      const pointer = "/properties/" + key.replaceAll("~", "~0").replaceAll("/", "~1");
      for (let index = first; index < first + written.count; index++)
        if (written.pointer(index) === pointer) return index;
    };
  }

  get schemas() {
    const bytes = new Uint8Array(this.#pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return { count: this.#count, bytes };
  }

  get warnings() {
    return this.#written.flatMap(({ written }) => written.warnings);
  }

  get hasPlainIntegers() {
    return this.#written.some(({ written }) => written.hasPlainIntegers);
  }

  get refusals() {
    return this.#written.flatMap(({ written }) => written.refusals);
  }

  /**
   * Adds the place in the schemas to a refusal from C.
   * @param {number} index of a subschema in the form
   * @param {number} keyword
   * @param {number} reason
   * @returns {Remark}
   */
  remark(index, keyword, reason) {
    let [from, to] = [0, this.#written.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (this.#written[middle].first <= index) from = middle;
      else to = middle;
    }
    const place = this.#written[from];
    const names = [...(this.tools?.keywordNumbers ?? [])];
    const name = names.find(([, number]) => number === keyword)?.[0] ?? "";
    const why = (reason === REFUSAL_TOO_COMPLEX && limits[name]) || (reasons[reason] ?? "it cannot be enforced");
    return { pointer: place?.written.pointer(index) ?? "", keyword: name, reason: why };
  }
}

/** @typedef {{ rules: Expression[], root: Expression }} Read */

/**
 * The reader of each kind of grammar, fetched at its first use.
 * @type {Record<typeof kinds[number], () => Promise<(source: GrammarSource, value: any) => Read>>}
 */
const readers = {
  async jsonSchema() {
    const tools = await import("./readers/schema/schema.js");
    return (source, schema) => {
      refuseForeignSchema("jsonSchema", schema);
      source.tools = tools;
      return { rules: [], root: { kind: "json", index: source.addSchema(schema) } };
    };
  },
  async anyJson() {
    const tools = await import("./readers/schema/schema.js");
    return (source, value) => {
      if (value !== true) throw typeError("bad-type", "anyJson must be true.");
      source.tools = tools;
      return { rules: [], root: { kind: "json", index: source.addSchema(true) } };
    };
  },
  async regex() {
    const { matchExpression } = await import("./readers/regex.js");
    return (_, value) => {
      const isRegExp = value instanceof RegExp;
      const root = matchExpression(isRegExp ? value.source : checkText("regex", value), isRegExp ? value.flags : "u");
      return { rules: [], root };
    };
  },
  async ebnf() {
    const { readGbnf } = await import("./readers/gbnf.js");
    return (source, value) => readGbnf(checkText("ebnf", value), source.specialToken);
  },
  async lark() {
    const [{ readLark }, tools] = await Promise.all([
      import("./readers/lark.js"),
      import("./readers/schema/schema.js"),
    ]);
    return (source, value) => {
      source.tools = tools;
      return readLark(checkText("lark", value), source.specialToken, source.addSchema);
    };
  },
  async choice() {
    const encoder = new TextEncoder();
    return (_, value) => {
      if (!Array.isArray(value)) throw typeError("bad-type", "choice must be an array of texts.");
      const texts = value.map((text) => encoder.encode(checkWellFormed("choice", checkText("choice", text))));
      return { rules: [], root: { kind: "strings", texts } };
    };
  },
  async toolCalls() {
    const [{ readToolCalls }, tools] = await Promise.all([
      import("./readers/tool-calls.js"),
      import("./readers/schema/schema.js"),
    ]);
    return (source, value) => {
      source.tools = tools;
      return readToolCalls(value, source);
    };
  },
  async structuralTags() {
    const [{ readStructuralTags }, tools] = await Promise.all([
      import("./readers/structural-tags.js"),
      import("./readers/schema/schema.js"),
    ]);
    return (source, value) => {
      source.tools = tools;
      return readStructuralTags(value, source);
    };
  },
};

/**
 * @param {ReadOptions} options
 * @returns {import("./readers/form.js").Spelling}
 */
function spellingOf({ whitespace = "flexible", propertyOrder, numbers, uniqueKeys = false, lenient = false }) {
  const anyOrder = propertyOrder === "any",
    canonicalNumbers = numbers === "canonical";
  const shared = { anyOrder, lenient, canonicalNumbers, uniqueKeys, indent: "", indents: false, maxRun: MAX_RUN };
  const flexible = { ...shared, flexible: true, itemSeparator: ",", keySeparator: ":" };
  if (whitespace === "flexible") return flexible;
  if (whitespace === "compact") return { ...flexible, flexible: false };
  if (typeof whitespace !== "object" || whitespace === null)
    throw typeError("bad-type", 'whitespace must be "flexible", "compact" or an object.');
  checkNames("whitespace", whitespace, ["indent", "separators", "maxRun"]);
  const { indent, separators, maxRun } = whitespace;
  if (indent === undefined && separators === undefined) {
    if (maxRun !== undefined) checkWhole("whitespace.maxRun", maxRun, 0, 1_000_000);
    return { ...flexible, maxRun: maxRun ?? MAX_RUN };
  }
  if (maxRun !== undefined)
    throw new LastInchError("conflict", "whitespace.maxRun has no effect with indent or separators.");
  if (separators !== undefined && !(Array.isArray(separators) && separators.length === 2))
    throw typeError("bad-type", "whitespace.separators must be two texts: between items, and after a key.");
  const spaces = typeof indent === "number" ? " ".repeat(checkedIndent(indent)) : indent === undefined ? "" : indent;
  const [item, key] = separators ?? [indent === undefined ? ", " : ",", ": "];
  for (const [name, text, pattern] of /** @type {const} */ ([
    ["indent", spaces, /^[ \t]*$/],
    ["separators[0]", item, /^[ \t\n\r]*,[ \t\n\r]*$/],
    ["separators[1]", key, /^[ \t\n\r]*:[ \t\n\r]*$/],
  ]))
    if (!pattern.test(checkText(`whitespace.${name}`, text)))
      throw rangeError("out-of-range", `whitespace.${name} may only add whitespace.`);
  const fixed = { indents: indent !== undefined, indent: spaces, itemSeparator: item, keySeparator: key };
  return { ...shared, flexible: false, ...fixed };
}

/** @param {number} indent */
function checkedIndent(indent) {
  checkWhole("whitespace.indent", indent, 0, 32);
  return indent;
}

/**
 * What a keyword's alternatives are, and what to do if there are too many.
 * @type {Record<string, string | undefined>}
 */
const limits = {
  enum:
    "it lists more than 131,072 objects (8,192 if their properties may come in any order) or 8,192 arrays; instead ask " +
    "for a string that names one of them, since a list of strings has no limit",
  contains:
    "an array has more than 16 contains, or an item more than 64 ways to count for them; let each ask for a property " +
    "with a value that no other contains allows",
  patternProperties:
    "the patterns split the keys into more than 64 classes; use fewer patterns, or patterns that exclude each other",
};

/** @type {Record<number, string | undefined>} */
const reasons = {
  [REFUSAL_TOO_COMPLEX]:
    "it has more alternatives than the limit (1,024 ways to satisfy the schema); in each alternative require a property " +
    "with a value that no other alternative allows, or set additionalProperties to false",
  [REFUSAL_NEGATED]: "it cannot be enforced where it is negated",
  [REFUSAL_UNDECIDED]: "whether a value exists could not be decided",
};
