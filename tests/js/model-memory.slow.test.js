// The memory of a model: its tensors and a little more, and nothing for each step.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { estimateModel, loadModel } from "lastinch";
import { convertGguf, Q8_0, randomGguf, readGguf } from "../vectors/gguf-files.js";
import { openModel } from "./model-wasm.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";
import { bpeMetadata } from "./tokenizer-tools.js";

// The shape of the shipped model.
const shape = { vocab: 2048, dim: 192, hidden: 512, layers: 5, heads: 6, kvHeads: 2, context: 512, tied: true };
const file = convertGguf(randomGguf(shape), Q8_0);

const sizeOfTensors = (gguf) => readGguf(gguf).tensors.reduce((sum, { data }) => sum + data.length, 0);

test("a model takes at most 1.15 times its tensors", async (t) => {
  const tensors = sizeOfTensors(file);
  const { memoryTaken } = await openModel(file, { slots: 1, sequences: 1 });
  t.diagnostic(`${memoryTaken} bytes for ${tensors} bytes of tensors: ${(memoryTaken / tensors).toFixed(3)}`);
  assert.ok(memoryTaken <= 1.15 * tensors);
});

/** While test `t` runs, passes every instance of a model and its memory to `use`, which may replace the instance. */
function watchInstances(t, use) {
  const { instantiate } = WebAssembly;
  t.after(() => Object.assign(WebAssembly, { instantiate }));
  WebAssembly.instantiate = async (module, imports) => {
    const instance = await instantiate(module, imports);
    const { exports } = instance;
    return (exports.li_model_create && use(exports, exports.memory ?? imports.env.memory)) ?? instance;
  };
}

// Counts everything that is held while a model is downloaded, kept and repacked: all instances and all buffers.
test("loading never holds more than 1.15 times the tensors, and the tokenizer", async (t) => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");
  // The largest tokenizer that is usual for so small a model.
  const shape = { vocab: 32000, dim: 288, hidden: 768, layers: 6, heads: 6, context: 256 };
  const gguf = convertGguf(randomGguf(shape), Q8_0);
  const tensors = sizeOfTensors(gguf);
  // The memory of the model has the tokens' texts with their ends, types and ranks, and a hash table.
  const tokenizer = 40 * shape.vocab;

  const { fetch, caches } = globalThis;
  t.after(() => Object.assign(globalThis, { fetch, caches }));
  const memories = [];
  watchInstances(t, (_, memory) => void memories.push(new WeakRef(memory)));
  const hold = async () => {
    // References are weak only from the next turn on, and what was marked just before is collected only the second
    // time.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    collectGarbage();
    const wasm = memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
    return process.memoryUsage().arrayBuffers + wasm;
  };

  // Parts are kept as texts, which are not buffers.
  const kept = new Map();
  const cache = {
    put: async (key, response) => void kept.set(key, Buffer.from(await response.arrayBuffer()).toString("latin1")),
    match: async (key) => {
      if (/[05]$/.test(key)) await measure();
      return new Response(new Uint8Array(Buffer.from(kept.get(key), "latin1")));
    },
  };
  globalThis.caches = { has: async () => kept.size > 0, delete: async () => false, open: async () => cache };
  globalThis.fetch = async (url, init) => {
    if (!String(url).startsWith("https:")) return fetch(url);
    let at = 0;
    const pull = async (controller) => {
      if (at % (1 << 20) === 0) await measure();
      controller.enqueue(gguf.slice(at, at + (1 << 16)));
      at += 1 << 16;
      if (at >= gguf.length) controller.close();
    };
    const body = init.method === "HEAD" ? null : new ReadableStream({ pull }, { highWaterMark: 0 });
    return new Response(body, { headers: { etag: '"1"', "content-length": String(gguf.length) } });
  };

  const before = await hold();
  let peak = 0;
  const measure = async () => (peak = Math.max(peak, (await hold()) - before));
  for (const visit of ["first", "second"]) {
    peak = 0;
    const model = await loadModel("https://example.org/model.gguf", { worker: false, contextLength: 1 });
    await measure();
    model.dispose();
    t.diagnostic(`${visit} visit: ${peak} bytes for ${tensors} bytes of tensors: ${(peak / tensors).toFixed(3)}`);
    assert.ok(peak > tensors && peak <= 1.15 * tensors + tokenizer);
  }
});

