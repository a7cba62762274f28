// Documents for a schema of 2020-12: such as probably satisfy it. A judge looks at them afterwards.
import { textFor } from "./regex-texts.js";
import { plain } from "./mutants.js";

/** @type {Record<string, string[]>} */
const examples = {
  date: ["2024-02-29", "1999-12-31", "2023-02-29"],
  time: ["12:30:45Z", "23:59:60Z", "00:00:00.125+01:00", "12:30:45"],
  "date-time": ["2024-02-29T12:30:45Z", "1990-12-31T23:59:60Z", "2020-01-01t00:00:00-05:30", "2020-01-01"],
  ipv4: ["127.0.0.1", "255.255.255.255", "256.1.1.1", "1.2.3"],
  ipv6: ["::1", "2001:db8::8a2e:370:7334", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::2::3", "12345::"],
  uuid: ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"],
  email: ["a@b", "alice.b@example.com", "x_y+z@mail.example.org", "@b", "a@b_c"],
  hostname: ["example.com", "a", "x-1.example.org", "-a", "a..b"],
  "json-pointer": ["", "/a/b", "/~0~1", "/~2", "a"],
  duration: ["P1Y2M3D", "PT1H", "P3W", "P1DT12H30M5S", "P", "P1YT"],
};
const words = ["", "a", "b", "ab", "Alice", "foo", "bar", "hello world", "é", "😀", 'q"\\', "x-1", "12", "\n", "名前"];
const letters = [..."abcdefxyz0189-_. é😀"];

/** All that must hold, in one schema: what several say of the same keyword the last says. */
function merged(/** @type {any} */ ...schemas) {
  const all = {};
  for (const schema of schemas) {
    if (typeof schema !== "object") continue;
    for (const [key, value] of Object.entries(schema)) {
      if (key === "properties") all.properties = { ...all.properties, ...value };
      else if (key === "required") all.required = [...new Set([...(all.required ?? []), ...value])];
      else all[key] = value;
    }
  }
  return all;
}

/**
 * @param {any} root
 * @param {() => number} random
 */
export function documentFor(root, random) {
  const pick = (/** @type {any} */ list) => list[Math.floor(random() * list.length)];
  const below = (/** @type {number} */ count) => Math.floor(random() * count);

  function string(/** @type {any} */ { pattern, format, minLength = 0, maxLength = Infinity }) {
    let text = pick(words);
    if (format && random() < 0.9) text = pick(examples[format] ?? words);
    else if (pattern !== undefined && random() < 0.9) text = textFor(pattern, "u", random);
    const points = [...text];
    // Lengths at their bounds are where errors are.
    const most = Math.min(maxLength, Math.max(minLength, points.length));
    const wanted = random() < 0.5 ? most : Math.min(maxLength, minLength + below(3));
    while (points.length < minLength || (points.length < wanted && !pattern && !format)) points.push(pick(letters));
    if (points.length > maxLength) points.length = maxLength;
    return points.join("");
  }

  function number(/** @type {any} */ schema, /** @type {boolean} */ isWhole) {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const low = minimum ?? exclusiveMinimum ?? (maximum ?? exclusiveMaximum ?? 20) - 20;
    const high = maximum ?? exclusiveMaximum ?? low + 20;
    let value = pick([low, high, low + 1, high - 1, low + random() * (high - low), low + below(high - low + 1)]);
    if (multipleOf) value = Math.round(value / multipleOf) * multipleOf;
    if (isWhole || random() < 0.5) value = Math.round(value);
    return Number(value.toPrecision(12));
  }

  function array(/** @type {any} */ schema, /** @type {number} */ depth) {
    const { prefixItems = [], items = true, contains, minItems = 0, maxItems = Infinity } = schema;
    const least = Math.max(minItems, contains !== undefined ? (schema.minContains ?? 1) : 0);
    const list = [];
    const count = Math.min(maxItems, least + below(depth > 4 ? 1 : 4), 8);
    for (let at = 0; at < count; at++) {
      const own = at < prefixItems.length ? prefixItems[at] : contains !== undefined && at < least ? contains : items;
      let item = make(own, depth + 1);
      for (let again = 0; again < 4 && schema.uniqueItems && isAmong(list, item); again++) item = make(own, depth + 1);
      list.push(item);
    }
    return list;
  }

  const isAmong = (/** @type {any[]} */ list, /** @type {any} */ item) =>
    list.some((one) => JSON.stringify(one) === JSON.stringify(item));

  function object(/** @type {any} */ schema, /** @type {number} */ depth) {
    const { properties = {}, required = [], patternProperties = {}, additionalProperties = true } = schema;
    const made = /** @type {Record<string, any>} */ ({});
    const add = (/** @type {string} */ key, /** @type {any} */ inner) =>
      Object.defineProperty(made, key, {
        value: make(inner, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    const of = (/** @type {string} */ key) => (Object.hasOwn(properties, key) ? properties[key] : additionalProperties);
    const share = depth > 3 ? 0.1 : 0.6;
    for (const key of Object.keys(properties))
      if (required.includes(key) || random() < share) add(key, properties[key]);
    for (const key of required) if (!Object.hasOwn(made, key)) add(key, of(key));
    for (const [key, more] of Object.entries(schema.dependentRequired ?? {}))
      if (Object.hasOwn(made, key)) for (const other of more) if (!Object.hasOwn(made, other)) add(other, of(other));
    for (const [pattern, inner] of Object.entries(patternProperties))
      if (random() < 0.5) add(textFor(pattern, "u", random), inner);
    if (additionalProperties !== false && random() < 0.4) {
      const name = typeof schema.propertyNames === "object" ? string(schema.propertyNames) : pick(words);
      if (!Object.hasOwn(made, name)) add(name, additionalProperties);
    }
    while (Object.keys(made).length < (schema.minProperties ?? 0) && random() < 0.9)
      add(pick(words) + below(9), of("?"));
    return made;
  }

  function make(/** @type {any} */ schema, /** @type {number} */ depth) {
    if (typeof schema === "boolean") return structuredClone(pick(plain));
    if (depth > 12) return null;
    if (schema.$ref !== undefined) {
      const target = schema.$ref
        .split("/")
        .slice(1)
        .reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], root);
      const { $ref, ...rest } = schema;
      return make(merged(target, rest), depth + 1);
    }
    const { allOf, anyOf, oneOf, if: test, ...rest } = schema;
    if (allOf) return make(merged(rest, { anyOf, oneOf }, ...allOf), depth + 1);
    if (anyOf) return make(merged({ ...rest, ...(oneOf && { oneOf }) }, pick(anyOf)), depth + 1);
    if (oneOf) return make(merged(rest, pick(oneOf)), depth + 1);
    if (test !== undefined) {
      const { then, else: otherwise, ...others } = rest;
      return make(random() < 0.5 ? merged(others, test, then) : merged(others, otherwise), depth + 1);
    }
    if ("const" in schema) return structuredClone(schema.const);
    if (schema.enum) return structuredClone(pick(schema.enum));
    const type = pick([schema.type ?? ["string", "object", "array", "number", "null", "boolean"]].flat());
    if (type === "string") return string(schema);
    if (type === "integer" || type === "number") return number(schema, type === "integer");
    if (type === "array") return array(schema, depth);
    if (type === "object") return object(schema, depth);
    return type === "null" ? null : random() < 0.5;
  }
  return make(root, 0);
}

/**
 * The value as JSON text.
 * @param {any} value
 * @param {any} schema of the value: where no keyword but those of places has a say, what it says is handed down
 * @param {(keys: string[], schema: any) => string[]} arrange the order of an object's keys
 * @param {{ item: string, key: string }} separators
 * @returns {string}
 */
export function spell(value, schema, arrange, separators) {
  const go = (/** @type {any} */ inner, /** @type {any} */ of) => spell(inner, of, arrange, separators);
  if (Array.isArray(value)) {
    const items = value.map((item, at) => go(item, schema?.prefixItems?.[at] ?? schema?.items));
    return `[${items.join(separators.item)}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const { properties = {}, additionalProperties } = schema ?? {};
  const of = (/** @type {string} */ key) => (Object.hasOwn(properties, key) ? properties[key] : additionalProperties);
  const members = arrange(Object.keys(value), schema).map(
    (key) => JSON.stringify(key) + separators.key + go(value[key], of(key)),
  );
  return `{${members.join(separators.item)}}`;
}
