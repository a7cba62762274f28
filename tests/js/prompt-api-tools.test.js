// Tools and thoughts of the Prompt API: a session does what a page would do that calls model.chat itself.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { createLanguageModel } from "lastinch/prompt-api";
import * as templates from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const control = ["<|im_start|>", "<|im_end|>", "<tool_call>", "<think>", "</think>"];
const bytes = vocabularyOf([]);
const idOf = (name) => bytes.length + control.indexOf(name);
const byteOf = (text) => 3 + text.charCodeAt(0);

async function load(template, { context = 8192 } = {}) {
  const vocabulary = [...bytes, ...control.map((name) => [name, 0, 3])];
  const extra = { ...(template && { "tokenizer.chat_template": ["string", template] }) };
  const file = randomModel({ vocabulary, extra, context });
  const model = await loadModel(new Blob([file]), { cache: false, worker: false });
  after(() => model.dispose());
  return model;
}

const caller = await load(templates.hermes);
/** A model whose call is a JSON object that is the whole answer. */
const wholeCaller = await load(templates.llama3);
/** Biases with which some answers call once, some often, and some not at all. */
const likes = { [idOf("<tool_call>")]: 10, [byteOf("a")]: 10, [idOf("<|im_end|>")]: 6, 2: 6 };
const hot = { temperature: 2, topK: 300 };
const inputSchema = {
  type: "object",
  properties: { city: { type: "string", minLength: 2, maxLength: 4 } },
  required: ["city"],
  additionalProperties: false,
};
const expectedOutputs = [{ type: "text" }, { type: "tool-call" }];
const expectedInputs = [{ type: "text" }, { type: "tool-response" }];

/** @param {(input: any) => any} execute */
const weather = (execute) => ({ name: "weather", description: "The weather of a city.", inputSchema, execute });
const report = ({ city }) => `Sun in ${city.length} letters`;

/** What a page with its own loop does. undefined: an answer was cut off. */
async function expected(model, messages, options) {
  const tools = [{ name: "weather", description: "The weather of a city.", parameters: inputSchema }];
  let [text, count] = ["", 0];
  for (;;) {
    const answer = await model.answer(messages, { tools, ...hot, ...options });
    const { reasoning, toolCalls, finishReason } = answer;
    if (finishReason === "length") return undefined;
    text += answer.text;
    if (!toolCalls) return { text, count, messages: [...messages, { role: "assistant", content: answer.text }] };
    count += toolCalls.length;
    messages = [...messages, { role: "assistant", content: answer.text, reasoning, toolCalls }];
    for (const call of toolCalls) messages.push({ role: "tool", toolCallId: call.id, content: report(call.arguments) });
  }
}

test("a session runs the model's tools and gives it the results, as a page with model.chat would", async () => {
  const counts = [];
  for (let seed = 1; seed <= 10; seed++) {
    const generate = { seed, logitBias: likes, maxTokens: 250 };
    const wanted = await expected(caller, [{ role: "user", content: "Will it rain?" }], generate);
    if (!wanted) continue;
    const got = [];
    const tool = weather(async (input) => {
      got.push(input);
      return report(input);
    });
    const LanguageModel = createLanguageModel(caller, { generate });
    const session = await LanguageModel.create({ ...hot, tools: [tool], expectedInputs, expectedOutputs });
    assert.equal(await session.prompt("Will it rain?"), wanted.text);
    assert.equal(got.length, wanted.count);
    for (const { city, ...rest } of got) {
      assert.ok([...city].length >= 2 && [...city].length <= 4);
      assert.deepEqual(rest, {});
    }
    counts.push(got.length);
    // Calls and results stay in the conversation.
    const options = { tools: [{ name: "weather", description: tool.description, parameters: inputSchema }] };
    const { length } = await caller.applyTemplate(wanted.messages, {
      ...options,
      tokens: true,
      addGenerationPrompt: false,
    });
    assert.equal(session.contextUsage, length);
    const copy = await (await LanguageModel.create({ ...hot, tools: [tool], expectedOutputs })).clone();
    const pieces = [];
    for await (const piece of copy.promptStreaming("Will it rain?")) pieces.push(piece);
    assert.equal(pieces.join(""), wanted.text);
  }
  assert.ok(counts.includes(0) && counts.some((count) => count > 1), String(counts));
});

/** A session whose model calls at once, and what rejects its prompt. */
async function failureOf(execute, { signal, model = wholeCaller, ...more } = {}) {
  const generate = { seed: 1, maxTokens: 400, logitBias: { [byteOf("{")]: 60, [idOf("<tool_call>")]: 60 }, ...more };
  const session = await createLanguageModel(model, { generate }).create({
    tools: [weather(execute)],
    expectedOutputs,
  });
  const error = await session.prompt("Well?", { signal }).catch((error) => error);
  assert.equal(session.contextUsage, 0);
  return { error, session };
}

