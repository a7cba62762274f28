// The AI SDK's own functions on our provider: every setting does what it says, and warnings are exact.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  NoObjectGeneratedError,
  NoSuchModelError,
  Output,
  createProviderRegistry,
  generateObject,
  generateText,
  isStepCount,
  jsonSchema,
  parsePartialJson,
  streamText,
  tool,
} from "ai";
import { loadModel } from "lastinch";
import { createLastInch } from "lastinch/ai-sdk";
import { scriptedModel } from "./tiny-gguf.js";

globalThis.AI_SDK_LOG_WARNINGS = false;

const file = (name) => new Blob([readFileSync(new URL(`../../demos/model/${name}.gguf`, import.meta.url))]);
const model = await loadModel(file("storyteller"), { cache: false });
after(() => model.dispose());
const lastinch = createLastInch(model);
const prompt = "Once upon a time";
const write = (options) => generateText({ model: lastinch(), prompt, maxOutputTokens: 40, ...options });

async function expected(options, input = prompt) {
  let text = "";
  for await (const chunk of model.generate(input, { maxTokens: 40, ...options })) text += chunk.text;
  return text;
}

test("settings of the SDK are options of generate, and none of them warns", async () => {
  const settings = {
    temperature: 1.3,
    topP: 0.9,
    topK: 30,
    presencePenalty: 0.4,
    frequencyPenalty: 0.3,
    seed: 11,
    stopSequences: ["zebra"],
  };
  const { text, warnings } = await write(settings);
  const { stopSequences: stop, ...rest } = settings;
  assert.equal(text, await expected({ ...rest, stop }));
  assert.deepEqual(warnings, []);
  // Each of them has an effect: leaving it out changes the text.
  for (const name of ["temperature", "topP", "topK", "presencePenalty", "frequencyPenalty", "seed"])
    assert.notEqual((await write({ ...settings, [name]: undefined })).text, text, name);
});

test("a seed reproduces a text, in one call and as a stream", async () => {
  const [first, second, other] = await Promise.all([7, 7, 8].map((seed) => write({ seed, temperature: 1 })));
  assert.equal(first.text, second.text);
  assert.notEqual(first.text, other.text);
  const streamed = streamText({ model: lastinch(), prompt, maxOutputTokens: 40, seed: 7, temperature: 1 });
  assert.equal(await streamed.text, first.text);
});

test("temperature 0, topK 1 and the least topP are all greedy", async () => {
  const greedy = await expected({ temperature: 0 });
  for (const settings of [{ temperature: 0 }, { topK: 1 }, { topP: 1e-9 }])
    assert.equal((await write({ seed: 1, ...settings })).text, greedy, JSON.stringify(settings));
  assert.notEqual((await write({ seed: 1, temperature: 1 })).text, greedy);
});

test("penalties reduce repetitions", async () => {
  const words = (text) => text.match(/\w+/g) ?? [];
  const options = { temperature: 0, maxOutputTokens: 120 };
  const plain = words((await write(options)).text);
  for (const penalty of ["presencePenalty", "frequencyPenalty"]) {
    const penalised = words((await write({ ...options, [penalty]: 2 })).text);
    assert.ok(new Set(penalised).size / penalised.length > new Set(plain).size / plain.length, penalty);
  }
});

test("the text ends before a stop sequence, with the finish reason stop", async () => {
  const whole = (await write({ temperature: 0 })).text;
  const stop = whole.slice(20, 25);
  const { text, finishReason, rawFinishReason } = await write({ temperature: 0, stopSequences: ["~~", stop] });
  assert.equal(text, whole.slice(0, whole.indexOf(stop)));
  assert.equal(finishReason, "stop");
  assert.equal(rawFinishReason, "stop");
});

