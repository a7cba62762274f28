// What the readers of grammars accept and refuse at their limits: the last input that is read, and the first that is
// not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { FormWriter, checkDepth } from "../../web/grammar/readers/form.js";
import { matchExpression } from "../../web/grammar/readers/regex.js";
import { writeSchema } from "../../web/grammar/readers/schema/schema.js";
import { byteVocabulary as vocabulary, taken } from "./byte-grammar.js";

/** @param {object} source @param {string} code @param {RegExp} [message] */
const refused = (source, code, message = /./) => assert.rejects(taken(source, []), { code, message });

test("expressions of every kind may be nested 500 levels deep", () => {
  const a = { kind: "text", bytes: Uint8Array.of(97) };
  const kinds = {
    sequence: (inner) => ({ kind: "sequence", parts: [a, inner] }),
    choice: (inner) => ({ kind: "choice", parts: [a, inner] }),
    repeat: (inner) => ({ kind: "repeat", body: inner, least: 0, most: 1 }),
    ahead: (inner) => ({ kind: "ahead", body: inner, negative: false }),
    not: (inner) => ({ kind: "not", body: inner }),
  };
  for (const [kind, around] of Object.entries(kinds)) {
    let deepest = a;
    for (let level = 1; level < 500; level++) deepest = around(deepest);
    for (const read of [checkDepth, (node) => new FormWriter().expression(node)]) {
      read(deepest);
      assert.throws(() => read(around(deepest)), { code: "grammar-syntax" }, kind);
    }
  }
});

test("up to a hundred parts that may be empty may precede a left recursion", async () => {
  const after = (count) => ({ ebnf: `root ::= ${'"b"? '.repeat(count)} root "x" | "y"` });
  assert.deepEqual(await taken(after(100), ["y", "bbyx", "byxx", "yb"]), ["y", "bbyx", "byxx"]);
  await refused(after(101), "grammar-fuel", /\b100\b/);
});

test("a left recursion after repetitions and empty texts, or within a count, reads the same texts", async () => {
  for (const [ebnf, good, bad] of [
    ['root ::= "b"* root "x" | "y"', ["y", "yx", "byx", "bbyx", "bbbyxx"], ["by", "xy", "ybx"]],
    ['root ::= "" root "x" | "y"', ["y", "yx", "yxx"], ["", "x", "xy"]],
    ['root ::= (a "x"){1,2}\na ::= root "z" | "y"', ["yx", "yxyx", "yxzx", "yxyxzx"], ["y", "yxyxyx", ""]],
  ])
    assert.deepEqual(await taken({ ebnf }, [...good, ...bad]), good, ebnf);
});

test("a negated class of GBNF reaches the last code point", async () => {
  const last = "\u{10ffff}";
  assert.deepEqual(await taken({ ebnf: "root ::= [^a]" }, ["a", last, "\u{10fffe}"]), [last, "\u{10fffe}"]);
  assert.deepEqual(await taken({ ebnf: "root ::= [^a\\U0010FFFF]" }, ["a", last, "\u{10fffe}"]), ["\u{10fffe}"]);
});

test("a rule of GBNF without ::= is refused", async () => {
  for (const ebnf of ['root "a"', 'root = "a"', 'root :== "a"', "root"])
    await refused({ ebnf }, "grammar-syntax", /::=.*root/);
});

test("a terminal of Lark is defined once, and so is a rule", async () => {
  await refused({ lark: 'start: A\nA: "a"\nA: "b"' }, "grammar-syntax", /\bA\b/);
  await refused({ lark: 'start: a\na: "a"\na: "b"' }, "grammar-syntax", /\ba is/);
});

test("%ignore of Lark takes terminals, even intersections, but no rules", async () => {
  const lark = 'start: "a" "b"\n%ignore /[a-c]/ & /[b-d]/';
  assert.deepEqual(await taken({ lark }, ["ab", "acb", "abbcb", "adb", "aab"]), ["ab", "acb", "abbcb"]);
  await refused({ lark: 'start: "a"\n%ignore space\nspace: " "' }, "grammar-syntax", /\bspace\b/);
});

test("a schema within Lark ends at its own brace, not at a brace within a string", async () => {
  const lark = 'start: %json {"enum": ["}", "{", "\\"}"]} "."';
  assert.deepEqual(await taken({ lark }, ['"}".', '"{".', '"\\"}".', '"}"']), ['"}".', '"{".', '"\\"}".']);
});

test("a terminal that is imported counts at every use", async () => {
  await refused(
    { lark: `%import common.SIGNED_FLOAT\nstart: ${"SIGNED_FLOAT ".repeat(60_000)}` },
    "grammar-fuel",
    /4000000/,
  );
});

