// The errors of loading files that are not models, and from servers that do not send the file.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadModel } from "lastinch";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const utf8 = new TextEncoder();
const vocabulary = vocabularyOf(["a", "b"]);
const good = randomModel({ vocabulary });

/** Bytes of texts and numbers, filled up with zeros to 2,000. */
function bytesOf(...parts) {
  const bytes = parts.flatMap((part) => (typeof part === "string" ? [...utf8.encode(part)] : part));
  return Uint8Array.from({ length: Math.max(bytes.length, 2000) }, (_, i) => bytes[i] ?? 0);
}

const tar = bytesOf("model.gguf");
tar.set(utf8.encode("ustar"), 257);

const lfs = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 4\n`;

/** Beginnings of files: what they are, the code, a part of the message. */
const starts = [
  ["safetensors", bytesOf([0x40, 1, 0, 0, 0, 0, 0, 0], '{"__metadata__":{"format":"pt"}'), "file-safetensors", "GGUF"],
  ["ONNX", bytesOf([8, 10, 0x12, 7], "pytorch", [0x3a, 0x80, 1]), "file-onnx", "lastinch/transformers"],
  ["ONNX without a producer", bytesOf([8, 8, 0x3a, 0x80, 1]), "file-onnx", "transformers.js"],
  ["PyTorch", bytesOf("PK\x03\x04", [0, 0, 8, 8], "archive/data.pkl"), "file-pytorch", "convert_hf_to_gguf"],
  ["an older PyTorch", bytesOf([0x80, 2, 0x8a, 10]), "file-pytorch", "convert_hf_to_gguf"],
  ["a pointer of Git LFS", utf8.encode(lfs), "file-lfs-pointer", "git lfs pull"],
  ["gzip", gzipSync(good), "file-compressed", "unpack"],
  ["zip", bytesOf("PK\x03\x04", [20, 0], "model.gguf"), "file-compressed", "unpack"],
  ["zstd", bytesOf([0x28, 0xb5, 0x2f, 0xfd]), "file-compressed", "unpack"],
  ["xz", bytesOf([0xfd], "7zXZ", [0]), "file-compressed", "unpack"],
  ["7-Zip", bytesOf("7z", [0xbc, 0xaf, 0x27, 0x1c]), "file-compressed", "unpack"],
  ["tar", tar, "file-compressed", "unpack"],
  ["a page", utf8.encode("<!doctype html><title>x</title>"), "file-page", "the file itself"],
  ["a page after white space", bytesOf([0xef, 0xbb, 0xbf], "\r\n  <html>"), "file-page", "the file itself"],
  ["an XML error", utf8.encode("<?xml version='1.0'?><Error/>"), "file-page", "the file itself"],
  ["a JSON error", utf8.encode('{"error" : "Entry not found"}'), "file-json", "Entry not found"],
  ["a config.json", utf8.encode('{\n  "model_type": "qwen2"\n}'), "file-json", "beside the weights"],
  ["GGML", bytesOf("lmgg"), "file-ggml", "GGUF"],
  ["GGJT", bytesOf("tjgg", [3, 0, 0, 0]), "file-ggml", "GGUF"],
  ["GGUF of version 1", bytesOf("GGUF", [1, 0, 0, 0]), "gguf-version", "version 1"],
  ["GGUF of version 4", bytesOf("GGUF", [4, 0, 0, 0]), "gguf-version", "version 4"],
  ["big-endian GGUF", bytesOf("GGUF", [0, 0, 0, 3]), "gguf-version", "big-endian"],
  ["a sentence", utf8.encode("Entry not found"), "gguf-magic", 'begins with "Entry not found"'],
  ["NumPy", bytesOf([0x93], "NUMPY"), "gguf-magic", "93 4e 55 4d"],
];

for (const worker of [true, false])
  test(`a file of another kind is named (worker: ${worker})`, async () => {
    for (const [name, bytes, code, part] of starts) {
      const error = await loadModel(bytes, { worker }).then(
        () => assert.fail(name),
        (error) => error,
      );
      assert.equal(error.name, "LastInchError", name);
      assert.equal(error.code, code, name);
      assert.ok(error.message.includes(part), `${name}: ${error.message}`);
    }
  });

test("a file of another kind is named however small its pieces", async () => {
  for (const [name, bytes, code] of starts) {
    const pieces = Array.from(bytes.subarray(0, 1500), (byte) => Uint8Array.of(byte));
    const stream = new ReadableStream({
      pull: (controller) => (pieces.length ? controller.enqueue(pieces.shift()) : controller.close()),
    });
    await assert.rejects(loadModel(stream, { worker: false }), { code }, name);
  }
});

test("a cut header of GGUF is reported as cut, and bytes of no known format as not GGUF", async () => {
  for (const bytes of [[], [0x47], [0x47, 0x47, 0x55, 0x46], [0x47, 0x47, 0x55, 0x46, 3, 0, 0]])
    await assert.rejects(loadModel(Uint8Array.from(bytes), { worker: false }), { code: "gguf-truncated" });
  // Random bytes that begin like no format.
  await assert.rejects(loadModel(bytesOf([0xd1, 0x02, 0x99, 0x10]), { worker: false }), { code: "gguf-magic" });
  await assert.rejects(loadModel(bytesOf("[hello] {world}"), { worker: false }), { code: "gguf-magic" });
});

test("a GGUF file that is not a whole model is named", async () => {
  const text = (value) => ["string", value];
  const kinds = [
    [{ "split.count": ["uint32", 3], "split.no": ["uint32", 1] }, "file-shard", "part 2 of 3"],
    [{ "general.type": text("adapter"), "adapter.type": text("lora") }, "file-adapter", "llama-export-lora"],
    [{ "general.architecture": text("clip") }, "file-projector", "mmproj"],
    [{ "general.type": text("mmproj"), "general.architecture": text("clip") }, "file-projector", "mmproj"],
    ...["bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "modern-bert", "gemma-embedding", "t5"].map(
      (family) => [{ "general.architecture": text(family) }, "file-encoder", `"${family}"`],
    ),
  ];
  for (const [extra, code, part] of kinds) {
    // As in such files, tensors of the model are missing.
    const file = randomModel({ vocabulary, extra, without: ["output_norm.weight"] });
    const error = await loadModel(file, { worker: false }).then(
      () => assert.fail(code),
      (error) => error,
    );
    assert.equal(error.code, code);
    assert.ok(error.message.includes(part), error.message);
  }
  // A model in one part is whole.
  const extra = { "split.count": ["uint32", 1], "general.type": text("model") };
  (await loadModel(randomModel({ vocabulary, extra }), { worker: false })).dispose();
  const lacking = randomModel({ vocabulary, extra, without: ["output_norm.weight"] });
  await assert.rejects(loadModel(lacking, { worker: false }), { code: "model-tensor-missing" });
});

// ---- servers -----------------------------------------------------------------------------------------

let server, other, address, otherAddress;
/** The requests received: method, path, headers. */
let asked = [];

before(async () => {
  const answer = (request, response) => {
    asked.push(request);
    const { pathname } = new URL(request.url, "http://x");
    const status = /^\/(\d{3})$/.exec(pathname)?.[1];
    if (status) response.writeHead(Number(status), { "retry-after": "170", "x-error-message": "Be patient" }).end("no");
    else if (pathname === "/private" && request.headers.authorization !== "Bearer key") response.writeHead(401).end();
    else if (pathname === "/elsewhere") response.writeHead(302, { location: `${otherAddress}/model.gguf` }).end();
    else response.writeHead(200, { "content-length": good.length, etag: '"1"' }).end(good);
  };
  const open = async () => {
    const server = createServer(answer);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  };
  [server, other] = [await open(), await open()];
  [address, otherAddress] = [server, other].map((one) => `http://127.0.0.1:${one.address().port}`);
});

