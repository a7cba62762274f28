// The second visit: what is kept of a download, when the copy is used, and when not.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadModel } from "lastinch";
import { FakeCaches } from "./fake-caches.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

// Large enough for several parts.
const vocabulary = vocabularyOf(Array.from({ length: 5000 }, (_, i) => `word${i}`));
const first = randomModel({ vocabulary, context: 10, seed: 1 });
const second = randomModel({ vocabulary, context: 10, seed: 2 });

/** The file on the server, with its headers. */
let file;
let log;
/** Answers a request instead of the server. @type {((request: any, response: any) => boolean) | undefined} */
let trick;
let caches;
let server;
let url;

before(async () => {
  server = createServer((request, response) => {
    log.push(request.method);
    if (trick?.(request, response)) return;
    response.writeHead(200, { "content-length": file.bytes.length, ...file.headers });
    if (request.method === "HEAD") response.end();
    else response.end(file.bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/model.gguf`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  file = { bytes: first, headers: { etag: '"1"' } };
  log = [];
  trick = undefined;
  caches = new FakeCaches();
  globalThis.caches = caches;
});

afterEach(() => {
  delete globalThis.caches;
});

const name = () => `lastinch-model ${url}`;
const parts = () => [...(caches.stored.get(name())?.keys() ?? [])].filter((key) => /\d$/.test(key));
const isKept = () => caches.stored.get(name())?.has("https://lastinch.invalid/manifest") ?? false;

/** Loads the file. Returns which version it was and the requests that the server got. */
async function visit(options) {
  log.length = 0;
  const model = await loadModel(url, { worker: false, ...options });
  const logits = await model.forward([1, 2]);
  model.dispose();
  return { seed: logits.every((value, i) => value === expected[0][i]) ? 1 : 2, requests: log.join() };
}

const expected = await Promise.all(
  [first, second].map(async (bytes) => {
    const model = await loadModel(bytes, { worker: false });
    const logits = await model.forward([1, 2]);
    model.dispose();
    return logits;
  }),
);

test("the second visit asks only for the headers, and gets the same model", async () => {
  assert.deepEqual(await visit(), { seed: 1, requests: "GET" });
  assert.ok(isKept() && parts().length >= 5);
  const reports = [];
  assert.deepEqual(await visit({ onProgress: (report) => reports.push(report) }), { seed: 1, requests: "HEAD" });
  const { rate, ...last } = reports.at(-1);
  assert.deepEqual(last, { loaded: first.length, total: first.length, stage: "prepare", resumed: false });
  assert.ok(reports.slice(0, -1).every(({ stage }) => stage === "verify"));
  assert.ok(reports.every(({ loaded }, i) => loaded >= (reports[i - 1]?.loaded ?? 0)));
});

test("a file that changed on the server is downloaded again, once", async () => {
  const { bytes } = file;
  const versions = [
    { bytes, headers: { etag: '"1"', "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT" } },
    { bytes: second, headers: { etag: '"2"', "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT" } },
    { bytes, headers: { etag: '"2"', "last-modified": "Sat, 21 Nov 2026 12:00:01 GMT" } },
    { bytes: second.slice(), headers: { etag: '"2"' } },
    { bytes: Buffer.concat([second, new Uint8Array(100)]), headers: { etag: '"2"' } },
  ];
  let before = -1;
  for (const [i, version] of versions.entries()) {
    file = version;
    const isSame = i === 3; // a missing header does not count as a change
    const seed = isSame ? before : version.bytes[first.length - 1] === first.at(-1) ? 1 : 2;
    assert.deepEqual(await visit(), { seed, requests: i === 0 ? "GET" : isSame ? "HEAD" : "HEAD,GET" }, `version ${i}`);
    assert.deepEqual(await visit(), { seed, requests: "HEAD" }, `version ${i}`);
    before = seed;
  }
});

test("a damaged copy is downloaded again and repaired", async () => {
  const damages = {
    "a flipped bit": (kept) => (kept.get(parts()[2])[1000] ^= 1),
    "a flipped bit in the header": (kept) => (kept.get(parts()[0])[100] ^= 1),
    "a part that is gone": (kept) => kept.delete(parts()[3]),
    "a part that is cut": (kept) => kept.set(parts().at(-1), kept.get(parts().at(-1)).subarray(1)),
    "parts that are exchanged": (kept) => {
      const [a, b] = parts();
      const bytes = kept.get(a);
      kept.set(a, kept.get(b));
      kept.set(b, bytes);
    },
  };
  await visit();
  for (const [damage, inflict] of Object.entries(damages)) {
    inflict(caches.stored.get(name()));
    assert.deepEqual(await visit(), { seed: 1, requests: "HEAD,GET" }, damage);
    assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" }, damage);
  }
  const manifest = "https://lastinch.invalid/manifest";
  for (const inflict of [
    (kept) => kept.delete(manifest),
    (kept) => kept.set(manifest, new TextEncoder().encode("{")),
    (kept) => {
      const text = new TextDecoder().decode(kept.get(manifest));
      kept.set(manifest, new TextEncoder().encode(text.replace(String(first.length), String(first.length - 1))));
    },
  ]) {
    inflict(caches.stored.get(name()));
    assert.deepEqual(await visit(), { seed: 1, requests: "GET" });
    assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
  }
});

test("the copy is used if the server does not answer", async (t) => {
  await visit();
  for (const status of [403, 405, 500, 503]) {
    trick = (request, response) => response.writeHead(status).end();
    assert.deepEqual(await visit(), { seed: 1, requests: "HEAD,GET" }, String(status));
  }
  trick = (request, response) => request.method === "HEAD" && response.writeHead(405).end();
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD,GET" });
  const before = file;
  file = { bytes: second, headers: { etag: '"2"' } };
  assert.deepEqual(await visit(), { seed: 2, requests: "HEAD,GET,GET" });
  file = before;
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD,GET,GET" });

  trick = (request) => request.socket.destroy();
  assert.equal((await visit()).seed, 1);
  trick = () => true; // it never answers
  const { setInterval } = globalThis;
  t.mock.method(globalThis, "setInterval", (tick, ms) => setInterval(tick, ms / 20)); // shortens every time limit
  assert.deepEqual(await visit({ stallTimeout: 0 }), { seed: 1, requests: "HEAD" });
});

test("a file deleted from the server is an error", async () => {
  await visit();
  trick = (request, response) => response.writeHead(404).end();
  await assert.rejects(visit(), { code: "model-download", message: /404/ });
  assert.ok(!isKept());
});

test("with cache: false no copy is used or kept", async () => {
  assert.deepEqual(await visit({ cache: false }), { seed: 1, requests: "GET" });
  assert.equal(caches.stored.size, 0);
  await visit();
  file = { bytes: second, headers: file.headers };
  assert.deepEqual(await visit({ cache: false }), { seed: 2, requests: "GET" });
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
});

test("a file compressed in transfer is kept uncompressed", async () => {
  trick = (request, response) => {
    const packed = gzipSync(file.bytes);
    response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length, etag: 'W/"1"' });
    response.end(request.method === "HEAD" ? undefined : packed);
    return true;
  };
  assert.deepEqual(await visit(), { seed: 1, requests: "GET" });
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
});

test("a file without ETag and Last-Modified is not kept", async () => {
  file.headers = {};
  await visit();
  assert.equal(caches.stored.size, 0);
});

test("files, Blobs, streams and responses are not kept", async () => {
  for (const source of [first, new Blob([first]), new Blob([first]).stream(), await fetch(url), new Response(first)])
    (await loadModel(source, { worker: false })).dispose();
  assert.equal(caches.stored.size, 0);
});

test("loading succeeds with a full disk or a broken cache, and keeps no partial copy", async () => {
  for (const room of [0, 300_000, first.length - 1, first.length + 10]) {
    caches.room = room;
    assert.deepEqual(await visit(), { seed: 1, requests: "GET" }, `${room} bytes`);
    assert.equal(caches.stored.size, 0, `${room} bytes`);
  }
  caches.room = Infinity;
  for (const method of ["open", "put", "delete"]) {
    caches.broken = new Set([method]);
    assert.deepEqual(await visit(), { seed: 1, requests: "GET" }, method);
    assert.equal(isKept(), method === "delete");
  }
  caches.broken.clear();
  await visit();
  for (const [method, requests] of [
    ["has", "GET"],
    ["open", "GET"],
    ["match", "GET"],
  ]) {
    caches.broken = new Set([method]);
    assert.deepEqual(await visit(), { seed: 1, requests }, method);
    caches.broken.clear();
    await visit();
  }
  const hidden = { get: () => assert.fail("a sandboxed frame"), configurable: true };
  Object.defineProperty(globalThis, "caches", hidden);
  assert.deepEqual(await visit(), { seed: 1, requests: "GET" });
});

test("loading succeeds with a cache that never answers, which is not asked twice", async (t) => {
  const { setInterval } = globalThis;
  t.mock.method(globalThis, "setInterval", (tick, ms) => setInterval(tick, ms / 20)); // shortens every time limit
  await visit();
  const { stored } = caches;
  for (const method of ["has", "open", "delete", "put", "match"]) {
    caches = Object.assign(new FakeCaches(), { silent: new Set([method]) });
    if (method === "match") caches.stored = stored;
    globalThis.caches = caches;
    const warn = t.mock.method(console, "warn", () => {});
    for (let i = 0; i < 2; i++) assert.deepEqual(await visit(), { seed: 1, requests: "GET" }, method);
    assert.equal(caches.unanswered, 1, method);
    assert.equal(warn.mock.callCount(), 1, method);
    assert.match(warn.mock.calls[0].arguments[0], /caches do not answer/);
    warn.mock.restore();
  }
  globalThis.caches = caches = Object.assign(new FakeCaches(), { stored });
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
});

test("a file that does not load leaves no copy", async () => {
  trick = (request, response) => {
    response.writeHead(200, { etag: '"1"' }).end(first.subarray(0, 900_000));
    return true;
  };
  await assert.rejects(visit(), { code: "model-incomplete" });
  assert.equal(caches.stored.size, 0);

  file.bytes = new TextEncoder().encode("<!doctype html>");
  trick = undefined;
  await assert.rejects(visit(), { code: "file-page" });
  assert.equal(caches.stored.size, 0);
});

test("an error thrown by the callback is not mistaken for a damaged copy", async () => {
  await visit();
  await assert.rejects(visit({ contextLength: 11 }), { name: "RangeError" });
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
  const controller = new AbortController();
  const onProgress = () => controller.abort();
  await assert.rejects(visit({ signal: controller.signal, onProgress }), { name: "AbortError" });
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
});

test("bytes after the tensors do not harm the copy", async () => {
  for (const extra of [1, 100_000, 2_000_000]) {
    file = { bytes: Buffer.concat([first, new Uint8Array(extra)]), headers: { etag: `"${extra}"` } };
    await visit();
    assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" }, String(extra));
  }
});

test("several simultaneous loads give the same model and leave a complete copy", async () => {
  const models = await Promise.all([1, 2, 3].map(() => loadModel(url, { worker: false })));
  for (const model of models) {
    assert.deepEqual(await model.forward([1, 2]), expected[0]);
    model.dispose();
  }
  await visit();
  assert.deepEqual(await visit(), { seed: 1, requests: "HEAD" });
});

// Browsers list a cancelled response in red, among the failed requests.
test("the response that says a file has not changed is read to its end", async () => {
  await visit();
  const { fetch } = globalThis;
  const ends = [];
  globalThis.fetch = async (address, options) => {
    const { status, headers } = await fetch(address, options);
    const body = new ReadableStream({
      pull(controller) {
        ends.push("read");
        controller.close();
      },
      cancel: () => void ends.push("cancelled"),
    });
    return new Response(body, { status, headers });
  };
  try {
    assert.equal((await visit()).requests, "HEAD");
  } finally {
    globalThis.fetch = fetch;
  }
  assert.deepEqual(ends, ["read"]);
});
