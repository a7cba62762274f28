// Values that JSON can represent: null, booleans, finite numbers, strings, arrays, and objects without a class.
import { typeError } from "./errors.js";

/** Limit of nesting, which also stops values that contain themselves. */
const DEPTH = 1000;
/** Limit of all characters, of which an item counts 64: a million items. An item counts each time it appears. */
const SIZE = 2 ** 26;
const ITEM = 64;

/**
 * Plain data as JSON text. JSON.stringify would silently change values that JSON cannot represent.
 * @param {string} name of the value, for errors
 * @param {unknown} value leaves out members that are undefined
 * @param {(detail: string) => Error} [errorOf]
 * @returns {string}
 * @throws {TypeError} the error of `errorOf`, by default "bad-type": JSON cannot represent the value, or the value is too large
 */
export function plainText(name, value, errorOf = (detail) => typeError("bad-type", detail)) {
  let size = 0;
  /** @param {any} item @param {number} depth @returns {string} */
  function write(item, depth) {
    if (depth > DEPTH) throw errorOf(`${name} contains itself, or is nested more than ${DEPTH} levels deep.`);
    size += ITEM + (typeof item === "string" ? item.length : 0);
    if (size > SIZE) throw errorOf(`${name} has more than ${SIZE / ITEM} items, or ${SIZE} characters.`);
    const isSimple = item === null || typeof item === "string" || typeof item === "boolean";
    if (isSimple || Number.isFinite(item)) return JSON.stringify(item);
    if (Array.isArray(item)) return `[${Array.from(item, (one) => write(one, depth + 1)).join()}]`;
    if (!isPlain(item)) {
      const text = typeof item === "symbol" || typeof item === "object" ? typeof item : String(item);
      throw errorOf(`${name} must be plain data like JSON, but holds ${text.slice(0, 80)}.`);
    }
    const members = Object.entries(item).filter(([, one]) => one !== undefined);
    return `{${members.map(([key, one]) => `${write(key, depth)}:${write(one, depth + 1)}`).join()}}`;
  }
  return write(value, 0);
}

/** @param {any} value */
function isPlain(value) {
  if (typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
