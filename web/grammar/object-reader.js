// Reads JSON while it arrives: the value so far, which parts of it grew, and which cannot change any more. The work is
// linear in the text: no text is read twice, the value is never copied, and pointers and strings are joined, not
// rebuilt (engines keep joined strings as ropes).
import { LastInchError } from "../core/errors.js";

/**
 * What is new since the item before.
 * @typedef {object} Growth
 * @property {any} value the value so far: one object that grows in place; undefined until the text begins one
 * @property {string[]} changed JSON Pointers (RFC 6901) of what began or grew, in the order of the text
 * @property {string[]} done JSON Pointers of what cannot change any more, with all that is in it
 */

// What comes next.
const VALUE = 0;
/** A value, or the end of an empty array. */
const ITEM = 1;
const KEY = 2;
/** A key, or the end of an empty object. */
const MEMBER = 3;
const COLON = 4;
/** A comma, or the end of the array or object. At the top: the end of the text. */
const NEXT = 5;
const STRING = 6;
const ESCAPE = 7;
const NUMBER = 8;
const LITERAL = 9;

const literals = /** @type {Record<string, { text: string, value: boolean | null } | undefined>} */ ({
  t: { text: "true", value: true },
  f: { text: "false", value: false },
  n: { text: "null", value: null },
});

const escapes = /** @type {Record<string, string | undefined>} */ ({
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
});

