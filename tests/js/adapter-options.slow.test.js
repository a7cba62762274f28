// Every spelling of every option, in every adapter: an adapter that reads an option reads all of its names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { InferenceSession, Tensor, env } from "onnxruntime-web";
import { after, test } from "node:test";
import { createSampler, loadModel } from "lastinch";
import { createLastInch } from "lastinch/ai-sdk";
import { openSession, vocabularyOf } from "lastinch/onnxruntime";
import { createOpenAI } from "lastinch/openai";
import { createLanguageModel } from "lastinch/prompt-api";
import { createTransformersSampler } from "lastinch/transformers";
import { createLogitProcessor } from "lastinch/web-llm";
import { generateTable } from "../../web/decode/generate-option-table.js";
import { optionTable } from "../../web/sampler/option-table.js";
import * as templates from "./chat-templates.js";
import { openPeer } from "./onnx-tools.js";
import { randomModel, vocabularyOf as bytesAnd } from "./tiny-gguf.js";

env.wasm.numThreads = 1;
env.logLevel = "error";

const control = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>"];
const idOf = (name) => bytesAnd([]).length + control.indexOf(name);
const byteOf = (text) => 3 + text.charCodeAt(0);

async function load(template) {
  const vocabulary = [...bytesAnd([]), ...control.map((name) => [name, 0, 3])];
  const extra = { "tokenizer.chat_template": ["string", template] };
  const file = randomModel({ vocabulary, extra, context: 1024 });
  const model = await loadModel(new Blob([file]), { cache: false, worker: false });
  after(() => model.dispose());
  return model;
}

const model = await load(templates.hermes);
const peer = await openPeer("draft");
const folder = `${peer.folder.models}${peer.folder.name}/onnx/`;
const inference = await InferenceSession.create(readFileSync(`${folder}model.onnx`));
after(() => inference.release());
const session = openSession(inference, { Tensor, vocabulary: vocabularyOf(peer), contextLength: 512 });
const row = Float32Array.from({ length: model.config.vocabSize }, (_, id) => Math.sin(id * 7) * 4);

/** A value of each option that has aliases, and what else the option needs. */
const samples = {
  maxTokens: [3],
  stop: [["a", "b", "c", "d", "e", "f"]],
  captureLogits: [true],
  bannedStrings: [["a", "bc"]],
  jsonSchema: [{ enum: ["x", "y"] }],
  regex: ["[ab]+c"],
  choice: [["yes", "no"]],
  ebnf: ['root ::= "yes" | "no"'],
  toolCalls: [{ tools: [{ name: "now" }] }],
  structuralTags: [{ triggers: ["<a"], tags: [{ begin: "<a>", regex: "[bc]+", end: "</a>" }] }],
  n: [2],
  pLess: ["normalised"],
  draft: ["lookup"],
  draftTokens: [2, { draft: "lookup" }],
  captureDrafts: [true, { draft: "lookup", draftTokens: 2 }],
  beams: [2],
  lengthPenalty: [2, { beams: 2 }],
  earlyStopping: [true, { beams: 2 }],
  beamGroups: [2, { beams: 2 }],
  diversityPenalty: [0.5, { beams: 2, beamGroups: 2 }],
  captureBeams: [true, { beams: 2 }],
  guidance: [1.5],
  negativePrompt: ["ab", { guidance: 1.5 }],
  dola: ["low"],
  penaltyAlpha: [0.5, { topK: 5 }],
  heal: [true],
  vocabSize: [row.length],
  tokenCount: [row.length - 4],
  dynatempExponent: [2, { dynatempRange: 0.5 }],
  mirostatTau: [3, { mirostat: 2 }],
  mirostatEta: [0.3, { mirostat: 2 }],
  xtcThreshold: [0.2, { xtcProbability: 0.5 }],
  adaptiveDecay: [0.5, { adaptiveTarget: 0.3 }],
  mirostat: [2],
  repetitionScope: ["generated", { repetitionPenalty: 1.5 }],
  countScope: ["context", { frequencyPenalty: 1 }],
  penaltyWindow: [2, { repetitionPenalty: 1.5 }],
  dryBase: [1.2, { dryMultiplier: 1 }],
  dryAllowedLength: [1, { dryMultiplier: 1 }],
  dryBreakers: [[[13]], { dryMultiplier: 1 }],
  logitBias: [{ 100: 4 }],
  bannedTokens: [[1, 2, 100]],
  sequenceBias: [[[[100], 4]]],
  badWords: [[[100]]],
  allowedTokens: [[2, 100, 101]],
  eos: [[100, 101]],
  lengthDecay: [2],
  lengthDecayStart: [1, { lengthDecay: 2 }],
  forcedFirst: [[100]],
  forcedLast: [[100], { maxTokens: 4 }],
  minTokens: [2],
  topK: [5],
  topNSigma: [1],
  noRepeatNgram: [2],
  minKeep: [2],
};
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
/** @type {Map<string, Set<string>>} */
const spellings = new Map();
for (const [{ name, aliases = [] }, ...more] of [
  ...generateTable.map((one) => [one]),
  ...optionTable.map((one) => [one, snakeCase(one.name)]),
])
  for (const spelling of [...aliases, ...more])
    if (spelling !== name) spellings.set(name, (spellings.get(name) ?? new Set()).add(spelling));

