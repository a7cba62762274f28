// Adds defaults to a caller's options, except those that would contradict them.
import { VOCAB_LIMIT } from "../core/layouts.js";
import { resolveOptions } from "./options.js";

/**
 * Throws if options contradict each other. A grammar never does.
 * @param {Record<string, any>} given by canonical names
 */
export function checkTogether(given) {
  // Every token that a caller may name is within the longest row.
  resolveOptions({ ...given, vocabSize: VOCAB_LIMIT, grammar: undefined });
}

/**
 * The defaults that agree with the given options and with earlier defaults.
 * @param {Record<string, any>} given by canonical names
 * @param {Record<string, any>} defaults by canonical names, none of them given
 * @param {(options: Record<string, any>) => void} [check] throws if options cannot be used together
 * @returns {{ options: Record<string, any>, dropped: { name: string, reason: string }[] }} without the given ones
 */
export function compatibleDefaults(given, defaults, check = checkTogether) {
  /** @type {Record<string, any>} */
  const options = {};
  const dropped = [];
  for (const [name, value] of Object.entries(defaults)) {
    try {
      check({ ...given, ...options, [name]: value });
      options[name] = value;
    } catch (error) {
      dropped.push({ name, reason: /** @type {Error} */ (error).message });
    }
  }
  return { options, dropped };
}
