// What templates show of thoughts and tools.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatError } from "../../web/chat/chat-errors.js";
import { openTemplate } from "../../web/chat/template.js";
import { tellOfTools } from "../../web/chat/told-tools.js";
import { placeOf, traitsOf } from "../../web/chat/traits.js";
import { toolCallStyles } from "../../web/grammar/readers/tool-call-styles.js";
import * as templates from "./chat-templates.js";

const traits = async (source) => traitsOf(await openTemplate(source), source);

test("the style of calls is found by rendering the template", async () => {
  for (const [name, style] of [
    ["hermes", toolCallStyles.hermes],
    ["qwen3", toolCallStyles.hermes],
    ["llama3", toolCallStyles.llama3Json],
    // With this template's space.
    ["mistral", { ...toolCallStyles.mistral, trigger: "[TOOL_CALLS] [" }],
    ["deepseek", toolCallStyles.deepseek31],
    ["explained", toolCallStyles.hermes],
    ["parameters", toolCallStyles.qwen3Coder],
    ["elements", toolCallStyles.minicpm5],
    ["python", toolCallStyles.lfm2],
    ["toldList", toolCallStyles.lfm2],
    ["granite", toolCallStyles.granite],
    ["glm", toolCallStyles.glm],
    ["glm47", toolCallStyles.glm47],
    ["functionGemma", toolCallStyles.functionGemma],
    ["smollm3", toolCallStyles.hermes],
    ["phi4", toolCallStyles.phi4],
    ["granite30", toolCallStyles.granite],
    ["deepseekR1", toolCallStyles.deepseek],
    ["xml", null],
    ["opened", null],
    ["bare", null],
  ])
    assert.deepEqual((await traits(templates[name])).toolStyle, style, name);
});

test("spaces within calls are those of the template", async () => {
  const source = templates.hermes
    .replaceAll("<tool_call>\\n{", "<tool_call>{")
    .replaceAll("}\\n</tool_call>", "}</tool_call>");
  const { toolStyle } = await traits(source);
  assert.deepEqual(toolStyle, {
    trigger: "<tool_call>",
    begin: '{"name": "{name}", "arguments": ',
    end: "}</tool_call>",
  });
});

test("tools that a template does not write go into the messages", async () => {
  const told = async (name) => {
    const { hasSystem, isToldOfTools, writesCalls, writesResults } = await traits(templates[name]);
    return [hasSystem, isToldOfTools, writesCalls, writesResults].map(Number).join("");
  };
  assert.equal(await told("hermes"), "1111");
  assert.equal(await told("deepseek"), "1111");
  assert.equal(await told("mistral"), "0111");
  assert.equal(await told("xml"), "1101");
  assert.equal(await told("explained"), "1101");
  assert.equal(await told("parameters"), "1111");
  assert.equal(await told("elements"), "1111");
  assert.equal(await told("python"), "1111");
  assert.equal(await told("toldList"), "1101");
  assert.equal(await told("opened"), "1001");
  assert.equal(await told("bare"), "0000");
});

test("thoughts are found with their marks, their switches, and the newlines around them", async () => {
  const thought = {
    ...{ begin: "<think>", end: "</think>", closing: "\n</think>\n\n", answer: null },
    ...{ isTrimmed: true, isAnswerTrimmed: false, isOpened: false, switch: null, effort: null, budget: null },
  };
  assert.deepEqual((await traits(templates.qwen3)).thought, {
    ...thought,
    switch: "enable_thinking",
    isAnswerTrimmed: true,
  });
  assert.deepEqual((await traits(templates.opened)).thought, { ...thought, isOpened: true });
  const mistral = { begin: "[THINK]", end: "[/THINK]", closing: "[/THINK]", isTrimmed: false };
  assert.deepEqual((await traits(templates.mistral)).thought, { ...thought, ...mistral });
  const tight = { closing: "</think>", isOpened: true, switch: "enable_thinking", isTrimmed: false };
  assert.deepEqual((await traits(templates.tight)).thought, { ...thought, ...tight });
  const end = "<|end|><|start|>assistant<|channel|>final<|message|>";
  assert.deepEqual((await traits(templates.channels)).thought, {
    ...thought,
    ...{ begin: "<|channel|>analysis<|message|>", end, closing: end, answer: "<|channel|>final<|message|>" },
    ...{ effort: "reasoning_effort", isTrimmed: false },
  });
  assert.equal((await traits(templates.hermes)).thought, null);
  const places = ["a<think>\n", "<think>\n\n</think>\n\n", "<think>a"].map((text) => placeOf(text, thought));
  assert.deepEqual(places, ["thought", "answer", "anywhere"]);
});

