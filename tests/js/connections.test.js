// Several connections of a download: used where they are faster, left where they are not, and never a wrong byte. The
// server and its time are simulated: what comes next is what would come first, so no test depends on the clock.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { loadModel, models, removeModel } from "lastinch";
import { BLOCK, ConnectionCount } from "../../web/model/worker/connections.js";
import { Transfer } from "../../web/model/worker/transfer.js";
import { rounds } from "../rounds.js";
import { FakeCaches } from "./fake-caches.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const MB = 1 << 20;
const PIECE = MB / 4;
const url = "https://models.example/big.gguf";

/** A file in which every four bytes are others. @param {number} size */
function fileOf(size) {
  const words = new Uint32Array(size / 4);
  for (let i = 0; i < words.length; i++) words[i] = i;
  return new Uint8Array(words.buffer);
}

const large = fileOf(160 * MB);

/** ms since the test began. */
let now;
/** What happens later, in no order. @type {{ time: number, go: () => void }[]} */
let events;

/** Waits until nothing else runs, then lets the next event happen. */
function schedule(time) {
  return new Promise((resolve) => {
    events.push({ time, go: () => resolve(undefined) });
    setImmediate(() => {
      const next = events.reduce((a, b) => (b.time < a.time ? b : a));
      events.splice(events.indexOf(next), 1);
      now = Math.max(now, next.time);
      next.go();
    });
  });
}

const { setTimeout: later } = globalThis;

beforeEach((t) => {
  now = 0;
  events = [];
  t.mock.method(performance, "now", () => now);
  globalThis.setTimeout = (call, ms, ...rest) => later(call, 0, ...rest);
});

afterEach(() => {
  globalThis.setTimeout = later;
});

/**
 * A server with limits in bytes a ms, of each connection and of all.
 * @param {{ bytes?: Uint8Array, each?: number, all?: number, headers?: object, trick?: (ask: object) => object }} how
 *   trick: what an answer has in place of the usual
 */
function serverOf({ bytes = large, each = Infinity, all = Infinity, headers = {}, trick = () => ({}) }) {
  const server = { open: 0, most: 0, sent: 0, asks: [], fetch };
  let allFree = 0;
  async function fetch(address, { headers: asked = [], method }) {
    if (method === "HEAD" || address !== url) return new Response(null, { status: 404 });
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(new Headers(asked).get("range") ?? "") ?? [];
    const start = Number(from ?? 0);
    const last = to ? Number(to) : bytes.length - 1;
    const key = new Headers(asked).get("x-key");
    const ask = {
      key,
      start,
      end: last + 1,
      index: server.asks.length,
      open: server.open,
      hasRange: from !== undefined,
    };
    server.asks.push(ask);
    const { status = ask.hasRange ? 206 : 200, fails, until = last + 1, ...others } = trick(ask);
    if (fails) throw new TypeError("network");
    const at = status === 206 ? start : 0;
    const given = { etag: '"1"', "accept-ranges": "bytes", ...headers, ...others };
    if (status === 206) given["content-range"] ??= `bytes ${start}-${last}/${bytes.length}`;
    given["content-length"] = String((status === 206 ? last + 1 : bytes.length) - at);
    for (const name of Object.keys(given)) if (given[name] === null) delete given[name];
    if (status >= 300) return new Response(null, { status, headers: given });
    return new Response(bodyOf(at, status === 206 ? last + 1 : bytes.length, until), { status, headers: given });
  }
  function bodyOf(start, end, until) {
    let at = start;
    let free = now;
    server.open++;
    server.most = Math.max(server.most, server.open);
    return new ReadableStream(
      {
        async pull(controller) {
          const next = Math.min(at + PIECE, end, Math.max(until, start));
          free = Math.max(free, now) + (next - at) / each;
          allFree = Math.max(allFree, now) + (next - at) / all;
          await schedule(Math.max(free, allFree));
          if (next === at) {
            server.open--;
            return at === end ? controller.close() : controller.error(new TypeError("broken"));
          }
          controller.enqueue(bytes.subarray(at, next));
          server.sent += next - at;
          at = next;
        },
        cancel: () => void server.open--,
      },
      { highWaterMark: 0 },
    );
  }
  return server;
}

/**
 * Reads all of a transfer and compares it with the file.
 * @param {object} server
 * @param {(at: number) => unknown} [each]
 */
