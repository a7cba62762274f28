// Grammars through the package: masks, steps and how they are undone, with and without samplers.
import assert from "node:assert/strict";
import test from "node:test";
import { compileGrammar, createSampler, prepareVocabulary } from "lastinch";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const EOS = 256;
const words = ["yes", "no", '{"', '":', '", "', "true", "ab", "  ", "\\u00", "é", '"}'];
/** A token for each byte, one that ends texts, one that stands for nothing, a special token, and some words. */
const vocabulary = {
  tokens: [
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    encoder.encode("</s>"),
    null,
    encoder.encode("<call>"),
    ...words.map((word) => encoder.encode(word)),
  ],
  eos: [EOS],
  special: { "<call>": 258 },
};
const size = vocabulary.tokens.length;
const tokenOf = (word) => 259 + words.indexOf(word);

/** The ids whose bit is set. */
const allowed = (mask) => Array.from({ length: size }, (_, id) => id).filter((id) => (mask[id >> 5] >> (id & 31)) & 1);
/** The allowed tokens as text. */
const spelt = (mask) =>
  allowed(mask).map((id) =>
    id === EOS ? "EOS" : id < 256 ? String.fromCharCode(id) : decoder.decode(vocabulary.tokens[id]),
  );

/** Whether the grammar takes the text, byte by byte through masks. */
function takes(grammar, text) {
  const matcher = grammar.matcher();
  const isTaken =
    [...encoder.encode(text)].every((byte) => allowed(matcher.bitmask()).includes(byte) && matcher.accept(byte)) &&
    matcher.isAccepting;
  matcher.dispose();
  return isTaken;
}

test("a choice allows the beginnings of its texts, and ends where a text ends", async () => {
  const grammar = await compileGrammar({ vocabulary, choice: ["yes", "yeast", "no"] });
  const matcher = grammar.matcher();
  assert.deepEqual(spelt(matcher.bitmask()), ["n", "y", "yes", "no"]);
  assert.equal(matcher.accept("z".charCodeAt(0)), false);
  assert.equal(matcher.acceptBytes("ye"), true);
  assert.deepEqual(spelt(matcher.bitmask()), ["a", "s"]);
  assert.equal(matcher.acceptBytes("ax"), false);
  assert.equal(matcher.acceptBytes(encoder.encode("a")), true);
  assert.equal(decoder.decode(matcher.forced()), "st");
  assert.equal(matcher.isAccepting, false);
  assert.equal(matcher.acceptBytes("st"), true);
  assert.equal(matcher.isAccepting, true);
  assert.equal(matcher.isTerminated, false);
  assert.deepEqual(spelt(matcher.bitmask()), ["EOS"]);
  assert.equal(matcher.accept(EOS), true);
  assert.equal(matcher.isTerminated, true);
  assert.deepEqual(spelt(matcher.bitmask()), ["EOS"]);
  matcher.rollback(3);
  assert.deepEqual(spelt(matcher.bitmask()), ["a", "s"]);
  matcher.reset();
  assert.equal(matcher.accept(tokenOf("no")), true);
  assert.equal(matcher.isAccepting, true);
});

test("every kind of grammar accepts its texts and no others", async () => {
  /** @type {[object, string[], string[]][]} */
  const cases = [
    [{ regex: "a{2,3}|é+" }, ["aa", "aaa", "é", "éé"], ["a", "aaaa", "aé", ""]],
    [{ regex: /x\/Y/i }, ["x/y", "X/Y"], ["xy", "x/"]],
    [{ anyJson: true }, ["1", '"a\\u0041"', '[1, {"a": null}]'], ["01", "[1,]", '"\t"', "{'a':1}"]],
    [{ jsonSchema: { type: "integer", minimum: 10 } }, ["10", "123"], ["9", "1.5", '"10"']],
    [
      { jsonSchema: '{"type":"object","properties":{"b":{"const":1},"a":{}},"required":["a"]}' },
      ['{"b":1,"a":2}', '{"a":[]}'],
      ["{}", '{"b":2,"a":1}', '{"a":1,"b":1}'],
    ],
    [
      { jsonSchema: { properties: { b: true, a: true }, additionalProperties: false }, propertyOrder: "any" },
      ['{"a":1,"b":1}', '{"b":1,"a":1}', "3"],
      ['{"c":1}'],
    ],
    [{ jsonSchema: { items: { type: "null" } }, whitespace: "compact" }, ["[null,null]"], ["[null, null]", " []"]],
    [{ jsonSchema: { type: "array" }, whitespace: { indent: 2 } }, ["[\n  1,\n  2\n]", "[]"], ["[1,2]"]],
    [{ ebnf: 'root ::= "a" root "b" | ""' }, ["", "ab", "aabb"], ["a", "aab"]],
    [{ lark: 'start: "a" B+\nB: /[bc]/' }, ["ab", "abcb"], ["a", "b"]],
    [{ choice: ["", "a"] }, ["", "a"], ["aa"]],
  ];
  for (const [options, good, bad] of cases) {
    const grammar = await compileGrammar({ vocabulary, .../** @type {any} */ (options) });
    for (const text of good) assert.equal(takes(grammar, text), true, `${JSON.stringify(options)} takes ${text}`);
    for (const text of bad) assert.equal(takes(grammar, text), false, `${JSON.stringify(options)} refuses ${text}`);
    grammar.dispose();
  }
});

