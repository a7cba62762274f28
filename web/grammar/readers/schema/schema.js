// Reads JSON Schema into the table of subschemas that src/grammar/schema/keywords.h describes. Writes every draft in
// the keywords of 2020-12, with references resolved and without annotations. Writes only reachable subschemas, each
// once (or once per dynamic scope, with $dynamicRef or $recursiveRef).
import { GrammarError } from "../../grammar-errors.js";
import { FormWriter } from "../form.js";
import { parseJson } from "../json-text.js";
import { isObject, keysOf, member } from "../json-value.js";
import { annotations, constraints, hints, nearWord } from "./dialects.js";
import { keywords } from "./keywords.js";
import { Library, Scope, step } from "./references.js";
import { schemaKeywords, schemaTypes } from "./schema-numbers.js";

/** @typedef {import("../../../core/errors.js").ErrorCode} ErrorCode */
/** @typedef {import("./references.js").Resource} Resource */
/** @typedef {import("./references.js").Target & { dynamic?: string }} Target */

/**
 * @typedef {object} SchemaOptions
 * @property {Record<string, any>} [remotes] schemas (objects, booleans or JSON text) by URI
 * @property {"assert" | "annotate"} [format]
 * @property {boolean} [lenient] leaves out and lists keywords that cannot be enforced instead of failing
 */

/**
 * A remark about a place in a schema. The pointer names the subschema.
 * @typedef {{ pointer: string, keyword: string, reason: string, code?: ErrorCode }} Remark
 */

/**
 * The context of a subschema: one object may have different meanings under different base URIs or dynamic scopes.
 * @typedef {{ resource: Resource, scope: Scope, indexes: Map<object, number> }} Context
 */

/** The numbers of li_keyword. @type {Map<string, number>} */
export const keywordNumbers = new Map(Object.entries(schemaKeywords));

/** The limit of subschemas in a table. With dynamic scopes the table can be exponentially larger than the schema. */
const mostSubschemas = { fixed: 1_000_000, dynamic: 100_000 };
/** The limit of nesting down to which places are named. */
const DEPTH_LIMIT = 1000;

/** Facts that reading needs from the start. @typedef {{ hasDynamic: boolean, hasUnevaluated: boolean }} Found */
/** A keyword, read or skipped. @typedef {{ pointer: string, keyword: string, value: any, isPassed: boolean }} Reading */

/** Thrown to start again with a new fact. */
const again = Symbol("again");

/** Plain objects, of any realm, and Maps. An instance of a class is not a schema. @param {object} value */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return value instanceof Map || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Reads one schema. keywords.js uses its public members. */
export class SchemaReader {
  writer = new FormWriter();
  /** @type {any} the current subschema */
  schema = undefined;
  keyword = "";
  /** @type {number[]} schemas that must hold beside the keywords of the current subschema */
  members = [];
  /** The expressions of patterns, as bytes of the form. @type {Map<string, Uint8Array>} */
  patterns = new Map();
  /** @type {Remark[]} */
  warnings = [];
  /** @type {Remark[]} */
  refusals = [];
  /** Whether the schema has integers of draft 4, which are written without fraction and exponent. */
  hasPlainIntegers = false;
  /** @type {{ schema: any, context: Context, parent: number, word: string, token?: string | number, depth: number, path?: string }[]} */
  #entries = [];
  /** @type {number[][]} for each subschema, the subschemas that judge the same value */
  #inPlace = [];
  /** @type {Map<Resource, Map<Scope, Context>>} */
  #contexts = new Map();
  /** @type {Map<boolean, number>} */
  #booleans = new Map();
  /** @type {Map<Resource, Map<string, Target>>} */
  #targets = new Map();
  /** @type {WeakSet<object>} */
  #made = new WeakSet();
  /** @type {(() => string) | undefined} the place of faults, if not the current subschema */
  #where = undefined;
  #at = 0;
  #count = 0;

