// What grammars cost in fuel, and where they are refused instead: what looks harmless must not be expensive.
import assert from "node:assert/strict";
import test from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";

const encoder = new TextEncoder();
const EOS = 256;
const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
/** Bytes, and many words of two and three letters: alone, after a quote, in quotes, and with what follows a key. */
const pairs = letters.flatMap((a) => letters.map((b) => a + b));
const words = [...pairs, ...pairs.flatMap((word) => [`"${word}`, `${word}"`, `${word}":`, `${word}ed`, `x${word}"`])];
const vocabulary = await prepareVocabulary({
  tokens: [
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    new Uint8Array(),
    ...words.map((word) => encoder.encode(word)),
  ],
  eos: [EOS],
});

const isSet = (mask, id) => (mask[id >> 5] >>> (id & 31)) & 1;

/** Reads the text byte by byte through masks, each within the fuel. */
async function read(jsonSchema, text, { stepFuel, ...options }) {
  const grammar = await compileGrammar({ vocabulary, jsonSchema, stepFuel, ...options });
  const matcher = grammar.matcher();
  for (const byte of encoder.encode(text)) {
    assert.ok(isSet(matcher.bitmask(), byte), String.fromCharCode(byte));
    assert.ok(matcher.accept(byte));
  }
  matcher.bitmask();
  const { isAccepting } = matcher;
  matcher.dispose();
  grammar.dispose();
  return isAccepting;
}

test("a schema that is empty anyway is found empty without counting values", async () => {
  const schema = { type: "string", oneOf: [{ format: "uri" }, { format: "hostname" }] };
  const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, fuel: 100_000 });
  const matcher = grammar.matcher();
  assert.ok(matcher.acceptBytes('"example.org"'));
  matcher.rollback(1);
  assert.ok(matcher.acceptBytes('"http://example.org"'));
});

test("objects in an array of different items may have additional keys", async () => {
  const item = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const schema = { type: "array", uniqueItems: true, items: item };
  const text = '[{"name":"a","more":1},{"name":"b","mine":2},{"name":"a"}]';
  assert.ok(await read(schema, text, { stepFuel: 20_000 }));
  assert.ok(await read(schema, text, { stepFuel: 20_000, propertyOrder: "any" }));
});

test("keys are recorded only where their values matter", async () => {
  const text = '{"abc":{"a":1},"def":[1,2],"abcd":null}';
  assert.ok(await read({ type: "object", not: { propertyNames: false } }, text, { stepFuel: 10_000 }));
  assert.ok(await read({ type: "object", not: { additionalProperties: false } }, text, { stepFuel: 10_000 }));
});

test("objects that exclude each other need few alternatives", async () => {
  const kinds = ["ab", "bc", "cd", "de", "ef", "fg"];
  const one = (kind) => ({ type: "object", properties: { [kind]: { type: "string" } }, required: ["name", kind] });
  const schema = { type: "object", properties: { name: { type: "string" } }, oneOf: kinds.map(one) };
  const text = '{"name":"x","cd":"y","other":1}';
  assert.ok(await read(schema, text, { stepFuel: 30_000 }));
  assert.ok(await read(schema, text, { stepFuel: 30_000, propertyOrder: "any" }));
});

test("thousands of alternatives compile within their fuel, and more are refused", async () => {
  const objects = (count) => Array.from({ length: count }, (_, i) => ({ id: `n${i}`, size: i }));
  assert.ok(await read({ enum: objects(2000) }, '{"id":"n17","size":17}', { stepFuel: 120_000 }));
  const tagged = Array.from({ length: 2000 }, (_, i) => ({
    type: "object",
    properties: { type: { const: `t${i}` }, v: { type: "string" } },
    required: ["type"],
  }));
  assert.ok(await read({ anyOf: tagged }, '{"type":"t1999","v":""}', { stepFuel: 120_000 }));
  const arrays = Array.from({ length: 20_000 }, (_, i) => [i]);
  await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { properties: { a: { enum: arrays } } } }), {
    code: "grammar-unsupported",
    pointer: "/properties/a",
    keyword: "enum",
  });
});

test("every token of a mask is accepted, in arrays of different arrays", async () => {
  const items = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
  const schema = { type: "array", uniqueItems: true, items: { type: "array", uniqueItems: true, items } };
  const grammar = await compileGrammar({ vocabulary, jsonSchema: schema });
  const matcher = grammar.matcher();
  assert.ok(matcher.acceptBytes('[[{"a":"x"},{"a":"x'));
  const mask = matcher.bitmask().slice();
  assert.equal(isSet(mask, '"'.charCodeAt(0)), 0);
  for (let id = 0; id < vocabulary.size; id++) {
    if (!isSet(mask, id)) continue;
    assert.ok(matcher.accept(id), words[id - 257]);
    matcher.rollback(1);
  }
});

