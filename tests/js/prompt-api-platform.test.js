// The web platform tests of the Prompt API, and its explainer, applied to our class.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { createLanguageModel } from "lastinch/prompt-api";
import { hermes } from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const file = new Blob([readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url))]);
const model = await loadModel(file, { cache: false });
after(() => model.dispose());
const LanguageModel = createLanguageModel(model, { languages: ["en"], generate: { seed: 5, maxTokens: 12 } });
const prompt = "Once upon a time";

/** @param {ReadableStream<string>} stream */
async function read(stream) {
  let text = "";
  for await (const piece of /** @type {any} */ (stream)) text += piece;
  return text;
}

/** A model whose template puts marks around messages. */
async function loadTemplated() {
  const vocabulary = [...vocabularyOf([]), ["<|im_start|>", 0, 3], ["<|im_end|>", 0, 3]];
  const bytes = randomModel({ vocabulary, extra: { "tokenizer.chat_template": ["string", hermes] }, context: 200 });
  const templated = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  after(() => templated.dispose());
  return templated;
}

test("a session has the members of the interface", async () => {
  const session = await LanguageModel.create();
  for (const name of ["prompt", "promptStreaming", "append", "measureContextUsage", "clone", "destroy"])
    assert.equal(typeof session[name], "function");
  assert.deepEqual([typeof session.contextUsage, typeof session.contextWindow], ["number", "number"]);
  assert.equal(session.oncontextoverflow, null);
  assert.ok(session instanceof EventTarget);
});

test("a monitor gets rising numbers from 0 to 1, and nothing once the session exists", async () => {
  const heard = [];
  let isThere = false;
  const { create } = LanguageModel;
  await create({
    monitor: (target) =>
      target.addEventListener("downloadprogress", (event) => {
        assert.ok(!isThere);
        assert.equal(event.total, 1);
        heard.push(event.loaded);
      }),
  });
  isThere = true;
  assert.deepEqual(heard, [0, 1]);
  await new Promise((resolve) => setTimeout(resolve, 5));
});

test("a creation aborted at the first or the last event is rejected, and its monitor gets no more events", async () => {
  for (const place of [0, 1]) {
    const controller = new AbortController();
    const reason = new Error("test");
    const heard = [];
    const abort = async () => controller.abort(reason);
    const creating = LanguageModel.create({
      signal: controller.signal,
      monitor: (target) =>
        target.addEventListener("downloadprogress", ({ loaded }) => {
          heard.push(loaded);
          if (loaded === place) void Promise.resolve().then(abort);
        }),
    });
    await assert.rejects(creating, reason);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(heard, place ? [0, 1] : [0]);
  }
});

test("initial prompts may be empty or lack a system message, which otherwise comes first, and only once", async () => {
  const user = { role: "user", content: "hello" };
  const assistant = { role: "assistant", content: "hello" };
  const system = { role: "system", content: "you are a robot" };
  for (const initialPrompts of [[], [user, assistant], [system, user, assistant], [system]])
    assert.ok(await LanguageModel.create({ initialPrompts }));
  for (const initialPrompts of [
    [user, assistant, system],
    [system, system, user, assistant],
  ])
    await assert.rejects(LanguageModel.create({ initialPrompts }), TypeError);
  const prefixed = [user, { ...assistant, prefix: true }];
  await assert.rejects(LanguageModel.create({ initialPrompts: prefixed }), { name: "SyntaxError" });
});

test("language tags are canonical or refused, and unknown types of parts are refused", async () => {
  const expecting = (languages) => ({ expectedInputs: [{ type: "text", languages }] });
  assert.ok(await LanguageModel.create(expecting(["EN"])));
  for (const call of ["create", "availability"]) {
    await assert.rejects(LanguageModel[call](expecting(["en-abc-invalid"])), RangeError);
    for (const list of ["expectedInputs", "expectedOutputs"])
      await assert.rejects(LanguageModel[call]({ [list]: [{ type: "soup" }] }), TypeError);
  }
});