const numbers = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** @param {number} unit */
const isNumeric = (unit) =>
  (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2d || unit === 0x2e || (unit | 0x20) === 0x65;
/** @param {number} unit */
const isSpace = (unit) => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
/** @param {number} unit */
const isHighHalf = (unit) => (unit & 0xfc00) === 0xd800;

/** Reads one text, in pieces. */
export class ObjectReader {
  #mayRepeat;
  #state = VALUE;
  /** The value is the one member of this. @type {{ root?: any }} */
  #top = {};
  /** The open arrays and objects, from the outside. @type {any[]} */
  #open = [];
  /** Their pointers. @type {string[]} */
  #pointers = [];
  /** How many of them are objects. */
  #objects = 0;
  /** The key that was read last, in the innermost object. */
  #key = "";
  #isKey = false;
  /** The pointer of the string, number or literal that is being read. */
  #pointer = "";
  /** Its text so far; of a key, too. */
  #text = "";
  /** Half of a character, whose other half has not come. */
  #half = "";
  /** The escape sequence that is being read, after its backslash. */
  #escape = "";
  /** How much of the string has been shown. */
  #shown = 0;
  /** @type {string[]} */
  #changed = [];
  /** @type {string[]} */
  #done = [];
  /** Where in `changed` the values of repeated keys begin. @type {Map<string, number>} */
  #replaced = new Map();

  /** @param {{ mayRepeat?: boolean }} [options] mayRepeat: a key may come again in an object; its last value counts */
  constructor({ mayRepeat = false } = {}) {
    this.#mayRepeat = mayRepeat;
  }

  /**
   * @param {string} text the next piece
   * @returns {Growth}
   * @throws {LastInchError} "grammar-refused" if the text is not JSON
   */
  push(text) {
    for (let at = 0; at < text.length;) at = this.#read(text, at);
    if (this.#state === STRING || this.#state === ESCAPE) this.#show();
    return this.#take();
  }

  /**
   * Ends a whole text. A number that is the whole text is known only now.
   * @param {string} [text] the last piece
   * @returns {Growth}
   */
  end(text = "") {
    const item = this.push(text);
    if (this.#state !== NUMBER || this.#open.length) return item;
    this.#endNumber();
    return this.#take();
  }

  #take() {
    const changed = this.#replaced.size
      ? this.#changed.filter((pointer, i) => this.#isLeft(pointer, i))
      : this.#changed;
    const item = { value: this.#top.root, changed, done: this.#done };
    this.#changed = [];
    this.#done = [];
    this.#replaced.clear();
    return item;
  }

  /** Whether no later value of a repeated key has replaced what changed. @param {string} pointer @param {number} at */
  #isLeft(pointer, at) {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1))
      if ((this.#replaced.get(pointer.slice(0, end)) ?? 0) > at) return false;
    return true;
  }

  /**
   * Reads one character, or a run of a string's or number's characters.
   * @param {string} text
   * @param {number} at
   * @returns {number} where the next begins
   */
  #read(text, at) {
    if (this.#state === STRING) return this.#readString(text, at);
    if (this.#state === NUMBER) {
      let end = at;
      while (end < text.length && isNumeric(text.charCodeAt(end))) end++;
      this.#text += text.slice(at, end);
      if (end < text.length) this.#endNumber();
      return end;
    }
    if (this.#state === ESCAPE) this.#readEscape(text[at]);
    else if (this.#state === LITERAL) this.#readLiteral(text[at]);
    else if (!isSpace(text.charCodeAt(at))) this.#readMark(text[at]);
    return at + 1;
  }

  /** @param {string} mark */
  #readMark(mark) {
    const state = this.#state;
    const container = this.#open.at(-1);
    if (state === COLON && mark === ":") this.#state = VALUE;
    else if (mark === '"' && (state === KEY || state === MEMBER)) this.#beginString(true);
    else if ((mark === "}" && state === MEMBER) || (mark === "]" && state === ITEM)) this.#close();
    else if (state === NEXT && container) {
      if (mark === ",") this.#state = Array.isArray(container) ? VALUE : KEY;
      else if (mark === (Array.isArray(container) ? "]" : "}")) this.#close();
      else this.#refuse(mark);
    } else if (state === VALUE || state === ITEM) this.#beginValue(mark);
    else this.#refuse(mark);
  }

  /** @param {string} mark */
  #beginValue(mark) {
    if (mark === '"') {
      this.#begin("");
      this.#beginString(false);
    } else if (mark === "{" || mark === "[") {
      const container = mark === "{" ? {} : [];
      this.#begin(container);
      this.#open.push(container);
      this.#pointers.push(this.#pointer);
      this.#objects += Number(mark === "{");
      this.#state = mark === "{" ? MEMBER : ITEM;
    } else if (Object.hasOwn(literals, mark)) {
      const { text, value } = /** @type {{ text: string, value: boolean | null }} */ (literals[mark]);
      // The first letter leaves no choice.
      this.#begin(value);
      this.#end();
      this.#text = text.slice(1);
      this.#state = LITERAL;
    } else if (mark === "-" || (mark >= "0" && mark <= "9")) {
      this.#text = mark;
      this.#state = NUMBER;
    } else this.#refuse(mark);
  }

  /** Gives the value its place. @param {any} value */
  #begin(value) {
    const container = this.#open.at(-1);
    if (!container) this.#top.root = value;
    else {
      const isArray = Array.isArray(container);
      const name = isArray ? String(container.length) : this.#key.replaceAll("~", "~0").replaceAll("/", "~1");
      this.#pointer = `${this.#pointers.at(-1)}/${name}`;
      if (isArray) container.push(value);
      else {
        if (this.#mayRepeat && Object.hasOwn(container, this.#key))
          this.#replaced.set(this.#pointer, this.#changed.length);
        if (this.#key === "__proto__")
          Object.defineProperty(container, this.#key, {
            value,
            writable: true,
            enumerable: true,
            configurable: true,
          });
        else container[this.#key] = value;
      }
    }
    this.#changed.push(this.#pointer);
  }

  /** The value at the pointer is complete. */
  #end() {
    if (!this.#mayRepeat || !this.#objects) this.#done.push(this.#pointer);
    this.#state = NEXT;
  }

  #close() {
    const container = this.#open.pop();
    this.#pointer = /** @type {string} */ (this.#pointers.pop());
    this.#objects -= Number(!Array.isArray(container));
    this.#end();
  }

  #endNumber() {
    if (!numbers.test(this.#text)) this.#refuse(this.#text);
    this.#begin(Number(this.#text));
    this.#end();
  }

  /** @param {string} letter */
  #readLiteral(letter) {
    if (letter !== this.#text[0]) this.#refuse(letter);
    this.#text = this.#text.slice(1);
    if (!this.#text) this.#state = NEXT;
  }

  /** @param {boolean} isKey */
  #beginString(isKey) {
    this.#isKey = isKey;
    this.#text = "";
    this.#shown = 0;
    this.#state = STRING;
  }

  /** @param {string} text @param {number} at */
  #readString(text, at) {
    let end = at;
    let unit = 0;
    while (end < text.length) {
      unit = text.charCodeAt(end);
      if (unit === 0x22 || unit === 0x5c || unit < 0x20) break;
      end++;
    }
    if (end > at) this.#add(text.slice(at, end));
    if (end === text.length) return end;
    if (unit < 0x20) this.#refuse(text[end]);
    if (unit === 0x5c) {
      this.#escape = "";
      this.#state = ESCAPE;
    } else this.#endString();
    return end + 1;
  }

  /** Adds to the string, but holds the first half of a character back. @param {string} piece not empty */
  #add(piece) {
    if (this.#half) piece = this.#half + piece;
    const isHalf = isHighHalf(piece.charCodeAt(piece.length - 1));
    this.#half = isHalf ? piece.slice(-1) : "";
    this.#text += isHalf ? piece.slice(0, -1) : piece;
  }

  /** @param {string} character */
  #readEscape(character) {
    this.#escape += character;
    if (this.#escape[0] === "u") {
      if (this.#escape.length > 1 && !/[\da-fA-F]/.test(character)) this.#refuse(character);
      if (this.#escape.length < 5) return;
      this.#add(String.fromCharCode(Number.parseInt(this.#escape.slice(1), 16)));
    } else this.#add(escapes[character] ?? this.#refuse(character));
    this.#state = STRING;
  }

  #endString() {
    // A half whose other half did not come is what JSON.parse gives, too.
    this.#text += this.#half;
    this.#half = "";
    if (this.#isKey) {
      this.#key = this.#text;
      this.#state = COLON;
    } else {
      this.#show();
      this.#end();
    }
  }

  /** Puts the string as far as it goes into the value. */
  #show() {
    if (this.#isKey || this.#text.length === this.#shown) return;
    const container = this.#open.at(-1);
    if (!container) this.#top.root = this.#text;
    else if (Array.isArray(container)) container[container.length - 1] = this.#text;
    else container[this.#key] = this.#text;
    // A string that began in this piece is listed already, and is the last: else nothing has changed before.
    if (!this.#changed.length) this.#changed.push(this.#pointer);
    this.#shown = this.#text.length;
  }

  /** @param {string} text @returns {never} */
  #refuse(text) {
    throw new LastInchError("grammar-refused", `The text is not JSON: ${JSON.stringify(text)} cannot come here.`);
  }
}
