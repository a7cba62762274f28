// A Worker that dies takes its calls with it, but not the models: the next call loads them again.
import assert from "node:assert/strict";
import { readFile, writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import threads from "node:worker_threads";
import { compileGrammar, loadModel } from "lastinch";
import draft from "lastinch/models/draft";
import storyteller from "lastinch/models/storyteller";
import { Generation } from "../../web/model/generation.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

/** The Workers of models so far. @type {threads.Worker[]} */
const workers = [];
/** The kinds of messages to each. @type {Map<threads.Worker, string[]>} */
const posted = new Map();
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    if (given[1].name !== "lastinch") return;
    workers.push(this);
    posted.set(this, []);
  }
  postMessage(message, transfer) {
    posted.get(this)?.push(message?.kind);
    super.postMessage(message, transfer);
  }
};
after(() => void (threads.Worker = Worker));

/** Ends the Worker as a browser that needs memory does. */
const kill = () => workers.at(-1).terminate();

const options = { maxTokens: 60, seed: 3, temperature: 0.8 };
const prompt = "Once upon a time";

/** Reads a text until the Worker has been killed after some chunks. */
async function readUntilLost(chunks, count, before = () => {}) {
  const read = [];
  try {
    for await (const chunk of chunks) {
      if (read.push(chunk) !== count) continue;
      before();
      kill();
    }
  } catch (error) {
    return { read, error };
  }
  throw new Error("it was not lost");
}

test("calls of a lost Worker end with worker-lost and the text so far; the next call loads the model again", async () => {
  const model = await loadModel(storyteller);
  const expected = (await model.complete(prompt, options)).text;
  const endless = { ...options, maxTokens: 400, bannedTokens: model.vocabulary.eos };
  const whole = (await model.complete(prompt, endless)).text;
  const before = workers.length;

  let score;
  const { read, error } = await readUntilLost(model.generate(prompt, endless), 3, () => {
    score = model.score(expected).catch((error) => error);
  });
  assert.equal((await score).code, "worker-lost");
  assert.equal(error.code, "worker-lost");
  assert.match(error.message, /next call/);
  const text = read.map((chunk) => chunk.text).join("");
  assert.ok(text.length > 0 && text.length < whole.length);
  assert.equal(error.text, text, "every chunk that came was read");
  assert.ok(whole.startsWith(text));

  const [first, second] = await Promise.all([model.complete(prompt, options), model.complete(prompt, options)]);
  assert.deepEqual([first.text, second.text], [expected, expected]);
  assert.equal(workers.length, before + 1, "one Worker for both");
  const collected = model.complete(prompt, endless).catch((error) => error);
  for (let i = 0; i < 5; i++) await model.tokenize("a"); // meanwhile it writes
  await kill();
  const { code, text: soFar } = await collected;
  assert.equal(code, "worker-lost");
  assert.ok(whole.startsWith(soFar), soFar);
  assert.equal((await model.complete(prompt, options)).text, expected);
  model.dispose();
  await assert.rejects(model.score("a"), { code: "disposed" });
});

test("a lost text of several continuations tells each of them, a lost answer only its answer", async () => {
  const chatTemplate = "{% for m in messages %}{{ m.content }}{% endfor %}";
  const model = await loadModel(storyteller);
  const endless = { ...options, maxTokens: 400, bannedTokens: model.vocabulary.eos };
  const { read, error } = await readUntilLost(model.generate(prompt, { ...endless, n: 2 }), 40);
  const texts = ["", ""];
  for (const { text, index } of read) texts[index] += text;
  assert.deepEqual(error.texts, texts);
  assert.equal(error.text, texts[0]);
  const messages = [{ role: "user", content: prompt }];
  const lost = await readUntilLost(model.chat(messages, { ...endless, chatTemplate, loops: "ignore" }), 10);
  assert.equal(lost.error.text, lost.read.map(({ text }) => text).join(""));
  model.dispose();
});

