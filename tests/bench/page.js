// The page's cold start in Chromium, and every model's tokens a second in Node and in the browsers.
// `node tests/bench/page.js [--runs N]`
import { parseArgs } from "node:util";
import { browserNames, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";

const { values } = parseArgs({ options: { runs: { type: "string", default: "5" } } });
const runs = Number(values.runs);
const models = ["storyteller", "draft"];

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Tokens a second of each run, without those of the prompt. Runs in Node and in pages.
 * @param {string} library
 * @param {string} url
 * @param {number} count
 */
async function speeds(library, url, count) {
  const { loadModel } = await import(library);
  const model = await loadModel(url);
  const results = [];
  for (let i = 0; i < count; i++) {
    let tokens = 0;
    let started = 0;
    // The end of the text is banned, so that every run is as long.
    const options = { maxTokens: 201, seed: i, temperature: 0.8, bannedTokens: model.vocabulary.eos };
    for await (const chunk of model.generate("Once upon a time", options)) {
      started ||= performance.now();
      tokens += chunk.tokens.length;
    }
    results.push(((tokens - 1) * 1000) / (performance.now() - started));
  }
  model.dispose();
  return results;
}

/** Milliseconds from the navigation to the first token in the page, in a browser that has never seen it. */
async function coldStart() {
  const site = await startSite();
  const driver = await launch("chromium");
  try {
    const page = /** @type {import("puppeteer-core").Page} */ (driver.page);
    await page.evaluateOnNewDocument(() => {
      // Presses Generate as soon as it can be pressed, and notes when things appear.
      const observer = new MutationObserver(() => {
        const button = document.querySelector("#generate");
        if (button && !button.disabled && !globalThis.pressed) {
          globalThis.pressed = performance.now();
          button.click();
        }
        if (!document.querySelector("#story .token")) return;
        observer.disconnect();
        requestAnimationFrame(() => (globalThis.firstToken = performance.now()));
      });
      observer.observe(document, { childList: true, subtree: true, attributes: true });
    });
    await page.goto(`${site.origin}/demos/playground.html#v=1&seed=1`);
    const handle = await page.waitForFunction(
      () => globalThis.firstToken && [globalThis.pressed, globalThis.firstToken],
    );
    return /** @type {[number, number]} */ (await handle.jsonValue());
  } finally {
    await driver.close();
    await site.close();
  }
}

/** @type {Record<string, string>[]} */
const rows = [];
for (const model of models) {
  const file = new URL(`../../demos/model/${model}.gguf`, import.meta.url).href;
  const library = new URL("../../dist/index.js", import.meta.url).href;
  /** @type {Record<string, string>} */
  const row = { model, node: median(await speeds(library, file, runs)).toFixed(0) };
  for (const name of browserNames) {
    const site = await startSite();
    const driver = await launch(name);
    try {
      await driver.open(`${site.origin}/tests/browser/blank.html`);
      row[name] = median(await driver.evaluate(speeds, "/dist/index.js", `/demos/model/${model}.gguf`, runs)).toFixed(
        0,
      );
    } finally {
      await driver.close();
      await site.close();
    }
  }
  rows.push(row);
}
console.log(`Tokens a second, median of ${runs} runs of 200 tokens, model in its Worker:`);
console.table(rows);

const starts = [];
for (let i = 0; i < runs; i++) starts.push(await coldStart());
const pressed = median(starts.map(([first]) => first));
const first = median(starts.map(([, second]) => second));
console.log(`Cold start in Chromium, median of ${runs} fresh profiles, from the navigation on:`);
console.log(
  `  page ready and Generate pressed ${pressed.toFixed(0)} ms, first token on the page ${first.toFixed(0)} ms`,
);
