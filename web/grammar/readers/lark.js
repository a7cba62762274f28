// Reads Lark grammars, the common part of Lark and llguidance, into rules. Lark reads a text in two steps, terminals
// and rules. Here a terminal is just a regular expression inside its rule, so a text may be split in any way that the
// rules allow.
import { empty, choice, codePoints, nothing, repeat, sequence } from "./form.js";
import { commonTerminals } from "./lark-common.js";
import { removeLeftRecursion } from "./left-recursion.js";
import { looksBeyond } from "./regex-ends.js";
import { matchExpression } from "./regex.js";
import { RuleScanner } from "./scanner.js";

/** @typedef {import("./form.js").Expression} Expression */

/**
 * Writes a JSON Schema of %json into the form and returns its index.
 * @typedef {(schema: string) => number} AddSchema
 */

const comment = /\/\/|#/y;
/** A special token may contain characters that begin other items: </s>. */
const specialName = /<[^<>\s]+>/y;

/** The limit of nested definitions, brackets and negations. */
const DEPTH_LIMIT = 200;
/**
 * The limit, in characters, of a grammar with its terminals inserted: a terminal that names another twice doubles its
 * length.
 */
const SIZE_LIMIT = 4_000_000;

class LarkReader extends RuleScanner {
  /** @type {Map<string, Expression | undefined>} undefined while the terminal is read */
  terminals = new Map();
  /** @type {Map<string, number>} where the definition of each terminal begins */
  definitions = new Map();
  /** @type {Map<string, number>} of the terminals that were read */
  sizes = new Map();
  /** Characters read so far, each terminal counted at every use. */
  size = 0;
  /** @type {Expression[]} */
  ignored = [];
  ignoredSize = 0;
  /** The open brackets of the current definition. Inside them line breaks are spaces. */
  nesting = 0;
  /** The last skipped run of spaces and comments. */
  run = { from: 0, to: 0 };

  /**
   * @param {string} source
   * @param {import("./scanner.js").SpecialToken} specialToken
   * @param {AddSchema} addSchema
   */
  constructor(source, specialToken, addSchema) {
    super(source, comment, specialToken);
    this.addSchema = addSchema;
  }

  // Terminals are expanded where they are named, so all must be known before the first rule is read.
  grammar() {
    /** @type {Map<number, number>} where the body of each rule begins */
    const bodies = new Map();
    for (this.skip(true); !this.isAtEnd; this.skip(true)) {
      if (this.peek("%")) this.directive();
      else if (this.take(/[?!]{0,2}(?=_*[a-z])/y) || this.peek(/_*[a-z]/y)) {
        const name = this.take(/_*[a-z][a-z0-9_]*/y);
        if (this.peek("{")) this.fail("templates of rules are not supported", "grammar-unsupported");
        if (this.peek("[")) this.fail("attributes of rules are not supported", "grammar-unsupported");
        const index = this.ruleIndex(name);
        if (bodies.has(index)) this.fail(`${name} is defined twice`);
        bodies.set(index, this.colon());
      } else {
        const name = this.take(/_*[A-Z][A-Z0-9_]*/y);
        if (!name) this.fail("a rule, a terminal or a directive was expected");
        if (this.definitions.has(name)) this.fail(`${name} is defined twice`);
        this.definitions.set(name, this.colon());
      }
    }
    const ignore = this.ignoredAt.map((at) => this.readAt(at, () => this.alternatives(true)));
    this.ignoredSize = this.size;
    this.ignored = ignore.length ? [repeat(choice(ignore), 0, Infinity)] : [];
    for (const [index, at] of bodies) this.rules[index] = this.readAt(at, () => this.alternatives(false));
    return this.definedRules();
  }

  /** @type {number[]} */
  ignoredAt = [];

  /** Skips a priority, the colon and the definition; returns where the definition begins. */
  colon() {
    this.skip(false);
    this.take(/\.-?\d+/y);
    this.skip(false);
    if (!this.take(":")) this.fail(": was expected");
    const at = this.at;
    this.passDefinition();
    return at;
  }

