// Jinja's filters and tests, as jinja2 defines them, and tojson as transformers does.
import { Namespace, joinedText, jsonOf } from "./python-text.js";
import {
  isEqual,
  isNumeric,
  isTrue,
  itemsOf,
  kindOf,
  lengthOf,
  methodOf,
  order,
  printed,
  replace,
  strip,
  word,
} from "./template-values.js";

/** @typedef {import("./template-work.js").TemplateWork} TemplateWork */
/** @typedef {{ value: any, args: any[], named: Map<string, any>, work: TemplateWork }} Call */

/**
 * An argument by position or name.
 * @param {Call} call
 * @param {number} place
 * @param {string} name
 * @param {any} [otherwise]
 */
function argument({ args, named }, place, name, otherwise) {
  if (place < args.length) return args[place];
  return named.has(name) ? named.get(name) : otherwise;
}

/**
 * @param {any} value
 * @param {any} path a key, an index, or several joined by dots
 * @param {TemplateWork} work
 */
function attributeOf(value, path, work) {
  if (typeof path !== "string" && typeof path !== "number")
    throw new Error(`An attribute is a text or a number, not ${kindOf(path)}`);
  work.spend(1 + (String(path).length >> 2));
  for (const part of String(work.plain(path)).split(".")) {
    if (value instanceof Map) value = value.get(part);
    else if (value instanceof Namespace) value = value.values.get(part);
    else if (Array.isArray(value) && /^\d+$/.test(part)) value = value[Number(part)];
    else return methodOf(value, part, work);
  }
  return value;
}

/** @param {any} value */
function isIntegral(value) {
  return typeof value === "number" && Number.isInteger(value);
}

/** @param {any} value */
function numberOf(value) {
  if (!isNumeric(value)) throw new Error(`A number is needed here, not ${kindOf(value)}`);
  return Number(value);
}

/** @param {number} remainder */
const isRemainder = (remainder) => (/** @type {any} */ value) => Math.abs(numberOf(value) % 2) === remainder;

/** @type {Record<string, (value: any, args: any[], work: TemplateWork) => boolean>} */
export const tests = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  integer: isIntegral,
  float: (value) => typeof value === "number" && !Number.isInteger(value),
  number: isNumeric,
  string: (value) => typeof value === "string",
  mapping: (value) => value instanceof Map,
  iterable: (value) => value === undefined || typeof value === "string" || Array.isArray(value) || value instanceof Map,
  sequence: (value) => value === undefined || typeof value === "string" || Array.isArray(value) || value instanceof Map,
  callable: (value) => typeof value === "function",
  odd: isRemainder(1),
  even: isRemainder(0),
  lower: (value) => typeof value === "string" && value === value.toLowerCase() && value !== value.toUpperCase(),
  upper: (value) => typeof value === "string" && value === value.toUpperCase() && value !== value.toLowerCase(),
  eq: (value, [other], work) => isEqual(value, other, work),
  ne: (value, [other], work) => !isEqual(value, other, work),
  lt: (value, [other], work) => order(value, other, work) < 0,
  le: (value, [other], work) => order(value, other, work) <= 0,
  gt: (value, [other], work) => order(value, other, work) > 0,
  ge: (value, [other], work) => order(value, other, work) >= 0,
  in: (value, [other], work) => isIn(value, other, work),
};
for (const [name, same] of Object.entries({ equalto: "eq", lessthan: "lt", greaterthan: "gt", "==": "eq", "!=": "ne" }))
  tests[name] = tests[same];

/**
 * Python's `in`.
 * @param {any} value
 * @param {any} container
 * @param {TemplateWork} work
 */
export function isIn(value, container, work) {
  if (typeof container === "string") return work.plain(container).includes(work.plain(word(value)));
  if (container instanceof Map) return container.has(work.plain(value));
  return itemsOf(container, work).some((item) => isEqual(item, value, work));
}

/** @param {any} name @param {TemplateWork} work */
function testOf(name, work) {
  const plain = work.plain(word(name));
  if (!Object.hasOwn(tests, plain)) throw new Error(`There is no test "${plain}"`);
  return tests[plain];
}

/**
 * select, reject, selectattr and rejectattr.
 * @param {boolean} isWanted
 * @param {boolean} byAttribute
 */
