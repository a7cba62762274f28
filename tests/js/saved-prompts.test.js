// Prompts as Blobs: what is restored counts as cached, what goes on is the same bit for bit, and no damaged or foreign
// Blob is taken.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { caches, families, floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import * as templates from "./chat-templates.js";
import { checkTexts, collect, countForwards, load } from "./decode-tools.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const HEADER = 48;
const how = { cacheType: "f32", contextLength: 200 };
const file = floatFile("gemma3");
const prompt = randomNumbers("prompt", 100, 256);
const more = randomNumbers("more", 5, 256);
const options = { maxTokens: 6, captureLogits: true, seed: 3 };

const open = async (bytes = file, given = how) => {
  const model = await load(bytes, given);
  after(() => model.dispose());
  return model;
};
const saved = async () => (await open()).save(prompt);
const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());

test("a model that was disposed goes on in a new one, without reading the prompt again", async () => {
  const first = await load(file, how);
  const blob = await first.save(prompt);
  first.dispose();
  await countForwards(async (counter) => {
    const second = await open();
    assert.deepEqual(await second.restore(blob), { tokens: 100 });
    assert.equal(counter.rows, 0);
    const text = await collect(second.generate([...prompt, ...more], options));
    assert.equal(text.usage.cachedTokens, 100);
    assert.equal(counter.rows, more.length + text.ids.length - 1);
    await checkTexts(await open(), [...prompt, ...more], [text]);
    const same = await collect(second.generate(prompt, options));
    assert.equal(same.usage.cachedTokens, 99);
    await checkTexts(await open(), prompt, [same]);
  });
});

test("a prompt whose last tokens differ uses the others, of a recurrent model too", async () => {
  for (const family of ["llama", "qwen35"]) {
    const bytes = floatFile(family);
    const blob = await (await open(bytes)).save(prompt);
    for (const cut of [1, 4, 7]) {
      const other = [...prompt.slice(0, -cut), ...more];
      const model = await open(bytes);
      await model.restore(blob);
      const text = await collect(model.generate(other, options));
      assert.equal(text.usage.cachedTokens, 100 - cut, `${family} ${cut}`);
      await checkTexts(await open(bytes), other, [text]);
    }
  }
});

test("the state of a recurrent prompt of any length can be cut by eight tokens", async () => {
  const bytes = floatFile("qwen35");
  const [model, other, fresh] = [await open(bytes), await open(bytes), await open(bytes)];
  for (const length of [2, 8, 9, 10, ...Array.from({ length: 19 }, (_, i) => 57 + i), 128, 129, 136, 137]) {
    const ids = randomNumbers(`of ${length}`, length, 256);
    await other.restore(await model.save(ids));
    for (const cut of [8, 4, 1].filter((cut) => cut < length)) {
      const changed = [...ids.slice(0, -cut), ...more];
      const text = await collect(other.generate(changed, { ...options, maxTokens: 1 }));
      assert.equal(text.usage.cachedTokens, length - cut, `${length} tokens, ${cut} cut`);
      await checkTexts(fresh, changed, [text]);
    }
  }
});

test("a prompt that the cache has is not restored again", async () => {
  const bytes = floatFile("gemma3", { window: 20, context: 2048 });
  const settings = { cacheType: /** @type {const} */ ("f32"), contextLength: 250 };
  const other = randomNumbers("other", 100, 256);
  for (const [given, how] of [
    [file, settings],
    [floatFile("qwen35"), settings],
    [bytes, settings],
  ]) {
    const model = await open(given, how);
    const blob = await (await open(given, how)).save(prompt);
    await collect(model.generate(other, { maxTokens: 1 }));
    for (let i = 0; i < 3; i++) assert.deepEqual(await model.restore(blob), { tokens: 100 });
    for (const ids of [other, prompt]) {
      const { usage } = await collect(model.generate([...ids, ...more], { maxTokens: 1 }));
      assert.equal(usage.cachedTokens, 100);
    }
  }
});