test("availability tells for every option whether a session can have it", async () => {
  const text = [undefined, [], [{ type: "text" }], [{ type: "text", languages: ["en"] }]];
  for (const expectedInputs of text)
    for (const expectedOutputs of text)
      for (const topK of [undefined, 1, 1.5, 99])
        for (const temperature of [undefined, 0, 0.5, 2, 7])
          assert.equal(
            await LanguageModel.availability({ expectedInputs, expectedOutputs, topK, temperature }),
            "available",
          );
  for (const options of [
    { expectedInputs: [{ type: "text", languages: ["unk"] }] },
    { expectedOutputs: [{ type: "text", languages: ["unk"] }] },
    { expectedInputs: [{ type: "audio", languages: ["es"] }, { type: "image" }] },
    { expectedOutputs: [{ type: "image" }] },
    { topK: 0, temperature: 0.5 },
    { topK: -3, temperature: 0.5 },
    { topK: 3, temperature: -0.5 },
  ])
    assert.equal(await LanguageModel.availability(options), "unavailable");
  // Options that availability does not know change nothing.
  assert.equal(await LanguageModel.availability({ initialPrompts: [{ role: "robot" }] }), "available");
});

test("a session keeps the mode with which it was created, and so does its clone", async () => {
  for (const samplingMode of ["most-predictable", "predictable", "balanced", "creative", "most-creative"]) {
    const session = await LanguageModel.create({ samplingMode });
    assert.equal(session.samplingMode, samplingMode);
    const { temperature, topK, contextWindow, contextUsage } = session;
    const clone = await session.clone();
    assert.equal(clone.samplingMode, samplingMode);
    assert.deepEqual(
      [clone.temperature, clone.topK, clone.contextWindow, clone.contextUsage],
      [temperature, topK, contextWindow, contextUsage],
    );
  }
  for (const more of [{ temperature: 0.8 }, { topK: 10 }, { temperature: 0.8, topK: 10 }])
    await assert.rejects(LanguageModel.create({ samplingMode: "balanced", ...more }), TypeError);
});

test("an empty prompt is answered, an empty message adds nothing, and what is not a prompt is refused", async () => {
  const session = await LanguageModel.create();
  assert.equal(await session.append([]), undefined);
  assert.equal(session.contextUsage, 0);
  assert.ok((await session.prompt([])).length > 0);
  // A browser makes the text "[object Object]" of these.
  for (const input of [{}, { role: "user", content: prompt }, 5, null]) {
    await assert.rejects(session.prompt(input), TypeError);
    await assert.rejects(session.append(input), TypeError);
  }
});

test("a message adds what it was measured at, and initial prompts count", async () => {
  for (const own of [model, await loadTemplated()]) {
    const Own = createLanguageModel(own, { generate: { maxTokens: 4 } });
    const session = await Own.create();
    const usage = await session.measureContextUsage("A cat.");
    assert.ok(usage > 0);
    await session.append("A cat.");
    assert.equal(session.contextUsage, usage);
    const more = await session.measureContextUsage("A dog.");
    await session.append("A dog.");
    assert.equal(session.contextUsage, usage + more);
    const initialPrompts = [{ role: "system", content: "The word of the day is banana." }];
    const begun = await Own.create({ initialPrompts });
    assert.equal(await begun.measureContextUsage(initialPrompts), begun.contextUsage);
  }
});

test("a prompt longer than the context is refused with its measure", async () => {
  for (const own of [model, await loadTemplated()]) {
    const session = await createLanguageModel(own).create();
    const long = `${prompt} `.repeat(session.contextWindow);
    const requested = await session.measureContextUsage(long);
    assert.ok(requested > session.contextWindow);
    const expected = { name: "QuotaExceededError", requested, quota: session.contextWindow };
    await assert.rejects(session.prompt(long), expected);
    await assert.rejects(session.append(long), expected);
  }
});

test("a prompt that does not fit beside earlier turns is answered, and an event says they are dropped", async () => {
  const session = await LanguageModel.create();
  const sentence = "The cat sat on the mat. ";
  const each = (await session.measureContextUsage(sentence.repeat(11))) - (await session.measureContextUsage(sentence));
  const fill = (share) => sentence.repeat(Math.floor((share * session.contextWindow) / (each / 10)));
  await session.prompt(fill(0.4));
  const overflown = new Promise((resolve) => session.addEventListener("contextoverflow", resolve));
  const answer = session.prompt(fill(0.8));
  const [event] = await Promise.all([overflown, answer]);
  assert.equal(event.type, "contextoverflow");
  assert.ok(session.contextUsage <= session.contextWindow);
});

