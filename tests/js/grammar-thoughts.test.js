// Grammars that begin after a thought.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar, prepareVocabulary } from "lastinch";

const [EOS, BEGIN, END, CALL] = [256, 257, 258, 259];
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const vocabulary = {
  tokens: [...bytes, null, null, null, null],
  eos: [EOS],
  special: { "[THINK]": BEGIN, "[/THINK]": END, "<|call|>": CALL },
};

/** Whether each text is complete. A number in a list stands for a special token. */
async function accepts(source, yes, no) {
  const grammar = await compileGrammar({ vocabulary, ...source });
  const matcher = grammar.matcher();
  const isWhole = (text) => {
    matcher.reset();
    const read = (part) => (typeof part === "number" ? matcher.accept(part) : matcher.acceptBytes(part));
    return [text].flat().every(read) && matcher.isAccepting;
  };
  for (const text of yes) assert.ok(isWhole(text), JSON.stringify(text));
  for (const text of no) assert.ok(!isWhole(text), JSON.stringify(text));
  grammar.dispose();
}

const opened = { end: "</think>" };
const closed = { begin: "<think>", end: "</think>" };

test("after a thought that the prompt has opened, the grammar begins", () =>
  accepts(
    { choice: ["yes"], after: opened },
    ["</think>yes", "well, </thin\u{1f600}</think>\n\nyes"],
    ["yes", "a</think>", "a</think>no", "a</think>\n\n\nyes", "a</think>yes</think>yes", ["a", CALL, "</think>yes"]],
  ));

test("newlines at the beginning of a grammar are told apart from those after a thought", async () => {
  for (const source of [
    { regex: "\n*yes" },
    { choice: ["yes", "\nyes", "\n\nyes"] },
    { ebnf: 'root ::= "\\n"* "yes"' },
    { lark: 'start: /\\n*/ "yes"' },
  ]) {
    const own = ["a</think>\n\nyes", "a</think>\n\n\n\nyes"];
    await accepts({ ...source, after: opened }, own, ["a</think>yes", "a</think>\nyes"]);
    await accepts(
      { ...source, after: closed },
      ["yes", "\nyes", ...own.map((text) => `<think>${text}`)],
      ["<think>a</think>yes"],
    );
  }
  // Newlines before free text and before JSON mean nothing.
  for (const source of [{ toolCalls: { tools: [{ name: "now" }] } }, { jsonSchema: { const: 1 } }])
    await accepts({ ...source, after: opened }, ["a</think>1", "a</think>\n1", "a</think>\n\n1"], []);
  // Choices that have no such text are not changed.
  await accepts({ regex: "[^\n]*", after: opened }, ["a</think>", "a</think>\n\nyes"], ["a</think>\n\n\nyes"]);
});

test("whether a grammar begins with a newline is found without the caller's fuel, and leaves nothing behind", async (t) => {
  const limited = await compileGrammar({ vocabulary, regex: "\n*yes", after: opened, stepFuel: 1 });
  assert.throws(() => limited.matcher().acceptBytes("</think>\n\nyes"), { code: "grammar-fuel" });
  limited.dispose();

  const prepared = await prepareVocabulary(vocabulary);
  const { instance } = prepared;
  const { exports } = instance;
  t.after(() => (instance.exports = exports));
  const alive = { masker: 0, matcher: 0 };
  const counted = (name) => ({
    [`li_${name}_create`]: (...given) => (alive[name]++, exports[`li_${name}_create`](...given)),
    [`li_${name}_destroy`]: (at) => (alive[name]--, exports[`li_${name}_destroy`](at)),
  });
  const li_matcher_accept_bytes = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  instance.exports = { ...exports, ...counted("masker"), ...counted("matcher"), li_matcher_accept_bytes };
  await assert.rejects(compileGrammar({ vocabulary: prepared, regex: "a", after: opened }), /unreachable/);
  assert.deepEqual(alive, { masker: 0, matcher: 0 });
});

test("a thought that the prompt has not opened may be left out", () =>
  accepts(
    { jsonSchema: { type: "integer" }, after: closed },
    ["7", "<think>so</think>7", "<think></think>\n7"],
    ["so</think>7", "<think>so", "<think>7", "x<think></think>7"],
  ));

test("marks that are special tokens are read only as those tokens", () =>
  accepts(
    { regex: "a+", after: { begin: "[THINK]", end: "[/THINK]" } },
    ["aa", [BEGIN, "so [/THINK]", END, "a"]],
    ["[THINK]so[/THINK]a", [BEGIN, "so[/THINK]a"], [BEGIN, BEGIN, END, "a"], [END, "a"]],
  ));

test("within a thought nothing is a call", async () => {
  const tools = [{ name: "now" }];
  const now = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>';
  for (const after of [opened, closed]) {
    const begin = after.begin ?? "";
    await accepts(
      { toolCalls: { tools }, after },
      [`${begin}is <tool_call> it?</think>\n\nYes`, `${begin}</think>a ${now}`],
      [`${begin}${now}`, `${begin}</think><tool_call>`, `${begin}<tool_call>`],
    );
  }
  await accepts({ toolCalls: { tools }, after: closed }, ["Yes", now, "Yes <think>", `a ${now}<think>`], ["<think>"]);
  const style = { trigger: "<|call|>", begin: "{name}:", end: ";" };
  await accepts(
    { toolCalls: { tools, style }, after: closed },
    ["a", [CALL, "now:{};"], ["<think>a</think>", CALL, "now:{};"]],
    [
      ["<think>a", CALL, "now:{};"],
      ["<think>a", CALL, "</think>"],
    ],
  );
  await accepts(
    { toolCalls: { tools, style: "json" }, after: closed },
    ["a", '<think>{</think>{"name": "now", "arguments": {}}'],
    ["<think>{", "<think>a</think>{}"],
  );
});

test("in a thought a mask allows everything except special tokens", async () => {
  const grammar = await compileGrammar({ vocabulary, choice: ["yes"], after: opened });
  const matcher = grammar.matcher();
  assert.ok(matcher.acceptBytes("Hm. </think"));
  const allowed = (id) => (matcher.bitmask()[id >> 5] >>> (id & 31)) & 1;
  assert.deepEqual([65, 62, EOS, CALL].map(allowed), [1, 1, 0, 0]);
  assert.ok(matcher.acceptBytes(">"));
  assert.deepEqual([65, 121, 10, EOS].map(allowed), [0, 1, 1, 0]);
});

test("a thought without an end, and wrong options of a thought, are refused", async () => {
  for (const [after, code] of [
    [{}, "bad-type"],
    [{ end: "" }, "out-of-range"],
    [{ begin: "", end: "x" }, "out-of-range"],
    [{ end: "\ud800" }, "out-of-range"],
    [{ end: "x", budget: 3 }, "unknown-option"],
    [7, "bad-type"],
  ])
    await assert.rejects(compileGrammar({ vocabulary, choice: ["a"], after }), { code });
});
