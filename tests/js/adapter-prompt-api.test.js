// The Prompt API's shape over our model: sessions that remember, forget and end as its explainer says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { createLanguageModel } from "lastinch/prompt-api";
import { opened } from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const file = new Blob([readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url))]);
const model = await loadModel(file, { cache: false });
after(() => model.dispose());
const seeded = { generate: { seed: 5, maxTokens: 20 } };
const LanguageModel = createLanguageModel(model, seeded);
const prompt = "Once upon a time";

async function expected(input, options) {
  let text = "";
  for await (const chunk of model.generate(input, { ...seeded.generate, ...options })) text += chunk.text;
  return text;
}

async function read(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

test("a prompt is answered as generate would, at once or in pieces", async () => {
  const session = await LanguageModel.create();
  assert.ok(session instanceof LanguageModel);
  const text = await session.prompt(prompt);
  assert.equal(text, await expected(prompt, { temperature: 0.8, topK: 40 }));
  const other = await LanguageModel.create();
  const pieces = await read(other.promptStreaming([{ role: "user", content: [{ type: "text", value: prompt }] }]));
  assert.ok(pieces.length > 5);
  assert.equal(pieces.join(""), text);
});

test("sampling is by mode, or by temperature and topK within their limits", async () => {
  const usual = await LanguageModel.create();
  assert.deepEqual([usual.samplingMode, usual.temperature, usual.topK], ["balanced", 0.8, 40]);
  const greedy = await LanguageModel.create({ samplingMode: "most-predictable" });
  assert.equal(await greedy.prompt(prompt), await expected(prompt, { temperature: 0 }));
  const own = await LanguageModel.create({ temperature: 1.4, topK: 7.9 });
  assert.deepEqual([own.samplingMode, own.temperature, own.topK], [null, 1.4, 7]);
  assert.equal(await own.prompt(prompt), await expected(prompt, { temperature: 1.4, topK: 7 }));
  const { maxTemperature, maxTopK } = await LanguageModel.params();
  const most = await LanguageModel.create({ temperature: Infinity, topK: Infinity });
  assert.deepEqual([most.temperature, most.topK], [maxTemperature, maxTopK]);
  await most.prompt(prompt);
  await assert.rejects(LanguageModel.create({ temperature: -1 }), RangeError);
  await assert.rejects(LanguageModel.create({ topK: 0 }), RangeError);
  await assert.rejects(LanguageModel.create({ topK: 1, samplingMode: "creative" }), TypeError);
  await assert.rejects(LanguageModel.create({ samplingMode: "wild" }), TypeError);
});

test("languages that the model lacks are unavailable, if the page says which it has", async () => {
  const English = createLanguageModel(model, { languages: ["en-US"] });
  const expecting = (...languages) => ({ expectedOutputs: [{ type: "text", languages }] });
  assert.equal(await English.availability(expecting("en-GB")), "available");
  assert.equal(await English.availability(expecting("en", "ja")), "unavailable");
  await assert.rejects(English.create({ expectedInputs: [{ type: "text", languages: ["zh-Hans"] }] }), {
    name: "NotSupportedError",
    message: /"zh-Hans".*\ben\b/,
  });
  assert.equal(await LanguageModel.availability(expecting("ja")), "available");
  await assert.rejects(English.availability(expecting("no language")), RangeError);
});

test("the class has the browser's name, and sessions the former names of their members", async () => {
  assert.equal(LanguageModel.name, "LanguageModel");
  const session = await LanguageModel.create({ initialPrompts: [{ role: "system", content: prompt }] });
  assert.equal(String(session), "[object LanguageModel]");
  assert.equal(session.inputUsage, session.contextUsage);
  assert.equal(session.inputQuota, session.contextWindow);
  assert.equal(await session.measureInputUsage(prompt), await session.measureContextUsage(prompt));
});

test("a session keeps its messages; a clone has the same messages and then its own", async () => {
  const session = await LanguageModel.create({ initialPrompts: [{ role: "system", content: prompt }] });
  const answer = await session.prompt("Tom had a cat.");
  const past = `${prompt}\nTom had a cat.\n${answer}`;
  assert.equal(session.contextUsage, (await model.tokenize(past, { bos: true })).length);
  const clone = await session.clone();
  assert.ok(clone instanceof LanguageModel);
  assert.equal(clone.contextUsage, session.contextUsage);
  const next = await expected(`${past}\nThe end.`, { temperature: 0.8, topK: 40 });
  assert.equal(await clone.prompt("The end."), next);
  assert.equal(await session.prompt("The end."), next);
  await clone.append("More.");
  assert.ok(clone.contextUsage > session.contextUsage);
});

test("append adds messages, a prefix begins the answer, and usage can be measured beforehand", async () => {
  const session = await LanguageModel.create();
  assert.equal(session.contextUsage, 0);
  assert.equal(session.contextWindow, model.config.contextLength);
  await session.append([{ role: "user", content: prompt }]);
  const before = session.contextUsage;
  assert.equal(before, (await model.tokenize(prompt, { bos: true })).length);
  const input = [
    { role: "user", content: "Go on." },
    { role: "assistant", content: "Lily", prefix: true },
  ];
  const cost = await session.measureContextUsage(input);
  assert.equal(session.contextUsage, before);
  const all = `${prompt}\nGo on.\nLily`;
  assert.equal(before + cost, (await model.tokenize(all, { bos: true })).length);
  const answer = await session.prompt(input);
  assert.equal(answer, await expected(all, { temperature: 0.8, topK: 40 }));
  assert.equal(session.contextUsage, (await model.tokenize(all + answer, { bos: true })).length);
});

test("appended messages are computed at once, shared messages of a clone not again", async () => {
  const system = "A story of a fox that nobody had heard of before.";
  const session = await LanguageModel.create({ initialPrompts: [{ role: "system", content: system }] });
  await session.append("The fox went home. Then it");
  const clone = await session.clone();
  const ids = await model.tokenize(`${system}\nThe fox went home. Then it`, { bos: true });
  assert.equal(clone.contextUsage, ids.length);
  for await (const { usage } of model.generate(ids, { maxTokens: 1 })) assert.equal(usage.cachedTokens, ids.length - 1);
  const controller = new AbortController();
  const appending = session.append("More.", { signal: controller.signal });
  controller.abort();
  await assert.rejects(appending, { name: "AbortError" });
  assert.equal(session.contextUsage, ids.length);
});

const schema = {
  type: "object",
  properties: { rating: { type: "integer", minimum: 0, maximum: 5 }, word: { type: "string", maxLength: 6 } },
  required: ["rating", "word"],
  additionalProperties: false,
};

test("an answer satisfies its constraint", async () => {
  for (let seed = 0; seed < 5; seed++) {
    const Own = createLanguageModel(model, { generate: { seed } });
    const session = await Own.create({ temperature: 1.5 });
    const value = JSON.parse(
      await session.prompt(prompt, { responseConstraint: schema, omitResponseConstraintInput: true }),
    );
    assert.ok(Number.isInteger(value.rating) && value.rating >= 0 && value.rating <= 5);
    const pieces = await read(session.promptStreaming("And?", { responseConstraint: /^(yes|no), [a-z]{3,8}\.$/ }));
    assert.match(pieces.join(""), /^(yes|no), [a-z]{3,8}\.$/);
  }
});

test("constraints that cannot be kept give the errors that the specification names", async () => {
  const session = await LanguageModel.create();
  const refused = (options, expectation) => assert.rejects(session.prompt(prompt, options), expectation);
  await refused({ responseConstraint: { pattern: "(a)\\1" } }, { name: "NotSupportedError" });
  await refused({ responseConstraint: /(?<=a)b/ }, { name: "NotSupportedError" });
  await refused({ responseConstraint: { type: "text" } }, TypeError);
  await refused({ responseConstraint: "text" }, TypeError);
  await refused({ responseConstraint: false }, TypeError);
  await refused({ responseConstraint: { allOf: [{ type: "null" }, { type: "string" }] } }, { name: "SyntaxError" });
  await refused({ omitResponseConstraintInput: true }, TypeError);
  await refused({ responseConstraint: /[a-z]{400}/ }, { name: "SyntaxError", message: /cut off/ });
  // None of them changed the session.
  assert.equal(session.contextUsage, 0);
});

test("messages that are not text, or are out of place, are refused", async () => {
  const session = await LanguageModel.create();
  const refused = (input, expectation) => assert.rejects(session.prompt(input), expectation);
  await refused([{ role: "user", content: [{ type: "image", value: new Blob([]) }] }], { name: "NotSupportedError" });
  await refused([{ role: "user", content: [{ type: "text", value: 1 }] }], TypeError);
  await refused([{ role: "robot", content: "" }], TypeError);
  await refused(
    [
      { role: "user", content: "a" },
      { role: "system", content: "b" },
    ],
    TypeError,
  );
  await refused([{ role: "user", content: "a", prefix: true }], { name: "SyntaxError" });
  await refused({ role: "user", content: "a" }, TypeError);
  await session.append("a");
  await refused([{ role: "system", content: "b" }], TypeError);
  await assert.rejects(session.append([{ role: "assistant", content: "", prefix: true }]), { name: "SyntaxError" });
  for (const options of [
    { expectedInputs: [{ type: "image" }] },
    { expectedOutputs: [{ type: "audio" }] },
    { thinking: { effort: "high" } },
  ]) {
    assert.equal(await LanguageModel.availability(options), "unavailable");
    await assert.rejects(LanguageModel.create(options), { name: "NotSupportedError" });
  }
  const text = { expectedInputs: [{ type: "text", languages: ["en", "de-CH"] }], thinking: { effort: "none" } };
  assert.equal(await LanguageModel.availability(text), "available");
  await assert.rejects(LanguageModel.create({ expectedInputs: [{ type: "text", languages: ["?"] }] }), RangeError);
  assert.throws(() => new LanguageModel(), TypeError);
});

test("an aborted prompt is forgotten, and a waiting prompt does not begin", async () => {
  const session = await createLanguageModel(model, { generate: { maxTokens: 100 } }).create();
  const controller = new AbortController();
  const { signal } = controller;
  const running = session.promptStreaming(prompt, { signal });
  const waiting = session.prompt("Never begun.", { signal });
  const kept = session.prompt("Kept.");
  const reader = running.getReader();
  await reader.read();
  const reason = new Error("enough");
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, reason);
  const answer = await kept;
  assert.equal(session.contextUsage, (await model.tokenize(`Kept.\n${answer}`, { bos: true })).length);
  // A stream that is no longer read is stopped too.
  await session.promptStreaming(prompt).cancel();
  const after = await session.prompt("Last.");
  const all = `Kept.\n${answer}\nLast.\n${after}`;
  assert.equal(session.contextUsage, (await model.tokenize(all, { bos: true })).length);
});