test("a Blob whose tokens are damaged costs no text its place in the cache", async () => {
  const bytes = await bytesOf(await saved());
  bytes[HEADER + 3] ^= 1;
  const model = await open(file, { ...how, contextLength: 120 });
  const other = randomNumbers("other", 100, 256);
  await collect(model.generate(other, { maxTokens: 1 }));
  await assert.rejects(model.restore(new Blob([bytes])), { code: "saved-corrupt" });
  const { usage } = await collect(model.generate([...other, ...more], { maxTokens: 1 }));
  assert.equal(usage.cachedTokens, 100);
});

test("save reads only what the cache lacks, and leaves it there", async () => {
  for (const family of ["llama", "gemma3", "qwen35"]) {
    const bytes = floatFile(family);
    await countForwards(async (counter) => {
      const model = await open(bytes);
      await collect(model.generate(prompt, options));
      counter.rows = 0;
      const blob = await model.save(prompt);
      assert.equal(counter.rows, 1, family);
      const other = await open(bytes);
      await other.restore(blob);
      for (const ids of [[...prompt, ...more], prompt]) {
        const text = await collect(other.generate(ids, options));
        assert.equal(text.usage.cachedTokens, Math.min(100, ids.length - 1), family);
        await checkTexts(await open(bytes), ids, [text]);
      }
      counter.rows = 0;
      await model.save(prompt.slice(0, 60));
      assert.ok(counter.rows <= (family === "llama" ? 1 : 60), family);
    });
  }
});

test("every family goes on after restore, with every type of cache", async () => {
  for (const family of families)
    for (const cacheType of /** @type {["f32", "f16", "q8_0"]} */ (caches)) {
      const bytes = floatFile(family);
      const [model, other] = await Promise.all([1, 2].map(() => load(bytes, { cacheType, contextLength: 120 })));
      const ids = [...prompt, ...more];
      await other.restore(await model.save(prompt));
      const text = await collect(other.generate(ids, { ...options, maxTokens: 3 }));
      assert.equal(text.usage.cachedTokens, 100, `${family}, ${cacheType}`);
      await checkTexts(model, ids, [text]);
      model.dispose();
      other.dispose();
    }
});

test("one token can be saved, and a text to the end of the context", async () => {
  const model = await open();
  for (const length of [1, 15, 16, 17, 200]) {
    const ids = randomNumbers("ids", length, 256);
    const other = await open();
    assert.equal((await other.restore(await model.save(ids))).tokens, length);
    if (length === 200) continue;
    const text = await collect(other.generate([...ids, 7], options));
    assert.equal(text.usage.cachedTokens, length);
    await checkTexts(model, [...ids, 7], [text]);
  }
  await assert.rejects(model.save(randomNumbers("ids", 201, 256)), { code: "model-context-full" });
  await assert.rejects(model.save([]), { code: "out-of-range" });
});

test("a window is kept for a longer or a shorter context", async () => {
  const bytes = floatFile("gemma3", { window: 20, context: 2048 });
  const long = randomNumbers("long", 700, 256);
  for (const [from, to] of [
    [2048, 2048],
    [2048, 710],
    [710, 2048],
  ]) {
    const [one, other, fresh] = await Promise.all(
      [from, to, 2048].map((contextLength) => open(bytes, { ...how, contextLength })),
    );
    await other.restore(await one.save(long));
    const text = await collect(other.generate([...long, 3], options));
    assert.equal(text.usage.cachedTokens, 700);
    await checkTexts(fresh, [...long, 3], [text]);
  }
});

test("a block that predicts later tokens goes on drafting, and its unread rows are not saved", async () => {
  const bytes = floatFile("qwen35", { ahead: 1 });
  const model = await open(bytes);
  const settings = { maxTokens: 12, temperature: 0, bannedTokens: [377] };
  const plain = await collect((await open(bytes)).generate(prompt, settings));
  // Other texts have left their rows in the slots.
  await collect(model.generate(more, { ...settings, draft: "mtp" }));
  const unread = await model.save(prompt);
  await collect(model.generate(prompt, { ...settings, draft: "mtp" }));
  const read = await model.save(prompt);
  for (const blob of [unread, read]) {
    const other = await open(bytes);
    await other.restore(blob);
    const text = await collect(other.generate(prompt, { ...settings, draft: "mtp" }));
    assert.deepEqual(text.ids, plain.ids);
    assert.equal(text.usage.cachedTokens, 99);
  }
  const fresh = await bytesOf(await (await open(bytes)).save(prompt));
  assert.deepEqual(await bytesOf(unread), fresh);
});

