// Several continuations of one prompt, side by side: one prefill, a random stream for each, every probability.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar, createSampler } from "lastinch";
import {
  collect,
  collectAll,
  countForwards,
  load,
  logSoftmax,
  rowsOf,
  shipped,
  summary,
  warmUp,
} from "./decode-tools.js";
import { randomModel } from "./tiny-gguf.js";

const prompt = "One day, a little boy named Tim went to the";

test("continuation i is the text that stream i writes alone", async () => {
  const model = await load(shipped("storyteller"));
  const options = { seed: 12, temperature: 1.2, topP: 0.95, maxTokens: 40, repetitionPenalty: 1.2, noRepeatNgram: 4 };
  for (const stream of [0, 5]) {
    const group = await collectAll(model.generate(prompt, { ...options, stream, n: 8 }));
    assert.equal(group.length, 8);
    assert.ok(new Set(group.map(({ text }) => text)).size === 8);
    for (const [i, one] of group.entries()) {
      const alone = await collect(model.generate(prompt, { ...options, stream: stream + i }));
      assert.deepEqual([one.ids, one.text, one.finishReason], [alone.ids, alone.text, alone.finishReason]);
      assert.deepEqual(one.tokens, alone.tokens);
      assert.equal(one.usage.completionTokens, one.ids.length);
    }
  }
  model.dispose();
});

test("every token comes with its probability in the sampling distribution and in the model's own", async () => {
  const model = await load(shipped("storyteller"));
  const ids = await model.tokenize(prompt, { bos: true });
  const options = { seed: 3, temperature: 0.8, topK: 40, frequencyPenalty: 0.5 };
  const group = await collectAll(model.generate(ids, { ...options, n: 4, maxTokens: 20, captureLogits: true }));
  for (const [stream, { tokens, ids: text }] of group.entries()) {
    const rows = await rowsOf(model, ids, text);
    const sampler = await createSampler({ vocabSize: model.config.vocabSize, ...options, stream });
    sampler.accept(ids, { prompt: true });
    for (const [i, { id, probability, rawLogprob, logits }] of tokens.entries()) {
      assert.deepEqual(logits, rows[i]);
      assert.ok(Math.abs(rawLogprob - logSoftmax(rows[i])[id]) < 1e-6);
      const all = sampler.distribution(rows[i]);
      assert.ok(Math.abs(probability - all.probabilities[all.tokens.indexOf(id)]) < 1e-6);
      assert.equal(sampler.sample(rows[i]), id);
    }
    sampler.dispose();
  }
  model.dispose();
});

test("all members share one pass of the prompt, and a step is one pass", async () => {
  await countForwards(async (counter) => {
    const model = await load(randomModel({ context: 128 }));
    await warmUp(model, counter);
    const ids = [1, ...Array.from({ length: 40 }, (_, i) => 50 + i)];
    const options = { seed: 1, bannedTokens: [2], maxTokens: 10 };
    const group = await collectAll(model.generate(ids, { ...options, n: 8 }));
    // All but the last token of the prompt, then eight rows a step: the first step begins with that token.
    assert.equal(counter.rows, 40 + 8 * 10);
    assert.equal(counter.forwards, 1 + 10);
    assert.ok(group.every(({ usage }) => usage.passes === 10 && usage.promptTokens === 41 && usage.cachedTokens === 0));
    const again = await collectAll(model.generate(ids, { ...options, seed: 2, n: 8 }));
    assert.ok(again.every(({ usage }) => usage.cachedTokens === 40));
    assert.equal(counter.rows, 40 + 2 * 8 * 10);
    // More members than a pass has rows.
    counter.forwards = 0;
    const many = await collectAll(model.generate(ids, { ...options, seed: 3, n: 64, maxTokens: 5 }));
    assert.equal(counter.forwards, 5);
    assert.ok(new Set(many.map(({ ids }) => ids.join())).size > 60);
    model.dispose();
  });
});