test("tokens are counted, and limited", async () => {
  const { usage, finishReason } = await write({ maxOutputTokens: 9 });
  const ids = await model.tokenize(prompt, { bos: true });
  assert.equal(usage.inputTokens, ids.length);
  assert.equal(usage.outputTokens, 9);
  assert.equal(usage.totalTokens, ids.length + 9);
  assert.equal(finishReason, "length");
  const again = (await write({ maxOutputTokens: 9 })).usage;
  assert.equal(again.inputTokenDetails.cacheReadTokens, ids.length - 1);
  assert.equal(again.inputTokenDetails.noCacheTokens, 1);
});

test("the finish reason distinguishes the end of a text from a full context", async () => {
  const { bytes } = scriptedModel({ script: ["O", "k"], context: 32 });
  const short = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  const { text, finishReason, rawFinishReason } = await generateText({
    model: createLastInch(short)(),
    prompt: "O",
    temperature: 0,
  });
  assert.equal(text, "k");
  assert.equal(finishReason, "stop");
  assert.equal(rawFinishReason, "eos");
  short.dispose();
  const endless = await write({
    maxOutputTokens: undefined,
    temperature: 0,
    providerOptions: { lastinch: { bannedTokens: model.vocabulary.eos } },
  });
  assert.equal(endless.finishReason, "length");
  assert.equal(endless.rawFinishReason, "context");
  assert.equal(endless.usage.totalTokens, model.config.contextLength + 1);
});

test("a stream has its parts in order, and the response names the model", async () => {
  const { stream } = await lastinch("my-story").doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    maxOutputTokens: 5,
    seed: 1,
    includeRawChunks: true,
  });
  const parts = await collect(stream);
  const types = parts.map(({ type }) => type);
  const isRaw = (type) => type === "raw";
  assert.equal(types.filter(isRaw).length, 5);
  assert.deepEqual(
    types.filter((type) => !isRaw(type)),
    ["stream-start", "response-metadata", "text-start", ...Array(5).fill("text-delta"), "text-end", "finish"],
  );
  assert.deepEqual(parts[0].warnings, []);
  assert.equal(parts[1].modelId, "my-story");
  const ids = new Set(parts.filter(({ type }) => type.startsWith("text")).map(({ id }) => id));
  assert.equal(ids.size, 1);
  assert.equal(lastinch().modelId, model.config.name);
});

async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test("an abort ends a text and a stream, and the model stays usable", async () => {
  const controller = new AbortController();
  const { fullStream } = streamText({ model: lastinch(), prompt, seed: 1, abortSignal: controller.signal });
  let count = 0;
  const types = [];
  for await (const { type } of fullStream) {
    types.push(type);
    if (type === "text-delta" && ++count === 3) controller.abort();
  }
  assert.equal(types.at(-1), "abort");
  assert.ok(count < 40, `${count} pieces came`);
  const late = new AbortController();
  const providerOptions = { lastinch: { bannedTokens: model.vocabulary.eos } }; // so that it lasts longer
  const text = generateText({ model: lastinch(), prompt, abortSignal: late.signal, providerOptions });
  setTimeout(() => late.abort(), 5);
  await assert.rejects(text, { name: "AbortError" });
  await assert.rejects(write({ abortSignal: AbortSignal.abort() }), { name: "AbortError" });
  const never = createLastInch(() => new Promise(() => {}));
  const hasty = new AbortController();
  setTimeout(() => hasty.abort(), 5);
  await assert.rejects(write({ model: never(), abortSignal: hasty.signal }), { name: "AbortError" });
  assert.equal((await write({ temperature: 0 })).text, await expected({ temperature: 0 }));
});

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 12 },
    age: { type: "integer", minimum: 1, maximum: 99 },
    mood: { enum: ["glad", "sad"] },
  },
  required: ["name", "age", "mood"],
  additionalProperties: false,
};

