// Answers are split into thoughts, text and calls, however they are cut into pieces.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerStream } from "../../web/chat/answer-stream.js";
import { ControlNames } from "../../web/chat/control-names.js";
import { Turn } from "../../web/chat/conversation.js";
import { ToolCallStream } from "../../web/chat/tool-call-stream.js";
import { StopStrings } from "../../web/decode/stop-strings.js";
import { toolCallStyles } from "../../web/grammar/readers/tool-call-styles.js";

/** The pieces of a text that comes `size` units at a time; neighbours of a kind are joined. */
function read(stream, text, size) {
  const pieces = [];
  for (let at = 0; at < text.length; at += size) pieces.push(...stream.push(text.slice(at, at + size)));
  pieces.push(...stream.end());
  const joined = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && "text" in piece && last.kind === piece.kind) last.text += piece.text;
    else joined.push({ ...piece });
  }
  return joined;
}

function reads(open, text, expected) {
  for (let size = 1; size <= text.length; size++)
    assert.deepEqual(read(open(), text, size), expected, `${text} ${size}`);
}

const utf8 = new TextEncoder();
const say = (text) => ({ kind: "text", text });
const think = (text) => ({ kind: "reasoning", text });
const call = (name, text) => [{ kind: "call", name }, { kind: "input", text }, { kind: "end" }];
const names = ["a.b", "a", "c"];

test("calls are found in a text", () => {
  const input = '{"x":"}\\n</tool_call>","y":["\\"]"]}';
  const hermes = (name, value) => `<tool_call>\n{"name": "${name}", "arguments": ${value}}\n</tool_call>`;
  const open = () => new ToolCallStream(toolCallStyles.hermes, names);
  const text = `Hi <tool \u{1f600}${hermes("a.b", input)} and ${hermes("c", "{}")}\n<tool_`;
  reads(open, text, [
    say("Hi <tool \u{1f600}"),
    ...call("a.b", input),
    say(" and "),
    ...call("c", "{}"),
    say("\n<tool_"),
  ]);
  const cut = text.slice(0, text.indexOf('"x"') + 2);
  const begun = [say("Hi <tool \u{1f600}"), { kind: "call", name: "a.b" }, { kind: "input", text: '{"x' }];
  reads(open, cut, [...begun, { kind: "cut" }]);
  // After the trigger it can only be a call.
  reads(open, `Hi\n${hermes("a", "{}").slice(0, 20)}`, [say("Hi"), { kind: "cut" }]);
  reads(open, hermes("a", "{}").slice(0, -1), [...call("a", "{}").slice(0, 2), { kind: "cut" }]);
});

test("a second call after one trigger is reported when it is cut off, wherever its beginning ends", () => {
  const [first, input, end] = call("a", "{}");
  for (const name of ["lfm2", "mistral", "phi4", "granite", "deepseek", "deepseek31", "kimi"]) {
    const style = toolCallStyles[name];
    const written = (mark) => mark.replace("{name}", "a").replace("{number}", "0");
    const one = written(style.begin) + (name === "lfm2" ? "" : "{}") + style.end;
    const next = style.separator + written(style.begin);
    const open = () => new ToolCallStream(style, names);
    for (let length = 0; length < next.length; length++) {
      const held = next.slice(0, length);
      const mayClose = !held.trim() || style.close.startsWith(held);
      const pieces = read(open(), style.trigger + one + held, 3).filter(
        ({ text }) => text === undefined || text !== "{}",
      );
      assert.deepEqual(pieces, [first, end, ...(mayClose ? [] : [{ kind: "cut" }])], `${name}: ${held}`);
    }
    for (let length = 0; length <= style.close.length; length++) {
      const pieces = read(open(), style.trigger + one + style.close.slice(0, length), 1);
      assert.deepEqual(pieces, [first, input, end], `${name}: ${length} of close`);
    }
  }
});

