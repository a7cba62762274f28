// Schemas of many alternatives: their numbers add up instead of multiplying, and their meaning stays exact.
import assert from "node:assert/strict";
import test from "node:test";
import { parseJson } from "../../web/grammar/readers/json-text.js";
import { writeSchema } from "../../web/grammar/readers/schema/schema.js";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { randomFrom } from "../bench/grammar-random.js";
import { isValid, readTable } from "./schema-evaluator.js";

const EOS = 256;
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const vocabulary = await prepareVocabulary({ tokens: [...bytes, new Uint8Array()], eos: [EOS] });
const range = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const record = (count, make) => Object.fromEntries(range(count, make));
const string = { type: "string" };
const number = { type: "number" };

/** Whether a text satisfies the grammar. */
function takes(grammar, text) {
  const matcher = grammar.matcher();
  const is = matcher.acceptBytes(text) && matcher.isAccepting;
  matcher.dispose();
  return is;
}

/** Asserts which documents (JSON text) the schema takes, in the order that the documents have. */
async function judges(jsonSchema, valid, invalid, options) {
  const grammar = await compileGrammar({ vocabulary, jsonSchema, propertyOrder: "any", ...options });
  for (const text of valid) assert.ok(takes(grammar, text), `${text} is valid`);
  for (const text of invalid) assert.ok(!takes(grammar, text), `${text} is not valid`);
  grammar.dispose();
}

const expression = (leaves, more) => {
  const expr = { $ref: "#/$defs/expr" };
  const one = (key, value) => ({ type: "object", properties: { [key]: value }, required: [key], ...more });
  const list = { type: "array", items: expr };
  return { $defs: { expr: { oneOf: [one("and", list), one("or", list), one("not", expr), ...leaves] } }, ...expr };
};

test("a recursive oneOf of open predicates that differ in their keys is exact", async () => {
  for (const count of [7, 17, 57]) {
    const leaf = (i) => ({
      type: "object",
      properties: { field: string, [`op${i}`]: i % 2 ? number : string },
      required: ["field", `op${i}`],
    });
    await judges(
      expression(range(count, leaf)),
      ['{"and":[{"or":[{"field":"a","op1":1}]},{"not":{"field":"b","op2":"x"}}]}', '{"field":"a","op1":1,"op2":2}'],
      ['{"field":"a","op1":1,"op2":"x"}', '{"and":[],"or":[]}', '{"and":[{"field":"a"}]}', '{"field":"a","op1":"x"}'],
    );
  }
});

test("a recursive oneOf of open predicates that differ in a value is exact", async () => {
  for (const count of [7, 17, 57]) {
    const leaf = (i) => ({
      type: "object",
      properties: { field: string, op: { const: `op${i}` }, value: [string, number, { type: "boolean" }][i % 3] },
      required: ["field", "op", "value"],
    });
    await judges(
      expression(range(count, leaf)),
      ['{"and":[{"op":"op1","field":"a","value":1}],"op":"op1"}', '{"not":{"field":"a","op":"op2","value":true}}'],
      ['{"op":"op1","field":"a","value":"x"}', '{"and":[],"op":"op1","field":"a","value":1}'],
    );
  }
});

test("oneOf of 60 open objects, each with a required key of its own, is exact", async () => {
  const own = (i) => ({ type: "object", properties: { [`p${i}`]: string, id: number }, required: ["id", `p${i}`] });
  await judges(
    { oneOf: range(60, own) },
    ['{"id":1,"p3":"x"}', '{"p59":"x","id":1,"q":1}', '{"id":1,"p3":"x","p4":1}'],
    ['{"id":1}', '{"id":1,"p3":1}', '{"id":1,"p3":"x","p4":"x"}', '{"p3":"x","id":"x"}'],
  );
});

test("oneOf of 60 open objects is exact though none requires the key that tells them apart", async () => {
  const kind = (i) => ({ type: "object", properties: { kind: { const: `k${i}` }, [`p${i}`]: string } });
  await judges(
    { oneOf: range(60, kind) },
    ['{"kind":"k3","p3":"x"}', '{"p4":1,"kind":"k3"}'],
    ['{"kind":"k3","p3":1}', '{"p3":"x"}', '{"kind":"x"}', "{}"],
  );
});

test("dependentSchemas with 60 entries are exact", async () => {
  const properties = record(60, (i) => [`p${i}`, string]);
  const dependent = (i) => [`p${i}`, { properties: { [`q${i}`]: number }, required: [`q${i}`] }];
  await judges(
    { type: "object", properties, dependentSchemas: record(60, dependent) },
    ["{}", '{"p3":"x","q3":1}', '{"q3":1,"p3":"x"}', '{"q3":"x"}'],
    ['{"p3":"x"}', '{"p3":"x","q3":"x"}', '{"q3":"x","p3":"x"}', '{"p3":"x","q4":1}'],
  );
  const apart = (i) => [`p${i}`, { not: { required: [`p${(i + 1) % 60}`] } }];
  await judges(
    { type: "object", properties, dependentSchemas: record(60, apart) },
    ["{}", '{"p3":"x","p5":"x"}'],
    ['{"p3":"x","p4":"x"}', '{"p4":"x","p3":"x"}', '{"p59":"x","p0":"x"}'],
  );
});

