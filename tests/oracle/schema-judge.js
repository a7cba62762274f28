// Says of a value whether it satisfies a JSON Schema of 2020-12, from the schema as it is written and by the words of the
// specification. Knows nothing of the code that it judges.
import { Exact, identity, parseExact } from "./json.js";
import { matchesInTime } from "./patient-regex.js";

/** Formats of which RFCs leave no doubt. */
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
/** Mailbox of RFC 5321, which bounds no length. */
const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const local = `(?:${atom}(?:\\.${atom})*|${quoted})`;
const domain = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const mailbox = new RegExp(`^${local}@${domain}(?:\\.${domain})*$`, "i");
const atLiteral = new RegExp(`^${local}@\\[(.*)\\]$`, "i");

/** @param {string} text an address literal after the @ */
function isLiteral(text) {
  const inside = atLiteral.exec(text)?.[1];
  if (inside === undefined) return false;
  if (/^ipv6:/i.test(inside)) return isIpv6(inside.slice(5));
  return ipv4.test(inside) || /^[a-z0-9-]*[a-z0-9]:[!-Z^-~]+$/i.test(inside);
}

const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);
const days = (/** @type {number} */ year, /** @type {number} */ month) =>
  month === 2
    ? year % 4 || (year % 100 === 0 && year % 400)
      ? 28
      : 29
    : [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];

/** @param {string} text */
function isDate(text) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  return month >= 1 && month <= 12 && day >= 1 && day <= days(year, month);
}

/** @param {string} text */
function isTime(text) {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([-+])(\d\d):(\d\d))$/i.exec(text);
  if (!found) return false;
  const [hour, minute, second, , aheadHour, aheadMinute] = found.slice(1).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || aheadHour > 23 || aheadMinute > 59) return false;
  if (second < 60) return true;
  const ahead = (aheadHour * 60 + aheadMinute) * (found[4] === "-" ? -1 : 1);
  return (hour * 60 + minute - ahead + 2880) % 1440 === 1439; // leap seconds are the last of a day in UTC
}

/** @param {string} text */
function isIpv6(text) {
  const [head, tail, more] = text.split("::");
  if (more !== undefined) return false;
  const groups = (/** @type {string | undefined} */ side, /** @type {boolean} */ isLast) => {
    if (!side) return 0;
    const parts = side.split(":");
    return parts.reduce((count, part, at) => {
      if (/^[\da-f]{1,4}$/i.test(part)) return count + 1;
      return isLast && at === parts.length - 1 && ipv4.test(part) ? count + 2 : NaN;
    }, 0);
  };
  const count = groups(head, tail === undefined) + groups(tail, true);
  return tail === undefined ? count === 8 && head !== "" : count <= 7;
}

