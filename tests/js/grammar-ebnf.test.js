// GBNF, Lark and tool calls: what they accept, what they refuse, and where they say so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";

const CALL = 257;
const EOS = 256;
const vocabulary = {
  tokens: [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), null, null],
  eos: [EOS],
  special: { "<|call|>": CALL },
};

/** @param {object} source */
const compile = (source) => compileGrammar({ vocabulary, ...source });

/** Whether each text is complete. A number in a list stands for a special token. */
async function verdicts(source, texts) {
  const grammar = await compile(source);
  const matcher = grammar.matcher();
  const result = texts.map((text) => {
    matcher.reset();
    return (
      [text].flat().every((part) => (typeof part === "number" ? matcher.accept(part) : matcher.acceptBytes(part))) &&
      matcher.isAccepting
    );
  });
  grammar.dispose();
  return result;
}

async function accepts(source, yes, no) {
  assert.deepEqual(
    await verdicts(source, yes),
    yes.map(() => true),
    "accepted",
  );
  assert.deepEqual(
    await verdicts(source, no),
    no.map(() => false),
    "refused",
  );
}

/** @param {object} source @param {string | RegExp} message @param {string} [code] */
const refuses = (source, message, code = "grammar-syntax") =>
  assert.rejects(compile(source), (error) => {
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });

const jsonInGbnf = `
# JSON, as a grammar may be written by hand
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array  ::= "[" ws (
             value
             ("," ws value)*
           )? "]" ws
string ::= "\\"" ( [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws     ::= | " " | "\\n" [ \\t]{0,20}
`;

test("a GBNF grammar for JSON reads JSON", () =>
  accepts(
    { ebnf: jsonInGbnf },
    ["{}", '{"a": [1, 2.5e3, "x\\u00e9", {"b":null}]}', '{"ü": true}\n  '],
    ["[]", '{"a": 01}', '{"a"}', '{"a": "\n"}', '{"a": 1,}'],
  ));

test("GBNF counts repetitions", () =>
  accepts(
    { ebnf: 'root ::= "a"{2} "b"{1,} "c"{0,2} ("d" "e")? [x-z]+' },
    ["aabx", "aabbbccdezz"],
    ["abx", "aax", "aabcccx", "aabdx", "aab"],
  ));

test("GBNF escapes and classes are code points", () =>
  accepts(
    { ebnf: 'root ::= "\\x41\\u00e9\\U0001F600\\"\\n" [^\\]a-c\\u3042] [-x] .' },
    ['Aé😀"\nd-\n', 'Aé😀"\nüx😀'],
    ['Aé😀"\n]-x', 'Aé😀"\nbxx', 'Aé😀"\nあxx', 'Aé😀"\nd'],
  ));

test("left recursion reads the same texts, whether direct, mutual or after an empty part", async () => {
  await accepts({ ebnf: 'root ::= root "+" term | term\nterm ::= [0-9]+' }, ["1", "1+22+3"], ["+1", "1+", "1++2"]);
  await accepts(
    { ebnf: 'root ::= a | "x"\na ::= b "1" | "a"\nb ::= a "2" | root "3"' },
    ["x", "a", "a21", "x31", "a2121", "x3131", "a21" + "31"],
    ["a1", "x3", "a2", "x1"],
  );
  await accepts({ ebnf: 'root ::= "-"? root "!" | "x"\n' }, ["x", "x!", "-x!", "--x!!"], ["-x", "--x!", "!"]);
});

