// Long lists of constant objects, which are read as one sorted list rather than one by one. A text is judged by
// JSON.parse and by comparison with every constant.
import assert from "node:assert/strict";
import test from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";

const encoder = new TextEncoder();
const words = ["alpha", "beta", "gamma", "delta", "é", "日", 'a"b', "a\\b", "a\nb", "", "alp", "alpha beta"];
const pieces = ['{"', '":', ',"', '"}', "al", "alpha", "ta", "00", "12", ".0", '\\"', "\\u00", "é".slice(0, 1), '":"'];
const vocabulary = await prepareVocabulary({
  tokens: [
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    new Uint8Array(),
    ...pieces.map((piece) => encoder.encode(piece)),
  ],
  eos: [256],
});
const isSet = (mask, id) => (mask[id >> 5] >>> (id & 31)) & 1;

/** Whole numbers from 0 to below `count`, the same every time. */
function randomFrom(seed) {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

function randomValue(random, depth) {
  switch (random(depth ? 7 : 5)) {
    case 0:
      return [null, true, false][random(3)];
    case 1:
      return random(40) - 20;
    case 2:
      return random(4000) / 100;
    case 3:
      return words[random(words.length)];
    case 4:
      return `${words[random(words.length)]}${random(300)}`;
    case 5:
      return Array.from({ length: random(3) }, () => randomValue(random, depth - 1));
    default:
      return randomObject(random, depth - 1);
  }
}

function randomObject(random, depth) {
  const keys = ["a", "ab", "b", "é", 'q"'].slice(0, random(6));
  return Object.fromEntries(keys.filter(() => random(4)).map((key) => [key, randomValue(random, depth)]));
}

const distinct = (values) => [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
/** `count` different objects, with keys in one order. */
function constantsFrom(random, count) {
  const values = [];
  while (values.length < count) values.push({ ...randomObject(random, 2), id: random(3 * count) });
  return distinct(values);
}

/** Reads the text byte by byte through masks. Returns the number of bytes read; -1: all of them, to an end. */
function walk(matcher, text) {
  const bytes = encoder.encode(text);
  for (const [at, byte] of bytes.entries()) {
    const isAllowed = isSet(matcher.bitmask(), byte) === 1;
    assert.equal(matcher.accept(byte), isAllowed, `${text.slice(0, at)} and byte ${byte}`);
    if (!isAllowed) return at;
  }
  return isSet(matcher.bitmask(), 256) ? -1 : bytes.length;
}

/** A text with one change: a character dropped, doubled or replaced. */
function spoilt(random, text) {
  const at = random(text.length);
  const put = ["", text[at] + text[at], '"', "}", ",", "1", "a", "\\", " ", "0"][random(10)];
  return text.slice(0, at) + put + text.slice(at + 1);
}

function meaning(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

for (const [name, whitespace, indent] of [
  ["without whitespace", "compact", undefined],
  ["with any whitespace", "flexible", 1],
  ["indented", { indent: 3 }, 3],
])
  test(`a long enum reads exactly its constants, ${name}`, async () => {
    const random = randomFrom(17);
    const constants = constantsFrom(random, 700);
    const texts = new Set(constants.map((value) => JSON.stringify(value)));
    const grammar = await compileGrammar({ vocabulary, jsonSchema: { enum: constants }, whitespace });
    const spell = (value) => JSON.stringify(value, null, indent);
    let refused = 0;
    for (let round = 0; round < 400; round++) {
      const text = spell(constants[random(constants.length)]);
      if (round < 100) assert.equal(walk(grammar.matcher(), text), -1, text);
      const other = spoilt(random, text);
      const isOne = texts.has(meaning(other) ?? "");
      const matcher = grammar.matcher();
      const isRead = matcher.acceptBytes(encoder.encode(other)) && isSet(matcher.bitmask(), 256) === 1;
      // Where spelling is free, all spellings of a constant are read. A redundant key is not, though JSON.parse reads
      // it.
      if (!isOne || whitespace === "flexible") assert.equal(isRead, isOne, other);
      refused += isRead ? 0 : 1;
    }
    assert.ok(refused > 200, String(refused));
  });

test("a mask within a long list allows what each token's bytes allow", async () => {
  const random = randomFrom(5);
  const constants = constantsFrom(random, 900);
  const grammar = await compileGrammar({ vocabulary, jsonSchema: { enum: constants } });
  const strings = await compileGrammar({
    vocabulary,
    jsonSchema: {
      enum: Array.from({ length: 900 }, () => words[random(words.length)] + words[random(6)] + random(900)),
    },
  });
  for (const of of [grammar, strings])
    for (let round = 0; round < 60; round++) {
      const matcher = of.matcher();
      for (let step = 0; step < 40; step++) {
        const mask = matcher.bitmask().slice();
        const allowed = [];
        for (let id = 0; id < vocabulary.size; id++) {
          if (id === 256) continue;
          const isRead = matcher.accept(id);
          if (isRead) matcher.rollback(1);
          if (isSet(mask, id)) assert.ok(isRead, `token ${id}`);
          if (isSet(mask, id)) allowed.push(id);
          // Single bytes may read what no mask proposes: a redundant escape.
          if (isRead && id > 256 && !pieces[id - 257].includes("\\")) assert.ok(isSet(mask, id), pieces[id - 257]);
        }
        if (allowed.length === 0) break;
        matcher.accept(allowed[random(allowed.length)]);
      }
    }
});

test("in long lists strings may be escaped and numbers may end in zeros", async () => {
  const constants = Array.from({ length: 1000 }, (_, i) => ({ name: `n${i}/`, size: i / 4, whole: i }));
  const grammar = await compileGrammar({ vocabulary, jsonSchema: { enum: constants }, numbers: "any" });
  const reads = (text) => walk(grammar.matcher(), text) === -1;
  assert.ok(reads('{"name":"n6/","size":1.5,"whole":6}'));
  assert.ok(grammar.matcher().acceptBytes('{"\\u006eame":"\\u006e6\\/","size":1.500,"whole":6.0}'));
  assert.ok(reads('{"name":"n6/","size":1.50,"whole":6.00}'));
  assert.ok(reads('{"name":"n4/","size":1.0,"whole":4}'));
  for (const text of [
    '{"name":"n6/","size":1.5,"whole":7}',
    '{"name":"n6/","size":1.5,"whole":60}',
    '{"name":"n6/","size":1.5,"whole":6.}',
    '{"name":"n6/","size":1.5.0,"whole":6}',
    '{"name":"n6/","size":01.5,"whole":6}',
    '{"size":1.5,"name":"n6/","whole":6}',
    '{"name":"n6/","size":1.5}',
    '{"name":"n6/","size":1.5,"whole":6,"name":"n6/"}',
  ])
    assert.ok(!reads(text), text);
  // Before its name a constant may have any of a thousand numbers.
  const numbered = constants.map(({ size, name }) => ({ size, name }));
  const first = (await compileGrammar({ vocabulary, jsonSchema: { enum: numbered }, numbers: "any" })).matcher();
  for (const [size, name, isRead] of /** @type {const} */ ([
    ["1.50", "n6/", true],
    ["1.500", "n6/", true],
    ["1.0", "n4/", true],
    ["1.00", "n4/", true],
    ["1.", "n4/", false],
    ["1.01", "n4/", false],
    ["1.005", "n4/", false],
    [`1.${"0".repeat(99)}`, "n4/", false],
    ["1.50", "n7/", false],
  ])) {
    first.reset();
    assert.equal(first.acceptBytes(`{"size":${size},"name":"${name}"}`), isRead, size);
  }
  const canonical = await compileGrammar({ vocabulary, jsonSchema: { enum: constants }, numbers: "canonical" });
  assert.equal(walk(canonical.matcher(), '{"name":"n6/","size":1.5,"whole":6}'), -1);
  assert.equal(walk(canonical.matcher(), '{"name":"n6/","size":1.50'), 24);
});

test("long lists read numbers where few differ, with an exponent, and at the ends of doubles", async () => {
  const sizes = [1e300, 1e-300, 12, 0.001, 1e21, 123456789012345680000, 1e-7, 0.000001, 0, -5];
  const constants = Array.from({ length: 1000 }, (_, i) => ({ size: sizes[i % sizes.length], id: `n${i}` }));
  const grammar = await compileGrammar({ vocabulary, jsonSchema: { enum: constants } });
  for (const [i, size] of sizes.entries()) {
    assert.equal(walk(grammar.matcher(), `{"size":${size.toExponential()},"id":"n${i}"}`), -1, String(size));
    if (!String(size).includes("e")) assert.equal(walk(grammar.matcher(), `{"size":${size},"id":"n${i}"}`), -1);
  }
  assert.notEqual(walk(grammar.matcher(), '{"size":12,"id":"n3"}'), -1);
  const many = Array.from({ length: 1000 }, (_, i) => ({ size: sizes[i % sizes.length] * (1 + i), id: `n${i}` }));
  const all = await compileGrammar({ vocabulary, jsonSchema: { enum: many } });
  for (const value of many.slice(0, 50)) {
    const matcher = all.matcher();
    assert.ok(matcher.acceptBytes(JSON.stringify(value)), JSON.stringify(value));
  }
});

test("other keywords beside a long enum leave out constants and decide the order of keys", async () => {
  const constants = Array.from({ length: 1200 }, (_, i) => ({ id: i, place: { x: i % 7, y: `r${i % 5}` } }));
  const jsonSchema = {
    enum: constants,
    properties: { place: { properties: { y: { type: "string", pattern: "[024]" } } }, id: { minimum: 300 } },
    required: ["place"],
  };
  const grammar = await compileGrammar({ vocabulary, jsonSchema });
  const orders = [
    ({ id, place: { x, y } }) => `{"id":${id},"place":{"x":${x},"y":"${y}"}}`,
    ({ id, place: { x, y } }) => `{"id":${id},"place":{"y":"${y}","x":${x}}}`,
    ({ id, place: { x, y } }) => `{"place":{"x":${x},"y":"${y}"},"id":${id}}`,
    ({ id, place: { x, y } }) => `{"place":{"y":"${y}","x":${x}},"id":${id}}`,
  ];
  const small = await compileGrammar({ vocabulary, jsonSchema: { ...jsonSchema, enum: constants.slice(400, 500) } });
  for (const order of orders) {
    const isRead = walk(small.matcher(), order(constants[442])) === -1;
    for (const value of constants.filter((_, i) => i % 37 === 0)) {
      const holds = value.id >= 300 && /[024]/.test(value.place.y);
      assert.equal(walk(grammar.matcher(), order(value)) === -1, isRead && holds, order(value));
    }
  }
});

test("anyOf and oneOf of constants are long lists too, and oneOf leaves out duplicates", async () => {
  const constants = Array.from({ length: 3000 }, (_, i) => ({
    point: [i % 60, Math.floor(i / 60)],
    even: i % 2 === 0,
  }));
  const alternatives = constants.map((value) => ({ const: value }));
  const twice = [
    ...alternatives,
    { enum: [constants[7], constants[7], { point: [] }] },
    { title: "again", const: constants[9] },
  ];
  const read = async (schema, value) => {
    const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, stepFuel: 30_000 });
    return walk(grammar.matcher(), JSON.stringify(value)) === -1;
  };
  assert.ok(await read({ oneOf: alternatives }, constants[2999]));
  assert.ok(await read({ anyOf: twice }, constants[7]));
  assert.ok(await read({ oneOf: twice }, constants[8]));
  assert.ok(await read({ oneOf: twice }, { point: [] }));
  assert.ok(!(await read({ oneOf: twice }, constants[7])));
  assert.ok(!(await read({ oneOf: twice }, constants[9])));
  const nothing = await compileGrammar({ vocabulary, jsonSchema: { oneOf: [{ const: {} }, { const: {} }] } });
  assert.equal(nothing.isEmpty, true);
  const few = { oneOf: [...alternatives.slice(6, 10), { const: constants[7] }] };
  assert.ok(!(await read({ not: few }, constants[8])));
  assert.ok(await read({ not: few }, constants[7]));
});

test("items from a long list that must differ do differ", async () => {
  const constants = Array.from({ length: 600 }, (_, i) => ({ id: `n${i}` }));
  const jsonSchema = { type: "array", items: { enum: constants }, uniqueItems: true, minItems: 2 };
  const grammar = await compileGrammar({ vocabulary, jsonSchema });
  assert.equal(walk(grammar.matcher(), '[{"id":"n5"},{"id":"n51"},{"id":"n6"}]'), -1);
  assert.equal(walk(grammar.matcher(), '[{"id":"n5"},{"id":"n5"}]'), 22);
});

test("20,000 objects are compiled and masked within little fuel", async () => {
  const constants = Array.from({ length: 20_000 }, (_, i) => ({
    id: `n${i}`,
    size: (i * 7919) % 20_011,
    tags: [words[i % 4]],
  }));
  const schemas = [{ enum: constants }, { oneOf: constants.map((value) => ({ const: value })) }];
  for (const jsonSchema of schemas) {
    const options = { vocabulary, jsonSchema: { properties: { a: jsonSchema } }, stepFuel: 5_000, fuel: 2_000_000 };
    const grammar = await compileGrammar(options);
    assert.equal(walk(grammar.matcher(), `{"a":${JSON.stringify(constants[17_654])}}`), -1);
    await assert.rejects(compileGrammar({ ...options, propertyOrder: "any" }), {
      code: "grammar-unsupported",
      pointer: "/properties/a",
      keyword: "enum" in jsonSchema ? "enum" : "oneOf",
    });
  }
});

test("the intersection of lists of strings holds the common strings, in any order", async () => {
  const random = randomFrom(23);
  for (let round = 0; round < 40; round++) {
    const all = Array.from({ length: 24 }, (_, i) => `${words[i % 5]}${i}`);
    const shuffled = () => {
      const left = [...all];
      return Array.from({ length: 14 }, () => left.splice(random(left.length), 1)[0]);
    };
    const [first, second, third] = [shuffled(), shuffled(), shuffled()];
    const jsonSchema = { allOf: [{ enum: first }, { enum: second }], not: { enum: third } };
    const grammar = await compileGrammar({ vocabulary, jsonSchema });
    for (const text of all) {
      const isIn = first.includes(text) && second.includes(text) && !third.includes(text);
      assert.equal(grammar.matcher().acceptBytes(JSON.stringify(text)), isIn, `round ${round}: ${text}`);
    }
    grammar.dispose();
  }
});