const usual = { seed: 5, maxTokens: 8 };
/** Adapters that choose tokens but write no texts. */
const chooseAlone = ["transformers", "web-llm", "sampler"];
const messages = /** @type {any} */ ([{ role: "user", content: "ab" }]);
const asked = [{ role: "user", content: [{ type: "text", text: "ab" }] }];
async function all(chunks) {
  const list = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}
const client = createOpenAI(model);
/** What each adapter makes of options. @type {Record<string, (options: any) => Promise<unknown>>} */
const adapters = {
  generate: (options) => all(model.generate("ab", options)),
  complete: (options) => model.complete("ab", options),
  chat: (options) => all(model.chat(messages, options)),
  answer: (options) => model.answer(messages, options),
  "openai, chat": (options) => client.chat.completions.create({ messages, ...options }),
  "openai, extra_body": (options) => client.chat.completions.create({ messages, extra_body: options }),
  "openai, completions": (options) => client.completions.create({ prompt: ["ab", "cd"], ...options }),
  "ai-sdk": (lastinch) =>
    createLastInch(model)().doGenerate({ prompt: /** @type {any} */ (asked), providerOptions: { lastinch } }),
  "prompt-api": async (generate) => {
    const LanguageModel = createLanguageModel(model, { generate });
    const own = await LanguageModel.create();
    return own.prompt("ab");
  },
  transformers: async (options) => {
    const sampler = await createTransformersSampler(peer, options);
    sampler.dispose();
    return "made";
  },
  onnxruntime: (options) => all(session.generate([1, 5, 6, 7], options)),
  "web-llm": async (options) => {
    const processor = await createLogitProcessor(options);
    const chosen = [];
    for (let i = 0; i < 4; i++) {
      const token = processor.processLogits(row.slice()).indexOf(0);
      chosen.push(token);
      processor.processSampledToken(token);
    }
    processor.dispose();
    return chosen;
  },
  sampler: async (options) => {
    const size = "vocab_size" in options || "vocabSize" in options ? {} : { vocabSize: row.length };
    const sampler = await createSampler({ ...size, ...options });
    const chosen = Array.from({ length: 4 }, () => sampler.sample(row));
    sampler.dispose();
    return chosen;
  },
};

/** What a call gives, without times and ids; for an error, its code. */
async function outcome(call) {
  try {
    return JSON.stringify(await call(), (key, value) =>
      ["id", "created", "timestamp"].includes(key) && typeof value !== "object" && String(value).length > 6
        ? undefined
        : ["usage", "stats", "cached_tokens", "cachedTokens", "inputTokens", "raw"].includes(key)
          ? undefined
          : value,
    );
  } catch (error) {
    assert.ok(error.code ?? error.name, String(error));
    return `${error.code ?? `${error.name}: ${error.message}`}`;
  }
}

