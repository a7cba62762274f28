// Keeps untrusted text from becoming control tokens. In untrusted text, stand-ins replace the signs that names of
// control tokens have, such as the "<", "|", "_" and ">" of <|im_end|>, so only the template can write a whole name.
// Letters and digits stay, because a template may write <|user|> from a role. A stand-in is as long as its sign, so it
// moves no position in a text.
import { typeError } from "../core/errors.js";

/** Unicode's noncharacters: they are reserved for such uses, and no text has them. */
const FIRST = 0xfdd0;
const COUNT = 32;
const STAND_IN = /[\ufdd0-\ufdef]/g;
/**
 * A sign: a character that no template depends on when it works with texts. In a name without signs, the first
 * character counts as one.
 */
const SIGN = /^[^\s\p{L}\p{N}"'\\\ud800-\udfff\u{10000}-\u{10ffff}]$/u;

export class StandIns {
  /** @type {Map<string, string>} */
  #standIns = new Map();
  #characters;
  /** @type {RegExp | undefined} */
  #pattern;

  /** @param {string[]} names of control tokens */
  constructor(names) {
    const signs = names.filter(Boolean).map((name) => {
      const found = [...name].filter((one) => SIGN.test(one));
      return found.length ? found : [name[0]];
    });
    const first = new Set(signs.map(([one]) => one));
    if (first.size > COUNT)
      throw typeError("bad-type", `The names of control tokens begin with more than ${COUNT} different characters.`);
    // The first signs of names come first: without them no name can begin in a text.
    this.#characters = [...new Set([...first, ...signs.flat()])].slice(0, COUNT);
    this.#characters.forEach((one, i) => this.#standIns.set(one, String.fromCharCode(FIRST + i)));
    const codes = this.#characters.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
    // eslint-disable-next-line no-restricted-syntax -- characters of a class
    if (codes.length) this.#pattern = new RegExp(`[${codes.join("")}]`, "g");
  }

  /** Puts stand-ins into a text. @param {string} text */
  put(text) {
    const clean = text.replace(STAND_IN, "\ufffd");
    return this.#pattern ? clean.replace(this.#pattern, (one) => this.#standIns.get(one) ?? one) : clean;
  }

  /** Takes the stand-ins out again. @param {string} text */
  remove(text) {
    return text.replace(STAND_IN, (one) => this.#characters[one.charCodeAt(0) - FIRST] ?? "\ufffd");
  }
}