test("more properties than can be counted are refused by name", async () => {
  for (const minProperties of [65_537, 100_000, 1e12])
    await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { type: "object", minProperties } }), {
      code: "grammar-unsupported",
      pointer: "",
      keyword: "minProperties",
    });
  const grammar = await compileGrammar({ vocabulary, jsonSchema: { type: "object", minProperties: 65_536 } });
  assert.equal(grammar.isEmpty, false);
});

test("if different values cannot be counted, uniqueItems is refused and no schema is called empty", async () => {
  const items = {
    type: "object",
    properties: { a: { type: "boolean" }, b: { type: "boolean" } },
    minProperties: 1,
    additionalProperties: false,
  };
  const schema = { type: "array", uniqueItems: true, minItems: 3, items };
  assert.ok(await read(schema, '[{"a":true},{"b":true},{"a":true,"b":true}]', {}));
  const undecided = { ...schema, minItems: 9 };
  await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { properties: { x: undecided } } }), {
    code: "grammar-unsupported",
    pointer: "/properties/x",
    keyword: "uniqueItems",
  });
  assert.ok(await read({ ...schema, items: { type: "object", minProperties: 1 } }, '[{"a":1},{"a":2},{"b":1}]', {}));
  const empty = { ...schema, items: { type: "array", items: { type: "boolean" }, maxItems: 1 }, minItems: 4 };
  assert.equal((await compileGrammar({ vocabulary, jsonSchema: empty })).isEmpty, true);
});

// Whether an item may come depends on items within it, without end. The search gives up before the engine's stack
// overflows.
test("different items that may hold themselves are searched to a bounded depth", async () => {
  const object = { type: "object", properties: { a: { enum: [1, 2] } }, required: ["a"], additionalProperties: false };
  const items = { anyOf: [object, { $ref: "#" }] };
  const jsonSchema = { type: "array", uniqueItems: true, minItems: 2, items };
  const matcher = (await compileGrammar({ vocabulary, jsonSchema })).matcher();
  assert.ok(matcher.acceptBytes('[{"a":1},{"a":2}'));
  try {
    assert.ok(matcher.acceptBytes("]"));
  } catch (error) {
    assert.equal(error.code, "grammar-fuel");
  }
  matcher.reset();
  assert.ok(matcher.acceptBytes('[{"a":2}'));
});