test("the beginning of a call that is cut off is not text", () => {
  const cut = { kind: "cut" };
  const open = (style, allowed) => () => new ToolCallStream(toolCallStyles[style], names, undefined, allowed);
  const [begun] = call("a", "{}");
  const written = {
    json: '{"name": "a", "arguments": {}}',
    llama3Json: '{"name": "a", "parameters": {}}',
    hermes: '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>',
    mistral: '[TOOL_CALLS][{"name": "a", "arguments": {}}]',
    lfm2: "<|tool_call_start|>[a()]<|tool_call_end|>",
    phi4: '<|tool_call|>[{"name": "a", "arguments": {}}]<|/tool_call|>',
    harmony: "<|channel|>commentary to=functions.a <|constrain|>json<|message|>{}<|call|>",
  };
  for (const [style, text] of Object.entries(written))
    for (let length = 1; length < text.length; length++) {
      // Where nothing but a call may come, no part of the call is text.
      const pieces = read(open(style, { text: "none" })(), text.slice(0, length), 3);
      assert.ok(pieces.length && pieces.every(({ kind }) => kind !== "text"), `${style} ${length}`);
      assert.ok(["cut", "end"].includes(pieces.at(-1).kind));
    }
  // Free text cannot begin with the brace of a call that is the whole answer, but JSON can.
  for (const part of ["{", '{"name": "', '{"name": "a']) {
    reads(open("json"), part, [cut]);
    reads(open("json", { text: "json" }), part, [say(part)]);
  }
  reads(open("json"), '{"name": "a", "arguments": {"', [begun, { kind: "input", text: '{"' }, cut]);
  reads(open("json"), 'So {"name": "', [say('So {"name": "')]);
  // Nor is the beginning of a thought text, where the call must come after it or at once.
  const required = () => new AnswerStream({ thought, style: toolCallStyles.hermes, names, allowed: { text: "none" } });
  for (const part of ["<", "<th", "<t", "<tool_call>", "<think>a</think>\n\n<tool_"])
    assert.ok(
      read(required(), part, 1).every(({ kind }) => kind !== "text"),
      part,
    );
  // A control token of a mark is not text; characters with which a mark begins may be.
  const control = { control: ["<|channel|>", "<|call|>"] };
  reads(open("harmony", control), "Hi<|channel|>comm", [say("Hi"), cut]);
  reads(open("harmony", control), "Hi<|chan", [say("Hi<|chan")]);
  reads(open("lfm2", { control: ["<|tool_call_start|>"] }), "<|tool_call_start|>", [cut]);
  reads(open("hermes"), "Hi <tool_", [say("Hi <tool_")]);
  reads(open("hermes", { text: "json" }), '{"x": "<tool_call>', [say('{"x": "<tool_call>')]);
  reads(open("hermes", { text: "json" }), "<tool_call>", [cut]);
});

test("newlines around calls belong to the calls, other newlines to the text", () => {
  const now = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>';
  const open = () => new ToolCallStream(toolCallStyles.hermes, names);
  reads(open, `Hi\n\n${now}\n${now}\n`, [say("Hi"), ...call("a", "{}"), ...call("a", "{}")]);
  reads(open, `Hi\n\nthere\n`, [say("Hi\n\nthere\n")]);
});

