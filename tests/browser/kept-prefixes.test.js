// Prefixes of prompts over a reload, with the caches of real browsers.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { listen, siteHandler } from "../../demos/serve.js";
import { floatFile } from "../vectors/family-files.js";
import { browserNames, launch } from "./browsers.js";

const files = { llama: floatFile("llama"), qwen35: floatFile("qwen35"), gemma3: floatFile("gemma3") };

for (const name of browserNames)
  describe(`kept prefixes in ${name}`, { concurrency: false, timeout: 300_000 }, () => {
    /** @type {import("./browsers.js").Driver} */
    let driver;
    let server;
    let origin;

    before(async () => {
      const handle = siteHandler();
      server = createServer((request, response) => {
        const [, family] = /^\/(\w+)\.gguf$/.exec(request.url) ?? [];
        if (!family) return handle(request, response);
        const bytes = files[family];
        response.writeHead(200, { "content-length": bytes.length, etag: '"1"' });
        response.end(request.method === "HEAD" ? undefined : bytes);
      });
      origin = `http://localhost:${await listen(server, 0)}`;
      driver = await launch(name);
    });

    after(async () => {
      await driver?.close();
      server.closeAllConnections();
      server.close();
    });

    /** Reopens the page, loads the model, and writes a text after a prompt of 120 tokens. */
    const visit = async (family, { keeps = 0, restores = false, worker = true } = {}) => {
      await driver.open(`${origin}/tests/browser/blank.html`);
      return driver.evaluate(
        async (url, { keeps, restores, worker }) => {
          const { loadModel, models } = await import("/dist/index.js");
          // Under WebDriver, WebKit keeps what a Worker has put only if the page has seen it.
          const look = async () => {
            for (const key of await caches.keys()) await (await caches.open(key)).keys();
          };
          const looking = setInterval(look, 50);
          try {
            const model = await loadModel(url, { worker, cacheType: "f16", contextLength: 256 });
            const ids = Array.from({ length: 120 }, (_, i) => 3 + ((7 * i * i + i) % 250));
            const kept = keeps ? await model.keepPrefix(ids.slice(0, keeps)) : undefined;
            await look();
            if (restores) {
              const blob = await model.save(ids.slice(0, 100));
              const other = await loadModel(url, { worker, cacheType: "f16", contextLength: 256 });
              model.dispose();
              const { tokens } = await other.restore(blob);
              const { text, usage } = await other.complete(ids, { maxTokens: 8, seed: 1 });
              other.dispose();
              return { tokens, text, cached: usage.cachedTokens };
            }
            const { text, usage } = await model.complete(ids, { maxTokens: 8, seed: 1 });
            model.dispose();
            const list = (await models()).map(({ address, prefixes }) => [
              address.split("/").pop(),
              prefixes.map(({ tokens }) => tokens),
            ]);
            return { kept, text, cached: usage.cachedTokens, list };
          } finally {
            clearInterval(looking);
          }
        },
        `${origin}/${family}.gguf`,
        { keeps, restores, worker },
      );
    };

    /** A visit that finds a prefix. A text waits a second for the list of prefixes, and a busy machine may need longer. */
    const revisit = async (family, how) => {
      for (let tries = 1; ; tries++) {
        const found = await visit(family, how);
        if (found.cached || tries === 5) return found;
      }
    };

    for (const family of Object.keys(files))
      test(`a prefix that ${family} has read is found after a reload, and changes no text`, async () => {
        const first = await visit(family);
        assert.equal(first.cached, 0);
        const keeping = await visit(family, { keeps: 100 });
        assert.equal(keeping.kept.tokens, 100);
        assert.deepEqual([keeping.text, keeping.cached], [first.text, 100]);
        for (const worker of [true, false]) {
          const again = await revisit(family, { worker });
          assert.deepEqual([again.text, again.cached], [first.text, 100], `worker: ${worker}`);
          assert.deepEqual(
            again.list.find(([address]) => address === `${family}.gguf`),
            [`${family}.gguf`, [100]],
          );
        }
        const removed = await driver.evaluate(
          async (url) => (await import("/dist/index.js")).removeModel(url),
          `${origin}/${family}.gguf`,
        );
        assert.equal(removed, true);
        const last = await visit(family);
        assert.deepEqual([last.text, last.cached], [first.text, 0]);
      });

    test("a Blob goes from one model to another", async () => {
      for (const family of Object.keys(files)) {
        const { text } = await visit(family);
        for (const worker of [true, false])
          assert.deepEqual(await visit(family, { restores: true, worker }), { tokens: 100, text, cached: 100 });
      }
    });
  });
