// What becomes of every keyword, draft by draft: against the table of the docs, and where drafts differ in meaning.
import assert from "node:assert/strict";
import test from "node:test";
import { analyzeSchema } from "../../web/grammar/readers/schema/findings.js";
import { parseJson } from "../../web/grammar/readers/json-text.js";
import { metaSchemas } from "../../web/grammar/readers/schema/meta-schemas.js";
import { metaSchema, patternTools, withPatternTools } from "../../web/grammar/readers/schema/pattern-tools.js";
import { writeSchema } from "../../web/grammar/readers/schema/schema.js";
import { isValid, readTable } from "./schema-evaluator.js";
import { codesOf, tablesOf } from "../markdown.js";

await withPatternTools(() => [patternTools(), metaSchema("http://json-schema.org/draft-07/schema")]);

const drafts = {
  4: "http://json-schema.org/draft-04/schema#",
  6: "http://json-schema.org/draft-06/schema#",
  7: "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
  none: undefined,
};
const names = Object.keys(drafts);

/** The table of demos/docs/json.md: for each keyword the drafts that have it, and what becomes of it. */
function readKeywords() {
  const { rows } = tablesOf("demos/docs/json.md").find(({ head }) => head[0] === "keyword");
  const keywords = new Map();
  for (const [names, range, fate] of rows) {
    const status = /^[a-z]+/.exec(fate)?.[0];
    for (const keyword of codesOf(names)) keywords.set(keyword, { range, status });
  }
  return keywords;
}

/** Whether the drafts of a row include this one. */
function has(range, name) {
  if (range === "all" || name === "none") return true;
  const [first, word, last] = range.split(" ");
  const at = names.indexOf(name);
  return at >= names.indexOf(first) && (word === "on" || at <= names.indexOf(word === "only" ? first : last));
}

const draft3 =
  "type properties patternProperties additionalProperties items additionalItems required dependencies minimum maximum " +
  "exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems pattern minLength maxLength enum default title " +
  "description format divisibleBy disallow extends id $ref $schema";
const openApi =
  "title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems " +
  "uniqueItems maxProperties minProperties required enum type allOf oneOf anyOf not items properties " +
  "additionalProperties description format default nullable discriminator readOnly writeOnly xml externalDocs example " +
  "deprecated";

/** A value for each keyword, or a whole schema if the keyword needs others beside it. */
const samples = {
  $ref: "#/$defs/a",
  type: "integer",
  enum: [1],
  pattern: "a",
  format: "date",
  items: {},
  uniqueItems: true,
  properties: {},
  patternProperties: { a: {} },
  required: ["a"],
  dependencies: { a: ["b"] },
  dependentRequired: { a: ["b"] },
  dependentSchemas: { a: {} },
  allOf: [{}],
  anyOf: [{}],
  oneOf: [{}],
  prefixItems: [{}],
  const: 1,
  $dynamicRef: "#/$defs/a",
  $recursiveRef: "#",
  nullable: true,
  extends: {},
  disallow: "string",
  $id: "http://example.com/a",
  id: "http://example.com/a",
  $schema: drafts[7],
  $anchor: "b",
  $dynamicAnchor: "b",
  $defs: {},
  definitions: {},
};
const beside = {
  then: { if: {} },
  else: { if: {} },
  minContains: { contains: {} },
  maxContains: { contains: {} },
  additionalItems: { items: [{}] },
};
const schemaWords = "additionalProperties not contains propertyNames if then else unevaluatedItems unevaluatedProperties additionalItems"; // prettier-ignore

/** What analyzeSchema says of a schema with the keyword. */
function fateOf(keyword, name) {
  const value = schemaWords.split(" ").includes(keyword) ? {} : (samples[keyword] ?? 1);
  // Draft 2020-12 refuses the array that additionalItems needs.
  const others = name === "2020-12" && keyword === "additionalItems" ? {} : beside[keyword];
  const schema = { properties: { p: { ...others, [keyword]: value } }, $defs: { a: {} } };
  if (drafts[name]) schema.$schema = drafts[name];
  const inner = analyzeSchema(schema).find(
    (finding) => finding.keyword === keyword && /^(\/properties\/p)?$/.test(finding.pointer) && finding.pointer,
  );
  return inner?.status;
}

test("the docs list every keyword of the meta-schemas, of draft 3 and of OpenAPI 3.0", () => {
  const listed = readKeywords();
  const words = new Set([...draft3.split(" "), ...openApi.split(" ")]);
  for (const schema of metaSchemas.values()) for (const word of schema.get("properties").keys()) words.add(word);
  assert.deepEqual(
    [...words].filter((word) => !listed.has(word)),
    [],
  );
  assert.ok(listed.size >= 65, `${listed.size} keywords`);
});

test("every keyword has the status that the docs give, in every draft", () => {
  for (const [keyword, { range, status }] of readKeywords())
    for (const name of names) {
      const isMissing =
        status === "enforced" && (!has(range, name) || (name === "none" && keyword === "$recursiveRef"));
      assert.equal(fateOf(keyword, name), isMissing ? "warning" : status, `${keyword}, draft ${name}`);
    }
});