  // A definition continues on lines that begin with |, and inside parentheses.
  passDefinition() {
    for (let nesting = 0; !this.isAtEnd;) {
      if (this.peek(comment)) this.skip(false);
      else if (this.take(specialName)) continue;
      else if (this.peek('"')) this.literal('"');
      else if (this.peek("/")) this.literal("/");
      else if (this.peek(/%(json|regex)\s*\{/y)) this.embedded();
      else if (this.take(/[([]/y)) nesting++;
      else if (this.take(/[)\]]/y)) nesting--;
      else if (nesting <= 0 && this.peek(/\r?\n/y) && !this.goesOn()) return;
      else this.codePoint();
    }
  }

  /** Whether | follows the next line breaks and comments. A run of them is read only once. */
  goesOn() {
    const { at } = this;
    if (at < this.run.from || at > this.run.to) {
      this.skip(true);
      this.run = { from: at, to: this.at };
      this.at = at;
    }
    return this.source[this.run.to] === "|";
  }

  /**
   * Reads the spelling of a string or of a regular expression, which ends on its line.
   * @param {'"' | "/"} mark
   */
  literal(mark) {
    const { at, source } = this;
    let isClass = false;
    for (let end = at + 1; end < source.length && source[end] !== "\n"; end++) {
      const letter = source[end];
      if (letter === "\\") {
        if (source[++end] === "\n") break;
      } else if (letter === "]") isClass = false;
      else if (letter === "[") isClass = mark === "/";
      else if (letter === mark && !isClass) {
        this.at = end + 1;
        return source.slice(at, this.at);
      }
    }
    return this.fail(`this has no closing ${mark} on its line`);
  }

  /** @param {number} size */
  spend(size) {
    this.size += size;
    if (this.size > SIZE_LIMIT)
      this.fail(`with its terminals inserted, the grammar has more than ${SIZE_LIMIT} characters`, "grammar-fuel");
  }

  directive() {
    if (this.take("%ignore")) {
      this.skip(false);
      this.ignoredAt.push(this.at);
      this.passDefinition();
    } else if (this.take("%import")) {
      this.skip(false);
      if (!this.take(/common\b/y)) this.fail("only terminals of `common` can be imported", "grammar-unsupported");
      const several = this.take(/[ \t]*\(/y) !== "";
      if (!several && !this.take(".")) this.fail("a terminal or a list of them was expected");
      do {
        this.skip(several);
        const name = this.take(/[A-Z_]+/y);
        if (!(name in commonTerminals)) this.fail(`common has no terminal ${name}`);
        this.skip(several);
        const alias = !several && this.take("->") ? (this.skip(false), this.take(/[A-Z][A-Z0-9_]*/y)) : name;
        this.terminals.set(alias, matchExpression(commonTerminals[name], "u"));
        this.sizes.set(alias, commonTerminals[name].length);
      } while (several && this.take(","));
      if (several && (this.skip(true), !this.take(")"))) this.fail(") was expected");
    } else this.fail("only %ignore and %import are supported", "grammar-unsupported");
  }

  /**
   * @template T
   * @param {number} at
   * @param {() => T} read
   */
  readAt(at, read) {
    const { at: before, nesting } = this;
    this.deepen();
    this.at = at;
    this.nesting = 0;
    const result = read();
    this.skip(false);
    if (!this.isAtEnd && !this.peek(/\r?\n/y)) this.fail("the definition should end here");
    this.depth--;
    this.at = before;
    this.nesting = nesting;
    return result;
  }

  deepen() {
    if (++this.depth > DEPTH_LIMIT) this.fail("the definitions are nested too deeply");
  }

  /** @param {string} name @returns {Expression} */
  terminal(name) {
    const known = this.terminals.get(name);
    if (known) {
      this.spend(/** @type {number} */ (this.sizes.get(name)));
      return known;
    }
    if (this.terminals.has(name)) this.fail(`the terminal ${name} contains itself`);
    const at = this.definitions.get(name);
    if (at === undefined) this.fail(`the terminal ${name} is not defined`);
    this.terminals.set(name, undefined);
    const before = this.size;
    const body = this.readAt(at, () => this.alternatives(true));
    this.sizes.set(name, this.size - before);
    this.terminals.set(name, body);
    return body;
  }

  /**
   * @param {boolean} isTerminal
   * @returns {Expression}
   */
  alternatives(isTerminal) {
    const parts = [this.both(isTerminal)];
    for (;;) {
      this.skip(this.goesOn());
      if (!this.take("|")) return choice(parts);
      parts.push(this.both(isTerminal));
    }
  }

  /** Intersections, in terminals. @param {boolean} isTerminal @returns {Expression} */
  both(isTerminal) {
    const parts = [this.expansion(isTerminal)];
    while (isTerminal && this.take("&")) parts.push(this.expansion(isTerminal));
    return parts.length === 1 ? parts[0] : { kind: "both", parts };
  }

  /** @param {boolean} isTerminal */
  expansion(isTerminal) {
    /** @type {Expression[]} */
    const parts = [];
    for (;;) {
      this.skip(this.nesting > 0);
      const part = this.item(isTerminal);
      if (!part) break;
      parts.push(this.repeated(part));
    }
    if (this.take("->")) {
      this.skip(false);
      if (!this.take(/_*[a-z][a-z0-9_]*/y)) this.fail("a name was expected");
    }
    return parts.length ? sequence(parts) : empty;
  }

  /** @param {string} close @param {boolean} isTerminal */
  nested(close, isTerminal) {
    this.deepen();
    this.nesting++;
    const inner = this.alternatives(isTerminal);
    this.skip(true);
    if (!this.take(close)) this.fail(`${close} was expected`);
    this.nesting--;
    this.depth--;
    return inner;
  }

  /**
   * @param {boolean} isTerminal
   * @returns {Expression | undefined}
   */
  item(isTerminal) {
    this.spend(1);
    if (this.take("(")) return this.nested(")", isTerminal);
    if (this.take("[")) return repeat(this.nested("]", isTerminal), 0, 1);
    if (isTerminal && this.take("~")) {
      this.skip(false);
      this.deepen();
      const body = this.item(true);
      if (!body) this.fail("something to negate was expected");
      this.depth--;
      return { kind: "not", body: this.repeated(body) };
    }
    if (this.peek('"')) return this.spaced(this.string(), isTerminal);
    if (this.peek("/")) return this.spaced(this.regex(), isTerminal);
    if (this.peek(/%(json|regex)/y)) return this.spaced(this.embedded(), isTerminal);
    if (this.peek("<")) return this.spaced(this.token(), isTerminal);
    const name = this.take(/_*[A-Za-z][A-Za-z0-9_]*/y);
    if (!name) return undefined;
    if (/^_*[A-Z]/.test(name)) return this.spaced(this.terminal(name), isTerminal);
    if (isTerminal) this.fail(`a terminal cannot name the rule ${name}`);
    return { kind: "rule", index: this.ruleIndex(name) };
  }

  /** In rules, ignored text may follow every terminal. @param {Expression} part @param {boolean} isTerminal */
  spaced(part, isTerminal) {
    if (isTerminal || this.ignored.length === 0) return part;
    this.spend(this.ignoredSize);
    return sequence([part, ...this.ignored]);
  }

  /** @returns {Expression} */
  string() {
    const [first, insensitive] = this.oneString();
    if (!this.take("..")) return insensitive ? matchExpression(escapeRegex(first), "iu") : this.text(first);
    const [last] = this.oneString();
    const ends = [first, last].map((end) => /** @type {number} */ (end.codePointAt(0)));
    if ([...first].length !== 1 || [...last].length !== 1 || ends[0] > ends[1])
      this.fail("a range takes two characters in ascending order");
    return codePoints([[ends[0], ends[1]]]);
  }

  /** @returns {[value: string, insensitive: boolean]} */
  oneString() {
    if (!this.peek('"')) this.fail("a string was expected");
    const literal = this.literal('"');
    this.spend(literal.length);
    try {
      // The only escape that JSON lacks is Python's \x..
      const spelt = literal.replace(/\\(x([0-9A-Fa-f]{2})|.)/gs, (escape, _, hex) => (hex ? `\\u00${hex}` : escape));
      return [JSON.parse(spelt.replace(/\\'/g, "'")), this.take("i") !== ""];
    } catch {
      return this.fail("this is not an escape");
    }
  }

  /** @returns {Expression} */
  regex() {
    const literal = this.literal("/");
    this.spend(literal.length);
    const flags = this.take(/[imslux]*/y);
    const other = /[mlx]/.exec(flags);
    if (other) this.fail(`the flag ${other[0]} of regular expressions is not supported`, "grammar-unsupported");
    const expression = matchExpression(literal.slice(1, -1), `u${flags.replace("u", "")}`);
    if (looksBeyond(expression))
      this.fail("a lookahead or \\b cannot depend on the text after its terminal", "grammar-unsupported");
    return expression;
  }

  /** %json { a schema } @returns {Expression} */
  embedded() {
    if (!this.take("%json")) this.fail("%json is the only embedded form that is supported", "grammar-unsupported");
    this.skip(false);
    if (!this.peek("{")) this.fail("{ was expected");
    const { at, source } = this;
    let nesting = 0;
    let isText = false;
    for (let end = at; end < source.length; end++) {
      const mark = source[end];
      if (mark === '"') isText = !isText;
      else if (isText) end += mark === "\\" ? 1 : 0;
      else if (mark === "{") nesting++;
      else if (mark === "}" && --nesting === 0) {
        this.at = end + 1;
        return { kind: "json", index: this.schemaIndex(source.slice(at, this.at)) };
      }
    }
    return this.fail("the schema does not end");
  }

  /** @type {Map<string, number>} */
  schemas = new Map();

  /** @param {string} schema */
  schemaIndex(schema) {
    let index = this.schemas.get(schema);
    if (index === undefined) this.schemas.set(schema, (index = this.addSchema(schema)));
    return index;
  }

  /** @returns {Expression} */
  token() {
    const inner = this.take(specialName).slice(1, -1);
    const numbers = /^\[(\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*)\]$/.exec(inner);
    if (!numbers) {
      const index = this.specialToken(`<${inner}>`);
      if (index === undefined) this.fail(`the vocabulary has no special token <${inner}>`);
      return { kind: "special", index };
    }
    /** @type {Expression[]} */
    const tokens = [];
    for (const range of numbers[1].split(",")) {
      const [first, last = first] = range.split("-").map(Number);
      if (last - first > 10_000) this.fail("the range of tokens is too large");
      this.spend(Math.max(last - first, 0));
      for (let index = first; index <= last; index++) {
        if (this.specialToken(index) === undefined) this.fail(`the vocabulary has no special token <[${index}]>`);
        tokens.push({ kind: "special", index });
      }
    }
    return choice(tokens);
  }

  /** @param {Expression} part */
  repeated(part) {
    for (;;) {
      if (this.take("*")) part = repeat(part, 0, Infinity);
      else if (this.take("+")) part = repeat(part, 1, Infinity);
      else if (this.take("?")) part = repeat(part, 0, 1);
      else {
        const count = this.take(/\s*~\s*\d{1,9}(\s*\.\.\s*\d{1,9})?/y) || this.take(/\{\d{0,9}(,\d{0,9})?\}/y);
        if (!count) return part;
        const [least, most] = count.replace(/[~{}\s]/g, "").split(/\.\.|,/);
        const limit = most === undefined ? Number(least) : most === "" ? Infinity : Number(most);
        if (limit < Number(least)) this.fail("the least count is larger than the greatest");
        part = repeat(part, Number(least), limit);
      }
    }
  }
}

/** @param {string} value */
const escapeRegex = (value) => value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * Reads a Lark grammar.
 * @param {string} source
 * @param {import("./scanner.js").SpecialToken} specialToken
 * @param {AddSchema} addSchema
 * @returns {{ rules: Expression[], root: Expression }}
 */
export function readLark(source, specialToken, addSchema) {
  const reader = new LarkReader(source, specialToken, addSchema);
  const rules = reader.grammar();
  const index = reader.names.get("start");
  if (index === undefined) reader.failAt(0, "there is no rule named start");
  const start = /** @type {Expression} */ ({ kind: "rule", index });
  return {
    rules: removeLeftRecursion(rules.length ? rules : [nothing], [...reader.names.keys()]),
    root: sequence([...reader.ignored, start]),
  };
}
