// Conversations that are longer than the context: an error, or the oldest turns go, and the result says which.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createLastInch } from "lastinch/ai-sdk";
import { createOpenAI } from "lastinch/openai";
import { createLanguageModel } from "lastinch/prompt-api";
import * as templates from "./chat-templates.js";
import { load } from "./decode-tools.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const control = ["<|im_start|>", "<|im_end|>", "<tool_call>"].map((name) => [name, 0, 3]);
const letters = [..."abcdefgh"].map((letter) => 3 + letter.charCodeAt(0));
const context = 600;
const file = randomModel({
  vocabulary: [...vocabularyOf([]), ...control],
  extra: { "tokenizer.chat_template": ["string", templates.hermes] },
  context,
});
const model = await load(new Blob([file]));
after(() => model.dispose());

const system = { role: "system", content: "Be brief." };
const shared = { maxTokens: 8, seed: 1, allowedTokens: letters };
const dropping = /** @type {const} */ ({ ...shared, overflow: "drop-oldest" });
const city = { type: "string", maxLength: 3 };
const tools = [{ name: "weather", parameters: { type: "object", properties: { city }, required: ["city"] } }];

/** `count` turns, each fourth with a call. The last one has no answer. */
function conversation(count) {
  const messages = [system];
  for (let turn = 0; turn < count; turn++) {
    messages.push({ role: "user", content: `Question ${turn}` });
    if (turn % 4 === 3) {
      const call = { id: `call${String(turn).padStart(5, "0")}`, name: "weather", arguments: { city: "abc" } };
      messages.push({ role: "assistant", toolCalls: [call] }, { role: "tool", toolCallId: call.id, content: "Sun" });
    }
    if (turn < count - 1) messages.push({ role: "assistant", content: "abcdefgh" });
  }
  return messages;
}

const lengthOf = async (messages) => (await model.applyTemplate(messages, { tokens: true, tools })).length;

/** The messages that stay if so many, from the first question on, go. */
const without = (messages, count) => [system, ...messages.slice(1 + count)];

test("a prompt that is too long is an error, which leaves the model usable", async () => {
  const long = conversation(30);
  for (const overflow of [undefined, "error"]) {
    await assert.rejects(model.answer(long, { ...shared, overflow }), { code: "model-context-full" });
    assert.equal((await model.answer(conversation(1), { ...shared, overflow })).finishReason, "length");
  }
});

test("a text that fills the context says so, in every call", async () => {
  const { overflow, maxTokens, ...endless } = { ...dropping, loops: "ignore" };
  const messages = conversation(6);
  const prompt = await model.applyTemplate(messages, { tokens: true });
  for (const answer of [
    await model.complete(prompt, endless),
    await model.answer(messages, endless),
    await model.answer(messages, { ...endless, overflow }),
  ]) {
    assert.equal(answer.finishReason, "context");
    // The last token is written and not run.
    assert.equal(answer.usage.promptTokens + answer.usage.completionTokens, context + 1);
  }
  let last;
  for await (const chunk of model.chat(messages, endless)) last = chunk;
  assert.equal(last.finishReason, "context");
});

test("the oldest turns go, whole, and the result says which", async () => {
  for (const count of [12, 17, 30, 61]) {
    const messages = conversation(count);
    const before = structuredClone(messages);
    const { dropped, usage } = await model.answer(messages, { ...dropping, tools });
    assert.deepEqual(messages, before);
    assert.equal(dropped.first, 1);
    const kept = without(messages, dropped.messages);
    assert.equal(kept[1].role, "user");
    const length = await lengthOf(kept);
    assert.equal(usage.promptTokens, length);
    assert.equal(dropped.tokens, (await lengthOf(messages)) - length);
    assert.ok(length + shared.maxTokens <= context);
    // A turn more would still fit only if it is of the quarter that goes at once.
    assert.ok(length > context / 4, `${length}`);
    const chunks = [];
    for await (const chunk of model.chat(messages, { ...dropping, tools })) chunks.push(chunk);
    assert.deepEqual(
      chunks.map((chunk) => chunk.dropped),
      [dropped, ...Array(chunks.length - 1).fill(undefined)],
    );
    assert.equal((await model.count(messages, { ...dropping, tools })).tokens, length);
  }
});

test("nothing goes from a conversation that leaves room for its answer", async () => {
  let fitting = 1;
  while ((await lengthOf(conversation(fitting + 1))) + shared.maxTokens <= context) fitting++;
  const answer = await model.answer(conversation(fitting), { ...dropping, tools });
  assert.equal(answer.dropped, undefined);
  assert.ok((await model.answer(conversation(fitting + 1), { ...dropping, tools })).dropped);
  // An answer without maxTokens has a quarter of the context.
  const open = await model.answer(conversation(fitting), { ...dropping, tools, maxTokens: undefined });
  assert.ok(open.usage.promptTokens <= 0.75 * context);
  assert.ok(open.dropped.messages > 0);
});

test("a last turn that is too long by itself is an error; one that leaves little room is answered", async () => {
  const long = (length) => [...conversation(5).slice(0, -1), { role: "user", content: "z".repeat(length) }];
  await assert.rejects(model.answer(long(context), dropping), { code: "model-context-full" });
  const overhead = await lengthOf([system, { role: "user", content: "" }]);
  const { dropped, usage, finishReason } = await model.answer(long(context - overhead - 30), {
    ...dropping,
    tools,
    maxTokens: 100,
    loops: "ignore",
  });
  assert.equal(dropped.messages, long(1).length - 2);
  assert.ok(usage.promptTokens > 0.9 * context);
  assert.equal(finishReason, "context");
});

