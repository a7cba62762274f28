// One view of two kinds of JSON values: JavaScript's own (JSON.parse, literals) and those of parseJson.
import { Decimal } from "./json-text.js";

/** @param {any} value @returns {value is object} a JSON object */
export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Decimal);

/**
 * A member of an object; undefined: no such member.
 * @param {any} object
 * @param {string} key
 * @returns {any}
 */
export const member = (object, key) =>
  object instanceof Map ? object.get(key) : Object.hasOwn(object, key) ? object[key] : undefined;

/**
 * The keys of an object in its order, without undefined members, as in JSON.stringify.
 * @param {any} object
 * @returns {string[]}
 */
export const keysOf = (object) =>
  object instanceof Map ? [...object.keys()] : Object.keys(object).filter((key) => object[key] !== undefined);

/**
 * The JSON spelling of a number; undefined if the value is not a number.
 * @param {any} value
 */
export function decimalText(value) {
  if (value instanceof Decimal) return value.text;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  return undefined;
}
