// Text from sessions of onnxruntime-web, which run our model (see tests/vectors/export-onnx.js).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { InferenceSession, Tensor, env } from "onnxruntime-web";
import { after, before, test } from "node:test";
import { compileGrammar, createBeamSearch, createSampler } from "lastinch";
import { openSession, vocabularyOf } from "lastinch/onnxruntime";
import { Graph } from "../vectors/onnx-file.js";
import { argmax, collect, collectAll, load, logSoftmax, shipped } from "./decode-tools.js";
import { fakeDevice, onDevice } from "./fake-device.js";
import { openPeer } from "./onnx-tools.js";

env.wasm.numThreads = 1;
env.logLevel = "error";

let session, halfSession, vocabulary, model, tokenizer, file;
before(async () => {
  const peer = await openPeer("draft");
  tokenizer = peer.tokenizer;
  vocabulary = vocabularyOf(peer);
  file = (name) => readFileSync(`${peer.folder.models}${peer.folder.name}/onnx/${name}.onnx`);
  session = await InferenceSession.create(file("model"));
  halfSession = await InferenceSession.create(file("model_fp16"));
  model = openSession(session, { Tensor, vocabulary, contextLength: 512 });
});
after(async () => {
  await session?.release();
  await halfSession?.release();
});

const idsOf = (text) => tokenizer(text).input_ids.tolist()[0].map(Number);
const story = "Once upon a time, there was";

/** What our sampler chooses from the rows that came with the tokens. */
async function replay(tokens, prompt, options) {
  const sampler = await createSampler({ vocabSize: tokens[0].logits.length, tokenCount: 2048, eos: 2, ...options });
  sampler.accept(prompt, { prompt: true });
  const chosen = tokens.map(({ logits }) => {
    const id = sampler.sample(logits);
    return { id, probability: sampler.lastProbability };
  });
  sampler.dispose();
  return chosen;
}

/** The rows that the tokens of a text are chosen from, computed without a cache. */
async function rowsWithoutCache(ids) {
  const whole = (values) => new Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
  const empty = session.inputMetadata
    .filter(({ name }) => name.startsWith("past"))
    .map(({ name, shape }) => [name, new Tensor("float32", new Float32Array(), [1, shape[1], 0, shape[3]])]);
  const feeds = {
    input_ids: whole(ids),
    attention_mask: whole(ids.map(() => 1)),
    position_ids: whole([...ids.keys()]),
  };
  const { logits } = await session.run({ ...feeds, ...Object.fromEntries(empty) });
  return ids.map((_, i) => logits.data.slice(i * 2048, (i + 1) * 2048));
}

const near = (a, b, tolerance) => a.every((value, i) => Math.abs(value - b[i]) <= tolerance);
const knobs = { temperature: 1.1, topP: 0.92, repetitionPenalty: 1.2, presencePenalty: 0.3 };

test("a prompt can be a text if the vocabulary comes from a tokenizer", async () => {
  const written = async (given) => {
    let text = "";
    for await (const chunk of model.generate(given, { maxTokens: 8, temperature: 0 })) text += chunk.text;
    return text;
  };
  const ids = tokenizer.encode("Once upon a time");
  assert.equal(await written("Once upon a time"), await written(ids.ids ?? ids));
  const mute = openSession(session, { Tensor, vocabulary: { tokens: vocabulary.tokens, eos: [2] } });
  assert.throws(() => mute.generate("Once"), { code: "bad-type", message: /vocabularyOf/ });
});

test("a text is the sampler's choice from the session's logits, with and without the cache", async () => {
  const prompt = idsOf(story);
  const options = { ...knobs, seed: 5, maxTokens: 40, captureLogits: true };
  const { tokens, ids, text, finishReason, usage, chunks } = await collect(model.generate(prompt, options));
  const expected = await replay(tokens, prompt, { ...knobs, seed: 5 });
  assert.deepEqual(
    tokens.map(({ id, probability }) => ({ id, probability })),
    expected,
  );
  const rows = (await rowsWithoutCache([...prompt, ...ids.slice(0, -1)])).slice(prompt.length - 1);
  tokens.forEach(({ id, logits, rawLogprob }, i) => {
    assert.ok(near(logits, rows[i], 1e-4));
    assert.ok(Math.abs(rawLogprob - logSoftmax(logits)[id]) < 1e-6);
  });
  assert.equal(text, tokenizer.decode([...prompt, ...ids], { skip_special_tokens: true }).slice(story.length));
  assert.equal(finishReason, "length");
  assert.equal(chunks.length, 40);
  assert.deepEqual(usage, {
    promptTokens: prompt.length,
    cachedTokens: 0,
    completionTokens: 40,
    passes: 40,
    draftedTokens: 0,
    acceptedTokens: 0,
  });
});

