// estimateModel: what a header tells without the weights.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { estimateModel, loadModel } from "lastinch";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const vocabulary = vocabularyOf(["a", "b"]);
const count = vocabulary.length;
const good = randomModel({ vocabulary, context: 100 });

/** A header, then zeros for as long as anybody reads. */
function endless(header) {
  let pulled = 0;
  let isCancelled = false;
  const stream = new ReadableStream(
    {
      pull(controller) {
        const piece = pulled < header.length ? header.slice(pulled, pulled + 50_000) : new Uint8Array(50_000);
        pulled += piece.length;
        controller.enqueue(piece);
      },
      cancel: () => void (isCancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { stream, pulled: () => pulled, isCancelled: () => isCancelled };
}

for (const worker of [true, false])
  test(`the facts are those of the file (worker: ${worker})`, async () => {
    const { memory, ...facts } = await estimateModel(good, { worker });
    const parameters = 2 * count * 32 + 7 * 32 * 32 + 3 * 32;
    assert.deepEqual(facts, {
      family: "llama",
      name: "tiny",
      types: { F32: { count: 12, bytes: 4 * parameters } },
      parameters,
      bytes: good.length,
      contextLength: 100,
      runs: true,
    });
    const { weights, cache, scratch, total, contextLength, cacheType } = memory;
    assert.equal(total, weights + cache + scratch);
    assert.deepEqual([contextLength, cacheType], [100, "f32"]);
    assert.ok(weights >= 4 * parameters && weights < 6 * parameters, `${weights}`);
    assert.ok(cache >= 2 * 4 * 32 * 100, `${cache}`);
  });

test("the types of tensors are counted by name", async () => {
  const types = { "output.weight": 14, "blk.0.attn_q.weight": 8, "blk.0.attn_k.weight": 8, "token_embd.weight": 1 };
  const file = randomModel({ vocabulary, dim: 256, headerOnly: true, types });
  const estimate = await estimateModel(endless(file).stream);
  assert.deepEqual(Object.fromEntries(Object.entries(estimate.types).map(([name, { count }]) => [name, count])), {
    F16: 1,
    F32: 8,
    Q8_0: 2,
    Q6_K: 1,
  });
  assert.equal(estimate.types.Q6_K.bytes, count * 210);
  assert.equal(estimate.types.Q8_0.bytes, 2 * 256 * 8 * 34);
});

test("memory depends on the context and on how keys and values are kept", async () => {
  const file = randomModel({ vocabulary, context: 100_000, headerOnly: true });
  const cacheOf = async (contextLength, cacheType) =>
    (await estimateModel(endless(file).stream, { contextLength, cacheType })).memory.cache;
  const [short, long, half, byte] = [
    await cacheOf(1000, "f32"),
    await cacheOf(10_000, "f32"),
    await cacheOf(10_000, "f16"),
    await cacheOf(10_000, undefined),
  ];
  assert.ok(long > 8 * short && long < 11 * short, `${short} ${long}`);
  assert.ok(half > 0.45 * long && half < 0.6 * long, `${half} ${long}`);
  assert.equal(byte, long, "below 64 MiB floats are kept");
  const wide = randomModel({ vocabulary, dim: 64, context: 10_000, headerOnly: true });
  const { cache: quarter } = (await estimateModel(endless(wide).stream, { contextLength: 10_000, cacheType: "q8_0" }))
    .memory;
  const { cache: whole } = (await estimateModel(endless(wide).stream, { contextLength: 10_000, cacheType: "f32" }))
    .memory;
  assert.ok(quarter > 0.25 * whole && quarter < 0.35 * whole, `${quarter} ${whole}`);
});

test("only the header is read, and the rest is cancelled", async () => {
  for (const worker of [true, false]) {
    const { stream, pulled, isCancelled } = endless(
      randomModel({ vocabulary, dim: 1024, rows: 2 ** 17, headerOnly: true }),
    );
    const { bytes } = await estimateModel(stream, { worker });
    assert.ok(bytes > 1e9 && pulled() < 200_000 && isCancelled());
  }
  for (const source of [good, good.buffer, new Blob([good])])
    assert.equal((await estimateModel(source, { worker: false })).bytes, good.length);
});

/** Files that do not run, by the code of the reason, and whether their memory can be estimated. */
const refused = {
  "model-architecture": [{ extra: { "general.architecture": ["string", "gemma9"] } }, false],
  "file-shard": [{ extra: { "split.count": ["uint32", 2] }, without: ["output_norm.weight"] }, false],
  "file-adapter": [{ extra: { "general.type": ["string", "adapter"] }, without: ["token_embd.weight"] }, false],
  "model-tensor-missing": [{ without: ["output_norm.weight"] }, false],
  "model-tensor-type": [{ dim: 256, types: { "output.weight": 19 } }, false],
  "model-tokenizer": [{ extra: { "tokenizer.ggml.model": ["string", "bert"] } }, true],
  "gguf-too-large": [{ dim: 1024, rows: 2 ** 20 }, true],
};

test("the reason is the error that loadModel gives", async () => {
  for (const [code, [options, hasMemory]] of Object.entries(refused)) {
    const file = randomModel({ vocabulary, headerOnly: true, ...options });
    const { family, types, bytes, memory, runs, reason } = await estimateModel(endless(file).stream, { worker: false });
    assert.equal(runs, false, code);
    assert.equal(reason?.code, code, reason?.message);
    assert.equal(memory !== null, hasMemory, code);
    assert.ok(family && Object.keys(types).length && bytes > 0);
    const error = await loadModel(endless(file).stream, { worker: false }).then(
      () => assert.fail(code),
      (e) => e,
    );
    assert.deepEqual(reason, { code: error.code, message: error.message });
  }
});

test("the error of a context that does not fit names the length that fits", async () => {
  const file = randomModel({ vocabulary, dim: 8192, context: 2 ** 20, headerOnly: true });
  const contextLength = 2 ** 17;
  const { runs, reason, memory } = await estimateModel(endless(file).stream, { contextLength, cacheType: "f32" });
  assert.equal(runs, false);
  assert.equal(reason.code, "gguf-too-large");
  const fits = Number(/contextLength of ([\d,]+) fits/.exec(reason.message)[1].replaceAll(",", ""));
  assert.ok(memory.total > 3.5e9 && fits > 1000 && fits < contextLength);
  const smaller = await estimateModel(endless(file).stream, { contextLength: fits, cacheType: "f32" });
  assert.deepEqual([smaller.runs, smaller.reason], [true, undefined]);
});

// ---- servers -----------------------------------------------------------------------------------------

let server, address;
let asked = [];
let gone;
before(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    if (request.url === "/none") return void response.writeHead(404).end();
    if (request.url === "/page") return void response.writeHead(200).end("<!doctype html>");
    if (request.url === "/silent") return;
    gone = new Promise((resolve) => response.on("close", resolve));
    // The weights never come.
    response
      .writeHead(200, { "content-length": good.length, etag: '"1"' })
      .write(good.subarray(0, good.length - 30_000));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test("a download ends after the file's header, and sends the request headers", async () => {
  for (const worker of [true, false]) {
    asked = [];
    const { bytes, runs } = await estimateModel(`${address}/x.gguf`, { worker, headers: { "X-Own": "1" } });
    assert.deepEqual([bytes, runs], [good.length, true]);
    assert.deepEqual(
      asked.map(({ method, headers }) => [method, headers["x-own"]]),
      [["GET", "1"]],
    );
    await gone;
  }
  const own = await estimateModel("https://example.org/x", { fetch: async () => new Response(good) });
  assert.equal(own.bytes, good.length);
});

test("a header that cannot be read is the same error as in loadModel", async () => {
  const refuses = (source, options, expected) => assert.rejects(estimateModel(source, options), expected);
  await refuses(`${address}/none`, {}, { code: "model-download", message: /404/ });
  await refuses(`${address}/page`, {}, { code: "file-page" });
  await refuses(`${address}/silent`, { stallTimeout: 100 }, { code: "model-stalled" });
  await refuses(good.subarray(0, 500), {}, { code: /^gguf-(truncated|corrupt)$/ });
  const reason = new Error("changed my mind");
  await refuses(good, { signal: AbortSignal.abort(reason) }, reason);
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 30);
  await refuses(`${address}/silent`, { signal: controller.signal }, reason);
  await refuses(good, { contextLength: 101 }, { name: "RangeError", code: "out-of-range" });
});

test("options are checked, and none is ignored", async () => {
  const refuses = (options, expected) => assert.rejects(estimateModel(good, options), expected);
  await refuses({ threads: 2 }, { name: "TypeError", code: "unknown-option" });
  await refuses({ contextLength: 0 }, { name: "RangeError", code: "out-of-range" });
  await refuses({ cacheType: "f8" }, { name: "TypeError", code: "bad-type" });
  await refuses({ signal: 1 }, { name: "TypeError", code: "bad-type" });
  await refuses({ stallTimeout: -1 }, { name: "RangeError", code: "out-of-range" });
  await refuses({ worker: 1 }, { name: "TypeError", code: "bad-type" });
  await refuses({ headers: {} }, { name: "TypeError", code: "conflict" });
});

test("a caller's mistake is an error in estimateModel as in loadModel, not a fault of the file", async () => {
  await assert.rejects(estimateModel(good, { worker: false, preTokenizer: "gpt-2" }), { code: "conflict" });
});
