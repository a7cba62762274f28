// Conversations with tiny models of random weights: whatever they write, calls fit their schemas and thoughts are not
// text.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";
import * as templates from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const control = [
  "<|im_start|>",
  "<|im_end|>",
  "[TOOL_CALLS]",
  "[THINK]",
  "[/THINK]",
  "<think>",
  "</think>",
  "<tool_call>",
];
const bytes = vocabularyOf([]);
const idOf = (name) => bytes.length + control.indexOf(name);
const byteOf = (text) => 3 + text.charCodeAt(0);
/** Tokens of letters, and what ends an answer. */
const letters = [...Array.from("abcdefgh \n", byteOf), 2];

async function load(template, { names = control.slice(0, 3), seed = 1, recommended = {}, ...options } = {}) {
  const vocabulary = [...bytes, ...control.map((name) => [names.includes(name) ? name : `${name} unused`, 0, 3])];
  const extra = { ...(template && { "tokenizer.chat_template": ["string", template] }), ...recommended };
  const file = randomModel({ vocabulary, extra, seed, context: 2048, ...options });
  const model = await loadModel(new Blob([file]), { cache: false, worker: false });
  after(() => model.dispose());
  return model;
}

const question = [{ role: "user", content: "Will it rain?" }];
const tools = [
  {
    name: "weather",
    description: "The weather of a city.",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, maxLength: 4 },
        days: { type: "integer", minimum: 1, maximum: 9 },
      },
      required: ["city", "days"],
      additionalProperties: false,
    },
  },
  { name: "time", parameters: { type: "object", properties: {}, additionalProperties: false } },
];

/** @param {any} call */
function fits({ id, name, arguments: input, ...rest }) {
  assert.match(id, /^[a-z0-9]{9}$/);
  assert.deepEqual(rest, {});
  if (name === "time") return assert.deepEqual(input, {});
  assert.equal(name, "weather");
  const { city, days, ...others } = input;
  assert.deepEqual(others, {});
  assert.ok([...city].length >= 2 && [...city].length <= 4 && days >= 1 && days <= 9, JSON.stringify(input));
}