test("schemas that the docs call refused are refused", () => {
  for (const [schema, keyword] of [
    [{ $schema: "http://json-schema.org/draft-03/schema#" }, undefined],
    [{ required: true }, "required"],
    [{ type: ["string", { type: "object" }] }, "type"],
    [{ $schema: drafts[6], minimum: 1, exclusiveMinimum: true }, "exclusiveMinimum"],
    [{ $schema: drafts["2020-12"], items: [{}] }, "items"],
  ])
    assert.throws(
      () => writeSchema(schema),
      (error) => error.code.startsWith("grammar-") && (!keyword || error.keyword === keyword),
    );
});

test("a keyword without effect has a warning that names the right keyword", () => {
  const { warnings } = writeSchema({
    contentEncoding: "base64",
    contentMediaType: "application/json",
    contentSchema: {},
    nullable: true,
    discriminator: { propertyName: "a" },
    divisibleBy: 2,
    extends: {},
    disallow: "string",
  });
  assert.equal(warnings.length, 8);
  for (const { keyword, reason } of warnings) assert.match(reason, /only a description|has no effect/, keyword);
  assert.deepEqual(writeSchema({ nullable: false }).warnings, []);
});

/** A schema, an instance, and the drafts in which the instance is valid. @type {[object, string, string][]} */
const differences = [
  [{ minimum: 3, exclusiveMinimum: true }, "3", "-"],
  [{ maximum: 3, exclusiveMaximum: false }, "3", "4 none"],
  [{ exclusiveMinimum: 3 }, "3", "-"],
  [{ const: 1 }, "2", "4"],
  [{ contains: { const: 1 } }, "[2]", "4"],
  [{ contains: { enum: [1] }, minContains: 2 }, "[1]", "4 6 7"],
  [{ contains: { enum: [1] }, minContains: 0 }, "[]", "4 2019-09 2020-12 none"],
  [{ contains: { enum: [1] }, maxContains: 1 }, "[1, 1]", "4 6 7"],
  [{ propertyNames: { maxLength: 1 } }, '{"ab": 1}', "4"],
  [{ if: { type: "string" }, then: { maxLength: 1 } }, '"ab"', "4 6"],
  [{ dependentRequired: { a: ["b"] } }, '{"a": 1}', "4 6 7"],
  [{ dependentSchemas: { a: { maxProperties: 1 } } }, '{"a": 1, "b": 1}', "4 6 7"],
  [{ dependencies: { a: ["b"] } }, '{"a": 1}', "-"],
  [{ unevaluatedProperties: false }, '{"a": 1}', "4 6 7"],
  [{ unevaluatedItems: false }, "[1]", "4 6 7"],
  [{ prefixItems: [{ type: "string" }] }, "[1]", "4 6 7 2019-09"],
  [{ items: { type: "string" }, prefixItems: [{}] }, "[1]", "2020-12 none"],
  [{ items: [{}], additionalItems: false }, "[1, 2]", "-"],
  [{ properties: { a: { $ref: "#/definitions/b", maxLength: 1 } }, definitions: { b: {} } }, '{"a": "xy"}', "4 6 7"],
  [{ $defs: { b: { $id: "http://e/b", type: "string" } }, properties: { a: { $ref: "http://e/b" } } }, '{"a": 1}', "-"],
  [
    { definitions: { b: { id: "http://e/b", type: "string" } }, properties: { a: { $ref: "http://e/b" } } },
    '{"a": 1}',
    "-",
  ],
  [{ properties: { a: { $recursiveRef: "#" } }, additionalProperties: false }, '{"a": {"b": 1}}', "4 6 7 2020-12 none"],
  [{ properties: { a: { $dynamicRef: "#" } }, additionalProperties: false }, '{"a": {"b": 1}}', "4 6 7 2019-09"],
];

test("each keyword has the meaning of the schema's draft", () => {
  for (const [schema, instance, valid] of differences)
    for (const name of names) {
      const declared = drafts[name] ? { $schema: drafts[name], ...schema } : schema;
      let isTaken;
      try {
        isTaken = isValid(readTable(writeSchema(declared)), parseJson(instance));
      } catch (error) {
        assert.match(error.code, /^grammar-/); // refused: nothing is taken
        isTaken = false;
      }
      assert.equal(isTaken, valid.split(" ").includes(name), `${JSON.stringify(schema)} draft ${name}`);
    }
});

test("a reference to a meta-schema needs no remotes; the error for another missing schema names the option", () => {
  for (const [uri, valid, invalid] of [
    [drafts[4], '{"minLength": 1}', '{"minLength": -1}'],
    [drafts[6], '{"const": 1}', '{"type": "any"}'],
    [drafts[7], '{"if": true}', '{"required": "a"}'],
    [drafts["2019-09"], '{"minContains": 1}', '{"minContains": -1}'],
    [drafts["2020-12"], '{"properties": {"a": {"type": "string"}}}', '{"properties": {"a": {"type": "any"}}}'],
    ["https://json-schema.org/draft-07/schema", "true", "1"],
    ["https://json-schema.org/draft/2020-12/meta/validation", '{"maxItems": 1}', '{"maxItems": "1"}'],
  ]) {
    const table = readTable(writeSchema({ $ref: uri }));
    assert.ok(isValid(table, parseJson(valid)), `${uri}: ${valid}`);
    assert.ok(!isValid(table, parseJson(invalid)), `${uri}: ${invalid}`);
  }
  assert.throws(() => writeSchema({ $ref: "https://example.com/a.json" }), /https:\/\/example.com\/a.json.*"remotes"/);
});