test("a chain of 500 dependentRequired is exact, from either end", async () => {
  const properties = record(501, (i) => [`p${i}`, number]);
  const from = (first) => `{${range(501 - first, (i) => `"p${first + i}":1`).join(",")}}`;
  for (const propertyOrder of ["any", "schema"]) {
    const on = record(500, (i) => [`p${i}`, [`p${i + 1}`]]);
    await judges(
      { type: "object", properties, additionalProperties: false, dependentRequired: on },
      ["{}", '{"p500":1}', from(450)],
      ['{"p499":1}', '{"p76":1}', '{"p498":1,"p500":1}'],
      { propertyOrder },
    );
    const back = record(500, (i) => [`p${i + 1}`, [`p${i}`]]);
    await judges(
      { type: "object", properties, dependentRequired: back },
      ["{}", '{"p0":1}', '{"p0":1,"p1":1,"q":1}'],
      ['{"p1":1}', '{"p500":1}', '{"p0":1,"p2":1}'],
      { propertyOrder },
    );
  }
});

test("an array with 15 contains takes its items in any order", async () => {
  const named = (i) => ({ contains: { properties: { name: { const: `k${i}` } }, required: ["name"] } });
  const items = range(15, (i) => `{"name":"k${14 - i}"}`);
  await judges(
    { type: "array", items: { type: "object" }, allOf: range(15, named) },
    [`[${items}]`, `[{},${items},${items[3]}]`],
    [`[${items.slice(1)}]`, `[${items.slice(1)},{}]`, "[]"],
  );
  const inside = (i) => ({ contains: { minimum: 10 * i, maximum: 10 * i + 15 } });
  const numbers = range(15, (i) => 10 * i + 7);
  await judges(
    { type: "array", items: { type: "integer" }, allOf: range(15, inside) },
    [`[${numbers}]`, `[${[...numbers].reverse()}]`, "[12,32,52,72,92,112,132,147]", `[200,${numbers},200]`],
    [`[${numbers.slice(1)}]`, "[12,32,52,72,92,112,132]", "[7,8,9]"],
  );
  const twice = (i) => ({ contains: { const: i }, minContains: 1, maxContains: 2 });
  const all = range(15, (i) => i);
  await judges(
    { type: "array", maxItems: 17, allOf: range(15, twice) },
    [`[${all}]`, `["x",${all},3]`, `[3,${all},4]`],
    [`[${all.slice(1)}]`, `[3,3,${all}]`, `["x","x","x",${all}]`],
  );
});

test("forty negated objects, each of which a property can violate in two ways, are exact", async () => {
  const negated = (i) => ({
    not: { properties: { a: { maximum: i } }, patternProperties: { "^a$": { minimum: -i } } },
  });
  const documents = [40, -40, 39, -39, 0].map((a) => `{"a":${a}}`);
  await judges({ type: "object", allOf: range(40, negated) }, documents.slice(0, 2), documents.slice(2));
});

test("a property may witness nine obligations, in 512 ways, but not ten", async () => {
  const negated = (multipleOf) => ({ not: { additionalProperties: { multipleOf } } });
  const all = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29].map(negated);
  await judges({ type: "object", allOf: all.slice(1) }, ['{"a":1}', '{"a":3,"b":1}'], ['{"a":3}', "{}"]);
  await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { type: "object", allOf: all } }), {
    code: "grammar-unsupported",
  });
});

test("where too many items overlap, the refusal names contains", async () => {
  const overlapping = { items: { type: "object" }, allOf: range(8, (i) => ({ contains: { required: [`k${i}`] } })) };
  await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { properties: { a: overlapping } } }), {
    code: "grammar-unsupported",
    pointer: "/properties/a/allOf/7",
    keyword: "contains",
    message: /\/properties\/a\/allOf\/7\/contains: .*\b16\b.*\b64\b/,
  });
});

test("a refusal of too many alternatives names the limit and a remedy", async () => {
  const arrays = range(10_000, (i) => [i]);
  const choice = (i) => ({ anyOf: [{ minItems: 1 + i }, { maxItems: 100 + i }] });
  for (const [part, pattern] of /** @type {const} */ ([
    [{ enum: arrays }, /\/properties\/a\/enum: .* 8,192 arrays; instead ask for a string/],
    [{ allOf: range(20, choice) }, /\/properties\/a\/allOf\/\d+\/anyOf: .*1,024 ways .*; in each alternative require/],
    [{ not: { prefixItems: range(7, () => ({})), items: string } }, /\/properties\/a\/not\/items: .* it is negated/],
  ]))
    await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { properties: { a: part } } }), {
      code: "grammar-unsupported",
      message: pattern,
    });
});