test("a destroyed session ends what runs with AbortError, and everything later with InvalidStateError", async () => {
  const session = await createLanguageModel(model).create();
  const running = session.prompt(prompt);
  session.destroy();
  session.destroy();
  await assert.rejects(running, { name: "AbortError" });
  const later = { name: "InvalidStateError" };
  await assert.rejects(session.prompt(prompt), later);
  await assert.rejects(read(session.promptStreaming(prompt)), later);
  await assert.rejects(session.append(prompt), later);
  await assert.rejects(session.clone(), later);
  await assert.rejects(session.measureContextUsage(prompt), later);
  // The signal of create() does the same, with its reason.
  const controller = new AbortController();
  const other = await createLanguageModel(model).create({ signal: controller.signal });
  const reason = new Error("left");
  const prompted = other.prompt(prompt);
  controller.abort(reason);
  await assert.rejects(prompted, reason);
  await assert.rejects(other.prompt(prompt), later);
  await assert.rejects(LanguageModel.create({ signal: AbortSignal.abort(reason) }), reason);
});

test("a full context drops the oldest turns but never the initial prompts, and refuses a prompt that is too long", async () => {
  const vocabulary = vocabularyOf([..."abcdefghijklmnopqrstuvwxyz"]);
  const bytes = randomModel({ vocabulary, context: 40, seed: 3 });
  const small = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  after(() => small.dispose());
  const Small = createLanguageModel(small, { generate: { seed: 1, maxTokens: 4, bannedTokens: [2] } });
  const session = await Small.create({ initialPrompts: [{ role: "system", content: "abcd" }] });
  const heard = [];
  session.addEventListener("contextoverflow", () => heard.push("listener"));
  session.oncontextoverflow = () => heard.push("handler");
  session.onquotaoverflow = () => heard.push("former handler");
  await session.append("efghijklmn");
  await session.append("opqrstuvwx");
  const full = session.contextUsage;
  assert.equal(full, 1 + 4 + 11 + 11);
  assert.deepEqual(heard, []);
  const tooLong = session.prompt("z".repeat(40));
  await assert.rejects(tooLong, { name: "QuotaExceededError", quota: 40, requested: 1 + 4 + 1 + 40 });
  assert.equal(session.contextUsage, full);
  assert.deepEqual(heard, []);
  await session.append("lmnopqrstuvwx");
  assert.deepEqual(heard, ["listener", "handler", "former handler"]);
  assert.equal(session.contextUsage, 1 + 4 + 11 + 14);
  const initialPrompts = [{ role: "user", content: "z".repeat(50) }];
  await assert.rejects(Small.create({ initialPrompts }), { name: "QuotaExceededError" });
});

