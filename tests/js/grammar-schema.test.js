// The reader of JSON Schema. What it writes is read back from its bytes and judged by a reference, which knows neither
// drafts nor references, and only one spelling of each keyword.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import fc from "fast-check";
import { analyzeSchema } from "../../web/grammar/readers/schema/findings.js";
import { annotations, constraints } from "../../web/grammar/readers/schema/dialects.js";
import { Decimal, parseJson } from "../../web/grammar/readers/json-text.js";
import { metaSchema, patternTools, withPatternTools } from "../../web/grammar/readers/schema/pattern-tools.js";
import { keywordNumbers, writeSchema } from "../../web/grammar/readers/schema/schema.js";
import { isAbsent, readMaskBench, readRemotes, readSuite } from "../bench/grammar-data.js";
import { startProcessorClock } from "../processor-time.js";
import { canonical, isValid, readTable } from "./schema-evaluator.js";

await withPatternTools(() => [patternTools(), metaSchema("http://json-schema.org/draft-07/schema")]);

const draft4 = "http://json-schema.org/draft-04/schema#";
const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";
const draft2020 = "https://json-schema.org/draft/2020-12/schema";

/** Whether each instance (JSON text) satisfies the schema. */
function verdicts(schema, instances, options) {
  const schemas = readTable(writeSchema(schema, options));
  return instances.map((instance) => isValid(schemas, parseJson(instance)));
}

/** Asserts which instances (JSON text) a schema accepts and which it refuses. */
function judges(schema, valid, invalid, options) {
  const table = readTable(writeSchema(schema, options));
  for (const instance of valid) assert.ok(isValid(table, parseJson(instance)), `${instance} is valid`);
  for (const instance of invalid) assert.ok(!isValid(table, parseJson(instance)), `${instance} is not valid`);
}

/** The LastInchError of reading a schema. */
function errorOf(schema, options) {
  try {
    writeSchema(schema, options);
  } catch (error) {
    return error;
  }
  throw new Error(`no error: ${typeof schema === "string" ? schema : JSON.stringify(schema)}`);
}

/** A parsed value as JSON.parse gives it. */
function plain(value) {
  if (value instanceof Decimal) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, member]) => [key, plain(member)])) : value;
}

test("JSON text is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(
        plain(parseJson(text)),
        JSON.parse(text, (_, value) => (Object.is(value, -0) ? -0 : value)),
      );
    }),
  );
});

test("the text refused is what JSON.parse refuses, and text with equal keys", () => {
  const pieces = ["{", "}", "[", "]", ",", ":", '"', '"a"', '"b"', "\\", "u00e9", "1", "0", "-", ".", "e", "+", "true", "null", " ", "\n", "\u0001", "nul", '"\\u0041"']; // prettier-ignore
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 7 }), (list) => {
      const text = list.join("");
      let expected = true;
      try {
        JSON.parse(text);
      } catch {
        expected = false;
      }
      let fault = "";
      try {
        parseJson(text);
        accepted++;
      } catch (error) {
        assert.equal(error.code, "grammar-syntax");
        fault = error.message;
      }
      assert.equal(fault === "" || /occurs twice/.test(fault), expected, text);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(accepted > 100, `only ${accepted} texts were JSON`);
});

test("JSON text keeps the order of keys and the spelling of numbers, and errors say where they are", () => {
  const read = parseJson('{"2": 1.0, "1": [1e400, -0]}');
  assert.deepEqual([...read.keys()], ["2", "1"]);
  assert.equal(read.get("2").text, "1.0");
  assert.deepEqual(read.get("1").map((each) => each.text), ["1e400", "-0"]); // prettier-ignore
  for (const [text, place] of [
    ['{"a": 1,\n "a": 2}', /line 2, column 2: the key "a" occurs twice/],
    ["[1, 2", /line 1, column 6/],
    ["[1,\n\n 01]", /line 3, column 3/],
    ["[".repeat(1001), /1000 levels/],
    ["[".repeat(100_000), /1000 levels/],
  ])
    assert.throws(() => parseJson(text), place);
});

