// Models that all sites of a browser share, in a Cross-Origin Storage as its draft describes it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import { loadModel, models, removeModel } from "lastinch";
import { FakeCaches } from "./fake-caches.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const vocabulary = vocabularyOf(Array.from({ length: 5000 }, (_, i) => `word${i}`));
const whole = randomModel({ vocabulary, context: 10, seed: 1 });
const sha256 = createHash("sha256").update(whole).digest("hex");
const urlOf = (site) => `https://${site}.example/model.gguf`;
const { fetch } = globalThis;

/** Files by their digests, which only a whole write adds. @type {Map<string, Blob>} */
let shared;
/** Names of methods that fail. @type {Set<string>} */
let broken;
/** Bytes that each site has sent. @type {Record<string, number>} */
let sent;
let isOffline;
let named;

const crossOriginStorage = {
  async requestFileHandle({ algorithm, value }, { create = false, origins } = {}) {
    assert.equal(algorithm, "SHA-256");
    if (broken.has("requestFileHandle")) throw new DOMException("not allowed", "NotAllowedError");
    if (!create && !shared.has(value)) throw new DOMException("no such file", "NotFoundError");
    if (create) assert.equal(origins, "*");
    return {
      getFile: async () => shared.get(value),
      async createWritable() {
        const parts = [];
        return new WritableStream({
          write: (part) => {
            if (broken.has("write")) throw new DOMException("full", "QuotaExceededError");
            parts.push(part);
          },
          close() {
            const bytes = Buffer.concat(parts);
            if (createHash("sha256").update(bytes).digest("hex") !== value)
              throw new DOMException("other bytes", "DataError");
            shared.set(value, new Blob([bytes]));
          },
        });
      },
    };
  },
};

beforeEach(() => {
  [shared, broken, sent, isOffline] = [new Map(), new Set(), {}, false];
  named = { "x-linked-etag": `"${sha256}"` };
  globalThis.caches = new FakeCaches();
  // Node's own navigator has no setter.
  Object.defineProperty(globalThis, "navigator", { value: { crossOriginStorage }, configurable: true });
  globalThis.fetch = async (address, { method }) => {
    if (!String(address).startsWith("https:")) return fetch(address);
    if (isOffline) throw new TypeError("offline");
    const site = new URL(address).hostname.split(".")[0];
    let at = 0;
    const pull = (controller) => {
      if (at >= whole.length) return controller.close();
      const piece = whole.slice(at, at + 50_000);
      at += piece.length;
      sent[site] = (sent[site] ?? 0) + piece.length;
      controller.enqueue(piece);
    };
    const body = method === "GET" ? new ReadableStream({ pull }, { highWaterMark: 0 }) : null;
    return new Response(body, { headers: { etag: '"1"', "content-length": String(whole.length), ...named } });
  };
});

const { navigator } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
  delete globalThis.caches;
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
});

const load = async (site, options = {}) =>
  (await loadModel(urlOf(site), { worker: false, contextLength: 5, cache: "shared", ...options })).dispose();
/** Bytes in the site's own cache. */
const own = () =>
  [...globalThis.caches.stored.values()].flatMap((one) => [...one.values()]).reduce((n, b) => n + b.length, 0);

async function untilTrue(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Waits until the file is where all sites share it, and the site's own cache has only the note of it. */
const isMoved = () => untilTrue(() => shared.has(sha256) && own() > 0 && own() < 1000);

test("what one site has downloaded the next site reads from the shared storage, also offline", async () => {
  await load("one");
  assert.equal(sent.one, whole.length);
  await isMoved();
  const [kept] = await models();
  assert.deepEqual([kept.bytes, kept.isWhole], [whole.length, true]);
  await load("one");
  assert.equal(sent.one, whole.length);

  globalThis.caches = new FakeCaches(); // of another site
  await load("two");
  assert.equal(sent.two ?? 0, 0);
  isOffline = true;
  await load("two");
  await load("three", { sha256 });
  assert.deepEqual(
    (await models()).map(({ address, isWhole }) => [address, isWhole]),
    [
      [urlOf("three"), true],
      [urlOf("two"), true],
    ],
  );
  assert.ok(own() < 2000);
});

test("a shared file that the browser has dropped is downloaded again", async () => {
  await load("one");
  await isMoved();
  shared.clear();
  await load("one");
  assert.equal(sent.one, 2 * whole.length);
  await isMoved();
  assert.equal(await removeModel(urlOf("one")), true);
  assert.deepEqual(await models(), []);
  assert.ok(shared.has(sha256)); // the other sites' file
});

test("where nothing can be shared the site keeps its own copy", async () => {
  for (const hinder of [
    () => broken.add("requestFileHandle"),
    () => broken.add("write"),
    () => (named = {}), // nobody knows the digest
    () => Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true }),
  ]) {
    globalThis.caches = new FakeCaches();
    broken.clear();
    hinder();
    await load("one");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(own() > whole.length);
    assert.equal(shared.size, 0);
    const before = sent.one;
    await load("one");
    assert.equal(sent.one, before);
  }
});

test("without cache: shared nothing is shared", async () => {
  await load("one", { cache: true });
  await load("two", { cache: false });
  await assert.rejects(load("one", { cache: "everywhere" }), { code: "bad-type" });
  assert.equal(shared.size, 0);
});
