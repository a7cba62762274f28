// OpenAI's interface over models here: every field does what it says or is refused by name.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import ts from "typescript";
import { loadModel } from "lastinch";
import { createOpenAI } from "lastinch/openai";
import { refusedInChat, refusedInCompletions } from "../../web/adapters/openai-request.js";
import { codesOf, tablesOf } from "../markdown.js";
import { hermes, opened, qwen3 } from "./chat-templates.js";
import { randomModel, scriptedModel, vocabularyOf } from "./tiny-gguf.js";

const words = vocabularyOf(["a", "b", "ab", " ", "é"]);
const vocabulary = [...words, ["<|im_start|>", 0, 3], ["<|im_end|>", 0, 3]];
const eos = vocabulary.length - 1;

async function load(template, options = {}) {
  const extra = {
    "tokenizer.ggml.eos_token_id": ["uint32", eos],
    ...(template && { "tokenizer.chat_template": ["string", template] }),
  };
  const bytes = randomModel({ vocabulary, context: 1024, extra, ...options });
  const model = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  after(() => model.dispose());
  return model;
}

const model = await load(hermes);
const thinker = await load(qwen3);
const client = createOpenAI(model);
const { completions } = client;
const messages = [{ role: "user", content: "ab" }];
/** Twelve tokens, unless a body says otherwise. */
const ask = (body, options) => client.chat.completions.create({ messages, max_tokens: 12, ...body }, options);
const endless = { bannedTokens: model.vocabulary.eos };
const write = (body, options) => completions.create({ prompt: "ab", max_tokens: 12, ...body }, options);

async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** What model.chat says to the same. */
async function answered(options, from = messages) {
  return model.answer(from, { maxTokens: 12, ...options });
}

const person = {
  type: "object",
  properties: { name: { type: "string", minLength: 1, maxLength: 4 }, age: { enum: [1, 22, 333] } },
  required: ["name", "age"],
  additionalProperties: false,
};
const isPerson = ({ name, age, ...rest }) => {
  assert.ok([...name].length <= 4 && [1, 22, 333].includes(age) && !Object.keys(rest).length, `${name} ${age}`);
};
const tool = (name) => ({
  type: "function",
  function: { name, description: "Finds.", parameters: person, strict: true },
});
const tools = [tool("find"), tool("count")];

test("an answer has the fields of OpenAI's, and the text that model.chat writes", async () => {
  const answer = await ask({ seed: 3 });
  const { id, created, ...rest } = answer;
  const { text, usage } = await answered({ seed: 3 });
  assert.match(id, /^chatcmpl-\w+$/);
  assert.ok(Math.abs(created - Date.now() / 1000) < 10);
  assert.equal(usage.completionTokens, 12);
  assert.deepEqual(rest, {
    object: "chat.completion",
    model: "tiny",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text, refusal: null },
        logprobs: null,
        finish_reason: "length",
      },
    ],
    usage: {
      prompt_tokens: usage.promptTokens,
      completion_tokens: 12,
      total_tokens: usage.promptTokens + 12,
      prompt_tokens_details: { cached_tokens: rest.usage.prompt_tokens_details.cached_tokens },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
  const again = await ask({ seed: 3 });
  assert.notEqual(again.id, id);
  assert.equal(again.usage.prompt_tokens_details.cached_tokens, usage.promptTokens - 1);
});

test("fields of sampling are options of model.chat, and each has its effect", async () => {
  const settings = {
    seed: 11,
    temperature: 1.5,
    top_p: 0.9,
    top_k: 60,
    min_p: 0.001,
    presence_penalty: 1.5,
    frequency_penalty: 1.2,
    repetition_penalty: 1.3,
    logit_bias: { 10: 3, 20: -100 },
    max_completion_tokens: 40,
    max_tokens: null,
  };
  const { text } = await answered({
    ...{ seed: 11, temperature: 1.5, topP: 0.9, topK: 60, minP: 0.001, presencePenalty: 1.5, frequencyPenalty: 1.2 },
    ...{ repetitionPenalty: 1.3, logitBias: { 10: 3, 20: -100 }, maxTokens: 40 },
  });
  const textOf = async (body) => (await ask(body)).choices[0].message.content;
  assert.equal(await textOf(settings), text);
  assert.equal(await textOf({ ...settings, min_p: undefined, extra_body: { min_p: 0.001 } }), text);
  const others = { seed: 12, temperature: 1, top_p: 1, frequency_penalty: 0, logit_bias: {}, max_completion_tokens: 5 };
  for (const [name, value] of Object.entries(others))
    assert.notEqual(await textOf({ ...settings, [name]: value }), text, name);
});