test("the calls of one answer run at the same time", async () => {
  const generate = { maxTokens: 400, logitBias: likes };
  let [running, most] = [0, 0];
  const execute = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    return "Sun";
  };
  for (let seed = 1; seed <= 12 && most < 2; seed++) {
    const LanguageModel = createLanguageModel(caller, { generate: { ...generate, seed } });
    const session = await LanguageModel.create({ ...hot, tools: [weather(execute)], expectedOutputs });
    await session.prompt("Well?");
  }
  assert.ok(most >= 2);
});

test("an error of a tool, or a result that is not text, rejects the prompt, which is then forgotten", async () => {
  const down = new Error("The service is down.");
  for (const execute of [
    async () => Promise.reject(down),
    () => {
      throw down;
    },
  ])
    // prettier-ignore
    assert.equal((await failureOf(execute)).error, down);
  for (const value of [undefined, null, { rain: true }, ["no"]]) {
    const { error } = await failureOf(() => value);
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /weather.*JSON\.stringify/);
  }
});

test("a tool that never answers does not hold up a session whose prompt is aborted", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const { error, session } = await failureOf(
    () => {
      controller.abort(reason);
      return new Promise(() => {});
    },
    { signal: controller.signal },
  );
  assert.equal(error, reason);
  await session.append("Later.");
  assert.ok(session.contextUsage > 0);
});

test("endless calls, and a call that is cut off, reject the prompt", async () => {
  let count = 0;
  const always = await failureOf(() => String(++count));
  assert.equal(always.error.name, "UnknownError", String(always.error));
  assert.match(always.error.message, /\b16\b/);
  assert.equal(count, 16);
  // Even before the name of the tool is complete.
  for (const [model, maxTokens] of /** @type {const} */ ([
    [caller, 50],
    [caller, 5],
    [wholeCaller, 5],
  ])) {
    const { error } = await failureOf(() => "Sun", { model, maxTokens });
    assert.equal(error.name, "UnknownError");
    assert.match(error.message, /cut off/);
  }
});

test("beside tools a JSON Schema holds for the answer, and a RegExp is refused", async () => {
  const schema = { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 2 };
  let called = 0;
  const tools = [weather(() => String(++called))];
  for (let seed = 1; seed <= 10; seed++) {
    const LanguageModel = createLanguageModel(wholeCaller, {
      generate: { seed, maxTokens: 400, logitBias: { [byteOf("[")]: 4 } },
    });
    const session = await LanguageModel.create({ ...hot, tools, expectedOutputs });
    const answer = await session.prompt("Is it so?", { responseConstraint: schema });
    assert.ok(JSON.parse(answer).every((item) => typeof item === "boolean"));
    await assert.rejects(session.prompt("a", { responseConstraint: /a/ }), {
      name: "NotSupportedError",
      message: /RegExp/,
    });
  }
  assert.ok(called > 0);
});

test("tools are checked when a session is created", async () => {
  const LanguageModel = createLanguageModel(caller);
  const first = weather(report);
  const good = { ...first, name: "rain" };
  const cyclic = { type: "object", properties: {} };
  cyclic.properties.self = cyclic;
  const refused = /** @type {[any, RegExp][]} */ ([
    [{ ...good, name: "" }, /\bname\b/],
    [{ ...good, name: undefined }, /\bname\b/],
    [{ ...good, description: "" }, /rain.*description/],
    [{ ...good, inputSchema: undefined }, /inputSchema.*rain/],
    [{ ...good, inputSchema: null }, /inputSchema.*rain/],
    [{ ...good, inputSchema: "text" }, /inputSchema.*rain/],
    [{ ...good, inputSchema: {} }, /type: "object"/],
    [{ ...good, inputSchema: { type: "string" } }, /type: "object"/],
    [{ ...good, inputSchema: { properties: { a: { type: "string" } } } }, /type: "object"/],
    [{ ...good, inputSchema: { type: "object", properties: "a" } }, /properties/],
    [{ ...good, inputSchema: { type: "object", required: "a" } }, /required/],
    [{ ...good, inputSchema: cyclic }, /contains itself/],
    [{ ...good, execute: undefined }, /rain.*execute/],
    [null, /\bname\b/],
  ]);
  for (const [tool, message] of refused)
    for (const call of ["create", "availability"])
      await assert.rejects(
        LanguageModel[call]({ tools: [first, tool], expectedOutputs }),
        (/** @type {any} */ error) => {
          assert.ok(error instanceof TypeError, String(error));
          assert.match(error.message, message);
          return true;
        },
      );
  await assert.rejects(LanguageModel.create({ tools: [good, good], expectedOutputs }), TypeError);
  for (const outputs of [undefined, [], [{ type: "text" }]])
    await assert.rejects(LanguageModel.create({ tools: [good], expectedOutputs: outputs }), {
      name: "TypeError",
      message: /tool-call/,
    });
  const broken = new Error("broken");
  const throwing = { type: "object", properties: {}, get title() { throw broken; } }; // prettier-ignore
  await assert.rejects(LanguageModel.create({ tools: [{ ...good, inputSchema: throwing }], expectedOutputs }), broken);
  // A schema that no grammar can enforce is refused before the first prompt.
  const inputSchema = {
    type: "object",
    properties: { city: { type: "string", pattern: "(a)\\1" } },
    required: ["city"],
  };
  await assert.rejects(LanguageModel.create({ tools: [{ ...good, inputSchema }], expectedOutputs }), {
    name: "NotSupportedError",
  });
  const untold = createLanguageModel(caller, { chatTemplate: null });
  await assert.rejects(untold.create({ tools: [good], expectedOutputs }), { name: "NotSupportedError" });
  assert.equal(await untold.availability({ tools: [good], expectedOutputs }), "unavailable");
  assert.equal(await LanguageModel.availability({ tools: [good], expectedOutputs }), "available");
  // Later changes to the tool have no effect.
  const changed = weather(report);
  const tools = [changed];
  const session = await LanguageModel.create({ tools, expectedInputs, expectedOutputs });
  const usage = await session.measureContextUsage("a");
  changed.description = changed.name = "another";
  tools.length = 0;
  assert.equal(await session.measureContextUsage("a"), usage);
});