  /**
   * @param {any} schema
   * @param {SchemaOptions} options
   * @param {number} first index of the root
   * @param {Found} found
   * @param {Reading[]} [readings] receives every reading
   */
  constructor(schema, options, first, found, readings) {
    this.first = first;
    this.found = found;
    this.readings = readings;
    this.isLenient = options.lenient === true;
    this.asserts = options.format !== "annotate";
    this.library = new Library(
      schema,
      options.remotes ?? {},
      (reason, code = "grammar-reference") => this.fail(reason, code),
      (pointer, keyword, reason) => this.warnings.push({ pointer, keyword, reason }),
    );
    this.root = this.#place(schema, this.#context(this.library.root, new Scope(new Map())), -1, "");
    for (; this.#at < this.#entries.length; this.#at++) this.#write(this.#entries[this.#at]);
    this.#checkProgress();
  }

  get count() {
    return this.#entries.length;
  }

  get dialect() {
    return this.#entries[this.#at].context.resource.dialect;
  }

  /** Whether exclusiveMinimum may be true or false. */
  get takesBooleanBounds() {
    return this.dialect.draft === 4 || !this.dialect.isDeclared;
  }

  /** Whether `make` made the current subschema. */
  get isMade() {
    return this.#made.has(this.schema);
  }

  /** The JSON pointer of a subschema. @param {number} index counted from `first` */
  pointer(index) {
    const open = [];
    let entry = this.#entries[index];
    for (; entry && entry.path === undefined; entry = this.#entries[entry.parent]) open.push(entry);
    let path = entry?.path ?? "";
    for (const one of open.reverse())
      one.path = path += one.parent < 0 || one.word === "" ? one.word : tail(one.word, one.token);
    return path;
  }

  /** Notes a fact that reading needs from the start; if it is new, reading starts again. @param {keyof Found} flag */
  need(flag) {
    if (this.found[flag]) return;
    this.found[flag] = true;
    throw again;
  }

  /** @param {string} reason @param {ErrorCode} [code] @returns {never} */
  fail(reason, code = "grammar-schema") {
    const pointer = this.#where ? this.#where() : this.pointer(this.#at);
    const { keyword } = this;
    const place = pointer + (keyword === "" ? "" : "/" + keyword);
    throw new GrammarError(code, `${place === "" ? "The schema" : place}: ${reason}`, { pointer, keyword });
  }

  /** @param {string} reason */
  warn(reason) {
    this.warnings.push({ pointer: this.pointer(this.#at), keyword: this.keyword, reason });
  }

  /**
   * Runs a parser of patterns and adds the place to its errors.
   * @template T
   * @param {() => T} parse
   * @returns {T}
   */
  attempt(parse) {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof GrammarError)) throw error;
      error.pointer = this.pointer(this.#at);
      error.keyword = this.keyword;
      error.message += ` It is in ${error.pointer}/${error.keyword}.`;
      throw error;
    }
  }

  /** Begins a keyword of the form; its other contents follow. @param {string} word @param {number[]} [numbers] its first */
  emit(word, numbers = []) {
    this.#count++;
    this.writer.number(/** @type {number} */ (keywordNumbers.get(word)));
    for (const number of numbers) this.writer.number(number);
  }

  /**
   * The index of a subschema of the current subschema.
   * @param {any} schema
   * @param {string} word the keyword that holds the subschema
   * @param {string | number} [token] the place in the value of the keyword
   * @param {boolean} [isInPlace] whether the subschema judges the same value
   */
  index(schema, word, token, isInPlace) {
    const index = this.#place(schema, this.#entries[this.#at].context, this.#at, word, token);
    if (isInPlace) this.#inPlace[this.#at].push(index);
    return index;
  }

  /** Adds a subschema of one keyword that must also hold. @param {string} word @param {any} value */
  extra(word, value) {
    this.members.push(this.index(this.make(new Map([[word, value]])), "", undefined, true));
  }

  /** @param {Map<string, any>} schema */
  make(schema) {
    this.#made.add(schema);
    return schema;
  }

  /** The index of the target of a reference of the current subschema. @param {any} reference */
  reference(reference) {
    if (typeof reference !== "string") return this.fail("it must be a string.");
    const { context } = this.#entries[this.#at];
    const target = this.#target(reference, context);
    const index = this.#place(target.schema, this.#context(target.resource, context.scope), -1, target.path);
    this.#inPlace[this.#at].push(index);
    return index;
  }

  /**
   * @param {string} reference
   * @param {Context} context
   * @param {string} keyword
   * @returns {Target}
   */
  #target(reference, { resource, scope }, keyword = this.keyword) {
    let targets = this.#targets.get(resource);
    if (!targets) this.#targets.set(resource, (targets = new Map()));
    let target = targets.get(reference);
    if (!target) targets.set(reference, (target = this.library.resolve(resource, reference)));
    if (keyword === "$recursiveRef" && target.resource.dynamicAnchors.has("")) return scope.anchors.get("") ?? target;
    if (keyword !== "$dynamicRef" || target.dynamic === undefined) return target;
    return scope.anchors.get(target.dynamic) ?? target;
  }

  /**
   * @param {Resource} resource
   * @param {Scope} scope around the resource
   * @returns {Context}
   */
  #context(resource, scope) {
    if (this.found.hasDynamic) {
      this.library.scan(resource.document);
      scope = scope.enter(resource);
    }
    let contexts = this.#contexts.get(resource);
    if (!contexts) this.#contexts.set(resource, (contexts = new Map()));
    let context = contexts.get(scope);
    if (!context) contexts.set(scope, (context = { resource, scope, indexes: new Map() }));
    return context;
  }

  /**
   * The index of a subschema at a place. Notes the first place of each subschema. Follows a reference without siblings.
   * @param {any} schema
   * @param {Context} context of the schema around it, or of its own document
   * @param {number} parent the index of that schema; -1: `word` is the whole path
   * @param {string} word
   * @param {string | number} [token]
   * @returns {number}
   */
  #place(schema, context, parent, word, token) {
    /** @type {Map<any, Context>} */
    const passed = new Map();
    /** Records the index for all references that led to it. @param {number} index */
    const end = (index) => {
      for (const [reference, { indexes }] of passed) indexes.set(reference, index);
      return index;
    };
    for (;;) {
      const path = () => (parent < 0 ? word : this.pointer(parent) + (word && tail(word, token)));
      if (typeof schema === "boolean") return end(this.#boolean(schema, context, { parent, word, token }));
      if (!isObject(schema) || !isPlain(schema)) {
        schema = this.#instead(() => this.#failAt(path, "", "a schema is a plain object, true or false."));
        continue;
      }
      const resource = this.library.enter(context.resource, schema, path);
      if (resource !== context.resource) context = this.#context(resource, context.scope);
      const known = context.indexes.get(schema);
      if (known !== undefined) return end(known);
      const reference = this.#onlyReference(schema, context.resource, path);
      if (reference === undefined) return end(this.#add({ schema, context, parent, word, token }));
      const outer = this.keyword;
      this.keyword = "$ref";
      this.#where = path;
      const target = this.#instead(() => {
        if (passed.has(schema)) this.fail("it leads back to itself.");
        return this.#target(reference, context);
      });
      this.#where = undefined;
      this.keyword = outer;
      passed.set(schema, context);
      this.readings?.push({ pointer: path(), keyword: "$ref", value: reference, isPassed: false });
      if (target === true) schema = true;
      else {
        ({ schema, path: word } = target);
        context = this.#context(target.resource, context.scope);
        parent = -1;
      }
    }
  }