test("rows of logits are allocated once, however many are requested", async () => {
  const model = await openModel(file);
  model.forward([3]); // takes memory for positions
  const before = model.c.memory.buffer.byteLength;
  for (let rows = 1; rows <= 64; rows++) {
    model.keep(0);
    model.forward(new Array(rows).fill(3), { all: true });
  }
  const taken = model.c.memory.buffer.byteLength - before;
  const needed = 64 * 4 * shape.vocab;
  assert.ok(taken <= 2.1 * needed, `${taken} bytes for rows of ${needed}`);
});

test("steps allocate no memory", async () => {
  const model = await openModel(file);
  const tokens = Array.from({ length: 64 }, (_, i) => 3 + i);
  model.forward(tokens, { all: true }); // rows of logits, once
  const before = model.c.memory.buffer.byteLength;
  for (let i = 0; i < 20; i++) {
    model.keep(0);
    model.forward(tokens, { all: true });
    for (let step = 0; step < 20; step++) model.forward([step]);
  }
  assert.equal(model.c.memory.buffer.byteLength, before);
});

test("positions take memory when they are first used", async () => {
  const long = convertGguf(randomGguf({ ...shape, context: 100_000 }), Q8_0);
  const width = (shape.dim / shape.heads) * shape.kvHeads;
  const page = 256 * shape.layers * 2 * width; // numbers of 256 positions
  for (const [cache, bytes] of Object.entries({ f32: 4, f16: 2, q8_0: 34 / 32 })) {
    const model = await openModel(long, { slots: 50_000, sequences: 1, cache });
    assert.ok(model.memoryTaken < (50_000 / 256) * page * 0.2, `${cache}: ${model.memoryTaken} bytes`);
    model.forward([3]);
    const before = model.c.memory.buffer.byteLength;
    for (let at = 1; at < 257 + 512; at += 64) model.forward(new Array(64).fill(3));
    const taken = model.c.memory.buffer.byteLength - before; // three pages more
    assert.ok(taken >= 2.9 * page * bytes && taken <= 3.5 * page * bytes + 200_000, `${cache}: ${taken} bytes`);
    const again = model.c.memory.buffer.byteLength;
    model.keep(0);
    for (let at = 0; at < 768; at += 64) model.forward(new Array(64).fill(5));
    assert.equal(model.c.memory.buffer.byteLength, again);
  }
});

test("tokenizing a text that grows takes little more memory than its last length", async (t) => {
  const memories = [];
  watchInstances(t, (_, memory) => void memories.push(memory));
  const bytes = () => Math.max(...memories.map(({ buffer }) => buffer.byteLength));
  const merges = [["a", "b"]];
  const byteLevel = { vocabulary: Array(257).fill(["", 0, 1]), extra: bpeMetadata({ merges, pre: "qwen2" }) };
  for (const options of [byteLevel, { vocabulary: vocabularyOf(["a", "a b"]), spacePrefix: true }]) {
    memories.length = 0;
    const model = await loadModel(randomModel({ addBos: false, ...options }), { worker: false });
    const before = bytes();
    let text = "";
    // One piece, which is joined as a whole.
    while (text.length < 100_000) await model.tokenize((text += "ab".repeat(1 + text.length / 100)));
    t.diagnostic(`${bytes() - before} bytes for ${text.length} characters`);
    assert.ok(bytes() - before <= 220 * text.length);
    model.dispose();
  }
});

test("if there is room for the positions needed but not for more, those are used", async (t) => {
  const asked = [];
  watchInstances(t, (exports) => {
    const { li_model_reserve_slots: reserve } = exports;
    const li_model_reserve_slots = (model, slots) => (asked.push(slots), slots > 512 ? -1 : reserve(model, slots));
    return { exports: { ...exports, li_model_reserve_slots } };
  });
  const model = await loadModel(randomModel({ context: 512 }), { worker: false, contextLength: 400 });
  const prompt = Uint32Array.from({ length: 300 }, (_, i) => 3 + (i % 200));
  const tokens = [];
  for await (const chunk of model.generate(prompt, { n: 2, maxTokens: 90, eos: [] })) tokens.push(...chunk.tokens);
  assert.equal(tokens.length, 180);
  assert.ok(asked.some((slots) => slots > 512));
  await assert.rejects(async () => {
    for await (const chunk of model.generate(prompt, { n: 3, maxTokens: 90, eos: [] })) void chunk;
  }, /out-of-memory|Memory is full/);
  model.dispose();
});