test("an ASCII letter matches its other cases as in RegExp, on its own and at the edge of a range", async () => {
  const characters = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), "ſ", "\u212a", "ƀ", "ⅈ"];
  for (const flags of ["i", "iu"])
    for (const source of ["k", "K", "s", "S", "t", "[r-t]", "[a-r]", "[t-z]", "[a-j]", "[l-z]", "[A-K]", "[^s]"]) {
      const expression = new RegExp(`^${source}$`, flags);
      assert.deepEqual(
        await taken({ regex: new RegExp(source, flags) }, characters),
        characters.filter((character) => expression.test(character)),
        `${source} ${flags}`,
      );
    }
});

test("a class with a run of characters around the surrogates ends where the run does", async () => {
  const points = [0xd7a3, 0xd7a4, 0xd7fb, 0xd7fc, 0xd7ff, 0xe000, 0xf8ff, 0xf900, 0xf901, 0xfffd];
  const characters = points.map((point) => String.fromCodePoint(point));
  for (const source of ["\\P{L}", "\\P{Lu}", "\\p{L}", "[^\\p{L}]"]) {
    const expression = new RegExp(source, "u");
    assert.deepEqual(
      await taken({ regex: expression }, characters),
      characters.filter((character) => expression.test(character)),
      source,
    );
  }
});

test("a regular expression may nest 200 groups, and as many classes", async () => {
  const groups = (depth) => ({ regex: `${"(".repeat(depth)}a${")".repeat(depth)}` });
  assert.deepEqual(await taken(groups(200), ["a", ""]), ["a"]);
  await refused(groups(201), "grammar-syntax");
  const classes = (depth) => matchExpression(`${"[".repeat(depth)}a${"]".repeat(depth)}`, "v");
  assert.deepEqual(classes(200), { kind: "class", ranges: [[97, 97]] });
  assert.throws(() => classes(201), { code: "grammar-syntax" });
});

test("the classes of a regular expression may have 262,144 ranges", () => {
  const large = (at) => `[\\p{Ll}\\u{${at.toString(16)}}]`;
  /** Every other character: as many ranges. @param {number} count */
  const others = (count) =>
    `[${Array.from({ length: count }, (_, i) => String.fromCodePoint(0x4e00 + 2 * i)).join("")}]`;
  let left = 2 ** 18;
  let pattern = "";
  for (let at = 0x5000; ; at += 2) {
    const { ranges } = /** @type {any} */ (matchExpression(large(at)));
    if (ranges.length > left) break;
    left -= ranges.length;
    pattern += large(at);
  }
  assert.ok(left > 0 && pattern.length > 1000);
  assert.equal(/** @type {any} */ (matchExpression(others(left))).ranges.length, left);
  assert.equal(matchExpression(pattern + others(left)).kind, "sequence");
  assert.throws(() => matchExpression(pattern + others(left + 1)), { code: "grammar-fuel", message: /262144/ });
});

test("\\b is refused where a group switches case on or off, and read beside other groups", async () => {
  for (const regex of ["(?i:a)\\b", "(?-i:a)\\b"]) await refused({ regex }, "grammar-unsupported", /only a part/);
  assert.deepEqual(await taken({ regex: "(?s:a.)\\bb|(?:-)\\bb" }, ["a\nb", "axb", "-b"]), ["a\nb", "-b"]);
});

test("only a group's own flags switch case within it", async () => {
  const texts = ["ab", "aB", "Ab", "AB"];
  for (const [expression, expected] of /** @type {[string, string[]][]} */ ([
    ["/(?s:a)b/", ["ab"]],
    ["/(?s:a)b/i", texts],
    ["/(?i:a)b/", ["ab", "Ab"]],
    ["/(?-i:a)b/i", ["ab", "aB"]],
    ["/(?s-i:a)b/i", ["ab", "aB"]],
    ["/(?i:(?-i:a)b)/", ["ab", "aB"]],
    ["/(?i:(?s:a)b)/", texts],
  ]))
    assert.deepEqual(await taken({ lark: `start: ${expression}` }, texts), expected, expression);
});

test("a needless escape is read within a class, beside a property", async () => {
  assert.deepEqual(await taken({ regex: "[\\_\\p{Lu}\\-]\\@" }, ["_@", "É@", "-@", "\\@", "é@"]), ["_@", "É@", "-@"]);
});

test("an error shows sixty characters of a long regular expression, around its place", () => {
  const pattern = `${"a".repeat(100)}(b)\\1${"c".repeat(100)}`;
  assert.throws(() => matchExpression(pattern), {
    message: new RegExp(`at position 103, in /…${"a".repeat(27)}\\(b\\)\\\\1${"c".repeat(28)}…/\\.$`),
  });
});