test("special tokens are never text, and text is never a special token", async () => {
  const grammar = await compileGrammar({ vocabulary, ebnf: 'root ::= <call> "<call>"' });
  const matcher = grammar.matcher();
  assert.deepEqual(allowed(matcher.bitmask()), [258]);
  assert.equal(matcher.acceptBytes("<call>"), false);
  assert.equal(matcher.accept(258), true);
  assert.deepEqual(spelt(matcher.bitmask()), ["<"]);
  assert.equal(matcher.accept(258), false);
  assert.equal(matcher.acceptBytes("<call>"), true);
  assert.equal(matcher.isAccepting, true);
});

test("masks allow a bounded run of whitespace, and accept reads any", async () => {
  const grammar = await compileGrammar({ vocabulary, jsonSchema: { type: "array" }, whitespace: { maxRun: 2 } });
  const matcher = grammar.matcher();
  assert.ok(!spelt(matcher.bitmask()).includes(" "), "around the document it is only read");
  assert.equal(matcher.acceptBytes(" ["), true);
  assert.ok(spelt(matcher.bitmask()).includes("  "));
  assert.equal(matcher.acceptBytes(" "), true);
  assert.ok(spelt(matcher.bitmask()).includes(" ") && !spelt(matcher.bitmask()).includes("  "));
  assert.equal(matcher.acceptBytes("     "), true);
  assert.ok(!spelt(matcher.bitmask()).includes(" "));
  assert.equal(matcher.acceptBytes("]"), true);
});

test("bitmask returns a view, or fills the given array", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "[a-c]" });
  const matcher = grammar.matcher();
  const view = matcher.bitmask();
  assert.equal(view.length, Math.ceil(size / 32));
  const into = new Uint32Array(view.length + 1).fill(0xffffffff);
  assert.equal(matcher.bitmask(into), into);
  assert.deepEqual([...into], [...view, 0]);
  assert.throws(() => matcher.bitmask(new Uint32Array(1)), { code: "wrong-length" });
  assert.throws(() => matcher.bitmask(/** @type {any} */ ([])), { code: "bad-type" });
});

test("clones and restored matchers continue from the same state", async () => {
  const grammar = await compileGrammar({ vocabulary, anyJson: true });
  const matcher = grammar.matcher();
  assert.ok(matcher.accept(tokenOf('{"')) && matcher.acceptBytes('a":'));
  const clone = matcher.clone();
  const saved = structuredClone(matcher.snapshot());
  assert.ok(matcher.accept("[".charCodeAt(0)));
  assert.ok(clone.acceptBytes("1}") && clone.isAccepting && !matcher.isAccepting);
  const other = (await compileGrammar({ vocabulary, anyJson: true })).matcher();
  other.restore(saved);
  assert.equal(other.steps, 2);
  assert.ok(other.acceptBytes("1}") && other.isAccepting);
  assert.throws(() => other.restore([...saved, 0]), { code: "grammar-refused" });
  assert.ok(other.isAccepting, "a failed restore changes nothing");
  assert.throws(() => other.rollback(9), { code: "out-of-range" });
});

test("a failed restore leaves the matcher unchanged", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "aab" });
  const matcher = grammar.matcher();
  assert.ok(matcher.accept(97));
  for (const [saved, code] of /** @type {[any, string][]} */ ([
    [[97, 98], "grammar-refused"],
    [[97, NaN], "bad-type"],
    [[97, {}], "bad-type"],
    [5, "bad-type"],
  ])) {
    assert.throws(() => matcher.restore(saved), { code });
    assert.deepEqual(matcher.snapshot(), [97]);
    assert.equal(decoder.decode(matcher.forced()), "ab");
  }
});

