// Structural tags: free text in which triggers begin constrained parts. Reads the format "structural_tag" of xgrammar
// (structural_tag.cc of version 0.2), and the form with `structures` that servers took before.
import { checkWhole } from "../../core/arguments.js";
import { refuseForeignSchema } from "../../core/foreign-schema.js";
import { GrammarError } from "../grammar-errors.js";
import { anyCodePoint, choice, codePoints, empty, repeat, sequence } from "./form.js";
import { both, freeText, joined, literals, taggedText } from "./free-text.js";
import { readGbnf } from "./gbnf.js";
import { looksBeyond } from "./regex-ends.js";
import { patternTools } from "./schema/pattern-tools.js";
import {
  checkExcludes,
  checkFormat,
  checkList,
  checkString,
  checkText,
  checkTriggers,
  conflict,
  failRange,
  failType,
  readFlags,
  refuse,
  tagsOfTriggers,
} from "./structural-checks.js";
import { checkArguments } from "./tool-parameter-list.js";
import { readParameters } from "./tool-parameters.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {import("./structural-checks.js").Format} Format */

/**
 * A constrained part of a text. Exactly one of schema, regex and content says what stands between begin and end.
 * @typedef {object} StructuralTag
 * @property {string} begin begins with one of the triggers
 * @property {object | boolean | string} [schema] JSON of this JSON Schema
 * @property {string} [regex]
 * @property {object} [content] a format of xgrammar
 * @property {string | readonly string[]} end the text that ends the part, or one of several; may be empty
 */

/**
 * Free text with structural tags: our own form, or `{ type: "structural_tag", … }` of xgrammar and of servers, as an
 * object or as JSON text.
 * @typedef {string | { type?: "structural_tag", format: object } | {
 *   type?: "structural_tag",
 *   triggers: readonly string[],
 *   tags?: readonly StructuralTag[],
 *   structures?: readonly StructuralTag[],
 *   excludes?: readonly string[],
 *   at_least_one?: boolean,
 *   stop_after_first?: boolean,
 * }} StructuralTags
 */

/**
 * What is around a format: texts or a special token that end it, and text with which it must not begin.
 * @typedef {{ ends: string[], token?: number, opening?: string }} Place
 */

/** The limit of formats in formats. */
const DEPTH_LIMIT = 100;
/** The greatest count of xgrammar. */
const COUNT_LIMIT = 2 ** 31 - 1;

const spaces = codePoints([
  [9, 10],
  [32, 32],
]);

/**
 * Styles of json_schema that write the members of an object one by one.
 * @type {Record<string, import("./tool-call-styles.js").ToolParameterStyle>}
 */
const memberStyles = {
  qwen_xml: { begin: "<parameter={key}>", end: "</parameter>", plain: true },
  minimax_xml: { begin: '<parameter name="{key}">', end: "</parameter>", plain: true },
  glm_xml: { begin: "<arg_key>{key}</arg_key>{space}<arg_value>", end: "</arg_value>", plain: true },
};

class StructuralTagReader {
  /** @type {Expression[]} */
  rules = [];
  #source;
  #depth = 0;

  /** @param {import("../read.js").GrammarSource} source */
  constructor(source) {
    this.#source = source;
  }