test("every spelling of every option means the same in every adapter", async () => {
  const missing = [...spellings.keys()].filter(
    (name) => !(name in samples) && optionTable.find((one) => one.name === name)?.max === undefined,
  );
  assert.deepEqual(missing, []);
  for (const [adapter, call] of Object.entries(adapters))
    for (const [name, others] of spellings) {
      const { min = 0, max = 1 } = optionTable.find((one) => one.name === name) ?? {};
      const [value, needs = {}] = samples[name] ?? [Math.min(max, Math.max(min, 0.5))];
      const given = { ...usual, ...needs };
      if (chooseAlone.includes(adapter) && !("maxTokens" in needs)) delete given.maxTokens;
      delete given[name];
      const expected = await outcome(() => call({ ...given, [name]: value }));
      for (const spelling of others) {
        const found = await outcome(() => call({ ...given, [spelling]: value }));
        // Two adapters have their own errors for the spellings of transformers.js and of generate.
        const isRefused = /^(conflict|unknown-option)$/.test(expected) && /^(conflict|unknown-option)$/.test(found);
        assert.ok(found === expected || isRefused, `${adapter}: ${spelling} gives ${found}, ${name} ${expected}`);
        const twice = await outcome(() => call({ ...given, [name]: value, [spelling]: value }));
        assert.match(twice, /^(conflict|unknown-option)$/, `${adapter}: ${name} and ${spelling}`);
      }
    }
});

test("every adapter marks what it writes: the key decides the text, and another key writes another one", async () => {
  for (const [adapter, call] of Object.entries(adapters)) {
    const given = chooseAlone.includes(adapter) ? { seed: 5 } : { seed: 5, maxTokens: 24 };
    const marked = (/** @type {string} */ key) =>
      outcome(() => call({ ...given, watermark: { scheme: "gumbel", key, window: 1 } }));
    const [first, again, other] = [await marked("a"), await marked("a"), await marked("b")];
    assert.equal(again, first, adapter);
    if (adapter === "transformers") assert.equal(first, '"made"');
    else assert.notEqual(other, first, adapter);
    const unmarked = await outcome(() => call({ ...given, watermark: { scheme: "gumbel" } }));
    assert.match(unmarked, /bad-type|TypeError/, `${adapter} without a key`);
    const greedy = await outcome(() => call({ ...given, temperature: 0, watermark: { scheme: "gumbel", key: "a" } }));
    assert.match(greedy, /conflict/, `${adapter} at temperature 0`);
  }
});

test("the provider has no option for what the AI SDK's call says, or what has no place in an answer", async () => {
  const provider = createLastInch(model)();
  const ask = (lastinch, more = {}) =>
    provider.doGenerate({ prompt: /** @type {any} */ (asked), providerOptions: { lastinch }, ...more });
  for (const name of ["echo", "captureLogits", "capture_logits"])
    await assert.rejects(ask({ [name]: true }), { name: "TypeError", code: "conflict" });
  await assert.rejects(ask({ num_return_sequences: 2 }), { code: "conflict", message: /\bn\b/ });
  await assert.rejects(ask({ tool_calls: { tools: [{ name: "now" }] } }), { code: "conflict" });
  for (const [call, option] of [
    [{ maxOutputTokens: 3 }, "max_tokens"],
    [{ stopSequences: ["x"] }, "stop_strings"],
    [{ topP: 0.5 }, "top_p"],
    [{ frequencyPenalty: 0.5 }, "frequency_penalty"],
  ])
    await assert.rejects(ask({ [/** @type {string} */ (option)]: 3 }, call), { code: "conflict" });
  // Names that every object has are as unknown as any other.
  for (const name of ["toString", "constructor", "hasOwnProperty", "valueOf"])
    await assert.rejects(ask({ [name]: 1 }), { name: "TypeError", code: "unknown-option" });
  await assert.rejects(ask(JSON.parse('{ "__proto__": 1 }')), { code: "unknown-option" });
  const { stream } = await provider.doStream({
    ...{ prompt: /** @type {any} */ (asked), maxOutputTokens: 2, includeRawChunks: true },
    providerOptions: { lastinch: { capture_logits: true } },
  });
  const raw = (await all(stream)).filter(({ type }) => type === "raw");
  assert.ok(raw.some(({ rawValue }) => rawValue.tokens[0].logits.length === model.config.vocabSize));
});

