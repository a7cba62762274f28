// Operations of Python and Jinja on values: truth, equality, order, items, length, and the methods of strings, lists, mappings.
import { Namespace, Tuple, joinedText, textOf } from "./python-text.js";

/** @typedef {import("./template-work.js").TemplateWork} TemplateWork */
/** @typedef {import("./python-text.js").Callable} Callable */

const SPACE = new Set(
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;
const SURROGATE = /[\ud800-\udfff]/;

/** What error messages call a value. @param {any} value */
export function kindOf(value) {
  if (value === undefined) return "an undefined value";
  if (value === null) return "none";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Map) return "a mapping";
  if (value instanceof Namespace) return "a namespace";
  return (
    { string: "a text", number: "a number", boolean: "a boolean" }[/** @type {string} */ (typeof value)] ?? "a function"
  );
}

/** @param {any} value */
export function isTrue(value) {
  if (Array.isArray(value)) return value.length > 0;
  return value instanceof Map ? value.size > 0 : Boolean(value);
}

/** Integers, and booleans, which count as 0 and 1. @param {any} value */
export const isNumeric = (value) => typeof value === "number" || typeof value === "boolean";

/**
 * @param {any} a
 * @param {any} b
 * @param {TemplateWork} work
 * @returns {boolean}
 */
export function isEqual(a, b, work) {
  work.read(a);
  // A stand-in is as long as the sign it replaces.
  if (typeof a === "string" && typeof b === "string")
    return a.length === b.length && (a === b || work.plain(a) === work.plain(b));
  if (isNumeric(a) && isNumeric(b)) return Number(a) === Number(b);
  work.deepen();
  let result = a === b;
  if (Array.isArray(a) && Array.isArray(b))
    result = a.length === b.length && a.every((item, i) => isEqual(item, b[i], work));
  else if (a instanceof Map && b instanceof Map)
    result = a.size === b.size && [...a].every(([key, item]) => b.has(key) && isEqual(item, b.get(key), work));
  work.rise();
  return result;
}

/** Sorts surrogates after all other units, which gives the order of characters. @param {number} unit */
const rankOf = (unit) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/**
 * Negative, 0 or positive.
 * @param {any} a
 * @param {any} b
 * @param {TemplateWork} work
 * @returns {number}
 */
export function order(a, b, work) {
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b);
  if (typeof a === "string" && typeof b === "string") {
    const [left, right] = [work.plain(a), work.plain(b)];
    for (let i = 0; i < Math.min(left.length, right.length); i++)
      if (left[i] !== right[i]) return rankOf(left.charCodeAt(i)) - rankOf(right.charCodeAt(i));
    return left.length - right.length;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const i = a.findIndex((item, at) => at >= b.length || !isEqual(item, b[at], work));
    return i < 0 || i >= b.length ? a.length - b.length : order(a[i], b[i], work);
  }
  throw new Error(`${kindOf(a)} and ${kindOf(b)} have no order`);
}

/**
 * The items of a loop over a value.
 * @param {any} value
 * @param {TemplateWork} work
 * @returns {any[]}
 */
export function itemsOf(value, work) {
  if (Array.isArray(value)) return value;
  if (value === undefined) return [];
  if (value instanceof Map) return work.fill(Array.from(value.keys(), (key) => work.withStandIns(key)));
  if (typeof value === "string") {
    work.checkList(value.length / 2);
    return work.fill([...value]);
  }
  throw new Error(`${kindOf(value)} has no items to loop over`);
}

/** @param {string} text @param {TemplateWork} work */
function charactersOf(text, work) {
  work.spend(text.length >> 3);
  return [...text];
}

/**
 * A character by its index; a negative index counts from the end.
 * @param {string} text
 * @param {number} place
 * @param {TemplateWork} work
 */
export const characterAt = (text, place, work) =>
  SURROGATE.test(text) ? charactersOf(text, work).at(place) : text.at(place);