  /** @param {Format} value @returns {Expression} */
  whole(value) {
    const place = { ends: [], opening: this.#source.opening };
    if (value.type !== undefined && value.type !== "structural_tag")
      failRange(`the type is "structural_tag", and a format such as ${value.type} is its \`format\`.`);
    if (value.format !== undefined)
      return this.read(checkFormat("the object", value, ["type", "format"]).format, place);
    const { structures, tags = structures, ...others } = value;
    checkFormat("the object", others, ["type", ...formats.triggered_tags[0]]);
    if (tags !== (structures ?? tags)) conflict("tags and structures are names of the same list.");
    const own = checkList("tags", tags).map((tag) => {
      const { begin, end, schema, regex, content } = checkFormat("a tag", tag, ownKeys);
      const given = [
        schema !== undefined && { type: "json_schema", json_schema: schema },
        regex !== undefined && { type: "regex", pattern: regex },
        content,
      ].filter(Boolean);
      if (given.length !== 1) failType("a tag has one of schema, regex and content.");
      return { begin, end, content: given[0] };
    });
    return this.read({ ...others, type: "triggered_tags", tags: own }, place);
  }

  /** @param {any} format @param {Place} place @returns {Expression} */
  read(format, place) {
    const type = format?.type;
    if (++this.#depth > DEPTH_LIMIT) throw new GrammarError("grammar-syntax", "Its formats are nested too deeply.");
    if (typeof type !== "string") failType("a format must have a type.");
    if (type === "exclude_token") refuse("exclude_token wants one token of any length: give any_tokens.");
    if (!Object.hasOwn(formats, type)) failRange(`${type} is none of ${Object.keys(formats).join(", ")}.`);
    const [keys, read] = formats[type];
    const result = read(this, checkFormat(type, format, ["type", ...keys]), place);
    this.#depth--;
    return result;
  }

  /** A text, with the special tokens that it names. @param {string} value */
  literal(value) {
    return joined(literals(value, this.#source.specialToken));
  }

  /** @param {Format} format @returns {Expression} */
  json({ json_schema: schema, style = "json", any_order = false, max_whitespace_cnt = null }) {
    if (schema === undefined) failType("json_schema needs a json_schema.");
    refuseForeignSchema("structuralTags: json_schema", schema);
    if (any_order !== false) refuse("any_order forgets which keys are required: give propertyOrder to compileGrammar.");
    if (max_whitespace_cnt !== null) refuse("max_whitespace_cnt: give whitespace to compileGrammar, for all JSON.");
    if (style === "json") return { kind: "json", index: this.#source.addSchema(schema) };
    if (!Object.hasOwn(memberStyles, style)) refuse(`${style} is no known style of json_schema.`);
    checkArguments("json_schema", schema);
    return readParameters(schema, memberStyles[style], this.#source, repeat(spaces, 0, Infinity));
  }

  /** @param {Format} format */
  regex({ pattern }) {
    const expression = patternTools().matchExpression(checkString("pattern", pattern));
    if (looksBeyond(expression)) refuse("a lookahead or \\b cannot depend on the text after its regex.");
    return expression;
  }

  /** @param {Format} format */
  grammar({ grammar }) {
    const { rules, root } = readGbnf(checkString("grammar", grammar), this.#source.specialToken);
    const first = this.rules.length;
    this.rules.push(...rules.map((rule) => moved(rule, first)));
    return moved(root, first);
  }

  /** @param {any} token the name or the id of a special token */
  token(token) {
    const index = this.#source.specialToken(token);
    return index ?? refuse(`${JSON.stringify(token)} is no special token of the vocabulary, and others are only text.`);
  }

  /** @param {any} list that may be missing or empty */
  tokens(list) {
    return list === undefined || list?.length === 0 ? [] : checkList("tokens", list).map((one) => this.token(one));
  }

  /** Characters and special tokens. @param {(number | undefined)[]} excluded @returns {Expression} */
  anyTokens(excluded) {
    const { eos, specialTokens } = this.#source;
    const others = specialTokens.filter((index) => !excluded.includes(index) && !eos.includes(index));
    return repeat(choice([anyCodePoint, ...others.map(special)]), 0, Infinity);
  }

  /** @param {Format} tag @param {Place} place */
  tag({ begin, content, end }, place) {
    const first = isObject(begin) ? [this.read(begin, place)] : this.literal(checkText("begin", begin));
    return sequence([...first, this.rest({ content, end }, begin === "" ? place : inner(place))]);
  }

  /** A tag without its beginning. @param {Format} tag @param {Place} place */
  rest({ content, end }, place) {
    if (isObject(end)) {
      const token = this.token(checkFormat("end", end, ["type", "token"]).token);
      return sequence([this.read(content, { ...place, ends: [], token }), special(token)]);
    }
    const ends = (Array.isArray(end) ? checkList("end", end) : [end]).map((one) => checkText("end", one));
    const body = this.read(content, { ...place, ends: ends.filter(Boolean), token: undefined });
    return sequence([body, choice(ends.map((one) => sequence(this.literal(one))))]);
  }

  /**
   * Free text, and what follows each trigger in it.
   * @param {string[]} triggers
   * @param {Expression[]} rests
   * @param {string[]} excludes
   * @param {boolean} loops
   * @param {string} [opening]
   */
  dispatch(triggers, rests, excludes, loops, opening) {
    checkTriggers(triggers, excludes);
    const tags = triggers.map((one) => this.literal(one));
    return taggedText(tags, rests, { excludes, opening }, { isLast: !loops });
  }

  /** @param {Format} format @param {Place} place */
  triggeredTags({ triggers: list, tags: given, excludes, ...flags }, place) {
    const { least, loops } = readFlags(flags);
    const triggers = checkList("triggers", list).map((one) => checkString("triggers", one));
    const tags = checkTags(given);
    const begins = tags.map(({ begin }) => checkString("begin", begin));
    const numbers = tagsOfTriggers(triggers, begins, (begin, trigger) => begin.startsWith(trigger));
    const bodies = tags.map((tag) => this.rest(tag, inner(place)));
    const whole = choice(begins.map((begin, i) => sequence([...this.literal(begin), bodies[i]])));
    if (least && !loops) return whole;
    const count = (/** @type {string} */ value) => this.literal(value).filter(({ kind }) => kind === "special").length;
    const rests = numbers.map((some, at) =>
      choice(
        some.map((i) => {
          const after = begins[i].slice(triggers[at].length);
          if (count(begins[i]) !== count(triggers[at]) + count(after))
            conflict(`the trigger ${JSON.stringify(triggers[at])} ends within a special token of the vocabulary.`);
          return sequence([...this.literal(after), bodies[i]]);
        }),
      ),
    );
    const all = [...checkExcludes(excludes), ...place.ends];
    const dispatched = this.dispatch(triggers, rests, all, loops, least ? undefined : place.opening);
    return least ? sequence([whole, dispatched]) : dispatched;
  }

  /**
   * Any tokens, and what follows each trigger among them.
   * @param {number[]} triggers
   * @param {Expression[]} rests
   * @param {(number | undefined)[]} excluded
   * @param {boolean} loops
   */
  tokenDispatch(triggers, rests, excluded, loops) {
    if (new Set(triggers).size < triggers.length) conflict("two triggers are the same token.");
    if (triggers.some((one) => excluded.includes(one))) conflict("a trigger is among the excluded tokens.");
    const free = this.anyTokens([...triggers, ...excluded]);
    const called = sequence([free, choice(triggers.map((one, i) => sequence([special(one), rests[i]])))]);
    return loops ? sequence([repeat(called, 0, Infinity), free]) : choice([called, free]);
  }

  /** @param {Format} format @param {Place} place */
  tokenTriggeredTags({ trigger_tokens, tags: given, exclude_tokens, ...flags }, place) {
    const { least, loops } = readFlags(flags);
    const triggers = this.tokens(checkList("trigger_tokens", trigger_tokens));
    const tags = checkTags(given);
    const begins = tags.map(({ begin }) => this.token(checkFormat("begin", begin, ["type", "token"]).token));
    tagsOfTriggers(triggers, [...new Set(begins)], (begin, trigger) => begin === trigger);
    const bodies = tags.map((tag) => this.rest(tag, inner(place)));
    const whole = choice(begins.map((begin, i) => sequence([special(begin), bodies[i]])));
    if (least && !loops) return whole;
    const rests = triggers.map((trigger) => choice(bodies.filter((_, i) => begins[i] === trigger)));
    const dispatched = this.tokenDispatch(triggers, rests, [...this.tokens(exclude_tokens), place.token], loops);
    return least ? sequence([whole, dispatched]) : dispatched;
  }

  /** @param {any} rules pairs of a trigger and a format @param {Place} place @returns {[trigger: any, rest: Expression][]} */
  pairs(rules, place) {
    return checkList("rules", rules).map((rule) => {
      if (checkList("a rule", rule).length !== 2) failRange("a rule is a trigger and a format.");
      return [rule[0], this.read(rule[1], inner(place))];
    });
  }
}

/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** A place that is not the beginning of the text. @param {Place} place @returns {Place} */
const inner = (place) => ({ ...place, opening: undefined });
/** @param {number} index @returns {Expression} */
const special = (index) => ({ kind: "special", index });

/** @param {any} list @returns {Format[]} */
function checkTags(list) {
  return checkList("tags", list).map((tag) => {
    const { type = "tag" } = checkFormat("a tag", tag, ["type", ...formats.tag[0]]);
    return type === "tag" ? tag : failRange(`${type} is no tag.`);
  });
}

/** An expression whose rules stand later in the list. @param {Expression} node @param {number} by @returns {Expression} */
function moved(node, by) {
  if (node.kind === "rule") return { ...node, index: node.index + by };
  if ("parts" in node) return { ...node, parts: node.parts.map((part) => moved(part, by)) };
  return "body" in node ? /** @type {Expression} */ ({ ...node, body: moved(node.body, by) }) : node;
}

const ownKeys = ["begin", "end", "schema", "regex", "content"];
const flagKeys = ["at_least_one", "stop_after_first"];

/**
 * The keys and the reader of each format.
 * @type {Record<string, [string[], (reader: StructuralTagReader, format: Format, place: Place) => Expression]>}
 */
const formats = {
  const_string: [["value"], (reader, { value }) => sequence(reader.literal(checkText("value", value)))],
  json_schema: [["json_schema", "style", "any_order", "max_whitespace_cnt"], (reader, format) => reader.json(format)],
  qwen_xml_parameter: [["json_schema"], (reader, format) => reader.json({ ...format, style: "qwen_xml" })],
  grammar: [["grammar"], (reader, format) => reader.grammar(format)],
  regex: [["pattern"], (reader, format) => reader.regex(format)],
  any_text: [
    ["excludes", "max_tokens", "max_chars"],
    (_, { excludes, max_tokens = null, max_chars = null }, { ends, opening }) => {
      if (max_tokens !== null) refuse("max_tokens of any_text: a grammar counts no tokens. Give max_chars.");
      const { without } = freeText([], { excludes: [...checkExcludes(excludes), ...ends], opening });
      if (max_chars === null) return without;
      checkWhole("structuralTags: max_chars", max_chars, 0, COUNT_LIMIT);
      return both([repeat(anyCodePoint, 0, max_chars), without]);
    },
  ],
  sequence: [
    ["elements"],
    (reader, { elements }, place) =>
      sequence(checkList("elements", elements).map((one, i) => reader.read(one, i ? inner(place) : place))),
  ],
  or: [
    ["elements"],
    (reader, { elements }, place) => choice(checkList("elements", elements).map((one) => reader.read(one, place))),
  ],
  optional: [["content"], (reader, { content }, place) => repeat(reader.read(content, place), 0, 1)],
  plus: [["content"], (reader, { content }, place) => repeat(reader.read(content, inner(place)), 1, Infinity)],
  star: [["content"], (reader, { content }, place) => repeat(reader.read(content, inner(place)), 0, Infinity)],
  repeat: [
    ["min", "max", "content"],
    (reader, { min, max, content }, place) => {
      checkWhole("structuralTags: min", min, 0, COUNT_LIMIT);
      if (max !== -1) checkWhole("structuralTags: max", max, min, COUNT_LIMIT);
      return repeat(reader.read(content, inner(place)), min, max === -1 ? Infinity : max);
    },
  ],
  tag: [["begin", "content", "end"], (reader, format, place) => reader.tag(format, place)],
  triggered_tags: [
    ["triggers", "tags", "excludes", ...flagKeys],
    (reader, format, place) => reader.triggeredTags(format, place),
  ],
  tags_with_separator: [
    ["tags", "separator", ...flagKeys],
    (reader, { tags, separator, ...flags }, place) => {
      const { least, loops } = readFlags(flags);
      const one = choice(checkTags(tags).map((tag) => reader.tag(tag, inner(place))));
      const more = sequence([...reader.literal(checkText("separator", separator)), one]);
      const all = loops ? sequence([one, repeat(more, 0, Infinity)]) : one;
      return least ? all : choice([all, empty]);
    },
  ],
  dispatch: [
    ["rules", "loop", "excludes"],
    (reader, { rules, loop, excludes }, place) => {
      const pairs = reader.pairs(rules, place);
      const triggers = pairs.map(([trigger]) => checkString("a trigger", trigger));
      const rests = pairs.map(([, rest]) => rest);
      return reader.dispatch(triggers, rests, checkExcludes(excludes), readFlags({ loop }).loops, place.opening);
    },
  ],
  token: [["token"], (reader, { token }) => special(reader.token(token))],
  any_tokens: [
    ["exclude_tokens", "max_tokens"],
    (reader, { exclude_tokens, max_tokens = null }, { token }) => {
      if (max_tokens !== null) refuse("max_tokens of any_tokens: a grammar counts no tokens.");
      return reader.anyTokens([...reader.tokens(exclude_tokens), token]);
    },
  ],
  token_triggered_tags: [
    ["trigger_tokens", "tags", "exclude_tokens", ...flagKeys],
    (reader, format, place) => reader.tokenTriggeredTags(format, place),
  ],
  token_dispatch: [
    ["rules", "loop", "exclude_tokens"],
    (reader, { rules, loop, exclude_tokens }, place) => {
      const pairs = reader.pairs(rules, place);
      const triggers = pairs.map(([trigger]) => reader.token(trigger));
      const rests = pairs.map(([, rest]) => rest);
      return reader.tokenDispatch(triggers, rests, reader.tokens(exclude_tokens), readFlags({ loop }).loops);
    },
  ],
};

/**
 * @param {StructuralTags} given
 * @param {import("../read.js").GrammarSource} source
 * @returns {{ rules: Expression[], root: Expression }}
 */
export function readStructuralTags(given, source) {
  let value = given;
  if (typeof given === "string")
    try {
      value = JSON.parse(given);
    } catch (error) {
      throw new GrammarError("grammar-syntax", `structuralTags: ${/** @type {Error} */ (error).message}`);
    }
  if (!isObject(value)) failType("it must be an object.");
  const reader = new StructuralTagReader(source);
  const root = reader.whole(/** @type {Format} */ (value));
  return { rules: reader.rules, root };
}