test("adapters end texts that repeat themselves, and refuse to take back what they have streamed", async () => {
  for (const [adapter, call] of Object.entries(adapters))
    if (!["generate", "complete", "chat", "answer", "sampler"].includes(adapter))
      for (const loops of ["redraw", { action: "redraw" }])
        assert.equal(
          await outcome(() => call({ ...(!chooseAlone.includes(adapter) && usual), loops, eos: [2] })),
          "conflict",
          adapter,
        );
  assert.equal(await outcome(() => adapters.onnxruntime({ bannedStrings: ["a"] })), "conflict");
  assert.equal(await outcome(() => adapters["web-llm"]({ loops: "stop" })), "conflict");
  // One letter for ever.
  const stuck = { allowedTokens: [byteOf("a")], loops: { least: 6 } };
  const chat = await client.chat.completions.create({ messages, ...stuck });
  const [choice] = chat.choices;
  assert.deepEqual([choice.finish_reason, choice.message.content], ["stop", "aaaaaa"]);
  assert.deepEqual(choice.loop, { start: 0, period: 1, turns: 6, textEnd: 1 });
  const usualStop = await client.chat.completions.create({ messages, allowedTokens: stuck.allowedTokens });
  assert.equal(usualStop.choices[0].message.content.length, 48, "chat stops loops by itself");
  const [completion] = (await client.completions.create({ prompt: "ab", ...stuck })).choices;
  assert.deepEqual([completion.finish_reason, completion.text, completion.loop.turns], ["stop", "aaaaaa", 6]);
  const answer = await createLastInch(model)().doGenerate({
    prompt: /** @type {any} */ (asked),
    providerOptions: { lastinch: stuck },
  });
  assert.deepEqual(answer.finishReason, { unified: "other", raw: "loop" });
  const LanguageModel = createLanguageModel(model, { generate: stuck });
  assert.equal(await (await LanguageModel.create()).prompt("ab"), "aaaaaa");
  const one = { allowedTokens: [100], loops: { least: 6 } };
  const last = (await all(session.generate([1, 5, 6, 7], one))).at(-1);
  assert.deepEqual([last.finishReason, last.loop.turns, last.loop.period], ["loop", 6, 1]);
  const sampler = await createTransformersSampler(peer, one);
  await peer.model.generate({ ...peer.tokenizer("Once"), max_new_tokens: 20, ...sampler });
  const [written] = sampler.rows;
  assert.deepEqual([written.finishReason, written.tokens.length, written.loop.turns], ["loop", 6, 6]);
  sampler.dispose();
  const processor = await createLogitProcessor({ ...one, eos: [2] });
  const chosen = [];
  for (let i = 0; i < 8; i++) {
    chosen.push(processor.processLogits(row.slice()).indexOf(0));
    processor.processSampledToken(chosen[i]);
  }
  assert.deepEqual(chosen, [100, 100, 100, 100, 100, 100, 2, 2]);
  assert.equal(processor.loop.turns, 6);
  processor.resetState();
  assert.equal(processor.loop, undefined);
  assert.equal(processor.processLogits(row.slice()).indexOf(0), 100);
  processor.dispose();
});

test("names that every object has are unknown options everywhere", async () => {
  for (const [adapter, call] of Object.entries(adapters))
    for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
      const options = Object.fromEntries([[name, 1]]);
      assert.equal(await outcome(() => call(options)), "unknown-option", `${adapter}: ${name}`);
    }
});