test("a call brings back the models that it needs, and grammars and options work as before", async () => {
  const model = await loadModel(storyteller);
  const small = await loadModel(draft);
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex: "[a-z ]{10,20}" });
  const calls = [
    { ...options, draft: small, draftTokens: 4 },
    { ...options, contrast: { model: small } },
    { ...options, grammar },
    { ...options, jsonSchema: { enum: ["yes", "no"] } },
  ];
  const run = async (call) => (await model.complete(prompt, call)).text;
  const expected = [];
  for (const call of calls) expected.push(await run(call));
  for (const [i, call] of calls.entries()) {
    await kill();
    assert.equal(await run(call), expected[i]);
  }
  await kill();
  const rows = await model.forward([1, 2, 3], { rows: "all" });
  assert.deepEqual(await model.forward([2, 3], { keep: 1, rows: "all" }), rows.slice(1));
  await kill();
  await assert.rejects(model.forward([4], { keep: 3 }), { code: "out-of-range" }, "the tokens of a lost text are gone");
  small.dispose();
  await kill();
  assert.equal(await run(options), await run(options));
  model.dispose();
});

test("what can be read only once must be loaded anew", async () => {
  const bytes = await readFile(fileURLToPath(draft));
  for (const source of [bytes, new Blob([bytes]).stream(), new Response(bytes)]) {
    const model = await loadModel(source);
    await kill();
    await assert.rejects(
      model.score("a b"),
      ({ code, message }) => code === "worker-lost" && /only once/.test(message),
    );
    await assert.rejects(model.complete("a"), { code: "worker-lost", text: "" });
    model.dispose();
  }
  const model = await loadModel(new Blob([bytes]));
  const expected = await model.score("a b");
  await kill();
  assert.deepEqual(await model.score("a b"), expected);
  model.dispose();
});

test("a function of the page's own is called again, and a failed load is tried again", async () => {
  const bytes = await readFile(fileURLToPath(draft));
  let calls = 0;
  let isOffline = false;
  const fetch = async () => {
    calls++;
    if (isOffline) throw new TypeError("offline");
    return new Response(bytes, { headers: { "content-length": String(bytes.length) } });
  };
  const model = await loadModel("https://example.org/draft.gguf", { fetch });
  const expected = await model.score("a b");
  await kill();
  isOffline = true;
  await assert.rejects(model.score("a b"), { code: "model-download" });
  isOffline = false;
  assert.deepEqual(await model.score("a b"), expected);
  assert.equal(calls, 3);
  model.dispose();
});

test("another model at the address is refused", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "lastinch-lost-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "model.gguf");
  await writeFile(file, randomModel({ vocabulary: vocabularyOf(["a", "b"]) }));
  const model = await loadModel(pathToFileURL(file));
  await writeFile(file, randomModel({ vocabulary: vocabularyOf(["a", "c"]) }));
  await kill();
  await assert.rejects(model.tokenize("a"), ({ code, message }) => code === "worker-lost" && /another/.test(message));
  await writeFile(file, randomModel({ vocabulary: vocabularyOf(["a", "b"]) }));
  assert.equal((await model.tokenize("a")).length, 1);
  model.dispose();
});

test("an error that the Worker does not catch counts as its end, and a new model gets a new one", async () => {
  const model = await loadModel(draft);
  const expected = await model.score("a b");
  const before = workers.length;
  workers.at(-1).postMessage(null);
  workers.at(-1).ref();
  await new Promise((resolve) => workers.at(-1).once("exit", resolve));
  const other = await loadModel(draft);
  assert.deepEqual(await other.score("a b"), expected);
  assert.deepEqual(await model.score("a b"), expected);
  assert.equal(workers.length, before + 1);
  other.dispose();
  model.dispose();
});

