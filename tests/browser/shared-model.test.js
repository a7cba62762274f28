// shareAcrossTabs in three tabs: one model, whose texts are those of a model of one's own; a tab that is closed hands over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserNames, untilTrue } from "./browsers.js";
import { openSite } from "./site.js";

const prompt = "Once upon a time";
const options = { maxTokens: 40, seed: 3, temperature: 0.8 };

/** In the page. */
async function load(settings = {}) {
  const { loadModel } = await import("/dist/index.js");
  const loaded = [];
  const onProgress = (progress) => loaded.push(progress.loaded / progress.total);
  globalThis.model = await loadModel("/dist/storyteller.gguf", { shareAcrossTabs: true, onProgress, ...settings });
  return { isInWorker: globalThis.model.isInWorker, loaded: loaded.at(-1), threads: globalThis.model.threads };
}

/** In the page: the text, or an error's code and text. */
async function complete(prompt, options) {
  const { model } = globalThis;
  return model.complete(prompt, options).then(
    ({ text }) => text,
    ({ code, text }) => ({ code, text }),
  );
}

/** In the page: begins a text without an end, which `lost` then holds. */
function beginEndless(prompt, options) {
  const { model } = globalThis;
  globalThis.written = "";
  globalThis.lost = (async () => {
    try {
      const bannedTokens = model.vocabulary.eos;
      for await (const { text } of model.generate(prompt, { ...options, maxTokens: 480, bannedTokens })) {
        globalThis.written += text;
        // A model writes only a little ahead of its reader, so the text takes long.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return "it ended";
    } catch (error) {
      return { code: error.code, isWhole: error.text === globalThis.written };
    }
  })();
}

/** In the page: how many threads of models, and how many tabs, live. */
async function countHolders() {
  const { held } = await navigator.locks.query();
  return ["lastinch-worker", "lastinch-tab"].map((kind) => held.filter(({ name }) => name.startsWith(kind)).length);
}

/** Calls of all kinds, whose texts and logits do not mix with those of other tabs. */
async function callEverything(one, other) {
  const begin = () => globalThis.model.forward([1, 2, 3]).then(String);
  assert.equal(await one.evaluate(begin), await other.evaluate(begin));
  await other.evaluate(() => globalThis.model.forward([7, 8]).then(String));
  const [kept, whole] = await one.evaluate(async () => {
    const { model } = globalThis;
    return [await model.forward([4], { keep: 3 }), await model.forward([1, 2, 3, 4])].map(String);
  });
  assert.equal(kept, whole);

  const results = await one.evaluate(async (prompt) => {
    const { compileGrammar, loadModel } = await import("/dist/index.js");
    const { model } = globalThis;
    const object = { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] };
    const { text: json } = await model.complete(prompt, { jsonSchema: { ...object, additionalProperties: false } });
    const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex: "[a-z]{3}" });
    const { text: letters } = await model.complete(prompt, { grammar, maxTokens: 10 });
    const draft = await loadModel("/dist/draft.gguf", { shareAcrossTabs: true });
    const greedy = { maxTokens: 20, temperature: 0 };
    const plain = await model.complete(prompt, greedy);
    const drafted = await model.complete(prompt, { ...greedy, draft });
    draft.dispose();
    const controller = new AbortController();
    let reason;
    for await (const { finishReason } of model.generate(prompt, { maxTokens: 300, signal: controller.signal })) {
      controller.abort();
      reason = finishReason;
    }
    for await (const chunk of model.generate(prompt, { maxTokens: 300 })) if (chunk) break;
    const code = (call) => call.then(String, (error) => error.code);
    const refused = [
      await code(loadModel(new Blob([]), { shareAcrossTabs: true })),
      await code(loadModel("/dist/draft.gguf", { shareAcrossTabs: true, worker: false })),
      await code(loadModel("/none.gguf", { shareAcrossTabs: true })),
      await code(model.complete(prompt, { draft: model, topK: -1 })),
    ];
    return {
      json,
      letters,
      isSame: plain.text === drafted.text,
      proposed: drafted.usage.draftedTokens,
      reason,
      refused,
    };
  }, prompt);
  assert.equal(typeof JSON.parse(results.json).a, "boolean");
  assert.match(results.letters, /^[a-z]{3}$/);
  assert.ok(results.isSame && results.proposed > 0);
  assert.equal(results.reason, "abort");
  assert.deepEqual(results.refused, ["conflict", "conflict", "model-download", "out-of-range"]);
}