async function collect(chunks) {
  const list = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

const model = await load(templates.hermes);

test("a conversation is continued as its template writes it", async () => {
  const options = { seed: 3, maxTokens: 20, allowedTokens: letters };
  const chunks = await collect(model.chat(question, options));
  const ids = await model.applyTemplate(question, { tokens: true });
  const expected = await model.complete(ids, options);
  assert.equal(chunks.map(({ text }) => text).join(""), expected.text);
  assert.equal(chunks.at(-1).finishReason, expected.finishReason);
  const { text, tokens, usage, stats, finishReason, ...others } = await model.answer(question, options);
  assert.deepEqual([text, finishReason, others], [expected.text, expected.finishReason, {}]);
  assert.equal(tokens.length, expected.tokens.length);
  assert.equal(usage.promptTokens, ids.length);
  assert.ok(stats.firstTokenMs >= stats.promptMs);
});

test("a chat follows the file's recommendations, unless the caller gives the option", async () => {
  const greedy = await load(templates.hermes, { recommended: { "general.sampling.temp": ["float32", 0] } });
  const options = { maxTokens: 12, allowedTokens: letters };
  const answer = (more) => greedy.answer(question, { ...options, ...more });
  const ids = await greedy.applyTemplate(question, { tokens: true });
  assert.equal((await answer({ seed: 7 })).text, (await greedy.complete(ids, { ...options, temperature: 0 })).text);
  assert.notEqual((await answer({ seed: 7, temperature: 2 })).text, (await answer({ seed: 7 })).text);
});

test("a required call fits its schema and goes back into the conversation, in the style of every family", async () => {
  for (const [name, template] of Object.entries(templates)) {
    for (let seed = 1; seed <= 4; seed++) {
      const caller = await load(template, { seed });
      const options = { tools, toolChoice: /** @type {const} */ ("required"), seed, maxTokens: 400, temperature: 2 };
      const messages = structuredClone(question);
      const reasoning = ["qwen3", "qwen35", "opened", "mistral", "channels", "tight"].includes(name)
        ? { reasoning: /** @type {const} */ ("off") }
        : {};
      const answer = await caller.answer(messages, { ...options, ...reasoning });
      assert.deepEqual([answer.text, answer.finishReason, answer.toolCalls?.length], ["", "toolCalls", 1], name);
      fits(answer.toolCalls[0]);
      const [{ id, name: tool }] = answer.toolCalls;
      messages.push({ role: "assistant", content: answer.text, toolCalls: answer.toolCalls });
      messages.push({ role: "tool", toolCallId: id, name: tool, content: "Sun" });
      const before = structuredClone(messages);
      const last = await caller.answer(messages, {
        tools,
        toolChoice: "none",
        seed,
        maxTokens: 5,
        allowedTokens: letters,
      });
      assert.equal(last.toolCalls, undefined);
      assert.deepEqual(messages, before);
      const written = await caller.applyTemplate(messages.slice(0, 1));
      assert.ok(last.usage.promptTokens > (await caller.tokenize(written)).length, name);
    }
  }
});

test("the arguments of a call are an object, though the tool's schema allows anything", async () => {
  const open = [
    { name: "any", parameters: {} },
    { name: "also", parameters: { anyOf: [true, { type: "array" }] } },
  ];
  for (let seed = 1; seed <= 6; seed++) {
    const likes = { [byteOf("[")]: 20, [byteOf("7")]: 20, [byteOf("}")]: 8 };
    const options = {
      tools: open,
      toolChoice: /** @type {const} */ ("required"),
      seed,
      logitBias: likes,
      maxTokens: 200,
    };
    const { toolCalls, finishReason } = await model.answer(question, options);
    if (finishReason === "length") continue;
    assert.ok(toolCalls[0].arguments && !Array.isArray(toolCalls[0].arguments), JSON.stringify(toolCalls));
    assert.equal(typeof toolCalls[0].arguments, "object");
  }
  await assert.rejects(model.answer(question, { tools: [{ name: "list", parameters: { type: "array" } }] }), {
    code: "bad-type",
    message: /\blist\b/,
  });
});

test("an answer that is cut off at the beginning of a call has no text of the call", async () => {
  for (const name of ["hermes", "llama3", "mistral"]) {
    const caller = await load(templates[name], { names: ["<|im_start|>", "<|im_end|>", "[TOOL_CALLS]"] });
    const options = { tools, toolChoice: /** @type {const} */ ("required"), seed: 1 };
    const { tokens } = await caller.answer(question, { ...options, maxTokens: 400 });
    for (let maxTokens = 1; maxTokens < Math.min(40, tokens.length); maxTokens++) {
      const { text, toolCalls, finishReason } = await caller.answer(question, { ...options, maxTokens });
      assert.deepEqual([text, toolCalls, finishReason], ["", undefined, "length"], `${name} ${maxTokens}`);
    }
  }
});

test("a named toolChoice calls that tool", async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const { toolCalls } = await model.answer(question, { tools, toolChoice: { name: "time" }, seed, maxTokens: 200 });
    assert.deepEqual(
      toolCalls.map(({ name }) => name),
      ["time"],
    );
  }
});

test("a model calls tools freely: within its text, several times, or not at all", async () => {
  const caller = await load(templates.hermes, { names: control });
  const likes = { [idOf("<tool_call>")]: 12, [byteOf("a")]: 10, [idOf("<|im_end|>")]: 9, 2: 9 };
  const seen = new Set();
  for (let seed = 1; seed <= 12; seed++) {
    const options = { tools, seed, logitBias: likes, maxTokens: 400 };
    const chunks = await collect(caller.chat(question, options));
    const calls = chunks.flatMap(({ toolCalls = [] }) => toolCalls);
    calls.forEach(fits);
    assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
    const { finishReason } = chunks.at(-1);
    if (finishReason !== "length") assert.equal(finishReason, calls.length ? "toolCalls" : "eos");
    seen.add(Math.min(calls.length, 2));
    assert.doesNotMatch(chunks.map(({ text }) => text).join(""), /tool_call|weather/);
  }
  assert.deepEqual([...seen].sort(), [0, 1, 2]);
  // JSON that is the whole answer.
  const llama = await load(templates.llama3);
  const { text, toolCalls } = await llama.answer(question, {
    tools,
    seed: 1,
    logitBias: { [byteOf("{")]: 30 },
    maxTokens: 400,
  });
  assert.deepEqual([text, toolCalls.length], ["", 1]);
  fits(toolCalls[0]);
});