for (const [draft, uri] of [["draft2020-12"], ["draft7", draft7], ["draft4", draft4]])
  test(`every verdict of the official suite is right: ${draft}`, { skip: isAbsent }, (t) => {
    const remotes = readRemotes();
    let tests = 0;
    let narrow = 0;
    for (const below of ["", "optional", "optional/format"])
      for (const group of readSuite(draft, below)) {
        // These are not about which instances are accepted, or they test what drafts leave open.
        if (/content\.json|zeroTerminatedFloats|^format\.json/.test(group.file)) continue;
        const schema = parseJson(group.schema);
        if (uri && schema instanceof Map && !schema.has("$schema")) schema.set("$schema", uri);
        const table = readTable(writeSchema(schema, { remotes }));
        for (const { description, valid, text } of group.tests) {
          const name = `${group.file}: ${group.description}: ${description}`;
          const verdict = isValid(table, parseJson(text));
          tests++;
          // Some formats refuse what no regular expression can decide. None accepts too much.
          if (below === "optional/format" && valid && !verdict) narrow++;
          else assert.equal(verdict, valid, name);
        }
      }
    t.diagnostic(`${tests} tests; ${narrow} formats are narrower`);
  });

test("real schemas are all read, and their instances are judged right", { skip: isAbsent }, (t) => {
  const entries = readMaskBench();
  let count = 0;
  for (const { id, schema, tests } of entries) {
    const table = readTable(writeSchema(schema));
    for (const { valid, text } of tests) {
      assert.equal(isValid(table, parseJson(text)), valid, `${id}: ${text.slice(0, 200)}`);
      count++;
    }
  }
  t.diagnostic(`${entries.length} schemas, ${count} instances`);
});

test("keywords have the same numbers as in C", () => {
  const header = readFileSync(new URL("../../src/grammar/schema/keywords.h", import.meta.url), "utf8");
  const names = [...header.matchAll(/^ +LI_KEYWORD_(\w+)(?: = 1)?,/gm)].map(([, name]) => name);
  const expected = [...keywordNumbers.keys()].map((word) =>
    word.replace("$", "").replace(/[A-Z]/g, "_$&").toUpperCase(),
  );
  assert.deepEqual(names, [...expected, "COUNT"]);
});

test("a schema without $schema may use the keywords of any draft", () => {
  judges({ items: [{ type: "null" }], additionalItems: { type: "string" } }, ["[]", '[null,"a"]'], ["[1]", "[null,1]"]);
  judges({ minimum: 1, exclusiveMinimum: true }, ["2"], ["1", "0"]);
  judges({ exclusiveMinimum: 1 }, ["2"], ["1"]);
  judges({ dependencies: { a: ["b"], c: { minProperties: 3 } } }, ['{"a":1,"b":1}'], ['{"a":1}', '{"c":1}']);
  judges({ dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } }, ['{"a":1,"b":1,"c":1}'], ['{"a":1,"b":1}']);
  judges({ $ref: "#/definitions/a", maximum: 2, definitions: { a: { minimum: 1 } } }, ["1", "2"], ["0", "3"]);
});

test("each draft has its own keywords, and other keywords give a warning", () => {
  const cases = [
    [draft4, { const: 1 }],
    [draft4, { if: true, else: false }],
    [draft4, { propertyNames: false }],
    [draft7, { prefixItems: [false] }],
    [draft7, { dependentRequired: { a: ["b"] } }],
    [draft7, { unevaluatedProperties: false }],
    [draft2019, { prefixItems: [false] }],
    [draft2020, { additionalItems: false }],
  ];
  for (const [$schema, words] of cases) {
    const { warnings, bytes } = writeSchema({ $schema, ...words });
    assert.equal(bytes.length, 1, JSON.stringify(words));
    assert.deepEqual(warnings.map(({ keyword }) => keyword), Object.keys(words)); // prettier-ignore
  }
  judges({ $schema: draft4, minimum: 1, exclusiveMinimum: false, maximum: 5, exclusiveMaximum: true }, ["1"], ["5"]);
  judges({ $schema: draft7, $ref: "#/definitions/a", maximum: 2, definitions: { a: {} } }, ["3"], []);
  judges({ $schema: draft2019, items: [{ type: "null" }], additionalItems: false }, ["[null]"], ["[1]", "[null,1]"]);
});