// Who changes the layout of a saved text raises LI_SAVED_VERSION, and writes the new digests here: what visitors have kept
// is then refused by its version. Digests also change with the weights of these files and with the arithmetic of a model;
// where the layout is as it was, the version stays.
test("the bytes of a saved prompt are those of version 1", async () => {
  const long = randomNumbers("long", 700, 256);
  const given = {
    f32: { ...how, cacheType: "f32" },
    f16: { ...how, cacheType: "f16" },
    q8_0: { ...how, cacheType: "q8_0" },
  };
  /** The block reads what the text writes. */
  const draft = async (model) => {
    const { ids } = await collect(
      model.generate(prompt, { maxTokens: 12, temperature: 0, bannedTokens: [377], draft: "mtp" }),
    );
    return [...prompt, ...ids];
  };
  for (const [what, bytes, settings, ids, expected] of [
    ["keys and values", floatFile("llama"), given.f32, prompt, "9fdda139198d72a3"],
    ["halves", floatFile("llama"), given.f16, prompt, "071511b9c3fe4813"],
    ["bytes", floatFile("llama"), given.q8_0, prompt, "d108164a6ca0543f"],
    ["windows", floatFile("gemma3"), given.f16, prompt, "79ff7525d683dd37"],
    [
      "windows that have dropped positions",
      floatFile("gemma3", { window: 20, context: 2048 }),
      { cacheType: "q8_0" },
      long,
      "120cf9796b6c35bc",
    ],
    ["convolutions", floatFile("lfm2"), given.f32, prompt, "400321b53825681c"],
    ["recurrent states", floatFile("qwen35"), given.q8_0, prompt, "5039bf3776443915"],
    ["a block that predicts, unread", floatFile("qwen35", { ahead: 1 }), given.f16, prompt, "3abe570b36d061ea"],
    ["a block that predicts, read", floatFile("qwen35", { ahead: 1 }), given.f16, draft, "b58fe9d23fc44718"],
  ]) {
    const { validate } = WebAssembly;
    // The header names the build with relaxed SIMD, whose probe has the instruction 0x113.
    WebAssembly.validate = (probe) => !probe.includes(0x93) && validate(probe);
    const model = await open(bytes, settings).finally(() => (WebAssembly.validate = validate));
    const blob = await bytesOf(await model.save(ids === draft ? await draft(model) : ids));
    assert.equal(new DataView(blob.buffer).getUint32(4, true), 1, "LI_SAVED_VERSION");
    assert.equal(createHash("sha256").update(blob).digest("hex").slice(0, 16), expected, what);
  }
});

test("prompts are saved and restored in a Worker with several threads as in this thread", async () => {
  const large = floatFile("llama", { dim: 192, hidden: 512 });
  const expected = await bytesOf(await (await open(large)).save(prompt));
  for (const threads of [1, 3]) {
    const model = await loadModel(large, { ...how, threads });
    const blob = await model.save(prompt);
    assert.deepEqual(await bytesOf(blob), expected);
    const other = await loadModel(large, { ...how, threads: 4 - threads });
    await other.restore(blob);
    const text = await collect(other.generate([...prompt, ...more], options));
    assert.equal(text.usage.cachedTokens, 100);
    await checkTexts(await open(large), [...prompt, ...more], [text]);
    model.dispose();
    other.dispose();
  }
});

// ---- conversations -------------------------------------------------------------------------------------------

const control = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>"];
const chatFile = (template) =>
  randomModel({
    vocabulary: [...vocabularyOf([]), ...control.map((name) => [name, 0, 3])],
    extra: { "tokenizer.chat_template": ["string", template] },
    context: 4096,
  });
const chat = { cacheType: /** @type {const} */ ("f32"), contextLength: 4096 };
const system = { role: "system", content: "Answer in one line." };
const question = { role: "user", content: "Will it rain?" };
const tools = [{ name: "weather", description: "Of a city.", parameters: { type: "object", properties: {} } }];