test("parts of messages that are calls or results of tools are refused", async () => {
  const session = await createLanguageModel(caller).create();
  for (const type of ["tool-call", "tool-response"])
    await assert.rejects(session.prompt([{ role: "user", content: [{ type, value: {} }] }]), {
      name: "NotSupportedError",
      message: /execute/,
    });
  await assert.rejects(session.prompt([{ role: "user", content: [{ type: "soup", value: "" }] }]), TypeError);
});

test("thinking says whether the model thinks before it answers", async () => {
  const thinker = await load(templates.qwen3);
  const generate = { seed: 3, maxTokens: 60, logitBias: { [idOf("<think>")]: 30, [idOf("</think>")]: 6, 2: 6 } };
  const LanguageModel = createLanguageModel(thinker, { generate });
  const question = [{ role: "user", content: "Yes?" }];
  const how = { ...generate, temperature: 0.8, topK: 40, loops: "ignore" };
  for (const [thinking, reasoning] of /** @type {const} */ ([
    [{ effort: "none" }, "off"],
    [{ effort: "low" }, { budget: 512 }],
    [{ effort: "medium" }, { budget: 2048 }],
    [{ effort: "high", includeThoughts: false }, "on"],
    [{}, undefined],
    [undefined, undefined],
  ])) {
    assert.equal(await LanguageModel.availability({ thinking }), "available");
    const session = await LanguageModel.create({ thinking });
    const answer = await thinker.answer(question, { ...how, ...(reasoning && { reasoning }) });
    assert.equal(await session.prompt("Yes?"), answer.text);
    assert.equal(Boolean(answer.reasoning), reasoning !== "off");
  }
  // Without an end of its own, a thought of low effort ends by its budget.
  const endless = {
    ...generate,
    maxTokens: 540,
    logitBias: { [idOf("<think>")]: 90, [idOf("</think>")]: -90, 2: -90 },
  };
  const Endless = createLanguageModel(thinker, { generate: endless });
  for (const effort of /** @type {const} */ (["low", "high"])) {
    const session = await Endless.create({ thinking: { effort } });
    assert.equal((await session.prompt("Yes?")) === "", effort === "high");
  }
  const Plain = createLanguageModel(caller);
  const refused = { name: "NotSupportedError", message: /effort.*"none"/ };
  await assert.rejects(Plain.create({ thinking: { effort: "low" } }), refused);
  assert.equal(await Plain.availability({ thinking: { effort: "low" } }), "unavailable");
  await (await Plain.create({ thinking: { effort: "none" } })).destroy();
  await assert.rejects(LanguageModel.create({ thinking: { includeThoughts: true } }), { name: "NotSupportedError" });
  await assert.rejects(LanguageModel.create({ thinking: { effort: "wild" } }), TypeError);
});

test("options of the class and of the model's template are checked before the first prompt", async () => {
  for (const [generate, message] of /** @type {[any, RegExp][]} */ ([
    [{ temperature: 1 }, /temperature.*session/],
    [{ top_k: 4 }, /topK.*session/],
    [{ n: 2 }, /\bn: .*session/],
    [{ jsonSchema: {} }, /jsonSchema/],
    [{ signal: AbortSignal.abort() }, /signal/],
    [{ temprature: 1 }, /temprature/],
  ]))
    assert.throws(() => createLanguageModel(caller, { generate }), { name: "TypeError", message });
  const creating = (settings) => createLanguageModel(caller, settings).create();
  await assert.rejects(creating({ generate: { minP: 2 } }), { code: "out-of-range" });
  await assert.rejects(creating({ generate: { stop: 7 } }), { code: "bad-type" });
  await assert.rejects(creating({ chatTemplate: "{% if %}" }), { name: "OperationError" });
});
