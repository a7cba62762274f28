// The stream of chunks: text, stop strings, finish reasons, probabilities, cancelling.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSampler, loadModel } from "lastinch";
import { StopStrings } from "../../web/decode/stop-strings.js";
import { randomModel, scriptedModel, vocabularyOf } from "./tiny-gguf.js";

/** Every chunk of a generation. */
async function collect(generation) {
  const chunks = [];
  for await (const chunk of generation) chunks.push(chunk);
  return chunks;
}

const textOf = (chunks) => chunks.map((chunk) => chunk.text).join("");
const idsOf = (chunks) => chunks.flatMap((chunk) => chunk.tokens.map((token) => token.id));

/** A model that recites `script`, and its token ids. */
async function reciter(script, options) {
  const { bytes, ids } = scriptedModel({ script, ...options });
  return { model: await loadModel(bytes, { worker: false }), ids };
}

const greedy = { temperature: 0 };

/** Counts the forward passes of a model that this thread loads while `use` runs, and shows its memory. */
async function countForwards(use) {
  const { instantiate } = WebAssembly;
  const counter = { forwards: 0, memory: null };
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    counter.memory = exports.memory ?? imports.env.memory;
    const li_model_forward = (...numbers) => {
      counter.forwards++;
      return exports.li_model_forward(...numbers);
    };
    return { exports: { ...exports, li_model_forward } };
  };
  try {
    await use(counter);
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const aToZ = vocabularyOf([..."abcdefghijklmnopqrstuvwxyz", "\u2581"]);

/** A text that ends only when the context is full. */
const endless = { bannedTokens: [2], seed: 3 };

test("a character split over several tokens arrives whole", async () => {
  const { model, ids } = await reciter(["Hi", 0xf0, 0x9f, 0x98, 0x80, 0xc3, 0xa9, "!"]);
  const chunks = await collect(model.generate("", greedy));
  assert.deepEqual(
    chunks.map(({ text }) => text),
    ["Hi", "", "", "", "😀", "", "é", "!", ""],
  );
  assert.deepEqual(idsOf(chunks), [...ids, 2]);
  assert.equal(chunks.at(-1).finishReason, "eos");
  assert.ok(chunks.slice(0, -1).every((chunk) => !("finishReason" in chunk)));
  model.dispose();
});

test("incomplete bytes become U+FFFD, at the end of the text at the latest", async () => {
  const broken = await reciter([0xe4, "x", 0xf0, 0x9f]);
  const chunks = await collect(broken.model.generate("", greedy));
  assert.deepEqual(
    chunks.map(({ text }) => text),
    ["", "\ufffdx", "", "", "\ufffd"],
  );
  broken.model.dispose();
  const cut = await reciter(["x", 0xf0, 0x9f, 0x98, 0x80]);
  assert.equal(textOf(await collect(cut.model.generate("", { ...greedy, maxTokens: 3 }))), "x\ufffd");
  cut.model.dispose();
});

test("a text ends before the stop string that begins first, however tokens split it", () => {
  let seed = 7;
  const below = (/** @type {number} */ limit) => (seed = (seed * 48271) % 0x7fffffff) % limit;
  const word = (/** @type {number} */ most) => Array.from({ length: 1 + below(most) }, () => "ab"[below(2)]).join("");
  for (let run = 0; run < 3000; run++) {
    const stops = Array.from({ length: 1 + below(3) }, () => word(6));
    const strings = new StopStrings(stops);
    let all = "";
    let given = "";
    for (let i = 0; i < 8 && !strings.isStopped; i++) {
      const piece = word(4);
      all += piece;
      given += strings.push(piece);
      const found = stops.map((stop) => all.indexOf(stop)).filter((at) => at >= 0);
      assert.equal(strings.isStopped, found.length > 0);
      // Longer strings that begin earlier may need text that comes too late.
      const longest = (/** @type {string} */ text) =>
        Math.max(
          ...stops.map((stop) => [...stop].findLastIndex((_, at) => at > 0 && text.endsWith(stop.slice(0, at)))),
        );
      const end = found.length ? Math.min(...found) : all.length - Math.max(0, longest(all));
      assert.equal(given, all.slice(0, end), JSON.stringify({ stops, all }));
    }
    assert.equal(given + strings.end(), strings.isStopped ? given : all);
  }
});

test("a stop string that is spread over tokens ends the text before it", async () => {
  const { model, ids } = await reciter(["he", "llo", "\u2581wor", "ld", "s!"]);
  const run = (stop, options) => collect(model.generate("", { ...greedy, stop, ...options }));
  const shown = async (stop) => (await run(stop)).map(({ text }) => text);

  assert.deepEqual(await shown("o wo"), ["he", "ll", ""]);
  assert.deepEqual(await shown(["nothing", "lds"]), ["he", "llo", " wor", "", ""]);
  assert.deepEqual(await shown("h"), [""]);
  // Text that could still become a stop string is held back, and released when it does not.
  assert.deepEqual(await shown("lox"), ["he", "l", "lo wor", "ld", "s!", ""]);
  assert.deepEqual(await shown(["s!?", "wormwood"]), ["he", "llo", " ", "world", "", "s!"]);
  // The first in the text counts, not the first in the list.
  assert.deepEqual(await shown(["d", "w"]), ["he", "llo", " "]);

  const chunks = await run("o wo");
  assert.equal(chunks.at(-1).finishReason, "stop");
  assert.deepEqual(idsOf(chunks), ids.slice(0, 3));
  assert.equal(textOf(await run("lox", { maxTokens: 2 })), "hello");
  model.dispose();
});

test("a stop string ends the text within a token, and before bytes that are incomplete", async () => {
  const { model } = await reciter(["abc", 0xf0, 0x9f]);
  assert.equal(textOf(await collect(model.generate("", { ...greedy, stop: "b" }))), "a");
  assert.equal(textOf(await collect(model.generate("", { ...greedy, stop: "\ufffd" }))), "abc");
  model.dispose();
});

test("maxTokens ends with length, a full context with context, the end token with eos", async () => {
  const { model } = await reciter(["a", "b", "c", "d", "e"], { context: 4 });
  const last = async (prompt, options) => (await collect(model.generate(prompt, { ...greedy, ...options }))).at(-1);
  assert.equal((await last("", { maxTokens: 2 })).finishReason, "length");
  // BOS and three tokens fill the context; the row after them gives one more token.
  const full = await collect(model.generate("", greedy));
  assert.equal(textOf(full), "abcd");
  assert.equal(full.at(-1).finishReason, "context");
  assert.equal((await last("abcd".slice(0, 3))).finishReason, "context");
  assert.equal((await last(await model.tokenize("e"))).finishReason, "eos");
  const usage = { cachedTokens: 0, completionTokens: 0, passes: 0, draftedTokens: 0, acceptedTokens: 0 };
  const none = { text: "", tokens: [], finishReason: "length", usage: { promptTokens: 3, ...usage } };
  const untimed = async (options) =>
    (await collect(model.generate("ab", options))).map(({ stats, ...chunk }) => (assert.ok(stats), chunk));
  assert.deepEqual(await untimed({ maxTokens: 0 }), [none]);
  for (const options of [{ n: 2 }, { n: 2, beams: 3 }])
    assert.deepEqual(await untimed({ maxTokens: 0, ...options }), [
      { ...none, index: 0 },
      { ...none, index: 1 },
    ]);
  await assert.rejects(collect(model.generate("abcd")), { name: "LastInchError", code: "model-context-full" });
  await assert.rejects(collect(model.generate([])), { name: "RangeError", code: "out-of-range" });
  model.dispose();
});

test("a text ends at a token of eos, not before minTokens, and with forcedLast when it is cut", async () => {
  const { model, ids } = await reciter(["a", "b", "c"]);
  const run = (options) => collect(model.generate("", { ...greedy, ...options }));
  const ended = await run({ eos: ids[1] });
  assert.deepEqual(idsOf(ended), ids.slice(0, 2));
  assert.equal(ended.at(-1).finishReason, "eos");
  // The model ends after three tokens; if that is banned, the text goes on.
  assert.deepEqual(idsOf(await run({})).slice(0, 3), ids.slice(0, 3));
  const longer = await run({ minTokens: 6, maxTokens: 8 });
  assert.ok(longer.flatMap((chunk) => chunk.tokens).length > 6);
  assert.equal(idsOf(await run({ eos: [], maxTokens: 12 })).length, 12);
  assert.deepEqual(idsOf(await run({ forcedFirst: [ids[2]], forcedLast: [ids[0], ids[0]], maxTokens: 3 })), [
    ids[2],
    ids[0],
    ids[0],
  ]);
  assert.throws(() => model.generate("", { forcedLast: [ids[0]] }), { name: "TypeError", code: "conflict" });
  const matcher = { bitmask: (into) => into, accept: () => true, rollback() {} };
  assert.throws(() => model.generate("", { grammar: matcher }), { name: "TypeError", code: "bad-type" });
  model.dispose();
});

test("the prompt is echoed only on request, and the text continues it", async () => {
  const { model } = await reciter(["a", "b", 0xc3, 0xa9, "c"], { spacePrefix: false });
  assert.equal(textOf(await collect(model.generate("ab", greedy))), "éc");
  const echoed = await collect(model.generate("ab", { ...greedy, echo: true }));
  assert.deepEqual(echoed[0], { text: "ab", tokens: [] });
  assert.equal(textOf(echoed), "abéc");
  // A prompt that ends within a character.
  assert.equal(textOf(await collect(model.generate([1, 259, 260, 3 + 0xc3], greedy))), "éc");
  model.dispose();
});

test("the space that SentencePiece puts before a text is removed only at the beginning", async () => {
  const { model } = await reciter(["\u2581a", "\u2581b"], { spacePrefix: true });
  assert.equal(textOf(await collect(model.generate("", greedy))), "a b");
  assert.equal(textOf(await collect(model.generate("a", greedy))), " b");
  assert.equal(textOf(await collect(model.generate("a", { ...greedy, echo: true }))), "a b");
  // Readers of tokens can see that.
  assert.equal(model.dropsSpace, true);
  model.dispose();
});

test("ids as a prompt are used as they are", async () => {
  const { model, ids } = await reciter(["a", "b", "c"]);
  for (const prompt of [[ids[0]], Uint32Array.of(ids[0]), Int32Array.of(ids[0])])
    assert.equal(textOf(await collect(model.generate(prompt, greedy))), "bc");
  model.dispose();
});

test("probabilities and logits are those of the sampler and the model", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 64 }), { worker: false });
  const { vocabSize } = model.config;
  const options = { temperature: 0.8, topK: 12, minP: 0.02, repetitionPenalty: 1.3, seed: 11 };
  const prompt = await model.tokenize("once upon a time", { bos: true });
  const chunks = await collect(model.generate(prompt, { ...options, maxTokens: 30, captureLogits: true }));
  const tokens = chunks.flatMap((chunk) => chunk.tokens);
  assert.ok(tokens.length > 5);

  const sampler = await createSampler({ vocabSize, ...options });
  sampler.accept(prompt, { prompt: true });
  const history = [...prompt];
  for (const { id, probability, rawLogprob, logits } of tokens) {
    assert.ok(logits instanceof Float32Array);
    assert.deepEqual(logits, await model.forward(history));
    const { tokens: kept, probabilities } = sampler.distribution(logits);
    assert.ok(Math.abs(probabilities[kept.indexOf(id)] - probability) < 1e-6);
    assert.equal(sampler.sample(logits), id);
    assert.equal(sampler.lastProbability, probability);
    const peak = Math.max(...logits);
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit - peak), 0);
    assert.ok(Math.abs(logits[id] - peak - Math.log(total) - rawLogprob) < 1e-5);
    history.push(id);
  }
  sampler.dispose();
  const without = await collect(model.generate(prompt, { ...options, maxTokens: 3 }));
  assert.ok(without.every((chunk) => chunk.tokens.every((token) => !("logits" in token))));
  model.dispose();
});

