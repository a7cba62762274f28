// Structural tags, compared with a recogniser of their own; the forms of other engines; refusals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { openLlama3 } from "../oracle/vocabulary.js";
import { rounds } from "../rounds.js";
import { Reference } from "./structural-tags-reference.js";

const [EOS, CALL, END, THINK] = [256, 257, 258, 259];
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const special = { "<call>": CALL, "</call>": END, "<think>": THINK };
const vocabulary = await prepareVocabulary({ tokens: [...bytes, null, null, null, null], eos: [EOS], special });
const names = { "<call>": "\ue000", "</call>": "\ue001", "<think>": "\ue002" };
const tokenOf = new Map(Object.entries(names).map(([name, character]) => [character, special[name]]));
const utf8 = new TextEncoder();

/** Reads a text, in which a character from U+E000 on is a special token. */
const reads = (matcher, text) =>
  [...text].every((one) =>
    tokenOf.has(one) ? matcher.accept(tokenOf.get(one)) : matcher.acceptBytes(utf8.encode(one)),
  );

/** Which of the texts a structural tag takes as a whole. */
async function taken(structuralTags, texts, options) {
  const grammar = await compileGrammar({ vocabulary, structuralTags, ...options });
  const matcher = grammar.matcher();
  const found = texts.filter((text) => (matcher.reset(), reads(matcher, text) && matcher.isAccepting));
  grammar.dispose();
  return found;
}

/** A generator of numbers below n. @param {number} seed */
const random = (seed) => (/** @type {number} */ n) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
};

/** A random format, with texts short enough to overlap. */
function randomFormat(next, depth = 0) {
  const pick = (list) => list[next(list.length)];
  const some = (make, most = 2) => Array.from({ length: 1 + next(most) }, make);
  const inner = () => randomFormat(next, depth + 1);
  const word = () => pick(["a", "b", "ab", "ba", "<a", "aba", "é", "<call>", "b</call>", "\n"]);
  const end = () => pick(["</a", "b", "aba", "\n\n", "</call>", "", ["b>", "</a>"], ["", "x"]]);
  const leaf = () => {
    const texts = some(() => pick(["a", "b", "ab", "ba", "<a", "x"]), 3);
    return pick([
      { type: "const_string", value: word() },
      { type: "json_schema", json_schema: { enum: some(() => pick([1, 12, "a", true, [], ["b"]])) } },
      { type: "regex", pattern: `(?:${texts.join("|")})` },
      {
        type: "grammar",
        grammar: `root ::= ${texts.map((_, i) => `w${i}`).join(" | ")}\n${texts.map((one, i) => `w${i} ::= "${one}"`).join("\n")}`,
      },
      { type: "any_text" },
      { type: "any_text", excludes: some(word) },
      { type: "any_text", max_chars: next(4), ...(next(2) && { excludes: ["ab"] }) },
      { type: "any_tokens", exclude_tokens: next(2) ? ["<call>"] : [] },
      { type: "token", token: pick(["<call>", "<think>"]) },
    ]);
  };
  if (depth > 2 || (depth && !next(3))) return leaf();
  const token = (/** @type {string} */ name) => ({ type: "token", token: name });
  const flags = { at_least_one: !next(3), stop_after_first: !next(3) };
  const tag = () => ({ begin: word(), content: inner(), end: next(5) ? end() : token("</call>") });
  switch (next(9)) {
    case 0:
      return { type: "sequence", elements: some(inner, 3) };
    case 1:
      return { type: "or", elements: some(inner) };
    case 2:
      return pick(
        [
          { type: "optional" },
          { type: "plus" },
          { type: "star" },
          { type: "repeat", min: next(2), max: pick([1, 3, -1]) },
        ].map((one) => ({ ...one, content: inner() })),
      );
    case 3:
      return { type: "tag", ...tag(), ...(!next(4) && { begin: token("<think>") }) };
    case 4:
      return { type: "tags_with_separator", tags: some(tag), separator: pick([",", "", "\n", "<call>"]), ...flags };
    case 5:
      return {
        type: "dispatch",
        rules: some(() => [word(), inner()]),
        loop: next(3) > 0,
        excludes: next(2) ? [word()] : [],
      };
    case 6:
      return {
        type: "token_triggered_tags",
        trigger_tokens: ["<call>"],
        tags: [{ begin: token("<call>"), content: inner(), end: end() }],
        exclude_tokens: next(2) ? ["<think>"] : [],
        ...flags,
      };
    case 7:
      return { type: "token_dispatch", rules: [["<think>", inner()]], loop: next(2) > 0 };
    default: {
      const triggers = [...new Set(some(word, 3))];
      const tags = some(() => ({ ...tag(), begin: pick(triggers) + pick(["", "a", "b>", "<call>"]) }), 4);
      return {
        type: "triggered_tags",
        triggers,
        tags,
        excludes: next(2) ? [pick(["ba", "x", "</call>"])] : [],
        ...flags,
      };
    }
  }
}

