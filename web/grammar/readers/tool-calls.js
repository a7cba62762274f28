// Rules for tool calls within free text. A call begins with a trigger. Free text may contain anything but a trigger.
// Between a trigger and its end comes only a call of a known tool with valid arguments. Free text consists of
// characters and the special tokens in textTokens (<think>), but no other special tokens (<unk>, <|im_start|>).
import { refuseForeignSchema } from "../../core/foreign-schema.js";
import { checkBoolean, checkObject } from "../../core/arguments.js";
import { rangeError, typeError } from "../../core/errors.js";
import { choice, codePoints, empty, repeat, sequence, text } from "./form.js";
import { toolCallStyles } from "./tool-call-styles.js";
import { checkArguments } from "./tool-parameter-list.js";
import { readParameters } from "./tool-parameters.js";
import { anyText, both, literals, newline, not, taggedText } from "./free-text.js";

/** @typedef {import("./form.js").Expression} Expression */

/** @typedef {import("./tool-call-styles.js").ToolCallStyle} ToolCallStyle */

/**
 * @typedef {object} ToolCalls
 * @property {{ name: string, description?: string, parameters?: object | boolean | string }[]} tools parameters: a JSON
 *   Schema, of which only objects count; left out: an object without properties
 * @property {keyof typeof toolCallStyles | ToolCallStyle} [style] default: "hermes"
 * @property {boolean} [required] at least one call
 * @property {boolean} [stopAfterFirst] the text ends after the first call
 * @property {readonly string[]} [textTokens] special tokens that free text may have, such as "<think>". Default: none
 * @property {boolean} [text] false: only calls, no free text. Default: true
 * @property {object | boolean | string} [jsonSchema] calls or, unless required, JSON that satisfies this schema; no
 *   free text
 */

const number = repeat(codePoints([[0x30, 0x39]]), 1, 6);
const space = codePoints([
  [9, 13],
  [32, 32],
]);

/**
 * Splits a template into text and special tokens. Placeholders are replaced after the split, so that a tool's name is never
 * read as a special token.
 * @param {string} template
 * @param {(name: string) => number | undefined} specialToken
 * @param {string} name of the tool
 * @returns {Expression[]}
 */
function parts(template, specialToken, name) {
  return template.split(/(\{name\}|\{number\})/).flatMap((part) => {
    if (part === "{name}") return text(name);
    return part === "{number}" ? number : literals(part, specialToken);
  });
}

/**
 * @param {unknown} options
 * @returns {ToolCallStyle}
 */
function checkStyle(options) {
  const { style = "hermes" } = /** @type {ToolCalls} */ (options);
  if (typeof style === "string") {
    if (!Object.hasOwn(toolCallStyles, style))
      throw rangeError(
        "out-of-range",
        `toolCalls.style is one of ${Object.keys(toolCallStyles).join(", ")}, or an object.`,
      );
    return toolCallStyles[style];
  }
  for (const key of /** @type {const} */ (["trigger", "begin", "end"]))
    if (typeof style?.[key] !== "string") throw typeError("bad-type", `toolCalls.style.${key} must be a string.`);
  for (const key of Object.keys(style))
    if (!["trigger", "begin", "end", "separator", "close", "alone", "parameters"].includes(key))
      throw typeError("unknown-option", `toolCalls.style has no ${key}.`);
  checkBoolean("toolCalls.style.alone", style.alone);
  checkParameters(style.parameters);
  if (!style.trigger) throw rangeError("out-of-range", "toolCalls.style.trigger must not be empty.");
  if (style.trigger.includes("{number}"))
    throw rangeError("out-of-range", "toolCalls.style.trigger cannot contain {number}: write it in begin or end.");
  for (const key of /** @type {const} */ (["trigger", "separator", "close"]))
    if (style[key]?.includes("{name}"))
      throw rangeError("out-of-range", `toolCalls.style.${key} cannot contain {name}: write it in begin or end.`);
  if (!style.begin.includes("{name}")) throw rangeError("out-of-range", "toolCalls.style.begin must contain {name}.");
  return style;
}

/** @param {import("./tool-call-styles.js").ToolParameterStyle | undefined} parameters */
function checkParameters(parameters) {
  if (parameters === undefined) return;
  checkObject("toolCalls.style.parameters", parameters);
  for (const key of Object.keys(parameters))
    if (!["begin", "end", "separator", "plain", "quote", "cdata"].includes(key))
      throw typeError("unknown-option", `toolCalls.style.parameters has no ${key}.`);
  const { begin, end, separator = "", plain = false, quote = "", cdata = false } = parameters;
  for (const [key, value] of Object.entries({ begin, end, separator, quote }))
    if (typeof value !== "string") throw typeError("bad-type", `toolCalls.style.parameters.${key} must be a string.`);
  checkBoolean("toolCalls.style.parameters.plain", plain);
  checkBoolean("toolCalls.style.parameters.cdata", cdata);
  if (!begin.includes("{key}"))
    throw rangeError("out-of-range", "toolCalls.style.parameters.begin must contain {key}.");
  if (plain && !quote && !end)
    throw rangeError("out-of-range", "toolCalls.style.parameters.end must end a plain text.");
}

