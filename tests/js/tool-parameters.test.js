// Grammars of calls whose arguments are written one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { byteVocabulary as vocabulary, taken } from "./byte-grammar.js";

/** Which of the texts are one call of `f`. */
function takenCalls(parameters, style, texts) {
  const tools = [{ name: "f", parameters }];
  return taken({ toolCalls: { tools, style, required: true, text: false } }, texts);
}

const xml = (parameters) => {
  const written = parameters.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`);
  return `<tool_call>\n<function=f>\n${written.join("")}</function>\n</tool_call>`;
};
const elements = (parameters) => {
  const written = parameters.map(([key, value]) => `<param name="${key}">${value}</param>`);
  return `<function name="f">${written.join("")}</function>`;
};
const python = (parameters) => {
  const written = parameters.map(([key, value]) => `${key}=${value}`);
  return `<|tool_call_start|>[f(${written.join(", ")})]<|tool_call_end|>`;
};

/** Checks that a call takes the lists of arguments in `good`, and none in `bad`. */
async function takes(parameters, style, good, bad) {
  const write = { lfm2: python, minicpm5: elements, qwen3Coder: xml }[style];
  const schema = { type: "object", ...parameters };
  assert.deepEqual(await takenCalls(schema, style, [...good, ...bad].map(write)), good.map(write));
}

test("required arguments must come and others may, in the order of the schema", async () => {
  const properties = { a: { type: "integer" }, b: { type: "boolean" }, c: { type: "integer" } };
  const [a, b, c] = [
    ["a", "1"],
    ["b", "true"],
    ["c", "3"],
  ];
  for (const style of ["qwen3Coder", "lfm2", "minicpm5"]) {
    await takes({ properties, required: ["b"] }, style, [[b], [a, b], [b, c], [a, b, c]], [[], [a], [a, c], [b, a]]);
    await takes({ properties }, style, [[], [a], [c], [a, c], [a, b, c]], [[["d", "1"]], [["a", "true"]], [a, a]]);
    await takes({ properties, required: ["a", "z"] }, style, [[a, ["z", "[1]"]]], [[a], [["z", "1"]]]);
    await takes({}, style, [[]], [[a]]);
  }
});

test("a string has no quotation marks if the style says so, and satisfies its keywords", async () => {
  const one = (schema) => ({ properties: { x: { description: "A word", ...schema } }, required: ["x"] });
  const x = (...values) => values.map((value) => [["x", value]]);
  const any = x("", 'a "b" \\ é\n\n<b> </parameter> </function>', "5", "\n");
  await takes(one({ type: "string" }), "qwen3Coder", any, x("a\n</parameter>\nb"));
  await takes(one({ type: "string" }), "lfm2", x('"a\\n)"', '""'), x("a", "5", '"a'));
  await takes(one({ enum: ["a", "b c"] }), "qwen3Coder", x("a", "b c"), x("", '"a"', "ab"));
  await takes(one({ const: "é" }), "qwen3Coder", x("é"), x("e"));
  await takes(one({ type: "string", minLength: 2, maxLength: 3 }), "qwen3Coder", x("ab", "éü😀"), x("a", "abcd"));
  await takes(one({ type: "string", pattern: "^a+$", maxLength: 2 }), "qwen3Coder", x("a", "aa"), x("b", "aaa"));
});

test("a string with & or < or a newline is in a CDATA section, and any value may be", async () => {
  const one = (schema) => ({ properties: { x: schema }, required: ["x"] });
  const x = (...values) => values.map((value) => [["x", value]]);
  const section = (value) => `<![CDATA[${value}]]>`;
  const sections = ["", "a", "a & <b>\n</param>", "[i[0]]>", "<![CDATA["].map(section);
  const bare = ["a < b", "a && b", "a\nb", "&lt;", "<![CDATA[a", "<![CDATA[a]]> ", "<![CDATA[a]]></param>b]]>"];
  await takes(one({ type: "string" }), "minicpm5", x("", 'a "b"', "]]>", ...sections), x(...bare));
  await takes(
    one({ type: "string", minLength: 2, maxLength: 3 }),
    "minicpm5",
    x("ab", section("a<b")),
    x("a", section("a"), "abcd"),
  );
  await takes(one({ enum: ["a<b", "ab"] }), "minicpm5", x("ab", section("a<b"), section("ab")), x("a<b"));
  await takes(one({ type: "integer" }), "minicpm5", x("5", section("5")), x("a", section(""), section("5 ")));
});

test("marks are special tokens if the vocabulary has them", async () => {
  const special = { "<function": 257, "</function>": 258, "<param": 259, "</param>": 260 };
  const tokens = [...vocabulary.tokens, null, null, null, null];
  const parameters = { type: "object", properties: { x: { type: "string" } }, required: ["x"] };
  const toolCalls = { tools: [{ name: "f", parameters }], style: "minicpm5" };
  const grammar = await compileGrammar({ vocabulary: { tokens, eos: [256], special }, toolCalls });
  const matcher = grammar.matcher();
  const takes = (text) => {
    matcher.reset();
    return text.split(/(<function|<\/function>|<param|<\/param>)/).every((part) => {
      const id = special[part];
      return id === undefined ? matcher.acceptBytes(new TextEncoder().encode(part)) : matcher.accept(id);
    });
  };
  const call = (value) => `Hi <function name="f"><param name="x">${value}</param></function>`;
  for (const value of ["a", "<![CDATA[a\n<b>]]>"]) {
    assert.ok(takes(call(value)) && matcher.isAccepting);
    assert.ok(takes(`${call(value)}\n${call(value)} Bye`) && matcher.isAccepting);
  }
  assert.ok(!takes(call("a\nb")));
  // The mark as text, within a section.
  assert.ok(takes('<function name="f"><param name="x"><![CDATA[a'));
  assert.equal(matcher.acceptBytes(new TextEncoder().encode("]]></param>")), false);
  grammar.dispose();
});

test("a value that need not be a string, or whose keywords need JSON, is JSON", async () => {
  const one = (schema) => ({ properties: { x: schema }, required: ["x"] });
  const x = (...values) => values.map((value) => [["x", value]]);
  await takes(one({ type: ["string", "null"] }), "qwen3Coder", x('"a"', "null"), x("a"));
  await takes(one({ type: "string", format: "date" }), "qwen3Coder", x('"2026-07-04"'), x("2026-07-04", '"a"'));
  await takes(one({ enum: ["a", 1] }), "qwen3Coder", x('"a"', "1"), x("a"));
  const referring = {
    ...one({ type: "array", items: { $ref: "#/$defs/day" } }),
    $defs: { day: { maximum: 3, type: "integer" } },
  };
  await takes(referring, "qwen3Coder", x("[1,3]", "[]"), x("[4]", "1"));
});

test("a keyword that relates arguments to each other is refused by name", async () => {
  for (const [keyword, schema] of Object.entries({
    minProperties: { minProperties: 1 },
    anyOf: { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    dependentRequired: { dependentRequired: { a: ["b"] } },
  }))
    await assert.rejects(takenCalls({ type: "object", ...schema }, "qwen3Coder", []), {
      code: "grammar-unsupported",
      keyword,
      message: new RegExp(`"${keyword}" of their schema cannot be enforced`),
    });
  await assert.rejects(takenCalls({ properties: 3 }, "qwen3Coder", []), { code: "grammar-schema" });
});

test("keys that begin alike are told apart, or refused", async () => {
  const of = (...keys) => ({
    type: "object",
    properties: Object.fromEntries(keys.map((key) => [key, { type: "integer" }])),
  });
  const texts = { properties: { a: { type: "string" }, "a>\nb": true, 'a">b': true, "a=1": true } };
  for (const style of ["lfm2", "qwen3Coder", "minicpm5"])
    for (const keys of [
      ["a", "ab"],
      ["a", "a=1"],
      ["a", "a=b"],
      ["a", "a=t"],
      ["a", "a=1)b"],
    ])
      assert.deepEqual(await takenCalls(of(...keys), style, []), []);
  await takes(
    of("a", "a=1"),
    "lfm2",
    [
      [
        ["a", "1"],
        ["a=1", "1"],
      ],
      [["a=1", "1"]],
    ],
    [[["a", "=1"]]],
  );
  for (const [style, schema] of [
    ["lfm2", of("a", 'a="')],
    ["lfm2", of("a", "a=1, b", "b")],
    ["lfm2", of("a=[", "a")],
    ["qwen3Coder", texts],
    ["minicpm5", texts],
  ])
    await assert.rejects(takenCalls(schema, style, []), {
      ...{ code: "grammar-unsupported", keyword: "properties" },
      message: /"a" and "/,
    });
});

test("arguments are an object, whatever else a schema allows", async () => {
  const call = (input) => `<tool_call>\n{"name": "f", "arguments": ${input}}\n</tool_call>`;
  const inputs = ['{"a":1}', "{}", "[]", "[{}]", "1", '"x"', "true", "null", '{"c":"x"}', '{"c":{"c":[]}}'];
  const draft7 = "http://json-schema.org/draft-07/schema#";
  const node = { anyOf: [{ type: ["string", "array"] }, { type: "object", properties: { c: { $ref: "#" } } }] };
  for (const [parameters, wrong] of [
    [{}, []],
    [true, []],
    ["{}", []],
    ['{ "type": ["array", "object"] }', []],
    [{ type: ["object", "null"] }, []],
    [{ description: "Anything." }, []],
    [{ anyOf: [{ type: "array" }, { required: ["a"] }] }, ["{}", '{"c":"x"}', '{"c":{"c":[]}}']],
    [{ $ref: "#/$defs/any", $defs: { any: {} } }, []],
    [{ $schema: draft7, type: "object", $ref: "#/definitions/any", definitions: { any: true } }, []],
    // What the schema says of a part of the arguments stays.
    [node, []],
  ]) {
    const expected = inputs.filter((input) => input[0] === "{" && !wrong.includes(input)).map(call);
    assert.deepEqual(await takenCalls(parameters, "hermes", inputs.map(call)), expected, JSON.stringify(parameters));
  }
  for (const style of ["hermes", "qwen3Coder"])
    for (const parameters of [false, { type: "array" }, { type: ["string", "null"] }, '{ "type": "string" }'])
      await assert.rejects(takenCalls(parameters, style, []), {
        name: "TypeError",
        code: "bad-type",
        message: /parameters of f/,
      });
  await assert.rejects(takenCalls("{", "hermes", []), { code: "grammar-syntax" });
  await assert.rejects(takenCalls({ type: 3 }, "hermes", []), { code: "grammar-schema" });
});

test("a custom style is checked", async () => {
  const own = { trigger: "!", begin: "{name}(", end: ")", parameters: { begin: "{key}:", end: ";" } };
  assert.deepEqual(await takenCalls({ properties: { a: true } }, own, ["!f(a:1;)", "!f()", "!f(1)"]), [
    "!f(a:1;)",
    "!f()",
  ]);
  for (const [parameters, code] of /** @type {const} */ ([
    [3, "bad-type"],
    [{ begin: "{key}:" }, "bad-type"],
    [{ begin: "x", end: "" }, "out-of-range"],
    [{ begin: "{key}:", end: "", plain: true }, "out-of-range"],
    [{ begin: "{key}:", end: "", plain: 1 }, "bad-type"],
    [{ begin: "{key}:", end: "", cdata: 1 }, "bad-type"],
    [{ begin: "{key}:", end: "", more: 1 }, "unknown-option"],
  ]))
    await assert.rejects(takenCalls({}, { ...own, parameters }, []), { code });
});
