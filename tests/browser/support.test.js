// What the documentation says of the browsers under test is what runs in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tablesOf } from "../markdown.js";
import { allBrowserNames, browserNames } from "./names.js";
import { openSite } from "./site.js";

const { head, rows } = tablesOf("demos/docs/browsers.md").find(({ caption }) => caption === "What the tests found");

/** In the page. */
async function probe() {
  const { createSampler, loadModel } = await import("/dist/index.js");
  const sampler = await createSampler({ vocabSize: 2, temperature: 0 });
  const samples = sampler.sample(Float32Array.of(0, 1)) === 1;
  sampler.dispose();
  const address = `${location.origin}/dist/draft.gguf`;
  const { loadWithThreads } = await import("/tests/vectors/thread-digests.js");
  const model = await loadWithThreads(() => loadModel(address, { threads: 2, worker: true }), 2); // an error if no Worker starts
  const { threads } = model;
  model.dispose();
  const isKept = (await caches.keys()).includes(`lastinch-model ${address}`);
  return { agent: navigator.userAgent, samples, threads, isKept, prompts: "LanguageModel" in globalThis };
}

for (const name of browserNames)
  test(`the features of ${name} are those that the page lists`, { timeout: 900_000 }, async (t) => {
    const column = allBrowserNames.indexOf(name) + 1; // after the names of the rows
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const { agent, samples, threads, isKept, prompts } = await driver.evaluate(probe);
    const isRelaxed = site.log.some((path) => path.startsWith("/dist/model-relaxed"));
    const found = [samples, true, isRelaxed, threads > 1, isKept, prompts].map((has) => (has ? "yes" : "no"));
    assert.deepEqual(
      rows.map((cells) => cells[column]),
      found,
    );
    // Pages cannot read the version of WebKitGTK.
    const version = /(?:Chrome|Firefox)\/(\d+)/.exec(agent)?.[1];
    if (version) assert.match(head[column], new RegExp(` ${version}$`));
  });