test("items that contains has found count as evaluated only from 2020-12 on", () => {
  const words = { contains: { type: "null" }, unevaluatedItems: { type: "number" } };
  assert.deepEqual(verdicts({ $schema: draft2020, ...words }, ["[null,1]", "[1]", '[null,""]']), [true, false, false]);
  assert.deepEqual(verdicts({ $schema: draft2019, ...words }, ["[null,1]", "[null]"]), [false, false]);
  const two = {
    $schema: draft2019,
    contains: { type: "number" },
    minContains: 2,
    unevaluatedItems: { type: "number" },
  };
  assert.deepEqual(verdicts(two, ["[1,2]", "[1]"]), [true, false]);
});

test("$recursiveRef leads to the outermost $recursiveAnchor", () => {
  const tree = {
    $id: "https://example.com/tree",
    $recursiveAnchor: true,
    properties: { value: true, children: { items: { $recursiveRef: "#" } } },
  };
  const strict = {
    $schema: draft2019,
    $id: "https://example.com/strict",
    $recursiveAnchor: true,
    $ref: "tree",
    unevaluatedProperties: false,
    $defs: { tree },
  };
  judges(strict, ['{"children":[{"value":1}]}'], ['{"children":[{"valeu":1}]}', '{"valeu":1}']);
  judges({ ...strict, $recursiveAnchor: false }, ['{"children":[{"valeu":1}]}'], ['{"valeu":1}']);
});

test("references resolve through $id, anchors, escapes and remotes", () => {
  const one = { const: 1 };
  const cases = [
    { $ref: "#/$defs/a~1b%25c~0d", $defs: { "a/b%c~d": one } },
    { $ref: "#/x/0/y", x: [{ y: one }] },
    { $ref: "#/$defs//a", $defs: { "": { a: one } } },
    { $ref: "#here", $defs: { a: { $anchor: "here", const: 1 } } },
    { $id: "http://a.example/b/c", $ref: "d#e", $defs: { x: { $id: "d", $defs: { y: { $anchor: "e", const: 1 } } } } },
    { $id: "http://a.example/b/c", $ref: "/b/d", $defs: { x: { $id: "d", $ref: "#/$defs/y", $defs: { y: one } } } },
    { $schema: draft7, $ref: "#a", definitions: { x: { $id: "#a", const: 1 } } },
    { $schema: draft4, $ref: "other.json#/definitions/x", definitions: { a: { id: "other.json", definitions: { x: { enum: [1] } } } } }, // prettier-ignore
    { $id: "urn:example:root", $ref: "urn:example:other#a", $defs: { x: { $id: "urn:example:other", $defs: { y: { $anchor: "a", const: 1 } } } } }, // prettier-ignore
    { $ref: "https://example.com/one" },
    { $ref: "https://example.com/deep#/definitions/x" },
    { $ref: "https://example.com/inner" },
    { $ref: "relative.json" },
    { $id: "https://example.com/dir/root", $ref: "../one" },
    {
      $schema: "https://example.com/no-validation",
      allOf: [{ const: 2 }],
      not: { $ref: "https://example.com/not-one" },
    },
  ];
  const remotes = {
    "https://example.com/one": one,
    "https://example.com/deep#": '{"definitions": {"x": {"$ref": "one"}}}',
    "https://example.com/bundle": { $defs: { inner: { $id: "inner", $ref: "one" } } },
    "relative.json": one,
    "https://example.com/not-one": { $schema: draft7, not: one },
    "https://example.com/no-validation": {
      $schema: draft2020,
      $vocabulary: { [draft2020.replace(/schema$/, "vocab/applicator")]: true },
    },
  };
  for (const schema of cases)
    assert.deepEqual(verdicts(schema, ["1", "2"], { remotes }), [true, false], JSON.stringify(schema));
});