test("what is saved of messages begins the prompts of this turn and of all later ones", async () => {
  const answer = { role: "assistant", content: "No." };
  const next = { role: "user", content: "And tomorrow?" };
  for (const name of ["hermes", "qwen3", "opened", "llama3", "smollm3", "phi4"])
    for (const given of [{}, { tools }]) {
      const bytes = chatFile(templates[name]);
      const model = await open(bytes, chat);
      for (const messages of [[system], [system, question], [system, question, answer]]) {
        const blob = await model.save(messages, given);
        const turns = [
          [...messages, ...(messages.at(-1) === question ? [] : [next])],
          [...messages, ...(messages.at(-1) === question ? [answer] : []), next],
        ];
        for (const turn of turns) {
          const other = await open(bytes, chat);
          const { tokens } = await other.restore(blob);
          const { usage } = await other.answer(turn, { ...given, maxTokens: 3, seed: 1 });
          assert.equal(usage.cachedTokens, tokens, name);
          const text = messages.reduce((sum, { content }) => sum + content.length, 0);
          assert.ok(tokens > text, `${name}: ${tokens}`);
        }
      }
    }
});

test("what is saved of calls of tools begins the prompt with their results", async () => {
  const callOf = (id) => ({ id, name: "weather", arguments: {} });
  const resultOf = ({ id }) => ({ role: "tool", toolCallId: id, content: `Sun ${id}.` });
  for (const name of ["hermes", "qwen3", "mistral", "glm"])
    for (const calls of [1, 2]) {
      const bytes = chatFile(templates[name]);
      const toolCalls = ["callnine1", "callnine2"].slice(0, calls).map(callOf);
      const messages = [question, { role: "assistant", content: "", toolCalls }, ...toolCalls.map(resultOf)];
      for (let end = 2; end < messages.length; end++) {
        const blob = await (await open(bytes, chat)).save(messages.slice(0, end), { tools });
        const other = await open(bytes, chat);
        const { tokens } = await other.restore(blob);
        const { usage } = await other.answer(messages, { tools, maxTokens: 3, seed: 1 });
        assert.equal(usage.cachedTokens, tokens, `${name}, ${end} of ${messages.length}`);
      }
    }
});

test("a conversation goes on after restore as it would have gone on", async () => {
  const bytes = chatFile(templates.hermes);
  const [model, other] = [await open(bytes, chat), await open(bytes, chat)];
  const settings = { maxTokens: 8, seed: 5, temperature: 1, captureLogits: true };
  const messages = [system, question];
  const first = await model.answer(messages, settings);
  await other.restore(await model.save(messages));
  const again = await other.answer(messages, settings);
  assert.ok(again.usage.cachedTokens > 0);
  assert.deepEqual(again.tokens, first.tokens);
  messages.push({ role: "assistant", content: first.text }, { role: "user", content: "Why?" });
  await other.restore(await model.save(messages));
  assert.deepEqual((await other.answer(messages, settings)).tokens, (await model.answer(messages, settings)).tokens);
});

test("options that do not change the prompt are refused", async () => {
  const model = await open(chatFile(templates.hermes), chat);
  await assert.rejects(model.save(prompt, /** @type {any} */ ({ tools })), { code: "unknown-option" });
  await assert.rejects(model.save([question], /** @type {any} */ ({ maxTokens: 3 })), { code: "unknown-option" });
  await assert.rejects(model.save(/** @type {any} */ (undefined)), { code: "bad-type" });
  await assert.rejects(model.save([]), { code: "out-of-range" });
  await assert.rejects(model.restore(/** @type {any} */ (new Uint8Array(3))), { code: "bad-type" });
  await assert.rejects(model.restore(new Blob(), /** @type {any} */ ({ maxTokens: 3 })), { code: "unknown-option" });
  await assert.rejects(model.keepPrefix("a", { bytes: -1 }), { code: "out-of-range" });
});

