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

/**
 * In the page: begins a text without an end, of which one chunk is read. A model writes only a little ahead of its reader,
 * so the text lasts until `readOn` is called, however slow the machine is. `lost` then holds how it ended.
 */
function beginEndless(prompt, options) {
  const { model } = globalThis;
  globalThis.written = "";
  globalThis.chunksToRead = 1;
  let goOn = () => {};
  globalThis.readOn = (count) => {
    globalThis.chunksToRead = count;
    goOn();
  };
  globalThis.lost = (async () => {
    try {
      const bannedTokens = model.vocabulary.eos;
      for await (const { text } of model.generate(prompt, { ...options, maxTokens: 480, bannedTokens })) {
        globalThis.written += text;
        if (--globalThis.chunksToRead <= 0) await new Promise((resolve) => (goOn = () => resolve(undefined)));
      }
      return "it ended";
    } catch (error) {
      return { code: error.code, isWhole: error.text === globalThis.written };
    }
  })();
}

/** Reads what has come of a text whose Worker is gone. */
async function readLost(tab) {
  await untilTrue(async () => (await tab.evaluate(countHolders))[0] === 0, "its Worker lives");
  return tab.evaluate(() => {
    globalThis.readOn(Infinity);
    return globalThis.lost;
  });
}

/** In the page: how many threads of models, and how many tabs, live. */
async function countHolders() {
  const locks = await navigator.locks.query();
  const held = locks.held.filter(({ mode }) => mode === "exclusive"); // not those that watch
  return ["lastinch-worker", "lastinch-tab"].map((kind) => held.filter(({ name }) => name.startsWith(kind)).length);
}

const hasBegun = (tab) => untilTrue(() => tab.evaluate(() => globalThis.written !== ""), "no text");

/** Calls of all kinds, whose texts and logits do not mix with those of other tabs. */
async function callEverything(one, other) {
  const begin = () => globalThis.model.forward([1, 2, 3]).then(String);
  assert.equal(await one.evaluate(begin), await other.evaluate(begin));
  await other.evaluate(() => globalThis.model.forward([7, 8]).then(String));
  const branches = await other.evaluate(async () => {
    const { model } = globalThis;
    const rows = await model.forward([4, 5, 6], { keep: 2, rows: "all", parents: [-1, -1, 1] });
    return [rows[2], await model.forward([5, 6], { keep: 2 })].map(String);
  });
  assert.equal(branches[0], branches[1]);
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
    const headed = [];
    for (const name of ["medusa", "eagle"]) {
      const heads = await loadModel(`/dist/${name}.gguf`, { shareAcrossTabs: true });
      const { text, usage } = await model.complete(prompt, { ...greedy, draft: heads, draftTokens: 6 });
      headed.push(text === plain.text && usage.acceptedTokens > 0);
      heads.dispose();
    }
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
      headed,
      reason,
      refused,
    };
  }, prompt);
  assert.equal(typeof JSON.parse(results.json).a, "boolean");
  assert.match(results.letters, /^[a-z]{3}$/);
  assert.ok(results.isSame && results.proposed > 0);
  assert.deepEqual(results.headed, [true, true]);
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
    const facts = await Promise.all(tabs.map((tab) => tab.evaluate(load, { cache: false })));
    for (const fact of facts) assert.deepEqual(fact, { ...facts[0], isInWorker: true, loaded: 1 });
    assert.equal(site.log.filter((path) => path.endsWith(".gguf")).length, 1, "one download");
    const holders = (count) =>
      untilTrue(async () => `${await tabs.at(-1).evaluate(countHolders)}` === `${count}`, `not ${count}`);
    await holders([1, 3]);

    for (const tab of tabs) assert.equal(await tab.evaluate(complete, prompt, options), expected);
    await callEverything(tabs[1], tabs[2]);

    // The first tab, which leads, is left in the middle of the others' texts.
    for (const tab of tabs.slice(1)) await tab.evaluate(beginEndless, prompt, endless);
    for (const tab of tabs.slice(1)) await hasBegun(tab);
    await driver.open("about:blank");
    for (const tab of tabs.slice(1)) assert.deepEqual(await readLost(tab), { code: "worker-lost", isWhole: true });
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

