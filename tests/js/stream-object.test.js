// model.streamObject: the items of a stream are true of the text from then on, and the last value is the text's.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { loadModel } from "lastinch";
import { isAbsent, readMaskBench } from "../bench/grammar-data.js";
import { rounds } from "../rounds.js";
import * as templates from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const models = await Promise.all([false, true].map((worker) => loadModel(new Blob([file]), { cache: false, worker })));
const [model] = models;
after(() => models.forEach((one) => one.dispose()));
const prompt = "Once upon a time there was a girl named Lily.";
const ajv = new Ajv({ strict: false, validateFormats: false });

const string = { type: "string", maxLength: 30 };
const story = {
  type: "object",
  properties: {
    hero: string,
    age: { type: "integer", minimum: 3, maximum: 120 },
    isBrave: { type: "boolean" },
    friends: {
      type: "array",
      items: { type: "object", properties: { name: string }, required: ["name"], additionalProperties: false },
      minItems: 2,
      maxItems: 3,
    },
    wish: { enum: ["a dog", "a cat", null, 7] },
  },
  required: ["hero", "age", "isBrave", "friends", "wish"],
  additionalProperties: false,
};

/** The value that a pointer names. */
const valueAt = (value, pointer) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((found, name) => {
      const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
      assert.ok(Object.hasOwn(found, key), pointer);
      return found[key];
    }, value);

/**
 * Reads a stream to its end, and checks what every item promises.
 * @param {AsyncIterable<any>} stream
 */
async function read(stream) {
  const done = new Map();
  const begun = new Set();
  let text = "";
  let last;
  for await (const item of stream) {
    assert.equal(last?.finishReason, undefined, "an item after the last");
    text += item.text;
    for (const pointer of item.changed) {
      assert.ok(!done.has(pointer), `${pointer} changed after it was done`);
      valueAt(item.value, pointer);
      begun.add(pointer);
    }
    for (const pointer of item.done) {
      assert.ok(!done.has(pointer), `${pointer} was done twice`);
      assert.ok(begun.has(pointer), `${pointer} was done before it began`);
      done.set(pointer, JSON.stringify(valueAt(item.value, pointer)));
    }
    last = item;
  }
  for (const [pointer, json] of done) assert.equal(JSON.stringify(valueAt(last.value, pointer)), json, pointer);
  if (last.finishReason === "eos") {
    assert.deepEqual(last.value, JSON.parse(text));
    assert.deepEqual([...done.keys()].sort(), [...begun].sort());
  }
  return { text, last, done: [...done.keys()] };
}

test("the object grows to what its text says, and the text is that of generate", async () => {
  const isValid = ajv.compile(story);
  for (const by of models)
    for (const seed of [1, 2, 3]) {
      const options = { jsonSchema: story, seed, temperature: 0.9 };
      const { text, last, done } = await read(by.streamObject(prompt, options));
      assert.equal(text, (await by.complete(prompt, options)).text);
      assert.ok(isValid(last.value), text);
      assert.equal(last.finishReason, "eos");
      assert.equal(done.at(-1), "");
      assert.ok(done.includes("/hero") && done.includes("/friends/0/name") && done.includes("/wish"));
      assert.ok(last.usage.completionTokens > 20);
    }
  const drafted = { jsonSchema: story, seed: 1, temperature: 0, draft: /** @type {const} */ ("lookup") };
  const { text } = await read(model.streamObject(prompt, drafted));
  assert.equal(text, (await model.complete(prompt, { jsonSchema: story, temperature: 0 })).text);
});

test("nothing that was given is taken back where a text is banned or a loop ends the text", async () => {
  const jsonSchema = { type: "array", items: string, minItems: 12 };
  const options = { jsonSchema, seed: 5, temperature: 0.9, maxTokens: 120 };
  for (const more of [
    { bannedStrings: ["the", "a ", "he"] },
    { loops: { period: [1, 40], turns: 2, least: 2, action: "stop" } },
  ]) {
    const { text, last } = await read(model.streamObject(prompt, /** @type {any} */ ({ ...options, ...more })));
    const whole = await model.complete(prompt, /** @type {any} */ ({ ...options, ...more }));
    assert.deepEqual([text, last.finishReason], [whole.text, whole.finishReason]);
    assert.notEqual(text, (await model.complete(prompt, options)).text);
  }
});