/** `count` files that are damaged in their headers or end early, with the whole files between them. */
function damagedFiles(count) {
  let state = 5;
  const random = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const shipped = readFileSync(new URL("../../demos/model/draft.gguf", import.meta.url));
  const wholes = [new Uint8Array(shipped), randomModel({ context: 32 })];
  return Array.from({ length: count }, (_, i) => {
    const whole = wholes[random(2)];
    if (i % 4 === 0) return whole;
    if (i % 4 === 1) return whole.slice(0, random(whole.length));
    const bytes = Uint8Array.from(whole);
    for (let flips = 1 + random(3); flips; flips--)
      bytes[random(i % 8 < 4 ? 900 : 45_000) % bytes.length] = random(256);
    return bytes;
  });
}

const estimated = (file) => estimateModel(file, { worker: false }).catch(({ code, message }) => ({ code, message }));

// Engines reserve about 10 GiB of addresses for a memory, until the garbage is collected.
test("headers are read in one instance, which carries nothing over to the next file", async (t) => {
  const files = damagedFiles(160);
  const alone = [];
  let instances = 0;
  watchInstances(t, (_, memory) => {
    instances++;
    // An instance this large is not kept, so every file gets its own.
    if (alone.length < files.length) memory.grow(1024);
  });
  for (const file of files) alone.push(await estimated(file));
  const codes = new Set(alone.map(({ code, reason }) => code ?? reason?.code));
  assert.ok(codes.size >= 6 && instances >= files.length, [...codes].join());
  instances = 0;
  for (const [i, file] of files.entries()) assert.deepEqual(await estimated(file), alone[i]);
  // Few are not kept: those that damaged counts made large.
  assert.ok(instances <= files.length / 20, `${instances} instances`);
  assert.deepEqual(await Promise.all(files.map(estimated)), alone);
  instances = 0;
  let refused = 0;
  let loaded = 0;
  for (const [i, file] of files.entries()) {
    const { code, reason } = alone[i];
    if ((code ?? reason?.code) === "model-tokenizer") continue; // the tokenizer is read in the model's instance
    try {
      (await loadModel(file, { worker: false })).dispose();
      loaded++;
    } catch {
      refused++;
    }
  }
  assert.ok(refused > 60 && loaded >= 40, `${refused} ${loaded}`);
  assert.ok(instances <= loaded + files.length / 20, `${instances} instances for ${loaded} models`);
});

/** Drops instances that earlier tests have left: after so long a header they are not kept. */
async function dropSpares() {
  const file = randomModel({ extra: { long: ["string", "a".repeat(40 << 20)] } });
  await estimateModel(file, { worker: false });
  (await loadModel(file, { worker: false })).dispose();
}

test("the header of a large vocabulary is read in the same instance, which is freed when unused", async (t) => {
  let instances = 0;
  watchInstances(t, () => void instances++);
  await dropSpares();
  instances = 0;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const vocabulary = vocabularyOf(Array.from({ length: 32_000 }, (_, i) => `token${i}`));
  const file = randomModel({ vocabulary });
  const estimate = async () => assert.ok((await estimateModel(file, { worker: false })).memory);
  for (let i = 0; i < 6; i++) await estimate();
  assert.equal(instances, 1);
  t.mock.timers.tick(9_000);
  await estimate();
  t.mock.timers.tick(9_000);
  await estimate();
  assert.equal(instances, 1);
  t.mock.timers.tick(10_000);
  await estimate();
  assert.equal(instances, 2);
});

test("an instance that has trapped is not used for another header", async (t) => {
  let instances = 0;
  let failing = "";
  watchInstances(t, (exports) => {
    instances++;
    const trapping = Object.entries(exports).map(([name, call]) => [
      name,
      (...given) => {
        if (name === failing) throw new WebAssembly.RuntimeError("unreachable");
        return call(...given);
      },
    ]);
    return { exports: { ...Object.fromEntries(trapping), memory: exports.memory } };
  });
  const file = randomModel({});
  const estimate = () => estimateModel(file, { worker: false });
  const load = async (one = file) => (await loadModel(one, { worker: false })).dispose();
  // Each case takes a new instance, another one after the trap, and one for each model that is loaded.
  for (const [name, run, again, count] of /** @type {const} */ ([
    ["li_gguf_data_size", estimate, estimate, 2],
    ["li_tokenizer_create", estimate, estimate, 2],
    ["li_model_plan", estimate, estimate, 2],
    // A file that is not a whole model.
    ["li_model_plan", () => load(randomModel({ extra: { "general.type": ["string", "adapter"] } })), load, 5],
  ])) {
    await dropSpares();
    instances = 0;
    failing = name;
    await assert.rejects(run(), /unreachable/, name);
    failing = "";
    for (let i = 0; i < 3; i++) await again();
    assert.equal(instances, count, name);
  }
});