after(() => {
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});

test("the error for each server response says what to do", async () => {
  const refuses = (status, code, message) =>
    assert.rejects(loadModel(`${address}/${status}?secret=key`), (error) => {
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.match(error.message, new RegExp(`${address}/${status}: HTTP ${status}`));
      assert.match(error.message, /Be patient/);
      assert.doesNotMatch(error.message, /secret/, "a query may hold a key");
      return true;
    });
  await refuses(401, "file-gated", /Authorization/);
  await refuses(403, "file-gated", /Authorization/);
  await refuses(404, "model-download", /no such file/);
  await refuses(410, "model-download", /no such file/);
  await refuses(429, "file-throttled", /wait 170 s/);
  await refuses(500, "model-download", /try again later/);
  await refuses(503, "model-download", /try again later/);
  await refuses(418, "model-download", /HTTP 418/);
});

/** The error of loading from an address that gives this answer. */
const errorOf = (url, answer) =>
  loadModel(url, { worker: false, fetch: async () => answer() }).then(
    () => assert.fail(url),
    (error) => error,
  );

test("the error for the address of a page about a file gives the address of the file", async () => {
  const page = () => new Response("<!doctype html>");
  const hints = [
    ["https://huggingface.co/o/n/blob/main/a/x.gguf", "https://huggingface.co/o/n/resolve/main/a/x.gguf"],
    ["https://huggingface.co/o/n", "https://huggingface.co/o/n/resolve/main/"],
    ["https://huggingface.co/o/n/tree/main", "https://huggingface.co/o/n/resolve/main/"],
    ["https://github.com/o/n/blob/main/x.gguf", "https://raw.githubusercontent.com/o/n/main/x.gguf"],
  ];
  for (const [url, hint] of hints) {
    const { code, message } = await errorOf(url, page);
    assert.equal(code, "file-page");
    assert.ok(message.includes(hint), message);
    const failed = await errorOf(url, () => {
      throw new TypeError("Failed to fetch");
    });
    assert.equal(failed.code, "model-download");
    assert.ok(failed.message.includes(hint), failed.message);
  }
  for (const url of ["https://huggingface.co/o/n/resolve/main/x.gguf", "https://example.org/o/n/blob/x.gguf"]) {
    const { message } = await errorOf(url, page);
    assert.doesNotMatch(message, /\/resolve\/main\/ and|raw\.githubusercontent|instead of/, message);
  }
});

