// The bounds in grammars and regular expressions: exactly where a count, a range or a length begins and ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyzeSchema, compileGrammar } from "lastinch";
import { knownDialect, nearWord } from "../../web/grammar/readers/schema/dialects.js";
import { byteVocabulary as vocabulary, taken } from "./byte-grammar.js";

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

test("a regular expression counts up to 2^32 - 2, and no further", async () => {
  const most = 2 ** 32 - 2;
  assert.deepEqual(await taken({ regex: `a{1,${most}}` }, ["", "a", "aaa"]), ["a", "aaa"]);
  assert.deepEqual(await taken({ regex: `a{2,${most + 5}}` }, ["a", "aa", "aaa"]), ["aa", "aaa"]);
  assert.deepEqual(await taken({ regex: `b|a{${most}}` }, ["b", "a"]), ["b"]);
  await assert.rejects(taken({ regex: `a{${most + 1}}` }, []), { code: "grammar-unsupported" });
});

test("the error for a deep constant names the deepest nesting that compiles", async () => {
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

test("a class of a regular expression holds the characters that RegExp's does, among the first 70,000", async () => {
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

test("a regular expression may nest 200 groups, and have any number side by side", async () => {
  const nested = (depth) => ({ regex: "(".repeat(depth) + "a" + "){1,2}".repeat(depth) });
  assert.deepEqual(await taken(nested(150), ["a", "aa", ""]), ["a", "aa"]);
  const longer = { regex: "(".repeat(190) + "a" + "b?){1,2}".repeat(190) };
  assert.deepEqual(await taken(longer, ["a", "ab", "b"]), ["a", "ab"]);
  await assert.rejects(taken(nested(201), []), { code: "grammar-syntax" });
  assert.deepEqual(await taken({ regex: "(a)".repeat(300) }, ["a".repeat(300), "a".repeat(299)]), ["a".repeat(300)]);
});

test("a needless escape is read beside escapes that mean something", async () => {
  const texts = ["12-w@.", "12-w@x", "dd-w@.", "1-w@.", "12w@."];
  assert.deepEqual(await taken({ regex: String.raw`\d{2}\-\w\@\.` }, texts), ["12-w@."]);
});

test("contains evaluates items from draft 2020-12 on, and if no draft is declared", async () => {
  const schema = { type: "array", contains: { const: 1 }, unevaluatedItems: false };
  const texts = ["[1]", "[1,1]", "[1,2]", "[2]", "[]"];
  const uri = (draft) => `https://json-schema.org/draft/${draft}/schema`;
  assert.deepEqual(await taken({ jsonSchema: schema }, texts), ["[1]", "[1,1]"]);
  assert.deepEqual(await taken({ jsonSchema: { $schema: uri("2020-12"), ...schema } }, texts), ["[1]", "[1,1]"]);
  const former = { $schema: uri("2019-09"), ...schema, unevaluatedItems: { type: "string" } };
  assert.deepEqual(await taken({ jsonSchema: former }, ["[1]", '[1,"a"]', '["a"]']), []);
});

test("without a declared draft $dynamicRef finds the outermost $dynamicAnchor", async () => {
  const jsonSchema = {
    $id: "https://example.org/outer",
    $ref: "list",
    $defs: {
      item: { $dynamicAnchor: "item", type: "string" },
      list: {
        $id: "list",
        type: "array",
        minItems: 1,
        items: { $dynamicRef: "#item" },
        $defs: { any: { $dynamicAnchor: "item", type: "number" } },
      },
    },
  };
  assert.deepEqual(await taken({ jsonSchema }, ['["a"]', "[1]"]), ['["a"]']);
});

test("a schema without dynamic references may have more than 100,000 subschemas", async () => {
  const properties = Object.fromEntries(Array.from({ length: 100_010 }, (_, i) => [`k${i}`, {}]));
  const jsonSchema = { type: "object", properties, required: ["k100009"], additionalProperties: false };
  assert.deepEqual(await taken({ jsonSchema }, ['{"k100009":1}', '{"k5":1}']), ['{"k100009":1}']);
});

test("the dot takes line breaks in the group (?s:), and neither in (?i:) nor in (?-s:)", async () => {
  assert.deepEqual(await taken({ regex: "(?i:a.)b" }, ["Axb", "a\nb", "axB"]), ["Axb"]);
  assert.deepEqual(await taken({ regex: "(?s:a.)b" }, ["axb", "a\nb"]), ["axb", "a\nb"]);
  assert.deepEqual(await taken({ regex: "(?s:(?-s:a.).)" }, ["ax\n", "a\nx"]), ["ax\n"]);
});

test("an integer may have zeros after the point, except in draft 4", async () => {
  const texts = ["1", "1.0", "1.5", "10"];
  const of = (draft) => ({
    jsonSchema: { $schema: `http://json-schema.org/draft-0${draft}/schema#`, type: "integer" },
  });
  assert.deepEqual(await taken(of(4), texts), ["1", "10"]);
  assert.deepEqual(await taken(of(6), texts), ["1", "1.0", "10"]);
});

test("references in a circle are refused beside other keywords too, but not through a part of the value", async () => {
  const circle = (last) => ({
    $ref: "#/$defs/a",
    minProperties: 1,
    $defs: {
      a: { allOf: [{ $ref: "#/$defs/b" }, { type: "object" }] },
      b: { anyOf: [{ $ref: "#/$defs/c" }, { maxProperties: 2 }] },
      c: last,
    },
  });
  await assert.rejects(taken({ jsonSchema: { allOf: [{ $ref: "#" }] } }, []), { code: "grammar-schema" });
  await assert.rejects(taken({ jsonSchema: circle({ allOf: [{ $ref: "#/$defs/a" }, true] }) }, []), {
    code: "grammar-schema",
  });
  const deep = circle({ properties: { x: { $ref: "#/$defs/a" } } });
  assert.deepEqual(await taken({ jsonSchema: deep }, ['{"x":{}}', "{}"]), ['{"x":{}}']);
});

test("a meta-schema among the remotes says which vocabularies count, and an unknown one is reported", async () => {
  const meta = "https://example.org/meta";
  const vocabularyOf = (name) => `https://json-schema.org/draft/2020-12/vocab/${name}`;
  const $vocabulary = { [vocabularyOf("core")]: true, [vocabularyOf("applicator")]: true };
  const jsonSchema = { $schema: meta, properties: { a: { const: 1 } }, required: ["a"], minProperties: 5 };
  const remotes = { [meta]: { $schema: "https://json-schema.org/draft/2020-12/schema", $id: meta, $vocabulary } };
  assert.deepEqual(await taken({ jsonSchema, remotes }, ["{}", '{"a":2}', "7"]), ["{}", '{"a":2}', "7"]);
  // Draft 7 has no vocabularies, and a meta-schema that lists none has those of its draft.
  for (const own of [
    { $schema: "http://json-schema.org/draft-07/schema#", $id: meta, $vocabulary },
    { $schema: "https://json-schema.org/draft/2020-12/schema", $id: meta },
  ])
    assert.deepEqual(await taken({ jsonSchema, remotes: { [meta]: own } }, ["{}", '{"a":2}', "7"]), ["7"]);
  const { warnings } = await compileGrammar({ vocabulary, jsonSchema: { $schema: "https://example.org/none" } });
  assert.deepEqual(
    warnings.map(({ keyword }) => keyword),
    ["$schema"],
  );
});

test("numbers that are not token ids are refused as ends and as special tokens", async () => {
  for (const id of [1.5, -1, 257, "1", NaN])
    for (const wrong of [{ eos: [id] }, { eos: [256], special: { "<x>": id } }])
      await assert.rejects(compileGrammar({ vocabulary: { ...vocabulary, ...wrong }, regex: "a" }), {
        name: "RangeError",
        code: "out-of-range",
      });
});

test("a clone has the snapshot of its matcher", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "abc" });
  const matcher = grammar.matcher();
  for (const letter of "ab") assert.ok(matcher.accept(letter.charCodeAt(0)));
  const clone = matcher.clone();
  const other = grammar.matcher();
  other.restore(clone.snapshot());
  assert.ok(other.accept("c".charCodeAt(0)) && other.isAccepting);
  assert.deepEqual(clone.snapshot(), matcher.snapshot());
  grammar.dispose();
});

test("a word that differs from a keyword only in case or dashes counts as that keyword, however short", () => {
  assert.equal(nearWord("If"), "if");
  assert.equal(nearWord("min_length"), "minLength");
  assert.equal(nearWord("minLenght"), "minLength");
  for (const word of ["is", "a", "x-if", "_if", "then2many"]) assert.equal(nearWord(word), undefined, word);
});

test("a regular expression may have 1,000 named groups", async () => {
  const named = (count) => ({ regex: Array.from({ length: count }, (_, i) => `(?<n${i}>a)`).join("") });
  assert.deepEqual(await taken(named(1000), ["a".repeat(1000), "a"]), ["a".repeat(1000)]);
  await assert.rejects(taken(named(1001), []), { code: "grammar-fuel", message: /named groups/ });
});

test("within brackets a Lark definition continues on the next line, nested or not", async () => {
  const lark = 'start: ("a"\n  "b"\n) "c" ["d"\n] ("e" ("f"\n"g"\n)\n)\n';
  assert.deepEqual(await taken({ lark }, ["abcefg", "abcdefg", "ab", "abc"]), ["abcefg", "abcdefg"]);
});

test("a rule that begins with itself is refused if only rules that may be empty come before", async () => {
  const after = (d) => ({ ebnf: `root ::= b root "x" | "y"\nb ::= c d\nc ::= "" | "-"\nd ::= ${d}` });
  await assert.rejects(taken(after("c"), []), { code: "grammar-unsupported" });
  const texts = ["y", "+yx", "-+yx", "-+-+yxx", "yx"];
  assert.deepEqual(await taken(after('"+"'), texts), ["y", "+yx", "-+yx", "-+-+yxx"]);
});

test("the number of a call has one to six digits", async () => {
  const style = { trigger: "Call ", begin: "{number}:{name}(", end: ")" };
  const toolCalls = { tools: [{ name: "now" }], style, required: true, stopAfterFirst: true, text: false };
  const call = (number) => `Call ${number}:now({})`;
  const numbers = ["0", "9", "123456", "1234567", "", "/", ":", "-1"];
  assert.deepEqual(await taken({ toolCalls }, numbers.map(call)), ["0", "9", "123456"].map(call));
});

test("text after a definition of Lark is refused", async () => {
  for (const rest of [")", "]", "!", "=> x"])
    await assert.rejects(taken({ lark: `start: A\nA: "a" ${rest}\n` }, []), { code: "grammar-syntax" }, rest);
});

test("every keyword that a lenient grammar cannot enforce is reported with its own place", async () => {
  const negated = (maxItems) => ({ not: { type: "array", uniqueItems: true, items: { type: "object" }, maxItems } });
  const jsonSchema = { properties: { a: negated(7), b: negated(8), c: { items: negated(9) } } };
  const { refusals } = await compileGrammar({ vocabulary, jsonSchema, lenient: true });
  assert.deepEqual(
    refusals.map(({ pointer, keyword }) => `${pointer} ${keyword}`),
    ["a", "b", "c/items"].map((place) => `/properties/${place}/not uniqueItems`),
  );
});

test("formats are annotations when asked for", async () => {
  const jsonSchema = { type: "string", format: "date" };
  for (const [format, status] of [
    [undefined, "enforced"],
    ["annotate", "annotation"],
  ]) {
    const findings = await analyzeSchema(jsonSchema, { format });
    assert.equal(findings.find(({ keyword }) => keyword === "format")?.status, status);
  }
});

test("a constant number may end with zeros after the point, unless numbers are canonical", async () => {
  const texts = ["1.5", "1.50", "1.500", "1.5.0", "2", "2.0", "2.00", "20", "2.", "1.05"];
  const jsonSchema = { enum: [1.5, 2] };
  assert.deepEqual(await taken({ jsonSchema }, texts), ["1.5", "1.50", "1.500", "2", "2.0", "2.00"]);
  assert.deepEqual(await taken({ jsonSchema, numbers: "canonical" }, texts), ["1.5", "2"]);
});

test("masks of texts in a list are right where the texts need escapes", async () => {
  const letters = ["a", "b", "n", "\\", '"', "\n"];
  const pieces = [...letters, ...letters.flatMap((one) => letters.map((other) => one + other)), "\\\\b", '\\"a'];
  const tokens = [...pieces.map((piece) => new TextEncoder().encode(piece)), null];
  const texts = ["a\\b", "a\\n", 'a"b', "a\nb", "ab", "an", "aa", "a\\\\", "bb", "bn"];
  for (let i = 0; i < 500; i++) texts.push(`n${i}\\n`); // long lists are walked in another way
  const grammar = await compileGrammar({
    vocabulary: { tokens, eos: [pieces.length] },
    jsonSchema: { enum: texts },
    whitespace: "compact",
  });
  const matcher = grammar.matcher();
  const written = texts.map((text) => JSON.stringify(text));
  for (const text of written.slice(0, 10)) {
    matcher.reset();
    for (let at = 0; at < text.length; at++) {
      const mask = matcher.bitmask();
      pieces.forEach((piece, id) => {
        const isPossible = written.some((other) => other.startsWith(text.slice(0, at) + piece));
        assert.equal((mask[id >>> 5] >>> (id & 31)) & 1, Number(isPossible), `${text.slice(0, at)} then ${piece}`);
      });
      assert.ok(matcher.acceptBytes(new TextEncoder().encode(text[at])));
    }
    assert.ok(matcher.isAccepting);
  }
  grammar.dispose();
});

test("the number of dynamic anchors of nested resources is limited", async () => {
  const nested = (depth) => {
    const link = (i) => (i < depth ? { $ref: `https://example.org/${i}` } : { $dynamicRef: `#a${depth - 1}` });
    const resource = (i) => ({ $id: `https://example.org/${i}`, $dynamicAnchor: `a${i}`, items: link(i + 1) });
    const $defs = Object.fromEntries(Array.from({ length: depth }, (_, i) => [i, resource(i)]));
    return compileGrammar({ vocabulary, jsonSchema: { $ref: "https://example.org/0", $defs } });
  };
  (await nested(1200)).dispose();
  await assert.rejects(nested(1500), { code: "grammar-fuel", message: /dynamic anchors/ });
});
