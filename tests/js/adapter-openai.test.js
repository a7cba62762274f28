// OpenAI's interface over models here: every field does what it says or is refused by name.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { createOpenAI } from "lastinch/openai";
import { codesOf, tablesOf } from "../markdown.js";
import { hermes, qwen3 } from "./chat-templates.js";
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
const ask = (body, options) => client.chat.completions.create({ messages, max_tokens: 12, ...body }, options);
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
    max_tokens: undefined,
  };
  const { text } = await answered({
    ...{ seed: 11, temperature: 1.5, topP: 0.9, topK: 60, minP: 0.001, presencePenalty: 1.5, frequencyPenalty: 1.2 },
    ...{ repetitionPenalty: 1.3, logitBias: { 10: 3, 20: -100 }, maxTokens: 40 },
  });
  const textOf = async (body) => (await ask(body)).choices[0].message.content;
  assert.equal(await textOf(settings), text);
  assert.equal(await textOf({ ...settings, min_p: undefined, extra_body: { min_p: 0.001 } }), text);
  for (const name of ["seed", "temperature", "top_p", "frequency_penalty", "logit_bias", "max_completion_tokens"])
    assert.notEqual(
      await textOf({ ...settings, [name]: name === "seed" ? 12 : null, max_tokens: 40 }).catch(() => ""),
      text,
      name,
    );
});

test("null is as good as nothing", async () => {
  const names = [
    ...["model", "stream", "stream_options", "temperature", "top_p", "stop", "n", "presence_penalty", "tools", "user"],
    ...["frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "response_format", "tool_choice", "store"],
    ...["parallel_tool_calls", "reasoning_effort", "metadata", "extra_body", "max_completion_tokens", "functions"],
  ];
  const nothing = Object.fromEntries(names.map((name) => [name, null]));
  const answer = await ask({ ...nothing, seed: 1 });
  assert.equal(answer.choices[0].message.content, (await answered({ seed: 1 })).text);
});

test("a stream says the same as the whole, with a role first and a reason last", async () => {
  for (const body of [{ seed: 5 }, { seed: 6, logprobs: true, top_logprobs: 2, n: 2 }]) {
    const whole = await ask(body);
    const chunks = await collect(await ask({ ...body, stream: true, stream_options: { include_usage: true } }));
    const last = chunks.pop();
    assert.deepEqual([last.choices, last.usage.total_tokens], [[], whole.usage.total_tokens]);
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    for (const { object, usage, choices, model: name } of chunks)
      assert.deepEqual([object, usage, choices.length, name], ["chat.completion.chunk", null, 1, "tiny"]);
    for (const { index, message, logprobs } of whole.choices) {
      const mine = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
      assert.equal(mine[0].delta.role, "assistant");
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
  const { choices, usage } = await ask({ n: 3, seed: 2 });
  const one = await ask({ seed: 2 });
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

test("the token that ends an answer is none of its log-probabilities", async () => {
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
  const grammar = await ask({ response_format: { type: "grammar", grammar: 'root ::= "aba" | "bab"' }, seed: 1 });
  assert.match(grammar.choices[0].message.content, /^(aba|bab)$/);
  const object = await ask({ response_format: { type: "json_object" }, seed: 1, max_tokens: 4 });
  assert.match(object.choices[0].message.content, /^\{/);
  const text = await ask({ response_format: { type: "text" }, seed: 1 });
  assert.equal(text.choices[0].message.content, (await answered({ seed: 1 })).text);
  // So are the options of generate that say it.
  const choice = await ask({ guided_choice: ["abab"], max_tokens: 9 });
  assert.equal(choice.choices[0].message.content, "abab");
});

test("calls of tools parse and satisfy their schemas, and go back as they came", async () => {
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

test("without parallel calls there is one call at most", async () => {
  // A bias makes the model open a call where it may.
  const style = { tools: [tools[0]], max_tokens: 600, lark: undefined };
  const trigger = (await model.tokenize("<"))[0];
  const body = { ...style, logit_bias: { [trigger]: 50, [eos]: -30 }, seed: 1 };
  const many = (await ask(body)).choices[0].message.tool_calls ?? [];
  const { choices } = await ask({ ...body, parallel_tool_calls: false });
  assert.equal(choices[0].finish_reason, "tool_calls");
  assert.equal(choices[0].message.tool_calls.length, 1);
  assert.ok(many.length > 1, `${many.length} calls`);
});

test("thoughts are apart from the answer, counted, and can be switched off", async () => {
  const of = createOpenAI(thinker);
  const end = "</think>";
  const think = (body) =>
    of.chat.completions.create({ messages, max_tokens: 60, seed: 1, lark: `start: "<think>ab${end}" "ba"`, ...body });
  const { choices, usage } = await think({
    lark: undefined,
    guided_regex: "ba",
    logit_bias: {},
    reasoning_effort: "none",
  });
  assert.deepEqual([choices[0].message.content, "reasoning_content" in choices[0].message], ["ba", false]);
  assert.equal(usage.completion_tokens_details.reasoning_tokens, 0);
  const off = await think({ lark: undefined, guided_regex: "ba", extra_body: { enable_thinking: false } });
  assert.equal(off.choices[0].message.content, "ba");
  await assert.rejects(ask({ reasoning_effort: "medium" }), { code: "conflict" });
  for (const effort of ["minimal", "low", "high", "xhigh", "max", 1])
    await assert.rejects(ask({ reasoning_effort: effort }), { code: "out-of-range", message: /^reasoning_effort/ });
  await assert.rejects(think({ reasoning_effort: "none", enable_thinking: false }), { code: "conflict" });
  // A thought that comes back goes into the history as the template has it.
  const before = { role: "assistant", content: "b", reasoning_content: "a" };
  const { usage: longer } = await think({ messages: [...messages, before], reasoning_effort: "none", lark: undefined });
  const ids = await thinker.applyTemplate([...messages, { role: "assistant", content: "b", reasoning: "a" }], {
    tokens: true,
    switches: { enable_thinking: false },
  });
  assert.equal(longer.prompt_tokens, ids.length);
});
