// Models beside the memory that there is: the context that is chosen, the error that says what would fit, and texts that
// grow until memory is full. V8 has a flag for the most memory that WebAssembly may have.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { estimateModel, loadModel } from "lastinch";
import { floatFile } from "../vectors/family-files.js";
import { collect, load } from "./decode-tools.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const PAGE = 65536;
/** Limits the memory of WebAssembly to so many bytes. */
const limit = (bytes) => setFlagsFromString(`--wasm-max-mem-pages=${Math.floor(bytes / PAGE)}`);
after(() => limit(PAGE * 65536));

const here = { worker: false };
const vocabulary = vocabularyOf(["a", "b"]);
/** Gives streams of a header; the tensors do not come. */
function header(options) {
  const bytes = new Blob([randomModel({ vocabulary, headerOnly: true, ...options })]);
  return () => bytes.stream();
}
/** More than a model of 261 tokens takes: see fit.js. @param {number} total as planned */
const needed = (total) => total * (33 / 32) + 4.5e6;
const numbers = (text) => [...text.matchAll(/([\d,]+) MB/g)].map(([, number]) => Number(number.replaceAll(",", "")));

/** The error of a load, which must not read the tensors: they are missing. */
async function refusal(file, options) {
  const error = await loadModel(file(), { ...here, ...options }).then(
    () => assert.fail("it loads"),
    (reason) => reason,
  );
  const { runs, reason, memory } = await estimateModel(file(), { ...here, ...options });
  assert.deepEqual({ runs, reason }, { runs: false, reason: { code: error.code, message: error.message } });
  return { error, memory };
}

test("without a contextLength the context is halved until the engine gives the memory", async () => {
  const file = header({ dim: 4096, context: 8192 });
  limit(PAGE * 65536);
  const { memory: whole } = await estimateModel(file(), { ...here, cacheType: "f32" });
  assert.equal(whole.contextLength, 4096);
  for (const halvings of [1, 2, 3]) {
    const most = needed(whole.total - whole.cache * (1 - 0.5 ** halvings));
    limit(most);
    const { runs, memory } = await estimateModel(file(), { ...here, cacheType: "f32" });
    assert.ok(runs);
    assert.equal(memory.contextLength, 4096 / 2 ** halvings);
    assert.ok(memory.total <= most);
  }
});

test("a type that is chosen for the whole context stays when the context is halved", async () => {
  const file = header({ dim: 2560, context: 4096 });
  limit(PAGE * 65536);
  const { memory: whole } = await estimateModel(file(), here);
  const { memory: half } = await estimateModel(file(), { ...here, contextLength: 2048, cacheType: "f16" });
  assert.deepEqual([whole.contextLength, whole.cacheType], [4096, "f16"]);
  limit(needed(half.total));
  assert.deepEqual((await estimateModel(file(), here)).memory, half);
  // The model that loads has the type of the plan, too.
  limit(PAGE * 65536);
  const small = randomModel({ vocabulary, dim: 2560, context: 4096 });
  const { memory } = await estimateModel(small, { ...here, contextLength: 2048, cacheType: "f16" });
  limit(needed(memory.total));
  const model = await load(small, { threads: 1 });
  assert.deepEqual([model.config.contextLength, model.config.cacheType], [2048, "f16"]);
  model.dispose();
});

test("a type stays, too, when the context is halved to fit 32-bit addresses", async () => {
  limit(PAGE * 65536);
  const sized = (rows, context) => header({ dim: 2560, rows, context });
  const few = (await estimateModel(sized(50000, 4096)(), here)).memory;
  const many = (await estimateModel(sized(51000, 4096)(), here)).memory;
  const row = (many.total - few.total) / 1000;
  // The whole context is 10 MB too large.
  const rows = 50000 + Math.ceil((0xe0000000 + 10e6 - few.total) / row);
  const { contextLength, cacheType } = (await estimateModel(sized(rows, 4096)(), here)).memory;
  assert.deepEqual([contextLength, cacheType], [2048, "f16"]);
});

