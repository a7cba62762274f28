// Keeps untrusted text from becoming control tokens. In such text, stand-ins replace the signs in names of control tokens, such
// as the "<", "|", "_" and ">" of <|im_end|>, so only the template can write a whole name. Letters and digits stay, because a
// template may write <|user|> from a role. A stand-in is as long as its sign, so positions in a text are the same with and
// without stand-ins.
import { typeError } from "../core/errors.js";

/** The noncharacters of Unicode, which texts do not hold: they are kept for such purposes. */
const FIRST = 0xfdd0;
const COUNT = 32;
const STAND_IN = /[\ufdd0-\ufdef]/g;
/** A sign: a character on which no template's work with texts depends. A name without a sign is known by its first character. */
const SIGN = /^[^\s\p{L}\p{N}"'\\\ud800-\udfff\u{10000}-\u{10ffff}]$/u;

export class Marks {
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
    // The first signs of all names come first, because they keep a name from beginning in a text.
    this.#characters = [...new Set([...first, ...signs.flat()])].slice(0, COUNT);
    this.#characters.forEach((one, i) => this.#standIns.set(one, String.fromCharCode(FIRST + i)));
    const codes = this.#characters.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
    // eslint-disable-next-line no-restricted-syntax -- characters of a class
    if (codes.length) this.#pattern = new RegExp(`[${codes.join("")}]`, "g");
  }

  /** Text of others, without what could begin a control token. @param {string} text */
  put(text) {
    const clean = text.replace(STAND_IN, "\ufffd");
    return this.#pattern ? clean.replace(this.#pattern, (one) => this.#standIns.get(one) ?? one) : clean;
  }

  /** The text as it was. @param {string} text */
  remove(text) {
    return text.replace(STAND_IN, (one) => this.#characters[one.charCodeAt(0) - FIRST] ?? "\ufffd");
  }
}
