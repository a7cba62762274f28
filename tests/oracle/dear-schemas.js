// Random schemas of the classes whose masks have been dear, with texts to walk: see tests/js/dear-masks.slow.test.js.
import fc from "fast-check";

const letters = (/** @type {number} */ least, /** @type {number} */ most) =>
  fc.string({ unit: fc.constantFrom(..."abcdeimnorst"), minLength: least, maxLength: most });
const word = letters(2, 9);
const caseless = fc.tuple(word, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text));
const phrase = fc.oneof(
  { weight: 4, arbitrary: fc.array(word, { maxLength: 12 }).map((list) => list.join(" ")) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
);
const any = fc.jsonValue({ maxDepth: 3 });

/** @typedef {{ schema: any, texts: string[] }} Dear */
/** The schema, and documents as texts in both spacings. @returns {Dear} */
const dear = (/** @type {any} */ schema, /** @type {any[]} */ documents) => ({
  schema,
  texts: documents.map((document, i) => {
    const text = JSON.stringify(document, null, i % 3 === 2 ? 1 : undefined);
    return i % 3 === 1 ? text.replaceAll('":', '": ').replaceAll(',"', ', "') : text;
  }),
});

/** Arrays of different objects that hold such arrays again; items that begin alike, some with a text of minLength. */
const nested = fc
  .record({
    keys: fc.uniqueArray(word, { minLength: 1, maxLength: 12 }),
    required: fc.nat(3),
    minLength: fc.nat(2),
    isClosed: fc.boolean(),
    isTyped: fc.boolean(),
    phrases: fc.array(phrase, { minLength: 4, maxLength: 40 }),
    copies: fc.integer({ min: 2, max: 3 }),
    format: fc.constantFrom(undefined, undefined, "email", "uri"),
  })
  .map(({ keys, required, minLength, isClosed, isTyped, phrases, copies, format }) => {
    const text = { type: "string", ...(minLength && { minLength }) };
    const formatted = format ? { type: "string", format } : text;
    const entry = isTyped ? { oneOf: [text, { type: "object", properties: { a: text, more: { $ref: "#/$defs/list" } }, additionalProperties: false }] } : text; // prettier-ignore
    const properties = Object.fromEntries(keys.map((key, i) => [key, i % 7 === 6 ? formatted : entry]));
    const item = { type: "object", properties: { ...properties, list: { $ref: "#/$defs/list" } }, required: keys.slice(0, required), ...(isClosed && { additionalProperties: false }) }; // prettier-ignore
    const list = { type: "array", uniqueItems: true, items: item };
    let at = 0;
    const next = () => phrases[at++ % phrases.length] + "xy";
    const make = (/** @type {number} */ depth) => {
      const made = Object.fromEntries(keys.map((key, i) => [key, i % 7 === 6 && format ? (format === "uri" ? "http://a.example/b" : "a.b@c.example") : next()])); // prettier-ignore
      return depth ? { ...made, list: [make(depth - 1), { ...make(depth - 1), [keys[0]]: next() }] } : made;
    };
    const first = make(2);
    const alike = Array.from({ length: copies }, (_, i) => ({ ...first, [keys.at(-1) ?? ""]: `${next()}${i}` }));
    return dear({ ...list, $defs: { list } }, [alike, [first, first], [...alike, make(1)]]);
  });

/** Exactly one, or any, of bare words as patterns, with a type or without. */
const words = fc
  .record({
    list: fc.uniqueArray(caseless, { minLength: 2, maxLength: 8 }),
    keyword: fc.constantFrom("oneOf", "oneOf", "anyOf", "allOf"),
    isTyped: fc.boolean(),
    marks: fc.array(fc.constantFrom("", "", "^", "$", "\\b"), { minLength: 8, maxLength: 8 }),
    more: phrase,
  })
  .map(({ list, keyword, isTyped, marks, more }) => {
    const parts = list.map((text, i) => {
      const pattern = marks[i] === "$" ? `${text}$` : marks[i] + text;
      return isTyped && i % 2 ? { type: "string", pattern } : { pattern };
    });
    const value = { ...(isTyped && { type: "string" }), [keyword]: parts };
    const schema = { type: "object", properties: { a: value, b: { type: "array", items: value } } };
    const texts = [list[0], `${more} ${list.at(-1)}`, list.join(" "), more];
    return dear(schema, [
      { a: texts[0], b: texts },
      { a: texts[1] },
      { a: texts[2], b: [texts[0]] },
      { b: [texts[3]] },
    ]);
  });

/** Required keys of any value. */
const anything = fc
  .record({
    keys: fc.uniqueArray(word, { minLength: 1, maxLength: 6 }),
    values: fc.array(any, { minLength: 6, maxLength: 6 }),
  })
  .map(({ keys, values }) => {
    const properties = Object.fromEntries(keys.map((key) => [key, {}]));
    const inner = { type: "object", properties, required: keys, additionalProperties: false };
    const document = Object.fromEntries(keys.map((key, i) => [key, values[i]]));
    const schema = { type: "object", properties: { outer: inner }, required: ["outer"], additionalProperties: false };
    return dear(schema, [{ outer: document }]);
  });

/** Patterns that exclude each other by their first characters, as options of a command do; of items that differ. */
const prefixes = fc
  .record({
    marks: fc.uniqueArray(
      fc.constantFrom("^--", "^-[^-]", "^[^-]", "^-", "^\\+", "^[a-z]+$", "^(?!--)", "^--(?!no-)"),
      {
        minLength: 2,
        maxLength: 4,
      },
    ),
    isUnique: fc.boolean(),
    texts: fc.array(word, { minLength: 3, maxLength: 8 }),
    keyword: fc.constantFrom("oneOf", "anyOf"),
  })
  .map(({ marks, isUnique, texts, keyword }) => {
    const [long, short] = marks.map((pattern) => ({ type: "string", pattern }));
    const item = { type: "object", properties: { long, short, help: { type: "string" } }, [keyword]: [{ required: ["long"] }, { required: ["short"] }] }; // prettier-ignore
    const schema = { type: "object", properties: { flags: { type: "array", uniqueItems: isUnique, items: item }, all: { [keyword]: marks.map((pattern) => ({ pattern })) } } }; // prettier-ignore
    const flags = texts.map((text, i) => ({ long: `--${text}`, ...(i % 2 && { short: `-${text[0]}` }), help: text }));
    return dear(schema, [{ flags, all: `--${texts[0]}` }, { all: `-${texts[1]}` }, { all: texts[2] }]);
  });

/** Classes of keys by patterns with lazy quantifiers, beside each other. */
const keys = fc
  .record({
    patterns: fc.uniqueArray(
      fc.constantFrom(
        "^[A-Za-z_]+?$",
        "^[A-Za-z]+?$",
        "^[a-z]{1,20}?$",
        "^.*?_id$",
        "^x-.+?",
        "^(a|b)*?c",
        "^[^_]+?_[^_]+?$",
      ),
      { minLength: 1, maxLength: 4 },
    ),
    isClosed: fc.boolean(),
    isUnique: fc.boolean(),
    names: fc.uniqueArray(word, { minLength: 2, maxLength: 6 }),
    phrases: fc.array(phrase, { minLength: 6, maxLength: 6 }),
  })
  .map(({ patterns, isClosed, isUnique, names, phrases }) => {
    const items = { type: "object", properties: { handle: { type: "string" }, field: { type: "object", patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, { type: "string" }])) } }, required: ["handle"] }; // prettier-ignore
    const inner = { type: "object", properties: { fields: { type: "array", uniqueItems: isUnique, items } } };
    const patternProperties = Object.fromEntries(patterns.map((pattern) => [pattern, inner]));
    const schema = { type: "object", patternProperties, ...(isClosed && { additionalProperties: false }) };
    const fields = names.map((handle, i) => ({ handle, field: { [names[0]]: phrases[i], x_id: phrases[0] } }));
    return dear(schema, [{ [names[0]]: { fields } }, { [`${names[1]}_id`]: { fields: [...fields, fields[0]] } }]);
  });

/** Patterns with counts and lookaheads, as of names of hosts. */
const lookaheads = fc
  .record({
    ahead: fc.subarray(["(?!.*://)", "(?=.{1,255}$)", "(?!.*--)", "(?![0-9]+$)", "(?=.*[a-z])"], { minLength: 1 }),
    body: fc.constantFrom("((.{1,63}\\.){1,127}[a-z0-9-]+\\.?)", "([a-z0-9]{1,20}-){1,9}[a-z]+", "[a-z._-]{3,64}", "(\\w+\\.)*?\\w{2,6}"), // prettier-ignore
    texts: fc.array(word, { minLength: 2, maxLength: 5 }),
  })
  .map(({ ahead, body, texts }) => {
    const schema = { type: "array", items: { type: "string", pattern: `^${ahead.join("")}${body}$` } };
    return dear(schema, [[texts.join("."), `${texts[0]}.example`], [texts.join("-")]]);
  });

/** @type {Record<string, fc.Arbitrary<Dear>>} */
export const dearSchemas = { nested, words, anything, prefixes, keys, lookaheads };