// ---- against a reference -------------------------------------------------------------------------------------------

const keys = ["a", "b", "c", "d"];
const values = ["1", '"x"', "true", "{}"];
const documents = range(16, (set) => keys.filter((_, i) => (set >> i) & 1)).flatMap((present) =>
  range(values.length ** present.length, (number) =>
    present.map((key, i) => `"${key}":${values[Math.floor(number / values.length ** i) % values.length]}`),
  ).map((members) => `{${members.join(",")}}`),
);

/** A schema of objects with the keys above. */
function randomSchema(below, depth) {
  const key = () => keys[below(4)];
  const some = (make) => range(1 + below(2), make);
  const part = () => randomSchema(below, depth - 1);
  const value = () =>
    [number, string, { const: "x" }, { enum: [1, "x"] }, { not: string }, true, { type: "object" }][below(7)];
  const schema = {};
  for (let i = 0; i < 2; i++)
    switch (below(depth ? 12 : 6)) {
      case 0:
        schema.required = [...new Set(some(key))];
        break;
      case 1:
      case 2:
        schema.properties = Object.fromEntries(some(() => [key(), value()]));
        break;
      case 3:
        schema.dependentRequired = Object.fromEntries(some(() => [key(), [key()]]));
        break;
      case 4:
        schema[below(2) ? "minProperties" : "maxProperties"] = 1 + below(2);
        break;
      case 5:
        schema.additionalProperties = value();
        break;
      case 6:
      case 7:
        schema.oneOf = range(2 + below(2), part);
        break;
      case 8:
        schema.anyOf = range(2 + below(2), part);
        break;
      case 9:
        schema.not = part();
        break;
      case 10:
        Object.assign(schema, { if: part(), then: part(), else: part() });
        break;
      default:
        schema.dependentSchemas = Object.fromEntries(some(() => [key(), part()]));
    }
  return schema;
}

// There are so many ways to be an object that choices are left open.
const ballast = { dependentRequired: record(12, (i) => [`z${i}`, ["z"]]) };

test("open choices agree with a reference on every small object", async () => {
  const random = randomFrom(16);
  const below = (count) => Math.floor(random() * count);
  let valid = 0;
  let compared = 0;
  for (let i = 0; i < 30; i++) {
    const schema = { type: "object", ...randomSchema(below, 2), allOf: [randomSchema(below, 2), ballast] };
    const table = readTable(writeSchema(schema));
    const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, propertyOrder: "any" });
    for (const text of documents) {
      const expected = isValid(table, parseJson(text));
      assert.equal(!grammar.isEmpty && takes(grammar, text), expected, `${JSON.stringify(schema)} and ${text}`);
      valid += expected;
      compared++;
    }
    grammar.dispose();
  }
  assert.ok(compared > 10_000 && valid > 500 && compared - valid > 500, `${valid} of ${compared} are valid`);
});

test("open choices lead to no dead end and no false end", async () => {
  const random = randomFrom(17);
  const below = (count) => Math.floor(random() * count);
  const likely = new Set([...'"abcdzx1,:{}'].map((character) => character.charCodeAt(0)));
  let ends = 0;
  for (let i = 0; i < 30; i++) {
    const schema = { type: "object", ...randomSchema(below, 2), allOf: [randomSchema(below, 2), ballast] };
    const table = readTable(writeSchema(schema));
    const propertyOrder = i % 2 ? "any" : "schema";
    const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, propertyOrder });
    for (let walk = 0; walk < 6 && !grammar.isEmpty; walk++) {
      const matcher = grammar.matcher();
      const text = [];
      for (let token = 0; token !== EOS && text.length < 100;) {
        const mask = matcher.bitmask();
        const allowed = range(257, (id) => id).filter((id) => (mask[id >> 5] >>> (id & 31)) & 1);
        assert.ok(allowed.length, `${JSON.stringify(schema)} after ${Buffer.from(text)}`);
        const better = allowed.filter((id) => id === EOS || likely.has(id));
        token = better.length && below(10) ? better[below(better.length)] : allowed[below(allowed.length)];
        if (token === EOS) {
          const read = Buffer.from(text).toString();
          const isTwin = (/("[a-z]+").*\1/.exec(read) ?? []).length > 0;
          assert.ok(isTwin || isValid(table, parseJson(read)), `${JSON.stringify(schema)} and ${read}`);
          ends++;
        } else {
          assert.ok(matcher.accept(token));
          text.push(token);
        }
      }
      matcher.dispose();
    }
    grammar.dispose();
  }
  assert.ok(ends > 50, `${ends} walks ended`);
});