test("a model that is said to fit loads and writes, whatever its vocabulary takes beside the plan", async () => {
  const pieces = Array.from({ length: 40000 }, (_, i) => `w${i.toString(36)}`);
  const file = randomModel({ vocabulary: vocabularyOf(pieces), dim: 256, context: 1024 });
  const options = { ...here, contextLength: 1024, cacheType: /** @type {const} */ ("f32") };
  limit(PAGE * 65536);
  const { memory } = await estimateModel(file, options);
  const answers = new Set();
  for (const more of [0, 1, 2, 4, 8, 16]) {
    limit(memory.total + more * 1e6);
    const { runs } = await estimateModel(file, options);
    answers.add(runs);
    const loading = load(file, { ...options, threads: 1 });
    if (!runs) {
      await assert.rejects(loading, { code: "out-of-memory" });
      continue;
    }
    const model = await loading;
    const text = await model.complete("a".repeat(690), { maxTokens: 10, eos: [], seed: 1 });
    assert.equal(text.usage.promptTokens + text.tokens.length, 701);
    model.dispose();
  }
  assert.equal(answers.size, 2);
});

test("where memory runs out after the trial, the error says what is needed and promises nothing", async (t) => {
  const file = randomModel({ vocabulary, dim: 2048, context: 1024 });
  limit(PAGE * 65536);
  const { Memory } = WebAssembly;
  t.after(() => (WebAssembly.Memory = Memory));
  // The trial passes, and then the engine gives less.
  WebAssembly.Memory = function generous(/** @type {any} */ descriptor) {
    return new Memory({ ...descriptor, initial: 1 });
  };
  for (const cacheType of /** @type {const} */ (["f32", "q8_0"])) {
    limit(40e6);
    await assert.rejects(loadModel(file, { ...here, threads: 1, cacheType }), ({ code, message }) => {
      assert.equal(code, "out-of-memory");
      assert.match(message, /It needs \d+ MB: \d+ MB of weights, /);
      assert.doesNotMatch(message, /can have|fits|would fit/);
      return true;
    });
  }
});

test("a contextLength that is said to fit does, though states take the same memory for any", async () => {
  const delta = { heads: 16, keyHeads: 2, width: 256, taps: 4 };
  const file = floatFile("qwen35", { delta, context: 65536 });
  const options = { ...here, contextLength: 65536, cacheType: /** @type {const} */ ("q8_0") };
  limit(PAGE * 65536);
  const { memory } = await estimateModel(file, options);
  const { memory: short } = await estimateModel(file, { ...options, contextLength: 256 });
  assert.ok(short.cache > 0.7 * memory.cache, "most of it are states");
  for (const share of [0.2, 0.5, 0.8]) {
    limit(needed(short.total + share * (memory.total - short.total)));
    const { reason } = await estimateModel(file, options);
    const [, said] = /contextLength of ([\d,]+) fits/.exec(reason.message);
    const contextLength = Number(said.replaceAll(",", ""));
    assert.ok(contextLength < 65536 * (share + 0.1) && contextLength > 65536 * (share - 0.2), said);
    assert.equal((await estimateModel(file, { ...options, contextLength })).runs, true, said);
  }
  limit(short.total);
  assert.doesNotMatch((await estimateModel(file, options)).reason.message, /contextLength of/);
});

test("a loaded model says which context it has chosen", async () => {
  // 64 MiB and more are tried.
  const file = randomModel({ vocabulary, dim: 2048, context: 4096 });
  limit(PAGE * 65536);
  const { memory } = await estimateModel(file, { ...here, cacheType: "f32" });
  limit(needed(memory.total - memory.cache / 2));
  const model = await load(file, { cacheType: "f32" });
  assert.equal(model.config.contextLength, 2048);
  assert.equal(model.stats.contextLength, 2048);
  assert.equal((await model.complete("a", { maxTokens: 2, eos: [] })).tokens.length, 2);
  model.dispose();
});