/** @param {any} value */
function isPerson(value) {
  const { name, age, mood, ...rest } = value;
  return (
    name.length > 0 &&
    [...name].length <= 12 &&
    Number.isInteger(age) &&
    age > 0 &&
    age < 100 &&
    ["glad", "sad"].includes(mood) &&
    !Object.keys(rest).length
  );
}

test("output with a schema satisfies the schema, for any seed", async () => {
  for (let seed = 0; seed < 10; seed++) {
    const output = Output.object({ schema: jsonSchema(person) });
    const result = await write({ output, seed, temperature: 1.5, maxOutputTokens: 200 });
    assert.ok(isPerson(result.output), result.text);
    assert.equal(result.finishReason, "stop");
    assert.deepEqual(result.warnings, []);
  }
  const { object } = await generateObject({ model: lastinch(), prompt, schema: jsonSchema(person), seed: 3 });
  assert.ok(isPerson(object));
  const choice = await write({ output: Output.choice({ options: ["cat", "dog"] }), seed: 1 });
  assert.match(choice.output, /^(cat|dog)$/);
});

test("an object is streamed as it is written", async () => {
  const output = Output.object({ schema: jsonSchema(person) });
  const result = streamText({ model: lastinch(), prompt, output, seed: 2 });
  const partial = await collect(result.partialOutputStream);
  assert.ok(partial.length > 1);
  assert.deepEqual(partial.at(-1), await result.output);
  assert.ok(isPerson(partial.at(-1)));
});

/**
 * Whether what streamObject is certain of is so in the SDK's guess, too: texts begin alike, all else is equal.
 * @param {any} certain @param {any} guess
 */
function agrees(certain, guess) {
  if (certain === undefined) return true;
  if (typeof certain === "string") return typeof guess === "string" && guess.startsWith(certain);
  if (typeof certain !== "object" || certain === null) return Object.is(certain, guess);
  return (
    Array.isArray(certain) === Array.isArray(guess) &&
    Object.keys(certain).every((key) => Object.hasOwn(guess, key) && agrees(certain[key], guess[key]))
  );
}

test("the SDK's partial objects agree with those of streamObject, wherever the latter are certain", async () => {
  const schema = {
    ...person,
    properties: {
      ...person.properties,
      friends: { type: "array", items: { ...person, required: ["name"] }, minItems: 2, maxItems: 3 },
      isTall: { type: "boolean" },
      height: { type: ["number", "null"], maximum: 2, minimum: -2, multipleOf: 0.001 },
    },
    required: [...person.required, "friends", "isTall", "height"],
  };
  let guesses = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const result = streamText({
      model: lastinch(),
      prompt,
      output: Output.object({ schema: jsonSchema(schema) }),
      seed,
    });
    const partial = await collect(result.partialOutputStream);
    const expected = [];
    let text = "";
    for await (const item of model.streamObject(prompt, { jsonSchema: schema, seed })) {
      text += item.text;
      const { value } = await parsePartialJson(text);
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(expected.at(-1))) expected.push(value);
      assert.ok(agrees(item.value, value), `${JSON.stringify(item.value)} but ${JSON.stringify(value)} in ${text}`);
      // The SDK shows numbers and characters before they are whole.
      guesses += agrees(value, item.value) ? 0 : 1;
      if (item.finishReason) assert.deepEqual(item.value, value);
    }
    assert.equal(text, await result.text);
    assert.deepEqual(partial, expected);
  }
  assert.ok(guesses > 10, `${guesses} guesses`);
});

test("JSON without a schema is any JSON", async () => {
  for (let seed = 0; seed < 5; seed++) {
    const { text, finishReason } = await write({ output: Output.json(), seed, maxOutputTokens: 300 }).catch((error) => {
      assert.ok(NoObjectGeneratedError.isInstance(error) && error.finishReason === "length", error);
      return error;
    });
    if (finishReason === "stop") JSON.parse(text);
  }
});

