// Every browser computes the same bits as Node, with the variant of model.wasm that it can run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { libraryDigests } from "../vectors/logit-digests.js";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

const expected = await libraryDigests(loadModel);
const variants = { chromium: "model-relaxed", firefox: "model-relaxed", webkit: "model" };

for (const name of browserNames)
  test(`logits have the bits of Node in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    site.isIsolated = false; // threads.test.js covers the variants with threads
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const found = await driver.evaluate(async () => {
      const { loadModel } = await import("/dist/index.js");
      const { libraryDigests } = await import("/tests/vectors/logit-digests.js");
      return libraryDigests(loadModel);
    });
    assert.deepEqual(found, expected);
    const taken = site.log.filter((path) => /model.*\.wasm$/.test(path));
    assert.deepEqual([...new Set(taken)], [`/dist/${variants[name]}.wasm`]);
    assert.deepEqual(await driver.consoleErrors(), []);
  });

for (const name of browserNames)
  test(`without a Worker that starts, models run in the page in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    site.silent.add("/dist/worker.js");
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const { size, code, message } = await driver.evaluate(async () => {
      // Half a minute would be too long for a test.
      const { setInterval } = globalThis;
      globalThis.setInterval = (tick, delay) => setInterval(tick, delay / 20);
      const { loadModel } = await import("/dist/index.js");
      const { randomGguf } = await import("/tests/vectors/gguf-files.js");
      const [model, error] = await Promise.all([
        loadModel(randomGguf()),
        loadModel(randomGguf(), { worker: true }).catch(({ code, message }) => ({ code, message })),
      ]);
      return { size: (await model.forward([1])).length - model.config.vocabSize, ...error };
    });
    assert.equal(size, 0);
    assert.equal(code, "worker-unavailable");
    assert.match(message, /did not start within 30 s/);
    assert.ok(site.log.includes("/dist/worker.js"));
  });