test("numbers that are not token ids are refused, never accepted as other tokens", async () => {
  const matcher = (await compileGrammar({ vocabulary, regex: "a" })).matcher();
  for (const token of [-1, size, 1e9, 2 ** 32 + 97, -(2 ** 32) + 97]) assert.equal(matcher.accept(token), false);
  for (const token of [NaN, 0.5, "97", null])
    assert.throws(() => matcher.accept(/** @type {any} */ (token)), { code: "bad-type" });
  assert.throws(() => matcher.acceptBytes("\ud800"), { code: "out-of-range" });
  assert.equal(matcher.steps, 0);
});

test("objects and arrays with few values can be different items", async () => {
  const closed = (/** @type {object} */ properties, /** @type {object} */ more = {}) => ({
    type: "object",
    properties,
    additionalProperties: false,
    ...more,
  });
  /** @type {[object, string, string][]} schema, an array that satisfies it, one that does not */
  const cases = [
    [{ enum: [[false, [1, 2], { a: 1 }]] }, '[false,[1,2],{"a":1}]', "[false,[1,2]]"],
    [{ const: [{ a: 1 }, { b: 1 }] }, '[{"a":1},{"b":1}]', '[{"a":1},{"a":1}]'],
    [{ minItems: 3, items: { enum: [{ a: 1 }, { b: 2 }, []] } }, '[[],{"a":1},{"b":2}]', '[[],[],{"a":1}]'],
    [{ minItems: 2, items: closed({ a: { enum: [1, 2] } }, { required: ["a"] }) }, '[{"a":2},{"a":1}]', '[{"a":2}]'],
    [
      { minItems: 3, items: { items: { type: "boolean" }, type: "array", maxItems: 1 } },
      "[[],[true],[false]]",
      "[[],[]]",
    ],
    [{ minItems: 2, items: closed({ a: true, b: true }, { maxProperties: 0 }) }, "7", "[{},{}]"],
  ];
  for (const [schema, good, bad] of cases) {
    const grammar = await compileGrammar({ vocabulary, jsonSchema: { uniqueItems: true, ...schema } });
    assert.equal(takes(grammar, good), true, good);
    assert.equal(takes(grammar, bad), false, bad);
    grammar.dispose();
  }
});

test("a matcher with heal begins with the healed text, then the grammar", async () => {
  const grammar = await compileGrammar({ vocabulary, choice: ["s, of course", "s"] });
  const matcher = grammar.matcher({ heal: "ye" });
  assert.deepEqual(spelt(matcher.bitmask()), ["y", "yes"]);
  assert.ok(matcher.accept(tokenOf("yes")) && matcher.isAccepting);
});

test("matchers, grammars and vocabularies can be disposed of in any order", async () => {
  const prepared = await prepareVocabulary(vocabulary);
  const grammar = await compileGrammar({ vocabulary: prepared, regex: "a+" });
  const matcher = grammar.matcher();
  prepared.dispose();
  grammar.dispose();
  grammar.dispose();
  assert.deepEqual(spelt(matcher.bitmask()), ["a"]);
  matcher.dispose();
  for (const call of [
    () => matcher.bitmask(),
    () => matcher.accept(1),
    () => matcher.isAccepting,
    () => grammar.matcher(),
  ])
    assert.throws(call, { code: "disposed" });
  await assert.rejects(compileGrammar({ vocabulary: prepared, regex: "a" }), { code: "disposed" });
});

test("a saved vocabulary gives the same masks; a damaged one is refused", async () => {
  const prepared = await prepareVocabulary(vocabulary);
  const saved = prepared.save();
  const again = await prepareVocabulary(saved);
  assert.equal(again.size, size);
  assert.deepEqual(again.eos, [EOS]);
  for (const options of [{ anyJson: true }, { ebnf: "root ::= <call>" }]) {
    const masks = [];
    for (const each of [prepared, again])
      masks.push([
        ...(await compileGrammar({ vocabulary: each, .../** @type {any} */ (options) })).matcher().bitmask(),
      ]);
    assert.deepEqual(masks[0], masks[1]);
  }
  for (const bytes of [saved.slice(0, -1), saved.slice(1), new Uint8Array(3), new Uint8Array(100)])
    await assert.rejects(prepareVocabulary(bytes), { code: "vocabulary-corrupt" });
});