/** @param {unknown} options */
function checkTools(options) {
  const { tools } = /** @type {ToolCalls} */ (options ?? {});
  if (!Array.isArray(tools) || tools.length === 0)
    throw typeError("bad-type", "toolCalls.tools must be a list of tools.");
  for (const key of Object.keys(/** @type {object} */ (options)))
    if (!["tools", "style", "required", "stopAfterFirst", "textTokens", "text", "jsonSchema"].includes(key))
      throw typeError("unknown-option", `toolCalls has no ${key}.`);
  for (const name of /** @type {const} */ (["required", "stopAfterFirst", "text"]))
    checkBoolean(`toolCalls.${name}`, /** @type {ToolCalls} */ (options)[name]);
  for (const tool of tools) {
    checkObject("A tool", tool);
    for (const key of Object.keys(tool))
      if (!["name", "description", "parameters"].includes(key))
        throw typeError("unknown-option", `A tool has no ${key}: it is { name, description, parameters }.`);
  }
  for (const { name } of tools)
    if (typeof name !== "string" || !/^[\w.-]{1,128}$/.test(name))
      throw rangeError("out-of-range", "A tool's name is of 1 to 128 letters, digits, _, . and -.");
  if (new Set(tools.map((tool) => tool.name)).size < tools.length)
    throw rangeError("out-of-range", "Two tools have the same name.");
  return /** @type {ToolCalls["tools"]} */ (tools);
}

/**
 * @param {unknown} names
 * @param {(name: string) => number | undefined} specialToken
 * @param {Set<number>} own the special tokens of calls, and the tokens that end a text
 */
function readTextTokens(names = [], specialToken, own) {
  if (!Array.isArray(names)) throw typeError("bad-type", "toolCalls.textTokens must be a list of names.");
  return names.map((name) => {
    const token = typeof name === "string" ? specialToken(name) : undefined;
    if (token === undefined || own.has(token))
      throw rangeError(
        "out-of-range",
        `toolCalls.textTokens: ${name} is no special token, belongs to calls or ends a text.`,
      );
    return token;
  });
}

/**
 * @param {ToolCalls} options
 * @param {import("../read.js").GrammarSource} source
 * @returns {{ rules: Expression[], root: Expression }}
 */
export function readToolCalls(options, source) {
  const { specialToken, addSchema, eos, opening } = source;
  const tools = checkTools(options);
  const style = checkStyle(options);
  const { required = false, stopAfterFirst = style.alone ?? false, jsonSchema } = options;
  const hasText = (options.text ?? true) && jsonSchema === undefined;
  const own = new Set(eos);
  /** @param {string} [template] @param {string} [name] */
  const read = (template = "", name = "") => {
    const found = parts(template, specialToken, name);
    for (const part of found) if (part.kind === "special") own.add(part.index);
    return found;
  };
  const calls = choice(
    tools.map(({ name, parameters = { type: "object", additionalProperties: false } }) => {
      refuseForeignSchema(`parameters of ${name}`, parameters);
      const isPlain = checkArguments(name, parameters);
      return sequence([
        ...read(style.begin, name),
        style.parameters
          ? readParameters(parameters, style.parameters, source)
          : { kind: "json", index: addSchema(parameters, !isPlain) },
        ...read(style.end, name),
      ]);
    }),
  );
  const more = style.separator === undefined ? [] : [sequence([...read(style.separator), calls])];
  const section = sequence([
    calls,
    ...(more.length && !stopAfterFirst ? [repeat(more[0], 0, Infinity)] : []),
    ...read(style.close),
  ]);
  const trigger = read(style.trigger);
  const textTokens = readTextTokens(options.textTokens, specialToken, own);
  const whole = sequence([...trigger, section]);
  if (!hasText) {
    const next = sequence([repeat(newline, 0, 1), whole]);
    const all = stopAfterFirst ? whole : sequence([whole, repeat(next, 0, Infinity)]);
    /** @type {Expression} */
    const other = jsonSchema === undefined ? empty : { kind: "json", index: addSchema(jsonSchema) };
    return { rules: [], root: required ? all : choice([all, other]) };
  }
  if (style.alone) {
    const without = not(sequence([repeat(space, 0, Infinity), ...trigger, anyText]));
    const others = opening ? both([without, not(sequence([text(opening), anyText]))]) : without;
    return { rules: [], root: required ? whole : choice([whole, others]) };
  }
  const limits = { tokens: textTokens, opening };
  const root = taggedText([trigger], [section], limits, { isRequired: required, isLast: stopAfterFirst });
  return { rules: [], root };
}