  /**
   * The result of a function, or `true`, the schema of everything, if it fails and the failure is only noted.
   * @template T
   * @param {() => T} run
   * @returns {T | true}
   */
  #instead(run) {
    const { keyword } = this;
    try {
      return run();
    } catch (error) {
      this.#collect(error);
      this.keyword = keyword;
      return true;
    }
  }

  /** @param {() => string} path @param {string} keyword @param {string} reason @returns {never} */
  #failAt(path, keyword, reason) {
    this.#where = path;
    this.keyword = keyword;
    return this.fail(reason);
  }

  /** Notes the error if lenient, otherwise throws the error. @param {unknown} error */
  #collect(error) {
    this.#where = undefined;
    if (!this.isLenient || !(error instanceof GrammarError)) throw error;
    const { code, pointer = "", keyword = "", message } = error;
    this.refusals.push({ code, pointer, keyword, reason: message });
  }

  /** @param {boolean} schema @param {Context} context @param {{ parent: number, word: string, token?: string | number }} place */
  #boolean(schema, context, place) {
    const known = this.#booleans.get(schema);
    if (known !== undefined) return known;
    const index = this.#add({ schema, context, ...place });
    this.#booleans.set(schema, index);
    return index;
  }

  /** @param {{ schema: any, context: Context, parent: number, word: string, token?: string | number }} entry */
  #add(entry) {
    const index = this.#entries.length + this.first;
    if (this.#entries.length >= mostSubschemas[this.found.hasDynamic ? "dynamic" : "fixed"])
      this.fail("it has too many subschemas.", "grammar-fuel");
    const depth = entry.parent < 0 ? 0 : this.#entries[entry.parent].depth + 1;
    if (depth > DEPTH_LIMIT && (this.isLenient || this.readings))
      this.fail(`its subschemas are nested more than ${DEPTH_LIMIT} levels deep.`);
    this.#entries.push({ ...entry, depth });
    this.#inPlace.push([]);
    if (typeof entry.schema === "object") entry.context.indexes.set(entry.schema, index);
    return index;
  }

  /**
   * The reference of a schema that has no other keyword.
   * @param {any} schema
   * @param {Resource} resource
   * @param {() => string} path
   */
  #onlyReference(schema, { dialect }, path) {
    const reference = member(schema, "$ref");
    if (typeof reference !== "string" || !dialect.knows("$ref")) return undefined;
    const others = keysOf(schema).filter((key) => key !== "$ref" && dialect.knows(key));
    if (others.length > 0 && !dialect.refStandsAlone) return undefined;
    for (const keyword of others)
      this.warnings.push({ pointer: path(), keyword, reason: "keywords beside $ref have no effect up to draft 7." });
    return reference;
  }

  /** @param {{ schema: any, context: Context }} entry */
  #write({ schema, context }) {
    const { writer } = this;
    if (typeof schema === "boolean") {
      writer.number(schema ? 0 : 1);
      if (!schema) this.emit("false");
      return;
    }
    this.schema = schema;
    this.#count = 0;
    this.members = [];
    const start = writer.length;
    writer.number(0);
    for (const keyword of keysOf(schema)) {
      const handle = keywords.get(keyword);
      this.keyword = keyword;
      if (!handle || !context.resource.dialect.knows(keyword)) this.#noteUnknown(keyword);
      else this.#handle(handle, member(schema, keyword));
    }
    if (this.members.length > 0) this.emit("allOf", [this.members.length, ...this.members]);
    writer.patch(start, this.#count);
  }

  /** @param {(reader: SchemaReader, value: any) => void} handle @param {any} value */
  #handle(handle, value) {
    const { length } = this.writer;
    const [count, members] = [this.#count, this.members.length];
    this.readings?.push({ pointer: this.pointer(this.#at), keyword: this.keyword, value, isPassed: false });
    try {
      handle(this, value);
    } catch (error) {
      this.#collect(error);
      this.writer.cut(length);
      this.#count = count;
      this.members.length = members;
    }
  }

  /** Warns about a word without effect that looks like a keyword. @param {string} word */
  #noteUnknown(word) {
    this.readings?.push({ pointer: this.pointer(this.#at), keyword: word, value: undefined, isPassed: true });
    if (annotations.has(word)) return;
    const hint = hints.get(word);
    if (hint) return member(this.schema, word) === false ? undefined : this.warn(hint);
    const near = constraints.includes(word) ? undefined : nearWord(word);
    if (near) this.warn(`it is not a keyword and has no effect; did you mean ${near}?`);
    else if (constraints.includes(word)) this.warn("the schema's draft does not have it; it has no effect.");
  }

  /** Fails if a subschema refers to itself for the same value. */
  #checkProgress() {
    /** @type {Uint8Array} 1: in progress, 2: done */
    const state = new Uint8Array(this.#entries.length);
    for (let root = 0; root < state.length; root++) {
      const open = [root];
      while (open.length > 0) {
        const at = /** @type {number} */ (open.at(-1));
        if (state[at] > 0) {
          state[at] = 2;
          open.pop();
          continue;
        }
        state[at] = 1;
        for (const index of this.#inPlace[at]) {
          const next = index - this.first;
          if (state[next] === 1)
            this.#failAt(
              () => this.pointer(next),
              "",
              "its references lead in a circle that never enters a part of the value.",
            );
          if (state[next] === 0) open.push(next);
        }
      }
    }
  }
}

/** @param {string} word @param {string | number | undefined} token */
const tail = (word, token) => "/" + word + (token === undefined ? "" : step(String(token)));

/**
 * A schema as a part of a form.
 * @typedef {object} WrittenSchema
 * @property {Uint8Array} bytes the subschemas, one after the other
 * @property {number} count of them
 * @property {number} root the index of the schema itself
 * @property {(index: number) => string} pointer the place of a subschema: a JSON pointer; in a remote schema it comes
 *   after the URI
 * @property {Remark[]} warnings
 * @property {Remark[]} refusals keywords that `lenient` left out
 * @property {boolean} hasPlainIntegers
 */

/**
 * Reads a schema and writes the schema's part of the form.
 * @param {any} schema an object, a boolean or JSON text
 * @param {SchemaOptions} [options]
 * @param {number} [first] the number of subschemas before the schema in the form
 * @param {Reading[]} [readings] receives every keyword
 * @returns {WrittenSchema}
 */
export function writeSchema(schema, options = {}, first = 0, readings) {
  const parsed = typeof schema === "string" ? parseJson(schema) : schema;
  const found = { hasDynamic: false, hasUnevaluated: false };
  for (;;)
    try {
      if (readings) readings.length = 0;
      const reader = new SchemaReader(parsed, options, first, found, readings);
      const { count, root, warnings, refusals, hasPlainIntegers } = reader;
      const pointer = (/** @type {number} */ index) => reader.pointer(index - first);
      return { bytes: reader.writer.bytes, count, root, pointer, warnings, refusals, hasPlainIntegers };
    } catch (error) {
      if (error !== again) throw error;
    }
}

/** The form of a schema that allows only the objects of another one. @param {number} index of the other */
export function writeObjectsOf(index) {
  const writer = new FormWriter();
  const { type, allOf } = schemaKeywords;
  for (const number of [2, type, schemaTypes.object, allOf, 1, index]) writer.number(number);
  return writer.bytes.slice();
}
