// Keeps text that others have written from becoming control tokens. In such text, stand-ins take the place of the characters
// with which names of control tokens begin; so such a name can only begin in the words of the template. A stand-in is as long
// as what it stands for, so positions in a text are the same with and without stand-ins.
import { typeError } from "../core/errors.js";

/** No text has these: Unicode keeps them for such purposes. */
const FIRST = 0xfdd0;
const COUNT = 32;
const STAND_IN = /[\ufdd0-\ufdef]/g;
/** Characters that mean something to a template's own work with text: a name is known by another one if it can be. */
const MEANS_MORE = /[\s\w"\\\ud800-\udfff]/;

export class Marks {
  /** @type {Map<string, string>} */
  #standIns = new Map();
  #characters;
  /** @type {RegExp | undefined} */
  #pattern;

  /** @param {string[]} names of control tokens */
  constructor(names) {
    const known = names.filter(Boolean).map((name) => [...name].find((one) => !MEANS_MORE.test(one)) ?? name[0]);
    this.#characters = [...new Set(known)];
    if (this.#characters.length > COUNT)
      throw typeError("bad-type", `The names of control tokens begin with more than ${COUNT} different characters.`);
    this.#characters.forEach((one, i) => this.#standIns.set(one, String.fromCharCode(FIRST + i)));
    const codes = this.#characters.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
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
