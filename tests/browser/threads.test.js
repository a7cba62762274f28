// Models have helpers in every browser that lets a page share memory, and silently none where it does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { rounds } from "../rounds.js";
import { threadDigests, threadedGgufs } from "../vectors/thread-digests.js";
import { untilTrue } from "./browsers.js";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

const expected = await threadDigests((file) => loadModel(file, { threads: 1 }), threadedGgufs());
const relaxed = { chromium: "model-relaxed", firefox: "model-relaxed", webkit: "model" };

/** In the page: digests for all types of weights, or for one, and how many threads there were, of which some are expected. */
async function compute(options, isWhole, expected) {
  const { loadModel } = await import("/dist/index.js");
  const vectors = await import("/tests/vectors/thread-digests.js");
  const { loadWithThreads, threadDigests, threadedGguf, threadedGgufs } = vectors;
  const counts = new Set();
  const load = async (file) => {
    const model = await loadWithThreads(() => loadModel(file, options), expected);
    counts.add(model.threads);
    return model;
  };
  const digests = await threadDigests(load, isWhole ? threadedGgufs() : [["F32", threadedGguf()]]);
  return { digests, counts: [...counts] };
}

for (const name of browserNames)
  test(`threads compute the same bits in ${name}`, { timeout: 900_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    let isWhole = true;
    const check = async (isIsolated, options, count, isShared = count > 1) => {
      site.isIsolated = isIsolated;
      site.log.length = 0;
      await driver.open(`${site.origin}/tests/browser/blank.html`);
      const { digests, counts } = await driver.evaluate(compute, options, isWhole, count);
      assert.deepEqual(digests, isWhole ? expected : { F32: expected.F32 });
      assert.deepEqual(counts, [count]);
      const taken = new Set(site.log.filter((path) => /model.*\.wasm$/.test(path)));
      const variant = relaxed[name] + (isShared ? "-threads" : "");
      assert.deepEqual([...taken], [`/dist/${variant}.wasm`]);
    };
    await check(true, { threads: 3 }, name === "webkit" ? 1 : 3);
    isWhole = rounds(true, false);
    await check(false, { threads: 3 }, 1);
    // A page's own thread may not wait for others.
    await check(true, { threads: 3, worker: false }, 1);
    assert.deepEqual(await driver.consoleErrors(), []);
    site.missing.add("/dist/helper.js");
    await check(true, { threads: 3 }, 1, name !== "webkit");
  });

/**
 * Runs in the page, before its models. Each Worker holds a lock from its first script until its thread is gone, because
 * what the browser's driver lists comes late and out of order.
 */
function lockWorkers() {
  globalThis.workers = new Set();
  globalThis.Worker = class extends Worker {
    constructor(url, options) {
      const hold = `navigator.locks.request("${options.name}", { mode: "shared" }, () => new Promise(() => {}));`;
      super(URL.createObjectURL(new Blob([`import "${url}"; ${hold}`], { type: "text/javascript" })), options);
      this.name = options.name;
      globalThis.workers.add(this);
      if (this.name === "lastinch-helper") globalThis.onHelper?.();
    }
    terminate() {
      super.terminate();
      globalThis.workers.delete(this);
    }
  };
}

/** In the page: how many Workers it has not ended, and how many threads live; both for models and for helpers. */
async function countWorkers() {
  const { held } = await navigator.locks.query();
  const count = (list, name) => list.filter((one) => one.name === name).length;
  return ["lastinch", "lastinch-helper"].flatMap((name) => [count([...globalThis.workers], name), count(held, name)]);
}

for (const name of browserNames)
  test(`no helper outlives its model in ${name}`, { timeout: 900_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    await driver.evaluate(lockWorkers);
    /** Waits until there are that many. */
    const expectWorkers = async (models, count) => {
      const helpers = name === "webkit" ? 0 : count; // it shares no memory
      const expected = [models, models, helpers, helpers];
      let found;
      const isSo = async () => `${(found = await driver.evaluate(countWorkers))}` === `${expected}`;
      await untilTrue(isSo, "too many, or too few").catch(() => assert.deepEqual(found, expected));
    };
    const load = () =>
      driver.evaluate(async () => {
        const { loadModel } = await import("/dist/index.js");
        const { threadedGguf } = await import("/tests/vectors/thread-digests.js");
        globalThis.models = await Promise.all([2, 3].map((threads) => loadModel(threadedGguf(), { threads })));
      });
    const dispose = (number) => driver.evaluate((number) => globalThis.models[number].dispose(), number);

    await load();
    await expectWorkers(1, 3);
    await dispose(1);
    await expectWorkers(1, 1);
    await dispose(0);
    await expectWorkers(0, 0);

    // Aborts while a helper starts, or after the Worker has had time to ask for helpers that the page has not yet heard
    // of.
    for (const isBusy of name === "webkit" ? [true] : [false, true]) {
      const outcome = await driver.evaluate(async (isBusy) => {
        const { loadModel } = await import("/dist/index.js");
        const { threadedGguf } = await import("/tests/vectors/thread-digests.js");
        const controller = new AbortController();
        if (!isBusy) globalThis.onHelper = () => controller.abort();
        const onProgress = ({ loaded, total }) => {
          if (!isBusy || loaded < total) return;
          const end = performance.now() + 200;
          while (performance.now() < end);
          controller.abort();
        };
        const loading = loadModel(threadedGguf(), { threads: 3, signal: controller.signal, onProgress });
        return loading.catch(({ name }) => name).finally(() => delete globalThis.onHelper);
      }, isBusy);
      assert.equal(outcome, "AbortError");
      await expectWorkers(0, 0);
    }

    // A message that makes the model's Worker fail.
    await load();
    await expectWorkers(1, 3);
    await driver.evaluate(() => [...globalThis.workers].find(({ name }) => name === "lastinch").postMessage(null));
    await expectWorkers(0, 0);
    const code = await driver.evaluate(() => globalThis.models[0].score([1, 2]).catch(({ code }) => code));
    assert.equal(code, "worker-lost");
  });
