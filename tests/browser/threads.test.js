// Helpers in every browser that lets a page share memory, and none, without a word, where it does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { threadDigests, threadedGgufs } from "../vectors/thread-digests.js";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

const expected = await threadDigests((file) => loadModel(file, { threads: 1 }), threadedGgufs());
const relaxed = { chromium: "model-relaxed", firefox: "model-relaxed", webkit: "model" };

/** In the page: digests, and how many threads there were. */
async function compute(options) {
  const { loadModel } = await import("/dist/index.js");
  const { threadDigests } = await import("/tests/vectors/thread-digests.js");
  const counts = new Set();
  const digests = await threadDigests(async (file) => {
    const model = await loadModel(file, options);
    counts.add(model.threads);
    return model;
  });
  return { digests, counts: [...counts] };
}

for (const name of browserNames)
  test(`threads in ${name}`, { timeout: 300_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    const check = async (isIsolated, options, count, isShared = count > 1) => {
      site.isIsolated = isIsolated;
      site.log.length = 0;
      await driver.open(`${site.origin}/tests/browser/blank.html`);
      const { digests, counts } = await driver.evaluate(compute, options);
      assert.deepEqual(digests, expected);
      assert.deepEqual(counts, [count]);
      const taken = new Set(site.log.filter((path) => /model.*\.wasm$/.test(path)));
      const variant = relaxed[name] + (isShared ? "-threads" : "");
      assert.deepEqual([...taken], [`/dist/${variant}.wasm`]);
    };
    await check(true, { threads: 3 }, name === "webkit" ? 1 : 3);
    await check(false, { threads: 3 }, 1);
    // A page's own thread may not wait for others.
    await check(true, { threads: 3, worker: false }, 1);
    assert.deepEqual(await driver.consoleErrors(), []);
    site.missing.add("/dist/helper.js");
    await check(true, { threads: 3 }, 1, name !== "webkit");
  });

for (const name of browserNames.filter((name) => name !== "webkit"))
  test(`no helper outlives its model in ${name}`, { timeout: 120_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    /** Waits until the page has so many Workers. */
    const expectWorkers = async (models, helpers) => {
      const expected = [models, helpers];
      const deadline = Date.now() + 10_000;
      let found;
      do {
        found = ["/worker.js", "/helper.js"].map(
          (file) => driver.page.workers().filter((worker) => worker.url().endsWith(file)).length,
        );
        if (`${found}` === `${expected}`) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      } while (Date.now() < deadline);
      // Under load Firefox sometimes goes on listing a Worker. The page can do no more than terminate the Worker.
      const kept = await driver.evaluate(() =>
        [true, false].map(
          (isModel) => globalThis.workers.filter((one) => one.isModel === isModel && !one.isEnded).length,
        ),
      );
      assert.ok(
        name === "firefox" && `${kept}` === `${expected}`,
        `${found} models and helpers, ${kept} not terminated`,
      );
    };
    const load = () =>
      driver.evaluate(async () => {
        const { loadModel } = await import("/dist/index.js");
        const { threadedGguf } = await import("/tests/vectors/thread-digests.js");
        globalThis.models = await Promise.all([2, 3].map((threads) => loadModel(threadedGguf(), { threads })));
      });
    const dispose = (number) => driver.evaluate((number) => globalThis.models[number].dispose(), number);

    await driver.evaluate(() => {
      globalThis.workers = [];
      globalThis.Worker = class extends Worker {
        constructor(url, options) {
          super(url, options);
          this.isModel = url.pathname.endsWith("/worker.js");
          globalThis.workers.push(this);
        }
        terminate() {
          super.terminate();
          this.isEnded = true;
        }
      };
    });
    await load();
    await expectWorkers(1, 3);
    await dispose(1);
    await expectWorkers(1, 1);
    await dispose(0);
    await expectWorkers(0, 0);

    // While helpers start: some are there, or the page has not heard yet that they are wanted.
    for (const isBusy of [false, true]) {
      const outcome = await driver.evaluate(async (isBusy) => {
        const { loadModel } = await import("/dist/index.js");
        const { threadedGguf } = await import("/tests/vectors/thread-digests.js");
        const controller = new AbortController();
        const onProgress = ({ loaded, total }) => {
          if (loaded < total) return;
          if (!isBusy) return void setTimeout(() => controller.abort(), 1);
          const end = performance.now() + 200;
          while (performance.now() < end);
          controller.abort();
        };
        const loading = loadModel(threadedGguf(), { threads: 3, signal: controller.signal, onProgress });
        return loading.catch(({ name }) => name);
      }, isBusy);
      assert.equal(outcome, "AbortError");
      await expectWorkers(0, 0);
    }

    await load();
    await expectWorkers(1, 3);
    await driver.evaluate(() => globalThis.workers.findLast((one) => one.isModel).postMessage(null)); // it trips over that
    await expectWorkers(0, 0);
    const code = await driver.evaluate(() => globalThis.models[0].score([1, 2]).catch(({ code }) => code));
    assert.equal(code, "worker-failed");
  });