test("keywords that cannot be enforced give a warning, and the other keywords hold", async () => {
  const schema = jsonSchema({
    ...person,
    properties: { ...person.properties, name: { type: "string", maxLength: 8, pattern: "(a)\\1" } },
  });
  const { warnings, output } = await write({ output: Output.object({ schema }), seed: 1, maxOutputTokens: 200 });
  assert.equal(warnings.length, 1);
  assert.equal(warnings[0].type, "unsupported");
  assert.equal(warnings[0].feature, "responseFormat");
  assert.match(warnings[0].details, /^\/properties\/name\/pattern: /);
  assert.ok([...output.name].length <= 8);
});

const weather = {
  weather: tool({
    description: "The weather of a city",
    inputSchema: jsonSchema({
      type: "object",
      properties: { city: { $ref: "#/$defs/city" } },
      required: ["city"],
      additionalProperties: false,
      $defs: { city: { type: "string", minLength: 3, maxLength: 3 } },
    }),
    execute: async ({ city }) => `Sun over ${city}.`,
  }),
  time: tool({ inputSchema: jsonSchema({ type: "object", properties: {}, additionalProperties: false }) }),
};
const long = { maxOutputTokens: 200 };
const blind = {
  type: "unsupported",
  feature: "descriptions of tools",
  details: "The model has no chat template: it sees none, and calls one blindly.",
};

test("a tool that must be called is called, with arguments that fit, by any model", async () => {
  for (let seed = 0; seed < 5; seed++) {
    const { toolCalls, text, finishReason, warnings } = await write({
      ...long,
      tools: weather,
      toolChoice: "required",
      seed,
    });
    assert.equal(toolCalls.length, 1);
    assert.ok(toolCalls[0].toolName in weather);
    assert.ok(!toolCalls[0].invalid);
    assert.equal(text, "");
    assert.equal(finishReason, "tool-calls");
    assert.deepEqual(warnings, [blind]);
  }
  const toolChoice = { type: "tool", toolName: "weather" };
  const { toolCalls, toolResults } = await write({ ...long, tools: weather, toolChoice, seed: 1 });
  assert.equal(toolCalls[0].toolName, "weather");
  assert.equal(toolCalls[0].input.city.length, 3);
  assert.equal(toolResults[0].output, `Sun over ${toolCalls[0].input.city}.`);
});

test("a model without a template writes without tools, with a warning", async () => {
  const { text, toolCalls, warnings } = await write({ tools: weather, temperature: 0 });
  assert.equal(text, await expected({ temperature: 0 }));
  assert.deepEqual(toolCalls, []);
  assert.deepEqual(warnings, [
    {
      type: "unsupported",
      feature: "tools",
      details: "The model has no chat template: it does not know of them, and calls none.",
    },
  ]);
  const none = await write({ tools: weather, toolChoice: "none", temperature: 0 });
  assert.equal(none.text, text);
  assert.deepEqual(none.warnings, []);
});

test("calls have the form of the template; without a place for tools the first message describes them", async () => {
  const listed = createLastInch(model, {
    chatTemplate: "{{ messages[0].content }}{% if tools %}{{ tools | tojson }}[TOOL_CALLS]{% endif %}",
  });
  const bare = createLastInch(model, { chatTemplate: "{{ messages[0].content }}" });
  for (const [provider, wrapper] of [
    [listed, '[TOOL_CALLS][{"name": "'],
    [bare, '{"name": "'],
  ]) {
    const raw = [];
    const options = { ...long, model: provider(), tools: weather, toolChoice: "required", seed: 1 };
    const result = streamText({ prompt, ...options, includeRawChunks: true });
    for await (const part of result.fullStream) if (part.type === "raw") raw.push(part.rawValue.text);
    assert.equal((await result.toolCalls).length, 1);
    assert.deepEqual(await result.warnings, []);
    assert.ok(raw.join("").startsWith(wrapper), raw.join(""));
  }
  const tokens = async (options) => (await write({ model: bare(), maxOutputTokens: 1, ...options })).usage.inputTokens;
  assert.ok((await tokens({ tools: weather })) > (await tokens({})) + 20);
});

