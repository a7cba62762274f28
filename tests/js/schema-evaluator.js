// A reference for JSON Schema: reads the table of subschemas back from its bytes (src/grammar/schema/keywords.h) and
// judges instances by it as the specification says, without regard to speed. Instances come from parseJson.
import { Decimal } from "../../web/grammar/readers/json-text.js";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads the bytes of subschemas and expressions. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return decoder.decode(this.bytes.subarray(this.at - length, this.at));
  }

  list(read) {
    return Array.from({ length: this.number() }, () => read.call(this));
  }

  value() {
    const tag = this.number();
    if (tag <= 3) return [null, false, true][tag - 1];
    if (tag === 4) return new Decimal(this.text());
    if (tag === 5) return this.text();
    if (tag === 6) return this.list(this.value);
    if (tag !== 7) throw new Error(`value ${tag}`);
    return new Map(this.list(() => [this.text(), this.value()]));
  }

  expression() {
    const tag = this.number();
    const body = () => this.expression();
    switch (tag) {
      case 1:
      case 2:
      case 14:
      case 15:
        return { kind: { 1: "nothing", 2: "empty", 14: "start", 15: "end" }[tag] };
      case 3:
        return { kind: "text", points: pointsOf(this.text()) };
      case 4: {
        let end = 0;
        const ranges = this.list(() => {
          const low = end + this.number();
          const high = low + this.number();
          end = high + 1;
          return [low, high];
        });
        return { kind: "class", ranges };
      }
      case 6:
      case 7:
      case 8:
        return { kind: ["sequence", "choice", "both"][tag - 6], parts: this.list(this.expression) };
      case 9:
        return { kind: "not", body: body() };
      case 10: {
        const least = this.number();
        const most = this.number() || Infinity;
        return { kind: "repeat", least, most: most - 1, body: body() };
      }
      case 11:
        return { kind: "choice", parts: this.list(() => ({ kind: "text", points: pointsOf(this.text()) })) };
      case 12:
        return { kind: "ahead", isNegative: this.number() === 1, body: body() };
      case 13:
        return { kind: "edge", flags: this.number() };
      case 16:
        return { kind: "pattern", body: body() };
      default:
        throw new Error(`expression ${tag}`);
    }
  }

  schema() {
    const schema = {};
    const count = this.number();
    for (let i = 0; i < count; i++) {
      const [name, read] = keywords[this.number()];
      if (name in schema) throw new Error(`${name} twice`);
      schema[name] = read.call(this);
    }
    return schema;
  }
}

const { number, text, value } = Reader.prototype;
const nothing = () => true;
const list = (read) =>
  function () {
    return this.list(read);
  };
const keyed = (read) => list((function () { return [this.text(), read.call(this)]; })); // prettier-ignore
/** By li_keyword: the keyword's name, and how its payload is read. */
const keywords = {
  1: ["false", nothing],
  2: ["type", number],
  3: ["enum", list(value)],
  4: ["minimum", text],
  5: ["maximum", text],
  6: ["exclusiveMinimum", text],
  7: ["exclusiveMaximum", text],
  8: ["multipleOf", text],
  9: ["minLength", number],
  10: ["maxLength", number],
  11: ["pattern", Reader.prototype.expression],
  12: ["format", Reader.prototype.expression],
  13: ["prefixItems", list(number)],
  14: ["items", number],
  15: ["minItems", number],
  16: ["maxItems", number],
  17: ["uniqueItems", nothing],
  18: ["contains", function () { return [this.number(), this.number(), (this.number() || Infinity) - 1]; }], // prettier-ignore
  19: ["properties", keyed(number)],
  20: ["patternProperties", list(function () { return [this.expression(), this.number()]; })], // prettier-ignore
  21: ["additionalProperties", number],
  22: ["required", list(text)],
  23: ["minProperties", number],
  24: ["maxProperties", number],
  25: ["propertyNames", number],
  26: ["dependentRequired", keyed(list(text))],
  27: ["dependentSchemas", keyed(number)],
  28: ["allOf", list(number)],
  29: ["anyOf", list(number)],
  30: ["oneOf", list(number)],
  31: ["not", number],
  32: ["if", function () { return [this.number(), this.number() - 1, this.number() - 1]; }], // prettier-ignore
  33: ["ref", number],
  34: ["unevaluatedItems", number],
  35: ["unevaluatedProperties", number],
};

/**
 * The subschemas of a table as objects, by the names of 2020-12.
 * @param {{ bytes: Uint8Array, count: number }} table
 */
export function readTable({ bytes, count }) {
  const reader = new Reader(bytes);
  const schemas = Array.from({ length: count }, () => reader.schema());
  if (reader.at !== bytes.length) throw new Error("bytes are left");
  return schemas;
}