/** @type {Record<string, (text: string) => boolean>} */
export const formats = {
  date: isDate,
  time: isTime,
  "date-time": (text) => /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  ipv4: (text) => ipv4.test(text),
  ipv6: isIpv6,
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  email: (text) => mailbox.test(text) || isLiteral(text),
  hostname: (text) => text.length <= 253 && new RegExp(`^${label}(?:\\.${label})*$`, "i").test(text),
  "json-pointer": (text) => /^(?:\/(?:[^~/]|~[01])*)*$/u.test(text),
  duration: (text) =>
    /^P(?:\d+W|(?=.)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/.test(
      text,
    ),
};

const lengthOf = (/** @type {string} */ text) => [...text].length;
const exact = (/** @type {number} */ number) => new Exact(String(number));
const meant = (/** @type {any} */ value) => identity(parseExact(JSON.stringify(value)));

/** Thrown where the judge cannot tell. */
export class Doubt extends Error {}

/** @param {string} pattern @param {string} text */
function matchesPattern(pattern, text) {
  // V8 finds \B between the halves of a character.
  const isLost = pattern.includes("\\B") && /[\u{10000}-\u{10ffff}]/u.test(text);
  const isMatch = isLost ? undefined : matchesInTime(new RegExp(pattern, "u"), text);
  if (isMatch === undefined) throw new Doubt(pattern);
  return isMatch;
}

/** @param {any} value @param {string} type */
function isOfType(value, type) {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return value instanceof Map;
  if (type === "number") return value instanceof Exact;
  if (type === "integer") return value instanceof Exact && value.isWhole;
  if (type === "plain integer") return value instanceof Exact && /^-?\d+$/.test(value.text);
  return typeof value === type;
}

/** @param {any} root @param {string} pointer "#" or "#/a/b" */
const resolve = (root, pointer) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((at, key) => at[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")], root);

/**
 * @param {any} schema
 * @param {any} value
 * @param {any} root
 * @param {number} depth
 * @returns {Set<string | number> | undefined} the items or members that were evaluated; undefined: not valid
 */
function evaluate(schema, value, root, depth) {
  if (depth > 200) throw new Doubt("the references of the schema go round");
  if (typeof schema === "boolean") return schema ? new Set() : undefined;
  /** @type {Set<string | number>} */
  const seen = new Set();
  const on = (/** @type {any} */ inner, part = value) => evaluate(inner, part, root, depth + 1);
  const joins = (/** @type {any} */ inner) => {
    const result = on(inner);
    result?.forEach((each) => seen.add(each));
    return result !== undefined;
  };
  const { type, enum: listed, allOf, anyOf, oneOf, $ref } = schema;
  if (type !== undefined && ![type].flat().some((one) => isOfType(value, one))) return;
  if (listed && !listed.some((/** @type {any} */ one) => meant(one) === identity(value))) return;
  if ("const" in schema && meant(schema.const) !== identity(value)) return;

  if (value instanceof Exact) {
    if (schema.minimum !== undefined && value.compare(exact(schema.minimum)) < 0) return;
    if (schema.maximum !== undefined && value.compare(exact(schema.maximum)) > 0) return;
    if (schema.exclusiveMinimum !== undefined && value.compare(exact(schema.exclusiveMinimum)) <= 0) return;
    if (schema.exclusiveMaximum !== undefined && value.compare(exact(schema.exclusiveMaximum)) >= 0) return;
    if (schema.multipleOf !== undefined && !value.isMultiple(exact(schema.multipleOf))) return;
  }

  if (typeof value === "string") {
    if (lengthOf(value) < (schema.minLength ?? 0) || lengthOf(value) > (schema.maxLength ?? Infinity)) return;
    if (schema.pattern !== undefined && !matchesPattern(schema.pattern, value)) return;
    if (schema.format !== undefined && !(formats[schema.format]?.(value) ?? true)) return;
  }

  if (Array.isArray(value)) {
    const { prefixItems = [], items, contains, minContains = 1, maxContains = Infinity } = schema;
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) return;
    if (schema.uniqueItems && new Set(value.map(identity)).size !== value.length) return;
    for (const [at, item] of value.entries()) {
      const own = at < prefixItems.length ? prefixItems[at] : items;
      if (own === undefined) continue;
      if (!on(own, item)) return;
      seen.add(at);
    }
    if (contains !== undefined) {
      const found = [...value.keys()].filter((at) => on(contains, value[at]));
      if (found.length < minContains || found.length > maxContains) return;
      found.forEach((at) => seen.add(at));
    }
  }

  if (value instanceof Map) {
    const { properties = {}, patternProperties = {}, additionalProperties, propertyNames } = schema;
    if (value.size < (schema.minProperties ?? 0) || value.size > (schema.maxProperties ?? Infinity)) return;
    if (schema.required?.some((/** @type {string} */ key) => !value.has(key))) return;
    for (const [key, wanted] of Object.entries(schema.dependentRequired ?? {}))
      if (value.has(key) && wanted.some((/** @type {string} */ other) => !value.has(other))) return;
    for (const [key, member] of value) {
      if (propertyNames !== undefined && !on(propertyNames, key)) return;
      const own = Object.hasOwn(properties, key) ? [properties[key]] : [];
      for (const [pattern, other] of Object.entries(patternProperties))
        if (matchesPattern(pattern, key)) own.push(other);
      if (!own.length && additionalProperties !== undefined) own.push(additionalProperties);
      if (!own.every((other) => on(other, member))) return;
      if (own.length) seen.add(key);
    }
    for (const [key, other] of Object.entries(schema.dependentSchemas ?? {}))
      if (value.has(key) && !joins(other)) return;
  }

  if ($ref !== undefined && !joins(resolve(root, $ref))) return;
  if (allOf && !allOf.every(joins)) return;
  if (anyOf && !anyOf.filter(joins).length) return;
  if (oneOf && oneOf.filter(joins).length !== 1) return;
  if (schema.not !== undefined && on(schema.not)) return;
  if (schema.if !== undefined) {
    const next = joins(schema.if) ? schema.then : schema.else;
    if (next !== undefined && !joins(next)) return;
  }

  const { unevaluatedItems, unevaluatedProperties } = schema;
  if (unevaluatedItems !== undefined && Array.isArray(value))
    for (const [at, item] of value.entries()) {
      if (!seen.has(at) && !on(unevaluatedItems, item)) return;
      seen.add(at);
    }
  if (unevaluatedProperties !== undefined && value instanceof Map)
    for (const [key, member] of value) {
      if (!seen.has(key) && !on(unevaluatedProperties, member)) return;
      seen.add(key);
    }
  return seen;
}

/**
 * @param {any} schema as JSON.parse reads it
 * @param {string} text
 * @returns {boolean | undefined} false also for invalid JSON; undefined: the judge cannot tell
 */
export function isInstance(schema, text) {
  let value;
  try {
    value = parseExact(text);
  } catch {
    return false;
  }
  try {
    return evaluate(schema, value, schema, 0) !== undefined;
  } catch (error) {
    if (error instanceof Doubt) return undefined;
    throw error;
  }
}