test("a lenient schema names places up to 1,000 levels deep", () => {
  const nested = (levels, inner = {}) => {
    let schema = inner;
    for (let level = 0; level < levels; level++) schema = { items: schema };
    return writeSchema(schema, { lenient: true });
  };
  assert.deepEqual(nested(1000).refusals, []);
  const [refusal, ...others] = nested(1001).refusals;
  assert.match(refusal.reason, /\b1000\b/);
  assert.equal(refusal.pointer, "/items".repeat(1000));
  assert.equal(refusal.keyword, "items");
  assert.deepEqual(others, []);
  // Values at those places that are not schemas are reported too.
  const told = nested(1001, 5).refusals.map(({ pointer, keyword }) => [pointer.length / 6, keyword]);
  assert.deepEqual(told, [
    [1001, ""],
    [1000, "items"],
  ]);
});

test("JSON text may hold any number of arrays and objects side by side", () => {
  const list = Array.from({ length: 20_000 }, (_, i) => (i % 2 ? [] : {}));
  assert.equal(writeSchema(JSON.stringify({ enum: list })).count, 1);
});

test("JSON text may have any whitespace of JSON between its parts, and no other", () => {
  for (const space of [" ", "\n", "\r", "\t", "\r\n \t"])
    assert.equal(writeSchema(["", "{", '"enum"', ":", "[", "1", "]", "}", ""].join(space)).count, 1);
  for (const other of ["\v", "\f", "\u000e", "\u00a0", "\ufeff"])
    assert.throws(() => writeSchema(`{${other}}`), { code: "grammar-syntax" }, JSON.stringify(other));
});

test("dependencies hold beside the keywords that replaced them, for one name or several", async () => {
  const texts = ['{"a":1,"b":1,"c":1}', '{"a":1,"b":1}', '{"a":1,"c":1}', '{"c":1}'];
  const properties = { a: {}, b: {}, c: {} };
  const jsonSchema = { type: "object", properties, dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } };
  assert.deepEqual(await taken({ jsonSchema }, texts), ['{"a":1,"b":1,"c":1}', '{"c":1}']);
  const schemas = {
    type: "object",
    properties,
    dependencies: { a: { required: ["b"] } },
    dependentSchemas: { a: { required: ["c"] } },
  };
  assert.deepEqual(await taken({ jsonSchema: schemas }, texts), ['{"a":1,"b":1,"c":1}', '{"c":1}']);
});

test("$ref takes the anchor of its own resource, even beside $dynamicRef", async () => {
  const jsonSchema = {
    $id: "https://example.org/outer",
    $ref: "list",
    $defs: {
      item: { $dynamicAnchor: "item", type: "string" },
      list: {
        $id: "list",
        type: "array",
        minItems: 2,
        prefixItems: [{ $ref: "#item" }],
        items: { $dynamicRef: "#item" },
        $defs: { any: { $dynamicAnchor: "item", type: "number" } },
      },
    },
  };
  assert.deepEqual(await taken({ jsonSchema }, ['[1,"a"]', "[1,1]", '["a","a"]', '["a",1]']), ['[1,"a"]']);
});

test("multipleOf takes the multiples and no other numbers", async () => {
  const texts = ["0", "3", "4", "-6", "7.5", "9", "1"];
  assert.deepEqual(await taken({ jsonSchema: { type: "number", multipleOf: 3 } }, texts), ["0", "3", "-6", "9"]);
  assert.deepEqual(await taken({ jsonSchema: { type: "number", multipleOf: 2.5 } }, texts), ["0", "7.5"]);
});

test("up to draft 7 an identifier names an anchor only after a #", () => {
  const schema = (id, reference) => ({
    $schema: "http://json-schema.org/draft-07/schema#",
    allOf: [{ $ref: reference }],
    definitions: { a: { $id: id } },
  });
  writeSchema(schema("#item", "#item"));
  writeSchema(schema("https://example.org/a#item", "https://example.org/a#item"));
  for (const [id, reference] of [
    ["item", "#item"],
    ["item", "item#item"],
    ["#/item", "#/item"],
  ])
    assert.throws(() => writeSchema(schema(id, reference)), { code: "grammar-reference" }, id);
});

test("a refusal of the engine names the place in the schema of its own tool", async () => {
  const refused = (/** @type {number} */ maxItems) => ({
    not: { type: "array", uniqueItems: true, maxItems, items: { type: "object" } },
  });
  const tools = Array.from({ length: 6 }, (_, i) => ({
    name: `tool${i}`,
    parameters: { type: "object", properties: i % 2 ? { [`p${i}`]: refused(10 + i) } : {} },
  }));
  const { refusals } = await compileGrammar({ vocabulary, toolCalls: { tools }, lenient: true });
  assert.deepEqual(
    refusals.map(({ pointer }) => pointer.split("/")[2]),
    ["p1", "p3", "p5"],
  );
});

