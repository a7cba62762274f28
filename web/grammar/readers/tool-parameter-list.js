// The arguments that a schema names, for calls that write them one by one.
import { GrammarError } from "../grammar-errors.js";
import { typeError } from "../../core/errors.js";

/**
 * @typedef {object} Parameter
 * @property {string} key
 * @property {any} schema of the value
 * @property {boolean} isRequired
 * @property {boolean} isPlain the value is a text, and its keywords can be enforced without quotation marks
 */

/** Keywords that allow every value, or that always hold because no other arguments are written. */
const silent = ["$schema", "$id", "$comment", "title", "description", "default", "examples", "additionalProperties"];
const known = new Set([...silent, "type", "properties", "required", "$defs", "definitions"]);
const knownOfTexts = new Set([...silent, "type", "enum", "const", "pattern", "minLength", "maxLength"]);

/**
 * Refuses a schema that plainly allows no object, because a call has named arguments.
 * @param {string} name of the tool
 * @param {object | boolean | string} parameters
 * @returns {boolean} whether the schema plainly allows only objects
 */
export function checkArguments(name, parameters) {
  const schema = /** @type {any} */ (typeof parameters === "string" ? parsed(parameters) : parameters);
  const type = schema?.type;
  const types = [type ?? "object"].flat();
  if (schema === false || (!types.includes("object") && types.every((one) => typeof one === "string")))
    throw typeError(
      "bad-type",
      `parameters of ${name} must allow objects, like { type: "object" } does: a call has its arguments by name.`,
    );
  // Up to draft 7, a type beside $ref has no effect.
  return type === "object" && !Object.hasOwn(schema, "$ref");
}

/** The value of JSON text; undefined if it has a mistake, which the reader of schemas explains. @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {object | boolean | string} given a valid JSON Schema
 * @returns {{ parameters: Parameter[], definitions: object }}
 * @throws {GrammarError} grammar-unsupported for a keyword that relates arguments to each other
 */
export function parametersOf(given) {
  const schema = typeof given === "string" ? JSON.parse(given) : given;
  if (typeof schema === "boolean") return { parameters: [], definitions: {} };
  const isObject = [schema.type ?? "object"].flat().includes("object");
  const keyword = isObject ? Object.keys(schema).find((name) => !known.has(name)) : "type";
  if (keyword !== undefined)
    throw new GrammarError(
      "grammar-unsupported",
      `The style of this model writes the arguments of a call one by one, so "${keyword}" of their schema cannot be enforced.`,
      { pointer: "", keyword },
    );
  const { properties = {}, required = [], $defs, definitions } = schema;
  const needed = new Set(required);
  const keys = [...new Set([...Object.keys(properties), ...needed])];
  const parameters = keys.map((key) => {
    const value = Object.hasOwn(properties, key) ? properties[key] : true;
    return { key, schema: value, isRequired: needed.has(key), isPlain: isText(value) };
  });
  return { parameters, definitions: { ...($defs && { $defs }), ...(definitions && { definitions }) } };
}

/** @param {any} schema */
function isText(schema) {
  if (typeof schema !== "object") return false;
  const { type, enum: list, const: only } = schema;
  const given = [...(list ?? []), ...("const" in schema ? [only] : [])];
  if (!given.every((one) => typeof one === "string")) return false;
  const isSaid = type === "string" || (type === undefined && given.length > 0);
  return isSaid && Object.keys(schema).every((keyword) => knownOfTexts.has(keyword));
}
