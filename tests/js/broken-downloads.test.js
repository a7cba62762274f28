// A server that breaks off, stalls, lies and changes its mind: each download recovers or has its own error, what is kept
// is never broken, and nothing that a whole part holds is fetched twice.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadModel, models, removeModel } from "lastinch";
import { FakeCaches } from "./fake-caches.js";
import { rounds } from "../rounds.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

// Large enough for several parts.
const vocabulary = vocabularyOf(Array.from({ length: 5000 }, (_, i) => `word${i}`));
const first = randomModel({ vocabulary, context: 10, seed: 1 });
const second = randomModel({ vocabulary, context: 10, seed: 2 });
const PART = 1 << 17;

/** What the server has. */
let file;
/** Ranges that were asked for: the first byte, or "all". */
let log;
/**
 * What the server does instead, once for each request: it may answer with `send`.
 * @type {((request: any, response: any, index: number) => void)[]}
 */
let tricks;
let caches;
let server;
let url;

/** Answers as a good server does. @param {{ until?: number, headers?: object, status?: number }} [how] until: breaks off there */
function send(request, response, { until = Infinity, headers = {} } = {}) {
  const { bytes, etag } = file;
  const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const isSame = [undefined, etag].includes(request.headers["if-range"]);
  const from = start && isSame ? Number(start) : 0;
  if (from >= bytes.length) return response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
  const range = start && isSame && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  const length = { "content-length": bytes.length - from };
  response.writeHead(range ? 206 : 200, { etag, ...length, ...range, ...headers });
  if (request.method === "HEAD") return response.end();
  if (until >= bytes.length) return response.end(bytes.subarray(from));
  return response.write(bytes.subarray(from, until), () => response.destroy());
}