test("chunks have the shape of model.generate's", async () => {
  const own = await load(shipped("draft"));
  // How fast a text was is what a model's own thread knows.
  const shape = ({ stats: _stats, ...chunk }) => [
    Object.keys(chunk).sort(),
    Object.keys(chunk.tokens[0]).sort(),
    chunk.usage && Object.keys(chunk.usage).sort(),
  ];
  for (const options of [{ temperature: 0 }, { n: 2, seed: 1 }, { beams: 3 }]) {
    const all = { maxTokens: 8, ...options };
    const [ours, theirs] = await Promise.all([
      collect(model.generate(idsOf(story), all)),
      collect(own.generate(story, all)),
    ]);
    assert.deepEqual(shape(ours.chunks[0]), shape(theirs.chunks[0]));
    assert.deepEqual(shape(ours.chunks.at(-1)), shape(theirs.chunks.at(-1)));
    assert.equal(ours.finishReason, theirs.finishReason);
  }
  const nothing = { maxTokens: 0, n: 2 };
  const [ours, theirs] = [await collect(model.generate([1], nothing)), await collect(own.generate([1], nothing))];
  assert.deepEqual(
    ours.chunks,
    theirs.chunks.map(({ stats: _stats, ...chunk }) => chunk),
  );
  own.dispose();
});

test("a group is one batch: continuation i is the text of stream i, and finished texts leave the batch", async () => {
  const prompt = idsOf(story);
  const options = { ...knobs, maxTokens: 250, seed: 8, stop: "park", captureLogits: true };
  const group = await collectAll(model.generate(prompt, { ...options, n: 5 }));
  assert.ok(new Set(group.map(({ ids }) => ids.length)).size > 2, "they end at different times");
  for (const [i, { tokens, text, ids, finishReason, usage }] of group.entries()) {
    const chosen = await replay(tokens, prompt, { ...knobs, seed: 8, stream: i });
    assert.deepEqual(
      ids,
      chosen.map(({ id }) => id),
    );
    // The rows are those of this text, not of another in the batch.
    const rows = (await rowsWithoutCache([...prompt, ...ids.slice(0, -1)])).slice(prompt.length - 1);
    assert.ok(tokens.every(({ logits }, row) => near(logits, rows[row], 2e-4)));
    assert.ok(!text.includes("park"));
    if (finishReason === "stop") assert.match(tokenizer.decode(ids), /park/);
    assert.equal(usage.passes, ids.length);
  }
});

test("lookup drafts change no text, and repetitive texts take fewer passes", async () => {
  const prompt = idsOf("The cat sat on the mat. The cat sat on the mat. The cat sat on the mat. The cat");
  for (const sampling of [{ temperature: 0 }, { temperature: 0.6, seed: 2, repetitionPenalty: 0.9 }]) {
    const options = { ...sampling, maxTokens: 60 };
    const plain = await collect(model.generate(prompt, options));
    for (const draftTokens of ["auto", 3]) {
      const drafted = await collect(
        model.generate(prompt, { ...options, draft: "lookup", draftTokens, captureLogits: true }),
      );
      assert.deepEqual(drafted.ids, plain.ids);
      const { passes, draftedTokens, acceptedTokens, completionTokens } = drafted.usage;
      assert.equal(completionTokens, drafted.ids.length);
      assert.equal(passes, completionTokens - acceptedTokens);
      assert.ok(acceptedTokens > 0 && draftedTokens > acceptedTokens, JSON.stringify(drafted.usage));
      const rows = (await rowsWithoutCache([...prompt, ...drafted.ids.slice(0, -1)])).slice(prompt.length - 1);
      assert.ok(drafted.tokens.every(({ logits }, row) => near(logits, rows[row], 1e-4)));
    }
  }
});

