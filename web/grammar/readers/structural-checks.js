// Checks of structural tags, and their errors.
import { checkBoolean } from "../../core/arguments.js";
import { LastInchError, rangeError, typeError } from "../../core/errors.js";
import { GrammarError } from "../grammar-errors.js";
import { checkWellFormed } from "../well-formed.js";

/** @typedef {Record<string, any>} Format an object of the JSON */

const named = (/** @type {string} */ what) => `structuralTags: ${what}`;

/** Refuses a form that other engines read. @param {string} what @returns {never} */
export function refuse(what) {
  throw new GrammarError("grammar-unsupported", named(what));
}

/** @param {string} what @returns {never} */
export function conflict(what) {
  throw new LastInchError("conflict", named(what));
}

/** @param {string} what @returns {never} */
export function failType(what) {
  throw typeError("bad-type", named(what));
}

/** @param {string} what @returns {never} */
export function failRange(what) {
  throw rangeError("out-of-range", named(what));
}

/** @param {string} name @param {any} value @returns {string} */
export function checkString(name, value) {
  return checkText(name, value) || failRange(`${name} must not be empty.`);
}

/** The same for a text that may be empty. @param {string} name @param {any} value @returns {string} */
export function checkText(name, value) {
  if (typeof value !== "string") failType(`${name} must be a string.`);
  return checkWellFormed(named(name), value);
}

/** @param {string} name @param {any} list @returns {any[]} */
export function checkList(name, list) {
  if (!Array.isArray(list)) failType(`${name} must be a list.`);
  return list.length ? list : failRange(`${name} must not be empty.`);
}

/** @param {any} list that may be missing or empty @returns {string[]} */
export const checkExcludes = (list) =>
  list === undefined || list?.length === 0
    ? []
    : checkList("excludes", list).map((one) => checkString("excludes", one));

/** @param {string} name @param {any} value @param {string[]} keys @returns {Format} */
export function checkFormat(name, value, keys) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) failType(`${name} must be an object.`);
  const other = Object.keys(value).find((key) => value[key] !== undefined && !keys.includes(key));
  if (other === undefined) return value;
  throw typeError("unknown-option", named(`${name} has no ${other}. It has: ${keys.join(", ")}.`));
}

/** @param {Format} format */
export function readFlags({ at_least_one, stop_after_first, loop }) {
  for (const [name, flag] of Object.entries({ at_least_one, stop_after_first, loop })) checkBoolean(named(name), flag);
  return { least: at_least_one === true, loops: stop_after_first !== true && loop !== false };
}

/** @param {string} value */
const quoted = (value) => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);

/**
 * Refuses triggers of which a text could begin two at once, or that no text can contain.
 * @param {string[]} triggers
 * @param {string[]} excludes texts that end the free text, or that it must not contain
 */
export function checkTriggers(triggers, excludes) {
  // No text has half of a surrogate pair.
  const all = triggers.join("\ud800");
  let at = 0;
  for (const one of triggers) {
    if (all.indexOf(one) !== at || all.includes(one, at + 1)) {
      const whole = triggers.find((other) => other !== one && other.includes(one)) ?? one;
      conflict(`the trigger ${quoted(one)} is a part of ${quoted(whole)}.`);
    }
    at += one.length + 1;
    const part = excludes.find((other) => one.includes(other));
    if (part !== undefined)
      conflict(`the text cannot contain the trigger ${quoted(one)}, because it excludes ${quoted(part)}.`);
  }
}

/**
 * Sorts tags by their trigger. Returns the numbers of the tags of each trigger.
 * @template Trigger
 * @param {Trigger[]} triggers
 * @param {any[]} begins of the tags
 * @param {(begin: any, trigger: Trigger) => boolean} isOf
 */
export function tagsOfTriggers(triggers, begins, isOf) {
  const known = new Set();
  const found = triggers.map(() => /** @type {number[]} */ ([]));
  for (const [i, begin] of begins.entries()) {
    const at = triggers.findIndex((trigger) => isOf(begin, trigger));
    if (at < 0) conflict(`the tag ${quoted(String(begin))} begins with none of the triggers.`);
    if (known.has(begin)) conflict(`two tags begin with ${quoted(String(begin))}.`);
    known.add(begin);
    found[at].push(i);
  }
  return found;
}