test("with tools and a schema the answer is a call or JSON", async () => {
  const jsonSchema = { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 2 };
  const caller = await load(templates.llama3);
  const kinds = new Set();
  for (let seed = 1; seed <= 12; seed++) {
    const { text, toolCalls } = await caller.answer(question, {
      tools,
      jsonSchema,
      seed,
      temperature: 3,
      maxTokens: 400,
    });
    kinds.add(toolCalls ? "call" : "json");
    if (toolCalls) toolCalls.forEach(fits);
    else assert.ok(JSON.parse(text).every((item) => typeof item === "boolean"));
  }
  assert.equal(kinds.size, 2);
  const { toolCalls } = await caller.answer(question, {
    tools,
    jsonSchema,
    toolChoice: "none",
    seed: 1,
    maxTokens: 90,
  });
  assert.equal(toolCalls, undefined);
});

test("several answers are read separately", async () => {
  const chunks = await collect(model.chat(question, { tools, toolChoice: "required", n: 3, seed: 1, maxTokens: 400 }));
  for (const index of [0, 1, 2]) {
    const own = chunks.filter((chunk) => chunk.index === index);
    own.flatMap(({ toolCalls = [] }) => toolCalls).forEach(fits);
    assert.equal(own.at(-1).finishReason, "toolCalls");
  }
  const searched = await model.answer(question, { tools, toolChoice: "required", beams: 2, maxTokens: 400 });
  searched.toolCalls.forEach(fits);
  await assert.rejects(model.answer(question, { n: 2 }), { code: "conflict", message: /model\.chat/ });
});

const jsonSchema = {
  type: "object",
  properties: { sure: { type: "boolean" } },
  required: ["sure"],
  additionalProperties: false,
};

/** Models that like to end thoughts. */
const thinkers = [
  // Marks that are control tokens, and a thought that the prompt opens.
  { template: templates.opened, names: control, likes: { [idOf("</think>")]: 12, [byteOf("a")]: 12 } },
  // A thought that the model may open.
  {
    template: templates.qwen3,
    names: control,
    likes: { [idOf("<think>")]: 12, [idOf("</think>")]: 10, [byteOf("a")]: 10 },
  },
  {
    template: templates.mistral,
    names: control,
    likes: { [idOf("[THINK]")]: 12, [idOf("[/THINK]")]: 10, [byteOf("a")]: 10 },
  },
];

test("a grammar begins after the thought, and the thought is not text", async () => {
  for (const { template, names, likes } of thinkers) {
    const thinker = await load(template, { names });
    let thoughts = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const shared = { seed, logitBias: likes, maxTokens: 600 };
      const json = await thinker.answer(question, { ...shared, jsonSchema });
      assert.equal(typeof JSON.parse(json.text).sure, "boolean");
      assert.equal(json.finishReason, "eos");
      thoughts += json.reasoning ? 1 : 0;
      const call = await thinker.answer(question, { ...shared, tools, toolChoice: "required" });
      assert.deepEqual([call.text, call.toolCalls?.length], ["", 1]);
      fits(call.toolCalls[0]);
      // Beams give a whole text, with the marks of its thought among the tokens.
      const searched = seed > 1 ? json : await thinker.answer(question, { ...shared, jsonSchema, beams: 2 });
      assert.equal(typeof JSON.parse(searched.text).sure, "boolean");
      for (const { reasoning = "" } of [json, call, searched]) assert.doesNotMatch(reasoning, /think|sure":|weather/i);
    }
    assert.ok(thoughts >= 3, `${thoughts} thoughts`);
  }
});