for (const [name, beams] of Object.entries({
  "of one group": { beams: 4, lengthPenalty: 0.8 },
  "in groups that avoid each other": { beams: 4, beamGroups: 2, diversityPenalty: 1.5 },
}))
  test(`beams ${name} are those of a search without a cache`, async () => {
    const prompt = idsOf(story);
    const shared = { ...beams, maxTokens: 12, badWords: [idsOf(" girl").slice(1)] };
    const found = await collectAll(model.generate(prompt, { ...shared, n: 3 }));
    const search = await createBeamSearch({ ...shared, n: 3, vocabSize: 2048, eos: 2, prompt });
    while (!search.isOver) {
      const rows = [];
      for (const { tokens } of search.beams) rows.push((await rowsWithoutCache([...prompt, ...tokens])).at(-1));
      search.step(rows);
    }
    const { results } = search;
    search.dispose();
    assert.equal(found.length, 3);
    for (const [i, { ids, chunks, tokens }] of found.entries()) {
      assert.deepEqual(ids, results[i].tokens);
      assert.ok(Math.abs(chunks[0].score - results[i].score) < 1e-3);
      tokens.forEach(({ probability, rawLogprob }, j) => {
        assert.ok(Math.abs(Math.log(probability) - results[i].logprobs[j]) < 1e-3);
        assert.ok(Math.abs(rawLogprob - results[i].logprobs[j]) < 1e-3, "a ban makes nothing likelier");
      });
    }
  });

test("beams end at stop strings and at the end of the context", async () => {
  const prompt = idsOf(story);
  const stopped = await collectAll(model.generate(prompt, { beams: 3, n: 2, maxTokens: 40, stop: "." }));
  for (const { text, finishReason, ids } of stopped) {
    assert.equal(finishReason, "stop");
    assert.ok(!text.includes(".") && tokenizer.decode(ids).endsWith("."));
  }
  const short = openSession(session, { Tensor, vocabulary, contextLength: prompt.length + 4 });
  const [full] = await collectAll(short.generate(prompt, { beams: 2, n: 1 }));
  assert.deepEqual([full.finishReason, full.ids.length], ["context", 5]);
});

test("half precision: rows of float16 bits, keys and values too, and padding that is never chosen", async () => {
  const half = openSession(halfSession, { Tensor, vocabulary });
  assert.equal(half.vocabSize, 2064);
  const prompt = idsOf(story);
  const options = { temperature: 1.2, topP: 0.95, seed: 3, maxTokens: 40, captureLogits: true };
  const { tokens, ids } = await collect(half.generate(prompt, options));
  assert.ok(tokens.every(({ logits }) => logits instanceof Uint16Array && logits.length === 2064));
  const chosen = await replay(tokens, prompt, { temperature: 1.2, topP: 0.95, seed: 3 });
  assert.deepEqual(
    ids,
    chosen.map(({ id }) => id),
  );
  const greedy = { temperature: 0, maxTokens: 30 };
  assert.deepEqual(
    (await collect(half.generate(prompt, greedy))).ids,
    (await collect(model.generate(prompt, greedy))).ids,
  );
  const drafted = await collect(half.generate(prompt, { ...greedy, maxTokens: 80, draft: "lookup" }));
  assert.deepEqual(drafted.ids, (await collect(half.generate(prompt, { ...greedy, maxTokens: 80 }))).ids);
  const biased = { maxTokens: 1, logitBias: { 2050: 1000 } };
  assert.ok((await collect(half.generate(prompt, biased))).ids[0] < 2048);
  const whole = { ...biased, tokenCount: 2064 };
  assert.deepEqual((await collect(half.generate(prompt, whole))).ids, [2050]);
});

test("with a JSON Schema every text is an instance, whether drawn, drafted or found by beams", async () => {
  const properties = { name: { type: "string", maxLength: 8 }, age: { type: "integer", minimum: 3, maximum: 99 } };
  const jsonSchema = { type: "object", properties, required: ["name", "age"], additionalProperties: false };
  const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact" });
  const prompt = idsOf(story);
  for (const options of [
    { n: 8, temperature: 2, seed: 1 },
    { n: 3, beams: 4 },
  ]) {
    const texts = await collectAll(model.generate(prompt, { grammar, maxTokens: 80, ...options }));
    assert.equal(texts.length, options.n);
    for (const { text, finishReason } of texts) {
      assert.equal(finishReason, "eos");
      const { name, age, ...rest } = JSON.parse(text);
      assert.ok([...name].length <= 8 && age >= 3 && age <= 99 && Number.isInteger(age), text);
      assert.deepEqual(rest, {});
    }
  }
  const { text } = await collect(model.generate(prompt, { grammar, draft: "lookup", seed: 4, maxTokens: 80 }));
  assert.deepEqual(Object.keys(JSON.parse(text)), ["name", "age"]);
  grammar.dispose();
});

