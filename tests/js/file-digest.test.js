// The SHA-256 of a whole file, named by the caller or the server: a file with another one is refused and not kept.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, test } from "node:test";
import { loadModel, models } from "lastinch";
import { verified } from "../../web/model/worker/file-digest.js";
import { FakeCaches } from "./fake-caches.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const vocabulary = vocabularyOf(Array.from({ length: 5000 }, (_, i) => `word${i}`));
const whole = randomModel({ vocabulary, context: 10, seed: 1 });
const sha256 = createHash("sha256").update(whole).digest("hex");
const wrong = sha256.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
const url = "https://example.org/model.gguf";
const { fetch } = globalThis;

/** Addresses that were asked for by GET, and their ranges. */
let log;
/** Headers of each answer besides. */
let named;
/** Bytes after which an answer breaks off. */
let until;
/** What is behind other addresses. @type {Record<string, string>} */
let others;

beforeEach(() => {
  [log, named, until, others] = [[], {}, Infinity, {}];
  globalThis.caches = new FakeCaches();
  globalThis.fetch = async (address, { method, headers = [] }) => {
    if (!String(address).startsWith("https:")) return fetch(address);
    const range = /bytes=(\d+)-/.exec(new Headers(headers).get("range") ?? "")?.[1];
    if (method === "GET") log.push(range ? `${address} ${range}` : String(address));
    if (others[address])
      return new Response(others[address], { headers: { "content-length": others[address].length } });
    const from = Number(range ?? 0);
    const rest = whole.slice(from);
    const said = {
      etag: '"1"',
      "content-length": String(rest.length),
      ...(range && { "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` }),
      ...named,
    };
    let at = 0;
    const pull = (controller) => {
      if (from + at >= until) return controller.error(new DOMException("broken", "AbortError"));
      controller.enqueue(rest.slice(at, at + 50_000));
      at += 50_000;
      if (at >= rest.length) controller.close();
    };
    const body = method === "GET" ? new ReadableStream({ pull }, { highWaterMark: 0 }) : null;
    return new Response(body, { status: range ? 206 : 200, headers: said });
  };
});

afterEach(() => {
  globalThis.fetch = fetch;
  delete globalThis.caches;
});

const load = async (options = {}, address = url) =>
  (await loadModel(address, { worker: false, contextLength: 5, ...options })).dispose();
const refused = (loading) => assert.rejects(loading, { code: "model-digest" });

test("a stream of pieces of any length has the digest of its bytes", async () => {
  for (const size of [0, 1, 55, 56, 63, 64, 65, 127, 128, 1000, 65_536, 65_537, 200_000]) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7919) >> 3);
    const digest = createHash("sha256").update(bytes).digest("hex");
    for (const piece of [1000, 70_000, 333_333]) {
      const stream = () =>
        new ReadableStream({
          start(controller) {
            for (let at = 0; at < size; at += piece) controller.enqueue(bytes.subarray(at, at + piece));
            controller.close();
          },
        });
      const read = new Uint8Array(await new Response(await verified(stream(), digest)).arrayBuffer());
      assert.deepEqual(read, bytes);
      await refused(new Response(await verified(stream(), wrong)).arrayBuffer());
    }
  }
});

test("the digest that the caller names is that of the file, or nothing is kept", async () => {
  await load({ sha256: sha256.toUpperCase() });
  assert.equal((await models())[0].isWhole, true);
  await refused(load({ sha256: wrong }));
  assert.deepEqual(await models(), []);
  await refused(load({ sha256: wrong, cache: false }));
  const path = join(mkdtempSync(join(tmpdir(), "lastinch-")), "model.gguf");
  writeFileSync(path, whole);
  await load({ sha256 }, pathToFileURL(path));
  await refused(load({ sha256: wrong }, pathToFileURL(path)));
});

test("the digest that the server names is verified", async () => {
  named = { "x-linked-etag": `"${sha256}"` };
  await load();
  assert.equal((await models())[0].isWhole, true);
  globalThis.caches = new FakeCaches();
  named = { "x-linked-etag": `"${wrong}"` };
  await refused(load());
  assert.deepEqual(await models(), []);
  // The caller knows better, and other forms of a tag are no digest.
  await load({ sha256 });
  globalThis.caches = new FakeCaches();
  named = { "x-linked-etag": '"abc"' };
  await load();
});

test("the digest of a file on Hugging Face stands in its pointer, which may be missing", async () => {
  const address = "https://huggingface.co/owner/name/resolve/main/model.gguf";
  const pointer = address.replace("resolve", "raw");
  const text = (digest) => `version https://git-lfs.github.com/spec/v1\noid sha256:${digest}\nsize ${whole.length}\n`;
  others[pointer] = text(sha256);
  await load({}, address);
  assert.deepEqual(log, [address, pointer]);
  // The copy is known to have it.
  await load({}, address);
  assert.deepEqual(log, [address, pointer]);
  globalThis.caches = new FakeCaches();
  others[pointer] = text(wrong);
  await refused(load({}, address));
  others[pointer] = "no pointer";
  await load({}, address);
  globalThis.caches = new FakeCaches();
  delete others[pointer]; // the file itself, which is too long for a pointer
  await load({}, address);
});

test("a copy is verified once, and a download that goes on is verified as a whole", async () => {
  await load();
  const before = log.length;
  await load({ sha256 });
  assert.equal(log.length, before);
  await refused(load({ sha256: wrong }));
  assert.equal(log.length, before + 1);
  assert.deepEqual(await models(), []);

  for (const digest of [sha256, wrong]) {
    globalThis.caches = new FakeCaches();
    until = 400_000;
    const controller = new AbortController();
    const broken = assert.rejects(load({ sha256: digest, signal: controller.signal }));
    const bytes = 3 << 17; // the whole parts of what came
    while ((await models())[0]?.bytes !== bytes) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await broken;
    assert.equal((await models())[0].isWhole, false);
    until = Infinity;
    if (digest === sha256) await load({ sha256: digest });
    else await refused(load({ sha256: digest }));
    assert.equal(log.at(-1), `${url} ${bytes}`);
    assert.equal((await models()).length, digest === sha256 ? 1 : 0);
  }
});

test("a digest without a file of its own is an error", async () => {
  for (const bad of ["", "abc", sha256 + "0", 7, sha256.replace(/^./, "g")])
    await assert.rejects(load({ sha256: bad }), { code: "bad-type" });
  const split = "https://example.org/model-00001-of-00002.gguf";
  for (const source of [whole, new Blob([whole]), [url], split])
    await assert.rejects(load({ sha256 }, source), { code: "conflict" });
  await assert.rejects(load({ sha256, fetch }), { code: "conflict" });
});