test("marks keep their place after a healed prompt", async () => {
  const pieces = ["\nb", "\nbc"];
  const names = ["<think>", "</think>", "<|im_start|>", "<|im_end|>"];
  const vocabulary = [...vocabularyOf(pieces), ...names.map((name) => [name, 0, 3])];
  const id = (name) => vocabulary.findIndex(([text]) => text === name);
  const extra = { "tokenizer.chat_template": ["string", templates.qwen3] };
  const file = randomModel({ vocabulary, extra, context: 512 });
  const healed = await loadModel(new Blob([file]), { cache: false, worker: false });
  after(() => healed.dispose());
  // The prompt ends with a newline, with which longer tokens begin.
  const forcedFirst = [id("\nbc"), id("<think>"), byteOf("s"), id("</think>"), ...[..."axyz"].map(byteOf)];
  for (const more of [{}, { stop: "yw" }, { beams: 2 }, { beams: 2, stop: "yw" }]) {
    const how = { heal: true, forcedFirst, maxTokens: forcedFirst.length, seed: 1, ...more };
    const { text } = await healed.answer(question, how);
    assert.equal(text, "bc<think>s</think>axyz", JSON.stringify(more));
  }
  for (const more of [{}, { beams: 2 }]) {
    const how = { heal: true, forcedFirst, maxTokens: forcedFirst.length, seed: 1, stop: "xy", ...more };
    assert.equal((await healed.answer(question, how)).text, "bc<think>s</think>a", JSON.stringify(more));
  }
});

test("after a thought the answer is a text of its grammar, with the grammar's newlines and no others", async () => {
  const wanted = [
    [{ choice: ["yes", "no"] }, /^(yes|no)$/],
    [{ choice: ["yes", "\nno", "\n\nno"] }, /^(yes|\n?\nno)$/],
    [{ regex: "\n?yes" }, /^\n?yes$/],
    [{ regex: /\n\n\nyes/ }, /^\n\n\nyes$/],
    [{ ebnf: 'root ::= "\\n"? [a-c] "\\n"' }, /^\n?[a-c]\n$/],
    [{ lark: 'start: "yes"' }, /^yes$/],
    [{ jsonSchema }, /^\{"sure":(true|false)\}$/],
    [{ jsonSchema, tools }, /^(\{"sure": (true|false)\})?$/],
  ];
  const newlines = new Set();
  for (const { template, names, likes } of thinkers)
    for (const [given, expression] of wanted)
      for (let seed = 1; seed <= 4; seed++) {
        const thinker = await load(template, { names });
        const bias = { ...likes, [byteOf("\n")]: seed > 2 ? 12 : 0 };
        for (const reasoning of template === templates.opened
          ? [undefined]
          : [undefined, /** @type {const} */ ("off")]) {
          const options = { ...given, seed, reasoning, logitBias: bias, maxTokens: 800, loops: "ignore" };
          const answer = await thinker.answer(question, options);
          if (answer.finishReason === "length") continue;
          assert.match(
            answer.text,
            /** @type {RegExp} */ (expression),
            `${JSON.stringify(given)} ${seed} ${reasoning}`,
          );
          newlines.add(/^\n*/.exec(answer.text)[0].length);
        }
      }
  assert.deepEqual([...newlines].sort(), [0, 1, 2, 3]);
});

test("marks of thoughts may be plain text", async () => {
  const thinker = await load(templates.opened);
  const options = { seed: 2, maxTokens: 60, allowedTokens: letters };
  const { text, reasoning, finishReason, tokens, usage } = await thinker.answer(question, options);
  assert.equal(text, "");
  assert.equal(usage.reasoningTokens, tokens.length);
  assert.ok(reasoning.length > 0);
  assert.ok(["length", "eos"].includes(finishReason));
});

