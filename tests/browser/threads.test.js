// Helpers in every browser that lets a page share memory, and none, without a word, where it does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { threadDigests, threadedGgufs } from "../vectors/thread-digests.js";
import { browserNames, launch } from "./browsers.js";
import { startSite } from "./site.js";

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
    const site = await startSite();
    t.after(() => site.close());
    const driver = await launch(name);
    t.after(() => driver.close());
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