test("a model that is disposed of while it is loaded again starts no call", async () => {
  const model = await loadModel(storyteller);
  await kill();
  const before = workers.length;
  const lost = assert.rejects(model.score("a b"), { code: "disposed" });
  while (!posted.get(workers[before])?.includes("load")) await new Promise(setImmediate);
  model.dispose();
  await lost;
});

test("a model that is disposed of while a thread starts for it is not loaded into that", async () => {
  const model = await loadModel(draft);
  const other = await loadModel(draft);
  const expected = await other.score("a b");
  await kill();
  const before = workers.length;
  const lost = assert.rejects(model.score("a b"), { code: "disposed" });
  model.dispose();
  await lost;
  assert.deepEqual(await other.score("a b"), expected);
  assert.equal(workers.length, before + 1);
  assert.deepEqual(posted.get(workers.at(-1)), ["load", "score"]);
  await kill();
  const last = assert.rejects(other.score("a b"), { code: "disposed" });
  other.dispose();
  await last;
  await loadModel(draft).then((model) => model.dispose());
  assert.equal(workers.length, before + 3, "one for the call, one for the new model, none for what was disposed of");
});

test("a model that is disposed of while the page's own fetch answers again is freed when it is there", async () => {
  const bytes = await readFile(fileURLToPath(draft));
  const answers = [];
  const fetch = () => new Promise((resolve) => answers.push(() => resolve(new Response(bytes))));
  const loading = loadModel("https://example.org/draft.gguf", { fetch });
  while (!answers.length) await new Promise(setImmediate);
  answers[0]();
  const model = await loading;
  const other = await loadModel(draft);
  await kill();
  const lost = assert.rejects(model.score("a b"), { code: "disposed" });
  while (answers.length < 2) await other.tokenize("a");
  model.dispose();
  await lost;
  answers[1]();
  const kinds = posted.get(workers.at(-1));
  const last = () => kinds.filter((kind) => kind === "load" || kind === "dispose").join(" ");
  while (last() !== "load dispose load dispose") await other.tokenize("a");
  other.dispose();
});

test("a reader who leaves a lost text, or aborts it, hears nothing of the loss", async () => {
  const model = await loadModel(storyteller);
  const endless = { ...options, maxTokens: 400, bannedTokens: model.vocabulary.eos };
  for (const isAborted of [false, true]) {
    const controller = new AbortController();
    const generation = model.generate(prompt, { ...endless, signal: controller.signal });
    await generation.next();
    for (let i = 0; i < 5; i++) await model.tokenize("a"); // meanwhile chunks come that nobody has read
    await kill();
    await new Promise((resolve) => setImmediate(resolve));
    if (isAborted) controller.abort();
    else await generation.return();
    if (isAborted) assert.equal((await generation.next()).value.finishReason, "abort");
    assert.equal((await generation.next()).done, true);
  }
  model.dispose();
});

test("a loss that comes when all chunks are read is not told to a reader who leaves or aborts then", async () => {
  const link = { drop() {}, post() {}, wait: (promise) => promise };
  for (const isAborted of [false, true]) {
    let listener;
    const controller = new AbortController();
    const begin = (given) => ((listener = given), 1);
    const generation = new Generation(link, controller.signal, begin, { watch: () => (chunk) => chunk });
    const first = generation.next();
    listener.chunk({ text: "a", tokens: [1] });
    await first;
    listener.failed(Object.assign(new Error("gone"), { code: "worker-lost" }));
    if (isAborted) controller.abort();
    else await generation.return();
    if (isAborted) assert.equal((await generation.next()).value.finishReason, "abort");
    assert.equal((await generation.next()).done, true);
  }
});

test("a call whose reader has left during the load is not made", async () => {
  const model = await loadModel(storyteller);
  await kill();
  const controller = new AbortController();
  const generation = model.generate(prompt, { ...options, signal: controller.signal });
  const first = generation.next();
  controller.abort();
  assert.equal((await first).value.finishReason, "abort");
  assert.ok((await model.complete(prompt, options)).text.length > 10);
  model.dispose();
});