const choose =
  (isWanted, byAttribute) =>
  (/** @type {Call} */ { value, args, work }) => {
    const [path, name, ...others] = byAttribute ? args : [undefined, ...args];
    const test = name === undefined ? isTrue : testOf(name, work);
    // Jinja treats none as an empty list here, and in map.
    return itemsOf(value ?? [], work).filter((item) => {
      const tested = byAttribute ? attributeOf(item, path, work) : item;
      work.read(tested);
      return test(tested, others, work) === isWanted;
    });
  };

/** @param {Call} call @param {any} path @param {boolean} isExact */
function sortKey({ work }, path, isExact) {
  return (/** @type {any} */ item) => {
    const key = path === undefined || path === null ? item : attributeOf(item, path, work);
    return typeof key === "string" && !isExact ? work.grow(key.toLowerCase()) : key;
  };
}

/** @param {any[]} items @param {(item: any) => any} keyOf @param {any} isReverse @param {TemplateWork} work */
function sorted(items, keyOf, isReverse, work) {
  work.spend(items.length);
  const sign = isTrue(isReverse) ? -1 : 1;
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  return keyed.sort((a, b) => sign * order(a.key, b.key, work)).map(({ item }) => item);
}

/** @param {boolean} isLeast */
const extreme = (isLeast) => (/** @type {Call} */ call) => {
  const { value, work } = call;
  const ordered = sorted(itemsOf(value, work), sortKey(call, argument(call, 1, "attribute"), false), !isLeast, work);
  return ordered[0];
};

/** @param {Call} call */
function indent(call) {
  const { value, work } = call;
  const width = argument(call, 0, "width", 4);
  const margin = typeof width === "string" ? width : (work.checkText(width), " ".repeat(width));
  const first = isTrue(argument(call, 1, "first", false));
  const blank = isTrue(argument(call, 2, "blank", false));
  const lines = word(value).split("\n");
  work.checkText(value.length + lines.length * margin.length);
  return work.grow(lines.map((line, i) => ((i ? blank || line : first) ? margin + line : line)).join("\n"));
}

/** @param {Call} call */
function tojson(call) {
  const { value, work } = call;
  const width = argument(call, 1, "indent", null);
  if (typeof width === "number") work.checkText(width);
  const separators = argument(call, 2, "separators", null);
  const indentation = width === null ? null : typeof width === "string" ? width : " ".repeat(Math.max(0, width));
  const [item, key] = separators ?? [indentation === null ? ", " : ",", ": "];
  return jsonOf(
    value,
    {
      indent: indentation,
      item: word(item),
      key: word(key),
      isAscii: isTrue(argument(call, 0, "ensure_ascii", false)),
      isSorted: isTrue(argument(call, 3, "sort_keys", false)),
    },
    work,
  );
}

/** @param {Call} call */
function toInteger(call) {
  const { value, work } = call;
  if (isNumeric(value)) return Math.trunc(Number(value));
  const text = typeof value === "string" ? strip(work.plain(value), null, work) : "";
  return /^[+-]?\d+(\.\d*)?$/.test(text) ? Math.trunc(Number(text)) : argument(call, 0, "default", 0);
}

/** @param {Call} call */
function toFloat(call) {
  const { value, work } = call;
  if (isNumeric(value)) return Number(value);
  const text = typeof value === "string" ? strip(work.plain(value), null, work) : "";
  return text && Number.isFinite(Number(text)) ? Number(text) : argument(call, 0, "default", 0);
}

/** @param {Call} call */
function map(call) {
  const { value, args, named, work } = call;
  const items = itemsOf(value ?? [], work);
  work.spend(items.length);
  if (named.has("attribute")) {
    const path = named.get("attribute");
    return items.map((item) => attributeOf(item, path, work) ?? named.get("default"));
  }
  const [name, ...others] = args;
  const filter = filterOf(work.plain(word(name)));
  return items.map((item) => {
    work.read(item);
    return filter({ value: item, args: others, named, work });
  });
}