test("the same seed writes the same text, in a Worker and in the calling thread", async () => {
  const bytes = randomModel({ vocabulary: aToZ, context: 80 });
  const here = await loadModel(bytes, { worker: false });
  const there = await loadModel(bytes, { worker: true });
  const run = async (model, seed) => {
    const chunks = await collect(model.generate("abc", { ...endless, topP: 0.9, captureLogits: true, seed }));
    // Only what an earlier text has left in the model differs, and the time.
    delete chunks.at(-1).usage.cachedTokens;
    delete chunks.at(-1).stats;
    return chunks;
  };
  const first = await run(here, 5);
  assert.ok(first.length > 60);
  assert.deepEqual(await run(here, 5), first);
  assert.deepEqual(await run(there, 5), first);
  assert.notEqual(textOf(await run(here, 6)), textOf(first));
  const [one, two] = await Promise.all([1, 2].map(() => collect(here.generate("abc", { bannedTokens: [2] }))));
  assert.notEqual(textOf(one), textOf(two), "without a seed texts differ");
  here.dispose();
  there.dispose();
});

test("every token comes in its own chunk", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 200 }), { worker: true });
  const chunks = await collect(model.generate("", endless));
  assert.equal(chunks.length, 200);
  assert.ok(chunks.every((chunk) => chunk.tokens.length === 1));
  model.dispose();
});