test("only subschemas can name a schema by $id or an anchor", () => {
  const hidden = { $id: "https://example.com/x", $anchor: "x", const: 1 };
  for (const place of [{ enum: [hidden] }, { default: hidden }, { unknown: hidden }])
    for (const $ref of ["https://example.com/x", "#x"])
      assert.equal(errorOf({ ...place, $ref }).code, "grammar-reference", JSON.stringify(place));
});

test("only reachable subschemas are written, each once, with dense indexes", () => {
  const shared = { type: "string" };
  const schema = {
    properties: { a: shared, b: shared, c: { $ref: "#/$defs/used" }, d: { $ref: "#/$defs/used" }, e: true, f: true },
    $defs: { used: { items: { $ref: "#" } }, unused: { pattern: "(?<broken" } },
  };
  const written = writeSchema(schema);
  assert.equal(written.count, 4);
  const places = ["", "/properties/a", "/$defs/used", "/properties/e"];
  assert.deepEqual([0, 1, 2, 3].map(written.pointer), places);
  assert.deepEqual(readTable(written)[0].properties, [["a", 1], ["b", 1], ["c", 2], ["d", 2], ["e", 3], ["f", 3]]); // prettier-ignore
  const later = writeSchema(schema, {}, 10);
  assert.equal(later.root, 10);
  assert.deepEqual(later.pointer(12), "/$defs/used");
  assert.deepEqual(readTable(later)[2], { items: 10 });
});

test("a JavaScript object may contain itself", () => {
  const node = { type: "object", properties: {}, additionalProperties: false };
  node.properties.next = node;
  judges(node, ['{"next":{"next":{}}}'], ['{"next":{"text":1}}']);
});

test("JSON text and an object give the same bytes, and text keeps the order of keys and exact numbers", () => {
  const schema = { enum: [1, -2.5, 1e21, 1e-7, "a", null, true, [{ b: 1 }]], maximum: 1e300, properties: { x: true } };
  assert.deepEqual(writeSchema(schema).bytes, writeSchema(JSON.stringify(schema)).bytes);
  const [exact] = readTable(writeSchema('{"properties": {"b": true, "1": true}, "maximum": 9007199254740993.0}'));
  assert.deepEqual(exact, { properties: [["b", 1], ["1", 1]], maximum: "9007199254740993.0" }); // prettier-ignore
});

test("every value of an enum keeps its spelling", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const text = JSON.stringify(values);
      const [schema] = readTable(writeSchema(`{"enum": ${text}}`));
      assert.equal(canonical(schema.enum), canonical(parseJson(text)));
    }),
  );
});

test("counts may be spelt as decimals and have any size", () => {
  const [schema] = readTable(writeSchema('{"minLength": 2.0, "maxLength": 1e400, "minItems": 1e400, "maxItems": 3e2}'));
  assert.deepEqual(schema, { minLength: 2, minItems: 0xfffffffe, maxItems: 300 });
  for (const count of ["-1", "1.5", "1e-400", '"1"', "true", "null"])
    assert.equal(errorOf(`{"minLength": ${count}}`).code, "grammar-schema", count);
});

test("a keyword with a bad value is an error that names its place", () => {
  const bad = {
    type: ["strnig", [], ["string", 1], null, [["string"]]],
    enum: ["a", { a: 1 }, [undefined], [NaN], [Infinity], ["\ud800"], [Symbol("a")]],
    minimum: ["1", null, NaN, true],
    multipleOf: [0, -1, "1"],
    maxItems: [-1, 0.5],
    uniqueItems: [1, "true"],
    pattern: [1, "(", "(a)\\1"],
    format: [1],
    required: [true, "a", [1], { a: true }],
    properties: [[], true, { a: 1 }, { "\udc00": true }],
    patternProperties: [[], { "(": true }],
    additionalProperties: ["no"],
    dependentRequired: [{ a: "b" }, { a: [1] }],
    dependencies: [{ a: 1 }, []],
    items: [1, null, new Date(), Object.create({ type: "string" })],
    prefixItems: [{}, []],
    allOf: [[], {}, [1]],
    not: ["a"],
    $ref: [1, "#/nowhere", "#nowhere", "http://[", "other.json", "#/%zz", "#/not/type"],
  };
  for (const [keyword, values] of Object.entries(bad))
    for (const value of values) {
      const error = errorOf({ properties: { "a/b": { not: { type: "null" }, [keyword]: value } } });
      const name = `${keyword}: ${String(error.message)}`;
      assert.ok(
        ["grammar-schema", "grammar-reference", "grammar-unsupported", "grammar-syntax"].includes(error.code),
        name,
      );
      assert.ok(error.pointer?.startsWith("/properties/a~1b"), name);
    }
});