test("prompts sent at the same time are answered in turn, equal or not", async () => {
  for (const other of [prompt, "A dog"]) {
    const session = await LanguageModel.create();
    const answers = await Promise.all([session.prompt(prompt), session.prompt(other)]);
    const serial = await LanguageModel.create();
    assert.deepEqual(answers, [await serial.prompt(prompt), await serial.prompt(other)]);
    const streamed = await LanguageModel.create();
    const streams = [prompt, other].map((text) => read(streamed.promptStreaming(text)));
    assert.deepEqual(await Promise.all(streams), answers);
  }
});

test("every call takes a signal, whose reason rejects it before or during the call; the session lives on", async () => {
  const session = await LanguageModel.create();
  for (const call of [
    (signal) => LanguageModel.create({ signal }),
    (signal) => session.clone({ signal }),
    (signal) => session.prompt(prompt, { signal }),
    (signal) => session.append(prompt, { signal }),
    (signal) => session.measureContextUsage(prompt, { signal }),
    (signal) => read(session.promptStreaming(prompt, { signal })),
  ])
    for (const reason of [undefined, new Error("test")]) {
      const controller = new AbortController();
      const running = call(controller.signal);
      controller.abort(reason);
      const expected = reason ?? { name: "AbortError" };
      await assert.rejects(running, expected);
      await assert.rejects(call(controller.signal), expected);
    }
  assert.equal(session.contextUsage, 0);
  assert.ok(await session.prompt(prompt));
});

const rating = {
  type: "object",
  required: ["Rating"],
  additionalProperties: false,
  properties: { Rating: { type: "number", minimum: 0, maximum: 5, multipleOf: 0.25 } },
};
const begunWith = (content) => [
  { role: "user", content: "hello" },
  { role: "assistant", content, prefix: true },
];

test("a prefix and the answer together satisfy the constraint", async () => {
  const generate = { seed: 2, maxTokens: 150 };
  for (const own of [model, await loadTemplated()].map((one) => createLanguageModel(one, { generate })))
    for (const prefix of ['{ "Rating": ', '{"Rat', "{", '{"Rating":3', '{"Rating": 1.0', "\n"]) {
      const session = await own.create({ samplingMode: "most-creative" });
      const rest = await session.prompt(begunWith(prefix), { responseConstraint: rating });
      const { Rating } = JSON.parse(prefix + rest);
      assert.ok(Rating >= 0 && Rating <= 5);
      assert.match(
        await session.prompt(begunWith("Greet"), { responseConstraint: /^Greetings, [a-z]{3}/ }),
        /^ings, [a-z]{3}/,
      );
    }
});

test("a prefix that no answer within the constraint can have is refused", async () => {
  const session = await LanguageModel.create();
  const refused = { name: "NotSupportedError", message: /prefix/ };
  await assert.rejects(session.prompt(begunWith("invalid"), { responseConstraint: rating }), refused);
  await assert.rejects(session.prompt(begunWith("invalid"), { responseConstraint: /^Greetings.*/ }), refused);
  await assert.rejects(session.prompt(begunWith('{"Rating":-1'), { responseConstraint: rating }), refused);
  assert.equal(session.contextUsage, 0);
});

test("a constraint that contains itself, or is of an unknown type, is refused", async () => {
  const session = await LanguageModel.create();
  const cyclic = {};
  cyclic.self = cyclic;
  for (const responseConstraint of [cyclic, { type: "soup" }])
    await assert.rejects(session.prompt(prompt, { responseConstraint }), TypeError);
});

test("answers match the regular expressions of the platform's tests", async () => {
  const session = await LanguageModel.create({ samplingMode: "creative" });
  for (const responseConstraint of [
    /^\d{4}-\d{2}-\d{2}$/,
    /^-?\d(\.\d{1,3})?$/,
    /^https?:\/\/[^\s$.?#].[^\s]{1,9}$/,
    /^[a-z]$/,
    /^.{9}$/,
  ])
    assert.match(await session.prompt("hello", { responseConstraint }), responseConstraint);
});
