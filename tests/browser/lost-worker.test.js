// A model's Worker that the browser ends, a page that is frozen or hidden: texts end with an error, or go on.
import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { browserNames, waitFor } from "./browsers.js";
import { hide } from "./hide.js";
import { openSite } from "./site.js";

const prompt = "Once upon a time";
const options = { maxTokens: 60, seed: 3, temperature: 0.8 };

/** Runs in the page, before its models: `kill` ends the models' Worker without the library's knowledge. */
function watchWorkers() {
  const workers = [];
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      if (given[1].name === "lastinch") workers.push(this);
    }
  };
  globalThis.kill = () => workers.at(-1).terminate();
  globalThis.countWorkers = () => workers.length;
}

/** In the page: kills the Worker in the middle of a text, then writes another. */
async function loseAndWrite(prompt, options) {
  const { loadModel } = await import("/dist/index.js");
  const model = await loadModel("/dist/storyteller.gguf");
  const expected = (await model.complete(prompt, options)).text;
  const endless = { ...options, maxTokens: 400, bannedTokens: model.vocabulary.eos };
  const whole = (await model.complete(prompt, endless)).text;
  let read = "";
  let error;
  try {
    for await (const { text } of model.generate(prompt, endless)) {
      if (!read) globalThis.kill();
      read += text;
    }
  } catch ({ code, text }) {
    error = { code, text };
  }
  const again = (await model.complete(prompt, options)).text;
  model.dispose();
  const isPart = whole.startsWith(read) && read.length < whole.length;
  return { error, read, isPart, isSame: again === expected, isInWorker: model.isInWorker };
}

for (const name of browserNames)
  test(`a Worker that was killed is worker-lost, and the next call has another, in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    for (const isIsolated of [true, false]) {
      site.isIsolated = isIsolated;
      await driver.open(`${site.origin}/tests/browser/blank.html`);
      await driver.evaluate(watchWorkers);
      const { error, read, ...rest } = await driver.evaluate(loseAndWrite, prompt, options);
      assert.deepEqual(error, { code: "worker-lost", text: read });
      assert.deepEqual(rest, { isPart: true, isSame: true, isInWorker: true });
      assert.equal(await driver.evaluate(() => globalThis.countWorkers()), 2);
    }
  });

for (const name of browserNames)
  test(`a page without locks asks its Worker for a sign of life in ${name}`, async (t) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
    if (!address) return t.skip("this machine has no address but localhost");
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin.replace("localhost", address)}/tests/browser/blank.html`);
    assert.equal(await driver.evaluate(() => isSecureContext || "locks" in navigator), false);
    await driver.evaluate(watchWorkers);
    await driver.evaluate(() => {
      // Two and a half minutes of silence would be too long for a test. A Worker that starts has all its time.
      const { setInterval } = globalThis;
      globalThis.setInterval = (tick, delay) => setInterval(tick, delay > 10_000 ? delay / 20 : delay);
    });
    const { error, ...rest } = await driver.evaluate(loseAndWrite, prompt, options);
    assert.equal(error.code, "worker-lost");
    assert.deepEqual(rest.isSame, true);
  });

/** In the page: begins a text, which `written` then holds. */
async function beginText(prompt, options) {
  const { loadModel } = await import("/dist/index.js");
  const model = await loadModel("/dist/storyteller.gguf");
  globalThis.expected = (await model.complete(prompt, options)).text;
  globalThis.written = "";
  globalThis.isOver = false;
  (async () => {
    for await (const { text } of model.generate(prompt, options)) globalThis.written += text;
    globalThis.isOver = true;
  })();
}

const long = { ...options, maxTokens: 400, logitBias: { 2: -100 } };

/** In the page: the text, and what one call gave. */
const texts = () => ({ written: globalThis.written, expected: globalThis.expected, events: globalThis.events });

for (const name of browserNames)
  test(`a text goes on in a tab that is hidden, in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const { hidden } = await hide(driver, t);
    await waitFor(hidden, () => document.hidden);
    await hidden.evaluate(beginText, prompt, long);
    await waitFor(hidden, () => globalThis.isOver);
    const { written, expected } = await hidden.evaluate(texts);
    assert.equal(written, expected);
  });

if (browserNames.includes("chromium"))
  test("the text of a page that was frozen goes on when the page does, in chromium", async (t) => {
    const { site, driver, close } = await openSite("chromium");
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    await driver.evaluate(() => {
      globalThis.events = [];
      for (const type of ["freeze", "resume"]) document.addEventListener(type, () => globalThis.events.push(type));
    });
    await driver.evaluate(beginText, prompt, long);
    const client = await driver.page.createCDPSession();
    await client.send("Page.setWebLifecycleState", { state: "frozen" });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await client.send("Page.setWebLifecycleState", { state: "active" });
    await waitFor(driver, () => globalThis.isOver);
    const { written, expected, events } = await driver.evaluate(texts);
    assert.equal(written, expected);
    assert.deepEqual(events, ["freeze", "resume"]);
  });