async function readAll(server, each, bytes = large) {
  const { signal } = new AbortController();
  const transfer = new Transfer(url, { signal, stallTimeout: 0, fetch: server.fetch });
  await transfer.connect();
  const file = Buffer.from(bytes.buffer);
  let at = 0;
  for await (const piece of transfer.stream) {
    assert.ok(file.subarray(at, at + piece.length).equals(piece), `other bytes at ${at}`);
    at += piece.length;
    await each?.(at);
  }
  assert.equal(at, bytes.length);
  assert.equal(server.open, 0);
}

/** Runs rounds at the given rates by count of connections, and lists the counts. */
function countsAt(rates) {
  const count = new ConnectionCount();
  const counts = [];
  let at = 0;
  let time = 0;
  count.note(at, time);
  for (let i = 0; i < 7; i++) {
    const rate = rates(count.count, i);
    const bytes = count.count * BLOCK;
    count.note(at + bytes - 1, time + (bytes - 1) / rate);
    counts.push(count.count);
    at += bytes;
    time += bytes / rate;
    count.note(at, time);
  }
  return counts;
}

test("connections are doubled while they are at least 1.3 times as fast, up to four", () => {
  assert.deepEqual(
    countsAt((count) => 1000 * count),
    [1, 1, 2, 4, 4, 4, 4],
  );
  assert.deepEqual(
    countsAt(() => 1000),
    [1, 1, 2, 1, 1, 1, 1],
  );
  assert.deepEqual(
    countsAt((count) => 1000 * Math.min(count, 2)),
    [1, 1, 2, 4, 2, 2, 2],
  );
  assert.deepEqual(countsAt((count) => [0, 1000, 1290, 0, 1289][count])[3], 1);
  assert.deepEqual(countsAt((count) => [0, 1000, 1301, 0, 1301][count])[3], 4);
  // A connection that still grows faster is not compared with.
  assert.deepEqual(
    countsAt((count, i) => 1000 * 2 ** Math.min(i, 3)),
    [1, 1, 1, 1, 1, 2, 1],
  );
});

test("a server that limits each connection gives the file through four, nearly four times as fast", async () => {
  const server = serverOf({ each: 8000 });
  await readAll(server);
  assert.equal(server.most, 4);
  const alone = large.length / 8000;
  // Two rounds of 8 MB go to the measurement of one, and 16 MB to that of two.
  assert.ok(now < 0.4 * alone, `${now} of ${alone} ms`);
  assert.ok(server.sent <= large.length + PIECE);
});

test("where another connection is not faster, the download goes back to one", async () => {
  for (const [limits, most, last] of [
    [{ all: 50_000 }, 2, 1],
    [{ each: 8000, all: 16_000 }, 4, 2],
  ]) {
    const server = serverOf(limits);
    let open;
    await readAll(server, (at) => {
      if (at === large.length - 12 * MB) ({ open } = server);
    });
    assert.equal(server.most, most);
    assert.equal(open, last);
    assert.ok(server.sent <= large.length + 2 * PIECE, "nothing is fetched twice");
  }
});

test("with a slow reader no connection is added, and few bytes wait", async () => {
  let most = 0;
  const slow = serverOf({ each: 100_000 });
  await readAll(slow, async (at) => {
    await schedule(now + PIECE / 8000);
    most = Math.max(most, slow.sent - at);
  });
  assert.equal(slow.asks.at(-1).end, large.length);
  assert.ok(slow.asks.length < 6);
  assert.ok(most <= 2 * BLOCK + PIECE);
  // A reader that becomes slow when there are four.
  const fast = serverOf({ each: 8000 });
  most = 0;
  await readAll(fast, async (at) => {
    if (at > 40 * MB) await schedule(now + 1000);
    most = Math.max(most, fast.sent - at);
  });
  assert.ok(most > BLOCK && most <= 4 * BLOCK, String(most));
});

/** Lets intervals pass only while nothing comes. */
function tickWhileQuiet(t) {
  t.mock.method(globalThis, "setInterval", (tick) => {
    const timer = { isOver: false };
    let last;
    const run = () => {
      if (!events.length && last === now && !timer.isOver) tick();
      last = now;
      if (!timer.isOver) later(run, 1);
    };
    later(run, 1);
    return timer;
  });
  t.mock.method(globalThis, "clearInterval", (timer) => {
    timer.isOver = true;
  });
}

const refusals = {
  "the whole file": { status: 200 },
  "too many requests": { status: 429, "retry-after": "60" },
  "no such range": { status: 416 },
  forbidden: { status: 403 },
  "another version": { etag: '"2"' },
  "no version": { etag: null },
  "another range": { "content-range": `bytes 0-9/${large.length}` },
  "another length": { "content-range": "bytes 25165824-33554431/999999999" },
  compressed: { "content-encoding": "gzip" },
  nothing: { fails: true },
};