test("a field that is null counts as left out", async () => {
  const names = [
    ...["model", "stream", "stream_options", "temperature", "top_p", "stop", "n", "presence_penalty", "tools", "user"],
    ...["frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "response_format", "tool_choice", "store"],
    ...["parallel_tool_calls", "reasoning_effort", "metadata", "extra_body", "max_completion_tokens", "functions"],
  ];
  const nothing = Object.fromEntries(names.map((name) => [name, null]));
  const answer = await ask({ ...nothing, seed: 1 });
  assert.equal(answer.choices[0].message.content, (await answered({ seed: 1 })).text);
});

test("a stream gives what a whole answer gives, with the role first and the finish reason last", async () => {
  for (const body of [{ seed: 5 }, { seed: 6, logprobs: true, top_logprobs: 2, n: 2 }].map((one) => ({
    ...endless,
    ...one,
  }))) {
    const whole = await ask(body);
    const chunks = await collect(await ask({ ...body, stream: true, stream_options: { include_usage: true } }));
    const last = chunks.pop();
    assert.deepEqual([last.choices, last.usage.total_tokens], [[], whole.usage.total_tokens]);
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    for (const { object, usage, choices, model: name } of chunks)
      assert.deepEqual([object, usage, choices.length, name], ["chat.completion.chunk", null, 1, "tiny"]);
    for (const { index, message, logprobs } of whole.choices) {
      const mine = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
      const role = { role: "assistant", content: "", refusal: null };
      assert.deepEqual(mine[0], { index, delta: role, logprobs: null, finish_reason: null });
      assert.ok(mine.slice(1).every(({ delta }) => !("role" in delta)));
      assert.equal(mine.map(({ delta }) => delta.content ?? "").join(""), message.content);
      assert.deepEqual(
        mine.map((choice) => choice.finish_reason),
        [...Array(mine.length - 1).fill(null), "length"],
      );
      const told = mine.flatMap((choice) => choice.logprobs?.content ?? []);
      assert.deepEqual(told, logprobs?.content ?? []);
    }
  }
  const plain = await collect(await ask({ seed: 5, stream: true }));
  assert.ok(plain.every((chunk) => !("usage" in chunk) && chunk.choices.length === 1));
});

test("the openai package assembles from a stream what the whole answer says", async () => {
  for (const body of [
    { seed: 5, logprobs: true, top_logprobs: 2, n: 2, ...endless },
    { seed: 6, logprobs: true, beams: 2, ...endless },
    { seed: 3, logprobs: true, tools, tool_choice: "required", max_tokens: 400 },
    { seed: 3, logprobs: true, max_tokens: 1 },
  ]) {
    const lines = [];
    for await (const chunk of await ask({ ...body, stream: true })) lines.push(`${JSON.stringify(chunk)}\n`);
    const gathered = await ChatCompletionStream.fromReadableStream(new Blob(lines).stream()).finalChatCompletion();
    const whole = await ask(body);
    for (const [i, { message, logprobs, finish_reason: reason }] of whole.choices.entries()) {
      const found = gathered.choices[i];
      assert.deepEqual(found.logprobs, logprobs);
      assert.equal(found.finish_reason, reason);
      assert.equal(found.message.content || null, message.content || null);
      const calls = (list = []) => list.map((call) => call.function);
      assert.deepEqual(
        calls(found.message.tool_calls).map(({ name, arguments: input }) => [name, input]),
        calls(message.tool_calls).map(({ name, arguments: input }) => [name, input]),
      );
    }
  }
});

test("the finish reason tells an end from a limit", async () => {
  const { bytes } = scriptedModel({ script: ["O", "k", "!"], context: 32 });
  const short = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  after(() => short.dispose());
  const of = createOpenAI(short, { chatTemplate: "{{ messages[0].content }}" });
  const say = { messages: [{ role: "user", content: "O" }], temperature: 0 };
  const choiceOf = async (body) => (await of.chat.completions.create({ ...say, ...body })).choices[0];
  const ended = await choiceOf({});
  assert.deepEqual([ended.message.content, ended.finish_reason], ["k!", "stop"]);
  const stopped = await choiceOf({ stop: ["!"] });
  assert.deepEqual([stopped.message.content, stopped.finish_reason], ["k", "stop"]);
  const cut = await choiceOf({ max_tokens: 1 });
  assert.deepEqual([cut.message.content, cut.finish_reason], ["k", "length"]);
  const full = await choiceOf({ logit_bias: { 2: -1e9 } });
  assert.equal(full.finish_reason, "length");
});

test("several answers differ, and their tokens add up", async () => {
  const { choices, usage } = await ask({ n: 3, seed: 2, ...endless });
  const one = await ask({ seed: 2, ...endless });
  assert.deepEqual(
    choices.map(({ index }) => index),
    [0, 1, 2],
  );
  assert.equal(new Set(choices.map(({ message }) => message.content)).size, 3);
  assert.equal(choices[0].message.content, one.choices[0].message.content);
  assert.deepEqual([usage.completion_tokens, usage.prompt_tokens], [36, one.usage.prompt_tokens]);
});

test("log-probabilities are the model's own, those of model.score", async () => {
  const { choices } = await ask({ seed: 4, temperature: 2, logprobs: true, top_logprobs: 20 });
  const { content, refusal } = choices[0].logprobs;
  const { tokens } = await answered({ seed: 4, temperature: 2 });
  const prompt = await model.applyTemplate(messages, { tokens: true });
  const scored = await model.score([...prompt, ...tokens.map(({ id }) => id)]);
  const expected = scored.logprobs.slice(prompt.length - 1);
  assert.equal(refusal, null);
  assert.equal(content.length, 12);
  for (const [i, { token, bytes, logprob, top_logprobs: top }] of content.entries()) {
    assert.ok(Math.abs(logprob - expected[i]) < 1e-6, `${logprob} ${expected[i]}`);
    const name = ["<|im_start|>", "<unk>", "<s>", "</s>"].find((special) => special === token);
    if (name) assert.equal(bytes, null);
    else
      assert.deepEqual(
        [new TextDecoder().decode(Uint8Array.from(bytes)), bytes],
        [token, [...model.vocabulary.tokens[tokens[i].id]]],
      );
    assert.equal(top.length, 20);
    const row = await model.forward([...prompt, ...tokens.slice(0, i).map(({ id }) => id)]);
    const sum = row.reduce((total, logit) => total + Math.exp(logit), 0);
    const best = [...row.keys()].sort((x, y) => row[y] - row[x] || x - y).slice(0, 20);
    for (const [k, other] of top.entries())
      assert.ok(Math.abs(other.logprob - (row[best[k]] - Math.log(sum))) < 1e-4, `${i} ${k}`);
  }
  const without = await ask({ seed: 4, logprobs: true });
  assert.deepEqual(without.choices[0].logprobs.content[0].top_logprobs, []);
});

test("the token that ends an answer is not among its log-probabilities", async () => {
  const { bytes } = scriptedModel({ script: ["O", "k"] });
  const short = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  after(() => short.dispose());
  const { choices, usage } = await createOpenAI(short).completions.create({ prompt: "O", temperature: 0, logprobs: 1 });
  assert.deepEqual([choices[0].text, choices[0].logprobs.tokens, usage.completion_tokens], ["k", ["k"], 2]);
});

test("formats of an answer hold for any seed", async () => {
  const formats = [
    [{ type: "json_schema", json_schema: { name: "person", schema: person, strict: true } }, isPerson],
    [{ type: "json_object", schema: JSON.stringify(person) }, isPerson],
    [{ type: "json_object", schema: person }, isPerson],
  ];
  for (const [format, check] of formats)
    for (let seed = 0; seed < 4; seed++) {
      const { choices } = await ask({ response_format: format, seed, max_tokens: 80 });
      assert.equal(choices[0].finish_reason, "stop");
      check(JSON.parse(choices[0].message.content));
    }
  const tag = { begin: "a", content: { type: "regex", pattern: "b{2}" }, end: "a" };
  const format = { type: "triggered_tags", triggers: ["a"], tags: [tag], at_least_one: true, stop_after_first: true };
  const tagged = await ask({ response_format: { type: "structural_tag", format }, seed: 1 });
  assert.equal(tagged.choices[0].message.content, "abba");
  const grammar = await ask({ response_format: { type: "grammar", grammar: 'root ::= "aba" | "bab"' }, seed: 1 });
  assert.match(grammar.choices[0].message.content, /^(aba|bab)$/);
  const object = await ask({ response_format: { type: "json_object" }, seed: 1, max_tokens: 4 });
  assert.match(object.choices[0].message.content, /^\{/);
  const text = await ask({ response_format: { type: "text" }, seed: 1 });
  assert.equal(text.choices[0].message.content, (await answered({ seed: 1 })).text);
  // The options of generate that mean the same hold too.
  const choice = await ask({ guided_choice: ["abab"], max_tokens: 9 });
  assert.equal(choice.choices[0].message.content, "abab");
});

test("tool calls parse, satisfy their schemas, and go back as they came", async () => {
  for (const choice of ["required", { type: "function", function: { name: "count" } }])
    for (let seed = 0; seed < 3; seed++) {
      const body = { tools, tool_choice: choice, seed, max_tokens: 200 };
      const { choices } = await ask(body);
      const [{ message, finish_reason: reason }] = choices;
      assert.deepEqual([message.content, reason, message.tool_calls.length], [null, "tool_calls", 1]);
      const [{ id, type, function: called }] = message.tool_calls;
      assert.equal(type, "function");
      assert.ok(choice === "required" ? ["find", "count"].includes(called.name) : called.name === "count");
      isPerson(JSON.parse(called.arguments));
      const chunks = await collect(await ask({ ...body, stream: true }));
      const streamed = chunks.flatMap(({ choices: [{ delta }] }) => delta.tool_calls ?? []);
      assert.deepEqual(
        streamed.map(({ index, function: { name, arguments: input } }) => [index, name, input]),
        [[0, called.name, called.arguments]],
      );
      const next = [...messages, message, { role: "tool", tool_call_id: id, content: "aab" }];
      const { choices: after } = await ask({ messages: next, tools, tool_choice: "none", seed });
      const toolCalls = [{ id, name: called.name, arguments: JSON.parse(called.arguments) }];
      const own = [
        ...messages,
        { role: "assistant", content: "", toolCalls },
        { role: "tool", toolCallId: id, content: "aab" },
      ];
      assert.equal(
        after[0].message.content,
        (
          await answered(
            { seed, tools: tools.map((one) => one.function).map(({ strict, ...rest }) => rest), toolChoice: "none" },
            own,
          )
        ).text,
      );
    }
});

test("without parallel calls there is at most one call", async () => {
  const callers = await load(hermes, { vocabulary: [...vocabulary, ["<tool_call>", -9, 1]] });
  const of = createOpenAI(callers).chat.completions;
  const find = { type: "function", function: { name: "find" } };
  const body = { messages, tools: [find], logit_bias: { [vocabulary.length]: 1000 }, max_tokens: 200 };
  const many = (await of.create(body)).choices[0].message.tool_calls ?? [];
  assert.ok(many.length > 1, `${many.length} calls`);
  const [{ message, finish_reason: reason }] = (await of.create({ ...body, parallel_tool_calls: false })).choices;
  assert.deepEqual([message.tool_calls.length, reason], [1, "tool_calls"]);
});

test("thoughts are kept apart from the answer, and counted", async () => {
  const { bytes } = scriptedModel({ script: ["<think>", "Hm", ".", "</think>", "k"] });
  const thinking = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  after(() => thinking.dispose());
  const chatTemplate = "{% if false %}</think>{% endif %}{{ bos_token }}";
  const of = createOpenAI(thinking, { chatTemplate }).chat.completions;
  const body = { messages, temperature: 0 };
  const { choices, usage } = await of.create(body);
  const { content, reasoning_content: thought } = choices[0].message;
  assert.deepEqual([content, thought, choices[0].finish_reason], ["k", "Hm.", "stop"]);
  // The marks of the thought count too.
  assert.deepEqual([usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens], [6, 4]);
  const deltas = (await collect(await of.create({ ...body, stream: true }))).map(({ choices: [{ delta }] }) => delta);
  assert.equal(deltas.map((delta) => delta.reasoning_content ?? "").join(""), "Hm.");
  assert.equal(deltas.map((delta) => delta.content ?? "").join(""), "k");
});

test("thoughts can be switched off and on, and go back into the conversation", async () => {
  const of = createOpenAI(thinker).chat.completions;
  const think = (body) => of.create({ messages, max_tokens: 12, seed: 1, guided_regex: "ba", ...body });
  for (const body of [{ reasoning_effort: "none" }, { extra_body: { enable_thinking: false } }]) {
    const { choices } = await think(body);
    assert.deepEqual([choices[0].message.content, "reasoning_content" in choices[0].message], ["ba", false]);
  }
  const promptOf = async (from, switches) => (await thinker.applyTemplate(from, { tokens: true, switches })).length;
  const off = { enable_thinking: false };
  const on = await think({ enable_thinking: true });
  assert.equal(on.usage.prompt_tokens, await promptOf(messages, {}));
  assert.equal((await think({ reasoning_effort: "medium" })).usage.prompt_tokens, on.usage.prompt_tokens);
  const thinking = createOpenAI(thinker, { chatTemplate: opened }).chat.completions;
  for (const [effort, reasoning] of [
    ["minimal", { budget: 128 }],
    ["low", { budget: 512 }],
    ["high", "on"],
    ["max", "on"],
  ]) {
    // This one thinks for ever.
    const how = { messages, seed: 2, max_tokens: 530, ...endless };
    const [{ message }] = (await thinking.create({ ...how, reasoning_effort: effort })).choices;
    const [own] = (await thinking.create({ ...how, extra_body: { reasoning } })).choices;
    assert.deepEqual(message, own.message, effort);
    assert.equal(message.content === "", reasoning === "on", effort);
  }
  await assert.rejects(think({ reasoning_effort: "low", reasoning: { budget: 3 } }), { code: "conflict" });
  const back = { role: "assistant", content: "b", reasoning_content: "a", refusal: null };
  const { usage } = await think({ messages: [...messages, back], reasoning_effort: "none" });
  const own = [...messages, { role: "assistant", content: "b", reasoning: "a" }];
  assert.equal(usage.prompt_tokens, await promptOf(own, off));
  assert.notEqual(usage.prompt_tokens, await promptOf([...messages, { role: "assistant", content: "b" }], off));
  await assert.rejects(ask({ reasoning_effort: "medium" }), { code: "conflict" });
  await assert.rejects(think({ reasoning_effort: "none", enable_thinking: false }), { code: "conflict" });
  for (const effort of ["some", "toString", 1, { low: 1 }])
    await assert.rejects(ask({ reasoning_effort: effort }), { code: "out-of-range", message: /^reasoning_effort/ });
});

test("completions continue texts and ids, one or several, as model.generate does", async () => {
  const expected = async (prompt, options) =>
    (await model.complete(prompt, { maxTokens: 12, ...endless, ...options })).text;
  const ids = await model.tokenize("ba", { bos: true });
  const { id, created, ...rest } = await write({ seed: 3, ...endless });
  assert.match(id, /^cmpl-\w+$/);
  assert.ok(created > 1.7e9);
  const { object, choices, usage } = rest;
  assert.deepEqual([object, rest.model], ["text_completion", "tiny"]);
  assert.deepEqual(choices, [
    { index: 0, text: await expected("ab", { seed: 3 }), logprobs: null, finish_reason: "length" },
  ]);
  assert.deepEqual(usage, {
    prompt_tokens: 2,
    completion_tokens: 12,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: usage.prompt_tokens_details.cached_tokens },
  });
  const texts = async (body) => (await write({ seed: 3, ...endless, ...body })).choices.map(({ text }) => text);
  const both = [await expected("ab", { seed: 3 }), await expected("ba", { seed: 3 })];
  assert.deepEqual(await texts({ prompt: ["ab", "ba"] }), both);
  assert.deepEqual(await texts({ prompt: [ids] }), [both[1]]);
  assert.deepEqual(await texts({ prompt: ids }), [both[1]]);
  assert.deepEqual(await texts({ prompt: Uint32Array.from(ids) }), [both[1]]);
  const four = await write({ prompt: ["ab", "ba"], n: 2, seed: 3, ...endless });
  assert.deepEqual(
    four.choices.map(({ index }) => index),
    [0, 1, 2, 3],
  );
  assert.deepEqual([four.choices[0].text, four.choices[2].text], both);
  assert.deepEqual([four.usage.prompt_tokens, four.usage.completion_tokens], [2 + ids.length, 48]);
  for (const prompt of [undefined, null, 3, {}, [null]])
    await assert.rejects(write({ prompt }), { name: "TypeError", code: "bad-type" });
  await assert.rejects(write({ prompt: [] }), { code: "out-of-range" });
});

test("completions stream the same, with usage on request", async () => {
  const body = { prompt: ["ab", "ba"], n: 2, seed: 3, logprobs: 2, ...endless };
  const whole = await write(body);
  const chunks = await collect(await write({ ...body, stream: true, stream_options: { include_usage: true } }));
  assert.deepEqual(chunks.at(-1).usage.total_tokens, whole.usage.total_tokens);
  const parts = chunks.flatMap(({ choices }) => choices);
  for (const { index, text, logprobs } of whole.choices) {
    const mine = parts.filter((part) => part.index === index);
    assert.equal(mine.map((part) => part.text).join(""), text);
    assert.deepEqual(
      mine.flatMap((part) => part.logprobs?.token_logprobs ?? []),
      logprobs.token_logprobs,
    );
    assert.equal(mine.at(-1).finish_reason, "length");
  }
});

test("log-probabilities of a completion come in lists, and with echo the prompt's too", async () => {
  const { choices } = await write({ seed: 5, logprobs: 3, ...endless });
  const [{ text, logprobs }] = choices;
  const { tokens } = await model.complete("ab", { seed: 5, maxTokens: 12, ...endless });
  const ids = [...(await model.tokenize("ab", { bos: true })), ...tokens.map(({ id }) => id)];
  const scored = [...(await model.score(ids)).logprobs];
  assert.deepEqual(
    [logprobs.tokens.length, logprobs.token_logprobs.length, logprobs.top_logprobs.length],
    [12, 12, 12],
  );
  for (const [i, value] of logprobs.token_logprobs.entries()) assert.ok(Math.abs(value - scored[i + 1]) < 1e-6);
  for (const top of logprobs.top_logprobs)
    assert.ok(Object.keys(top).length <= 3 && Math.max(...Object.values(top)) < 0);
  assert.equal(logprobs.text_offset[0], 0);
  assert.ok(logprobs.text_offset.every((offset, i, all) => offset <= text.length && (!i || offset >= all[i - 1])));

  const echoed = (await write({ seed: 5, logprobs: 0, echo: true, ...endless })).choices[0];
  assert.equal(echoed.text, `ab${text}`);
  assert.equal("top_logprobs" in echoed.logprobs, false);
  for (const [i, value] of echoed.logprobs.token_logprobs.entries()) assert.ok(Math.abs(value - scored[i]) < 1e-6);
  assert.deepEqual([echoed.logprobs.tokens[0], echoed.logprobs.text_offset.slice(0, 2)], ["ab", [0, 2]]);
  // The first of some ids has nothing before it.
  const given = (await write({ prompt: ids.slice(0, 3), max_tokens: 0, logprobs: 0, echo: true })).choices[0];
  assert.equal(given.logprobs.token_logprobs[0], null);
  assert.ok(Math.abs(given.logprobs.token_logprobs[2] - scored[1]) < 1e-6);
  assert.deepEqual([given.finish_reason, given.logprobs.tokens[0]], ["length", "<s>"]);
  const plain = (await write({ prompt: ["ab", "ba"], n: 2, echo: true, max_tokens: 1 })).choices;
  assert.deepEqual(
    plain.map(({ text: whole }) => whole.slice(0, 2)),
    ["ab", "ab", "ba", "ba"],
  );
  await assert.rejects(write({ echo: true, logprobs: 1 }), { code: "conflict", message: /echo/ });
});

test("an abort or a reader who leaves ends an answer, and the model stays usable", async () => {
  const long = { max_tokens: 800, ...endless };
  const controller = new AbortController();
  const stream = await ask({ ...long, stream: true }, { signal: controller.signal });
  let count = 0;
  const read = async () => {
    for await (const _ of stream) if (++count === 3) controller.abort();
  };
  await assert.rejects(read, { name: "AbortError" });
  assert.ok(count < 20, `${count}`);
  for (const call of [ask, write]) {
    const late = new AbortController();
    const whole = call(long, { signal: late.signal });
    setTimeout(() => late.abort(), 5);
    await assert.rejects(whole, { name: "AbortError" });
    await assert.rejects(call(long, { signal: AbortSignal.abort() }), { name: "AbortError" });
    for await (const _ of await call({ ...long, stream: true })) break;
    // A stream that is not read does not block the model.
    await call({ ...long, stream: true });
    assert.equal((await call({ seed: 1 })).usage.completion_tokens > 0, true);
  }
  const never = createOpenAI(() => new Promise(() => {}));
  const hasty = new AbortController();
  setTimeout(() => hasty.abort(), 5);
  await assert.rejects(never.completions.create({ prompt: "a" }, { signal: hasty.signal }), { name: "AbortError" });
});

test("answers name the model, and a function loads models by name", async () => {
  assert.equal((await ask({ model: "tiny" })).model, "tiny");
  await assert.rejects(ask({ model: "gpt-4o" }), { name: "RangeError", code: "out-of-range", message: /"tiny"/ });
  await assert.rejects(ask({ model: 4 }), { code: "bad-type" });
  const asked = [];
  const many = createOpenAI(async (id) => {
    asked.push(id);
    if (id === "lost") throw new Error("lost");
    return model;
  });
  assert.deepEqual((await many.models.list()).data, []);
  const body = { prompt: "a", max_tokens: 1 };
  assert.equal((await many.completions.create({ ...body, model: "x" })).model, "x");
  await many.completions.create({ ...body, model: "x" });
  assert.equal((await many.completions.create(body)).model, "default");
  await assert.rejects(many.completions.create({ ...body, model: "lost" }), /lost/);
  assert.deepEqual(asked, ["x", "default", "lost"]);
  const { object, data } = await many.models.list();
  assert.deepEqual([object, data.map(({ id }) => id)], ["list", ["x", "default"]]);
  assert.equal((await client.models.list()).data[0].id, "tiny");
  assert.throws(() => createOpenAI("a.gguf"), { code: "bad-type" });
  assert.throws(() => createOpenAI(model, { chatTemplates: "" }), { code: "unknown-option" });
});

test("a wrong field rejects the call before the first chunk, by name", async () => {
  const user = (content) => [{ role: "user", content }];
  const wrong = [
    [{ messages: "Hi" }, "bad-message", /^Messages/],
    [{ messages: [] }, "bad-message", /./],
    [{ messages: [{ role: "judge", content: "a" }] }, "bad-message", /judge/],
    [{ messages: [{ role: "function", name: "a", content: "a" }] }, "bad-message", /tool/],
    [{ messages: [{ role: "user", content: "a", mood: "b" }] }, "bad-message", /mood/],
    [{ messages: user([{ type: "image_url", image_url: { url: "data:," } }]) }, "bad-message", /image_url/],
    [{ messages: user([{ type: "input_audio", input_audio: {} }]) }, "bad-message", /input_audio/],
    [{ messages: user([{ type: "text", text: "a", prompt_cache_breakpoint: {} }]) }, "unknown-option", /prompt_cache/],
    [{ messages: user(3) }, "bad-message", /content/],
    [{ messages: user(null) }, "bad-message", /content/],
    [{ messages: [...user("a"), { role: "assistant", audio: { id: "1" } }] }, "bad-message", /audio/],
    [
      {
        messages: [
          ...user("a"),
          { role: "assistant", tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{" } }] },
        ],
      },
      "bad-message",
      /no JSON/,
    ],
    [{ temperature: "hot" }, "bad-type", /temperature/],
    [{ temperature: -1 }, "out-of-range", /temperature/],
    [{ temprature: 1 }, "unknown-option", /temperature/],
    [{ max_completion_tokens: 3 }, "conflict", /max_?completion_?tokens|maxTokens/i],
    [{ stop: [3] }, "bad-type", /stop/],
    [{ seed: 1.5 }, "out-of-range", /seed/],
    [{ n: 65 }, "out-of-range", /\bn\b.*65/],
    [{ stream: 1 }, "bad-type", /stream/],
    [{ stream_options: {} }, "conflict", /stream: true/],
    [{ logprobs: 3 }, "bad-type", /logprobs/],
    [{ top_logprobs: 3 }, "conflict", /logprobs: true/],
    [{ logprobs: true, top_logprobs: 21 }, "out-of-range", /top_logprobs/],
    [{ logit_bias: { x: 1 } }, "out-of-range", /logitBias/],
    [{ response_format: { type: "xml" } }, "out-of-range", /xml/],
    [{ response_format: { type: "structural_tag" } }, "bad-type", /structuralTags: tags/],
    [{ response_format: { type: "json_schema", json_schema: { name: "a" } } }, "bad-type", /schema/],
    [{ response_format: { type: "json_object" }, guided_regex: "a" }, "conflict", /./],
    [{ tool_choice: "auto" }, "conflict", /^tool_choice/],
    [{ parallel_tool_calls: false }, "conflict", /^parallel_tool_calls/],
    [{ tools: [{ type: "custom", custom: { name: "a" } }] }, "out-of-range", /"custom"/],
    [{ tools, tool_choice: "always" }, "out-of-range", /toolChoice/],
    [{ tools, tool_choice: { type: "function", function: { name: "lose" } } }, "out-of-range", /toolChoice/],
    [{ tools, tool_choice: { type: "allowed_tools", allowed_tools: {} } }, "unknown-option", /allowed_tools/],
    [{ extra_body: { seed: 1 }, seed: 1 }, "conflict", /\bseed\b/],
    [{ extra_body: { user: "me" } }, "unknown-option", /user/],
  ];
  for (const [body, code, message] of wrong)
    for (const stream of "stream" in body || "stream_options" in body ? [undefined] : [false, true])
      await assert.rejects(
        ask({ stream, ...body }),
        (error) => {
          assert.deepEqual([error.code, message.test(error.message)], [code, true], `${error.code}: ${error.message}`);
          return true;
        },
        JSON.stringify(body),
      );
  await assert.rejects(ask({ stream: true, stream_options: { include_obfuscation: true } }), {
    code: "unknown-option",
  });
  await assert.rejects(ask({}, { timeout: 1 }), { code: "unknown-option", message: /timeout/ });
  await assert.rejects(ask({}, { signal: 1 }), { code: "bad-type" });
  await assert.rejects(client.chat.completions.create(), { code: "bad-type" });
  await assert.rejects(createOpenAI(await load()).chat.completions.create({ messages }), { code: "template-missing" });
});

/** The fields of a type of the openai package. @param {string} file @param {string} name */
function fieldsOf(file, name) {
  const text = readFileSync(new URL(`../../node_modules/openai/resources/${file}.d.ts`, import.meta.url), "utf8");
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const found = statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  return found.members.map((member) => member.name.text);
}

const calls = {
  "chat.completions": {
    create: ask,
    fields: fieldsOf("chat/completions/completions", "ChatCompletionCreateParamsBase"),
    refused: refusedInChat,
  },
  completions: {
    create: write,
    fields: fieldsOf("completions", "CompletionCreateParamsBase"),
    refused: refusedInCompletions,
  },
};

for (const [call, { create, fields, refused }] of Object.entries(calls))
  test(`the documentation says what becomes of every field of ${call}, and so it does`, async () => {
    const caption = `Fields of ${call}.create`;
    const table = tablesOf("demos/docs/providers.md").find((one) => one.caption === caption);
    const rows = new Map(table.rows.map(([field, fate]) => [codesOf(field)[0], fate]));
    assert.deepEqual([...rows.keys()], [...fields, "extra_body"].sort());
    for (const [field, fate] of rows) {
      const isRefused = Object.hasOwn(refused, field);
      assert.equal(fate.startsWith("refused."), isRefused, field);
      if (isRefused) {
        assert.equal(fate, `refused. ${refused[field]}`);
        const message = new RegExp(`no ${field} of`);
        for (const value of [1, "a", [], {}, false])
          await assert.rejects(create({ [field]: value }), { name: "TypeError", code: "unknown-option", message });
      } else {
        // No field takes a function, but its name must still be recognised.
        const known = await create({ [field]: () => 1 }).then(
          () => true,
          (error) => error.code !== "unknown-option" || !error.message.includes(`"${field}"`),
        );
        assert.ok(known, field);
      }
    }
    for (const field of Object.keys(refused))
      await assert.rejects(create({ [field]: 1 }), { code: "unknown-option", message: new RegExp(`no ${field} of`) });
  });
