// Keys that come twice in an object, however they are spelt: JSON.parse takes the last one, and so does the judge.
import assert from "node:assert/strict";
import test from "node:test";
import Ajv from "ajv/dist/2020.js";
import { compileGrammar } from "lastinch";

const vocabulary = { tokens: Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), eos: [] };
const ajv = new Ajv({ strict: false });
const keys = ['"a"', '"\\u0061"', '"b"', '"c"'];
const values = ["1", '"x"'];
const members = keys.flatMap((key) => values.map((value) => `${key}:${value}`));

/** All objects of `count` members, in every order. */
const objects = (count) =>
  count === 0
    ? [[]]
    : objects(count - 1).flatMap((list) => members.map((member) => /** @type {string[]} */ ([...list, member])));
const texts = [0, 1, 2, 3].flatMap(objects).map((list) => `{${list.join(",")}}`);

const string = { type: "string" };
const schemas = [
  { minProperties: 2 },
  { maxProperties: 1 },
  { properties: { a: {}, b: {}, c: {} }, additionalProperties: false, maxProperties: 2 },
  { minProperties: 3, maxProperties: 3 },
  { additionalProperties: string, minProperties: 2 },
  { properties: { a: string }, minProperties: 2 },
  { properties: { a: { type: "integer" } }, required: ["a"] },
  { properties: { a: { type: "integer" } }, additionalProperties: string },
  { required: ["c"], additionalProperties: string },
  { dependentRequired: { a: ["b"] } },
  { dependentSchemas: { a: { required: ["b"], minProperties: 3 } } },
  { patternProperties: { "^[ab]$": { type: "integer" } }, minProperties: 2 },
  { propertyNames: { enum: ["a", "b"] }, minProperties: 2 },
  { not: { required: ["a"] } },
  { not: { properties: { a: string } } },
  { not: { additionalProperties: string } },
  { not: { patternProperties: { "^[ab]$": string }, additionalProperties: string } },
  { not: { maxProperties: 1 } },
  { if: { required: ["a"] }, then: { minProperties: 2 }, else: { maxProperties: 1 } },
  { if: { properties: { a: string } }, then: { required: ["b"] } },
  { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
  { oneOf: [{ additionalProperties: string }, { additionalProperties: { type: "integer" } }] },
  { anyOf: [{ properties: { a: { const: 1 } }, required: ["a"] }, { maxProperties: 1 }] },
  { properties: { a: string }, unevaluatedProperties: { type: "integer" } },
  { const: { a: 1, b: "x" } },
  { enum: [{ a: "x" }, { c: 1 }] },
];

test("an object with a key twice is read only if every value is valid", async () => {
  let read = 0;
  for (const schema of schemas)
    for (const propertyOrder of /** @type {const} */ (["schema", "any"])) {
      const jsonSchema = { type: "object", ...schema };
      const isValid = ajv.compile(jsonSchema);
      const grammar = await compileGrammar({ vocabulary, jsonSchema, propertyOrder, whitespace: "compact" });
      const matcher = grammar.matcher();
      for (const text of texts) {
        matcher.reset();
        if (!matcher.acceptBytes(text) || !matcher.isAccepting) continue;
        read++;
        assert.ok(isValid(JSON.parse(text)), `${JSON.stringify(jsonSchema)}, ${propertyOrder}: ${text}`);
      }
      grammar.dispose();
    }
  assert.ok(read > 1000);
});

test("a repeated key counts once, and is allowed where no keyword counts", async () => {
  for (const [schema, text, isRead] of /** @type {const} */ ([
    [{}, '{"c":1,"c":2}', true],
    [{ minProperties: 2 }, '{"c":1,"c":2}', false],
    [{ minProperties: 2 }, '{"c":1,"\\u0063":2}', false],
    [{ minProperties: 2 }, '{"c":1,"\\u0061":2}', true],
    [{ properties: { a: string } }, '{"a":"x","\\u0061":1}', false],
    [{ not: { additionalProperties: string } }, '{"c":1,"b":1,"b":"x"}', true],
    [{ not: { additionalProperties: string } }, '{"b":"x","b":"x","c":1}', false],
    [{ not: { additionalProperties: string } }, '{"c":1,"c":"x"}', false],
  ])) {
    const jsonSchema = { type: "object", ...schema };
    const matcher = (await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact" })).matcher();
    assert.equal(matcher.acceptBytes(text) && matcher.isAccepting, isRead, text);
  }
});

test("with unique keys no object of a text repeats a key, and every other text stays", async () => {
  for (const schema of schemas)
    for (const propertyOrder of /** @type {const} */ (["schema", "any"])) {
      const options = { vocabulary, jsonSchema: { type: "object", ...schema }, propertyOrder };
      const compiled = [false, true].map((uniqueKeys) =>
        compileGrammar({ ...options, whitespace: "compact", uniqueKeys }),
      );
      const grammars = await Promise.all(compiled);
      const matchers = grammars.map((grammar) => grammar.matcher());
      for (const text of texts) {
        const [usual, unique] = matchers.map((matcher) => {
          matcher.reset();
          return matcher.acceptBytes(text) && matcher.isAccepting;
        });
        const repeats = Object.keys(JSON.parse(text)).length < text.split(":").length - 1;
        assert.equal(unique, usual && !repeats, `${JSON.stringify(schema)}, ${propertyOrder}: ${text}`);
      }
      for (const grammar of grammars) grammar.dispose();
    }
});

test("items that must differ are compared by the last value of a repeated key", async () => {
  const jsonSchema = { type: "array", items: { type: "object" }, uniqueItems: true, minItems: 2 };
  const isValid = ajv.compile(jsonSchema);
  const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact" });
  const matcher = grammar.matcher();
  const few = texts.filter((text) => text.length < 17);
  for (const one of few)
    for (const other of few) {
      const text = `[${one},${other}]`;
      matcher.reset();
      if (matcher.acceptBytes(text) && matcher.isAccepting) assert.ok(isValid(JSON.parse(text)), text);
    }
});