test("GBNF errors name the line and the column", async () => {
  await refuses({ ebnf: 'root ::= "a" )' }, /Line 1, column 14:/);
  await refuses({ ebnf: "root ::= a\nb ::= c" }, /the rule a\b/);
  await refuses({ ebnf: 'start ::= "a"' }, /\broot\b/);
  await refuses({ ebnf: 'root ::= "a' }, /" was expected/);
  await refuses({ ebnf: 'root ::= "\\q"' }, /\\q/);
  await refuses({ ebnf: 'root ::= "a"{3,2}' }, /Line 1, column \d+/);
  await refuses({ ebnf: 'root ::= "a"\nroot ::= "b"' }, /Line 2.*\broot\b/);
  await refuses({ ebnf: "root ::= " + "(".repeat(300) }, /Line 1, column \d+/);
});

test("GBNF names special tokens, by name and by number", () =>
  accepts(
    { ebnf: `root ::= "a" <|call|> | <[${CALL}]> "b"` },
    [
      ["a", CALL],
      [CALL, "b"],
    ],
    ["a<|call|>", ["a"], [CALL]],
  ));

test("ordinary tokens cannot be named by number, because no mask would propose them", async () => {
  await refuses({ ebnf: 'root ::= "a" <[65]>' }, /<\[65\]>/);
  await refuses({ ebnf: 'root ::= "a" <[258]>' }, /<\[258\]>/);
  await refuses({ lark: 'start: "a" <[257-258]>' }, /<\[258\]>/);
  const saved = await compileGrammar({ vocabulary: await prepareVocabulary(vocabulary), ebnf: `root ::= <[${CALL}]>` });
  assert.ok(saved.matcher().accept(CALL));
});

test("GBNF is read as in llama.cpp: spaces before a quantifier, and every kind of line break", () =>
  accepts({ ebnf: 'root ::= "a" * ("b"\n +)\rc ::= "c"\r\n' }, ["b", "aabb"], ["a", "c"]));

test("halves of surrogate pairs are refused", async () => {
  await refuses({ ebnf: 'root ::= "\\ud83d"' }, /surrogate/);
  await refuses({ lark: 'start: "\\ud83d"' }, /surrogate/);
  await accepts({ ebnf: 'root ::= "\\ud83d\\ude00"' }, ["😀"], []);
});

test("deeply nested grammars compile or give an error", async () => {
  const chain = (length) =>
    Array.from({ length }, (_, i) => `r${i} ::= ${i + 1 < length ? `r${i + 1} | "x${i}"` : '"end"'}`).join("\n");
  await accepts({ ebnf: `root ::= r0\n${chain(100)}` }, ["end", "x7"], ["x100"]);
  await assert.rejects(compile({ ebnf: `root ::= r0\n${chain(20_000)}` }), { code: "grammar-fuel" });
  const long = await compile({ ebnf: `root ::= r0\n${chain(3_000)}` });
  assert.throws(() => long.matcher().bitmask(), { code: "grammar-fuel" });
  const nested = await compile({ ebnf: 'root ::= "(" root ")" | "[" root "]" | "x"' });
  const matcher = nested.matcher();
  assert.ok(matcher.acceptBytes("([".repeat(50_000) + "x" + "])".repeat(50_000)));
  assert.ok(matcher.isAccepting);
  const deep = await compile({ jsonSchema: Array.from({ length: 300 }).reduce((items) => ({ items }), {}) });
  assert.ok(deep.matcher().acceptBytes("[".repeat(400) + "]".repeat(400)));
});

test("a GBNF grammar that generates nothing is empty", async () => {
  const grammar = await compile({ ebnf: 'root ::= "a" root' });
  assert.equal(grammar.isEmpty, true);
});

const calculator = String.raw`
?start: sum          // a comment
?sum: product
    | sum "+" product   -> add
    | sum "-" product   -> sub
?product: atom
    | product "*" atom  -> mul
?atom: NUMBER           -> number
     | "-" atom         -> neg
     | NAME ["(" sum ("," sum)* ")"]
     | "(" sum ")"
NAME: LETTER (LETTER | "0".."9")~0..5
%import common.NUMBER
%import common.LETTER
%import common.WS_INLINE
%ignore WS_INLINE
`;

test("Lark's calculator grammar reads sums, with spaces where %ignore allows them", () =>
  accepts(
    { lark: calculator },
    ["1", " 1 + 2*x1 - f( 3 , -4.5e3 )", "-(a)", "- - 1"],
    ["1 +", "+", "f(", "1 2", "abcdefg", ")"],
  ));

test("Lark's terminals have expressions with flags, ranges, letter cases, intersection and negation", () =>
  accepts(
    { lark: 'start: A B "end"i\nA: /[a-z]+/i & ~"no"\nB: "0".."4" | /x.y/s' },
    ["ab3END", "NOx\nyend", "no1end".replace("no", "nop")],
    ["no1end", "ab5end", "3end"],
  ));

test("Lark's comments and lists of imports are read", () =>
  accepts(
    { lark: '# one\nstart: INT WORD // two\n  # three\n  | "#" # four\n%import common (INT, WORD)' },
    ["1a", "#"],
    ["1", "one"],
  ));

test("an assertion at the end of a Lark terminal is refused", async () => {
  for (const regex of ["/a(?=b)/", "/a(?!b)/", "/ab|b\\b/", "/(a(?!b))?c*/"])
    await refuses({ lark: `start: ${regex} "b"` }, /text after its terminal/, "grammar-unsupported");
  await accepts({ lark: 'start: /(?!ab)[a-c]{2}/ "b"' }, ["acb"], ["abb"]);
});

test("a Lark grammar can hold a schema", () =>
  accepts(
    {
      lark: 'start: "call " %json {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}',
    },
    ['call {"a": 1}', 'call { "a" : 22 }'],
    ["call {}", 'call {"a": "x"}', '{"a": 1}'],
  ));

test("Lark errors name the rule, terminal or directive at fault", async () => {
  await refuses({ lark: "start: a" }, /the rule a\b/);
  await refuses({ lark: "start: A" }, /the terminal A\b/);
  await refuses({ lark: "start: A\nA: B\nB: A" }, /contains itself/);
  await refuses({ lark: "start: A\nA: a\na: A" }, /the rule a\b/);
  await refuses({ lark: 'start: "a"\n%declare X' }, /only %ignore and %import/, "grammar-unsupported");
  await refuses({ lark: "start: /a/m" }, /flag m/, "grammar-unsupported");
  await refuses({ lark: 'a: "x"' }, /\bstart\b/);
});

const tools = [
  {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
  { name: "now" },
];
const weather = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>';
const now = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>';

test("tool calls may occur within free text, and nothing else may follow their trigger", () =>
  accepts(
    { toolCalls: { tools } },
    ["", "Hello <tool", `Let me see. ${weather}`, `${weather}${now} and <that> was it`, "<tool_cal<tool_cal"],
    [
      "<tool_call>",
      "<tool_call> no",
      weather.replace("city", "town"),
      weather.replace("weather", "wether"),
      `a ${now.slice(0, -1)}`,
    ],
  ));

test("free text cannot contain the first trigger", async () => {
  const grammar = await compile({ toolCalls: { tools, style: { trigger: "aa", begin: "{name}(", end: ")" } } });
  const matcher = grammar.matcher();
  assert.ok(matcher.acceptBytes("baa"));
  assert.equal(matcher.acceptBytes("a"), false);
  assert.ok(matcher.acceptBytes("now({})a"));
  assert.ok(matcher.isAccepting);
});

test("free text allows only the named special tokens", async () => {
  const [THINK, CLOSE] = [258, 259];
  const tokens = [...vocabulary.tokens, null, null];
  const special = { ...vocabulary.special, "<think>": THINK, "<|/call|>": CLOSE, "</s>": EOS };
  const own = { vocabulary: { tokens, eos: [EOS], special } };
  const style = { trigger: "<|call|>", begin: "{name}:", end: "<|/call|>" };
  const named = { tools, textTokens: ["<think>"] };
  await accepts(
    { ...own, toolCalls: { ...named, style } },
    [[THINK], ["a ", THINK, "b", THINK, CALL, "now:{}", CLOSE, THINK, " c"]],
    [[CLOSE], [CALL, THINK, "now:{}", CLOSE], [CALL, "now:{", THINK, "}", CLOSE], [THINK, CALL]],
  );
  await accepts(
    { ...own, toolCalls: named },
    [
      ["<tool_", THINK, "call>"],
      ["x", THINK, now, THINK, now],
    ],
    [[CALL], [THINK, "<tool_call>"], [now, THINK, now.slice(0, -1)], ["<tool_call>", THINK, now.slice(11)]],
  );
  await accepts({ ...own, toolCalls: { ...named, stopAfterFirst: true } }, [[THINK, now], [THINK]], [[now, THINK]]);
  await accepts({ ...own, toolCalls: { tools } }, ["x"], [[THINK]]);
  const matcher = (await compile({ ...own, toolCalls: { ...named, style, required: true } })).matcher();
  const allowed = (ids) => ids.map((id) => (matcher.bitmask()[id >> 5] >>> (id & 31)) & 1);
  assert.deepEqual(allowed([THINK, CALL, CLOSE, EOS, 65]), [1, 1, 0, 0, 1]);
  assert.ok(matcher.accept(THINK) && matcher.acceptBytes("A") && matcher.accept(CALL));
  assert.deepEqual(allowed([THINK, CALL, CLOSE, 65, 110]), [0, 0, 0, 0, 1]);
  for (const textTokens of [["<nothing>"], [3], ["<|call|>"], ["</s>"]])
    await assert.rejects(compile({ ...own, toolCalls: { tools, style, textTokens } }), { code: "out-of-range" });
  await assert.rejects(compile({ ...own, toolCalls: { tools, textTokens: "<think>" } }), { code: "bad-type" });
});

test("calls in Kimi's style carry a number of up to six digits", async () => {
  const [open, close] = ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"];
  const call = (number) => `<|tool_call_begin|>functions.now:${number}<|tool_call_argument_begin|>{}<|tool_call_end|>`;
  await accepts(
    { toolCalls: { tools, style: "kimi" } },
    [open + call(0) + call(1) + close, open + call(12) + call(13) + close],
    [open + call("") + close, open + call("x") + close, open + call("-1") + close, open + call("1234567") + close],
  );
});

test("a required call must occur, and stopAfterFirst ends the text after it", async () => {
  await accepts({ toolCalls: { tools, required: true } }, [`x ${now} y`], ["", "x"]);
  await accepts({ toolCalls: { tools, stopAfterFirst: true } }, ["x", `x ${now}`], [`${now} `, now + now]);
});

test("if a call can be the whole text, no other text begins like a call", async () => {
  const call = '{"name": "now", "arguments": {}}';
  await accepts(
    { toolCalls: { tools, style: "json" } },
    ["", "x", `x ${call}`, call],
    ["{", ` ${call}`, `${call} `, `${call}${call}`, "{}", " {", '{"name": "later", "arguments": {}}'],
  );
});

test("instead of free text there may be only calls, or JSON of a schema", async () => {
  const kimi = "<|tool_calls_section_begin|>";
  await accepts(
    { toolCalls: { tools, text: false } },
    ["", now, now + now, `${now}\n${weather}`],
    ["x", ` ${now}`, `${now} x`, `${now}\n`, `${now}\n\n${now}`],
  );
  await accepts({ toolCalls: { tools, text: false, required: true, stopAfterFirst: true } }, [now], ["", now + now]);
  const either = { tools, jsonSchema: { type: "array", items: { type: "integer" } } };
  await accepts({ toolCalls: either }, ["[]", "[1,2]", now, weather], ["", "x", "{}", `[]${now}`, kimi]);
  await accepts({ toolCalls: { ...either, required: true } }, [now], ["[]", ""]);
  await accepts({ toolCalls: { ...either, style: "json" } }, ["[1]", '{"name": "now", "arguments": {}}'], ["{}"]);
});

test("a trigger that is a special token is read only as that token", () =>
  accepts(
    { toolCalls: { tools, style: { trigger: "<|call|>", begin: "{name}:", end: ";" } } },
    [["hi <|call|>"], ["hi ", CALL, "now:{};"], [CALL, "now:{};", "x"]],
    [[CALL], [CALL, "x"], ["hi ", CALL, "now:{}"]],
  ));

test("tool calls follow the styles of several model families", async () => {
  const list = [
    ["json", '{"name": "now", "arguments": {}}'],
    ["llama3Json", '{"name": "now", "parameters": {}}'],
    ["llama3", "<function=now>{}</function>"],
    ["mistral", '[TOOL_CALLS][{"name": "now", "arguments": {}}, {"name": "now", "arguments": { }}]'],
    ["mistral11", "[TOOL_CALLS]now[ARGS]{}"],
    [
      "deepseek",
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ],
    [
      "deepseek31",
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ],
    [
      "kimi",
      "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    ],
    ["harmony", "<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}"],
    ["phi4", '<|tool_call|>[{"name": "now", "arguments": {}}]<|/tool_call|>'],
  ];
  for (const [style, call] of list) {
    // Harmony's end is this vocabulary's special token.
    const text = style === "harmony" ? [call, CALL] : [call];
    await accepts({ toolCalls: { tools, style, required: true } }, [text], [call.replace("now", "later"), "none"]);
  }
});

test("a Lark definition continues after comments and blank lines if the next character is |", async () => {
  const banner = "#".repeat(60);
  const lark = `${banner}\n// http://a.b/c#d | e\nstart: A "z" // one\n\n  ${banner}\n  // "|" two\n  | B\n${banner}\nA: "x"\n# | "no"\nB: "y"\n`;
  await accepts({ lark }, ["xz", "y"], ["x", "no", "z"]);
});

test("terminals within the brackets of a rule end where their definitions do", () =>
  accepts({ lark: 'start: (A "z")\nA: "x"\n  | "w"\nB: "y"\n' }, ["xz", "wz"], ["xyz", "x"]));

test("the name of a special token of Lark may contain the marks of strings, expressions and comments", async () => {
  const special = { "</s>": CALL, '<"#//>': 258 };
  const marked = { ...vocabulary, tokens: [...vocabulary.tokens, null], special };
  const matcher = (await compileGrammar({ vocabulary: marked, lark: 'start: "a" </s> <"#//> "b"' })).matcher();
  assert.ok(matcher.acceptBytes("a") && matcher.accept(CALL) && matcher.accept(258) && matcher.acceptBytes("b"));
});

test("unclosed strings, expressions and schemas of Lark are errors at their beginning", async () => {
  await refuses({ lark: `start: "${'\\"'.repeat(1000)}` }, /Line 1, column 8: this has no closing " on its line/);
  await refuses({ lark: "start: /a[/]\\/" }, /Line 1, column 8: this has no closing \/ on its line/);
  await refuses({ lark: 'start: "a\\\n"' }, /no closing "/);
  await refuses({ lark: 'start: %json {"a": "}' }, /column 14: the schema does not end/);
});

test("grammars that are nested too deeply or expand without end are errors with a code", async () => {
  const names = Array.from({ length: 40 }, (_, i) => `T${"ABCDEFGHIJ"[Math.floor(i / 10)]}${"ABCDEFGHIJ"[i % 10]}`);
  const doubling = names.map(
    (name, i) => `${name}: ${i + 1 < names.length ? `${names[i + 1]} ${names[i + 1]}` : '"x"'}`,
  );
  for (const [source, code] of [
    [{ lark: `start: A\nA: ${"~".repeat(100_000)}"x"` }, "grammar-syntax"],
    [{ lark: `start: "x"${"?".repeat(100_000)}` }, "grammar-syntax"],
    [{ lark: `start: ${"(".repeat(100_000)}` }, "grammar-syntax"],
    [{ ebnf: `root ::= "x"${"?".repeat(100_000)}` }, "grammar-syntax"],
    [{ ebnf: `root ::= ${'"a"? '.repeat(20_000)} root` }, "grammar-fuel"],
    [{ lark: `start: ${names[0]}\n${doubling.join("\n")}` }, "grammar-fuel"],
  ])
    await assert.rejects(compile(source), { code });
});

test("text put in place of a style's placeholder is never read as a placeholder", async () => {
  const style = { trigger: "call ", begin: "{{name}} <{name}> ", end: " </{name}>" };
  const toolCalls = { tools: [{ name: "number" }, { name: "name" }], style, required: true, stopAfterFirst: true };
  await accepts(
    { toolCalls },
    ["call {number} <number> {} </number>", "call {name} <name> {} </name>"],
    ["call 7 <number> {} </number>", "call {number} <{name}> {} </number>", "call {number} <number> {} </{name}>"],
  );
});

test("unusable tools are refused", async () => {
  const code = (toolCalls, expected) => assert.rejects(compile({ toolCalls }), { code: expected });
  await code({ tools: [] }, "bad-type");
  await code({ tools: [{ name: "a b" }] }, "out-of-range");
  await code({ tools: [{ name: "a" }, { name: "a" }] }, "out-of-range");
  await code({ tools, style: "gemini" }, "out-of-range");
  await code({ tools, parallel: true }, "unknown-option");
  await code({ tools, style: { trigger: "x", begin: "y", end: "" } }, "out-of-range");
  await code({ tools, style: { trigger: "Call {number}:", begin: "{name}(", end: ")" } }, "out-of-range");
  await code({ tools, style: { trigger: "Call:", begin: "{name}(", end: ")", close: "</{name}>" } }, "out-of-range");
});