test("a text ends at eos, a stop string, maxTokens or a full context, with the finish reason of each", async () => {
  const prompt = idsOf(story);
  const ended = async (options, of = model) => {
    const { finishReason, ids, text } = await collect(of.generate(prompt, options));
    return { finishReason, count: ids.length, text };
  };
  assert.deepEqual(await ended({ logitBias: { 2: 1000 } }), { finishReason: "eos", count: 1, text: "" });
  const stopped = await ended({ temperature: 0, stop: ["ttle gir", "zebra"] });
  assert.deepEqual([stopped.finishReason, stopped.text], ["stop", " a li"]);
  assert.deepEqual(await ended({ maxTokens: 0 }), { finishReason: "length", count: 0, text: "" });
  const short = openSession(session, { Tensor, vocabulary, contextLength: prompt.length + 2 });
  for (const options of [{}, { draft: "lookup" }, { n: 1, maxTokens: 50 }])
    assert.deepEqual((await ended({ seed: 1, ...options }, short)).count, 3);
  assert.equal((await ended({ seed: 1 }, short)).finishReason, "context");
  const mute = openSession(session, { Tensor });
  const { text, ids } = await collect(mute.generate(prompt, { temperature: 0, maxTokens: 4 }));
  assert.deepEqual([text, ids.length], ["", 4]);
});

test("no draft runs beyond the context or maxTokens", async () => {
  const prompt = idsOf("The cat sat on the mat. The cat sat on the mat. The cat sat");
  const lengths = [];
  const { inputMetadata, outputMetadata } = session;
  const run = (feeds, fetches) => {
    lengths.push(feeds.attention_mask.dims[1]);
    return session.run(feeds, fetches);
  };
  const contextLength = prompt.length + 4;
  const short = openSession({ inputMetadata, outputMetadata, run }, { Tensor, vocabulary, contextLength });
  const options = { draft: "lookup", temperature: 0 };
  const { usage } = await collect(short.generate(prompt, options));
  assert.ok(usage.draftedTokens > 0);
  assert.equal(Math.max(...lengths), contextLength);
  lengths.length = 0;
  assert.equal((await collect(short.generate(prompt, { ...options, maxTokens: 3 }))).ids.length, 3);
  assert.ok(Math.max(...lengths) < prompt.length + 3);
});

test("on a device keys and values are moved there, and of the logits only the wanted rows are read", async () => {
  const prompt = idsOf("a dog and a dog and a");
  // Padded rows of halves do not begin where bindings may.
  for (const [real, vocabSize, bytes] of [
    [session, 2048, 4],
    [halfSession, 2064, 2],
  ]) {
    const here = openSession(real, { Tensor, vocabulary });
    for (const options of [
      { seed: 2 },
      { n: 3, seed: 2, stop: "." },
      { beams: 3 },
      { draft: "lookup", temperature: 0 },
    ]) {
      const device = fakeDevice();
      const far = openSession(onDevice(real, Tensor), { Tensor, vocabulary, device });
      // This device runs no kernels: rows are read whole.
      const all = { maxTokens: 20, logprobs: true, ...options };
      const texts = async (of) => (await collect(of.generate(prompt, all))).chunks;
      const chunks = await texts(far);
      assert.deepEqual(chunks, await texts(here));
      const { read, reads, moves } = device.counts;
      const drawn = chunks.flatMap(({ tokens }) => tokens).length;
      const { passes } = chunks.at(-1).usage;
      const rows = read / (bytes * vocabSize);
      assert.ok(options.n || options.beams ? reads <= 20 : reads === passes, `${reads} reads in ${passes} passes`);
      if (options.draft) assert.ok(rows > passes && rows < 9 * passes);
      else if (!options.beams)
        assert.equal(rows, drawn + 1 - (options.n ?? 1)); // the prompt's row serves all
      else assert.ok(rows <= 1 + 3 * 20, `${rows} rows`);
      // Each move is a text of one tensor, or of a cut one a head.
      const tensors = real.outputMetadata.length - 1;
      assert.equal(moves % tensors, 0);
      assert.equal(moves > 0, Object.keys(options).length > 1 || !!options.beams, JSON.stringify(options));
      assert.deepEqual(
        device.buffers.filter(({ isDestroyed }) => !isDestroyed),
        [],
      );
    }
  }
  const device = fakeDevice();
  const left = openSession(onDevice(session, Tensor), { Tensor, device });
  for await (const { tokens } of left.generate(prompt, { logprobs: true })) if (tokens.length) break;
  assert.ok(
    device.buffers.length && device.buffers.every(({ isDestroyed }) => isDestroyed),
    "leaving the loop frees all",
  );
});