test("a number that is the whole text is known when the text ends", async () => {
  const { last, done } = await read(model.streamObject(prompt, { jsonSchema: { type: "integer" }, seed: 4 }));
  assert.equal(typeof last.value, "number");
  assert.deepEqual(done, [""]);
});

test("no key comes twice in an open object, so its members are done before it closes", async () => {
  const jsonSchema = {
    type: "object",
    additionalProperties: { type: "integer", minimum: 0, maximum: 9 },
    propertyNames: { maxLength: 2 },
  };
  let repeats = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const options = { jsonSchema, seed, maxTokens: 120 };
    const keys = ({ text }) => [...text.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, key]) => JSON.parse(`"${key}"`));
    const { text, done } = await read(model.streamObject(prompt, options));
    const own = keys({ text });
    assert.equal(new Set(own).size, own.length, text);
    assert.ok(done.length >= own.length - 1);
    const usual = keys(await model.complete(prompt, options));
    repeats += usual.length - new Set(usual).size;
  }
  assert.ok(repeats > 0, "generate repeats keys here");
});

test("a text that ends early gives its last value", async () => {
  const jsonSchema = { type: "object", properties: { story: { type: "string", minLength: 500 } }, required: ["story"] };
  const cut = await read(model.streamObject(prompt, { jsonSchema, seed: 1, maxTokens: 30 }));
  assert.equal(cut.last.finishReason, "length");
  assert.equal(`{"story":${JSON.stringify(cut.last.value.story).slice(0, -1)}`, cut.text);
  const stop = cut.text.slice(40, 46);
  const stopped = await read(model.streamObject(prompt, { jsonSchema, seed: 1, stop }));
  assert.equal(stopped.last.finishReason, "stop");
  assert.equal(stopped.text, cut.text.slice(0, cut.text.indexOf(stop)));
  assert.equal(stopped.last.value.story, JSON.parse(`${stopped.text}"}`).story);
  const full = await read(
    model.streamObject(prompt, { jsonSchema: { type: "array", items: { const: "a" }, minItems: 400 } }),
  );
  assert.equal(full.last.finishReason, "context");
  assert.equal(new Set(full.last.value).size, 1);
  const digits = await read(model.streamObject(prompt, { jsonSchema: { type: "integer" }, maxTokens: 1, seed: 4 }));
  assert.deepEqual([digits.last.finishReason, digits.last.value], ["length", undefined]);
});

test("an abort gives the value so far; an aborted call begins none; leaving stops the model", async () => {
  const jsonSchema = { type: "array", items: string, minItems: 90 };
  for (const by of models) {
    const controller = new AbortController();
    const items = [];
    for await (const item of by.streamObject(prompt, { jsonSchema, seed: 1, signal: controller.signal })) {
      items.push(item);
      if (item.done.length) controller.abort();
    }
    const last = items.at(-1);
    assert.deepEqual([last.finishReason, last.changed, last.done, last.usage], ["abort", [], [], undefined]);
    assert.ok(last.value.length >= 1);
    const never = await read(by.streamObject(prompt, { jsonSchema, signal: AbortSignal.abort() }));
    assert.deepEqual([never.last.finishReason, never.last.value], ["abort", undefined]);
    for await (const { done } of by.streamObject(prompt, { jsonSchema, seed: 1 })) if (done.length) break;
    // The model is free again.
    assert.equal((await by.complete(prompt, { maxTokens: 3 })).finishReason, "length");
  }
});

const quiet = { cache: false, worker: false };
const control = ["<|im_start|>", "<|im_end|>", "<think>", "</think>"];
const bytes = vocabularyOf([]);
const question = [{ role: "user", content: "Will it rain?" }];

test("in a chat the object begins after the thought, which comes beside it", async () => {
  const vocabulary = [...bytes, ...control.map((name) => [name, 0, 3])];
  const extra = { "tokenizer.chat_template": ["string", templates.opened] };
  const thinker = await loadModel(new Blob([randomModel({ vocabulary, extra, context: 2048 })]), quiet);
  const logitBias = { [bytes.length + 3]: 12, [3 + 0x61]: 12 };
  const jsonSchema = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
  let thoughts = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const options = { jsonSchema: { ...jsonSchema, additionalProperties: false }, seed, logitBias, maxTokens: 600 };
    let reasoning = "";
    const seen = (async function* () {
      for await (const item of thinker.streamObject(question, options)) {
        if (item.reasoning) assert.equal(item.value, undefined);
        reasoning += item.reasoning ?? "";
        yield item;
      }
    })();
    const { last, text } = await read(seen);
    const answer = await thinker.answer(question, options);
    assert.deepEqual([text, reasoning || undefined], [answer.text, answer.reasoning]);
    assert.equal(last.usage.reasoningTokens, answer.usage.reasoningTokens);
    thoughts += reasoning ? 1 : 0;
    const off = await read(thinker.streamObject(question, { ...options, reasoning: "off" }));
    assert.equal(typeof off.last.value.sure, "boolean");
    const brief = { ...options, logitBias: {}, reasoning: { budget: 5 } };
    assert.equal(
      (await read(thinker.streamObject(question, brief))).text,
      (await thinker.answer(question, brief)).text,
    );
  }
  assert.ok(thoughts >= 3, `${thoughts} thoughts`);
  thinker.dispose();
});