test("an identifier that is only an anchor needs no base to be resolved with", () => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "urn:example:root",
    $ref: "#/definitions/a",
    definitions: { a: { $id: "#here", const: 1 } },
  };
  assert.deepEqual(writeSchema({ ...schema, $ref: undefined, allOf: [{ $ref: "#here" }] }).warnings, []);
});

test("the applicators of a meta-schema include the unevaluated keywords in 2019, but not in 2020", async () => {
  for (const [draft, expected] of [
    ["2019-09", ["{}"]],
    ["2020-12", ["{}", '{"a":1}']],
  ]) {
    const $schema = `https://json-schema.org/draft/${draft}/schema`;
    const $vocabulary = { [`https://json-schema.org/draft/${draft}/vocab/applicator`]: true };
    const remotes = { "https://example.org/meta": { $schema, $vocabulary } };
    const jsonSchema = { $schema: "https://example.org/meta", properties: {}, unevaluatedProperties: false };
    assert.deepEqual(await taken({ jsonSchema, remotes }, ["{}", '{"a":1}']), expected, draft);
  }
});

test("a reference within a schema that has an address of its own is relative to that address", async () => {
  const $defs = { z: { $id: "z", const: 1 } };
  const inner = { $id: "sub/", properties: { y: { $ref: "z" } }, $defs };
  for (const jsonSchema of [
    { $id: "https://example.org/", type: "object", properties: { x: inner }, required: ["x"] },
    { $id: "https://example.org/", type: "object", properties: { x: { $ref: "sub/" } }, $defs: { inner } },
  ])
    assert.deepEqual(await taken({ jsonSchema }, ['{"x":{"y":1}}', '{"x":{"y":2}}']), ['{"x":{"y":1}}']);
  const pointed = { $id: "https://example.org/", $ref: "#/$defs/inner/properties/y", $defs: { inner } };
  assert.deepEqual(await taken({ jsonSchema: pointed }, ["1", "2"]), ["1"]);
});

test("half a surrogate pair is refused in a class as elsewhere", () => {
  for (const pattern of ["x[\\ud83d]", "x[a\\udc00]", "x[\\ud83d-\\ud83f]"])
    assert.throws(() => matchExpression(pattern, ""), { code: "grammar-unsupported", message: /Surrogates/ }, pattern);
});

test("an alternative of Lark may have a name, before the end, a bracket or another alternative", async () => {
  const lark = 'start: "a" -> one\n  | ("b" -> two | "c" -> three\n) "d" -> four // the last\n';
  assert.deepEqual(await taken({ lark }, ["a", "bd", "cd", "b", "d"]), ["a", "bd", "cd"]);
});

test("token 0 is a token like any other", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "\\u0000" });
  const matcher = grammar.matcher();
  assert.equal(matcher.bitmask()[0], 1);
  assert.ok(matcher.accept(0) && matcher.isAccepting);
  matcher.dispose();
  grammar.dispose();
});

test("a matcher that its scope has disposed of refuses further use", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "a" });
  const matcher = grammar.matcher();
  matcher[Symbol.dispose]();
  assert.throws(() => matcher.bitmask(), { code: "disposed" });
  grammar[Symbol.dispose]();
  assert.throws(() => grammar.matcher(), { code: "disposed" });
});

test("a saved vocabulary whose names are damaged or reach beyond its end is refused", async () => {
  const prepared = await prepareVocabulary({
    ...vocabulary,
    tokens: [...vocabulary.tokens, null],
    special: { "<é>": 257 },
  });
  const saved = prepared.save();
  (await prepareVocabulary(saved)).dispose();
  const corrupt = { code: "vocabulary-corrupt" };
  const damaged = saved.slice();
  damaged[saved.indexOf(0xc3)] = 0xff;
  await assert.rejects(prepareVocabulary(damaged), corrupt);
  for (const length of [2, 3, 6, 7])
    await assert.rejects(prepareVocabulary(Uint8Array.of(length, 0, 0, 0, 0x7b, 0x7d)), corrupt);
  prepared.dispose();
});

test("special tokens are named in an object, and an error names the last id", async () => {
  for (const special of [5, "x", null])
    await assert.rejects(compileGrammar({ vocabulary: { ...vocabulary, special }, regex: "a" }), {
      name: "TypeError",
      code: "bad-type",
    });
  await assert.rejects(compileGrammar({ vocabulary: { ...vocabulary, eos: [257] }, regex: "a" }), {
    message: /257.*0 to 256/,
  });
});