test('reasoning "off" takes the switch of the template, or forces an empty thought', async () => {
  const shared = { seed: 5, maxTokens: 20, allowedTokens: letters };
  const expect = async (thinker, ids) => {
    const { text } = await thinker.complete(ids, shared);
    const answer = await thinker.answer(question, { ...shared, reasoning: "off" });
    assert.deepEqual([answer.text, answer.reasoning, answer.usage.promptTokens], [text, undefined, ids.length]);
  };
  const switched = await load(templates.qwen3);
  await expect(
    switched,
    await switched.applyTemplate(question, { tokens: true, switches: { enable_thinking: false } }),
  );
  const opened = await load(templates.opened, { names: control });
  const ids = await opened.applyTemplate(question, { tokens: true });
  await expect(opened, [...ids, ...(await opened.tokenize("\n\n</think>\n\n", { special: true }))]);
  assert.ok(ids.includes(idOf("<think>")));
  const mistral = await load(templates.mistral, { names: control });
  const prompt = await mistral.applyTemplate(question, { tokens: true });
  await expect(mistral, [...prompt, ...(await mistral.tokenize("[THINK]\n\n[/THINK]\n\n", { special: true }))]);
  // A template without thoughts has nothing to switch off.
  await expect(model, await model.applyTemplate(question, { tokens: true }));
  await assert.rejects(model.answer(question, { reasoning: "on" }), { code: "conflict", message: /reasoning/ });
});

test("old thoughts leave the conversation as the template removes them", async () => {
  const thinker = await load(templates.qwen3);
  const messages = [
    ...question,
    { role: "assistant", content: "No.", reasoning: "Clouds?" },
    { role: "user", content: "Why?" },
  ];
  const { usage } = await thinker.answer(messages, { maxTokens: 1 });
  const without = messages.map(({ role, content }) => ({ role, content }));
  assert.equal(usage.promptTokens, (await thinker.applyTemplate(without, { tokens: true })).length);
});

test("a second turn computes only the new tokens", async () => {
  const options = { tools, seed: 4, maxTokens: 300 };
  for (const [turn, allowed] of [
    [{ toolChoice: "none", allowedTokens: letters }, "a text"],
    [{ toolChoice: "required", tools: [tools[0]], bannedTokens: [] }, "a call"],
  ]) {
    const first = await model.answer(question, { ...options, ...turn });
    const { id } = first.toolCalls?.[0] ?? {};
    const next = id ? { role: "tool", toolCallId: id, content: "Sun" } : { role: "user", content: "Why?" };
    const { text, toolCalls } = first;
    const messages = [...question, { role: "assistant", content: text, ...(toolCalls && { toolCalls }) }, next];
    const { usage } = await model.answer(messages, { ...options, ...turn, maxTokens: 1 });
    const { promptTokens, completionTokens } = first.usage;
    assert.ok(usage.cachedTokens >= promptTokens + completionTokens - 1, `${allowed}: ${usage.cachedTokens}`);
    assert.ok(usage.cachedTokens < usage.promptTokens);
  }
});

test("leaving and aborting an answer stops the model, which stays usable", async () => {
  const options = { allowedTokens: letters.slice(0, -1), seed: 1 };
  for await (const { text } of model.chat(question, options)) if (text) break;
  const controller = new AbortController();
  const chunks = [];
  for await (const chunk of model.chat(question, { ...options, signal: controller.signal })) {
    chunks.push(chunk);
    controller.abort();
  }
  assert.equal(chunks.at(-1).finishReason, "abort");
  assert.equal((await model.answer(question, { ...options, maxTokens: 3 })).tokens.length, 3);
});

