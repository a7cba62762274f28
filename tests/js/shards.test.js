// Models in several files: by the address of the first, as a list, from the copy, and what is wrong with them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { estimateModel, loadModel, models } from "lastinch";
import { randomGguf, readGguf, splitGguf, writeGguf } from "../vectors/gguf-files.js";
import { FakeCaches } from "./fake-caches.js";

const whole = randomGguf();
const { tensors } = readGguf(whole);

const logitsOf = async (source, options) => {
  const model = await loadModel(source, { worker: false, ...options });
  const logits = await model.forward([1, 5, 9]);
  model.dispose();
  return logits;
};
const expected = await logitsOf(whole);

/** Files by their path. @type {Map<string, Uint8Array>} */
let files;
let log;
let server;
let origin;
let caches;

before(async () => {
  server = createServer((request, response) => {
    const bytes = files.get(request.url);
    if (request.method === "GET") log.push(request.url);
    if (!bytes) return response.writeHead(404).end();
    response.writeHead(200, { etag: `"${bytes.length}"`, "content-length": bytes.length });
    return response.end(request.method === "HEAD" ? undefined : bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  files = new Map();
  log = [];
  caches = new FakeCaches();
  globalThis.caches = caches;
});

afterEach(() => {
  delete globalThis.caches;
});

const nameOf = (index, count) =>
  `/model-${String(index + 1).padStart(5, "0")}-of-${String(count).padStart(5, "0")}.gguf`;

/** Puts the parts on the server. */
function serve(parts) {
  parts.forEach((part, i) => files.set(nameOf(i, parts.length), part));
  return origin + nameOf(0, parts.length);
}

test("the address of the first part is that of the model", async () => {
  for (const count of [2, 3, tensors.length]) {
    const address = serve(splitGguf(whole, count));
    assert.deepEqual(await logitsOf(address, { cache: false }), expected, `${count} parts`);
    assert.deepEqual(
      await logitsOf(new URL(`${address}?download=true#x`), { cache: false }).catch((e) => e.code),
      "model-download",
    );
  }
  // A first part without tensors, as llama-gguf-split makes it on request, and a part without any.
  const address = serve(splitGguf(whole, 4, [0, 5, 5, tensors.length]));
  assert.deepEqual(await logitsOf(address, { cache: false }), expected);
});

test("parts may be given as a list, of Blobs too", async () => {
  const parts = splitGguf(whole, 3);
  serve(parts);
  const addresses = parts.map((_, i) => origin + nameOf(i, 3));
  assert.deepEqual(await logitsOf(addresses), expected);
  assert.deepEqual(await logitsOf(parts.map((part) => new Blob([part]))), expected);
  assert.deepEqual(await logitsOf([new URL(addresses[0]), new Blob([parts[1]]), addresses[2]]), expected);
  for (const [source, code] of [
    [[], "bad-type"],
    [[addresses[0], parts[1]], "bad-type"],
    [addresses.slice(0, 2), "file-shard"],
    [[addresses[1], addresses[0], addresses[2]], "file-shard"],
    [[addresses[0], addresses[0], addresses[2]], "file-shard"],
  ])
    await assert.rejects(loadModel(source, { worker: false }), { code });
  await assert.rejects(loadModel(addresses, { fetch }), { code: "conflict" });
  await assert.rejects(loadModel(addresses[1], { worker: false }), { code: "file-shard" });
});

test("a path in Node may be that of the first part", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "shards-"));
  t.after(() => rmSync(folder, { recursive: true }));
  splitGguf(whole, 2).forEach((part, i) => writeFileSync(join(folder, nameOf(i, 2)), part));
  assert.deepEqual(await logitsOf(pathToFileURL(join(folder, nameOf(0, 2)))), expected);
  assert.deepEqual(await logitsOf(join(folder, nameOf(0, 2)), { worker: true }), expected);
});

test("the next visit takes every part from its copy, and a damaged one from the server", async () => {
  const address = serve(splitGguf(whole, 3));
  assert.deepEqual(await logitsOf(address), expected);
  // The headers are read first.
  assert.equal(log.length, 6);
  assert.deepEqual(
    (await models()).map(({ isWhole }) => isWhole),
    [true, true, true],
  );
  log = [];
  const reports = [];
  assert.deepEqual(await logitsOf(address, { onProgress: (report) => reports.push(report) }), expected);
  assert.deepEqual(log, []);
  assert.ok(reports.slice(0, -1).every(({ stage }) => stage === "verify"));
  assert.equal(reports.at(-1).loaded, reports.at(-1).total);
  const damaged = caches.stored.get(`lastinch-model ${origin}${nameOf(1, 3)}`);
  damaged.get("https://lastinch.invalid/0")[3000] ^= 1;
  assert.deepEqual(await logitsOf(address), expected);
  assert.ok(log.length && log.every((path) => path === nameOf(1, 3)));
});

test("estimateModel knows the whole model by its headers", async () => {
  const parts = splitGguf(whole, 3);
  const estimate = await estimateModel(serve(parts), { worker: false });
  const own = await estimateModel(whole, { worker: false });
  assert.deepEqual([estimate.parameters, estimate.types, estimate.runs], [own.parameters, own.types, true]);
});

test("parts that are missing, cut or of another model are errors", async () => {
  const parts = splitGguf(whole, 3);
  const address = serve(parts);
  files.delete(nameOf(2, 3));
  await assert.rejects(logitsOf(address), { code: "model-download", message: /00003-of-00003.*404/ });
  files.set(nameOf(2, 3), parts[2].subarray(0, -50));
  await assert.rejects(logitsOf(address), { code: /truncated|incomplete/ });
  assert.ok((await models()).every(({ address }) => !address.includes("00003-of-")));
  // A part of a model with the same names: two tensors of one name.
  files.set(nameOf(2, 3), splitGguf(whole, 3, [3, 6, tensors.length])[2]);
  await assert.rejects(logitsOf(address), { code: "gguf-corrupt" });
  const lone = writeGguf({ "general.architecture": ["text", "llama"] }, []);
  files.set(nameOf(1, 3), lone);
  await assert.rejects(logitsOf(address), { code: "file-shard", message: /Part 2 of 3 says that it is no part/ });
});

test("a part that changes while the model is read is an error", async () => {
  const parts = splitGguf(whole, 2);
  const address = serve(parts);
  const get = files.get.bind(files);
  let asked = 0;
  files.get = (path) => {
    const bytes = get(path);
    if (path !== nameOf(1, 2) || asked++ === 0) return bytes;
    const changed = bytes.slice();
    changed[changed.indexOf(0x62)] ^= 1; // in a name
    return changed;
  };
  await assert.rejects(logitsOf(address, { cache: false }), { code: "model-download", message: /changed/ });
});