/** @param {Call} call */
function unique({ value, work }) {
  const seen = new Set();
  return itemsOf(value, work).filter((item) => {
    const key = typeof item === "string" ? work.plain(item).toLowerCase() : item;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** @param {string} name of a string method that is also a filter */
const asMethod =
  (name) =>
  (/** @type {Call} */ { value, args, named, work }) => {
    const text = printed(value, work);
    return work.grow(/** @type {import("./python-text.js").Callable} */ (methodOf(text, name, work))(args, named));
  };

/** @type {Record<string, (call: Call) => any>} */
const filters = {
  tojson,
  indent,
  map,
  unique,
  int: toInteger,
  float: toFloat,
  select: choose(true, false),
  reject: choose(false, false),
  selectattr: choose(true, true),
  rejectattr: choose(false, true),
  min: extreme(true),
  max: extreme(false),
  upper: asMethod("upper"),
  lower: asMethod("lower"),
  title: asMethod("title"),
  capitalize: asMethod("capitalize"),
  trim: (call) => strip(printed(call.value, call.work), argument(call, 0, "chars"), call.work),
  replace: (call) =>
    replace(
      printed(call.value, call.work),
      argument(call, 0, "old"),
      argument(call, 1, "new"),
      argument(call, 2, "count"),
      call.work,
    ),
  string: ({ value, work }) => printed(value, work),
  safe: ({ value }) => value,
  length: ({ value }) => lengthOf(value),
  list: ({ value, work }) => work.fill([...itemsOf(value, work)]),
  first: ({ value, work }) => itemsOf(value, work)[0],
  last: ({ value, work }) => itemsOf(value, work).at(-1),
  reverse: ({ value, work }) => {
    const items = work.fill([...itemsOf(value, work)]).reverse();
    return typeof value === "string" ? items.join("") : items;
  },
  join: (call) => {
    const { value, work } = call;
    const path = argument(call, 1, "attribute");
    const items = itemsOf(value, work).map((item) => (path === undefined ? item : attributeOf(item, path, work)));
    return joinedText(
      items.map((item) => printed(item, work)),
      printed(argument(call, 0, "d", ""), work),
      work,
    );
  },
  sum: (call) => {
    const path = argument(call, 0, "attribute");
    const items = itemsOf(call.value, call.work);
    return items.reduce(
      (total, item) => total + numberOf(path === undefined ? item : attributeOf(item, path, call.work)),
      numberOf(argument(call, 1, "start", 0)),
    );
  },
  abs: ({ value }) => Math.abs(numberOf(value)),
  round: (call) => {
    const scale = 10 ** numberOf(argument(call, 0, "precision", 0));
    const method = argument(call, 1, "method", "common");
    const round =
      new Map([
        ["ceil", Math.ceil],
        ["floor", Math.floor],
      ]).get(method) ?? Math.round;
    return round(numberOf(call.value) * scale) / scale;
  },
  default: (call) => {
    const isMissing = call.value === undefined || (isTrue(argument(call, 1, "boolean", false)) && !isTrue(call.value));
    return isMissing ? argument(call, 0, "default_value", "") : call.value;
  },
  items: ({ value, work }) => {
    if (value === undefined) return [];
    if (!(value instanceof Map)) throw new Error(`${kindOf(value)} has no items`);
    return /** @type {import("./python-text.js").Callable} */ (methodOf(value, "items", work))([], new Map());
  },
  dictsort: (call) => {
    const { value, work } = call;
    const pairs = filters.items(call);
    if (!(value instanceof Map)) throw new Error(`${kindOf(value)} has no items`);
    const at = argument(call, 1, "by", "key") === "value" ? 1 : 0;
    return sorted(
      pairs,
      sortKey(call, at, isTrue(argument(call, 0, "case_sensitive", false))),
      argument(call, 2, "reverse"),
      work,
    );
  },
  sort: (call) => {
    const { value, work } = call;
    const key = sortKey(call, argument(call, 2, "attribute"), isTrue(argument(call, 1, "case_sensitive", false)));
    return sorted(itemsOf(value, work), key, argument(call, 0, "reverse"), work);
  },
};
filters.count = filters.length;
filters.d = filters.default;

/** @param {string} name */
export function filterOf(name) {
  if (!Object.hasOwn(filters, name)) throw new Error(`There is no filter "${name}"`);
  return filters[name];
}