test("an unsatisfiable grammar is empty, and samplers refuse it", async () => {
  for (const options of [
    { jsonSchema: false },
    { jsonSchema: { not: {} } },
    { jsonSchema: '{"enum":[]}' },
    { choice: [] },
  ]) {
    const grammar = await compileGrammar({ vocabulary, .../** @type {any} */ (options) });
    assert.equal(grammar.isEmpty, true, JSON.stringify(options));
    const matcher = grammar.matcher();
    assert.deepEqual(allowed(matcher.bitmask()), []);
    await assert.rejects(createSampler({ vocabSize: size, grammar: matcher }), { code: "grammar-empty" });
  }
});

test("a sampler follows the grammar, ends at eos, and moves the matcher", async () => {
  const grammar = await compileGrammar({
    vocabulary,
    jsonSchema: {
      type: "object",
      properties: { ab: { type: "boolean" } },
      required: ["ab"],
      additionalProperties: false,
    },
    whitespace: "compact",
  });
  const logits = Float32Array.from({ length: size }, (_, id) => Math.sin(id * id));
  for (let seed = 0; seed < 20; seed++) {
    const sampler = await createSampler({ vocabSize: size, seed, grammar: grammar.matcher() });
    const text = [];
    for (let token; (token = sampler.sample(logits)) !== EOS;) text.push(...vocabulary.tokens[token]);
    assert.equal(typeof JSON.parse(decoder.decode(Uint8Array.from(text))).ab, "boolean");
    sampler.dispose();
  }
  const matcher = grammar.matcher();
  const sampler = await createSampler({ vocabSize: size, seed: 1, grammar: matcher });
  sampler.sample(logits);
  const snapshot = sampler.snapshot();
  const clone = sampler.clone();
  const rest = Array.from({ length: 6 }, () => sampler.sample(logits));
  assert.deepEqual(
    Array.from({ length: 6 }, () => clone.sample(logits)),
    rest,
  );
  sampler.restore(snapshot);
  assert.deepEqual(
    Array.from({ length: 6 }, () => sampler.sample(logits)),
    rest,
  );
  assert.throws(() => sampler.accept(0), { code: "grammar-refused" });
  sampler.reset();
  assert.equal(matcher.steps, 0);
});

test("masks allow no token that only an odd spelling could finish, but accept reads that spelling", async () => {
  const jsonSchema = { type: "integer", exclusiveMinimum: 0 };
  const matcher = (await compileGrammar({ vocabulary, jsonSchema })).matcher();
  const first = spelt(matcher.bitmask());
  assert.ok(first.includes("1") && !first.includes("0"), first.join(" "));
  assert.ok(matcher.acceptBytes("0.1e1") && matcher.isAccepting);
});

test("near its bound a string allows only escapes after which it can still be finished", async () => {
  const runs = Array.from({ length: 12 }, (_, i) => "\\".repeat(i + 2));
  const tokens = [...'"\\abn', ...runs].map((text) => new TextEncoder().encode(text));
  for (const maxLength of [4, 5, 8])
    for (const [pattern, endsInEscape] of /** @type {const} */ ([
      ["^[a\\\\]*\\n$", true],
      ["^[a\\\\]*b$", false],
    ])) {
      const jsonSchema = { type: "string", pattern, maxLength };
      const grammar = await compileGrammar({ vocabulary: { tokens, eos: [] }, jsonSchema });
      const matcher = grammar.matcher();
      assert.ok(matcher.acceptBytes('"'));
      const mask = matcher.bitmask().slice();
      for (const [i, run] of runs.entries()) {
        // Two backslashes are a character. A single backslash begins another character, or the last.
        const characters = endsInEscape ? Math.floor(run.length / 2) : Math.ceil(run.length / 2);
        const isAllowed = (mask[0] >> (5 + i)) & 1;
        assert.equal(isAllowed, Number(characters < maxLength), `${pattern}, ${maxLength}: ${run.length} backslashes`);
      }
      grammar.dispose();
    }
});

test("a grammar whose vocabulary is smaller than the logits leaves the padding out", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "a" });
  const sampler = await createSampler({
    vocabSize: size + 100,
    tokenCount: size,
    temperature: 0,
    grammar: grammar.matcher(),
  });
  assert.equal(sampler.sample(new Float32Array(size + 100).fill(1)), "a".charCodeAt(0));
});