const template =
  "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}" +
  '{% if tools %}{{ tools | tojson }} <tool_call>{"name": .., "arguments": ..}</tool_call>{% endif %}' +
  "{% if add_generation_prompt %}{{ bos_token }}{% endif %}";

test("a model calls tools within its text, with a trigger of ordinary text or of a special token", async () => {
  const script = ["Hi ", "<tool_call>"];
  for (const isControl of [false, true]) {
    const count = 3 + 256 + script.length;
    const types = Array.from({ length: count }, (_, id) => (id < 3 ? 3 : id < 259 ? 6 : 1));
    if (isControl) types[count - 1] = 3;
    const extra = {
      "tokenizer.chat_template": ["string", template],
      "tokenizer.ggml.token_type": ["int32", types],
    };
    const { bytes } = scriptedModel({ script, extra, context: 1024 });
    const caller = await loadModel(new Blob([bytes]), { cache: false, worker: false });
    const options = { model: createLastInch(caller)(), prompt: "Rain?", tools: weather, temperature: 0 };
    const { text, toolCalls, warnings, finishReason } = await generateText(options);
    assert.equal(text, "Hi ");
    assert.equal(toolCalls.length, 1);
    assert.deepEqual([toolCalls[0].toolName, toolCalls[0].input], ["time", {}]);
    assert.equal(finishReason, "tool-calls");
    assert.deepEqual(warnings, []);
    const all = (await collect(streamText(options).fullStream)).map(({ type }) => type);
    const inner = all.filter((type) => /^(text|tool)/.test(type)).filter((type, i, kinds) => type !== kinds[i - 1]);
    assert.deepEqual(inner, [
      "text-start",
      "text-delta",
      "text-end",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
    ]);
    // With JSON and tools together, an answer is one or the other.
    for (let seed = 0; seed < 4; seed++) {
      const output = Output.object({ schema: jsonSchema(person) });
      const either = await generateText({ ...options, output, seed, temperature: 5 });
      if (either.finishReason === "tool-calls") assert.ok(either.toolCalls.length > 0);
      else assert.ok(isPerson(either.output), either.text);
    }
    caller.dispose();
  }
});

test("thoughts come as reasoning, in the result, in the stream and in the token counts", async () => {
  const chatTemplate =
    "{% for message in messages %}{{ message.content.split('</think>')[-1] }}{% endfor %}" +
    "{% if add_generation_prompt %}<think>\n{% endif %}";
  const thinker = createLastInch(model, { chatTemplate })();
  const options = { model: thinker, temperature: 0, reasoning: "provider-default" };
  const thought = await write({ ...options, maxOutputTokens: 30 });
  assert.equal(thought.text, "");
  assert.ok(thought.reasoningText.length > 20);
  assert.equal(thought.usage.outputTokenDetails.reasoningTokens, 30);
  const types = (await collect(streamText({ ...options, prompt, maxOutputTokens: 9 }).fullStream)).map(
    ({ type }) => type,
  );
  assert.deepEqual(
    types.filter((type, i) => /^(reasoning|text)/.test(type) && type !== types[i - 1]),
    ["reasoning-start", "reasoning-delta", "reasoning-end"],
  );
  const quiet = await write({ ...options, reasoning: "none" });
  assert.equal(quiet.reasoningText, undefined);
  assert.ok(quiet.text.length > 20);
  const degrees = /** @type {const} */ ([
    ["minimal", 128],
    ["high", Infinity],
    ["xhigh", Infinity],
  ]);
  for (const [reasoning, budget] of degrees) {
    const providerOptions = { lastinch: { bannedTokens: model.vocabulary.eos } };
    const { text, reasoningText, usage, warnings } = await write({
      ...options,
      ...{ temperature: 1, seed: 2 },
      reasoning,
      maxOutputTokens: 200,
      providerOptions,
    });
    assert.deepEqual(warnings, []);
    assert.equal(text === "", budget === Infinity, reasoning);
    const { reasoningTokens } = usage.outputTokenDetails;
    if (budget === Infinity) assert.equal(reasoningTokens, usage.outputTokens);
    else assert.ok(reasoningTokens > budget && reasoningTokens < budget + 20, `${reasoningTokens}`);
    assert.ok(reasoningText.length > 200);
  }
  const own = { providerOptions: { lastinch: { reasoning: { budget: 5, message: " Enough." } } } };
  const limited = await write({ ...options, ...own, maxOutputTokens: 40 });
  assert.match(limited.reasoningText, /^.* Enough\.$/s);
  assert.ok(limited.text.length > 20);
  await assert.rejects(write({ ...options, ...own, reasoning: "low" }), { code: "conflict" });
  await assert.rejects(write({ ...options, providerOptions: { lastinch: { reasoning: { budget: 0 } } } }), {
    code: "out-of-range",
  });
});