test("continuations share the memory of their prompt", async () => {
  const grown = (n) =>
    countForwards(async (counter) => {
      const model = await load(randomModel({ context: 2048, dim: 256 }));
      const ids = Array.from({ length: 1900 }, (_, i) => 3 + (i % 256));
      await collect(model.generate(ids, { seed: 1, maxTokens: 1 }));
      const before = counter.memory.buffer.byteLength;
      await collectAll(model.generate(ids, { seed: 1, n, maxTokens: 16, bannedTokens: [2] }));
      model.dispose();
      return counter.memory.buffer.byteLength - before;
    });
  // A position takes 2 KB here, so that eight copies of the prompt would take 30 MB.
  const bytes = await grown(8);
  console.log(`# 8 continuations of 1,900 tokens: ${(bytes / 2 ** 20).toFixed(2)} MB`);
  assert.ok(bytes < 4 * 2 ** 20, `${bytes}`);
});

test("chunks have the index of their continuation, and each continuation ends on its own", async () => {
  const model = await load(randomModel());
  const chunks = [];
  const options = {
    seed: 8,
    n: 6,
    maxTokens: 25,
    eos: Array.from({ length: 12 }, (_, i) => 100 + 5 * i),
    stop: ["A", "é"],
  };
  for await (const chunk of model.generate([1, 40], options)) chunks.push(chunk);
  const reasons = new Set();
  for (let i = 0; i < 6; i++) {
    const own = chunks.filter(({ index }) => index === i);
    const one = summary(own);
    reasons.add(one.finishReason);
    assert.equal(own.filter(({ finishReason }) => finishReason).length, 1);
    assert.deepEqual(one.usage.completionTokens, one.ids.length);
    assert.equal(one.usage.passes, one.ids.length);
    const alone = await collect(model.generate([1, 40], { ...options, n: 1, stream: i }));
    assert.deepEqual([one.ids, one.text, one.finishReason], [alone.ids, alone.text, alone.finishReason]);
    assert.ok(alone.chunks.every((chunk) => !("index" in chunk)));
  }
  assert.ok(reasons.has("eos") && reasons.size > 1, [...reasons].join());
  // All continuations share the echo.
  const [echo] = await (async () => {
    const all = [];
    for await (const chunk of model.generate([1, 40], { seed: 1, n: 2, maxTokens: 2, echo: true })) all.push(chunk);
    return all;
  })();
  assert.deepEqual([echo.index, echo.text, echo.tokens], [undefined, "%", []]);
  model.dispose();
});

test("an abort ends all continuations", async () => {
  const model = await load(randomModel({ context: 2048 }));
  const controller = new AbortController();
  const generation = model.generate([1, 40], { seed: 1, n: 4, bannedTokens: [2], signal: controller.signal });
  const chunks = [];
  for await (const chunk of generation) {
    chunks.push(chunk);
    if (chunks.length === 10) controller.abort();
  }
  assert.equal(chunks.length, 11);
  assert.equal(chunks[10].finishReason, "abort");
  // Leaving the loop stops the texts too, and the model is free for the next one.
  for await (const _ of model.generate([1, 40], { seed: 1, n: 4, bannedTokens: [2] })) break;
  assert.equal((await collect(model.generate([1], { seed: 1, maxTokens: 3, bannedTokens: [2] }))).ids.length, 3);
  model.dispose();
});

test("every continuation has its own place in the grammar", async () => {
  const model = await load(shipped("storyteller"));
  const regex = " (park|house|big [a-z]+) (with|and) [a-z ]{4,20}\\.";
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex });
  const options = { grammar, seed: 4, temperature: 1.5, maxTokens: 60 };
  const group = await collectAll(model.generate(prompt, { ...options, n: 6 }));
  for (const [i, { text, ids, finishReason }] of group.entries()) {
    if (finishReason === "eos") assert.match(text, new RegExp(`^${regex}$`));
    assert.deepEqual(ids, (await collect(model.generate(prompt, { ...options, stream: i }))).ids);
  }
  assert.ok(new Set(group.map(({ text }) => text)).size > 3);
  grammar.dispose();
  model.dispose();
});

test("greedy continuations are equal; a count out of range is refused", async () => {
  const model = await load(randomModel());
  const group = await collectAll(model.generate([1, 40], { temperature: 0, n: 3, maxTokens: 8 }));
  assert.ok(group.every(({ text }) => text === group[0].text));
  for (const n of [0, 65, 1.5, "2"]) assert.throws(() => model.generate([1], { n }));
  // Streams are numbered up to 2^32 - 1.
  await assert.rejects(collectAll(model.generate([1], { n: 2, stream: 2 ** 32 - 1, seed: 1 })), { name: "RangeError" });
  model.dispose();
});