for (const name of browserNames)
  test(`three tabs share one model in ${name}`, { timeout: 300_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    const blank = `${site.origin}/tests/browser/blank.html`;
    await driver.open(blank);
    await driver.evaluate(load, { shareAcrossTabs: false });
    const expected = await driver.evaluate(complete, prompt, options);
    await driver.evaluate(() => globalThis.model.dispose());
    const endless = { ...options, seed: 4 };

    const tabs = [driver, await driver.openTab(), await driver.openTab()];
    for (const tab of tabs.slice(1)) {
      t.after(() => tab.close());
      await tab.open(blank);
    }
    site.log.length = 0;
    // At the same time: all wait for the one load.
    const facts = await Promise.all(tabs.map((tab) => tab.evaluate(load)));
    for (const fact of facts) assert.deepEqual(fact, { ...facts[0], isInWorker: true, loaded: 1 });
    assert.equal(site.log.filter((path) => /model.*\.wasm$/.test(path)).length, 1, "one instance");
    const holders = (count) =>
      untilTrue(async () => `${await tabs.at(-1).evaluate(countHolders)}` === `${count}`, `not ${count}`);
    await holders([1, 3]);

    for (const tab of tabs) assert.equal(await tab.evaluate(complete, prompt, options), expected);
    await callEverything(tabs[1], tabs[2]);

    // The first tab, which leads, is left in the middle of the others' texts.
    for (const tab of tabs.slice(1)) await tab.evaluate(beginEndless, prompt, endless);
    await untilTrue(() => tabs[1].evaluate(() => globalThis.written !== ""), "no text");
    await driver.open("about:blank");
    for (const tab of tabs.slice(1)) {
      const lost = await tab.evaluate(() => globalThis.lost);
      assert.deepEqual(lost, { code: "worker-lost", isWhole: true });
    }
    const again = await Promise.all(tabs.slice(1).map((tab) => tab.evaluate(complete, prompt, options)));
    assert.deepEqual(again, [expected, expected]);
    await holders([1, 2]);

    // The one that does not lead goes first, then the last.
    await tabs[2].evaluate(() => globalThis.model.dispose());
    await untilTrue(async () => (await tabs[1].evaluate(countHolders))[1] === 1, "the tab has left");
    assert.equal(await tabs[1].evaluate(complete, prompt, options), expected);
    await tabs[1].evaluate(() => globalThis.model.dispose());
    await holders([0, 0]);
  });

/** Two tabs with a model, of which the first leads. */
async function openTwo(t, name) {
  const { site, driver, close } = await openSite(name);
  t.after(close);
  const other = await driver.openTab();
  t.after(() => other.close());
  for (const tab of [driver, other]) {
    await tab.open(`${site.origin}/tests/browser/blank.html`);
    await tab.evaluate(load);
  }
  const expected = await driver.evaluate(complete, prompt, options);
  return { site, driver, other, expected };
}

for (const name of browserNames)
  test(`a tab that leads, is left and comes back shares again in ${name}`, { timeout: 300_000 }, async (t) => {
    const { site, driver, other, expected } = await openTwo(t, name);
    // A browser may keep a page that is left without a connection of its own, and show it again as it was.
    await driver.evaluate(
      (url) => void setTimeout(() => (location.href = url)),
      `${site.origin}/tests/browser/blank.html?`,
    );
    await untilTrue(() => driver.evaluate(() => location.href.endsWith("?")).catch(() => false), "it was not left");
    assert.equal(await other.evaluate(complete, prompt, options), expected);
    await driver.evaluate(() => void setTimeout(() => history.back()));
    await untilTrue(() => driver.evaluate(() => location.href.endsWith("html")).catch(() => false), "no way back");
    const isKept = await driver.evaluate(() => "model" in globalThis);
    t.diagnostic(`${name} ${isKept ? "shows the page as it was" : "opens the page anew"}`);
    if (!isKept) await driver.evaluate(load);
    assert.equal(await driver.evaluate(complete, prompt, options), expected);
    assert.equal((await driver.evaluate(countHolders))[0], 1);
  });

if (browserNames.includes("chromium")) {
  test("a tab that crashes hands over, in chromium", { timeout: 300_000 }, async (t) => {
    const { driver, other, expected } = await openTwo(t, "chromium");
    await other.evaluate(beginEndless, prompt, options);
    const client = await driver.page.createCDPSession();
    void client.send("Page.crash").catch(() => {});
    assert.deepEqual(await other.evaluate(() => globalThis.lost), { code: "worker-lost", isWhole: true });
    assert.equal(await other.evaluate(complete, prompt, options), expected);
  });

  test("a tab that is frozen while it leads is replaced, and shares again, in chromium", async (t) => {
    const { driver, other, expected } = await openTwo(t, "chromium");
    const client = await driver.page.createCDPSession();
    await client.send("Page.setWebLifecycleState", { state: "frozen" });
    await other.evaluate(() => {
      // Minutes would be too long for a test.
      const { setInterval } = globalThis;
      globalThis.setInterval = (tick, delay) => setInterval(tick, delay / 20);
    });
    assert.deepEqual(await other.evaluate(complete, prompt, options), { code: "worker-lost", text: "" });
    assert.equal(await other.evaluate(complete, prompt, options), expected);
    await client.send("Page.setWebLifecycleState", { state: "active" });
    // The thread of the tab ends when the tab notices that another one leads.
    const isSame = async () => (await driver.evaluate(complete, prompt, options)) === expected;
    assert.ok((await isSame()) || (await isSame()));
    await untilTrue(async () => (await other.evaluate(countHolders))[0] === 1, "more than one Worker");
  });
}