test("options that are not a grammar are refused with the reason", async () => {
  const compile = (options) => compileGrammar({ vocabulary, ...options });
  const cases = [
    [{}, "bad-type"],
    [{ regex: "a", choice: ["a"] }, "bad-type"],
    [{ regexp: "a" }, "unknown-option"],
    [{ regex: "a", vocabulary: { ...vocabulary, specials: { "<|call|>": 257 } } }, "unknown-option"],
    [{ regex: 3 }, "bad-type"],
    [{ regex: "(" }, "grammar-syntax"],
    [{ regex: "(a)\\1" }, "grammar-unsupported"],
    [{ ebnf: "root ::= nothing-like-this" }, "grammar-syntax"],
    [{ lark: "start: (" }, "grammar-syntax"],
    [{ choice: [1] }, "bad-type"],
    [{ choice: "yes" }, "bad-type"],
    [{ anyJson: false }, "bad-type"],
    [{ jsonSchema: { type: "strung" } }, "grammar-schema"],
    [{ jsonSchema: { $ref: "#/nowhere" } }, "grammar-reference"],
    [{ regex: "a", lenient: true }, "conflict"],
    [{ anyJson: true, propertyOrder: "random" }, "bad-type"],
    [{ anyJson: true, whitespace: "none" }, "bad-type"],
    [{ anyJson: true, whitespace: { indent: "x" } }, "out-of-range"],
    [{ anyJson: true, whitespace: { separators: [";", ":"] } }, "out-of-range"],
    [{ anyJson: true, whitespace: { separators: 5 } }, "bad-type"],
    [{ anyJson: true, whitespace: { separators: [",", ":", ","] } }, "bad-type"],
    [{ anyJson: true, whitespace: { indent: null } }, "bad-type"],
    [{ anyJson: true, whitespace: { indent: 2, maxRun: 1 } }, "conflict"],
    [{ choice: ["a", "\ud800"] }, "out-of-range"],
    [{ toolCalls: { tools: [null] } }, "bad-type"],
    [{ toolCalls: { tools: [{ name: "f", input_schema: {} }] } }, "unknown-option"],
    [{ toolCalls: { tools: [{ name: "f" }], required: 1 } }, "bad-type"],
    [{ anyJson: true, whitespace: { maxRun: -1 } }, "out-of-range"],
    [{ anyJson: true, fuel: 0.5 }, "out-of-range"],
    [{ anyJson: true, signal: 1 }, "bad-type"],
    [{ anyJson: true, vocabulary: { tokens: [1], eos: [] } }, "bad-type"],
    [{ anyJson: true, vocabulary: { tokens: [], eos: [0] } }, "out-of-range"],
    [{ anyJson: true, vocabulary: { tokens: [new Uint8Array(5000)], eos: [] } }, "out-of-range"],
  ];
  for (const [options, code] of cases)
    await assert.rejects(compile(options), (/** @type {any} */ error) => {
      assert.equal(error.code, code, `${JSON.stringify(options)}: ${error.message}`);
      return true;
    });
  await assert.rejects(compile({ jsonSchema: { properties: { a: { type: "string", pattern: "(a)\\1" } } } }), {
    code: "grammar-unsupported",
    pointer: "/properties/a",
    keyword: "pattern",
  });
  for (const [jsonSchema, place] of /** @type {[object, string][]} */ ([
    [{ not: { type: "array", uniqueItems: true, items: { type: "object" } } }, "/not/uniqueItems"],
    [{ items: { not: { type: "array", uniqueItems: true, items: { type: "object" } } } }, "/items/not/uniqueItems"],
  ]))
    await assert.rejects(compile({ jsonSchema }), {
      code: "grammar-unsupported",
      message: new RegExp(` ${place}: .*negated`),
    });
  const lenient = await compile({ jsonSchema: { properties: { a: { pattern: "(a)\\1" } } }, lenient: true });
  assert.deepEqual(
    lenient.refusals.map(({ pointer, keyword }) => [pointer, keyword]),
    [["/properties/a", "pattern"]],
  );
});

test("compiling has bounded work, and a signal stops it", async () => {
  await assert.rejects(compileGrammar({ vocabulary, regex: "abc".repeat(100), fuel: 100 }), {
    code: "grammar-fuel",
  });
  const grammar = await compileGrammar({ vocabulary, anyJson: true, stepFuel: 20 });
  const matcher = grammar.matcher();
  assert.throws(() => matcher.bitmask(), { code: "grammar-fuel" });
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  await assert.rejects(compileGrammar({ vocabulary, anyJson: true, signal: controller.signal }), /enough/);
});