/** Characters, items or keys. @param {any} value */
export function lengthOf(value) {
  if (typeof value === "string") {
    if (!SURROGATE.test(value)) return value.length;
    let count = 0;
    for (const _ of value) count++;
    return count;
  }
  if (value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  throw new Error(`${kindOf(value)} has no length`);
}

/**
 * value[start:stop:step], as in Python.
 * @param {any} value
 * @param {(number | null | undefined)[]} bounds
 * @param {TemplateWork} work
 */
export function sliceOf(value, [first, end, by], work) {
  if (!Array.isArray(value) && typeof value !== "string") throw new Error(`${kindOf(value)} cannot be sliced`);
  for (const bound of [first, end, by])
    if (!(bound === undefined || bound === null || Number.isInteger(bound)))
      throw new Error(`A slice needs whole numbers, not ${kindOf(bound)}`);
  const step = by ?? 1;
  if (!step) throw new Error("The step of a slice cannot be 0");
  const isText = typeof value === "string";
  const items = isText && SURROGATE.test(value) ? work.fill([...value]) : value;
  const { length } = items;
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (/** @type {number} */ at) => Math.min(Math.max(at < 0 ? at + length : at, low), high);
  const start = first === undefined || first === null ? (step > 0 ? 0 : length - 1) : clamp(first);
  const stop = end === undefined || end === null ? (step > 0 ? length : -1) : clamp(end);
  if (step === 1) {
    const part = items.slice(start, Math.max(start, stop));
    return isText && typeof part !== "string" ? part.join("") : part;
  }
  const picked = [];
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) picked.push(items[i]);
  work.fill(picked);
  return isText ? picked.join("") : picked;
}

/**
 * Strips characters from the ends of a text: spaces, unless others are given.
 * @param {string} text
 * @param {any} characters
 * @param {TemplateWork} work
 * @param {number} ends 1: the first, 2: the last, 3: both
 */
export function strip(text, characters, work, ends = 3) {
  const set = characters === undefined || characters === null ? SPACE : new Set(work.plain(word(characters)));
  const plain = characters ? work.plain(text) : text;
  let first = 0;
  let end = plain.length;
  // Strips a character of two units whole or not at all.
  const isDropped = (/** @type {number} */ at) => set.has(plain[at]);
  if (ends & 1) while (first < end && isDropped(first)) first++;
  if (ends & 2) while (end > first && isDropped(end - 1)) end--;
  return text.slice(first, end);
}

/** @param {any} value */
export function word(value) {
  if (typeof value !== "string") throw new Error(`A text is needed here, not ${kindOf(value)}`);
  return value;
}

/**
 * Positions of a separator in a text.
 * @param {string} text
 * @param {string} separator
 * @param {number} limit
 * @param {TemplateWork} work
 */
function places(text, separator, limit, work) {
  const [hay, needle] = [work.plain(text), work.plain(separator)];
  if (!needle) throw new Error("The separator is empty");
  const found = [];
  for (let at = hay.indexOf(needle); at >= 0 && found.length < limit; at = hay.indexOf(needle, at + needle.length)) {
    found.push(at);
    if (found.length % 1024 === 0) work.checkList(found.length);
  }
  return found;
}

/**
 * @param {string} text
 * @param {any} separator
 * @param {number} limit
 * @param {TemplateWork} work
 */
function split(text, separator, limit, work) {
  if (separator === undefined || separator === null) return splitSpaces(text, limit, work);
  const parts = [];
  let from = 0;
  for (const at of places(text, word(separator), limit, work)) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  return work.fill([...parts, text.slice(from)]);
}

/** @param {string} text @param {number} limit @param {TemplateWork} work */
function splitSpaces(text, limit, work) {
  const parts = [];
  let rest = strip(text, null, work, 1);
  while (rest) {
    if (parts.length >= limit) {
      parts.push(rest);
      break;
    }
    work.checkList(parts.length);
    let end = 0;
    while (end < rest.length && !SPACE.has(rest[end])) end++;
    parts.push(rest.slice(0, end));
    rest = strip(rest.slice(end), null, work, 1);
  }
  return work.fill(parts);
}

/** @param {string} text @param {any} separator @param {number} limit @param {TemplateWork} work */
function splitRight(text, separator, limit, work) {
  const all = split(text, separator, Infinity, work);
  if (all.length <= limit + 1) return all;
  if (separator === undefined || separator === null) throw new Error("rsplit needs a separator here");
  const kept = all.slice(all.length - limit);
  return [all.slice(0, all.length - limit).join(separator), ...kept];
}