for (const [name, answer] of Object.entries(refusals))
  test(`a second connection that gets ${name} is the last, and the first goes on`, async () => {
    const server = serverOf({ each: 8000, trick: ({ open }) => (open ? answer : {}) });
    await readAll(server);
    assert.equal(server.asks.length, 2);
    assert.ok(server.sent <= large.length + PIECE);
  });

test("one connection serves a file that is short, or of which ranges are not sure to be the same", async () => {
  const cases = [
    { bytes: fileOf(40 * MB) },
    { headers: { "accept-ranges": null } },
    { headers: { etag: 'W/"1"' } },
    { headers: { etag: null, "last-modified": "Wed, 01 Jan 2025 00:00:00 GMT" } },
    { headers: { "content-encoding": "gzip" } },
  ];
  for (const how of cases) {
    const server = serverOf({ each: 8000, ...how });
    await readAll(server, undefined, how.bytes);
    assert.equal(server.asks.length, 1);
  }
});

test("connections that die at random bytes are taken up where they broke", async () => {
  const deaths = rounds(1000, 200);
  let random = 1;
  let died = 0;
  // Sparse enough that several connections are open again and again.
  const far = Math.min(40 * MB, (60 * large.length) / deaths);
  const trick = ({ start, hasRange }) => {
    random = (random * 48271) % 2147483647;
    if (died >= deaths || (hasRange && random % 16 === 0)) return {};
    died++;
    return { until: start + Math.floor((random / 2147483647) * far) };
  };
  let most = 0;
  while (died < deaths) {
    const server = serverOf({ each: 8000, trick });
    await readAll(server);
    assert.ok(server.sent <= large.length + PIECE * server.asks.length);
    most = Math.max(most, server.most);
  }
  assert.equal(most, 4);
});

test("a block that breaks does not hold the download up, and several are tried again", async () => {
  // A later connection sends only 3 MB. What it lacks is fetched, up to the block after it.
  let broken;
  const server = serverOf({
    each: 8000,
    trick({ start, open }) {
      if (broken || open < 2) return {};
      broken = start;
      return { until: start + 3 * MB };
    },
  });
  await readAll(server);
  const rest = server.asks.find(({ start }) => start === broken + 3 * MB);
  assert.equal(rest.end, broken + BLOCK);
  assert.ok(server.asks.at(-1).index > rest.index + 2);
  assert.ok(server.sent <= large.length + PIECE);
});

test("a block that stalls is left", async (t) => {
  let stalled = 0;
  const server = serverOf({ each: 8000 });
  const { fetch } = server;
  server.fetch = async (...ask) => {
    const response = await fetch(...ask);
    if (server.open < 3 || stalled++) return response;
    response.body.cancel();
    return new Response(new ReadableStream({}), response);
  };
  tickWhileQuiet(t);
  const { signal } = new AbortController();
  const transfer = new Transfer(url, { signal, stallTimeout: 1000, fetch: server.fetch });
  await transfer.connect();
  let at = 0;
  for await (const { length } of transfer.stream) at += length;
  assert.equal(at, large.length);
  assert.ok(stalled > 1);
});

test("a block that fails while the first connection reads across its start loses no byte", async () => {
  // The failure and the piece come in one turn of the event loop, in any order.
  for (let delay = 0; delay < 10; delay++) {
    let blockStart = 0;
    let fail;
    const fetch = async (_, { headers: asked = [] }) => {
      const [, from = 0, to = large.length - 1] =
        /^bytes=(\d+)-(\d+)?$/.exec(new Headers(asked).get("range") ?? "") ?? [];
      let at = Number(from);
      const end = Number(to) + 1;
      if (at && !blockStart) {
        blockStart = at;
        return new Promise((_, reject) => {
          fail = () => reject(new TypeError("network"));
        });
      }
      const headers = new Headers({ etag: '"1"', "accept-ranges": "bytes", "content-length": String(end - at) });
      if (at) headers.set("content-range", `bytes ${at}-${to}/${large.length}`);
      const read = async () => {
        const next = Math.min(at + 5 * MB, end);
        const value = large.subarray(at, next);
        const isAcross = at < blockStart && blockStart < next;
        now += value.length / 8000;
        at = next;
        await new Promise(setImmediate);
        if (isAcross) {
          fail();
          for (let i = 0; i < delay; i++) await undefined;
        }
        return { value, done: !value.length };
      };
      const cancel = async () => {};
      return { ok: true, status: at ? 206 : 200, headers, body: { cancel, getReader: () => ({ read, cancel }) } };
    };
    await readAll({ open: 0, fetch });
    assert.ok(fail);
  }
});