/** Texts that occur in a format, the names of special tokens replaced. */
function wordsOf(format) {
  const words = new Set(["a", "b", "<", ">", "/", "x", "\n", "é", ...Object.values(names)]);
  JSON.stringify(format, (key, value) => {
    if (typeof value === "string" && key !== "type")
      for (const part of [value, ...value.split(/[|()?:"\s=]+/)])
        words.add(part.replace(/<[^<>\s]+>/g, (name) => names[name] ?? name));
    if (key === "enum") value.forEach((one) => words.add(JSON.stringify(one)));
    return value;
  });
  return [...words].filter(Boolean);
}

/** A random text that the format mostly allows. */
function randomText(format, next) {
  const words = wordsOf(format);
  let text = "";
  for (let count = next(12); count; count--) {
    const word = Array.from({ length: 8 }, () => words[next(words.length)]).find(
      (one) => !next(6) || new Reference(text + one, names).judge(format).isBegun,
    );
    text += word ?? "";
  }
  return text;
}

test("random structural tags take the texts, and the beginnings of texts, that a slow recogniser takes", async () => {
  const next = random(35);
  const counts = { formats: 0, refused: 0, whole: 0, begun: 0, neither: 0 };
  while (counts.formats < rounds(4000, 150)) {
    const format = randomFormat(next);
    counts.formats++;
    let grammar;
    try {
      grammar = await compileGrammar({ vocabulary, structuralTags: { format }, whitespace: "compact" });
    } catch (error) {
      assert.equal(error.code, "conflict", `${error.message} ${JSON.stringify(format)}`);
      counts.refused++;
      continue;
    }
    const matcher = grammar.matcher();
    for (let round = 0; round < 6; round++) {
      const text = [...randomText(format, next)];
      matcher.reset();
      for (let length = 0; length <= text.length; length++) {
        const part = text.slice(0, length).join("");
        const { isWhole, isBegun } = new Reference(part, names).judge(format);
        const isRead = !length || reads(matcher, text[length - 1]);
        const message = `${JSON.stringify(part)} in ${JSON.stringify(format)}`;
        assert.equal(isRead, isBegun, message);
        if (isRead) assert.equal(matcher.isAccepting, isWhole, `whole: ${message}`);
        counts[isWhole ? "whole" : isBegun ? "begun" : "neither"]++;
        if (!isRead) break;
      }
    }
    grammar.dispose();
  }
  // The sample is worth something.
  assert.ok(counts.refused < counts.formats / 3, JSON.stringify(counts));
  for (const kind of ["whole", "begun", "neither"]) assert.ok(counts[kind] > counts.formats, JSON.stringify(counts));
});

const city = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const functionTag = (/** @type {string} */ name, schema = city) => ({
  begin: `<function=${name}>`,
  content: { type: "json_schema", json_schema: schema },
  end: "</function>",
});
const call = '<function=weather>{"city":"Oslo"}</function>';

test("the short form, that of servers and that of xgrammar are one, as objects and as JSON text", async () => {
  const triggers = ["<function="];
  const own = [{ begin: "<function=weather>", schema: city, end: "</function>" }];
  const forms = [
    { triggers, tags: own },
    { type: "structural_tag", triggers, structures: own },
    { type: "structural_tag", format: { type: "triggered_tags", triggers, tags: [functionTag("weather")] } },
    { format: { type: "triggered_tags", triggers, tags: [{ ...functionTag("weather"), type: "tag" }] } },
  ];
  const yes = ["", "Hi <func", `Hi ${call} and ${call}\n`, "<function"];
  const no = [
    "<function=",
    "Hi <function=time>",
    call.replace("Oslo", 'Os"lo'),
    '<function=weather>{"town":"x"}</function>',
  ];
  for (const form of forms)
    for (const given of [form, JSON.stringify(form)]) assert.deepEqual(await taken(given, [...yes, ...no]), yes);
  const digits = [{ begin: "<n>", regex: "[0-9]{2}", end: ["</n>", ";"] }];
  assert.deepEqual(await taken({ triggers: ["<n>"], tags: digits, at_least_one: true, stop_after_first: true }, ["<n>12;", "<n>12</n>", "a<n>12;", "<n>12;<n>", "<n>1;"]), ["<n>12;", "<n>12</n>"]); // prettier-ignore
});

test("a first tag may be required, and the text may end after it", async () => {
  const base = { triggers: ["<function="], tags: [{ begin: "<function=weather>", schema: city, end: "</function>" }] };
  const texts = ["", "Hi", `Hi ${call}`, call, `${call} and`, `${call}${call}`];
  assert.deepEqual(await taken(base, texts), texts);
  assert.deepEqual(await taken({ ...base, at_least_one: true }, texts), [call, `${call} and`, `${call}${call}`]);
  assert.deepEqual(await taken({ ...base, stop_after_first: true }, texts), ["", "Hi", `Hi ${call}`, call]);
  assert.deepEqual(await taken({ ...base, at_least_one: true, stop_after_first: true }, texts), [call]);
});

test("the trigger that is complete first counts, also where another one has begun", async () => {
  const tags = [
    { begin: "ab1", regex: "x", end: "" },
    { begin: "bc2", regex: "y", end: "" },
    { begin: "b</call>", regex: "z", end: "" },
  ];
  const given = { triggers: ["ab", "bc", "b</call>"], tags };
  const token = names["</call>"];
  const yes = ["ab1x", "aab1xbc2yb", `b${token}zb`, "a-bc2y"];
  assert.deepEqual(await taken(given, [...yes, "abc2y", `ab${token}z`, "bc1x", token]), yes);
});

test("members of an object stand one by one in the styles of families", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer" } },
    required: ["name", "age"],
  };
  const json = (/** @type {string} */ style) => ({ format: { type: "json_schema", json_schema: schema, style } });
  const qwen = [
    "<parameter=name>Bob</parameter><parameter=age>\t100\n</parameter>",
    "\n\t<parameter=name>Bob</parameter><parameter=age>100</parameter>\n",
    '<parameter=name>"Bob&lt;"</parameter><parameter=age>100</parameter>',
    "<parameter=name><!DOCTYPE html>\n<html>\n</html></parameter><parameter=age>100</parameter>",
  ];
  const minimax = ['<parameter name="name">Bob</parameter>\t\n<parameter name="age">\t100\n</parameter>'];
  const glm = [
    "<arg_key>name</arg_key><arg_value>Bob</arg_value><arg_key>age</arg_key><arg_value>100</arg_value>",
    "<arg_key>name</arg_key>\n<arg_value>Bob</arg_value>\n<arg_key>age</arg_key>\n<arg_value>100</arg_value>\n",
  ];
  const all = [
    ...qwen,
    ...minimax,
    ...glm,
    glm[0].slice(0, 46),
    "<parameter=name>Bob</parameter><parameter=age>x</parameter>",
  ];
  assert.deepEqual(await taken(json("qwen_xml"), all), qwen);
  assert.deepEqual(await taken({ format: { type: "qwen_xml_parameter", json_schema: schema } }, all), qwen);
  assert.deepEqual(await taken(json("minimax_xml"), all), minimax);
  assert.deepEqual(await taken(json("glm_xml"), all), glm);
});

test("what has no meaning, and what other engines alone can do, is refused", async () => {
  const tag = { begin: "<a>", regex: "x", end: "</a>" };
  const tagged = { begin: "<a>", content: { type: "any_text" }, end: "</a>" };
  const nested = Array.from({ length: 200 }).reduce((content) => ({ type: "optional", content }), { type: "any_text" });
  const triggered = (more) => ({ triggers: ["<a"], tags: [tag], ...more });
  /** @type {[any, string][]} */
  const refused = [
    // Tags that overlap, and triggers inside others.
    [triggered({ tags: [tag, { ...tag, regex: "y" }] }), "conflict"],
    [triggered({ triggers: ["<a", "<a>"] }), "conflict"],
    [triggered({ triggers: ["<a", "a"], tags: [tag, { ...tag, begin: "ab" }] }), "conflict"],
    [triggered({ triggers: ["<a", "<a"] }), "conflict"],
    [triggered({ triggers: ["<b"] }), "conflict"],
    [triggered({ excludes: ["a"] }), "conflict"],
    [
      {
        format: {
          ...tagged,
          type: "tag",
          end: "<",
          content: { type: "triggered_tags", triggers: ["<a"], tags: [tagged] },
        },
      },
      "conflict",
    ],
    [triggered({ triggers: ["<ca"], tags: [{ ...tag, begin: "<call>" }] }), "conflict"],
    [triggered({ structures: [tag] }), "conflict"],
    [
      { format: { type: "token_dispatch", rules: [["<call>", { type: "any_text" }]], exclude_tokens: ["<call>"] } },
      "conflict",
    ],
    // Values that are none.
    ["{", "grammar-syntax"],
    [{ format: nested }, "grammar-syntax"],
    [7, "bad-type"],
    [[], "bad-type"],
    [{}, "bad-type"],
    [triggered({ triggers: "<a" }), "bad-type"],
    [triggered({ triggers: [] }), "out-of-range"],
    [triggered({ triggers: [""] }), "out-of-range"],
    [triggered({ tags: [] }), "out-of-range"],
    [triggered({ tags: [{ begin: "<a>", end: "" }] }), "bad-type"],
    [triggered({ tags: [{ ...tag, schema: true }] }), "bad-type"],
    [triggered({ tags: [{ ...tag, end: undefined }] }), "bad-type"],
    [triggered({ tags: [{ ...tag, end: "\ud800" }] }), "out-of-range"],
    [triggered({ tags: [{ ...tag, close: "" }] }), "unknown-option"],
    [triggered({ at_least_one: 1 }), "bad-type"],
    [triggered({ least: true }), "unknown-option"],
    [triggered({ type: "triggered_tags" }), "out-of-range"],
    [{ format: { type: "any_text" }, triggers: ["<a"] }, "unknown-option"],
    [{ format: { value: "x" } }, "bad-type"],
    [{ format: { type: "text" } }, "out-of-range"],
    [{ format: { type: "toString" } }, "out-of-range"],
    [{ format: { type: "repeat", min: 2, max: 1, content: { type: "any_text" } } }, "out-of-range"],
    [{ format: { type: "dispatch", rules: [["a"]] } }, "out-of-range"],
    [{ format: { type: "any_text", max_chars: -1 } }, "out-of-range"],
    [{ format: { type: "json_schema" } }, "bad-type"],
    [{ format: { type: "regex", pattern: "(" } }, "grammar-syntax"],
    [{ format: { type: "grammar", grammar: "a ::= b" } }, "grammar-syntax"],
    // The peers' own.
    [{ format: { type: "exclude_token" } }, "grammar-unsupported"],
    [{ format: { type: "any_text", max_tokens: 9 } }, "grammar-unsupported"],
    [{ format: { type: "any_tokens", max_tokens: 9 } }, "grammar-unsupported"],
    [{ format: { type: "token", token: "a" } }, "grammar-unsupported"],
    [{ format: { type: "token", token: 97 } }, "grammar-unsupported"],
    [{ format: { type: "json_schema", json_schema: city, any_order: true } }, "grammar-unsupported"],
    [{ format: { type: "json_schema", json_schema: city, max_whitespace_cnt: 2 } }, "grammar-unsupported"],
    [{ format: { type: "json_schema", json_schema: city, style: "cohere_xml" } }, "grammar-unsupported"],
    [{ format: { type: "regex", pattern: "a(?=b)" } }, "grammar-unsupported"],
  ];
  for (const [structuralTags, code] of refused)
    await assert.rejects(compileGrammar({ vocabulary, structuralTags }), { code }, JSON.stringify(structuralTags)?.slice(0, 200)); // prettier-ignore
  const looped = { type: "optional" };
  looped.content = looped;
  await assert.rejects(compileGrammar({ vocabulary, structuralTags: { format: looped } }), { code: "grammar-syntax" });
  // Nulls are xgrammar's way of leaving a limit out.
  assert.deepEqual(await taken({ format: { type: "any_text", max_tokens: null, max_chars: null } }, ["x"]), ["x"]);
});

test("structural tags come after a thought, and the rest of a prompt may be healed", async () => {
  const format = { type: "triggered_tags", triggers: ["<function="], tags: [functionTag("weather")] };
  const begin = names["<think>"];
  const yes = [`Hi ${call}`, `${begin}<function=</think>\n\nHi ${call}`, `${begin}a</think>${call}`];
  const no = ["Hi <function=x", `${begin}a</think><function=x`, `Hi ${begin}`];
  assert.deepEqual(await taken({ format }, [...yes, ...no], { after: { begin: "<think>", end: "</think>" } }), yes);
  // Where the tag is plain text, free text does not begin with it.
  const plain = ["[t]a[/t]hi", "hi"];
  assert.deepEqual(
    await taken({ format }, [...plain, "[t]a", "[t]<function=x"], { after: { begin: "[t]", end: "[/t]" } }),
    plain,
  );
  const grammar = await compileGrammar({ vocabulary, structuralTags: { format } });
  const matcher = grammar.matcher({ heal: "So" });
  assert.ok(!matcher.acceptBytes(utf8.encode("No")));
  assert.ok(matcher.acceptBytes(utf8.encode(`So<function=`)));
  assert.equal(new TextDecoder().decode(matcher.forced()), "weather>{");
  matcher.dispose();
  grammar.dispose();
});

test("masks over a vocabulary of real size hold the tokens that the recogniser takes", async () => {
  const { tokens, eos } = openLlama3();
  const large = await prepareVocabulary({ tokens, eos });
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const next = random(9);
  const finite = (/** @type {string} */ name) => ({ begin: `<function=${name}>`, content: { type: "regex", pattern: "(?:x|yz)" }, end: "</function>" }); // prettier-ignore
  const format = {
    type: "triggered_tags",
    triggers: ["<function=", "```json"],
    tags: [finite("get"), finite("get_all"), { ...finite("x"), begin: "```json\n", end: "```" }],
    excludes: ["<|end|>", "\n\n\n"],
  };
  const grammar = await compileGrammar({ vocabulary: large, structuralTags: { format } });
  const matcher = grammar.matcher();
  for (const text of [
    "",
    "Hi <",
    "a\n\n",
    "``",
    "<function=",
    "<function=get",
    "<function=get>yz</fun",
    "a <|end|",
    "```json\nx```",
  ]) {
    matcher.reset();
    assert.ok(matcher.acceptBytes(utf8.encode(text)), text);
    const mask = matcher.bitmask();
    const isAllowed = (/** @type {number} */ token) => ((mask[token >> 5] >>> (token & 31)) & 1) === 1;
    // Of tokens that go on with a trigger or an end, all; of the others, a sample.
    tokens.forEach((token, id) => {
      if (!token.length || (next(40) && !/[<`|]|\n\n|^get|^x|^yz/.test(Buffer.from(token).toString("latin1")))) return;
      let end;
      try {
        end = decoder.decode(token);
      } catch {
        return; // part of a character
      }
      const { isBegun } = new Reference(text + end, {}).judge(format);
      assert.equal(isAllowed(id), isBegun, JSON.stringify([text, end]));
    });
    assert.equal(isAllowed(eos[0]), new Reference(text, {}).judge(format).isWhole, text);
  }
  matcher.dispose();
  grammar.dispose();
});