test("a function that gives no model makes the call reject, with a code", async () => {
  for (const none of [null, undefined, {}, "model.gguf"]) {
    const give = /** @type {any} */ (async () => none);
    const openai = createOpenAI(give);
    for (const call of [
      () => openai.chat.completions.create({ messages, model: "x" }),
      () => openai.chat.completions.create({ messages, stream: true }),
      () => openai.completions.create({ prompt: "a" }),
      () => createLanguageModel(give).create(),
    ])
      await assert.rejects(call, ({ code }) => ["out-of-range", "bad-type"].includes(code));
    assert.deepEqual((await openai.models.list()).data, []);
    // The AI SDK has its own error for a model that does not exist.
    await assert.rejects(
      createLastInch(give)("x").doGenerate({ prompt: /** @type {any} */ (asked) }),
      ({ name, code }) => (none ? code === "bad-type" : name === "AI_NoSuchModelError"),
    );
  }
});

/** Models that think, and like newlines between the thought and the answer. */
const thinkers = [await load(templates.opened), await load(templates.qwen3)];
const likes = { [idOf("<think>")]: 40, [idOf("</think>")]: 30, [byteOf("\n")]: 30, [byteOf("a")]: 36 };

test("after a thought the answer is a text of its grammar, in every adapter", async () => {
  const schema = {
    type: "object",
    properties: { a: { type: "boolean" } },
    required: ["a"],
    additionalProperties: false,
  };
  const json = /^\{"a":(true|false)\}$/;
  let thoughts = 0;
  const is = (text, expression, what) => assert.match(text, expression, `${what}: ${JSON.stringify(text)}`);
  for (const [i, thinker] of thinkers.entries())
    for (let seed = 1; seed <= 4; seed++) {
      const shared = { seed, temperature: 6, logitBias: likes };
      const maxTokens = 600;
      const openai = createOpenAI(thinker);
      const ask = async (body) => {
        const { choices } = await openai.chat.completions.create({
          messages,
          max_tokens: maxTokens,
          ...shared,
          ...body,
        });
        thoughts += choices[0].message.reasoning_content ? 1 : 0;
        return choices[0].message.content;
      };
      const provider = createLastInch(thinker)();
      const write = async (lastinch, more = {}) => {
        const options = {
          maxOutputTokens: maxTokens,
          providerOptions: { lastinch: { logitBias: likes, ...lastinch } },
        };
        const call = { prompt: /** @type {any} */ (asked), seed, temperature: 6, ...options, ...more };
        const { content } = await provider.doGenerate(call);
        const [text, ...others] = content.filter(({ type }) => type === "text");
        assert.deepEqual(others, []);
        return text.text;
      };
      const prompt = async (responseConstraint) => {
        const LanguageModel = createLanguageModel(thinker, { generate: { seed, logitBias: likes, maxTokens } });
        const session = await LanguageModel.create();
        return session.prompt("ab", { responseConstraint });
      };
      for (const reader of [ask, write]) {
        const what = `${reader.name} ${i} ${seed}`;
        is(await reader({ choice: ["yes", "\nno"] }), /^(yes|\nno)$/, what);
        is(await reader({ guided_regex: "\\n?[ab]c" }), /^\n?[ab]c$/, what);
        is(await reader({ ebnf: 'root ::= [ab] "\\n"' }), /^[ab]\n$/, what);
        is(await reader({ jsonSchema: schema }), json, what);
      }
      is(await ask({ response_format: { type: "json_schema", json_schema: { name: "a", schema } } }), json, "openai");
      is(await write({}, { responseFormat: { type: "json", schema } }), json, "ai-sdk");
      is(await prompt(schema), json, "prompt-api");
      is(await prompt(/yes|no/), /^(yes|no)$/, "prompt-api");
      is(await prompt(/\n{0,3}(yes|no)/), /^\n{0,3}(yes|no)$/, "prompt-api");
    }
  assert.ok(thoughts > 10, `${thoughts} thoughts`);
});
