// Reads the option bannedStrings of generate. What needs the reader of regular expressions is read when the text
// begins.
import { checkBoolean, checkNames, checkObject } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";
import { LONGEST_BAN } from "./banned-texts.js";

/** @typedef {import("./banned-texts.js").Ban} Ban */

/**
 * A banned text. ignoreCase: in any case, as with the flags i and u of regular expressions. normalize: also where
 * accents are characters of their own, or parts of their letters.
 * @typedef {string | RegExp | { text: string, ignoreCase?: boolean, normalize?: boolean }} BannedString
 */

/**
 * @param {unknown} banned
 * @returns {{ bans: Ban[], compileBans?: () => Promise<Ban[]> }} compileBans: gives the bans, which need a reader
 * @throws {TypeError | RangeError} "bad-type", "out-of-range", "unknown-option"
 */
export function readBannedStrings(banned = []) {
  const all = (Array.isArray(banned) ? banned : [banned]).map(readOne);
  const later = all.filter((one) => "pattern" in one);
  if (!later.length) return { bans: /** @type {Ban[]} */ (all) };
  const compileBans = async () => {
    const { readPattern } = await import("./banned-patterns.js");
    return all.map((one) => ("pattern" in one ? readPattern(one) : one));
  };
  return { bans: [], compileBans };
}

/**
 * @param {any} banned
 * @returns {Ban | import("./banned-patterns.js").Pattern}
 */
function readOne(banned) {
  if (banned instanceof RegExp) return { pattern: banned.source, flags: banned.flags, shown: String(banned) };
  const given = typeof banned === "string" ? { text: banned } : banned;
  checkObject("A value of bannedStrings", given);
  checkNames("bannedStrings", given, ["text", "ignoreCase", "normalize"]);
  const { text, ignoreCase, normalize } = given;
  if (typeof text !== "string")
    throw typeError("bad-type", "bannedStrings must be texts, regular expressions or { text, ignoreCase, normalize }.");
  checkBoolean("ignoreCase", ignoreCase);
  checkBoolean("normalize", normalize);
  const { length } = [...text];
  if (!length || length > LONGEST_BAN)
    throw rangeError(
      "out-of-range",
      `A text of bannedStrings has ${length} characters, but must have from 1 to ${LONGEST_BAN}.`,
    );
  const shown = JSON.stringify(text);
  if (!ignoreCase && !normalize) return { shown, expression: { kind: "text", bytes: new TextEncoder().encode(text) } };
  return { pattern: normalize ? eachWay(text) : escaped(text), flags: ignoreCase ? "iu" : "u", shown };
}

/** A pattern of a text whose letters may have their accents in them or after them. @param {string} text */
const eachWay = (text) =>
  (text.normalize("NFC").match(/\P{M}?\p{M}*/gu) ?? [])
    .map((letter) => [...new Set([letter, letter.normalize("NFD")])].map(escaped))
    .map((ways) => (ways.length > 1 ? `(?:${ways.join("|")})` : ways[0]))
    .join("");

/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
