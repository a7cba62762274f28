// What shows only with a vocabulary of real size: masks of items that must differ, and the work of masks. Work is
// counted in fuel, so it is the same everywhere.
import assert from "node:assert/strict";
import test from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { openLlama3 } from "../oracle/vocabulary.js";
import { tagsOf, toolSet } from "../vectors/tool-sets.js";

const { tokens, eos, encode } = openLlama3();
const vocabulary = await prepareVocabulary({ tokens, eos });
const isSet = (mask, token) => ((mask[token >> 5] >>> (token & 31)) & 1) === 1;

/** @param {object} properties @param {string[]} [required] */
const closed = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const different = (items) => ({ type: "array", uniqueItems: true, items });
const text = { type: "string", minLength: 1 };

/** What masks may cost: some 20 ms. */
const WORK = 60_000;

/** @type {[name: string, items: object, document: any[]][]} */
const cases = [
  ["names", closed({ name: text }), [{ name: "Alice" }, { name: "Bob" }, { name: "Al" }]],
  [
    "short names",
    closed({ name: { type: "string", minLength: 1, maxLength: 2 } }, []),
    [{ name: "ab" }, { name: "a" }, {}],
  ],
  ["e-mail", closed({ mail: { type: "string", format: "email" } }), [{ mail: "a@b.co" }, { mail: "a@b.com" }]],
  [
    "slugs beside names",
    closed({ name: text, slug: { type: "string", pattern: "^[a-z0-9-]+$" } }),
    [{ name: "Al", slug: "al-1" }, { name: "Al", slug: "al-2" }, { name: "Bo", slug: "al-1" }], // prettier-ignore
  ],
  [
    "ids",
    closed({ id: { type: "integer" }, name: text }),
    [
      { id: 1, name: "A" },
      { id: 12, name: "A" },
    ],
  ],
  [
    "few ids",
    closed({ id: { type: "integer", minimum: 0, maximum: 3 } }),
    [{ id: 1 }, { id: 0 }, { id: 3 }, { id: 2 }],
  ],
  ["multiples", closed({ a: { type: "number", multipleOf: 25 } }), [{ a: 75 }, { a: 100 }]],
  ["open objects", { type: "object", properties: { name: text }, required: ["name"] }, [{ name: "B", x: 1 }, { name: "B", x: 2 }, { name: "B" }]], // prettier-ignore
  ["arrays", different({ type: "string" }), [["a", "b"], ["a"], ["b", "a"], []]],
  ["nested objects", closed({ a: closed({ b: text }), c: { enum: ["x", "y"] } }), [{ a: { b: "1" }, c: "x" }, { a: { b: "1" }, c: "y" }]], // prettier-ignore
];

for (const [name, items, document] of cases)
  test(`different ${name}: masks allow readable items and no repeated item, with little work`, async () => {
    const jsonSchema = different(items);
    const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact", stepFuel: WORK });
    const matcher = grammar.matcher();
    for (const token of encode(JSON.stringify(document))) {
      assert.ok(isSet(matcher.bitmask(), token), `${JSON.stringify(Buffer.from(tokens[token]).toString())} is offered`);
      assert.ok(matcher.accept(token));
    }
    assert.ok(matcher.isAccepting);
    for (const item of document)
      for (const first of document) {
        matcher.reset();
        const isRead = matcher.acceptBytes(JSON.stringify([first, item]));
        assert.equal(isRead, item !== first, JSON.stringify([first, item]));
      }
    matcher.dispose();
    grammar.dispose();
  });

test("in arrays of different items exactly the tokens of the mask are accepted", async () => {
  const grammar = await compileGrammar({
    vocabulary,
    jsonSchema: different(closed({ id: { type: "integer", minimum: 0, maximum: 30 }, name: text })),
    whitespace: "compact",
  });
  const matcher = grammar.matcher();
  for (const begun of [
    '[{"id":1,"name":"Al"},',
    '[{"id":1,"name":"Al"},{"id":',
    '[{"id":1,"name":"Al"},{"id":1,"name":"',
    '[{"id":1,"name":"Al"},{"id":1,"name":"A',
  ]) {
    matcher.reset();
    assert.ok(matcher.acceptBytes(begun));
    const mask = matcher.bitmask().slice();
    let offered = 0;
    for (let token = 0; token < tokens.length; token++) {
      // Spare digits and needless escapes are read but not proposed.
      const isOdd =
        tokens[token].some((byte) => byte === 0x5c) || /[.eE]|^-/.test(Buffer.from(tokens[token]).toString("latin1"));
      if (!tokens[token].length || (isOdd && !isSet(mask, token))) continue;
      const isRead = matcher.accept(token);
      if (isRead) matcher.rollback(1);
      assert.equal(isSet(mask, token), isRead, `${begun}|${Buffer.from(tokens[token])}`);
      offered += Number(isRead);
    }
    assert.ok(offered > 0);
  }
  matcher.dispose();
  grammar.dispose();
});