test("the first session loads the model, once, and every monitor sees the progress", async () => {
  const server = createServer(async (request, response) => {
    asked++;
    if (fails) return void response.writeHead(404).end();
    const bytes = Buffer.from(await file.arrayBuffer());
    response.writeHead(200, { "Content-Length": bytes.length });
    for (let at = 0; at < bytes.length; at += 1 << 18) {
      response.write(bytes.subarray(at, at + (1 << 18)));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    response.end();
  });
  let asked = 0;
  let fails = true;
  await new Promise((resolve) => server.listen(0, () => resolve()));
  after(() => server.close());
  const Remote = createLanguageModel(`http://localhost:${server.address().port}/a.gguf`, {
    load: { worker: false, cache: false },
    ...seeded,
  });
  assert.equal(await Remote.availability(), "downloadable");
  await assert.rejects(Remote.create(), { name: "NetworkError" });
  assert.equal(await Remote.availability(), "downloadable");
  fails = false;
  asked = 0;
  const seen = [[], []];
  const creating = seen.map((list) =>
    Remote.create({
      monitor: (target) =>
        target.addEventListener("downloadprogress", ({ loaded, total }) => {
          assert.equal(total, 1);
          list.push(loaded);
        }),
    }),
  );
  const left = Remote.create({ signal: AbortSignal.timeout(30) });
  assert.equal(await Remote.availability(), "downloading");
  await assert.rejects(left, { name: "TimeoutError" });
  const sessions = await Promise.all(creating);
  assert.equal(await Remote.availability(), "available");
  assert.equal(asked, 1);
  for (const list of seen) {
    assert.equal(list[0], 0);
    assert.equal(list.at(-1), 1);
    assert.ok(list.length > 3);
    assert.deepEqual(
      list,
      [...list].sort((a, b) => a - b),
    );
  }
  assert.equal(await sessions[1].prompt(prompt), await (await LanguageModel.create()).prompt(prompt));
  const again = [];
  await Remote.create({
    monitor: (target) => target.addEventListener("downloadprogress", (e) => again.push(e.loaded)),
  });
  assert.deepEqual(again, [0, 1]);
});

test("the class becomes a global only when asked, and never replaces the browser's own", () => {
  assert.ok(!("LanguageModel" in globalThis));
  const first = createLanguageModel(model, { install: true });
  assert.equal(globalThis.LanguageModel, first);
  createLanguageModel(model, { install: true });
  assert.equal(globalThis.LanguageModel, first);
  delete globalThis.LanguageModel;
  assert.throws(() => createLanguageModel(model, { instal: true }), { code: "unknown-option" });
});

test("thoughts are not shown, and a constraint holds for what follows them", async () => {
  const pieces = vocabularyOf([]);
  const vocabulary = [...pieces, ["<|im_start|>", 0, 3], ["<|im_end|>", 0, 3], ["<think>", 0, 3], ["</think>", 0, 3]];
  const extra = { "tokenizer.chat_template": ["string", opened] };
  const bytes = randomModel({ vocabulary, extra, context: 1024 });
  const thinker = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  const letters = Array.from("abcdefgh", (letter) => 3 + letter.charCodeAt(0));
  const end = pieces.length + 3;
  const generate = { seed: 2, maxTokens: 200, logitBias: { [end]: 3 }, allowedTokens: [...letters, 2, end] };
  const session = await createLanguageModel(thinker, { generate }).create();
  const answer = await session.prompt("Yes?");
  const how = { ...generate, temperature: session.temperature, topK: session.topK };
  const { text, reasoning } = await thinker.answer([{ role: "user", content: "Yes?" }], how);
  assert.equal(answer, text);
  assert.ok(reasoning.length > 0);
  for (const clone of [await session.clone(), session])
    assert.match(await clone.prompt("No?", { responseConstraint: /[ab]{3}/ }), /^[ab]{3}$/);
  // A prefix begins the answer, not the thought.
  const begun = [
    { role: "user", content: "Well?" },
    { role: "assistant", content: "a", prefix: true },
  ];
  assert.match(await session.prompt(begun, { responseConstraint: /ab{2}/ }), /^b{2}$/);
  thinker.dispose();
});