test("a model of bytes never shows half a character, in raw text or in escapes", async () => {
  const random = await loadModel(new Blob([randomModel({ vocabulary: bytes, context: 512 })]), quiet);
  const logitBias = Object.fromEntries([0xf0, 0x9f, 0xe2, 0x5c, 0x75, 0x64].map((byte) => [3 + byte, 8]));
  const jsonSchema = { type: "array", items: { type: "string" } };
  const shown = [];
  let isEscaped = false;
  for (let seed = 1; seed <= 8; seed++)
    for await (const { value, text } of random.streamObject("a", { jsonSchema, seed, logitBias, maxTokens: 300 })) {
      shown.push(...(value ?? []));
      isEscaped ||= text.includes("\\");
    }
  assert.ok(isEscaped && shown.some((one) => /[\u{10000}-\u{10ffff}]/u.test(one)));
  for (const one of new Set(shown)) assert.doesNotMatch(one, /\p{Surrogate}|\ufffd/u);
  random.dispose();
});

test("what would not be one object is refused by name", async () => {
  const jsonSchema = { type: "object" };
  for (const [options, code, name] of [
    [{}, "bad-type", /jsonSchema/],
    [{ jsonSchema, n: 2 }, "conflict", /\bn\b/],
    [{ jsonSchema, beams: 2 }, "conflict", /beams/],
    [{ jsonSchema, num_beams: 2 }, "conflict", /beams/],
    [{ jsonSchema, echo: true }, "conflict", /echo/],
    [{ jsonSchema, tools: [{ name: "time" }] }, "conflict", /calls/],
    [{ jsonSchema, regex: "a" }, "conflict", /regex/],
    [{ jsonSchema, loops: "redraw" }, "conflict", /redraw/],
    [{ jsonSchema, structuralTags: { triggers: ["<"], tags: [] } }, "conflict", /structuralTags/],
    [{ jsonSchema, reasoning: "off" }, "unknown-option", /reasoning/],
    [{ jsonSchema, topq: 1 }, "unknown-option", /topq/],
    [{ jsonSchema: { type: "text" } }, "grammar-schema", /type/],
    [{ jsonSchema: { not: {} } }, "grammar-empty", /./],
    [undefined, "bad-type", /./],
  ])
    await assert.rejects(model.streamObject(prompt, /** @type {any} */ (options)).next(), { code, message: name });
  await assert.rejects(model.streamObject(/** @type {any} */ (undefined), { jsonSchema }).next(), { code: "bad-type" });
  await assert.rejects(model.streamObject(question, { jsonSchema }).next(), { code: "template-missing" });
});

test("objects of MaskBench's schemas are read as they are written", { skip: isAbsent }, async () => {
  const random = await loadModel(new Blob([randomModel({ vocabulary: bytes, context: 1024 })]), quiet);
  let whole = 0;
  const entries = readMaskBench({ every: rounds(7, 67) });
  for (const [seed, { schema, id }] of entries.entries()) {
    let result;
    try {
      // Random bytes end strings and lists late: these end sooner.
      const logitBias = { [3 + 0x22]: 6, [3 + 0x5d]: 6, [3 + 0x7d]: 6 };
      result = await read(random.streamObject("a", { jsonSchema: schema, seed, logitBias, maxTokens: 600 }));
    } catch (error) {
      if (/^grammar-/.test(error.code)) continue;
      throw new Error(id, { cause: error });
    }
    whole += result.last.finishReason === "eos" ? 1 : 0;
  }
  assert.ok(whole > entries.length / 3, `${whole} of ${entries.length}`);
  random.dispose();
});
