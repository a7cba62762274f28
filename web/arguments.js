// Checks of arguments that are not sampler options.
import { rangeError, typeError } from "./errors.js";

/**
 * @param {string} call
 * @param {unknown} options
 * @param {string[]} names those that there are
 */
export function checkNames(call, options, names) {
  if (typeof options !== "object" || options === null) throw typeError("bad-type", "Options must be an object.");
  for (const name of Object.keys(options))
    if (!names.includes(name))
      throw typeError("unknown-option", `There is no option "${name}" of ${call}. There are: ${names.join(", ")}.`);
}

/** @param {unknown} signal */
export function checkSignal(signal) {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw typeError("bad-type", "signal must be an AbortSignal.");
}

/** @param {string} name @param {unknown} value */
export function checkBoolean(name, value) {
  if (value !== undefined && typeof value !== "boolean") throw typeError("bad-type", `${name} must be true or false.`);
}

/** @param {string} name @param {unknown} value @param {number} min @param {number} max */
export function checkWhole(name, value, min, max) {
  if (typeof value !== "number") throw typeError("bad-type", `${name} must be a number, not ${typeof value}.`);
  if (!Number.isInteger(value) || value < min || value > max)
    throw rangeError("out-of-range", `${name} is ${value}, but must be a whole number from ${min} to ${max}.`);
}