test("the padding of a vocabulary is never drawn", async () => {
  const bytes = randomModel({ vocabulary: aToZ, rows: aToZ.length + 400, context: 200 });
  const model = await loadModel(bytes, { worker: false });
  assert.equal(model.config.vocabSize, aToZ.length + 400);
  const ids = idsOf(await collect(model.generate("", { ...endless, temperature: 100 })));
  assert.ok(Math.max(...ids) < aToZ.length);
  model.dispose();
});

test("the model is at most 64 tokens ahead of the reader", async () => {
  await countForwards(async (counter) => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context: 400 }), { worker: false });
    const generation = model.generate("", endless);
    await later(20);
    assert.equal(counter.forwards, 0, "nothing runs before it is asked for");
    for (let read = 1; read <= 150; read++) {
      assert.equal((await generation.next()).done, false);
      assert.ok(counter.forwards <= read + 64, `${counter.forwards} tokens when ${read} were read`);
    }
    for (let waits = 0; counter.forwards < 150 + 32 && waits < 200; waits++) await later(25);
    assert.ok(counter.forwards >= 150 + 32, "it goes on ahead of a reader who rests");
    await later(50);
    assert.ok(counter.forwards <= 150 + 64);
    const rest = await collect(generation);
    assert.equal(rest.length, 250);
    model.dispose();
  });
});

