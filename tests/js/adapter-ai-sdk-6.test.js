// The same provider in version 6 of the AI SDK, which Node 20 gets.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  NoSuchModelError,
  createProviderRegistry,
  generateObject,
  generateText,
  jsonSchema,
  streamObject,
  streamText,
  tool,
} from "ai-6";
import { loadModel } from "lastinch";
import { createLastInch } from "lastinch/ai-sdk";

globalThis.AI_SDK_LOG_WARNINGS = false;

const model = await loadModel(
  new Blob([readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url))]),
  { cache: false },
);
after(() => model.dispose());
const lastinch = createLastInch(model);
const prompt = "Once upon a time";
const schema = jsonSchema({
  type: "object",
  properties: { age: { type: "integer", minimum: 3, maximum: 9 } },
  required: ["age"],
  additionalProperties: false,
});

test("version 6 writes the text of model.generate, in one call and as a stream", async () => {
  const options = { temperature: 0.8, topP: 0.9, topK: 30, seed: 5 };
  const { text, warnings, usage, finishReason } = await generateText({
    model: lastinch(),
    prompt,
    maxOutputTokens: 20,
    ...options,
  });
  assert.equal(text, (await model.complete(prompt, { maxTokens: 20, ...options })).text);
  assert.deepEqual([warnings, usage.outputTokens, finishReason], [[], 20, "length"]);
  const streamed = streamText({ model: lastinch(), prompt, maxOutputTokens: 20, ...options });
  assert.equal(await streamed.text, text);
});

test("version 6 writes objects that satisfy their schema, in one call and as a stream", async () => {
  const call = { model: lastinch(), prompt, schema, seed: 2 };
  const { object } = await generateObject(call);
  assert.ok(Number.isInteger(object.age) && object.age >= 3 && object.age <= 9);
  const streamed = streamObject(call);
  let last;
  for await (last of streamed.partialObjectStream);
  assert.deepEqual([last, await streamed.object], [object, object]);
});

test("version 6 calls a tool that must be called", async () => {
  const { toolCalls, finishReason } = await generateText({
    model: lastinch(),
    prompt,
    tools: { grow: tool({ inputSchema: schema }) },
    toolChoice: "required",
    seed: 1,
  });
  assert.deepEqual([toolCalls.length, toolCalls[0].toolName, finishReason], [1, "grow", "tool-calls"]);
  assert.ok(Number.isInteger(toolCalls[0].input.age));
});

test("version 6 recognises the provider's errors, and passes those of a stream to onError", async () => {
  const registry = createProviderRegistry({ lastinch });
  assert.throws(
    () => registry.embeddingModel("lastinch:x"),
    (error) => NoSuchModelError.isInstance(error),
  );
  await assert.rejects(generateText({ model: lastinch(), prompt, temperature: -1 }), { code: "out-of-range" });
  const errors = [];
  await streamText({
    model: lastinch(),
    prompt,
    temperature: -1,
    onError: ({ error }) => errors.push(error.code),
  }).consumeStream();
  assert.deepEqual(errors, ["out-of-range"]);
});