test("a device without memory, or lost, has its code, and every buffer is freed", async () => {
  const start = () => {
    const device = fakeDevice();
    const far = openSession(onDevice(session, Tensor), { Tensor, device });
    return { device, text: far.generate(idsOf(story), { logprobs: true, n: 2, seed: 1 }) };
  };
  const ends = async ({ device, text }, code, passes) => {
    await assert.rejects(
      (async () => {
        let count = 0;
        for await (const { tokens } of text) if (tokens.length && ++count === 2 * passes) device.lose();
      })(),
      { code },
    );
    assert.ok(device.buffers.length && device.buffers.every(({ isDestroyed }) => isDestroyed));
  };
  for (const k of [1, 3, 12]) {
    const begun = start();
    begun.device.refuse(k);
    await ends(begun, "out-of-memory", Infinity);
  }
  await ends(start(), "gpu-lost", 3);
  const lost = start();
  lost.device.lose();
  await ends(lost, "gpu-lost", Infinity);
  const small = start();
  small.device.limits.maxStorageBufferBindingSize = 4096;
  await ends(small, "out-of-memory", Infinity);
});

test("a session whose keys and values are on a GPU is refused without its device, with the line to write", async () => {
  const { inputMetadata, outputMetadata } = session;
  const run = async (feeds, fetches) => {
    const results = await session.run(feeds, fetches);
    for (const [name, { type, dims }] of Object.entries(results))
      if (name !== "logits") results[name] = Tensor.fromGpuBuffer({}, { dataType: type, dims });
    return results;
  };
  const far = openSession({ inputMetadata, outputMetadata, run }, { Tensor });
  const text = far.generate([1, 2]);
  await assert.rejects(text.next(), { code: "conflict", message: /device: await env\.webgpu\.device/ });
  assert.throws(() => openSession(session, { Tensor, device: /** @type {any} */ ({}) }), { code: "bad-type" });
  assert.throws(() => model.generate([1], { logprobs: /** @type {any} */ (1) }), { code: "bad-type" });
  for await (const { tokens } of model.generate([1], { logprobs: false, maxTokens: 1 }))
    assert.ok(!("rawLogprob" in tokens[0]));
});

test("a signal ends a text, leaving the loop stops the model, and texts take turns", async () => {
  const prompt = idsOf(story);
  const controller = new AbortController();
  const chunks = [];
  for await (const chunk of model.generate(prompt, { seed: 1, signal: controller.signal })) {
    chunks.push(chunk);
    if (chunks.length === 3) controller.abort();
  }
  assert.equal(chunks.length, 4);
  assert.deepEqual(chunks.at(-1), { text: "", tokens: [], finishReason: "abort" });
  const aborted = await collect(model.generate(prompt, { beams: 2, signal: AbortSignal.abort() }));
  assert.deepEqual(aborted.chunks, [{ text: "", tokens: [], finishReason: "abort" }]);
  const options = { temperature: 0, maxTokens: 10 };
  const [a, b, alone] = await Promise.all([
    collect(model.generate(prompt, options)),
    collect(model.generate(idsOf("The dog"), options)),
    collect(model.generate(prompt, options)),
  ]);
  assert.deepEqual(a.ids, alone.ids);
  assert.notDeepEqual(a.ids, b.ids);
});

test("options without a meaning here are refused, with the reason", () => {
  const refused = (options, code, message = /./, of = model, prompt = [1]) =>
    assert.throws(() => of.generate(prompt, options), { code, message });
  refused({ topp: 1 }, "unknown-option", /topP/);
  refused({ topP: 2 }, "out-of-range");
  refused({ heal: true }, "conflict", /\bheal\b/);
  refused({ guidance: 2 }, "conflict", /guidance/);
  refused({ dola: "low" }, "conflict", /dola/);
  refused({ jsonSchema: {} }, "conflict", /jsonSchema/);
  refused({ penaltyAlpha: 0.5, topK: 4 }, "conflict", /penaltyAlpha/);
  refused({ captureBeams: true, beams: 2 }, "conflict", /captureBeams/);
  refused({ contrast: { model: {} } }, "conflict", /lookup/);
  refused({ draft: "lookahead" }, "conflict", /lookup/);
  refused({ draft: {} }, "conflict", /lookup/);
  refused({ draft: "lookup", n: 2 }, "conflict", /\bn\b/);
  refused({ draft: "lookup", beams: 2 }, "conflict");
  refused({ beams: 2, topK: 3 }, "conflict");
  refused({ grammar: {} }, "bad-type", /compileGrammar/);
  refused({ stop: "a" }, "conflict", /vocabulary/, openSession(session, { Tensor }));
  refused({}, "out-of-range", /no token/, model, []);
  refused({}, "out-of-range", /2048/, model, [2048]);
  refused({}, "out-of-range", /\b513\b/, model, new Array(513).fill(5));
});

