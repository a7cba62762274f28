// Checks of arguments that are not sampler options.
import { rangeError, typeError } from "./errors.js";

/**
 * Throws "bad-type" unless the value is an object.
 * @param {string} name
 * @param {unknown} value
 */
export function checkObject(name, value) {
  if (typeof value !== "object" || value === null) throw typeError("bad-type", `${name} must be an object.`);
}

/**
 * Throws "unknown-option" for a name that is not known.
 * @param {string} call
 * @param {unknown} options
 * @param {string[]} names the known names
 */
export function checkNames(call, options, names) {
  checkObject("Options", options);
  for (const name of Object.keys(/** @type {object} */ (options)))
    if (!names.includes(name))
      throw typeError("unknown-option", `There is no option "${name}" of ${call}, but ${names.join(", ")}.`);
}

/** Throws "bad-type" unless the value is a boolean or undefined. @param {string} name @param {unknown} value */
export function checkBoolean(name, value) {
  if (value !== undefined && typeof value !== "boolean") throw typeError("bad-type", `${name} must be true or false.`);
}

/**
 * @param {string} name
 * @param {any} value
 * @param {number} min
 * @param {number} max
 * @param {boolean} [isWhole]
 */
export function checkNumber(name, value, min, max, isWhole) {
  if (typeof value !== "number")
    throw typeError("bad-type", `${name} must be a number, not ${value === null ? value : typeof value}.`);
  if (!(value >= min && value <= max) || (isWhole && !Number.isInteger(value)))
    throw rangeError(
      "out-of-range",
      `${name} is ${value}, but must be ${isWhole ? "a whole number " : ""}from ${min} to ${max}.`,
    );
}

/**
 * Throws "bad-type" or "out-of-range" unless the value is a whole number from min to max.
 * @param {string} name
 * @param {unknown} value
 * @param {number} min
 * @param {number} max
 */
export const checkWhole = (name, value, min, max) => checkNumber(name, value, min, max, true);