test("a template that always fails has no traits", async () => {
  const { thought, ...others } = await traits("{{ raise_exception('No.') }}</think>");
  assert.deepEqual(others, {
    hasSystem: false,
    isToldOfTools: false,
    writesCalls: false,
    writesResults: false,
    toolStyle: null,
  });
  assert.equal(thought?.switch, null);
});

test("a template that never ends is tried only once", async () => {
  let count = 0;
  const endless = {
    render() {
      count++;
      throw new ChatError("template-limit");
    },
  };
  assert.throws(() => traitsOf(endless, "</think>"), { code: "template-limit" });
  assert.equal(count, 1);
});

test("messages contain what the template leaves out, and the caller's messages do not change", async () => {
  const tools = [{ type: "function", function: { name: "time", description: "Now.", parameters: { type: "object" } } }];
  const toolCalls = [{ id: "call00001", name: "time", arguments: { zone: "CET", list: [1, null] } }];
  const messages = [
    { role: "user", content: "When?" },
    { role: "assistant", content: "Well.", toolCalls },
    { role: "tool", content: "Now", toolCallId: "call00001" },
  ];
  const before = structuredClone(messages);
  const call = '{"name": "time", "arguments": {"zone": "CET", "list": [1, null]}}';
  const words = tellOfTools(messages, tools, await traits(templates.bare), toolCallStyles.json);
  assert.match(words[0].content, /^You can call these functions:\n\{"name": "time".*\n.*\n.*\n\nWhen\?$/);
  assert.deepEqual(words.slice(1), [
    { role: "assistant", content: `Well.\n${call}`, toolCalls },
    { role: "user", content: "Now" },
  ]);
  const { hasSystem, ...rest } = await traits(templates.opened);
  const [system, ...others] = tellOfTools(messages, tools, { hasSystem, ...rest }, toolCallStyles.json);
  assert.equal(system.role, "system");
  assert.deepEqual(others[2], messages[2]);
  const [first] = tellOfTools(
    [{ role: "system", content: "Be brief." }],
    tools,
    { hasSystem, ...rest },
    toolCallStyles.json,
  );
  assert.match(first.content, /^Be brief\.\n\nYou can call/);
  const [, answer] = tellOfTools(messages, tools, await traits(templates.explained), toolCallStyles.hermes);
  assert.equal(answer.content, `Well.\n<tool_call>\n${call}\n</tool_call>`);
  const [, python] = tellOfTools(messages, tools, await traits(templates.toldList), toolCallStyles.lfm2);
  assert.equal(python.content, 'Well.\n<|tool_call_start|>[time(zone="CET", list=[1, null])]<|tool_call_end|>');
  const [plain] = tellOfTools(messages.slice(1, 2), [], await traits(templates.bare), toolCallStyles.qwen3Coder);
  const zone = "<parameter=zone>\nCET\n</parameter>\n<parameter=list>\n[1, null]\n</parameter>\n";
  assert.equal(plain.content, `Well.\n<tool_call>\n<function=time>\n${zone}</function>\n</tool_call>`);
  assert.deepEqual(tellOfTools(messages, tools, await traits(templates.hermes), toolCallStyles.hermes), messages);
  assert.deepEqual(messages, before);
});

test("a template that takes too long is refused", { timeout: 300_000 }, async () => {
  const source = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}";
  const template = await openTemplate(source);
  assert.throws(() => traitsOf(template, source), { code: "template-limit" });
});