test("a number spelt differently is not a different value", async () => {
  const unique = (items, more) => ({ type: "array", uniqueItems: true, items, ...more });
  const small = { type: "array", minItems: 1, maxItems: 2, items: { type: "integer", minimum: 0, maximum: 2 } };
  const options = { vocabulary, jsonSchema: unique(small, { minItems: 2, maxItems: 4 }) };
  const matcher = (await compileGrammar(options)).matcher();
  assert.ok(matcher.acceptBytes("[[1],[1,1],[1,"));
  const mask = matcher.bitmask();
  assert.deepEqual(
    ["0", "1", "2"].map((digit) => isSet(mask, digit.charCodeAt(0))),
    [1, 0, 1],
  );
  matcher.reset();
  // An earlier item that was spelt differently is equal too, and a longer exponent can make an item differ.
  for (const [jsonSchema, begun, next, reads] of [
    [unique({ type: "array", items: { type: "integer", minimum: 1, maximum: 2 } }), "[[2e+0],[2e+0", "]", false],
    [unique({ type: "array", maxItems: 1, items: { const: 2 } }), "[[2],[2e", "0", false],
    [
      unique({ type: "array", maxItems: 1, items: { type: "number", minimum: 0, maximum: 200 } }),
      "[[2],[2e",
      "1]]",
      true,
    ],
    [unique({ type: "array", maxItems: 1, items: { enum: [1, 20] } }), "[[1],[20],[", "2", false],
    [unique({ type: "array", maxItems: 1, items: { enum: [2, 20] } }), "[[2],[", "2e1]]", true],
    [unique({ type: "array", maxItems: 1, items: { enum: [2, 20] } }), "[[2.0],[", "2.0e+01]]", true],
    [unique({ type: "array", maxItems: 1, items: { minimum: 0, maximum: 0 } }), "[[0],[-0", "]", false],
    [unique({ type: "array", uniqueItems: true, items: { enum: [1, 2] }, minItems: 2 }), "[[1,2],[", "1", false],
  ]) {
    const reader = (await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact" })).matcher();
    const went = reader.acceptBytes(begun);
    assert.equal(went && reader.acceptBytes(next), reads, `${begun} ${next}`);
  }
});

test("many optional properties with a minimum count allow different items", async () => {
  const keys = Array.from({ length: 14 }, (_, i) => `k${i}`);
  const properties = Object.fromEntries(keys.map((key) => [key, { type: "boolean" }]));
  const items = { type: "object", properties, additionalProperties: false, minProperties: 3 };
  const schema = { type: "array", uniqueItems: true, minItems: 4, items };
  const item = (last, value) => `{"k0":true,"k3":false,"k${last}":${value}}`;
  const text = `[${item(12, true)},${item(12, false)},${item(13, true)},${item(13, false)}]`;
  for (const propertyOrder of ["schema", "any"]) assert.ok(await read(schema, text, { propertyOrder }));
});

test("the last of a few different items is found with little work, and none is allowed after all of them", async () => {
  const closed = (properties, more = {}) => ({ type: "object", properties, additionalProperties: false, ...more });
  const boolean = { type: "boolean" };
  /** @type {[object, any[]][]} */
  const cases = [
    [closed({ a: { enum: ["x", "y", "z"] } }, { required: ["a"] }), [{ a: "x" }, { a: "y" }, { a: "z" }]],
    [
      closed({ id: { type: "integer", minimum: 0, maximum: 3 } }, { required: ["id"] }),
      [{ id: 0 }, { id: 1 }, { id: 2 }, { id: 3 }],
    ],
    [
      closed({ a: boolean, b: boolean }, { minProperties: 2 }),
      [true, false].flatMap((a) => [true, false].map((b) => ({ a, b }))),
    ],
  ];
  for (const [items, values] of cases) {
    const jsonSchema = { type: "array", uniqueItems: true, minItems: values.length, items };
    for (const order of [values, values.toReversed()]) {
      const text = JSON.stringify(order);
      assert.ok(await read(jsonSchema, text, { stepFuel: 100_000, whitespace: "compact" }), text);
      const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact" });
      const matcher = grammar.matcher();
      assert.ok(matcher.acceptBytes(text.slice(0, -1)));
      assert.ok(!isSet(matcher.bitmask(), ",".charCodeAt(0)) && !matcher.acceptBytes(","), text);
      matcher.dispose();
      grammar.dispose();
    }
  }
});

test("the error grammar-fuel names the limit, and the option that raises it if there is one", async () => {
  const jsonSchema = { type: "array", uniqueItems: true, items: { type: "string" } };
  const frugal = await compileGrammar({ vocabulary, jsonSchema, stepFuel: 20 });
  assert.throws(() => frugal.matcher().acceptBytes('["a","b","c"'), {
    code: "grammar-fuel",
    message: /raise.*`stepFuel`/,
  });
  await assert.rejects(compileGrammar({ vocabulary, jsonSchema: { pattern: "^(ab|ac)*d{9}$" }, fuel: 10 }), {
    code: "grammar-fuel",
    message: /raise `fuel`/,
  });
  const grammar = await compileGrammar({ vocabulary, jsonSchema, stepFuel: 2 ** 32 - 1 });
  const matcher = grammar.matcher();
  matcher.acceptBytes('["');
  const step = "a".repeat(100_000);
  const fillTerms = () => Array.from({ length: 20 }, () => matcher.acceptBytes(step));
  assert.throws(fillTerms, { code: "grammar-fuel", message: /no option raises: the memory of a grammar/ });
  matcher.reset();
  assert.ok(matcher.acceptBytes('["a"]'));
});

test("the choice between many kinds of objects stays open until the object decides", async () => {
  const string = { type: "string" };
  const ways = ["executable", "function", "image", "project", "repository", "include", "file"].map((kind, i) => ({
    properties: { name: string, [kind]: string, ...(i % 2 && { args: string }) },
    required: ["name", kind],
  }));
  const schema = { type: "object", oneOf: [{ properties: { name: string, external: { const: true } } }, ...ways] };
  const options = { stepFuel: 12_000, propertyOrder: /** @type {const} */ ("any") };
  assert.ok(await read(schema, '{"image":1,"more":1,"name":"b"}', options));
  assert.ok(await read(schema, '{"external":true,"name":"b"}', options));
  await assert.rejects(read(schema, '{"external":true,"name":"b","image":"c"', options), { message: '"' });
});