test("an abort ends the text within one token", async () => {
  await countForwards(async (counter) => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context: 4000 }), { worker: false });
    const controller = new AbortController();
    const chunks = [];
    let atAbort = 0;
    for await (const chunk of model.generate("", { ...endless, signal: controller.signal })) {
      chunks.push(chunk);
      if (chunks.length === 100) {
        controller.abort();
        atAbort = counter.forwards;
      }
    }
    assert.equal(chunks.length, 101);
    assert.deepEqual(chunks.at(-1), { text: "", tokens: [], finishReason: "abort" });
    await later(50);
    assert.ok(counter.forwards <= atAbort + 1, `${counter.forwards - atAbort} more tokens were computed`);
    model.dispose();
  });
});

test("an abort drops the chunks that the reader has not read yet", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 400 }), { worker: true });
  const controller = new AbortController();
  const generation = model.generate("", { ...endless, signal: controller.signal });
  await generation.next();
  await later(100); // by now many chunks are ready
  controller.abort();
  assert.equal((await generation.next()).value.finishReason, "abort");
  assert.deepEqual(await generation.next(), { done: true, value: undefined });
  model.dispose();
});

test("an abort ends a waiting read, and the computation of a long prompt", async () => {
  await countForwards(async (counter) => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context: 100_000 }), {
      worker: false,
      contextLength: 100_000,
    });
    const controller = new AbortController();
    const prompt = new Uint32Array(50_000).fill(260);
    const generation = model.generate(prompt, { ...endless, signal: controller.signal });
    const waiting = generation.next();
    while (!counter.forwards) await later(1);
    controller.abort();
    assert.deepEqual(await waiting, { done: false, value: { text: "", tokens: [], finishReason: "abort" } });
    assert.deepEqual(await generation.next(), { done: true, value: undefined });
    await later(10);
    const { forwards } = counter;
    await later(30);
    assert.equal(counter.forwards, forwards);
    model.dispose();
  });
});

test("a signal that is already aborted gives only the abort chunk", async () => {
  const { model } = await reciter(["a"]);
  const chunks = await collect(model.generate("", { signal: AbortSignal.abort() }));
  assert.deepEqual(chunks, [{ text: "", tokens: [], finishReason: "abort" }]);
  const controller = new AbortController();
  assert.equal(textOf(await collect(model.generate("", { ...greedy, signal: controller.signal }))), "a");
  controller.abort(); // after the end: nothing happens
  model.dispose();
});