test("bad input throws an error that says what to change, and the model stays usable", async () => {
  const before = structuredClone(question);
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, choice: ["a"] });
  const long = [{ role: "user", content: "a ".repeat(3000) }];
  const thinker = await load(templates.opened);
  for (const [messages, options, expected, one = model] of [
    ["Hello", {}, { name: "TypeError", message: /generate/ }],
    [[], {}, { name: "TypeError" }],
    [[{ role: "user", content: 7 }], {}, { name: "TypeError" }],
    [[{ role: "tool", content: "Sun" }], {}, { name: "TypeError", message: /call/ }],
    [long, {}, { code: "model-context-full" }],
    [question, { tools: [{ name: "a b" }] }, { code: "out-of-range" }],
    [question, { tools: 7 }, { code: "bad-type" }],
    [question, { tools, regex: "a" }, { code: "conflict", message: /regex/ }],
    [question, { tools, grammar }, { code: "conflict", message: /grammar/ }],
    [question, { tools, jsonSchema, toolChoice: "required" }, { code: "conflict", message: /jsonSchema.*toolChoice/ }],
    [question, { tools, jsonSchema, toolChoice: { name: "time" } }, { code: "conflict", message: /toolChoice/ }],
    [question, { tools, regex: "a", toolChoice: "required" }, { code: "conflict", message: /regex/ }],
    [question, { grammar }, { code: "conflict", message: /thought/ }, thinker],
    [question, { toolCalls: { tools } }, { code: "conflict", message: /tools/ }],
    [question, { toolChoice: "required" }, { code: "conflict", message: /tools/ }],
    [question, { tools, toolChoice: { name: "rain" } }, { code: "out-of-range", message: /toolChoice/ }],
    [question, { tools, toolChoice: null }, { code: "out-of-range" }],
    [question, { reasoning: true }, { code: "out-of-range", message: /reasoning/ }],
    [question, { chatTemplate: null }, { code: "bad-type" }],
    [question, { chatTemplate: "{% if %}" }, { code: "template-invalid" }],
    [question, { chatTemplate: '{{ raise_exception("No rain.") }}' }, { message: /No rain\./ }],
    [question, { echo: true }, { code: "conflict", message: /echo/ }],
    [question, { reasonin: "off" }, { code: "unknown-option" }],
    [question, { temperature: -1 }, { code: "out-of-range" }],
    [question, null, { code: "bad-type" }],
  ]) {
    const what = JSON.stringify([messages, options])?.slice(0, 80);
    await assert.rejects(one.answer(messages, options), expected, what);
    await assert.rejects(collect(one.chat(messages, options)), expected, what);
  }
  await assert.rejects((await load("")).answer(question), { code: "template-missing", message: /chatTemplate/ });
  assert.deepEqual(question, before);
  assert.equal((await model.answer(question, { maxTokens: 2, allowedTokens: letters.slice(0, -1) })).tokens.length, 2);
  model.dispose();
  await assert.rejects(model.answer(question), { code: "disposed" });
});

test("calls and thoughts are kept when the answer ends within a character", async () => {
  const byTokens = await load(templates.hermes, { names: control });
  const bytesOf = (text) => Array.from(new TextEncoder().encode(text), (byte) => 3 + byte);
  const half = 3 + 0xc3;
  const written = [
    ...[idOf("<tool_call>"), ...bytesOf('\n{"name": "time", "arguments": {}}\n</tool_call>')],
    ...[byteOf("a"), half],
  ];
  const options = { tools, forcedFirst: written, maxTokens: written.length };
  for (const more of [{}, { beams: 2 }, { stop: "b" }, { beams: 2, stop: "b" }]) {
    const { text, toolCalls = [] } = await byTokens.answer(question, { ...options, ...more, seed: 1 });
    assert.deepEqual([text, toolCalls.map(({ name }) => name)], ["a\ufffd", ["time"]], JSON.stringify(more));
  }
  const thinker = await load(templates.qwen3, { names: control });
  const thought = [idOf("<think>"), ...bytesOf("so"), idOf("</think>"), byteOf("a"), half];
  for (const more of [{}, { beams: 2 }, { stop: "b" }]) {
    const how = { forcedFirst: thought, maxTokens: thought.length, seed: 1, ...more };
    const { text, reasoning } = await thinker.answer(question, how);
    assert.deepEqual([text, reasoning], ["a\ufffd", "so"], JSON.stringify(more));
  }
});