/** Tabs with a model, of which the first leads. `kill` ends its Worker without the library's knowledge. */
async function openTabs(t, name, count = 2) {
  const { site, driver, close } = await openSite(name);
  t.after(close);
  const tabs = [driver];
  while (tabs.length < count) {
    const tab = await driver.openTab();
    t.after(() => tab.close());
    tabs.push(tab);
  }
  for (const tab of tabs) {
    await tab.open(`${site.origin}/tests/browser/blank.html`);
    await tab.evaluate(() => {
      globalThis.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          if (given[1].name === "lastinch") globalThis.kill = () => this.terminate();
        }
      };
    });
    await tab.evaluate(load);
  }
  const expected = await driver.evaluate(complete, prompt, options);
  return { site, driver, other: tabs[1], tabs, expected };
}

for (const name of browserNames)
  test(`tabs that leave or lose the Worker disturb no other, in ${name}`, { timeout: 300_000 }, async (t) => {
    const { driver, other, tabs, expected } = await openTabs(t, name, 3);
    const third = tabs[2];
    const endless = { ...options, seed: 4 };
    const tabCount = async () => (await driver.evaluate(countHolders))[1];

    // A model with other options is another one; that of the first remains.
    await third.evaluate(() => (globalThis.first = globalThis.model));
    await third.evaluate(load, { contextLength: 64 });
    const lengths = () => [globalThis.first, globalThis.model].map(({ config }) => config.contextLength);
    assert.deepEqual(await third.evaluate(lengths), [512, 64]);
    assert.equal(await third.evaluate(complete, prompt, options), expected);

    // One disposes of its model while another writes, then one is closed while it writes.
    await driver.evaluate(beginEndless, prompt, endless);
    await hasBegun(driver);
    await third.evaluate(() => globalThis.first.dispose());
    await other.evaluate(beginEndless, prompt, endless);
    await hasBegun(other);
    await other.open("about:blank");
    await untilTrue(async () => (await tabCount()) === 2, "the tab has left");
    // More than had been written ahead.
    await driver.evaluate(() => globalThis.readOn(100));
    await untilTrue(() => driver.evaluate(() => globalThis.chunksToRead === 0), "it writes no more");

    // The Worker dies, its tab lives: texts are lost, and the tabs share again.
    await driver.evaluate(() => {
      // As if there were memory for less when it is loaded again.
      globalThis.BroadcastChannel = class extends BroadcastChannel {
        set onmessage(hear) {
          super.onmessage = (event) => {
            const info = event.data?.value;
            if (info?.config) [info.config.contextLength, info.threads] = [256, 7];
            hear(event);
          };
        }
      };
    });
    await driver.evaluate(() => globalThis.kill());
    assert.deepEqual(await readLost(driver), { code: "worker-lost", isWhole: true });
    const texts = await Promise.all([driver, third].map((tab) => tab.evaluate(complete, prompt, options)));
    assert.deepEqual(texts, [expected, expected]);
    const facts = await driver.evaluate(() => [globalThis.model.config.contextLength, globalThis.model.threads]);
    assert.deepEqual(facts, [256, 7]);
    await untilTrue(async () => `${await driver.evaluate(countHolders)}` === "1,2", "not one Worker for two tabs");
  });