test("leaving the loop cancels", async () => {
  await countForwards(async (counter) => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context: 4000 }), { worker: false });
    let atBreak = 0;
    for await (const chunk of model.generate("", endless)) {
      atBreak = counter.forwards;
      assert.equal(chunk.tokens.length, 1);
      break;
    }
    await later(50);
    assert.ok(counter.forwards <= atBreak + 1);
    const generation = model.generate("", endless);
    await generation.next();
    assert.deepEqual(await generation.return(), { done: true, value: undefined });
    assert.deepEqual(await generation.next(), { done: true, value: undefined });
    model.dispose();
  });
});

test("many calls of generate take no more memory than a few", async () => {
  await countForwards(async (counter) => {
    const model = await loadModel(randomModel({ vocabulary: aToZ }), { worker: false });
    const run = async (count) => {
      for (let i = 0; i < count; i++)
        await collect(model.generate("abc", { maxTokens: 1, topK: 5, logitBias: { 5: 1 } }));
    };
    await run(20);
    const { byteLength } = counter.memory.buffer;
    await run(300);
    assert.equal(counter.memory.buffer.byteLength, byteLength);
    model.dispose();
  });
});

test("the model's errors reach the reader", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ }), { worker: true });
  const all = Array.from({ length: aToZ.length }, (_, id) => id);
  const expected = { name: "LastInchError", code: "nothing-left", message: /mask/ };
  await assert.rejects(collect(model.generate("a", { bannedTokens: all })), expected);
  assert.equal((await collect(model.generate("a", { maxTokens: 1 }))).length, 1, "and the model goes on");
  model.dispose();
});

test("options are checked, and none is ignored", async () => {
  const { model } = await reciter(["a"]);
  const refuses = (options, expected) => assert.throws(() => model.generate("", options), expected);
  refuses({ maxTokns: 3 }, { name: "TypeError", code: "unknown-option", message: /maxTokens/ });
  refuses({ temprature: 1 }, { name: "TypeError", code: "unknown-option", message: /temperature/ });
  refuses({ constructor: 1 }, { name: "TypeError", code: "unknown-option" });
  refuses({ schemaOfJson: {} }, { code: "unknown-option", message: /^(?!.*maxTokens.*maxTokens).*grammar/ });
  refuses({ grammar: { type: "object" } }, { code: "bad-type", message: /^grammar .*compileGrammar/ });
  refuses({ maxTokens: -1 }, { name: "RangeError", code: "out-of-range", message: /from 0 to/ });
  refuses({ maxTokens: 1.5 }, { name: "RangeError" });
  refuses({ maxTokens: "5" }, { name: "TypeError", code: "bad-type" });
  refuses({ maxTokens: 5, max_tokens: 6 }, { name: "TypeError", code: "conflict" });
  refuses({ topP: 2 }, { name: "RangeError", code: "out-of-range" });
  refuses({ stop: "" }, { name: "RangeError" });
  refuses({ stop: [3] }, { name: "TypeError", code: "bad-type" });
  refuses({ signal: {} }, { name: "TypeError", code: "bad-type" });
  refuses({ echo: 1 }, { name: "TypeError", code: "bad-type" });
  refuses({ captureLogits: "yes" }, { name: "TypeError", code: "bad-type" });
  refuses({ vocabSize: 3 }, { name: "TypeError", code: "conflict" });
  refuses(null, { name: "TypeError", code: "bad-type" });
  assert.throws(() => model.generate(5), { name: "TypeError", code: "bad-type" });
  assert.throws(() => model.generate([model.config.vocabSize]), { name: "RangeError", code: "out-of-range" });
  assert.throws(() => model.generate([-1]), { name: "RangeError" });
  const chunks = await collect(model.generate("", { max_tokens: 1, top_k: 1 }));
  assert.equal(chunks.at(-1).finishReason, "length");
  model.dispose();
});

test("an abort drops tokens written ahead, even of a complete text", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 400 }), { worker: false });
  const controller = new AbortController();
  const chunks = [];
  for await (const chunk of model.generate("", { ...endless, maxTokens: 40, signal: controller.signal })) {
    chunks.push(chunk);
    if (chunks.length > 1) continue;
    await later(100); // enough time for all 40
    controller.abort();
  }
  assert.equal(chunks.length, 2);
  assert.equal(chunks[1].finishReason, "abort");
  model.dispose();
});