test("only errors from Hugging Face mention a licence to accept", async () => {
  const refused = async (url) => {
    const { code, message } = await errorOf(url, () => new Response("", { status: 403 }));
    assert.equal(code, "file-gated");
    return message;
  };
  for (const site of ["huggingface.co", "hf.co", "cdn-lfs.huggingface.co"])
    assert.match(await refused(`https://${site}/o/n/resolve/main/x.gguf`), /Accept the model's licence.*Bearer/);
  const others = [
    "http://localhost:5173/model.gguf",
    "https://nothuggingface.co/x.gguf",
    "http://localhost/@fs/x.gguf",
  ];
  const messages = await Promise.all(others.map(refused));
  for (const message of messages) assert.doesNotMatch(message, /licence/);
  assert.match(messages[2], /server\.fs\.allow/);
});

test("if Vite has moved the package away from its files, the error says what to set", async () => {
  for (const folder of ["node_modules/.vite", "_nuxt/@fs/app/node_modules/.cache/vite/client"]) {
    const url = `http://localhost:5173/${folder}/deps/storyteller.gguf`;
    // Vite answers with the page of the app, Nuxt with 404.
    for (const answer of [() => new Response("<!doctype html>"), () => new Response("", { status: 404 })]) {
      const { message } = await errorOf(url, answer);
      assert.match(message, /optimizeDeps: \{ exclude: \["lastinch"\] \}/);
    }
  }
});

test("the error of a failed request has the engine's cause", async () => {
  const error = await errorOf("https://example.org/x.gguf?key=1", () => {
    throw new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND example.org") });
  });
  assert.equal(error.code, "model-download");
  assert.match(error.message, /\(https:\/\/example\.org\/x\.gguf: getaddrinfo ENOTFOUND/);
});

test("headers go with every request, but Authorization not to another origin", async () => {
  for (const worker of [true, false]) {
    asked = [];
    const headers = { Authorization: "Bearer key", "X-Own": "1" };
    (await loadModel(`${address}/private`, { worker, headers })).dispose();
    (await loadModel(`${address}/private`, { worker, headers: new Headers(headers) })).dispose();
    assert.deepEqual(
      asked.map((request) => request.headers["x-own"]),
      ["1", "1"],
    );
    await assert.rejects(loadModel(`${address}/private`, { worker }), { code: "file-gated" });

    asked = [];
    (await loadModel(`${address}/elsewhere`, { worker, headers })).dispose();
    assert.deepEqual(
      asked.map((request) => request.headers.authorization),
      ["Bearer key", undefined],
    );
  }
});

test("the page's own fetch is called once, with the headers, and gives the file", async () => {
  for (const worker of [true, false]) {
    const calls = [];
    const own = (...given) => {
      calls.push(given);
      return fetch(`${address}/model.gguf`);
    };
    const reports = [];
    const onProgress = (report) => reports.push(report);
    const options = { worker, onProgress, headers: { "X-Own": "2" }, fetch: own };
    const model = await loadModel("https://example.org/x.gguf", options);
    assert.equal(model.config.size, good.length);
    model.dispose();
    const { rate, ...last } = reports.at(-1);
    assert.deepEqual(last, { loaded: good.length, total: good.length, stage: "prepare", resumed: false });
    assert.ok(rate >= 0);
    const [[url, { method, headers, signal }], ...more] = calls;
    assert.deepEqual([url, method, new Headers(headers).get("x-own")], ["https://example.org/x.gguf", "GET", "2"]);
    assert.ok(signal instanceof AbortSignal);
    assert.deepEqual(more, []);
  }
});

test("an own fetch that fails, refuses or never answers is an error", async () => {
  assert.equal((await errorOf("https://example.org/x", () => new Response("", { status: 403 }))).code, "file-gated");
  assert.equal(
    (await errorOf("https://example.org/x", () => new Response(null, { status: 204 }))).code,
    "model-download",
  );
  const file = new Uint8Array(8);
  for (const answer of [
    null,
    undefined,
    "bytes",
    7,
    {},
    file,
    { ok: true, body: file, headers: new Headers() },
    { ok: true, body: null, headers: {} },
  ])
    for (const worker of [false, true])
      for (const own of [async () => answer, () => answer]) {
        const loading = loadModel("https://example.org/x", { worker, fetch: /** @type {any} */ (own) });
        await assert.rejects(loading, { name: "TypeError", code: "bad-type", message: /\bfetch\b.*\bResponse\b/ });
      }
  const thrown = loadModel("https://example.org/x", { fetch: () => assert.fail("no network") });
  await assert.rejects(thrown, { code: "model-download" });
  const silent = () => new Promise(() => {});
  const stalled = loadModel("https://example.org/x", { fetch: silent, stallTimeout: 100 });
  await assert.rejects(stalled, { code: "model-stalled" });
  const reason = new Error("changed my mind");
  const controller = new AbortController();
  const loading = loadModel("https://example.org/x", { fetch: silent, signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(loading, reason);
});

test("headers and fetch are checked, and refused where they would do nothing", async () => {
  const refuses = (source, options, expected) => assert.rejects(loadModel(source, options), expected);
  await refuses(good, { headers: {} }, { name: "TypeError", code: "conflict" });
  await refuses(new Blob([good]), { fetch }, { name: "TypeError", code: "conflict" });
  await refuses(address, { fetch, cache: true }, { name: "TypeError", code: "conflict" });
  await refuses(address, { fetch: "fetch" }, { name: "TypeError", code: "bad-type" });
  await refuses(address, { headers: { "bad name": "x" } }, { name: "TypeError", code: "bad-type" });
  await refuses(address, { headers: 7 }, { name: "TypeError", code: "bad-type" });
});