for (const name of browserNames)
  test(`a page that may hold no locks has a Worker of its own, in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    await driver.evaluate(() => {
      navigator.locks.request = () => Promise.reject(new DOMException("denied", "SecurityError"));
      globalThis.warnings = [];
      console.warn = (text) => globalThis.warnings.push(text);
    });
    assert.equal((await driver.evaluate(load)).isInWorker, true);
    const warnings = await driver.evaluate(() => globalThis.warnings);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /tabs cannot share/);
    await driver.evaluate(() => globalThis.model.dispose());
  });

for (const name of browserNames)
  test(`a tab that leads, is left and comes back shares again in ${name}`, { timeout: 300_000 }, async (t) => {
    const { site, driver, other, expected } = await openTabs(t, name);
    // A browser may keep a page that is left without a connection of its own, and show it again as it was.
    await driver.evaluate(
      (url) => void setTimeout(() => (location.href = url)),
      `${site.origin}/tests/browser/blank.html?`,
    );
    await untilTrue(() => driver.evaluate(() => location.href.endsWith("?")).catch(() => false), "it was not left");
    // A call that still reaches the thread of the page that was left is lost with it.
    await untilTrue(async () => (await other.evaluate(countHolders))[0] === 0, "its Worker lives");
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
    const { driver, other, expected } = await openTabs(t, "chromium");
    await other.evaluate(beginEndless, prompt, options);
    await hasBegun(other);
    const client = await driver.page.createCDPSession();
    void client.send("Page.crash").catch(() => {});
    assert.deepEqual(await readLost(other), { code: "worker-lost", isWhole: true });
    assert.equal(await other.evaluate(complete, prompt, options), expected);
  });

  /**
   * In the page: shortens its next waits for a tab that is frozen, because a minute would be too long for a test. Later
   * waits, for threads that only start slowly, have all their time.
   */
  function hurry(waits) {
    const { setInterval } = globalThis;
    globalThis.setInterval = (tick, delay) => setInterval(tick, delay > 10_000 && waits-- > 0 ? delay / 20 : delay);
  }

  /** The thread of the tab ends when the tab notices that another one leads. */
  async function comesBack(tab, expected) {
    const isSame = async () => (await tab.evaluate(complete, prompt, options)) === expected;
    assert.ok((await isSame()) || (await isSame()));
  }

  test("a tab that is frozen while it leads is replaced, and shares again, in chromium", async (t) => {
    const { driver, other, expected } = await openTabs(t, "chromium");
    const client = await driver.page.createCDPSession();
    await client.send("Page.setWebLifecycleState", { state: "frozen" });
    // For the call that is lost, and for the leader's answer.
    await other.evaluate(hurry, 2);
    assert.deepEqual(await other.evaluate(complete, prompt, options), { code: "worker-lost", text: "" });
    assert.equal(await other.evaluate(complete, prompt, options), expected);
    await client.send("Page.setWebLifecycleState", { state: "active" });
    await comesBack(driver, expected);
    await untilTrue(async () => (await other.evaluate(countHolders))[0] === 1, "more than one Worker");
  });

  test("of several tabs that wait for a frozen one, one leads all, in chromium", { timeout: 300_000 }, async (t) => {
    const { site, driver, other, expected } = await openTabs(t, "chromium");
    const late = [await driver.openTab(), await driver.openTab(), await driver.openTab()];
    for (const tab of late) {
      t.after(() => tab.close());
      await tab.open(`${site.origin}/tests/browser/blank.html`);
      await tab.evaluate(hurry, 1);
    }
    const client = await driver.page.createCDPSession();
    await client.send("Page.setWebLifecycleState", { state: "frozen" });
    const facts = await Promise.all(late.map((tab) => tab.evaluate(load)));
    for (const { isInWorker } of facts) assert.ok(isInWorker);
    // The tab that had the frozen one's Worker and made no call hears of the new one.
    for (const tab of [...late, other]) assert.equal(await tab.evaluate(complete, prompt, options), expected);
    await client.send("Page.setWebLifecycleState", { state: "active" });
    await comesBack(driver, expected);
    await untilTrue(async () => `${await other.evaluate(countHolders)}` === "1,5", "not one Worker for all");
  });
}