test("masks of patterns and formats with lengths, look-aheads and alternatives take bounded work", async () => {
  /** @type {[object, string, number][]} */
  const bounds = [
    [{ format: "email", minLength: 2 }, "alice.smith@example.com", WORK],
    [{ format: "email", minLength: 30 }, "alice.smith.alice.smith.alice@example.com", WORK],
    [{ pattern: "^(?!.*a.{12}b)(?!.*c.{12}d).*$" }, "banana and cherry pie", 2 * WORK],
    [{ pattern: "^(?=.{5,})(?=.{0,90}$)(?=[^x]{3,})(?=.{2,80}$)(?=.{1,70}$).*$" }, "some text that is long", WORK],
    [{ pattern: `^${[..."abcdefghij"].map((letter) => `(?=.*${letter})`).join("")}.*$` }, "abcdefghij", 2 * WORK],
    [
      { oneOf: ["alpha", "beta", "gamma", "delta", "epsilon"].map((pattern) => ({ pattern })) },
      "the alpha of it",
      WORK,
    ],
    [{ pattern: "^(?!.*://)(?=.{1,255}$)((.{1,63}\\.){1,127}(?![0-9]*$)[a-z0-9-]+\\.?)$" }, "www.example.com", 100_000],
  ];
  for (const [schema, document, stepFuel] of bounds) {
    const grammar = await compileGrammar({ vocabulary, jsonSchema: { type: "string", ...schema }, stepFuel });
    const matcher = grammar.matcher();
    for (const token of encode(JSON.stringify(document))) {
      assert.ok(isSet(matcher.bitmask(), token), JSON.stringify(schema));
      assert.ok(matcher.accept(token));
    }
    matcher.dispose();
    grammar.dispose();
  }
});

/** Checks that the mask allows exactly the tokens that are read. A redundant escape is read but not proposed. */
function assertExact(matcher, what) {
  const mask = matcher.bitmask().slice();
  for (let token = 0; token < tokens.length; token++) {
    if (tokens[token].length === 0) continue;
    const isRead = matcher.accept(token);
    if (isRead) matcher.rollback(1);
    if (isRead !== isSet(mask, token) && !(isRead && tokens[token].includes(92)))
      assert.fail(`${what}: token ${token} is ${isRead ? "read" : "not read"}`);
  }
}

test("keys that patterns tell apart cost little more than a walk, and their masks are exact", async () => {
  const patternProperties = {
    "netdir_(projects|work|scratch|share)": closed({ a: text }),
    "netdrv_([a-z]+)": closed({ b: text }),
    "net_[a-z]+[0-9]+": closed({ c: text }),
  };
  const jsonSchema = { type: "object", patternProperties };
  const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact", stepFuel: 25_000 });
  const document = { netdir_work: { a: "x" }, netdrv_a: { b: "y" }, net_abc1: { c: "z" }, other: 1 };
  const matcher = grammar.matcher();
  for (const [step, token] of encode(JSON.stringify(document)).entries()) {
    assert.ok(isSet(matcher.bitmask(), token), `step ${step}`);
    if (step < 4) assertExact(matcher, `step ${step}`);
    matcher.accept(token);
  }
  assert.ok(eos.some((token) => isSet(matcher.bitmask(), token)));
});

test("20,000 strings, and objects with 20,000 names, are masked exactly and with little work", async () => {
  const names = tokens.slice(1000, 21_000).map((bytes, i) => `C${new TextDecoder().decode(bytes)} ${i % 97}`);
  const schemas = [
    { enum: [...new Set(names)] },
    { enum: [...new Set(names)].map((name, at) => ({ name, at: at * 1.5, all: [true, null] })) },
  ];
  for (const jsonSchema of schemas) {
    const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact", stepFuel: WORK });
    for (const at of [0, 7_000, 19_000]) {
      const matcher = grammar.matcher();
      for (const [step, token] of encode(JSON.stringify(jsonSchema.enum[at])).entries()) {
        assert.ok(isSet(matcher.bitmask(), token), `constant ${at}, step ${step}`);
        if (at === 7_000 && step < 6) assertExact(matcher, `step ${step}`);
        matcher.accept(token);
      }
      assert.ok(eos.some((token) => isSet(matcher.bitmask(), token)));
    }
  }
});

test("400 tools take bounded work: to compile, and for the masks of free text and of a call", async () => {
  const tools = toolSet(400);
  const rules = tagsOf(tools).format.tags.map(({ begin, content }) => [begin, content]);
  const begun = `Well. <function=${tools[0].name}>{`;
  for (const [source, fuel, stepFuel] of [
    [{ structuralTags: tagsOf(tools) }, 30_000, 10_000],
    [{ structuralTags: { format: { type: "dispatch", rules } } }, 45_000, 10_000],
    [{ toolCalls: { tools, style: "llama3" } }, 30_000, 10_000],
    [{ toolCalls: { tools, style: "hermes" } }, 50_000, 17_000],
    [{ toolCalls: { tools, style: "qwen3Coder" } }, 180_000, 40_000],
  ]) {
    const grammar = await compileGrammar({ vocabulary, ...source, fuel, stepFuel });
    const matcher = grammar.matcher();
    for (const letter of begun) {
      assert.ok(matcher.bitmask().some((word) => word));
      if (!matcher.acceptBytes(letter)) break;
    }
    matcher.dispose();
    grammar.dispose();
  }
});
