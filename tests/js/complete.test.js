// One text in one call, and prompts that are conversations.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { collect } from "../../web/model/complete.js";

const passes = { count: 0, each: () => {} };
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (module, imports) => {
  const { exports } = await instantiate(module, imports);
  if (!exports.li_model_forward) return { exports };
  const li_model_forward = (...given) => {
    passes.count++;
    passes.each();
    return exports.li_model_forward(...given);
  };
  return { exports: { ...exports, li_model_forward } };
};

const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const models = await Promise.all([false, true].map((worker) => loadModel(new Blob([file]), { cache: false, worker })));
const [model] = models;
after(() => models.forEach((one) => one.dispose()));
const prompt = "Once upon a time";

test("complete gives the text, tokens, usage and reason of generate", async () => {
  for (const by of models)
    for (const options of [
      { maxTokens: 30, seed: 1 },
      { stop: ".", seed: 2 },
      { maxTokens: 0 },
      { choice: ["a dog", "a cat"], seed: 3 },
      { beams: 3, maxTokens: 12 },
      { echo: true, maxTokens: 5, seed: 4 },
    ]) {
      const chunks = [];
      for await (const chunk of by.generate(prompt, options)) chunks.push(chunk);
      const result = await by.complete(prompt, options);
      assert.deepEqual(Object.keys(result).sort(), ["finishReason", "stats", "text", "tokens", "usage"]);
      assert.equal(result.text, chunks.map(({ text }) => text).join(""));
      const tokens = chunks.flatMap((chunk) => chunk.tokens);
      assert.deepEqual(result.tokens, tokens);
      const { finishReason, usage } = chunks.at(-1);
      assert.equal(result.finishReason, finishReason);
      // What an earlier text has computed is not computed again.
      assert.deepEqual({ ...result.usage, cachedTokens: 0, passes: 0 }, { ...usage, cachedTokens: 0, passes: 0 });
      assert.equal(result.usage.completionTokens, tokens.length);
    }
  const ids = await model.tokenize(prompt, { bos: true });
  const options = { maxTokens: 8, temperature: 0 };
  assert.equal((await model.complete(ids, options)).text, (await model.complete(prompt, options)).text);
});

test("complete gives only one text; several texts and the steps of a search need generate", async () => {
  const conflict = (options, name) =>
    assert.rejects(
      model.complete(prompt, options),
      ({ code, message }) => code === "conflict" && message.includes(name),
    );
  await conflict({ n: 2 }, "model.generate");
  await conflict({ num_return_sequences: 3 }, "model.generate");
  await conflict({ beams: 4, n: 2 }, "model.generate");
  await conflict({ beams: 4, captureBeams: true }, "model.generate");
  assert.equal((await model.complete(prompt, { n: 1, maxTokens: 1 })).tokens.length, 1);
});

test("an abort gives the text so far", async () => {
  const whole = await model.complete(prompt, { seed: 5, maxTokens: 60 });
  const controller = new AbortController();
  const start = passes.count;
  passes.each = () => passes.count === start + 20 && controller.abort();
  const cut = await model.complete(prompt, { seed: 5, maxTokens: 60, signal: controller.signal });
  passes.each = () => {};
  assert.equal(cut.finishReason, "abort");
  assert.equal(cut.usage, undefined);
  assert.ok(cut.text.length > 10 && cut.text.length < whole.text.length && whole.text.startsWith(cut.text), cut.text);
  assert.deepEqual(
    cut.tokens.map(({ id }) => id),
    whole.tokens.slice(0, cut.tokens.length).map(({ id }) => id),
  );
  const none = await model.complete(prompt, { signal: controller.signal });
  assert.deepEqual(none, { text: "", tokens: [], finishReason: "abort" });
});

test("errors reject the promise", async () => {
  await assert.rejects(model.complete(prompt, { topq: 1 }), { code: "unknown-option" });
  await assert.rejects(model.complete(5), { code: "bad-type" });
  await assert.rejects(model.complete(prompt, { regex: "(" }), { code: "grammar-syntax" });
  await assert.rejects(model.complete("word ".repeat(5000)), { code: "model-context-full" });
  const own = await loadModel(new Blob([file]), { cache: false, worker: false });
  const waiting = own.complete(prompt);
  own.dispose();
  await assert.rejects(waiting, { code: "disposed" });
  await assert.rejects(own.complete(prompt), { code: "disposed" });
});

test("messages are not a prompt: the error names chat", async () => {
  const message = { role: "user", content: "Hello" };
  for (const messages of [[message], message, [{ role: "user" }]]) {
    const refused = (call) => ({ name: "TypeError", code: "bad-type", message: new RegExp(`^${call} .*model\\.chat`) });
    assert.throws(() => model.generate(messages), refused("generate"));
    await assert.rejects(model.complete(messages), refused("complete"));
    await assert.rejects(model.score(messages), refused("score"));
  }
  await assert.rejects(model.score("word ".repeat(5000)), { code: "model-context-full" });
});

test("the chunks of a chat are collected with their reasoning and their calls", async () => {
  const token = { id: 1, probability: 1, rawLogprob: 0 };
  const usage = /** @type {any} */ ({ completionTokens: 2 });
  async function* chunks() {
    yield { reasoning: "It is ", tokens: [token] };
    yield { reasoning: "late.", tokens: [] };
    yield { text: "Good ", tokens: [token] };
    yield { text: "night", toolCalls: [{ name: "sleep" }], tokens: [] };
    yield { toolCalls: [{ name: "dream" }], tokens: [], usage, finishReason: "toolCalls" };
  }
  assert.deepEqual(await collect(chunks()), {
    text: "Good night",
    reasoning: "It is late.",
    toolCalls: [{ name: "sleep" }, { name: "dream" }],
    tokens: [token, token],
    usage,
    finishReason: "toolCalls",
  });
});
