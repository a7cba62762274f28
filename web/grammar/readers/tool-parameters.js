// Calls with arguments one by one (<parameter=city>\nOslo\n</parameter>), instead of a JSON object.
import { GrammarError } from "../grammar-errors.js";
import { anyCodePoint, choice, codePoints, empty, repeat, sequence, text } from "./form.js";
import { both, freeText, joined, literals } from "./free-text.js";
import { patternTools } from "./schema/pattern-tools.js";
import { CDATA_BEGIN, CDATA_END } from "./tool-call-styles.js";
import { parametersOf } from "./tool-parameter-list.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {import("./tool-call-styles.js").ToolParameterStyle} ToolParameterStyle */
/** @typedef {import("./tool-parameter-list.js").Parameter} Parameter */

/** Text without newlines, & and <. */
const bareText = repeat(
  codePoints([
    [0, 9],
    [11, 37],
    [39, 59],
    [61, 0x10ffff],
  ]),
  0,
  Infinity,
);

/**
 * The arguments of a call, in the order of the schema.
 * @param {object | boolean | string} schema of the arguments
 * @param {ToolParameterStyle} style
 * @param {import("../read.js").GrammarSource} source
 * @param {Expression} [space] around arguments, around JSON, and for {space} in `begin`
 * @returns {Expression}
 */
export function readParameters(schema, style, { specialToken, addSchema, propertyIndex }, space = empty) {
  const { begin, end, separator = "", plain = false, quote = "", cdata = false } = style;
  // Checks the whole schema. No expression refers to its index, only to those of properties.
  addSchema(schema);
  const { parameters, definitions } = parametersOf(schema);
  const indexes = parameters.map(({ key, isPlain }) => (plain && isPlain ? -1 : propertyIndex(key)));
  checkKeys(parameters, style);
  const items = parameters.map((parameter, i) => {
    const parts = begin.split(/(\{key\}|\{space\})/);
    const head = parts.flatMap((part) =>
      part === "{key}" ? text(parameter.key) : part === "{space}" ? space : literals(part, specialToken),
    );
    const { schema: value } = parameter;
    const index = indexes[i] ?? addSchema(typeof value === "object" ? { ...definitions, ...value } : value);
    /** The value, and the tag that ends the value. */
    const valueUntil = (/** @type {string} */ tag, isBare = false) => {
      // A value ends at the first whole tag.
      const endingOf = (/** @type {string} */ one) => joined(literals(one, specialToken));
      if (index < 0) {
        const found = plainValue(value, quote + tag, endingOf(quote + tag), isBare);
        return quote ? sequence([...literals(quote, specialToken), found]) : found;
      }
      const ending = endingOf(tag);
      const json = /** @type {Expression} */ ({ kind: "json", index });
      return sequence(space === empty ? [json, ...ending] : [space, json, space, ...ending]);
    };
    if (!cdata) return sequence([...(space === empty ? [] : [space]), ...head, valueUntil(end)]);
    const section = sequence([text(CDATA_BEGIN), valueUntil(CDATA_END + end)]);
    return sequence([...head, choice([valueUntil(end, true), section])]);
  });
  const optional = (/** @type {Expression} */ item, /** @type {number} */ i) =>
    parameters[i].isRequired ? item : repeat(item, 0, 1);
  if (!separator) return sequence([...items.map(optional), space]);
  // The first argument that is written has no separator before it.
  const others = items.map((item, i) => optional(sequence([text(separator), item]), i));
  const first = parameters.findIndex(({ isRequired }) => isRequired);
  const begun = items.map((item, i) => sequence([item, ...others.slice(i + 1)]));
  return choice(first < 0 ? [...begun, empty] : begun.slice(0, first + 1));
}

/**
 * Refuses keys of which one, with the beginning of its value, may look like another. Of keys that begin alike the
 * longest counts, so a value must not begin like the rest of a longer key.
 * @param {Parameter[]} parameters
 * @param {ToolParameterStyle} style
 */
function checkKeys(parameters, { begin, end, separator = "", plain = false, quote = "", cdata = false }) {
  // All begin with the same text, up to the key.
  const ofKeys = begin.slice(begin.indexOf("{key}"));
  const begins = parameters
    .map(({ key, isPlain }) => ({ key, isPlain, start: ofKeys.replaceAll("{key}", () => key) }))
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  /** Earlier keys that the next one may begin with, each a beginning of the one after it. @type {typeof begins} */
  const shorter = [];
  for (const one of begins) {
    while (shorter.length && !one.start.startsWith(shorter[shorter.length - 1].start)) shorter.pop();
    for (const { key, isPlain, start } of shorter) {
      const rest = one.start.slice(start.length);
      const [, after] = /^(?:true|false|null|-?\d[\d.eE+-]*)(.?)/s.exec(rest) ?? [];
      const isJson =
        /^["[{]/.test(rest) || after === "" || (after !== undefined && (end || separator).startsWith(after));
      if (isJson || (plain && isPlain && rest.startsWith(quote)) || (cdata && rest.startsWith("<")))
        throw new GrammarError(
          "grammar-unsupported",
          `In the style of this model's calls the keys ${JSON.stringify(key)} and ${JSON.stringify(one.key)} cannot be told apart.`,
          { pointer: "", keyword: "properties" },
        );
    }
    shorter.push(one);
  }
}

/**
 * A text without quotation marks, and the tag that ends the text.
 * @param {{ enum?: string[], const?: string, pattern?: string, minLength?: number, maxLength?: number }} schema
 * @param {string} tag
 * @param {Expression[]} ending the tag, with its special tokens
 * @param {boolean} isBare the text has no character that needs a CDATA section
 */
function plainValue({ enum: list, const: only, pattern, minLength = 0, maxLength = Infinity }, tag, ending, isBare) {
  const { untils, without } = freeText([[text(tag)]]);
  /** @type {Expression[]} */
  const limits = isBare ? [bareText] : [];
  if (list) limits.push(choice(list.map((one) => text(one))));
  if (only !== undefined) limits.push(text(only));
  if (pattern !== undefined) limits.push(patternTools().searchExpression(pattern));
  if (minLength || maxLength < Infinity) limits.push(repeat(anyCodePoint, minLength, maxLength));
  // An intersection cannot contain a special token.
  if (ending.some(({ kind }) => kind === "special")) return sequence([both([without, ...limits]), ...ending]);
  return limits.length ? both([untils[0], ...limits.map((limit) => sequence([limit, ...ending]))]) : untils[0];
}
