// What a model says about its work: how fast each text was, sums over all, entries of performance.measure, and how much of
// a prompt has been read. A clock that forward passes drive makes the numbers exact.
import assert from "node:assert/strict";
import { performance as timeline, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { collect, collectAll, load } from "./decode-tools.js";
import { randomModel } from "./tiny-gguf.js";

const file = randomModel({ context: 1024 });
const letters = Array.from("abcdefgh", (letter) => 3 + letter.charCodeAt(0));
const prompt = Array.from({ length: 300 }, (_, i) => letters[(i * i) % 7]);
const options = { allowedTokens: letters, seed: 1 };

/**
 * Runs `use` while only forward passes take time, `rowMs` for each row and `passMs` more for each pass. The second argument
 * has the rows of each pass.
 */
async function withClock({ rowMs, passMs = 0, file: played = file }, use) {
  const { instantiate } = WebAssembly;
  const { now } = performance;
  let clock = 1000;
  const passes = [];
  passes.seen = () => {};
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const li_model_forward = (model, count) => {
      clock += passMs + count * rowMs;
      passes.push(count);
      passes.seen();
      return exports.li_model_forward(model, count);
    };
    return { exports: { ...exports, li_model_forward } };
  };
  performance.now = () => clock;
  try {
    return await use(await load(played), passes);
  } finally {
    Object.assign(WebAssembly, { instantiate });
    performance.now = now;
  }
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const isNear = (a, b) => assert.ok(Math.abs(a - b) < 1e-6 * Math.abs(b), `${a}, ${b}`);

test("the last chunk says how fast the prompt was read and the text written", async () => {
  await withClock({ rowMs: 2, passMs: 3 }, async (model, passes) => {
    const first = await collect(model.generate(prompt, { ...options, maxTokens: 41 }));
    const { stats } = first.chunks.at(-1);
    for (const chunk of first.chunks.slice(0, -1)) assert.equal(chunk.stats, undefined);
    const promptPasses = passes.slice(0, -40);
    assert.equal(sum(promptPasses), 300);
    const promptMs = 3 * promptPasses.length + 2 * 300;
    isNear(stats.promptMs, promptMs);
    isNear(stats.firstTokenMs, promptMs);
    isNear(stats.promptRate, 300_000 / promptMs);
    isNear(stats.textMs, 40 * 5);
    isNear(stats.textRate, 200);
    assert.ok(stats.memory > file.length && stats.memory % 65536 === 0);
    assert.deepEqual(model.stats.last, { ...first.usage, ...stats });
    // 299 tokens of the same prompt are in the cache.
    const second = await model.complete(prompt, { ...options, maxTokens: 1 });
    assert.equal(second.usage.cachedTokens, 299);
    isNear(second.stats.promptMs, 5);
    isNear(second.stats.promptRate, 200);
    assert.deepEqual([second.stats.textMs, second.stats.textRate], [0, 0]);
    const none = await model.complete([...prompt, 4], { ...options, maxTokens: 0 });
    assert.deepEqual([none.stats.promptRate, none.stats.textRate], [0, 0]);
    model.dispose();
  });
});

test("textRate counts the tokens of all texts that stand at the end, but not those that came with the prompt", async () => {
  await withClock({ rowMs: 1 }, async (model, passes) => {
    /** The chunks, and the milliseconds after the prompt. */
    const write = async (further) => {
      const start = sum(passes);
      const calls = [];
      const onPrompt = () => calls.push(sum(passes));
      const { chunks } = await collect(model.generate(prompt, { ...options, onPrompt, ...further }));
      const { stats, usage } = chunks.at(-1);
      isNear(stats.promptMs, calls.at(-1) - start);
      const textMs = sum(passes) - calls.at(-1);
      isNear(stats.textMs, textMs);
      return { chunks, textMs, rate: stats.textRate, tokens: usage.completionTokens };
    };
    const each = await write({ n: 3, maxTokens: 21 });
    isNear(each.rate, 1000);
    isNear(each.textMs, 60);
    const searched = await write({ beams: 3, n: 2, temperature: 0, maxTokens: 11 });
    isNear(searched.textMs, 30);
    // Both texts are known at the end of the search.
    for (const { stats } of searched.chunks) isNear(stats.textRate, (1000 * 20) / 30);
    const contrasted = await write({ penaltyAlpha: 0.5, topK: 4, maxTokens: 11 });
    isNear(contrasted.rate, (1000 * 11) / contrasted.textMs);
    const guessed = await write({ draft: "lookup", draftTokens: 4, maxTokens: 60 });
    isNear(guessed.rate, (1000 * 59) / guessed.textMs);
    // Two letters at random repeat themselves, and are taken back, also after the reader has seen them.
    const few = { allowedTokens: letters.slice(0, 2), maxTokens: 60 };
    const redrawn = await write({ ...few, loops: { action: "redraw", period: [1, 4], turns: 3, least: 6 } });
    assert.ok(redrawn.chunks.some(({ takenBack }) => takenBack?.tokens));
    assert.ok(redrawn.textMs > redrawn.tokens);
    isNear(redrawn.rate, (1000 * (redrawn.tokens - 1)) / redrawn.textMs);
    const banned = await write({ maxTokens: 60, bannedStrings: ["ab", "cd", "ef", "gh"] });
    assert.ok(banned.textMs > 59);
    isNear(banned.rate, (1000 * 59) / banned.textMs);
    model.dispose();
  });
});

test("a text that waits for its reader takes no time meanwhile", async () => {
  await withClock({ rowMs: 1 }, async (model) => {
    const text = model.generate(prompt, { ...options, maxTokens: 200 });
    let last;
    for await (const chunk of text) {
      // Another text runs while this one waits for its reader.
      if (!last)
        for (let other = 0; other < 3; other++) await model.complete(prompt.slice(1), { ...options, maxTokens: 50 });
      last = chunk;
    }
    isNear(last.stats.textMs, 199);
    isNear(last.stats.textRate, 1000);
    model.dispose();
  });
});

test("stats sum what the texts have read, found and written, and leave out what was aborted", async () => {
  const model = await load(file);
  const { load: loading, memory, ...before } = model.stats;
  assert.ok(loading.ms > 0 && loading.bytes === file.length && loading.keptBytes === 0);
  assert.ok(memory > file.length);
  const sums = { texts: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0 };
  assert.deepEqual(before, { contextLength: 1024, ...sums, last: null });
  const add = ({ usage }) => {
    sums.texts++;
    for (const name of ["promptTokens", "cachedTokens", "completionTokens"]) sums[name] += usage[name];
  };
  add(await model.complete(prompt, { ...options, maxTokens: 5 }));
  (await collectAll(model.generate(prompt.slice(3), { ...options, n: 3, maxTokens: 7 }))).forEach(add);
  (await collectAll(model.generate(prompt, { ...options, beams: 3, n: 2, temperature: 0, maxTokens: 6 }))).forEach(add);
  for await (const chunk of model.generate(prompt, { ...options, maxTokens: 9 })) {
    void chunk;
    break;
  }
  await model.complete(prompt, { ...options, signal: AbortSignal.abort() });
  const { texts, promptTokens, cachedTokens, completionTokens, last } = model.stats;
  assert.deepEqual({ texts, promptTokens, cachedTokens, completionTokens }, sums);
  last.promptTokens = -1;
  assert.ok(model.stats.last.promptTokens > 0, "a copy");
  model.dispose();
});

test("loads, prompts and texts are entries of performance.measure, of which the newest stay", async () => {
  const seen = [];
  const observer = new PerformanceObserver((list) => seen.push(...list.getEntries()));
  observer.observe({ entryTypes: ["measure"] });
  const model = await load(file);
  for (let i = 0; i < 3; i++) await model.complete(prompt, { ...options, maxTokens: 5 });
  seen.push(...observer.takeRecords()); // those that it has not been told of yet
  observer.disconnect();
  const own = seen.filter(({ name }) => name.startsWith("lastinch "));
  const names = (list) => list.map(({ name }) => name.slice(9));
  assert.deepEqual(names(own), ["load", ...Array(3).fill(["prompt", "text"]).flat()]);
  for (const { detail, duration } of own) {
    assert.equal(detail.devtools.track, "lastinch");
    assert.ok(duration >= 0);
  }
  assert.equal(own[1].detail.promptTokens, 300);
  assert.equal(own[1].startTime + own[1].duration, own[2].startTime);
  const kept = timeline.getEntriesByType("measure").filter(({ name }) => name.startsWith("lastinch "));
  assert.deepEqual(names(kept).sort(), ["load", "prompt", "text"]);
  model.dispose();
});

test("the entry of a prompt lasts until the prompt has been read, also where the first token comes later", async () => {
  for (const further of [
    {},
    { n: 2 },
    { beams: 3, temperature: 0 },
    { beams: 3, temperature: 0, captureBeams: true },
    { bannedStrings: ["abcdefgh".repeat(4)] },
    { penaltyAlpha: 0.5, topK: 4 },
  ])
    await withClock({ rowMs: 1 }, async (model, passes) => {
      const calls = [];
      const onPrompt = () => calls.push(sum(passes));
      const { chunks } = await collect(model.generate(prompt, { ...options, maxTokens: 20, onPrompt, ...further }));
      const { stats } = chunks.at(-1);
      const entry = (name) => timeline.getEntriesByName(`lastinch ${name}`)[0];
      const note = JSON.stringify(further);
      isNear(entry("prompt").duration, calls.at(-1));
      isNear(entry("text").startTime, entry("prompt").startTime + calls.at(-1));
      isNear(entry("text").duration, sum(passes) - calls.at(-1));
      assert.ok(stats.firstTokenMs >= entry("prompt").duration, note);
      if (further.beams) isNear(stats.firstTokenMs, sum(passes));
      model.dispose();
    });
});

test("a prompt is read in passes of about 50 ms, or of four rows, so that it can be stopped", async () => {
  for (const [rowMs, most, passMs] of [
    [0.1, 64],
    [1, 52],
    [4, 12],
    [30, 4],
    // Slower than any stop should be: four rows share the loads of the weights.
    [150, 4],
    // A pass costs something itself.
    [1, 28, 20],
    [1, 4, 300],
  ])
    await withClock({ rowMs, passMs }, async (model, passes) => {
      for (const ids of [prompt, prompt.map((id) => 200 - id), prompt.map((id) => id + 20)])
        await model.complete(ids, { ...options, maxTokens: 1 });
      // Nothing is known of the device before the first pass.
      assert.equal(passes[0], 4);
      assert.equal(Math.max(...passes), most, `${rowMs} ms: ${passes}`);
      const controller = new AbortController();
      passes.length = 0;
      passes.seen = () => passes.length === 2 && controller.abort();
      const text = await collect(model.generate(prompt.toReversed(), { ...options, signal: controller.signal }));
      assert.equal(text.finishReason, "abort");
      assert.equal((await model.complete([5], { ...options, maxTokens: 1 })).finishReason, "length");
      assert.deepEqual(passes.slice(2), [1], "nothing more was read of the prompt");
      model.dispose();
    });
});

test("onPrompt says how much of the prompt has been read", async () => {
  const model = await load(file);
  const other = await load(randomModel({ context: 1024, seed: 2 }));
  await model.complete(prompt.slice(0, 100), { ...options, maxTokens: 1 });
  let from = 100;
  for (const further of [
    {},
    { n: 3 },
    { beams: 3, temperature: 0 },
    { draft: other },
    { guidance: 2 },
    { guidance: 2, negativePrompt: prompt.toReversed() },
    { contrast: { model: other } },
    { penaltyAlpha: 0.5, topK: 4 },
    { loops: "redraw" },
  ]) {
    const ids = [...prompt.slice(0, from), ...prompt.slice(from).toReversed()];
    const calls = [];
    const onPrompt = (progress) => calls.push(progress);
    const chunks = [];
    for await (const chunk of model.generate(ids, { ...options, maxTokens: 4, onPrompt, ...further }))
      chunks.push(chunk);
    const { usage } = chunks.at(-1);
    const note = JSON.stringify(Object.keys(further));
    assert.ok(calls.length > 1, note);
    assert.ok(calls.every(({ total }) => total === usage.promptTokens));
    const tokens = calls.map((call) => call.tokens);
    assert.deepEqual(
      tokens,
      [...new Set(tokens)].sort((a, b) => a - b),
      note,
    );
    assert.ok(tokens[0] >= usage.cachedTokens, note);
    assert.equal(tokens.at(-1), usage.promptTokens, note);
    from -= 10;
  }
  for (const one of [model, other]) one.dispose();
});

test("onPrompt hears nothing of a negative prompt that parts from another text", async () => {
  await withClock({ rowMs: 1, file: floatFile("qwen35") }, async (model, passes) => {
    const negative = randomNumbers("negative", 60, 256);
    await model.complete(negative, { maxTokens: 1, seed: 1 });
    passes.length = 0;
    const calls = [];
    const onPrompt = ({ tokens }) => calls.push([tokens, sum(passes)]);
    const parted = [...negative.slice(0, 40), 7, 8, 9];
    const guided = { maxTokens: 1, seed: 1, guidance: 2, negativePrompt: parted, onPrompt };
    const { stats } = await model.complete(randomNumbers("prompt", 90, 256), guided);
    // The negative prompt comes first, to where it parts, and then its last three tokens.
    assert.ok(calls.length > 1 && calls.at(-1)[0] === 90, `${calls}`);
    for (const [tokens, rows] of calls) assert.equal(rows, 43 + tokens);
    isNear(stats.promptMs, 43 + 90);
    model.dispose();
  });
});

test("an error of onPrompt ends the text and reaches the caller; the model stays usable", async () => {
  const reason = new Error("mine");
  const onPrompt = () => {
    throw reason;
  };
  for (const worker of [true, false]) {
    const model = await load(file, { worker });
    await assert.rejects(model.complete(prompt, { ...options, onPrompt }), reason);
    assert.equal((await model.complete(prompt, { ...options, maxTokens: 2 })).tokens.length, 2);
    await assert.rejects(model.complete(prompt, { onPrompt: 1 }), { name: "TypeError", code: "bad-type" });
    model.dispose();
  }
});