test("a call that maxTokens cuts off is not a call", async () => {
  const { stream } = await lastinch().doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    tools: [{ type: "function", name: "weather", inputSchema: person }],
    toolChoice: { type: "required" },
    maxOutputTokens: 40,
    seed: 1,
  });
  const types = (await collect(stream)).map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
  const call = ["tool-input-start", "tool-input-delta", "tool-input-end"];
  assert.deepEqual(types, ["stream-start", "response-metadata", ...call, "finish"]);
  // Before the name of the tool is known, nothing of the call is reported.
  const begun = await lastinch().doGenerate({
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    tools: [{ type: "function", name: "weather", inputSchema: person }],
    ...{ toolChoice: { type: "required" }, maxOutputTokens: 2, seed: 1 },
  });
  assert.deepEqual([begun.content, begun.finishReason.unified], [[], "length"]);
});

test("calls and their results go back to the model", async () => {
  const result = await write({
    ...long,
    tools: weather,
    toolChoice: { type: "tool", toolName: "weather" },
    seed: 1,
    stopWhen: isStepCount(2),
  });
  assert.equal(result.steps.length, 2);
  const [{ toolCalls, toolResults }, { usage }] = result.steps;
  const call = JSON.stringify({ name: "weather", arguments: toolCalls[0].input });
  const ids = await model.tokenize([prompt, call, toolResults[0].output].join("\n"), { bos: true });
  assert.equal(usage.inputTokens, ids.length);
});

test("providerOptions carries further options, and they are checked", async () => {
  const options = { temperature: 1.5, seed: 4 };
  const { text } = await write({ ...options, providerOptions: { lastinch: { minP: 0.2 } } });
  assert.equal(text, await expected({ ...options, minP: 0.2 }));
  assert.notEqual(text, (await write(options)).text);
  const refused = (lastinch, pattern) =>
    assert.rejects(write({ ...options, providerOptions: { lastinch } }), { name: "TypeError", message: pattern });
  await refused({ minp: 0.1 }, /minP/);
  await refused({ n: 2 }, /\bn\b/);
  await refused({ seed: 5 }, /\bseed\b/);
});

test("unreadable input is an error, an unsupported setting a warning", async () => {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "file", data: Uint8Array.of(137, 80, 78, 71), mediaType: "image/png" },
  ];
  await assert.rejects(write({ prompt: undefined, messages: [{ role: "user", content }] }), {
    name: "TypeError",
    code: "bad-type",
    message: /image\/png/,
  });
  const { warnings } = await write({ reasoning: "high", maxOutputTokens: 1 });
  assert.deepEqual(warnings, [
    { type: "unsupported", feature: "reasoning", details: "The model answers without thinking first." },
  ]);
  await assert.rejects(write({ temperature: -1 }), { name: "RangeError" });
  const named = { 'a"b': tool({ inputSchema: jsonSchema({ type: "object" }) }) };
  await assert.rejects(write({ tools: named, toolChoice: "required" }), { name: "RangeError", code: "out-of-range" });
  assert.throws(() => createLastInch("storyteller.gguf"), { name: "TypeError", code: "bad-type" });
  assert.throws(() => createLastInch(model, { chattemplate: "" }), { code: "unknown-option" });
});