/** The smallest session with a cache: logits that say the last id again. */
async function tinySession({ type = "float32", batch = "batch", size = 8, extra, past = ["past", 4], drop = [] } = {}) {
  const graph = new Graph();
  graph.input("input_ids", "int64", [batch, "rows"]);
  if (extra) graph.input(extra, "int64", [batch, "rows"]);
  const shape = [batch, 2, ...past];
  if (!drop.includes("past")) graph.input("past_key_values.0.key", type, shape);
  const zeros = graph.floats(
    new Float32Array(size * size).map((_, i) => (i % (size + 1) ? 0 : 5)),
    [size, size],
  );
  graph.op("Gather", [zeros, "input_ids"], {}, "logits");
  graph.output("logits", "float32", [batch, "rows", size]);
  if (!drop.includes("present")) {
    const key = drop.includes("past") ? graph.floats(new Float32Array(8), [1, 2, 1, 4]) : "past_key_values.0.key";
    graph.op("Identity", [key], {}, "present.0.key");
    graph.output("present.0.key", type, [batch, 2, ...past]);
  }
  return InferenceSession.create(graph.finish());
}

test("a session without the needed inputs is refused when it is opened", async () => {
  const open = async (how, options = {}) => openSession(await tinySession(how), { Tensor, ...options });
  const refused = (how, message, options) => assert.rejects(open(how, options), { code: "bad-type", message });
  await refused({ extra: "token_type_ids" }, /inputs token_type_ids/);
  await refused({ drop: ["past"] }, /past_key_values/);
  await refused({ drop: ["present"] }, /present\.0\.key/);
  await refused({ past: [7, 4] }, /length is unknown/);
  await refused({ past: ["past", "heads"] }, /length is unknown/);
  await refused({ type: "int64" }, /is int64/);
  await assert.rejects(open({}, { Tensor: undefined }), { code: "bad-type", message: /Tensor/ });
  await assert.rejects(open({}, { tensor: 1 }), { code: "unknown-option" });
  await assert.rejects(open({}, { vocabSize: 9 }), { code: "conflict" });
  assert.throws(() => openSession({}, { Tensor }), { code: "bad-type", message: /InferenceSession/ });

  const real = await tinySession();
  const [logits, ...rest] = real.outputMetadata;
  const outputMetadata = [{ ...logits, shape: ["batch", "rows", "vocabulary"] }, ...rest];
  const vague = { inputMetadata: real.inputMetadata, outputMetadata, run: (...given) => real.run(...given) };
  assert.throws(() => openSession(vague, { Tensor }), { code: "bad-type", message: /vocabSize/ });
  const sized = openSession(vague, { Tensor, vocabSize: 8 });
  assert.deepEqual((await collect(sized.generate([3], { temperature: 0, maxTokens: 3 }))).ids, [3, 3, 3]);
  const single = await open({ batch: 1 });
  assert.deepEqual((await collect(single.generate([4], { temperature: 0, maxTokens: 2 }))).ids, [4, 4]);
  assert.throws(() => single.generate([4], { n: 2 }), { code: "conflict" });
  assert.throws(() => single.generate([4], { beams: 2 }), { code: "conflict" });
});

test("the session of transformers.js gives the same texts, with its own Tensor", async () => {
  const { Tensor: Wrapped } = await import("@huggingface/transformers");
  const peer = await openPeer("draft");
  const own = openSession(peer.model.sessions.model, { Tensor: Wrapped, vocabulary });
  const prompt = idsOf(story);
  const { ids } = await collect(own.generate(prompt, { temperature: 0, maxTokens: 30 }));
  const rows = (await rowsWithoutCache([...prompt, ...ids.slice(0, -1)])).slice(prompt.length - 1);
  assert.deepEqual(ids, rows.map(argmax));
  await peer.model.dispose();
});
