// Loading: sources, progress, and every way in which a download can go wrong.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { loadModel } from "lastinch";
import { randomModel, scriptedModel, vocabularyOf, writeGguf } from "./tiny-gguf.js";

const vocabulary = vocabularyOf([..."abcdefghijklmnopqrstuvwxyz"]);
const bytes = randomModel({ vocabulary, context: 100, seed: 9 });

const root = new URL("../..", import.meta.url);
let folder;
let server;
let address;

/** What the server answers, by path. */
const answers = {
  "/model.gguf": (response) => response.writeHead(200, { "content-length": bytes.length }).end(bytes),
  "/unknown-length.gguf": (response) => response.writeHead(200).end(bytes),
  "/gzip.gguf": (response) => {
    const packed = gzipSync(bytes);
    response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length }).end(packed);
  },
  "/page.gguf": (response) => response.writeHead(200).end("<!doctype html><title>Not here</title>"),
  "/cut.gguf": (response) => {
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, 30_000), () => response.destroy());
  },
  "/short.gguf": (response) => response.writeHead(200).end(bytes.subarray(0, 30_000)),
  "/slow.gguf": (response) => {
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, 30_000));
  },
  "/silent.gguf": () => {}, // not even headers
  "/mute.gguf": (response) => response.writeHead(200, { "content-length": bytes.length }).flushHeaders(),
  "/drip.gguf": async (response) => {
    response.writeHead(200);
    for (let at = 0; at < bytes.length; at += bytes.length / 8) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      response.write(bytes.subarray(at, at + bytes.length / 8));
    }
    response.end();
  },
  "/says-more.gguf": (response) => {
    response.writeHead(200, { "content-length": bytes.length + 1000 }).write(bytes, () => response.destroy());
  },
  "/says-less.gguf": (response) => {
    // As a server that lies does it. Node's own response would correct the length.
    response.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 30000\r\nConnection: close\r\n\r\n`);
    response.socket.end(bytes);
  },
  "/beyond.gguf": (response) => {
    response.writeHead(200, { "content-length": 2 ** 32 + 1 }).write(bytes);
  },
  "/broken": (response) => response.writeHead(500).end("oh"),
};
const closed = new Map(); // path -> resolves when its connection is closed

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "lastinch-"));
  server = createServer((request, response) => {
    closed.get(request.url)?.(new Promise((resolve) => response.on("close", resolve)));
    const answer = answers[request.url] ?? ((other) => other.writeHead(404).end("none"));
    answer(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  server.close();
});

async function recite(model) {
  let text = "";
  for await (const chunk of model.generate("abc", { bannedTokens: [2], seed: 1, maxTokens: 20 })) text += chunk.text;
  return text;
}

/** A stream that gives `pieces` and remembers whether it was cancelled. */
function streamOf(pieces, { isEndless = false, error } = {}) {
  let isCancelled = false;
  const rest = [...pieces];
  const stream = new ReadableStream({
    pull(controller) {
      if (rest.length) controller.enqueue(rest.shift());
      else if (error) controller.error(error);
      else if (!isEndless) controller.close();
      else return new Promise(() => {});
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { stream, isCancelled: () => isCancelled };
}

function slices(size) {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
}

for (const worker of [true, false])
  test(`every kind of source gives the same model (worker: ${worker})`, async () => {
    const path = join(folder, "möbius #1.gguf");
    writeFileSync(path, bytes);
    const inside = new Uint8Array(bytes.length + 24);
    inside.set(bytes, 8);
    const buffer = Buffer.alloc(bytes.length, bytes);
    const sources = {
      Uint8Array: bytes.slice(),
      "part of a larger buffer": inside.subarray(8, 8 + bytes.length),
      DataView: new DataView(inside.buffer, 8, bytes.length),
      ArrayBuffer: bytes.slice().buffer,
      Blob: new Blob([bytes]),
      "stream of large pieces": streamOf([bytes.slice()]).stream,
      "stream of odd pieces": streamOf([new Uint8Array(0), ...slices(997)]).stream,
      "stream of Buffers": streamOf([Buffer.from(bytes.subarray(0, 1000)), Buffer.from(bytes.subarray(1000))]).stream,
      "stream of a Buffer": streamOf([buffer]).stream,
      "http address": `${address}/model.gguf`,
      "http URL": new URL(`${address}/unknown-length.gguf`),
      "compressed on the way": `${address}/gzip.gguf`,
      "file URL": pathToFileURL(path),
      path,
      "relative path": relative(process.cwd(), path),
    };
    const expected = await loadModel(bytes, { worker: false });
    const text = await recite(expected);
    for (const [name, source] of Object.entries(sources)) {
      const reports = [];
      const model = await loadModel(source, { worker, onProgress: (report) => reports.push(report) });
      assert.equal(await recite(model), text, name);
      assert.deepEqual(model.config, expected.config);
      model.dispose();
      assert.ok(reports.length > 0, name);
      const { loaded, total, stage } = reports.at(-1);
      assert.deepEqual([loaded, total, stage], [bytes.length, bytes.length, "prepare"], name);
      for (const [i, { loaded, total }] of reports.entries()) {
        assert.ok(loaded <= total && loaded >= (reports[i - 1]?.loaded ?? 0), name);
        assert.ok(total <= bytes.length, name);
      }
    }
    assert.equal(sources.Uint8Array.length, bytes.length, "the caller keeps the bytes");
    assert.equal(sources.ArrayBuffer.byteLength, bytes.length);
    assert.equal(buffer.length, bytes.length);
    expected.dispose();
  });

test("bytes after the tensors are not read", async () => {
  const longer = new Uint8Array(bytes.length + 5000);
  longer.set(bytes);
  let last;
  const model = await loadModel(longer, { worker: false, onProgress: (report) => (last = report) });
  assert.equal(model.config.size, bytes.length);
  assert.deepEqual([last.loaded, last.total], [bytes.length, bytes.length]);
  model.dispose();
  const { stream, isCancelled } = streamOf([bytes.slice()], { isEndless: true });
  (await loadModel(stream, { worker: false })).dispose();
  assert.ok(isCancelled());
});

test("the configuration is the file's", async () => {
  const model = await loadModel(bytes, { worker: true });
  assert.deepEqual(model.config, {
    name: "tiny",
    family: "llama",
    size: bytes.length,
    vocabSize: vocabulary.length,
    contextLength: 100,
    trainedLength: 100,
    cacheType: "f32",
    dim: 32,
    hiddenDim: 32,
    layers: 1,
    heads: 2,
    kvHeads: 2,
    headDim: 16,
    valueDim: 16,
    ropeDim: 16,
    ropeBase: 10000,
    normEpsilon: Math.fround(1e-6),
    tied: false,
    predictsAhead: false,
    bos: 1,
    addBos: true,
    chatTemplate: null,
    sampling: { options: {}, dropped: [] },
  });
  model.dispose();
});

test("a large header may arrive in many pieces", async () => {
  const many = vocabularyOf(Array.from({ length: 20_000 }, (_, i) => `word${i}`));
  const file = randomModel({ vocabulary: many, context: 10 });
  for (const size of [4096, 300_000, file.length]) {
    const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, i) =>
      file.slice(i * size, (i + 1) * size),
    );
    const model = await loadModel(streamOf(pieces).stream, { worker: false });
    assert.equal(new TextDecoder().decode(model.vocabulary.tokens.at(-1)), "word19999");
    model.dispose();
  }
});

test("pieces may end anywhere, and loading does not change them", async () => {
  const whole = await loadModel(bytes, { worker: false });
  const logits = await whole.forward([1, 2, 3]);
  whole.dispose();
  const dataStart = bytes.length - 4 * (2 * vocabulary.length * 32 + 7 * 32 * 32 + 3 * 32);
  // Cuts around the padding between header and data: the header is complete before the data begins.
  for (let cut = dataStart - 33; cut <= dataStart + 1; cut++) {
    const pieces = [bytes.slice(0, cut), bytes.slice(cut, cut + 3), bytes.slice(cut + 3)];
    const cutUp = await loadModel(streamOf(pieces).stream, { worker: cut % 2 === 0 });
    assert.deepEqual(await cutUp.forward([1, 2, 3]), logits, `cut at ${cut}`);
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [cut, 3, bytes.length - cut - 3],
    );
    cutUp.dispose();
  }
});

test("contextLength makes room for fewer positions", async () => {
  const model = await loadModel(bytes, { worker: false, contextLength: 7 });
  assert.equal(model.config.contextLength, 7);
  await assert.rejects(model.forward(new Array(8).fill(1)), { code: "model-context-full" });
  model.dispose();
  await assert.rejects(loadModel(bytes, { contextLength: 101 }), {
    name: "RangeError",
    message: /1 to the model's 100/,
  });
});

test("a file cut off anywhere is refused", async () => {
  const cuts = [0, 1, 4, 8, 23, 24, 100, 5000, 9000, bytes.length - 40_000, bytes.length - 1];
  for (const size of cuts) {
    const codes = [];
    for (const source of [bytes.slice(0, size), streamOf([bytes.slice(0, size)]).stream])
      await loadModel(source, { worker: false }).catch((error) => codes.push(error.code));
    assert.equal(codes.length, 2, `cut at ${size}`);
    for (const code of codes) assert.match(code, /^(gguf-truncated|gguf-corrupt|model-incomplete)$/, `cut at ${size}`);
  }
});

test("failed downloads give an error that names the cause", async () => {
  const refuses = (source, expected) => assert.rejects(loadModel(source), { name: "LastInchError", ...expected });
  await refuses(`${address}/none.gguf`, { code: "model-download", message: /none\.gguf.*404/ });
  await refuses(`${address}/broken`, { code: "model-download", message: /500/ });
  await refuses(`${address}/page.gguf`, { code: "file-page", message: /page\.gguf/ });
  await refuses(`${address}/cut.gguf`, { code: "model-download" });
  await refuses(`${address}/short.gguf`, { code: "model-incomplete" });
  await refuses("http://127.0.0.1:1/", { code: "model-download", message: /127\.0\.0\.1/ });
  await refuses(join(folder, "none.gguf"), { code: "model-download", message: /none\.gguf.*ENOENT/ });
  await refuses(streamOf([bytes.slice(0, 9000)], { error: new Error("cable cut") }).stream, {
    code: "model-download",
    message: /cable cut/,
  });
  await refuses(streamOf(["text"]).stream, { code: "model-download", message: /Uint8Array/ });
  await refuses(new Blob([]), { code: "gguf-truncated" });
  await refuses(new TextEncoder().encode("something else"), { code: "gguf-magic", message: /something else/ });
});

test("models that cannot be run are refused", async () => {
  const changed = (extra) => randomModel({ vocabulary, extra });
  const refuses = (file, expected) => assert.rejects(loadModel(file, { worker: false }), expected);
  await refuses(changed({ "general.architecture": ["string", "mamba"] }), { code: "model-architecture" });
  await refuses(changed({ "tokenizer.ggml.model": ["string", "bert"] }), {
    code: "model-tokenizer",
    message: /"bert"/,
  });
  await refuses(changed({ "tokenizer.ggml.model": ["string", "gpt2"] }), {
    code: "model-tokenizer",
    message: /merges/,
  });
  await refuses(changed({ "tokenizer.ggml.scores": ["float32", [1, 2]] }), {
    code: "model-tokenizer",
    message: /scores/,
  });
  await refuses(changed({ "tokenizer.ggml.tokens": ["uint32", 7] }), { code: "model-tokenizer", message: /tokens/ });
  await refuses(randomModel({ vocabulary, rows: 100 }), { code: "model-tokenizer" });
  for (const name of ["bos", "eos", "eot"])
    for (const id of [
      ["uint32", vocabulary.length],
      ["uint32", 99_999],
      ["int32", -2],
      ["float32", 1.5],
      ["string", "1"],
    ])
      await refuses(changed({ [`tokenizer.ggml.${name}_token_id`]: id }), {
        code: "model-tokenizer",
        message: new RegExp(`${name}_token_id`),
      });
  const unknownless = vocabulary.filter(([, , type]) => type !== 2 && type !== 6);
  await refuses(randomModel({ vocabulary: unknownless }), { code: "model-tokenizer", message: /unknown token/ });
  await refuses(writeGguf({ "general.architecture": ["string", "llama"] }, []), { code: "model-config" });
});

test("an aborted signal stops loading, with the signal's reason", async () => {
  const reason = new Error("changed my mind");
  await assert.rejects(loadModel(bytes, { signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(loadModel(bytes, { signal: AbortSignal.abort() }), { name: "AbortError" });

  const gone = new Promise((resolve) => closed.set("/slow.gguf", resolve));
  const controller = new AbortController();
  const onProgress = () => controller.abort(reason);
  await assert.rejects(loadModel(`${address}/slow.gguf`, { signal: controller.signal, onProgress }), reason);
  await gone; // the connection is closed too

  for (const worker of [true, false]) {
    const { stream, isCancelled } = streamOf(slices(5000).slice(0, 4), { isEndless: true });
    const signal = AbortSignal.timeout(50);
    await assert.rejects(loadModel(stream, { signal, worker }), { name: "TimeoutError" });
    assert.ok(isCancelled());
  }
  const finished = new AbortController();
  const model = await loadModel(bytes, { signal: finished.signal });
  finished.abort(); // too late to do anything
  assert.equal((await model.tokenize("ab")).length, 2);
  model.dispose();
});

test("a stalled download is an error, a slow download is not", async () => {
  const stalls = (source, options) =>
    assert.rejects(loadModel(source, { stallTimeout: 200, ...options }), {
      name: "LastInchError",
      code: "model-stalled",
      message: /\(0\.2 s\)/,
    });
  for (const worker of [true, false])
    for (const path of ["/silent.gguf", "/mute.gguf", "/slow.gguf"]) {
      const gone = new Promise((resolve) => closed.set(path, resolve));
      await stalls(address + path, { worker });
      await gone; // the connection is closed
    }
  for (const count of [0, 1, 20]) {
    const { stream, isCancelled } = streamOf(slices(5000).slice(0, count), { isEndless: true });
    await stalls(stream);
    assert.ok(isCancelled());
  }
  // In the thread of the server, which a busy machine cannot delay alone.
  for (const stallTimeout of [200, 0])
    (await loadModel(`${address}/drip.gguf`, { stallTimeout, worker: false })).dispose();
});

test("a model loads if Content-Length is too large, and is refused if it is too small", async () => {
  for (const worker of [true, false]) {
    // Everything that the model needs has arrived.
    (await loadModel(`${address}/says-more.gguf`, { worker })).dispose();
    await assert.rejects(loadModel(`${address}/says-less.gguf`, { worker }), {
      code: /^model-(incomplete|download)$/,
    });
  }
});

test("an aborted signal stops loading at every moment", async () => {
  const reason = new Error("changed my mind");
  for (const worker of [true, false]) {
    for (const path of ["/silent.gguf", "/mute.gguf", "/slow.gguf"])
      for (const delay of [0, 1, 100]) {
        const controller = new AbortController();
        const loading = loadModel(address + path, { worker, signal: controller.signal });
        setTimeout(() => controller.abort(reason), delay);
        await assert.rejects(loading, reason);
      }
    // In the same turn as the call, and while other models load.
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const loads = controllers.map(({ signal }) => loadModel(`${address}/model.gguf`, { worker, signal }));
    controllers[0].abort(reason);
    controllers[2].abort(reason);
    const results = await Promise.allSettled(loads);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "fulfilled", "rejected", "fulfilled"],
    );
    for (const { value } of results) value?.dispose();
  }
});

/** A header that promises much, then as many bytes as are read. */
function promising(header) {
  let pulled = 0;
  const stream = new ReadableStream(
    {
      pull(controller) {
        const piece = pulled < header.length ? header.slice(pulled, pulled + 50_000) : new Uint8Array(50_000);
        pulled += piece.length;
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, pulled: () => pulled };
}

test("a model beyond 32-bit memory is refused before any weight is read", async () => {
  const gone = new Promise((resolve) => closed.set("/beyond.gguf", resolve));
  const reports = [];
  await assert.rejects(loadModel(`${address}/beyond.gguf`, { onProgress: (report) => reports.push(report) }), {
    code: "gguf-too-large",
    message: /4,294,967,297/,
  });
  assert.deepEqual(reports, []);
  await gone;

  const huge = promising(randomModel({ vocabulary, dim: 1024, rows: 2 ** 20, headerOnly: true }));
  await assert.rejects(loadModel(huge.stream, { worker: false }), {
    code: "gguf-too-large",
    message: /8,\d+ MB/,
  });
  assert.ok(huge.pulled() < 200_000);

  const wide = { vocabulary, dim: 1024, context: 2 ** 24 };
  const tooLong = promising(randomModel({ ...wide, headerOnly: true }));
  await assert.rejects(loadModel(tooLong.stream, { worker: false, contextLength: 2 ** 20, cacheType: "f32" }), {
    code: "gguf-too-large",
    message: /1,048,576.*f32.*contextLength of [\d,]+/,
  });
  assert.ok(tooLong.pulled() < 200_000);
});

test("the default context is 4,096 positions if the model was trained for more", async () => {
  const long = randomModel({ vocabulary, context: 2 ** 24 });
  const model = await loadModel(long, { worker: false });
  assert.equal(model.config.contextLength, 4096);
  assert.equal(model.config.trainedLength, 2 ** 24);
  model.dispose();
  const longer = await loadModel(long, { worker: false, contextLength: 100_000 });
  assert.equal(longer.config.contextLength, 100_000);
  longer.dispose();
});

test("cacheType chooses floats, halves or bytes for keys and values", async () => {
  for (const cacheType of ["f32", "f16"]) {
    const model = await loadModel(bytes, { worker: false, cacheType });
    assert.equal(model.config.cacheType, cacheType);
    model.dispose();
  }
  await assert.rejects(loadModel(bytes, { worker: false, cacheType: "q8_0" }), { code: "model-cache-type" });
  await assert.rejects(loadModel(bytes, { worker: false, cacheType: "q4_0" }), { name: "TypeError", code: "bad-type" });
  const wide = randomModel({ vocabulary, dim: 64 });
  const model = await loadModel(wide, { worker: false, cacheType: "q8_0" });
  assert.equal(model.config.cacheType, "q8_0");
  assert.ok((await model.forward([1, 5, 9])).every(Number.isFinite));
  model.dispose();
});

test("a refusal names the family, the key or the tensor", async () => {
  const refuses = (extra, code, message) =>
    assert.rejects(loadModel(randomModel({ vocabulary, extra }), { worker: false }), { code, message });
  await refuses(
    { "general.architecture": ["string", "gemma4"] },
    "model-architecture",
    /"gemma4".*transformers\.js.*lastinch\/transformers/,
  );
  await refuses(
    { "llama.expert_count": ["uint32", 8] },
    "model-architecture",
    /"llama\.expert_count".*transformers\.js.*lastinch\/transformers/,
  );
  await refuses(
    { "llama.rope.scaling.type": ["string", "llama3"] },
    "model-architecture",
    /"llama\.rope\.scaling\.type"/,
  );
  await refuses(
    { "llama.attention.head_count_kv": ["uint32", 3] },
    "model-config",
    /"llama\.attention\.head_count_kv"/,
  );
  await refuses({ "llama.block_count": ["uint32", 2] }, "model-tensor-missing", /"blk\.1\.attn_norm\.weight"/);
  await refuses(
    { "llama.feed_forward_length": ["uint32", 64] },
    "model-tensor-shape",
    /"blk\.0\.ffn_gate\.weight".*32 x 32, not 32 x 64/,
  );
});

test("an error thrown in onProgress ends loading", async () => {
  const error = new Error("from the page");
  const onProgress = () => {
    throw error;
  };
  await assert.rejects(loadModel(bytes, { onProgress }), error);
});

test("options and sources are checked, and none is ignored", async () => {
  const refuses = (source, options, expected) => assert.rejects(loadModel(source, options), expected);
  await refuses(bytes, { cores: 4 }, { name: "TypeError", code: "unknown-option", message: /cores.*threads/ });
  await refuses(bytes, { onprogress() {} }, { name: "TypeError", code: "unknown-option", message: /onProgress/ });
  await refuses(bytes, { worker: "yes" }, { name: "TypeError", code: "bad-type" });
  await refuses(bytes, { onProgress: true }, { name: "TypeError", code: "bad-type" });
  await refuses(bytes, { signal: {} }, { name: "TypeError", code: "bad-type" });
  await refuses(bytes, { contextLength: 0 }, { name: "RangeError", code: "out-of-range" });
  await refuses(bytes, { cache: 1 }, { name: "TypeError", code: "bad-type" });
  await refuses(bytes, { stallTimeout: -1 }, { name: "RangeError", code: "out-of-range" });
  await refuses(bytes, { stallTimeout: "1" }, { name: "TypeError", code: "bad-type" });
  await refuses(bytes, null, { name: "TypeError", code: "bad-type" });
  await refuses(42, {}, { name: "TypeError", code: "bad-type" });
  await refuses(undefined, {}, { name: "TypeError", code: "bad-type" });
  await refuses([1, 2, 3], {}, { name: "TypeError", code: "bad-type" });
  const { stream } = streamOf([bytes]);
  stream.getReader();
  await refuses(stream, {}, { name: "TypeError", code: "bad-type", message: /locked/ });
});

test("in an engine without WebAssembly or without SIMD the error names a remedy", () => {
  const run = (change) => {
    const script = `
      ${change}
      const { loadModel } = await import("lastinch");
      await loadModel(new Uint8Array(9), { worker: false }).catch((error) => console.log(error.name, error.code));`;
    return String(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root })).trim();
  };
  assert.equal(run("delete globalThis.WebAssembly;"), "LastInchError no-webassembly");
  assert.equal(run("WebAssembly.validate = () => false;"), "LastInchError no-simd");
});

test("a scripted model writes its text all the way from a file", async () => {
  const path = join(folder, "scripted.gguf");
  writeFileSync(path, scriptedModel({ script: ["x", "y"] }).bytes);
  const model = await loadModel(path);
  const chunks = [];
  for await (const chunk of model.generate("", { temperature: 0 })) chunks.push(chunk.text);
  assert.deepEqual(chunks, ["x", "y", ""]);
  model.dispose();
});