/** @param {string} text @param {any} isKept */
function splitLines(text, isKept) {
  const lines = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(LINE_ENDS)) {
    lines.push(text.slice(from, isTrue(isKept) ? index + end.length : index));
    from = index + end.length;
  }
  return from < text.length ? [...lines, text.slice(from)] : lines;
}

/**
 * @param {string} text
 * @param {any} old
 * @param {any} given
 * @param {any} count
 * @param {TemplateWork} work
 */
export function replace(text, old, given, count, work) {
  const fresh = word(given);
  const limit = typeof count === "number" && count >= 0 ? count : Infinity;
  if (word(old)) {
    const found = places(text, old, limit, work);
    work.checkText(text.length + found.length * (fresh.length - old.length));
    let result = "";
    let from = 0;
    for (const at of found) {
      result += text.slice(from, at) + fresh;
      from = at + old.length;
    }
    return work.grow(result + text.slice(from));
  }
  work.checkText(text.length + Math.min(limit, text.length + 1) * fresh.length);
  work.spend(text.length);
  const characters = charactersOf(text, work);
  const parts = characters.map((one, i) => (i < limit ? fresh : "") + one);
  return work.grow(parts.join("") + (characters.length < limit ? fresh : ""));
}

/** @param {string} text */
const capitalise = (text) => {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("").toLowerCase();
};

/** @param {string} text */
const title = (text) => text.replace(/\p{L}+/gu, capitalise);

/** @param {boolean} isAtEnd */
const affix =
  (isAtEnd) =>
  (/** @type {string} */ text, /** @type {any[]} */ [given], /** @type {TemplateWork} */ work) => {
    const plain = work.plain(text);
    return (Array.isArray(given) ? given : [given]).some((one) =>
      isAtEnd ? plain.endsWith(work.plain(word(one))) : plain.startsWith(work.plain(word(one))),
    );
  };

/** @param {boolean} isLast @param {boolean} isStrict */
const find =
  (isLast, isStrict) =>
  (/** @type {string} */ text, /** @type {any[]} */ [given], /** @type {TemplateWork} */ work) => {
    const [hay, needle] = [work.plain(text), work.plain(word(given))];
    const at = isLast ? hay.lastIndexOf(needle) : hay.indexOf(needle);
    if (at < 0 && isStrict) throw new Error("The text does not contain the substring");
    return at < 0 ? at : lengthOf(text.slice(0, at));
  };

/** @param {boolean} isLast */
const partition =
  (isLast) =>
  (/** @type {string} */ text, /** @type {any[]} */ [given], /** @type {TemplateWork} */ work) => {
    const [hay, needle] = [work.plain(text), work.plain(word(given))];
    if (!needle) throw new Error("The separator is empty");
    const at = isLast ? hay.lastIndexOf(needle) : hay.indexOf(needle);
    if (at < 0) return isLast ? ["", "", text] : [text, "", ""];
    const end = at + needle.length;
    return [text.slice(0, at), text.slice(at, end), text.slice(end)];
  };

/**
 * Python's str.format for fields without a form: {}, {0} and {name}.
 * @param {string} text
 * @param {any[]} args
 * @param {TemplateWork} work
 * @param {Map<string, any>} named
 */
function format(text, args, work, named) {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\w*)\}|[{}]/g, (field, name) => {
    if (field === "{{" || field === "}}") return field[0];
    if (name === undefined) throw new Error("format() knows {}, {0} and {name} only");
    const value = /^\d*$/.test(name) ? args[name === "" ? next++ : Number(name)] : named.get(name);
    const written = printed(value, work);
    work.checkText(text.length + written.length);
    return written;
  });
}

/** @param {RegExp} pattern of a character */
const consistsOf =
  (pattern) => (/** @type {string} */ text, /** @type {any[]} */ _, /** @type {TemplateWork} */ work) =>
    text !== "" && charactersOf(text, work).every((one) => pattern.test(one));

/** @param {any} value @param {any} otherwise */
const countOr = (value, otherwise = -1) => {
  const count = value ?? otherwise;
  if (!Number.isInteger(count)) throw new Error(`A whole number is needed here, not ${kindOf(count)}`);
  return count < 0 ? Infinity : count;
};

