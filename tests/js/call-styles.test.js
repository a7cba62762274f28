// Calls in every style, there and back: what is written of random arguments fits the grammar of the tools, and reading
// it gives the same arguments, however the text is cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parametersOf } from "../../web/grammar/readers/tool-parameter-list.js";
import { toolCallStyles } from "../../web/grammar/readers/tool-call-styles.js";
import { openTemplate } from "../../web/chat/template.js";
import { tellOfTools } from "../../web/chat/told-tools.js";
import { ToolCallStream } from "../../web/chat/tool-call-stream.js";
import { traitsOf } from "../../web/chat/traits.js";
import { compileGrammar } from "lastinch";
import { toolSet } from "../vectors/tool-sets.js";
import { byteVocabulary as vocabulary } from "./byte-grammar.js";
import * as templates from "./chat-templates.js";

/** A generator of numbers below n. @param {number} seed */
const random = (seed) => (/** @type {number} */ n) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
};

/** Texts that have parts of tags in them. */
const texts = [
  "",
  "Oslo",
  "a, b=1) ]",
  "{x:1}",
  "<",
  "</",
  "line\nline",
  "\u00e9\u{1f600}",
  "<esc",
  '"quoted" \\',
  " ",
];

/** A random value of a schema of tests/vectors/tool-sets.js. @returns {any} */
function valueOf(schema, next) {
  const pick = (/** @type {any[]} */ list) => list[next(list.length)];
  if (schema.enum) return pick(schema.enum);
  if (schema.type === "string") return pick(texts);
  if (schema.type === "integer") return next(schema.maximum + 1);
  if (schema.type === "number") return pick([0, -1.5, 2e-7, 1234]);
  if (schema.type === "boolean") return next(2) === 1;
  if (schema.type === "array") return Array.from({ length: next(3) }, () => valueOf(schema.items, next));
  const wanted = Object.keys(schema.properties).filter((key) => schema.required.includes(key) || next(2));
  return Object.fromEntries(wanted.map((key) => [key, valueOf(schema.properties[key], next)]));
}

/** Reads a text piece by piece. @returns {{ text: string, calls: { name: string, input: string }[] }} */
function read(style, tools, text, size) {
  const keys = new Map(
    tools.map(({ name, parameters }) => [
      name,
      new Map(parametersOf(parameters).parameters.map(({ key, isPlain }) => [key, isPlain])),
    ]),
  );
  const stream = new ToolCallStream(style, [...keys.keys()], keys);
  const pieces = [];
  for (let at = 0; at < text.length; at += size) pieces.push(...stream.push(text.slice(at, at + size)));
  pieces.push(...stream.end());
  const found = { text: "", calls: [] };
  for (const piece of pieces) {
    assert.notEqual(piece.kind, "cut", text);
    if (piece.kind === "text") found.text += piece.text;
    else if (piece.kind === "call") found.calls.push({ name: piece.name, input: "" });
    else if (piece.kind === "input") found.calls.at(-1).input += piece.text;
  }
  return found;
}

const untold = { hasSystem: true, isToldOfTools: true, writesCalls: false, writesResults: true, thought: null };

for (const [name, style] of Object.entries(toolCallStyles))
  test(`calls in the style ${name} fit their grammar, and are read as they were written`, async () => {
    const next = random(3);
    const tools = toolSet(4, 5);
    const grammar = await compileGrammar({
      vocabulary,
      toolCalls: { tools, style: name, required: true },
      whitespace: { separators: [", ", ": "] },
    });
    const matcher = grammar.matcher();
    let count = 0;
    for (let round = 0; round < 60; round++) {
      const tool = tools[next(tools.length)];
      const input = valueOf(tool.parameters, next);
      const toolCalls = [{ name: tool.name, arguments: input }];
      const message = { role: "assistant", content: "", toolCalls };
      const [{ content }] = tellOfTools([message], [], { ...untold, toolStyle: style }, style);
      matcher.reset();
      const isWhole = matcher.acceptBytes(content) && matcher.isAccepting;
      // A style without a way to write a text has no such call: its value cannot hold the end of the value.
      const isPlain = style.parameters?.plain;
      assert.ok(isWhole || (isPlain && /<\/?(?=\n?<)/.test(content)), content);
      if (!isWhole) continue;
      count++;
      for (const size of [1, 2, 7, content.length]) {
        const found = read(style, tools, content, size);
        assert.equal(found.text, "", content);
        assert.deepEqual(
          found.calls.map((call) => [call.name, JSON.parse(call.input)]),
          [[tool.name, input]],
          content,
        );
      }
    }
    assert.ok(count > 45, String(count));
    matcher.dispose();
    grammar.dispose();
  });

test("what a template writes of a call is read as the same call", async () => {
  const next = random(8);
  const tools = toolSet(3, 9);
  const told = tools.map((tool) => ({ type: "function", function: tool }));
  // Not LFM2's, which writes Python where the grammar writes JSON.
  for (const name of ["hermes", "qwen3", "deepseek", "parameters", "elements", "glm", "glm47", "functionGemma"]) {
    const source = templates[name];
    const template = await openTemplate(source);
    const { toolStyle } = traitsOf(template, source);
    const argumentsOf = (/** @type {object} */ input) => (name === "deepseek" ? JSON.stringify(input) : input);
    for (let round = 0; round < 20; round++) {
      const tool = tools[next(tools.length)];
      const input = valueOf(tool.parameters, next);
      if (
        /[\n"\\<]/.test(
          Object.values(input)
            .filter((one) => typeof one === "string")
            .join(""),
        )
      )
        continue;
      const question = { role: "user", content: "?" };
      const called = {
        id: "probe0001",
        type: "function",
        function: { name: tool.name, arguments: argumentsOf(input) },
      };
      const render = (/** @type {object[]} */ messages) =>
        template.render({ messages, tools: told, add_generation_prompt: false, bos_token: "", eos_token: "" });
      const before = render([question]);
      const written = render([question, { role: "assistant", content: "", tool_calls: [called] }]).slice(before.length);
      const { calls } = read(toolStyle, tools, written, 5);
      assert.deepEqual(
        calls.map((call) => [call.name, JSON.parse(call.input)]),
        [[tool.name, input]],
        `${name}: ${written}`,
      );
    }
  }
});