test("an error before the first weight says what would fit: a context, a cacheType, or bits of a weight", async () => {
  const long = header({ dim: 4096, context: 16384 });
  const options = { contextLength: 16384, cacheType: /** @type {const} */ ("f32") };
  limit(PAGE * 65536);
  const { memory } = await estimateModel(long(), { ...here, ...options });
  limit(0.8 * memory.total);
  const { error } = await refusal(long, options);
  assert.equal(error.code, "out-of-memory");
  const [need, weights, cache, beside, given] = numbers(error.message);
  assert.ok(need * 1e6 >= memory.total && need * 1e6 <= needed(memory.total) + 1e6);
  assert.ok(Math.abs(need - weights - cache - beside) <= 2, error.message);
  assert.ok(given * 1e6 <= 0.8 * memory.total && given * 1e6 > 0.79 * memory.total, `${given}`);
  const [, context] = /contextLength of ([\d,]+) fits/.exec(error.message);
  const fits = { ...options, contextLength: Number(context.replaceAll(",", "")) };
  assert.equal((await estimateModel(long(), { ...here, ...fits })).runs, true);
  const [, type] = /cacheType "(\w+)" fits/.exec(error.message);
  assert.equal(type, "f16");
  assert.equal((await estimateModel(long(), { ...here, ...options, cacheType: "f16" })).runs, true);

  const heavy = header({ dim: 4096, rows: 32768, context: 512 });
  limit(PAGE * 65536);
  const { memory: most, parameters } = await estimateModel(heavy(), here);
  for (const [share, mix] of [
    [0.4, "Q8_0"],
    [0.21, "Q5_K_M"],
    [0.15, "Q3_K_M"],
  ]) {
    limit(share * most.total);
    const { message } = (await refusal(heavy)).error;
    const [, present, bits, name] = /weights have ([\d.]+) bits each; with at most ([\d.]+), as in (\w+),/.exec(
      message,
    );
    assert.ok(Math.abs(Number(present) - (8 * most.weights) / parameters) < 0.1);
    assert.ok((Number(bits) * parameters) / 8 < share * most.total);
    assert.equal(name, mix, `${bits} bits`);
  }
  limit(PAGE * 1100);
  assert.match((await refusal(heavy)).error.message, /No quantisation of it would fit/);
});

test("a text that fills the memory ends with an error, and the model goes on with shorter ones", async () => {
  for (const worker of [false, true]) {
    limit(PAGE * 65536);
    const model = await loadModel(randomModel({ vocabulary, dim: 256, context: 2048 }), { worker, cacheType: "f32" });
    const options = { maxTokens: 1500, eos: [], seed: 1 };
    const { tokens: expected } = await model.complete("ab", { ...options, maxTokens: 20 });
    // Two pages of the cache more: each has 256 positions.
    limit(model.stats.memory + 2.5 * 256 * 2 * 256 * 4);
    const written = [];
    const writing = (async () => {
      for await (const { tokens } of model.generate("ab", options)) written.push(...tokens);
    })();
    await assert.rejects(writing, { code: "out-of-memory", message: /more positions/ });
    assert.ok(written.length > 256 && written.length < 1400, `${written.length}`);
    assert.deepEqual(
      written.slice(0, 20).map(({ id }) => id),
      expected.map(({ id }) => id),
    );
    for (let i = 0; i < 3; i++) {
      const text = await collect(model.generate("ab", { ...options, maxTokens: 200 }));
      assert.equal(text.finishReason, "length");
      assert.deepEqual(
        text.ids.slice(0, 20),
        expected.map(({ id }) => id),
      );
    }
    limit(PAGE * 65536);
    assert.equal((await collect(model.generate("ab", options))).ids.length, 1500);
    model.dispose();
  }
});
