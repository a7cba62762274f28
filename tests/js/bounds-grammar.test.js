// The bounds that grammars and regular expressions give: exactly where a count, a range or a length begins and ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { knownDialect } from "../../web/grammar/readers/schema/dialects.js";

const vocabulary = {
  tokens: [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), null],
  eos: [256],
};

/** Which of the texts a grammar takes as a whole. @param {object} source @param {string[]} texts */
async function taken(source, texts) {
  const grammar = await compileGrammar({ vocabulary, ...source });
  const matcher = grammar.matcher();
  const found = texts.filter((text) => {
    matcher.reset();
    return matcher.acceptBytes(new TextEncoder().encode(text)) && matcher.isAccepting;
  });
  grammar.dispose();
  return found;
}

const counts = Array.from({ length: 131 }, (_, count) => "a".repeat(count));
const bounds = /** @type {const} */ ([
  [9, 10],
  [10, 10],
  [10, 12],
  [12, Infinity],
  [99, 101],
  [0, 11],
]);

for (const [name, write] of /** @type {const} */ ([
  ["GBNF", (least, most) => ({ ebnf: `root ::= "a"{${least},${most}}` })],
  ["GBNF with spaces", (least, most) => ({ ebnf: `root ::= "a"{ ${least} , ${most} }` })],
  ["a regular expression", (least, most) => ({ regex: `a{${least},${most}}` })],
]))
  test(`a count of two or three digits is exact in ${name}`, async () => {
    for (const [least, most] of bounds) {
      const expected = counts.filter(({ length }) => length >= least && length <= most);
      assert.deepEqual(
        await taken(write(least, most === Infinity ? "" : most), counts),
        expected,
        `${least} to ${most}`,
      );
    }
  });

test("a single count of two or three digits is exact in GBNF, Lark and regular expressions", async () => {
  for (const count of [10, 11, 25, 100])
    for (const source of [
      { ebnf: `root ::= "a"{${count}}` },
      { lark: `start: "a"~${count}` },
      { regex: `a{${count}}` },
    ])
      assert.deepEqual(await taken(source, counts), ["a".repeat(count)], JSON.stringify(source));
});

test("a count of two digits with both bounds is exact in Lark", async () => {
  for (const [least, most] of bounds.filter(([, most]) => most !== Infinity)) {
    const expected = counts.filter(({ length }) => length >= least && length <= most);
    assert.deepEqual(await taken({ lark: `start: "a"~${least}..${most}` }, counts), expected, `${least} to ${most}`);
  }
});

test("each draft has the keywords of its specification, and no others", () => {
  const since = {
    4: "$ref type enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems required minProperties maxProperties allOf anyOf oneOf not items properties patternProperties additionalProperties format",
    6: "const contains propertyNames",
    7: "if then else",
    2019: "minContains maxContains dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties",
    2020: "$dynamicRef prefixItems",
  };
  const addresses = {
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
  };
  for (const [draft, address] of Object.entries(addresses)) {
    const dialect = knownDialect(address);
    assert.equal(dialect?.draft, Number(draft));
    assert.equal(dialect.refStandsAlone, Number(draft) <= 7);
    assert.equal(dialect.idWord, draft === "4" ? "id" : "$id");
    for (const [first, list] of Object.entries(since))
      for (const word of list.split(" "))
        assert.equal(dialect.knows(word), Number(first) <= Number(draft), `${word} in draft ${draft}`);
    assert.equal(dialect.knows("additionalItems"), draft !== "2020");
    assert.equal(dialect.knows("$recursiveRef"), draft === "2019");
  }
});

test("a regular expression counts to two below two to the thirty-second, and no further", async () => {
  const most = 2 ** 32 - 2;
  assert.deepEqual(await taken({ regex: `a{1,${most}}` }, ["", "a", "aaa"]), ["a", "aaa"]);
  assert.deepEqual(await taken({ regex: `a{2,${most + 5}}` }, ["a", "aa", "aaa"]), ["aa", "aaa"]);
  assert.deepEqual(await taken({ regex: `b|a{${most}}` }, ["b", "a"]), ["b"]);
  await assert.rejects(taken({ regex: `a{${most + 1}}` }, []), { code: "grammar-unsupported" });
});

test("the limit in the error of a deep constant is the deepest nesting that compiles", async () => {
  const nested = (levels) => ({ const: JSON.parse("[".repeat(levels) + "]".repeat(levels)) });
  const message = await compileGrammar({ vocabulary, jsonSchema: nested(5000) }).then(
    () => assert.fail("5000 levels are too many"),
    (error) => error.message,
  );
  const [, most] = /more than (\d+) levels/.exec(message) ?? assert.fail(message);
  const levels = Number(most);
  const text = "[".repeat(levels) + "]".repeat(levels);
  assert.deepEqual(await taken({ jsonSchema: nested(levels) }, [text]), [text]);
  await assert.rejects(taken({ jsonSchema: nested(levels + 1) }, []), { message });
});

test("a character class of GBNF is the union of its ranges, in whatever order and however they overlap", async () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  for (const ranges of [
    "a-cb-x",
    "b-xa-c",
    "a-cc-e",
    "a-cd-f",
    "a-ce-f",
    "f-hb-da-z",
    "m",
    "aa-a",
    "c-ea-bh",
    "x-zb-yc",
  ]) {
    const isIn = (letter) => new RegExp(`[${ranges}]`).test(letter);
    assert.deepEqual(await taken({ ebnf: `root ::= [${ranges}]` }, letters), letters.filter(isIn), ranges);
    const others = letters.filter((letter) => !isIn(letter));
    assert.deepEqual(await taken({ ebnf: `root ::= [^${ranges}]` }, letters), others, `not ${ranges}`);
  }
});

test("the classes of regular expressions hold the characters that RegExp says, each of the first 70,000", async () => {
  const points = Array.from({ length: 70_000 }, (_, point) => point).filter(
    (point) => point < 0xd800 || point > 0xdfff,
  );
  const characters = points.map((point) => String.fromCodePoint(point));
  for (const expression of [/\s/u, /\w/u, /\W/iu, /\w/iu, /./u, /[^\d]/u, /[a-z]/iu, /[A-Z]/i, /[^m]/u]) {
    const expected = characters.filter((character) => expression.test(character));
    const found = await taken({ regex: expression }, characters);
    assert.deepEqual(found, expected, String(expression));
  }
});