const pointsOf = (string) => Array.from(string, (character) => character.codePointAt(0));
const isWord = (point, flags) =>
  point !== undefined && (flags & 2 ? /^\w$/iu : /^\w$/).test(String.fromCodePoint(point));

/** The places where a match of the expression that begins at `at` may end. @returns {Set<number>} */
function ends(expression, points, at, low, high) {
  const go = (body, from) => ends(body, points, from, low, high);
  const each = (places, body) => new Set([...places].flatMap((place) => [...go(body, place)]));
  switch (expression.kind) {
    case "nothing":
      return new Set();
    case "empty":
      return new Set([at]);
    case "text":
      return new Set(
        at + expression.points.length <= high && expression.points.every((point, i) => points[at + i] === point)
          ? [at + expression.points.length]
          : [],
      );
    case "class":
      return new Set(
        at < high && expression.ranges.some(([a, b]) => a <= points[at] && points[at] <= b) ? [at + 1] : [],
      );
    case "sequence":
      return expression.parts.reduce((places, part) => each(places, part), new Set([at]));
    case "choice":
      return new Set(expression.parts.flatMap((part) => [...go(part, at)]));
    case "both":
      return expression.parts.map((part) => go(part, at)).reduce((a, b) => new Set([...a].filter((end) => b.has(end))));
    case "not": {
      const not = go(expression.body, at);
      return new Set(Array.from({ length: high - at + 1 }, (_, i) => at + i).filter((end) => !not.has(end)));
    }
    case "repeat": {
      let places = new Set([at]);
      const all = new Set(expression.least === 0 ? [at] : []);
      const seen = new Set();
      for (let i = 1; i <= expression.most && places.size > 0; i++) {
        places = each(places, expression.body);
        if (i >= expression.least) for (const place of places) all.add(place);
        const key = [...places].sort((a, b) => a - b).join();
        if (i >= expression.least && seen.has(key)) break;
        seen.add(key);
      }
      return all;
    }
    case "ahead":
      return new Set(go(expression.body, at).size > 0 !== expression.isNegative ? [at] : []);
    case "edge": {
      const { flags } = expression;
      const [before, after] = [at > low ? points[at - 1] : undefined, at < high ? points[at] : undefined];
      const isEdge = isWord(before, flags) !== isWord(after, flags);
      return new Set((flags & 4 ? isWord(before, 2) : isEdge === ((flags & 1) === 1)) ? [at] : []);
    }
    case "start":
      return new Set(at === low ? [at] : []);
    case "end":
      return new Set(at === high ? [at] : []);
    case "pattern":
      return new Set(
        Array.from({ length: high - at + 1 }, (_, i) => at + i).filter((end) =>
          ends(expression.body, points, at, at, end).has(end),
        ),
      );
  }
  throw new Error(expression.kind);
}

/** Whether the expression matches the whole text. @param {any} expression @param {string} string */
function matches(expression, string) {
  const points = pointsOf(string);
  return ends(expression, points, 0, 0, points.length).has(points.length);
}

