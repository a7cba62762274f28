// Counting a prompt: as many tokens as the call itself says that it read.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import storyteller from "lastinch/models/storyteller";
import * as templates from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const question = [{ role: "user", content: "Will it rain?" }];
const parameters = { type: "object", properties: { city: { type: "string" } }, additionalProperties: false };
const tools = [{ name: "weather", description: "The weather.", parameters }];

async function load(template, context = 2048) {
  const vocabulary = [...vocabularyOf(["a", "ab"]), ["<think>", 0, 3], ["</think>", 0, 3]];
  const extra = template ? { "tokenizer.chat_template": ["string", template] } : {};
  const file = new Blob([randomModel({ vocabulary, extra, context })]);
  const model = await loadModel(file, { cache: false, worker: false });
  after(() => model.dispose());
  return model;
}

test("a text is counted as generate reads it", async () => {
  const model = await loadModel(storyteller);
  after(() => model.dispose());
  const { contextLength: context } = model.config;
  const text = "Once upon a time there was a li";
  const counts = [];
  for (const [prompt, options] of [
    [text, {}],
    [text, { heal: true }],
    [await model.tokenize(text), {}],
    [Uint32Array.of(5, 6, 7), { token_healing: true }],
    ["", {}],
    ["A cat", { jsonSchema: { type: "boolean" }, beams: 2, temperature: 0, stop: "x", echo: true }],
  ]) {
    const { usage } = await model.complete(prompt, { ...options, maxTokens: 1 });
    const counted = await model.count(prompt, options);
    assert.deepEqual(counted, { tokens: usage.promptTokens, fits: true, context }, JSON.stringify([prompt, options]));
    counts.push(counted.tokens);
  }
  assert.equal(counts[1], counts[0] - 1);
});

test("a conversation is counted as chat writes it, with its tools and its switches", async () => {
  for (const [name, template] of Object.entries(templates)) {
    const model = await load(template);
    const counts = new Set();
    for (const options of [
      {},
      { tools },
      { tools, toolChoice: /** @type {const} */ ("none") },
      { tools, toolChoice: { name: "weather" } },
      { reasoning: /** @type {const} */ ("off") },
      { heal: true },
      { chatTemplate: templates.bare },
      ...(["qwen3", "opened", "channels"].includes(name)
        ? [{ reasoning: { budget: 5 } }, { reasoning: { effort: "low" } }]
        : []),
    ]) {
      const { usage } = await model.answer(question, { ...options, maxTokens: 1 });
      const { tokens, fits } = await model.count(question, options);
      assert.deepEqual([tokens, fits], [usage.promptTokens, true], `${name} ${JSON.stringify(options)}`);
      counts.add(tokens);
    }
    assert.ok(counts.size >= 2, name);
  }
});

test("a prompt fits if one more token has room", async () => {
  const context = 40;
  const model = await load(templates.bare, context);
  for (const [length, fits] of [
    [1, true],
    [context - 1, true],
    [context, false],
    [context + 1, false],
    [500, false],
  ]) {
    const ids = Array(length).fill(259);
    assert.deepEqual(await model.count(ids), { tokens: length, fits, context });
    const call = model.complete(ids, { maxTokens: 2 });
    if (length > context) await assert.rejects(call, { code: "model-context-full" });
    else assert.ok((await call).tokens.length >= (fits ? 1 : 0));
    const messages = [{ role: "user", content: "a".repeat(length) }];
    const counted = await model.count(messages);
    assert.equal(counted.fits, counted.tokens < context);
    if (length === 500) assert.ok(counted.tokens > context);
  }
});

test("bad input is refused as in the calls themselves", async () => {
  const model = await load(templates.hermes);
  const aborted = AbortSignal.abort(new Error("enough"));
  for (const [prompt, options, code] of [
    [undefined, {}, "bad-type"],
    [7, {}, "bad-type"],
    [[], {}, "out-of-range"],
    [[-1], {}, "out-of-range"],
    [{ role: "user", content: "a" }, {}, "bad-type"],
    [[{ role: "user", content: 7 }], {}, "bad-message"],
    [[{ role: "king", content: "a" }], {}, "bad-message"],
    ["a", { tools }, "unknown-option"],
    ["a", { reasoning: "off" }, "unknown-option"],
    ["a", { temperature: -1 }, "out-of-range"],
    ["a", null, "bad-type"],
    [question, { tools: 7 }, "bad-type"],
    [question, { tools, regex: "a" }, "conflict"],
    [question, { reasoning: { budget: 0 } }, "out-of-range"],
    [question, { temperature: -1 }, "out-of-range"],
    [question, { tempature: 1 }, "unknown-option"],
    [question, { chatTemplate: "{% if %}" }, "template-invalid"],
    [question, null, "bad-type"],
  ])
    await assert.rejects(model.count(prompt, options), { code }, JSON.stringify([prompt, options]));
  await assert.rejects(model.count("a", { signal: aborted }), /enough/);
  await assert.rejects((await load("")).count(question), { code: "template-missing" });
  model.dispose();
  await assert.rejects(model.count("a"), { code: "disposed" });
});