test("a signal ends the reading of a prompt, and the model goes on", async () => {
  const model = await open(floatFile("llama", { context: 4096 }), { ...how, contextLength: 4096 });
  const long = randomNumbers("long", 4000, 256);
  const stop = new AbortController();
  const saving = model.save(long, { signal: stop.signal });
  setTimeout(() => stop.abort(), 30);
  await assert.rejects(saving, { name: "AbortError" });
  await assert.rejects(model.save(prompt, { signal: AbortSignal.abort() }), { name: "AbortError" });
  const blob = await model.save(prompt);
  await assert.rejects(model.restore(blob, { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal((await model.restore(blob)).tokens, 100);
  model.dispose();
  await assert.rejects(model.save(prompt), { code: "disposed" });
  await assert.rejects(model.restore(blob), { code: "disposed" });
});

test("a call of a model that is disposed before the call begins is rejected", async () => {
  for (const worker of [true, false])
    for (const call of ["save", "keepPrefix"]) {
      const model = await loadModel(file, { ...how, worker });
      const calling = model[call](prompt); // loads what it needs first
      model.dispose();
      await assert.rejects(calling, { code: "disposed" }, `${call}, worker: ${worker}`);
    }
});

test("a text after restore finds what it restores, without a wait in between", async () => {
  const blob = await saved();
  const model = await open();
  const restoring = model.restore(blob);
  const { usage } = await model.complete([...prompt, ...more], { maxTokens: 2 });
  assert.equal(usage.cachedTokens, 100);
  await restoring;
});

// ---- foreign bytes -------------------------------------------------------------------------------------------

test("a Blob of another file, version, cache or context is refused, each with its code", async () => {
  const blob = await saved();
  const bytes = await bytesOf(blob);
  const refuse = async (code, given, model) => {
    await assert.rejects((await model).restore(given instanceof Blob ? given : new Blob([given])), { code });
  };
  await refuse("saved-file", blob, open(floatFile("gemma3", { seed: 2, tied: false })));
  await refuse("saved-settings", blob, open(file, { ...how, cacheType: "f16" }));
  await refuse("model-context-full", blob, open(file, { ...how, contextLength: 99 }));
  const model = open();
  for (const given of [new Blob(), "not a prompt", new Uint8Array(3000), file])
    await refuse("saved-magic", given, model);
  const version = bytes.slice();
  version[4]++;
  await refuse("saved-version", version, model);
  await refuse("saved-corrupt", new Blob([blob, "x"]), model);
  for (const size of [5, 20, HEADER - 1, HEADER, HEADER + 1, 500, bytes.length - 1])
    await refuse("saved-truncated", bytes.subarray(0, size), model);
});

test("thousands of damaged Blobs are refused, and leave the model as it was", async () => {
  const bytes = await bytesOf(await saved());
  const model = await open();
  const codes = ["saved-magic", "saved-version", "saved-corrupt", "saved-truncated", "saved-file", "saved-settings"];
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const damages = [
    (copy) => ((copy[random(copy.length)] ^= 1 << random(8)), copy),
    (copy) => ((copy[random(HEADER)] ^= 1 << random(8)), copy),
    (copy) => copy.subarray(0, random(copy.length)),
    (copy) => copy.fill(random(256), random(copy.length)),
    (copy) => (copy.copyWithin(random(copy.length), random(copy.length)), copy),
    (copy) => (new DataView(copy.buffer).setUint32(4 * random(HEADER / 4), random(2 ** 32), true), copy),
    (copy) => new Uint8Array([...copy.subarray(0, 300), ...Array(random(50)).fill(1), ...copy.subarray(300)]),
  ];
  for (let i = 0; i < 3000; i++) {
    const damaged = damages[i % damages.length](bytes.slice());
    if (Buffer.compare(damaged, bytes) === 0) continue;
    await assert.rejects(
      model.restore(new Blob([damaged])),
      (/** @type {any} */ error) => codes.includes(error.code),
      `damage ${i}`,
    );
  }
  const text = await collect(model.generate(prompt, options));
  assert.equal(text.usage.cachedTokens, 0);
  await model.restore(new Blob([bytes]));
  const again = await collect(model.generate(prompt, options));
  assert.deepEqual(again.tokens, text.tokens);
});