/** A decimal as sign * digits * 10^exponent, without trailing zeros. */
function exact(text) {
  const [, sign, whole, fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
  let digits = BigInt(whole + fraction);
  let exponent = Number(power) - fraction.length;
  if (digits === 0n) return { digits: 0n, exponent: 0 };
  while (digits % 10n === 0n) {
    digits /= 10n;
    exponent++;
  }
  return { digits: sign ? -digits : digits, exponent };
}

/** Two decimals as integers on one scale. */
function scaled(a, b) {
  const [x, y] = [exact(a), exact(b)];
  const exponent = Math.min(x.exponent, y.exponent);
  return [x, y].map((each) => each.digits * 10n ** BigInt(each.exponent - exponent));
}

function compare(a, b) {
  const [x, y] = scaled(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** A text that is equal for equal JSON values. */
export function canonical(json) {
  if (json instanceof Decimal) {
    const { digits, exponent } = exact(json.text);
    return `${digits}e${exponent}`;
  }
  if (Array.isArray(json)) return `[${json.map(canonical).join()}]`;
  if (json instanceof Map)
    return `{${[...json].map(([key, member]) => JSON.stringify(key) + ":" + canonical(member)).sort().join()}}`; // prettier-ignore
  return JSON.stringify(json);
}

function typesOf(json) {
  if (json === null) return 1;
  if (typeof json === "boolean") return 2;
  if (json instanceof Decimal) return exact(json.text).exponent >= 0 ? 4 + 8 : 8;
  if (typeof json === "string") return 16;
  return Array.isArray(json) ? 32 : 64;
}

/**
 * What a subschema says of a value: false, or which items (by index) and members (by key) it has evaluated.
 * @param {any[]} schemas
 * @param {number} index
 * @param {any} json
 * @returns {false | Set<number | string>}
 */
function judge(schemas, index, json) {
  const schema = schemas[index];
  const evaluated = new Set();
  const judged = (other, part = json) => judge(schemas, other, part);
  const take = (result) => {
    if (result) for (const each of result) evaluated.add(each);
    return result !== false;
  };
  const has = (name) => schema[name] !== undefined;
  if (has("false")) return false;
  if (has("type") && !(schema.type & typesOf(json))) return false;
  if (has("enum") && !schema.enum.some((one) => canonical(one) === canonical(json))) return false;
  if (json instanceof Decimal) {
    if (has("minimum") && compare(json.text, schema.minimum) < 0) return false;
    if (has("maximum") && compare(json.text, schema.maximum) > 0) return false;
    if (has("exclusiveMinimum") && compare(json.text, schema.exclusiveMinimum) <= 0) return false;
    if (has("exclusiveMaximum") && compare(json.text, schema.exclusiveMaximum) >= 0) return false;
    if (has("multipleOf")) {
      const [dividend, divisor] = scaled(json.text, schema.multipleOf);
      if (dividend % divisor !== 0n) return false;
    }
  }
  if (typeof json === "string") {
    const { length } = pointsOf(json);
    if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity)) return false;
    if (has("pattern") && !matches(schema.pattern, json)) return false;
    if (has("format") && !matches(schema.format, json)) return false;
  }
  if (Array.isArray(json)) {
    const { length } = json;
    if (length < (schema.minItems ?? 0) || length > (schema.maxItems ?? Infinity)) return false;
    if (has("uniqueItems") && new Set(json.map(canonical)).size < length) return false;
    const prefix = schema.prefixItems ?? [];
    for (let i = 0; i < length; i++) {
      const other = i < prefix.length ? prefix[i] : schema.items;
      if (other === undefined) continue;
      if (!judged(other, json[i])) return false;
      evaluated.add(i);
    }
    if (has("contains")) {
      const [other, least, most] = schema.contains;
      const found = json.flatMap((item, i) => (judged(other, item) ? [i] : []));
      if (found.length < least || found.length > most) return false;
      take(found);
    }
  }
  if (json instanceof Map) {
    const keys = [...json.keys()];
    if (keys.length < (schema.minProperties ?? 0) || keys.length > (schema.maxProperties ?? Infinity)) return false;
    if (schema.required?.some((key) => !json.has(key))) return false;
    if (schema.dependentRequired?.some(([key, list]) => json.has(key) && list.some((each) => !json.has(each))))
      return false;
    for (const key of keys) {
      if (has("propertyNames") && !judged(schema.propertyNames, key)) return false;
      const others = (schema.properties ?? []).filter(([name]) => name === key).map(([, other]) => other);
      for (const [expression, other] of schema.patternProperties ?? [])
        if (matches(expression, key)) others.push(other);
      if (others.length === 0 && has("additionalProperties")) others.push(schema.additionalProperties);
      if (!others.every((other) => judged(other, json.get(key)))) return false;
      if (others.length > 0) evaluated.add(key);
    }
    for (const [key, other] of schema.dependentSchemas ?? []) if (json.has(key) && !take(judged(other))) return false;
  }
  for (const other of schema.allOf ?? []) if (!take(judged(other))) return false;
  if (has("anyOf") && schema.anyOf.filter((other) => take(judged(other))).length === 0) return false;
  if (has("oneOf") && schema.oneOf.filter((other) => take(judged(other))).length !== 1) return false;
  if (has("not") && judged(schema.not)) return false;
  if (has("ref") && !take(judged(schema.ref))) return false;
  if (has("if")) {
    const [condition, then, otherwise] = schema.if;
    const next = take(judged(condition)) ? then : otherwise;
    if (next >= 0 && !take(judged(next))) return false;
  }
  if (has("unevaluatedItems") && Array.isArray(json))
    for (let i = 0; i < json.length; i++)
      if (!evaluated.has(i)) {
        if (!judged(schema.unevaluatedItems, json[i])) return false;
        evaluated.add(i);
      }
  if (has("unevaluatedProperties") && json instanceof Map)
    for (const [key, part] of json)
      if (!evaluated.has(key)) {
        if (!judged(schema.unevaluatedProperties, part)) return false;
        evaluated.add(key);
      }
  return evaluated;
}

/**
 * Whether a value satisfies a schema.
 * @param {any[]} schemas of readTable
 * @param {any} json of parseJson
 * @param {number} [index] of the schema
 */
export const isValid = (schemas, json, index = 0) => judge(schemas, index, json) !== false;
