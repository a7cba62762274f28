// Writes values as Python does: str, repr and json.dumps.

// A template's value is undefined, null, a boolean, a number, a string, an Array for a list, a Map for a mapping, a
// Namespace or a Callable.
/** A function with positional and named arguments. @typedef {(args: any[], named: Map<string, any>) => any} Callable */

/** The value of namespace(), and `loop`: attributes, some of which a template may set. */
export class Namespace {
  /** @param {Iterable<[string, any]>} entries */
  constructor(entries) {
    this.values = new Map(entries);
  }
}

/** @typedef {import("./template-work.js").TemplateWork} TemplateWork */

/** A list that Python writes with parentheses. */
export class Tuple extends Array {}

const ESCAPES = /** @type {Record<string, string>} */ ({ "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" });
const UNPRINTABLE = /[\\\p{C}\p{Z}]/gu;

/** @param {number} value */
function numberText(value) {
  if (Object.is(value, -0)) return "-0.0";
  if (Number.isInteger(value)) return Math.abs(value) < 1e21 ? BigInt(value).toString() : pythonExponent(String(value));
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const size = Math.abs(value);
  return pythonExponent(size < 1e-4 ? value.toExponential() : String(value));
}

/** Python writes exponents with at least two digits. @param {string} text */
const pythonExponent = (text) => text.replace(/e([+-])(\d)$/, "e$10$2");

/** @param {string} text @param {TemplateWork} work */
function quoted(text, work) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(UNPRINTABLE, (one) => {
    const isStandIn = work.plain(one) !== one;
    if (one === " " || isStandIn) return one;
    const code = one.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return ESCAPES[one] ?? (code < 256 ? `\\x${hex.padStart(2, "0")}` : wide(hex));
  });
  return quote + (quote === "'" ? inner.replaceAll("'", "\\'") : inner) + quote;
}

/** @param {string} hex */
const wide = (hex) => (hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`);

/**
 * As Python's str: what a template prints.
 * @param {any} value
 * @param {TemplateWork} work
 * @returns {string}
 */
export function textOf(value, work) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : reprOf(value, work);
}

/** @param {any} value @param {TemplateWork} work @returns {string} */
function reprOf(value, work) {
  work.spend(1);
  if (typeof value === "string") return work.grow(quoted(value, work));
  if (value === undefined) return "Undefined";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "function") return "<function>";
  work.deepen();
  const parts = Array.isArray(value)
    ? value.map((item) => reprOf(item, work))
    : Array.from(entriesOf(value), ([key, item]) => `${reprOf(work.withStandIns(key), work)}: ${reprOf(item, work)}`);
  work.rise();
  const joined = joinedText(parts, ", ", work);
  if (value instanceof Tuple) return `(${joined}${value.length === 1 ? "," : ""})`;
  return Array.isArray(value) ? `[${joined}]` : `{${joined}}`;
}

/** @param {Map<string, any> | Namespace} value */
const entriesOf = (value) => (value instanceof Namespace ? value.values : value);

/**
 * Joins parts, up to a bounded length in all.
 * @param {string[]} parts
 * @param {string} separator
 * @param {TemplateWork} work
 */
export function joinedText(parts, separator, work) {
  let text = "";
  for (let i = 0; i < parts.length; i++) {
    text += (i ? separator : "") + parts[i];
    if (i % 16 === 15) work.grow(text);
  }
  return work.grow(text);
}

/**
 * @typedef {object} JsonForm
 * @property {string | null} indent of a level; null: everything on one line
 * @property {string} item between items
 * @property {string} key between a key and its value
 * @property {boolean} isAscii
 * @property {boolean} isSorted
 */

const NOT_ASCII = /[\x7f-\uffff]/g;

/**
 * As Python's json.dumps.
 * @param {any} value
 * @param {JsonForm} form
 * @param {TemplateWork} work
 * @param {string} [margin] of the line
 * @returns {string}
 */
export function jsonOf(value, form, work, margin = "\n") {
  work.spend(1);
  if (typeof value === "string") {
    const text = JSON.stringify(value);
    return work.grow(form.isAscii ? asciiText(text, work) : text);
  }
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value)
      ? numberText(value)
      : Number.isNaN(value)
        ? "NaN"
        : value < 0
          ? "-Infinity"
          : "Infinity";
  const isList = Array.isArray(value);
  if (!isList && !(value instanceof Map))
    throw new Error("Only texts, numbers, lists and mappings can be written as JSON");
  work.deepen();
  const inner = form.indent === null ? "" : margin + form.indent;
  /** @type {string[]} */
  let parts;
  if (isList) parts = value.map((item) => inner + jsonOf(item, form, work, inner));
  else {
    const entries = [...value];
    if (form.isSorted) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    parts = entries.map(
      ([key, item]) => inner + jsonOf(work.withStandIns(key), form, work) + form.key + jsonOf(item, form, work, inner),
    );
  }
  work.rise();
  const [open, close] = isList ? "[]" : "{}";
  if (!parts.length) return open + close;
  return open + joinedText(parts, form.item, work) + (form.indent === null ? "" : margin) + close;
}

/** @param {string} text @param {TemplateWork} work */
function asciiText(text, work) {
  return text.replace(NOT_ASCII, (one) => {
    const plain = work.plain(one);
    if (plain <= "\x7f") return one;
    return `\\u${plain.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

/**
 * A date in local time, as Python's strftime writes it in English.
 * @param {Date} date
 * @param {string} format
 */
export function dateText(date, format) {
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const hour = date.getHours() % 12 || 12;
  /** @type {Record<string, string>} */
  const parts = {
    "%": "%",
    Y: String(date.getFullYear()),
    y: two(date.getFullYear() % 100),
    m: two(date.getMonth() + 1),
    d: two(date.getDate()),
    e: String(date.getDate()).padStart(2),
    B: MONTHS[date.getMonth()],
    b: MONTHS[date.getMonth()].slice(0, 3),
    A: DAYS[date.getDay()],
    a: DAYS[date.getDay()].slice(0, 3),
    H: two(date.getHours()),
    I: two(hour),
    M: two(date.getMinutes()),
    S: two(date.getSeconds()),
    p: date.getHours() < 12 ? "AM" : "PM",
    "-d": String(date.getDate()),
    "-m": String(date.getMonth() + 1),
    "-H": String(date.getHours()),
    "-I": String(hour),
  };
  parts.F = `${parts.Y}-${parts.m}-${parts.d}`;
  parts.T = `${parts.H}:${parts.M}:${parts.S}`;
  return format.replace(/%(-?[A-Za-z%])/g, (_, name) => {
    if (parts[name] === undefined) throw new Error(`strftime_now knows no %${name}`);
    return parts[name];
  });
}
