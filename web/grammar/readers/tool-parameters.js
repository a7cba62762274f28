// Calls whose arguments stand one by one (<parameter=city>\nOslo\n</parameter>), and not as a JSON object.
import { anyCodePoint, choice, empty, repeat, sequence, text } from "./form.js";
import { anyText, both, freeText, literals } from "./free-text.js";
import { patternTools } from "./schema/pattern-tools.js";
import { parametersOf } from "./tool-parameter-list.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {import("./tool-call-styles.js").ToolParameterStyle} ToolParameterStyle */
/** @typedef {import("./tool-parameter-list.js").Parameter} Parameter */

/**
 * The arguments of a call, in the order of the schema.
 * @param {object | boolean | string} schema of the arguments
 * @param {ToolParameterStyle} style
 * @param {(name: string) => number | undefined} specialToken
 * @param {(schema: object | boolean | string) => number} addSchema
 * @returns {Expression}
 */
export function readParameters(schema, { begin, end, separator = "", plain = false }, specialToken, addSchema) {
  // Checks the whole schema. No expression refers to its index.
  addSchema(schema);
  const { parameters, definitions } = parametersOf(schema);
  const mark = joined(literals(end, specialToken));
  const items = parameters.map((parameter) => {
    const parts = begin.split(/(\{key\})/);
    const head = parts.flatMap((part) => (part === "{key}" ? text(parameter.key) : literals(part, specialToken)));
    if (plain && parameter.isPlain) return sequence([...head, plainValue(parameter.schema, mark)]);
    const { schema: value } = parameter;
    const index = addSchema(typeof value === "object" ? { ...definitions, ...value } : value);
    return sequence([...head, { kind: "json", index }, ...mark]);
  });
  /** The remaining arguments: where no argument precedes, and where an argument does. @type {[Expression, Expression]} */
  let [first, next] = [empty, empty];
  for (let i = items.length - 1; i >= 0; i--) {
    const begun = sequence([items[i], next]);
    const more = separator ? sequence([text(separator), begun]) : begun;
    [first, next] = parameters[i].isRequired ? [begun, more] : [choice([begun, first]), choice([more, next])];
  }
  return first;
}

/** Neighbouring texts as one text, because a value ends at the first whole mark. @param {Expression[]} parts */
function joined(parts) {
  /** @type {Expression[]} */
  const result = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.kind === "text" && part.kind === "text")
      result[result.length - 1] = text(new Uint8Array([...last.bytes, ...part.bytes]));
    else result.push(part);
  }
  return result;
}

/**
 * A text without quotation marks, and the mark that ends the text.
 * @param {{ enum?: string[], const?: string, pattern?: string, minLength?: number, maxLength?: number }} schema
 * @param {Expression[]} mark
 */
function plainValue({ enum: list, const: only, pattern, minLength = 0, maxLength = Infinity }, mark) {
  const [until] = mark.some(({ kind }) => kind === "special") ? [sequence([anyText, ...mark])] : freeText(mark, []);
  /** @type {Expression[]} */
  const limits = [];
  if (list) limits.push(choice(list.map((one) => text(one))));
  if (only !== undefined) limits.push(text(only));
  if (pattern !== undefined) limits.push(patternTools().searchExpression(pattern));
  if (minLength || maxLength < Infinity) limits.push(repeat(anyCodePoint, minLength, maxLength));
  return limits.length ? both([until, ...limits.map((limit) => sequence([limit, ...mark]))]) : until;
}