test("any schema is read or refused, and a lenient schema can be compiled", () => {
  const words = [...constraints, ...annotations, "id", "unknown", "a"];
  const odd = fc.constantFrom(null, true, false, 0, -1, 2.5, "", "a", "#", "#/$defs/a", "#a", "http://a.example/", "string", [], ["a"]); // prettier-ignore
  const { schema } = fc.letrec((tie) => ({
    schema: fc.dictionary(fc.constantFrom(...words), tie("value"), { maxKeys: 5 }),
    value: fc.oneof({ depthSize: "small" }, odd, tie("schema"), fc.array(tie("schema"), { maxLength: 3 })),
  }));
  let read = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom(undefined, draft4, draft7, draft2019, draft2020), (words, $schema) => {
      const whole = { ...words, ...($schema && { $schema }) };
      for (const lenient of [false, true])
        try {
          const table = readTable(writeSchema(JSON.stringify(whole), { lenient }));
          read += lenient ? 0 : 1;
          for (const instance of ['{"a": ["a", 1]}', "[0]"]) isValid(table, parseJson(instance));
        } catch (error) {
          assert.ok(["grammar-schema", "grammar-reference", "grammar-syntax"].includes(error.code), error.stack);
          assert.ok(!lenient || /circle/.test(error.message), error.message);
        }
    }),
    { numRuns: 5000 },
  );
  assert.ok(read > 500, `only ${read} were read`);
});

test("input that is not a JSON Schema is an error", () => {
  for (const schema of [null, 1, undefined, [], "", "{", '"a"', new Map([["type", "x"]]), () => true])
    assert.ok(["grammar-schema", "grammar-syntax"].includes(errorOf(schema).code), String(schema));
  assert.match(errorOf({ $schema: "http://json-schema.org/draft-03/schema#" }).message, /draft-03/);
  const $vocabulary = { "https://example.com/vocab/units": true };
  const remotes = { "https://example.com/meta": { $schema: draft2020, $vocabulary } };
  assert.match(errorOf({ $schema: "https://example.com/meta" }, { remotes }).message, /vocab\/units/);
});