test("no more goes than must where all earlier turns together are less than a quarter", async () => {
  const overhead = await lengthOf([system, { role: "user", content: "" }]);
  const earlier = conversation(3).slice(0, -1);
  const of = (length) => [...earlier, { role: "user", content: "z".repeat(length) }];
  const early = (await lengthOf(of(0))) - overhead;
  assert.ok(early < context / 4, `${early} tokens of earlier turns`);
  // Ten tokens more than fit: the oldest turn frees them.
  const messages = of(context - shared.maxTokens + 10 - overhead - early);
  assert.equal((await lengthOf(messages)) + shared.maxTokens, context + 10);
  const { dropped, usage } = await model.answer(messages, { ...dropping, tools });
  assert.equal(dropped.messages, 2);
  assert.equal(usage.promptTokens, await lengthOf(without(messages, 2)));
});

test("turns go by quarters, so most prompts of a long conversation go on from the one before", async () => {
  let cuts = 0;
  let computed = 0;
  let all = 0;
  let last = 0;
  for (let count = 20; count < 80; count++) {
    const { dropped, usage } = await model.answer(conversation(count), { ...dropping, tools });
    if (dropped.messages !== last) cuts++;
    last = dropped.messages;
    computed += usage.promptTokens - usage.cachedTokens;
    all += usage.promptTokens;
  }
  assert.ok(cuts <= 25, `${cuts} cuts in 60 turns`);
  assert.ok(computed < all / 3, `${computed} of ${all} tokens`);
});

test("an unknown overflow is refused", async () => {
  for (const overflow of ["stop", true, null])
    await assert.rejects(model.answer(conversation(1), { overflow }), { name: "RangeError", code: "out-of-range" });
});

test("adapters drop the same turns, and say so", async () => {
  const messages = conversation(30).filter(({ role, toolCalls }) => role !== "tool" && !toolCalls);
  const { dropped } = await model.answer(messages, dropping);
  assert.ok(dropped.messages > 10);
  const client = createOpenAI(model);
  const body = { messages, max_tokens: 8, seed: 1, allowedTokens: letters, overflow: "drop-oldest" };
  assert.deepEqual((await client.chat.completions.create(body)).dropped, dropped);
  const parts = [];
  for await (const part of await client.chat.completions.create({ ...body, stream: true })) parts.push(part.dropped);
  assert.deepEqual(parts, [dropped, ...parts.slice(1).fill(undefined)]);

  const { overflow, maxTokens, ...others } = dropping;
  const asParts = ({ role, content }) => ({
    role,
    content: role === "system" ? content : [{ type: "text", text: content }],
  });
  const call = { prompt: messages.map(asParts), maxOutputTokens: maxTokens, seed: undefined };
  const { providerMetadata, finishReason } = await createLastInch(model)
    .languageModel("tiny")
    .doGenerate({ ...call, providerOptions: { lastinch: { ...others, overflow } } });
  assert.deepEqual(providerMetadata.lastinch.dropped, dropped);
  assert.equal(finishReason.raw, "length");
});

test("the AI SDK's adapter counts the caller's messages, of which one may hold several results", async () => {
  const text = (role, value) => ({ role, content: [{ type: "text", text: value }] });
  const prompt = [];
  for (let turn = 0; turn < 20; turn++) {
    const ids = [0, 1, 2].map((call) => `call${turn}${call}`);
    const named = ids.map((toolCallId) => ({ toolCallId, toolName: "weather" }));
    const output = { type: "text", value: "Sun" };
    prompt.push(
      text("user", `Question ${turn}`),
      { role: "assistant", content: named.map((one) => ({ type: "tool-call", ...one, input: { city: "abc" } })) },
      { role: "tool", content: named.map((one) => ({ type: "tool-result", ...one, output })) },
      text("assistant", "abcdefgh"),
    );
  }
  prompt.push(text("user", "Last"));
  const { maxTokens, ...others } = dropping;
  const lastinch = { ...others, seed: 1 };
  const given = { maxOutputTokens: maxTokens, providerOptions: { lastinch } };
  const answer = async (messages) =>
    createLastInch(model)
      .languageModel("tiny")
      .doGenerate({ ...given, prompt: messages });
  const { providerMetadata, usage } = await answer(prompt);
  const { dropped } = providerMetadata.lastinch;
  assert.equal(dropped.first, 0);
  assert.equal(dropped.messages % 4, 0);
  const kept = await answer(prompt.slice(dropped.messages));
  assert.equal(kept.providerMetadata?.lastinch?.dropped, undefined);
  assert.equal(kept.usage.inputTokens.total, usage.inputTokens.total);
});

test("a session of the Prompt API says that an answer has filled its context", async () => {
  const generate = { seed: 1, allowedTokens: letters, loops: "ignore" };
  const session = await createLanguageModel(model, { generate }).create();
  const heard = [];
  session.oncontextoverflow = () => heard.push("overflow");
  await session.prompt("z".repeat(context - 100));
  assert.deepEqual(heard, ["overflow"]);
});