for (const [name, silence] of Object.entries({
  "without an answer": (_, { signal }, cancel) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        cancel();
        reject(signal.reason);
      });
    }),
  "with headers and no byte": (response, _, cancel) => new Response(new ReadableStream({ cancel }), response),
}))
  test(`a block ${name} does not hold the download up, and after two there are no more`, async (t) => {
    const server = serverOf({ each: 8000 });
    const { fetch } = server;
    let asked = 0;
    let ended = 0;
    server.fetch = async (address, how) => {
      const isFirst = !server.open;
      const response = await fetch(address, how);
      if (isFirst) return response;
      asked++;
      response.body.cancel();
      return silence(response, how, () => ended++);
    };
    tickWhileQuiet(t);
    await readAll(server);
    assert.deepEqual([asked, ended], [2, 2]);
    assert.equal(server.asks.length, 3, "the first connection stays open");
    assert.ok(server.sent <= large.length + 4 * PIECE);
  });

test("a download that is cancelled ends a request that has no answer", async () => {
  const server = serverOf({ each: 8000 });
  const { fetch } = server;
  let waiting;
  server.fetch = (address, how) => {
    if (!server.open) return fetch(address, how);
    waiting = how.signal;
    return new Promise((_, reject) => {
      waiting.addEventListener("abort", () => reject(waiting.reason));
    });
  };
  const { signal } = new AbortController();
  const transfer = new Transfer(url, { signal, stallTimeout: 0, fetch: server.fetch });
  await transfer.connect();
  const reader = transfer.stream.getReader();
  while (!waiting) await reader.read();
  await reader.cancel();
  assert.ok(waiting.aborted);
  assert.equal(server.open, 0);
});

test("a download that is cancelled closes all connections", async () => {
  const server = serverOf({ each: 8000 });
  const { signal } = new AbortController();
  const transfer = new Transfer(url, { signal, stallTimeout: 0, fetch: server.fetch });
  await transfer.connect();
  const reader = transfer.stream.getReader();
  while (server.open < 4) await reader.read();
  await reader.cancel();
  assert.equal(server.open, 0);
  const { length } = server.asks;
  await new Promise((resolve) => later(resolve, 20));
  assert.equal(server.asks.length, length);
});

test("a model comes through several connections, is kept, and goes on after an abort", async (t) => {
  globalThis.caches = new FakeCaches();
  t.after(() => delete globalThis.caches);
  const bytes = randomModel({ vocabulary: vocabularyOf(Array.from({ length: 7000 }, (_, i) => `w${i}`)), dim: 1024 });
  const server = serverOf({ bytes });
  t.mock.method(globalThis, "fetch", server.fetch);
  // Reading takes real time here. So the clock goes by what has been sent, after 16 MB ten times as slowly.
  const before = 16 * MB;
  const clock = () => Math.min(before, server.sent) + Math.max(0, server.sent - before) / 10;
  t.mock.method(performance, "now", () => clock() / 8000);
  const controller = new AbortController();
  let loaded = 0;
  const load = (signal) =>
    loadModel(url, {
      worker: false,
      headers: { "x-key": "secret" },
      signal,
      onProgress(progress) {
        assert.ok(progress.loaded >= loaded);
        ({ loaded } = progress);
        if (loaded > 40 * MB) controller.abort();
      },
    });
  await assert.rejects(load(controller.signal), { name: "AbortError" });
  assert.equal(server.open, 0);
  const [half] = await models();
  assert.ok(half.bytes > 36 * MB);
  const { length } = server.asks;
  loaded = 0;
  const whole = await load();
  assert.ok(server.asks.slice(length).every(({ start }) => start >= half.bytes));
  assert.ok(server.most > 1);
  assert.ok(server.asks.every(({ key }) => key === "secret"));
  const [kept] = await models();
  assert.deepEqual([kept.isWhole, kept.bytes], [true, bytes.length]);
  const own = await loadModel(bytes, { worker: false });
  assert.deepEqual(await whole.forward([1, 2]), await own.forward([1, 2]));
  whole.dispose();
  own.dispose();
  const parts = [...globalThis.caches.stored.get(`lastinch-model ${url}`)].filter(([key]) => /\d$/.test(key));
  assert.ok(Buffer.concat(parts.map(([, part]) => part)).equals(bytes));
  await removeModel(url);
});