before(async () => {
  server = createServer((request, response) => {
    if (request.method === "GET")
      log.push(request.headers.range ? Number(/\d+/.exec(request.headers.range)[0]) : "all");
    const trick = request.method === "GET" && tricks.shift();
    if (trick) trick(request, response);
    else send(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/model.gguf`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const { setTimeout: later } = globalThis;
let waits;

beforeEach(() => {
  file = { bytes: first, etag: '"1"' };
  log = [];
  tricks = [];
  waits = [];
  caches = new FakeCaches();
  globalThis.caches = caches;
  // The library's waits, a hundred times as fast.
  globalThis.setTimeout = (call, ms, ...rest) => {
    if (ms >= 250 && ms < 20_000) waits.push(ms);
    return later(call, ms / 100, ...rest);
  };
});

afterEach(() => {
  globalThis.setTimeout = later;
  delete globalThis.caches;
});

const entries = () => caches.stored.get(`lastinch-model ${url}`);

/** Checks what is kept: as much as it says, and the bytes of that file. */
async function keptBytes() {
  const [kept] = await models();
  if (!kept) return 0;
  const parts = [...entries().keys()].filter((key) => /\d$/.test(key)).map((key) => entries().get(key));
  const bytes = Buffer.concat(parts).subarray(0, kept.bytes);
  assert.equal(bytes.length, kept.bytes);
  assert.ok(bytes.equals(file.bytes.subarray(0, kept.bytes)));
  assert.equal(kept.isWhole, kept.bytes === file.bytes.length);
  return kept.bytes;
}

/** Compares what was asked for. Of the bytes before a break some may be lost. @param {(number | "all")[]} expected */
function checkLog(...expected) {
  assert.equal(log.length, expected.length, log.join());
  log.forEach((start, i) => {
    const limit = expected[i];
    if (limit === "all" || start === "all") assert.equal(start, limit, log.join());
    else assert.ok(start <= limit && start > limit - 250_000, log.join());
  });
}

/** Loads it; its bytes must be those of the file. */
async function visit(options) {
  const model = await loadModel(url, { worker: false, ...options });
  const own = await loadModel(file.bytes, { worker: false });
  assert.deepEqual(await model.forward([1, 2]), await own.forward([1, 2]));
  model.dispose();
  own.dispose();
}

const breaksAt = (until) => (request, response) => send(request, response, { until });

for (const cache of [true, false])
  test(`a connection that dies at random bytes is taken up where it broke (cache: ${cache})`, async () => {
    const deaths = rounds(1000, 100);
    let random = 1;
    // Where the server sends its last byte; the client may have got fewer.
    let sent = 0;
    for (let i = 0; i < deaths; i++)
      tricks.push((request, response) => {
        random = (random * 48271) % 2147483647;
        sent = Math.min(first.length - 1, sent + 1 + Math.floor((random / 2147483647) * ((2 * first.length) / deaths)));
        send(request, response, { until: sent });
      });
    await visit({ cache });
    assert.equal(log.length, deaths + 1);
    const starts = log.map((start) => (start === "all" ? 0 : start));
    assert.ok(starts.every((start, i) => start >= (starts[i - 1] ?? 0)));
    assert.ok(starts.at(-1) > first.length / 4);
    assert.equal(await keptBytes(), cache ? first.length : 0);
  });

test("an aborted download goes on with its parts, and no byte of theirs is fetched again", async () => {
  for (let before = 0; before < first.length; before = await keptBytes()) {
    // The server sends two parts and a half, and then nothing.
    const until = before + 2.5 * PART;
    tricks = [
      (request, response) => {
        const { bytes, etag } = file;
        const range = { "content-range": `bytes ${before}-${bytes.length - 1}/${bytes.length}` };
        response.writeHead(before ? 206 : 200, { etag, ...(before ? range : { "content-length": bytes.length }) });
        if (until < bytes.length) response.write(bytes.subarray(before, until));
        else response.end(bytes.subarray(before));
      },
    ];
    log = [];
    const controller = new AbortController();
    const loading = visit({
      signal: controller.signal,
      onProgress({ loaded, resumed, stage }) {
        assert.equal(resumed, before > 0);
        if (loaded < first.length) assert.equal(stage, loaded <= before ? "verify" : "download");
      },
    });
    if (until >= first.length) await loading;
    else {
      while ((await keptBytes()) < before + 2 * PART) await new Promise((resolve) => later(resolve, 10));
      controller.abort();
      await assert.rejects(loading, { name: "AbortError" });
    }
    assert.deepEqual(log, [before || "all"]);
  }
});

test("what a crash has left is of use, wherever it came", async () => {
  /** @type {Map<string, Uint8Array>[]} */
  const states = [];
  const { open } = caches;
  caches.open = async (name) => {
    const cache = await open.call(caches, name);
    const put = async (key, response) => {
      await cache.put(key, response);
      states.push(new Map(entries()));
    };
    return { ...cache, put };
  };
  await visit();
  assert.ok(states.length > 10);
  caches.open = open;
  for (const state of states) {
    caches.stored.set(`lastinch-model ${url}`, new Map(state));
    const before = await keptBytes();
    log = [];
    await visit();
    assert.deepEqual(log, before === first.length ? [] : [before || "all"]);
    assert.equal(await keptBytes(), first.length);
  }
});

test("a damaged part of an unfinished download is found, and all of it fetched again", async () => {
  tricks = [breaksAt(900_000), ...Array(20).fill((request, response) => response.writeHead(403).end())];
  await assert.rejects(visit(), { code: "file-gated" });
  tricks = [];
  const before = await keptBytes();
  assert.ok(before >= 4 * PART && before <= 900_000);
  entries().get("https://lastinch.invalid/2")[77] ^= 1;
  log = [];
  await visit();
  assert.deepEqual(log, [before, "all"]);
  assert.equal(await keptBytes(), first.length);
});

test("a server that stalls is asked again", async () => {
  tricks = [(request, response) => void response.writeHead(200, { etag: '"1"' }).write(first.subarray(0, 500_000))];
  await visit({ stallTimeout: 300 });
  checkLog("all", 500_000);
  log = [];
  await removeModel(url);
  tricks = Array(9).fill((request, response) => {
    const from = log.length === 1 ? 0 : log.at(-1);
    const range = `bytes ${from}-${first.length - 1}/${first.length}`;
    response.writeHead(206, { etag: '"1"', "content-range": range }).flushHeaders();
    if (log.length === 1) response.write(first.subarray(0, 500_000));
  });
  await assert.rejects(visit({ stallTimeout: 300 }), { code: "model-stalled" });
  checkLog("all", 500_000);
  tricks = [];
  await visit();
  assert.deepEqual(log, ["all", 500_000, 3 * PART]);
});

test("a file that ends early goes on, even where the server meant it so", async () => {
  tricks = [
    breaksAt(300_000),
    (request, response) => {
      const from = log.at(-1);
      const { length } = first;
      response.writeHead(206, { etag: '"1"', "content-range": `bytes ${from}-${length - 1}/${length}` });
      response.end(first.subarray(from, 400_000));
    },
  ];
  await visit();
  checkLog("all", 300_000, 400_000);
  assert.equal(await keptBytes(), first.length);
});

test("a length that is too large is corrected, one that is too small is an error", async () => {
  tricks = [
    (request, response) => {
      response.writeHead(200, { etag: '"1"', "content-length": first.length + 1000 });
      response.write(first, () => response.destroy());
    },
  ];
  await visit();
  // If some of the last bytes are lost, the range tells another size, and the load begins anew.
  assert.ok(log[0] === "all" && log.length <= 3, log.join());
  assert.equal(await keptBytes(), first.length);
  await removeModel(url);
  tricks = [
    (request, response) => {
      response.writeHead(200, { etag: '"1"', "content-length": 900_000 });
      response.end(first.subarray(0, 900_000));
    },
  ];
  await assert.rejects(visit(), { code: "model-incomplete" });
  assert.equal(await keptBytes(), 0);
});

test("a file that changes in the middle is loaded anew", async () => {
  const change = (request, response) => {
    file = { bytes: second, etag: '"2"' };
    send(request, response);
  };
  tricks = [breaksAt(900_000), change];
  await visit();
  checkLog("all", 900_000, "all");
  assert.equal(await keptBytes(), second.length);

  // By the size that a refused range names.
  await removeModel(url);
  log = [];
  const cut = second.subarray(0, 1000);
  tricks = [
    breaksAt(900_000),
    (request, response) => response.writeHead(416, { "content-range": `bytes */${cut.length}` }).end(),
  ];
  await visit();
  checkLog("all", 900_000, "all");

  // Again and again.
  await removeModel(url);
  let version = 2;
  tricks = Array(40).fill((request, response) => {
    file = { bytes: second, etag: `"${++version}"` };
    send(request, response, { until: request.headers.range ? undefined : 300_000 });
  });
  await assert.rejects(visit(), { code: "model-download", message: /changed on the server/ });
  assert.equal(await keptBytes(), 0);
});

test("an unfinished download of another version is dropped", async () => {
  tricks = [breaksAt(900_000), (request, response) => response.writeHead(403).end()];
  await assert.rejects(visit(), { code: "file-gated" });
  assert.ok((await keptBytes()) > 0);
  file = { bytes: second, etag: '"2"' };
  await visit();
  assert.equal(await keptBytes(), second.length);
});

test("a redirect is followed each time", async () => {
  const redirect = (request, response) => response.writeHead(302, { location: "/moved.gguf" }).end();
  tricks = [redirect, breaksAt(700_000), redirect, breaksAt(1_100_000), redirect];
  await visit();
  checkLog("all", "all", 700_000, 700_000, 1_100_000, 1_100_000);
  assert.equal(await keptBytes(), first.length);
});

test("a compressed file goes on uncompressed", async () => {
  const packed = gzipSync(first);
  tricks = [
    (request, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length, etag: '"1"' });
      response.write(packed.subarray(0, packed.length / 2), () => response.destroy());
    },
  ];
  await visit();
  assert.equal(log.length, 2);
  assert.ok(log[1] > PART && log[1] < first.length);
  assert.equal(await keptBytes(), first.length);
});

test("a server without ranges sends the file again, and what has come is skipped", async () => {
  const whole = (until) => (request, response) => {
    response.writeHead(200, { etag: '"1"', "content-length": first.length });
    if (until) response.write(first.subarray(0, until), () => response.destroy());
    else response.end(first);
  };
  tricks = [whole(500_000), whole(300_000), whole(900_000), whole()];
  await visit();
  checkLog("all", 500_000, 500_000, 900_000);
  assert.equal(await keptBytes(), first.length);
  // It is given up at last.
  await removeModel(url);
  tricks = Array.from({ length: 40 }, (_, i) => whole(500_000 + 1000 * i));
  log = [];
  await assert.rejects(visit(), { code: "model-download" });
  assert.ok(log.length < 12);
});

test("without ETag and Last-Modified a break begins anew, three times at most", async () => {
  const bare = (until) => (request, response) => {
    response.writeHead(200, { "content-length": first.length });
    if (until) response.write(first.subarray(0, until), () => response.destroy());
    else response.end(first);
  };
  tricks = [bare(500_000), bare(), bare()];
  await visit();
  checkLog("all", 500_000, "all");
  tricks = Array.from({ length: 20 }, () => bare(500_000));
  await assert.rejects(visit(), { code: "model-download", message: /no version/ });
  assert.equal(caches.stored.size, 0);
});

test("a refusal in the middle is its own error, and the parts stay", async () => {
  for (const [status, code] of [
    [401, "file-gated"],
    [403, "file-gated"],
    [400, "model-download"],
  ]) {
    await removeModel(url);
    tricks = [breaksAt(900_000), (request, response) => response.writeHead(status).end()];
    await assert.rejects(visit(), { code });
    assert.ok((await keptBytes()) >= 4 * PART);
    log = [];
    await visit();
    assert.equal(log.length, 1);
    assert.ok(log[0] >= 4 * PART);
  }
  await removeModel(url);
  tricks = [breaksAt(900_000), (request, response) => response.writeHead(404).end()];
  await assert.rejects(visit(), { code: "model-download", message: /404/ });
  assert.equal(await keptBytes(), 0);
});

test("a busy server is asked again when it says, and a failing one a few times", async () => {
  const refuse = (status, headers) => (request, response) => response.writeHead(status, headers).end();
  tricks = [refuse(429, { "retry-after": "7" }), breaksAt(700_000), refuse(503), refuse(500), breaksAt(800_000)];
  await visit();
  checkLog("all", "all", 700_000, 700_000, 700_000, 800_000);
  assert.ok([7000, 250, 500].every((ms) => waits.includes(ms)) && !waits.includes(1000), waits.join());
  await removeModel(url);

  log = [];
  const inTenSeconds = () => ({ "retry-after": new Date(Date.now() + 10_000).toUTCString() });
  tricks = [(request, response) => response.writeHead(429, inTenSeconds()).end()];
  await visit();
  assert.ok(
    waits.some((ms) => ms > 7000 && ms < 10_000),
    waits.join(),
  );
  await removeModel(url);

  log = [];
  tricks = [refuse(429, { "retry-after": "3600" })];
  await assert.rejects(visit(), { code: "file-throttled", message: /3600 s/ });
  assert.deepEqual(log, ["all"]);
  tricks = Array(40).fill(refuse(500));
  await assert.rejects(visit(), { code: "model-download", message: /HTTP 500/ });
  assert.ok(log.length <= 6);
});

test("the abort of a load ends its waits", async () => {
  globalThis.setTimeout = later;
  const controller = new AbortController();
  tricks = Array(40).fill((request, response) => {
    response.writeHead(503, { "retry-after": "30" }).end();
    setTimeout(() => controller.abort(), 50);
  });
  await assert.rejects(visit({ signal: controller.signal }), { name: "AbortError" });
  assert.equal(log.length, 1, "it did not wait for the next try");
});

test("a load waits for the download of another tab while it goes on, and no longer", async (t) => {
  const { navigator: before } = globalThis;
  t.after(() => Object.defineProperty(globalThis, "navigator", { value: before, configurable: true, writable: true }));
  const { setInterval: every } = globalThis;
  t.mock.method(globalThis, "setInterval", (tick, ms) => every(tick, ms / 50));
  let asked = 0;
  // A lock that another holds for ever, as an engine gives it.
  const request = (name, { signal }) => {
    asked++;
    assert.match(name, /model\.gguf$/);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true, writable: true });
  const open = caches.open.bind(caches);
  let bytes = 0;
  let looks = 0;
  // The other tab keeps more each time that this one looks, up to the fifth.
  caches.has = async () => true;
  caches.open = async (name) => {
    const cache = await open(name);
    const match = async (key) => {
      if (!key.endsWith("begun") || bytes === -1) return cache.match(key);
      looks++;
      bytes = Math.min(5, bytes + 1);
      const text = JSON.stringify({ partSize: 1, validators: { etag: '"0"' }, digests: Array(bytes).fill("") });
      return new Response(JSON.stringify({ text, digest: createHash("sha256").update(text).digest("hex") }));
    };
    return { ...cache, match };
  };
  const controller = new AbortController();
  const loading = visit({ signal: controller.signal });
  while (looks < 4) await new Promise((resolve) => later(resolve, 5));
  assert.deepEqual(log, []);
  while (looks < 7) await new Promise((resolve) => later(resolve, 5));
  bytes = -1;
  await loading;
  assert.equal(asked, 1);
  assert.ok(log.length);

  // An abort ends the wait.
  await removeModel(url);
  const stopped = visit({ signal: controller.signal });
  while (asked < 2) await new Promise((resolve) => later(resolve, 1));
  controller.abort(new Error("enough"));
  await assert.rejects(stopped, /enough/);
});

test("models are listed, the newest first, and deleted", async () => {
  assert.deepEqual(await models(), []);
  assert.equal(await removeModel(url), false);
  const began = Date.now();
  await visit();
  const other = url.replace("model.gguf", "other.gguf");
  tricks = [breaksAt(900_000), (request, response) => response.writeHead(403).end()];
  await assert.rejects(loadModel(other, { worker: false }), { code: "file-gated" });
  const [half, whole] = await models();
  const { length } = first;
  assert.deepEqual(
    { ...whole, date: 0 },
    { address: url, bytes: length, total: length, isWhole: true, date: 0, prefixes: [] },
  );
  assert.deepEqual([half.address, half.total, half.isWhole], [other, length, false]);
  assert.ok(half.bytes % PART === 0 && half.bytes >= 4 * PART);
  assert.ok(whole.date >= began && half.date >= whole.date);
  assert.equal(await removeModel(new URL(other)), true);
  assert.deepEqual(
    (await models()).map(({ address }) => address),
    [url],
  );
  assert.equal(await removeModel(url), true);
  assert.equal(caches.stored.size, 0);
  delete globalThis.caches;
  assert.deepEqual(await models(), []);
});

test("the copy is the file", async () => {
  await visit();
  const parts = [...entries().keys()].filter((key) => /\d$/.test(key)).map((key) => entries().get(key));
  const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
  assert.equal(digest(Buffer.concat(parts)), digest(first));
});