test("calls are read in the style of every family", () => {
  const list = {
    json: ['{"name": "a", "arguments": {}}'],
    llama3Json: ['{"name": "a", "parameters": {}}'],
    llama3: ["x", "<function=a>{}</function>"],
    mistral: ["x", '[TOOL_CALLS][{"name": "a", "arguments": {}}, {"name": "a", "arguments": {}}]'],
    mistral11: ["x", "[TOOL_CALLS]a[ARGS]{}[TOOL_CALLS]a[ARGS]{}"],
    deepseek: [
      "x",
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{}\n```<｜tool▁call▁end｜>" +
        "\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ],
    deepseek31: [
      "x",
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>{}" +
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ],
    kimi: [
      "x",
      "<|tool_calls_section_begin|><|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{}<|tool_call_end|>" +
        "<|tool_call_begin|>functions.a:12<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    ],
    harmony: ["x", "<|channel|>commentary to=functions.a <|constrain|>json<|message|>{}<|call|>"],
    phi4: ["x", '<|tool_call|>[{"name": "a", "arguments": {}}]<|/tool_call|>'],
    granite: ["x", '<|tool_call|>[{"name": "a", "arguments": {}}, {"name": "a", "arguments": {}}]'],
    qwen3Coder: ["x", "<tool_call>\n<function=a>\n</function>\n</tool_call>"],
    glm: ["x", "<tool_call>a\n</tool_call>\n<tool_call>a\n</tool_call>"],
    glm47: ["x", "<tool_call>a</tool_call>"],
    functionGemma: [
      "x",
      "<start_function_call>call:a{}<end_function_call><start_function_call>call:a{}<end_function_call>",
    ],
    minicpm5: ["x", '<function name="a"></function>\n<function name="a"></function>'],
    lfm2: ["x", "<|tool_call_start|>[a(), a()]<|tool_call_end|>"],
    hermes: ["x", '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'],
  };
  assert.deepEqual(Object.keys(list).sort(), Object.keys(toolCallStyles).sort());
  for (const [style, parts] of Object.entries(list)) {
    const text = parts.join("");
    const count = text.split(/\{\}|\(\)|<function=a>\n|<function name|<tool_call>a/).length - 1;
    const calls = Array.from({ length: count }, () => call("a", "{}")).flat();
    reads(() => new ToolCallStream(toolCallStyles[style], names), text, [...(parts[1] ? [say("x")] : []), ...calls]);
  }
});

test("arguments that are written one by one become JSON", () => {
  const keys = new Map([
    ["a", new Map(Object.entries({ city: true, days: false, "city name": true, list: false }))],
    ["c", new Map()],
  ]);
  const open = (style) => new ToolCallStream(toolCallStyles[style], names, keys);
  const xml = (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`;
  const city = 'Zürich "Altstadt" \\ \u{1f600}\n</parameter> \n\n';
  const list = '[{"x": "\\n</parameter>\\n"}, null]';
  const both = xml("city", city) + xml("days", "-2.5e3") + xml("city name", "") + xml("list", list);
  const text = `Hi\n<tool_call>\n<function=a>\n${both}</function>\n</tool_call>\n<tool_call>\n<function=c>\n</function>\n</tool_call>`;
  const json = `{"city": ${JSON.stringify(city)}, "days": -2.5e3, "city name": "", "list": ${list}}`;
  reads(() => open("qwen3Coder"), text, [say("Hi"), ...call("a", json), ...call("c", "{}")]);
  const cut = text.slice(0, text.indexOf("Altstadt"));
  const begun = [say("Hi"), { kind: "call", name: "a" }, { kind: "input", text: '{"city": "Zürich \\"' }];
  reads(() => open("qwen3Coder"), cut, [...begun, { kind: "cut" }]);
  const element = (key, value) => `<param name="${key}">${value}</param>`;
  const block = `x]]></param\n<![CDATA[ & ]]> ]]`;
  const elements =
    element("city", `<![CDATA[${block}]]>`) +
    element("days", "[2]") +
    element("city name", "]]>") +
    element("list", `<![CDATA[${list}]]>`);
  const minicpm = `Hi <function <function name="a">${elements}</function>\n<function name="c"></function>`;
  reads(() => open("minicpm5"), minicpm, [
    say("Hi <function "),
    ...call("a", `{"city": ${JSON.stringify(block)}, "days": [2], "city name": "]]>", "list": ${list}}`),
    ...call("c", "{}"),
  ]);
  const python = `<|tool_call_start|>[a(city="x, days=1) ]", list=${list}), c()]<|tool_call_end|>`;
  reads(() => open("lfm2"), python, [...call("a", `{"city": "x, days=1) ]", "list": ${list}}`), ...call("c", "{}")]);
});

test("of names and keys that begin alike the longest is taken", () => {
  const keys = new Map([["a", new Map([...["a", "a=1", "a=12", 'a">b', "a>\nb"].map((key) => [key, false])])]]);
  const open = (style) => () => new ToolCallStream(toolCallStyles[style], ["a"], /** @type {any} */ (keys));
  const written = {
    lfm2: (all) =>
      `<|tool_call_start|>[a(${all.map(([key, value]) => `${key}=${value}`).join(", ")})]<|tool_call_end|>`,
    minicpm5: (all) =>
      `<function name="a">${all.map(([key, value]) => `<param name="${key}">${value}</param>`).join("")}</function>`,
    qwen3Coder: (all) =>
      `<tool_call>\n<function=a>\n${all.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`).join("")}</function>\n</tool_call>`,
  };
  for (const [style, write] of Object.entries(written))
    for (const given of [
      [["a", "1"]],
      [["a", "12"]],
      [["a=1", "5"]],
      [["a=12", "[]"]],
      [
        ["a", "12"],
        ["a=1", '"="'],
        ["a=12", "2"],
      ],
      [
        ['a">b', "1"],
        ["a>\nb", "2"],
        ["a", "3"],
      ],
    ]) {
      const json = given.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(", ");
      reads(open(style), write(given), call("a", `{${json}}`));
    }
  // Names of tools, in custom styles in which the name is followed by nothing or by a character that names may have.
  for (const begin of ["{name}", "{name}-", "{name}.", "to {name}-b"]) {
    const style = { trigger: "!", begin, end: ";" };
    for (const name of ["a", "a-b", "a-b-b", "a.b", "a-"])
      for (const order of [
        ["a", "a-b", "a-b-b", "a.b", "a-"],
        ["a-", "a.b", "a-b-b", "a-b", "a"],
      ])
        reads(() => new ToolCallStream(style, order), `!${begin.replace("{name}", name)}{};`, call(name, "{}"));
  }
});

test("a call in the style of whole answers is not a call within a text", () => {
  const open = () => new ToolCallStream(toolCallStyles.json, names);
  const json = '{"name": "a", "arguments": {}}';
  reads(open, json, call("a", "{}"));
  reads(open, `x ${json}\n`, [say(`x ${json}\n`)]);
  // JSON that is not a call of a known tool.
  reads(open, '{"name": "ab"}', [say('{"name": "ab"}')]);
});

test("arguments may be any JSON", () => {
  for (const value of ['"a\\"b"', "-1.5e+3", "true", '[{"a": "]"}]']) {
    const text = `<tool_call>\n{"name": "c", "arguments": ${value}}\n</tool_call>`;
    reads(() => new ToolCallStream(toolCallStyles.hermes, names), text, call("c", value));
  }
});

const thought = { begin: "<think>", end: "</think>", isOpened: false, isTrimmed: true, isAnswerTrimmed: true };

test("a thought is not text, whether the prompt or the model opens it", () => {
  const rest = "\nWell,\n\n</thin is\n</think>\n\nYes.\n\nNo.\n";
  const expected = [think("Well,\n\n</thin is"), say("Yes.\n\nNo.\n")];
  reads(() => new AnswerStream({ thought }), `<think>${rest}`, expected);
  reads(() => new AnswerStream({ thought }), `\n<think>${rest}`, expected);
  reads(() => new AnswerStream({ thought: { ...thought, isOpened: true } }), rest, expected);
  const kept = { ...thought, isOpened: true, isTrimmed: false, isAnswerTrimmed: false };
  reads(() => new AnswerStream({ thought: kept }), rest, [think("\nWell,\n\n</thin is\n"), say("\n\nYes.\n\nNo.\n")]);
});

test("an answer without a thought, with an empty one, or with half of one", () => {
  const open = () => new AnswerStream({ thought });
  reads(open, "Yes. <think>", [say("Yes. <think>")]);
  reads(open, "<th", [say("<th")]);
  reads(open, "<think>\n\n</think>\n\nYes", [say("Yes")]);
  reads(open, "<think>so</th", [think("so</th")]);
  reads(open, "", []);
  reads(() => new AnswerStream({}), "<think>a</think>", [say("<think>a</think>")]);
});

test("calls may follow a thought, and within it are not calls", () => {
  const now = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>';
  const open = () => new AnswerStream({ thought, style: toolCallStyles.hermes, names });
  reads(open, `<think>${now}</think>\n\n${now}`, [think(now), ...call("a", "{}")]);
  const alone = () => new AnswerStream({ thought, style: toolCallStyles.json, names });
  reads(alone, '<think>a</think>\n\n{"name": "a", "arguments": {}}', [think("a"), ...call("a", "{}")]);
});

const control = ["</s>", "<|call|>", "<think>", "</think>", "<tool_call>"];
/** The id of a control token is its index in `control`; the ids of characters follow. @type {any} */
const model = {
  vocabulary: {
    tokens: [...control.map(() => new Uint8Array()), ...Array.from({ length: 128 }, (_, byte) => Uint8Array.of(byte))],
    special: Object.fromEntries(control.map((name, id) => [name, id])),
    eos: [0, 1],
  },
};

/** What a model would give: a chunk for each token, with the beginning of a stop string held back. */
async function* chunksOf(text, stop = []) {
  const stops = new StopStrings(stop);
  const words = text.match(/<[^<>]*>|[^]/g);
  for (const [i, word] of words.entries()) {
    const id = control.includes(word) ? control.indexOf(word) : control.length + word.charCodeAt(0);
    let shown = stops.push(control.includes(word) ? "" : word);
    const finishReason = id < 2 ? "eos" : stops.isStopped ? "stop" : i === words.length - 1 ? "length" : undefined;
    if (finishReason) shown += stops.end();
    yield { text: shown, tokens: [{ id, probability: 1, rawLogprob: 0 }], ...(finishReason && { finishReason }) };
    if (finishReason) return;
  }
}

/** @param {any} how */
async function turned(how, text, stop, options = {}) {
  const joined = [];
  for await (const { pieces } of new Turn(model, { ids: [], names: [], ...how }).read(chunksOf(text, stop), options))
    for (const piece of pieces) {
      const last = joined.at(-1);
      if (last && "text" in piece && last.kind === piece.kind) last.text += piece.text;
      else joined.push({ ...piece });
    }
  return joined;
}

test("text that a stop string holds back stays on its side of a control token", async () => {
  const thought = { begin: "<think>", end: "</think>", isOpened: false, isTrimmed: false, isAnswerTrimmed: false };
  for (const stop of [[], ["abX"], ["aX", "bX"], ["babX"], ["abY", "Z"]]) {
    const open = { thought };
    assert.deepEqual(await turned(open, "<think>ab</think>ab</s>", stop), [think("ab"), say("ab")], String(stop));
    assert.deepEqual(await turned(open, "<think>a</think>ba", stop), [think("a"), say("ba")], String(stop));
    assert.deepEqual(await turned({ thought: { ...thought, isOpened: true } }, "bab</think>abc", stop), [
      think("bab"),
      say("abc"),
    ]);
  }
  // The end of a thought does not count if a stop string has removed it.
  assert.deepEqual(await turned({ thought }, "<think>cab</think>X", ["abX"]), [think("c")]);
  assert.deepEqual(await turned({ thought }, "<think>c</think>abX", ["abX"]), [think("c")]);
});

/** What a model would give in one chunk: bytes and names of control tokens. */
async function inOneChunk(parts, text, finishReason, { ids = [], dropsSpace = false, ...options } = {}) {
  const thought = { begin: "<think>", end: "</think>", isOpened: false, isTrimmed: false, isAnswerTrimmed: false };
  const tokens = [
    ...model.vocabulary.tokens,
    Uint8Array.of(0xc3),
    ...["ab", "abc", " a", " ab"].map((one) => utf8.encode(one)),
  ];
  const numbers = parts.map((part) => (control.includes(part) ? control.indexOf(part) : control.length + part));
  const chunk = { text, tokens: numbers.map((id) => ({ id, probability: 1, rawLogprob: 0 })), finishReason };
  const longer = /** @type {any} */ ({ dropsSpace, vocabulary: { ...model.vocabulary, tokens } });
  const turn = new Turn(longer, { ids: ids.map((id) => control.length + id), names: [], thought, style: undefined });
  const pieces = [];
  for await (const read of turn.read(/** @type {any} */ ([chunk]), options)) pieces.push(...read.pieces);
  return pieces.filter((piece) => piece.text);
}
const codes = (text) => Array.from(text, (one) => one.charCodeAt(0));

test("a control token keeps its place when the text of a chunk lacks its beginning or its end", async () => {
  const half = 128;
  const parts = ["<think>", ...codes("so"), "</think>", ...codes("ab"), half];
  assert.deepEqual(await inOneChunk(parts, "soab\ufffd", "length"), [think("so"), say("ab\ufffd")]);
  const inThought = ["<think>", ...codes("so"), half];
  assert.deepEqual(await inOneChunk(inThought, "so\ufffd", "length"), [think("so\ufffd")]);
  // A token that ends the text is not part of it, though it has bytes.
  assert.deepEqual(await inOneChunk([...parts.slice(0, -1), ...codes("c")], "soab", "eos"), [think("so"), say("ab")]);
  // The prompt's last token, which healing removed, is written again: here "ab" of "abc".
  const [ab, abc] = [129, 130];
  const healed = { ids: [ab, ab], heal: true };
  const rest = [abc, "<think>", ...codes("so"), "</think>", ...codes("xyz")];
  assert.deepEqual(await inOneChunk(rest, "csox", "stop", healed), [say("c<think>so</think>x")]);
  assert.deepEqual(await inOneChunk(rest, "csoxyz", "length", healed), [say("c<think>so</think>xyz")]);
  // The space that the tokenizer drops belonged to the prompt.
  const spaced = { ids: [-control.length, 131], heal: true, dropsSpace: true };
  const after = [132, "<think>", ...codes("so"), "</think>", ...codes("x")];
  assert.deepEqual(await inOneChunk(after, "bsox", "length", spaced), [say("b<think>so</think>x")]);
});

test("a control token keeps its place after spaces of which the tokenizer drops the first", () => {
  const begin = control.indexOf("<think>");
  const names = new Map([[begin, "<think>"]]);
  const idsOf = (text) => codes(text).map((code) => control.length + code);
  /** @param {[ids: number[], text: string, finishReason?: string][]} chunks @param {object} [how] */
  const marked = (chunks, how) => {
    const controls = new ControlNames(names, () => model.vocabulary.tokens, how);
    return chunks.map(([ids, text, finishReason]) =>
      controls.read(/** @type {any} */ ({ text, tokens: ids.map((id) => ({ id })), finishReason })),
    );
  };
  const spaces = idsOf("   ");
  const rest = /** @type {const} */ ([[begin, ...idsOf(" a")], " a", "length"]);
  assert.deepEqual(marked([[spaces, "  "], rest], { dropsSpace: true }), ["  ", "<think> a"]);
  assert.deepEqual(marked([[[...spaces, begin], "  ", "stop"]], { dropsSpace: true }), ["  <think>"]);
  assert.deepEqual(marked([[spaces, "   "], rest]), ["   ", "<think> a"]);
  // The stop string has removed a space and what follows.
  assert.deepEqual(marked([[[...spaces, begin], "  ", "stop"]]), ["  "]);
  // The space belonged to the prompt.
  const prompt = idsOf("a");
  assert.deepEqual(marked([[spaces, "   "], rest], { dropsSpace: true, prompt }), ["   ", "<think> a"]);
});

test("a token that ends the answer also ends the call that it closes", async () => {
  const harmony = { names: ["a"], style: toolCallStyles.harmony };
  const begun = "<|channel|>commentary to=functions.a <|constrain|>json<|message|>";
  const [first, input] = call("a", '{"x":"}"}');
  assert.deepEqual(await turned(harmony, `${begun}{"x":"}"}<|call|>`), call("a", '{"x":"}"}'));
  assert.deepEqual(await turned(harmony, `${begun}{"x":"}"}</s>`), [first, input, { kind: "cut" }]);
  assert.deepEqual(await turned(harmony, `${begun}{"x":"}"<|call|>`), [
    first,
    { kind: "input", text: '{"x":"}"' },
    { kind: "cut" },
  ]);
  assert.deepEqual(await turned(harmony, "Hi<|call|>"), [say("Hi")]);
  const hermes = { names: ["a"], style: toolCallStyles.hermes };
  const [opened, empty] = call("a", "{}");
  assert.deepEqual(await turned(hermes, '<tool_call>\n{"name": "a", "arguments": {}<|call|>'), [
    opened,
    empty,
    { kind: "cut" },
  ]);
});

test("control tokens that structural tags name are in the text of the answer", async () => {
  const tags = [{ begin: "<tool_call>", schema: true, end: "<|call|>" }];
  const structuralTags = { triggers: ["<tool_call>"], tags };
  const thought = { begin: "<think>", end: "</think>", isOpened: false, isTrimmed: true, isAnswerTrimmed: true };
  const named = { structuralTags };
  assert.deepEqual(await turned({}, "b<tool_call>1", [], named), [say("b<tool_call>1")]);
  assert.deepEqual(await turned({}, "b<tool_call>1"), [say("b1")]);
  const given = { structuralTags: JSON.stringify(structuralTags) };
  const text = "<think>a</think>b<tool_call>1";
  assert.deepEqual(await turned({ thought }, text, [], given), [think("a"), say("b<tool_call>1")]);
});