test("references that lead in a circle are errors, wherever the circle begins", () => {
  const circles = [
    { $ref: "#" },
    { allOf: [{ $ref: "#" }] },
    { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    { $defs: { a: { anyOf: [{ type: "string" }, { not: { $ref: "#/$defs/a" } }] } }, items: { $ref: "#/$defs/a" } },
    { if: { $ref: "#" }, then: true },
    { dependentSchemas: { a: { $ref: "#" } } },
  ];
  for (const schema of circles) assert.equal(errorOf(schema).code, "grammar-schema", JSON.stringify(schema));
  for (const schema of [{ items: { $ref: "#" } }, { properties: { a: { allOf: [{ $ref: "#" }] } } }])
    writeSchema(schema);
});

test("a lenient schema leaves out and lists exactly the keywords that cannot be enforced", () => {
  const schema = {
    type: "object",
    properties: { a: { $ref: "missing.json" }, b: { minLength: -1, maxLength: 3 }, c: 5, d: { pattern: "(a)\\1" } },
    required: "a",
    minProperties: 1,
  };
  const written = writeSchema(schema, { lenient: true });
  assert.deepEqual(
    written.refusals.map(({ code, pointer, keyword }) => [code, pointer, keyword]),
    [
      ["grammar-reference", "/properties/a", "$ref"],
      ["grammar-schema", "/properties/c", ""],
      ["grammar-schema", "", "required"],
      ["grammar-schema", "/properties/b", "minLength"],
      ["grammar-unsupported", "/properties/d", "pattern"],
    ],
  );
  const table = readTable(written);
  assert.deepEqual(table[0], { type: 64, properties: [["a", 1], ["b", 2], ["c", 1], ["d", 3]], minProperties: 1 }); // prettier-ignore
  assert.deepEqual(table.slice(1), [{}, { maxLength: 3 }, {}]);
});

test("keywords without effect give a warning, annotations do not", () => {
  const { warnings } = writeSchema({
    title: "a",
    examples: [],
    "x-pattern": 1,
    nullable: true,
    minlength: 3,
    requried: ["a"],
    then: false,
    maxContains: 2,
    format: "phone",
  });
  assert.deepEqual(
    warnings.map(({ keyword }) => keyword),
    ["nullable", "minlength", "requried", "then", "maxContains", "format"],
  );
  assert.match(warnings[1].reason, /minLength/);
});

test('formats are enforced unless the option says "annotate"', () => {
  assert.deepEqual(verdicts({ format: "date" }, ['"2024-02-30"', '"2024-02-29"', "1"]), [false, true, true]);
  assert.deepEqual(verdicts({ format: "date" }, ['"2024-02-30"'], { format: "annotate" }), [true]);
});

test("analyzeSchema reports the status of every keyword", () => {
  const findings = analyzeSchema({
    title: "a",
    type: "array",
    items: { $ref: "#/$defs/item" },
    uniqueItems: true,
    $defs: { item: { pattern: "(a)\\1", minlength: 2, format: "phone" } },
  });
  const brief = Object.fromEntries(
    findings.map(({ pointer, keyword, status, cost }) => [`${pointer}/${keyword}`, cost ?? status]),
  );
  assert.deepEqual(brief, {
    "/title": "annotation",
    "/type": "low",
    "/items": "low",
    "/items/$ref": "low",
    "/uniqueItems": "high",
    "/$defs": "annotation",
    "/$defs/item/pattern": "refused",
    "/$defs/item/minlength": "warning",
    "/$defs/item/format": "warning",
  });
  for (const { status, reason } of findings)
    assert.equal(typeof reason === "string", ["refused", "warning"].includes(status));
  assert.deepEqual(analyzeSchema({ not: { $ref: "#" } }).at(-1).status, "refused");
  assert.throws(() => analyzeSchema("{"), { code: "grammar-syntax" });
});

test("large and hostile schemas are read in bounded time or refused", () => {
  const strings = Array.from({ length: 400_000 }, (_, at) => `value number ${at}`);
  let chain = {};
  for (let i = 0; i < 50_000; i++) chain = { items: chain };
  const nested = JSON.parse("[".repeat(5000) + "]".repeat(5000));
  const $defs = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`a${i}`, { $ref: `#/$defs/a${i + 1}` }]));
  const elapsed = startProcessorClock();
  assert.ok(writeSchema({ enum: strings }).bytes.length > 7e6);
  assert.equal(writeSchema(chain).count, 50_001);
  assert.equal(writeSchema({ $ref: "#/$defs/a0", $defs: { ...$defs, a3000: true } }).count, 1);
  assert.equal(errorOf({ const: nested }).code, "grammar-schema");
  // Every order in which the resources are entered would be a scope of its own.
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const anyOf = letters.map((letter) => ({ items: { $ref: `https://example.com/${letter}` } }));
  const resources = letters.map((letter) => [
    letter,
    { $id: `https://example.com/${letter}`, $dynamicAnchor: letter, anyOf, items: { $dynamicRef: `#${letter}` } },
  ]);
  assert.equal(errorOf({ anyOf, $defs: Object.fromEntries(resources) }).code, "grammar-fuel");
  assert.ok(elapsed() < 10_000);
  // If every place were named, the names would grow with the square of the depth.
  assert.equal(analyzeSchema(chain).at(-1).status, "refused");
  assert.match(analyzeSchema(chain).at(-1).reason, /\b1000\b/);
  assert.equal(writeSchema({ allOf: Array.from({ length: 200_000 }, () => true) }).count, 2);
});