test("a function loads the model of an id once, and a registry finds it", async () => {
  const asked = [];
  const provider = createLastInch(async (id) => {
    asked.push(id);
    if (id === "lost" && asked.length < 4) throw new Error("no such file");
    return id === "draft" ? loadModel(file("draft"), { cache: false, worker: false }) : model;
  });
  const registry = createProviderRegistry({ lastinch: provider });
  const options = { prompt, temperature: 0, maxOutputTokens: 20 };
  const [a, b] = await Promise.all(
    ["draft", "draft"].map((id) => generateText({ model: registry.languageModel(`lastinch:${id}`), ...options })),
  );
  assert.equal(a.text, b.text);
  assert.notEqual(a.text, await expected({ temperature: 0, maxTokens: 20 }));
  assert.deepEqual(asked, ["draft"]);
  // A failed load is tried again.
  const lost = () => generateText({ model: provider("lost"), ...options, maxRetries: 0 });
  await assert.rejects(lost(), /no such file/);
  asked.push("");
  assert.equal((await lost()).text, await expected({ temperature: 0, maxTokens: 20 }));
  for (const error of [
    errorOf(() => registry.embeddingModel("lastinch:x")),
    errorOf(() => provider.imageModel("x")),
    await generateText({ model: createLastInch(() => undefined)("x"), prompt }).catch((refusal) => refusal),
  ]) {
    assert.ok(NoSuchModelError.isInstance(error), error);
    assert.equal(error.modelId, "x");
  }
});

function errorOf(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
}

test("wrong options reject doStream; a later error is a part of the stream, which onError gets", async () => {
  const call = { prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }] };
  await assert.rejects(lastinch().doStream({ ...call, temperature: -1 }), { name: "RangeError", code: "out-of-range" });
  await assert.rejects(lastinch().doStream({ ...call, providerOptions: { lastinch: { minp: 1 } } }), {
    code: "unknown-option",
  });
  const doomed = await loadModel(file("storyteller"), { cache: false, worker: false });
  const errors = [];
  const { fullStream, finishReason } = streamText({
    model: createLastInch(doomed)(),
    prompt,
    onError: ({ error }) => errors.push(error),
  });
  const kinds = [];
  for await (const { type } of fullStream) {
    kinds.push(type);
    if (type === "text-delta" && kinds.length > 5) doomed.dispose();
  }
  assert.deepEqual(
    errors.map(({ code }) => code),
    ["disposed"],
  );
  assert.ok(kinds.includes("text-delta") && kinds.includes("error"));
  assert.equal(await finishReason, "error");
});

test("a warning says that a schema has no place beside a required call, or a misspelt keyword no effect", async () => {
  const responseFormat = { type: "json", schema: { type: "object", propertys: {} } };
  const call = {
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    maxOutputTokens: 40,
    responseFormat,
  };
  const functions = [{ type: "function", name: "time", inputSchema: { type: "object", additionalProperties: false } }];
  const forced = await lastinch().doGenerate({ ...call, tools: functions, toolChoice: { type: "required" } });
  assert.ok(
    forced.warnings.some(
      ({ feature, details }) => feature === "responseFormat" && /A tool must be called/.test(details),
    ),
  );
  const { warnings } = await lastinch().doGenerate(call);
  assert.equal(warnings.length, 1);
  assert.equal(warnings[0].type, "other");
  assert.match(warnings[0].message, /^\/propertys: .*\bproperties\b/);
});
