// The second visit with the caches of real browsers, from a Worker and from the page.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { listen, siteHandler } from "../../demos/serve.js";
import { randomModel, vocabularyOf } from "../js/tiny-gguf.js";
import { examplesOf } from "../markdown.js";
import { browserNames, launch, waitFor } from "./browsers.js";
import { once } from "./names.js";

// Large enough for several parts.
const vocabulary = vocabularyOf(Array.from({ length: 5000 }, (_, i) => `word${i}`));
const first = randomModel({ vocabulary, context: 10, seed: 1 });
const second = randomModel({ vocabulary, context: 10, seed: 2 });

/** Bytes of a part of a small file. */
const PART = 1 << 17;

for (const name of browserNames)
  describe(`what is kept of a model in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {import("./browsers.js").Driver} */
    let driver;
    let server;
    let origin;
    let file = { bytes: first, etag: '"1"' };
    let log = [];
    /** Answers a request instead of the server. @type {((request: any, response: any) => void) | undefined} */
    let trick;

    before(async () => {
      const handle = siteHandler();
      server = createServer((request, response) => {
        if (request.url === "/end-the-download") server.emit(request.url.slice(1));
        if (!request.url.endsWith(".gguf")) return handle(request, response);
        const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
        log.push(request.method + (start ? ` from ${start}` : ""));
        if (trick) return trick(request, response);
        const { bytes, etag } = file;
        const from = Number(start ?? 0);
        const range = start && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
        const headers = { "content-length": bytes.length - from, "cache-control": "no-cache", etag, ...range };
        response.writeHead(start ? 206 : 200, headers);
        response.end(request.method === "HEAD" ? undefined : bytes.subarray(from));
      });
      origin = `http://localhost:${await listen(server, 0)}`;
      driver = await launch(name);
    });

    after(async () => {
      await driver?.close();
      server.closeAllConnections();
      server.close();
    });

    /** Reopens the page and loads the model. Returns a logit, or the error's code, and the methods of the requests. */
    const visit = async (options = {}) => {
      await driver.open(`${origin}/tests/browser/blank.html`);
      log = [];
      const result = await driver.evaluate(async (options) => {
        const { loadModel } = await import("/dist/index.js");
        // Under WebDriver, WebKit keeps nothing on disk, and keeps a Worker's caches only if the page has seen them.
        const looking = setInterval(() => caches.keys(), 50);
        try {
          const model = await loadModel("/model.gguf", options);
          await caches.keys();
          const logits = await model.forward([1, 2]);
          model.dispose();
          return String(logits[7]);
        } catch (error) {
          return error.code ?? String(error);
        } finally {
          clearInterval(looking);
        }
      }, options);
      return `${result} ${log}`;
    };

    /** Does something to the copy's entries. @param {(cache: any) => any} change */
    const change = (change) =>
      driver.evaluate(
        `caches.open("lastinch-model " + location.origin + "/model.gguf").then((cache) => (${change})(cache))`,
      );

    /** Forgets everything. */
    const clear = async () => {
      await driver.open(`${origin}/tests/browser/blank.html`);
      await driver.evaluate(async () => {
        for (const name of await caches.keys()) await caches.delete(name);
      });
      file = { bytes: first, etag: '"1"' };
    };

    for (const worker of [true, false])
      test(`the copy is used, repaired and replaced (worker: ${worker})`, worker ? {} : once(name), async () => {
        await clear();
        const [logit, requests] = (await visit({ worker })).split(" ");
        assert.equal(requests, "GET");
        const asFirst = (requests) => `${logit} ${requests}`;
        assert.equal(await visit({ worker }), asFirst("HEAD"));

        await change(async (cache) => {
          const bytes = new Uint8Array(await (await cache.match("https://lastinch.invalid/2")).arrayBuffer());
          bytes[5] ^= 1;
          await cache.put("https://lastinch.invalid/2", new Response(bytes));
        });
        assert.equal(await visit({ worker }), asFirst("HEAD,GET"));
        assert.equal(await visit({ worker }), asFirst("HEAD"));
        await change((cache) => cache.delete("https://lastinch.invalid/1"));
        assert.equal(await visit({ worker }), asFirst("HEAD,GET"));
        assert.equal(await visit({ worker }), asFirst("HEAD"));

        file = { bytes: second, etag: '"2"' };
        const changed = await visit({ worker });
        assert.match(changed, / HEAD,GET$/);
        assert.notEqual(changed, asFirst("HEAD,GET"));
        assert.equal(await visit({ worker }), changed.replace(",GET", ""));
        assert.equal(await visit({ worker, cache: false }), changed.replace("HEAD,", ""));

        trick = (request) => request.socket.destroy();
        assert.match(await visit({ worker }), new RegExp(`^${changed.split(" ")[0]} `));
        // A file that stops in the middle: what has come is used the next time.
        const stops = (request, response) => {
          response.writeHead(200, { etag: '"3"', "content-length": first.length });
          if (request.method === "HEAD") response.end();
          else response.write(first.subarray(0, 900_000));
        };
        trick = stops;
        // Headers must come in this time too, even from a busy machine.
        assert.equal(await visit({ worker, stallTimeout: 3000 }), "model-stalled HEAD,GET,GET from 900000");
        trick = undefined;
        file = { bytes: first, etag: '"3"' };
        assert.equal(await visit({ worker }), asFirst(`GET from ${6 * PART}`));
        assert.equal(await visit({ worker }), asFirst("HEAD"));
      });

    test("two threads download a file once", async () => {
      await clear();
      log = [];
      // The download ends when the other thread waits for it: a thread that starts later would find the copy.
      const asked = new Promise((resolve) => {
        trick = (_, response) => {
          response.writeHead(200, { etag: '"1"', "content-length": first.length });
          resolve(() => response.end(first));
        };
      });
      server.once("end-the-download", () => void asked.then((end) => end()));
      const found = await driver.evaluate(async () => {
        const { loadModel, models, removeModel } = await import("/dist/index.js");
        // A busy machine may take long to start the Worker, and no byte comes before it waits.
        const waits = { stallTimeout: 300_000 };
        const loaded = [loadModel("/model.gguf", waits), loadModel("/model.gguf", { ...waits, worker: false })];
        const isWaitedFor = async () =>
          (await navigator.locks.query()).pending.some((lock) => lock.name.startsWith("lastinch-download"));
        while (!(await isWaitedFor())) await new Promise((resolve) => setTimeout(resolve, 20));
        await fetch("/end-the-download");
        for (const loading of loaded) (await loading).dispose();
        const kept = await models();
        const isRemoved = await removeModel("/model.gguf");
        return { kept, isRemoved, left: await models() };
      });
      trick = undefined;
      assert.deepEqual(log, ["GET"]);
      assert.deepEqual(
        found.kept.map(({ bytes, isWhole }) => [bytes, isWhole]),
        [[first.length, true]],
      );
      assert.deepEqual([found.isRemoved, found.left], [true, []]);
    });

    test("a page that is opened again goes on where it was", async () => {
      await clear();
      await driver.open(`${origin}/tests/browser/blank.html`);
      log = [];
      trick = (request, response) => {
        response.writeHead(200, { etag: '"1"', "content-length": first.length }).write(first.subarray(0, 900_000));
      };
      await driver.evaluate(async () => {
        const { loadModel, models } = await import("/dist/index.js");
        loadModel("/model.gguf").catch(() => {});
        // All whole parts that have come: none is still on its way to the cache when the page is left.
        while (!((await models())[0]?.bytes >= 6 << 17)) await new Promise((resolve) => setTimeout(resolve, 50));
      });
      trick = undefined;
      await driver.open(`${origin}/tests/browser/blank.html`);
      log = [];
      const before = await driver.evaluate(async () => {
        const { loadModel, models } = await import("/dist/index.js");
        const [before] = await models();
        (await loadModel("/model.gguf")).dispose();
        return before;
      });
      const { bytes, total, isWhole } = before;
      assert.deepEqual({ bytes, total, isWhole }, { bytes: 6 * PART, total: first.length, isWhole: false });
      assert.deepEqual(log, [`GET from ${bytes}`]);
    });

    test("the documented button pauses a download and goes on after the parts that have come", async () => {
      await clear();
      await driver.open(`${origin}/tests/browser/blank.html`);
      log = [];
      let sent = 0;
      trick = (request, response) => {
        const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
        const range = start && { "content-range": `bytes ${start}-${first.length - 1}/${first.length}` };
        response.writeHead(start ? 206 : 200, {
          etag: '"1"',
          "content-length": first.length - Number(start ?? 0),
          ...range,
        });
        // Two parts and a half.
        response.write(first.subarray(Number(start ?? 0), (sent = Number(start ?? 0) + 2.5 * PART)));
      };
      const [page] = examplesOf("demos/docs/loading.md", "html");
      await driver.evaluate((page) => {
        const [, markup, code] = /^(.*)<script type="module">(.*)<\/script>/s.exec(page);
        document.body.innerHTML = markup;
        const script = document.createElement("script");
        script.type = "module";
        script.textContent = code.replace('"lastinch"', '"/dist/index.js"').replace("model.gguf", "/model.gguf");
        document.body.append(script);
      }, page);
      const press = () => driver.click("button");
      const isCalled = (text) =>
        waitFor(driver, (text) => document.querySelector("button")?.textContent === text, [text]);
      const until = (least) =>
        driver.evaluate(async (least) => {
          const { models } = await import("/dist/index.js");
          while (!((await models())[0]?.bytes >= least)) await new Promise((resolve) => setTimeout(resolve, 50));
          return (await models())[0].bytes;
        }, least);
      const expected = ["GET"];
      for (let pauses = 0; pauses < 2; pauses++) {
        const before = await until(2 * PART * (pauses + 1));
        assert.ok(before <= sent);
        await press();
        await isCalled("Go on");
        if (pauses) trick = undefined;
        await press();
        expected.push(`GET from ${before}`);
      }
      await waitFor(driver, () => document.querySelector("button") === null);
      assert.equal(await driver.evaluate(() => document.querySelector("progress").value), 1);
      // No byte of a part that had come is fetched again.
      assert.deepEqual(log, expected);
    });

    if (name === "chromium")
      test("loading succeeds with a full disk", async () => {
        await clear();
        const { page } = driver;
        const client = await page.createCDPSession();
        await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 500_000 });
        assert.match(await visit(), / GET$/);
        assert.deepEqual(await driver.evaluate(() => caches.keys()), []);
        await client.send("Storage.overrideQuotaForOrigin", { origin });
        await visit();
        assert.match(await visit(), / HEAD$/);
      });
  });