/** Methods of texts. @type {Record<string, (text: string, args: any[], work: TemplateWork, named: Map<string, any>) => any>} */
const textMethods = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  title,
  capitalize: capitalise,
  strip: (text, [characters], work) => strip(text, characters, work),
  lstrip: (text, [characters], work) => strip(text, characters, work, 1),
  rstrip: (text, [characters], work) => strip(text, characters, work, 2),
  startswith: affix(false),
  endswith: affix(true),
  split: (text, [separator, limit], work, named) =>
    split(text, separator ?? named.get("sep"), countOr(limit ?? named.get("maxsplit")), work),
  rsplit: (text, [separator, limit], work, named) =>
    splitRight(text, separator ?? named.get("sep"), countOr(limit ?? named.get("maxsplit")), work),
  splitlines: (text, [isKept], work, named) => work.fill(splitLines(text, isKept ?? named.get("keepends"))),
  replace: (text, [old, fresh, count], work, named) => replace(text, old, fresh, count ?? named.get("count"), work),
  format,
  join: (text, [items], work) => joinedText(itemsOf(items, work).map(word), text, work),
  find: find(false, false),
  rfind: find(true, false),
  index: find(false, true),
  rindex: find(true, true),
  count: (text, [given], work) => places(text, word(given), Infinity, work).length,
  partition: partition(false),
  rpartition: partition(true),
  removeprefix: (text, [given], work) => (affix(false)(text, [given], work) ? text.slice(given.length) : text),
  removesuffix: (text, [given], work) =>
    given && affix(true)(text, [given], work) ? text.slice(0, -given.length) : text,
  isdigit: consistsOf(/\p{Nd}/u),
  isalpha: consistsOf(/\p{L}/u),
  isalnum: consistsOf(/[\p{L}\p{N}]/u),
  isspace: consistsOf(/[\s\x1c-\x1f\x85]/),
  isupper: (text) => text === text.toUpperCase() && text !== text.toLowerCase(),
  islower: (text) => text === text.toLowerCase() && text !== text.toUpperCase(),
};

/** @type {Record<string, (list: any[], args: any[], work: TemplateWork) => any>} */
const listMethods = {
  copy: (list, _, work) => work.fill([...list]),
  count: (list, [wanted], work) => list.filter((item) => isEqual(item, wanted, work)).length,
  index: (list, [wanted], work) => {
    const at = list.findIndex((item) => isEqual(item, wanted, work));
    if (at < 0) throw new Error("The list does not contain the item");
    return at;
  },
};

/** @type {Record<string, (map: Map<string, any>, args: any[], work: TemplateWork) => any>} */
const mapMethods = {
  get: (map, [key, otherwise = null], work) => {
    const value = map.get(work.plain(key));
    return value === undefined ? otherwise : value;
  },
  items: (map, _, work) => work.fill(Array.from(map, ([key, value]) => Tuple.of(work.withStandIns(key), value))),
  keys: (map, _, work) => itemsOf(map, work),
  values: (map, _, work) => work.fill([...map.values()]),
  copy: (map) => new Map(map),
};
/** Methods that would change a value. No template may call them. */
const CHANGES = new Set([
  ...["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"],
  ...["popitem", "setdefault", "update"],
]);

/**
 * The method of a value by name, if there is one.
 * @param {any} value
 * @param {string} name
 * @param {TemplateWork} work
 * @returns {Callable | undefined}
 */
export function methodOf(value, name, work) {
  /** @type {Record<string, (value: any, args: any[], work: TemplateWork, named: Map<string, any>) => any> | null} */
  let methods = null;
  if (typeof value === "string") methods = textMethods;
  else if (Array.isArray(value)) methods = listMethods;
  else if (value instanceof Map) methods = mapMethods;
  if (!methods) return;
  if (methods !== textMethods && CHANGES.has(name))
    return () => {
      throw new Error(`${name}() changes a value, which a template must not do`);
    };
  if (!Object.hasOwn(methods, name)) return;
  const method = methods[name];
  return (args, named) => method(value, args, work, named);
}

/** @param {any} value @param {TemplateWork} work */
export const printed = (value, work) => work.grow(textOf(value, work));
