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

/**
 * What a reader waits for in a browser that has never seen the page, in ms: the page, and after the press on Generate the
 * code, the worker, the file with the module of the model, and the rest (compiling, tokenizer, weights, first pass).
 */
async function coldStart() {
  const site = await startSite();
  const driver = await launch("chromium");
  const now = () => performance.timeOrigin + performance.now();
  try {
    const page = /** @type {import("puppeteer-core").Page} */ (driver.page);
    /** @type {{ worker?: number, file?: number, came?: number }} */
    const at = {};
    page.on("request", (request) => {
      if (request.url().endsWith("/dist/worker.js")) at.worker ??= now();
      if (request.url().endsWith(".gguf")) at.file ??= now();
    });
    page.on("requestfinished", (request) => {
      if (/\.gguf$|\/model[^/]*\.wasm$/.test(request.url())) at.came = now();
    });
    await page.evaluateOnNewDocument(() => {
      // Presses Generate as soon as it can be pressed, and notes when things appear.
      const observer = new MutationObserver(() => {
        const button = document.querySelector("#generate");
        if (button && !button.disabled && !globalThis.pressed) {
          globalThis.pressed = performance.now();
          button.click();
        }
        // The page opens with a recorded story, and a note that says so.
        const isLive = globalThis.pressed && document.querySelector("#papers .note")?.hidden;
        if (!isLive || !document.querySelector("#story .token")) return;
        observer.disconnect();
        requestAnimationFrame(() => (globalThis.firstToken = performance.now()));
      });
      observer.observe(document, { childList: true, subtree: true, attributes: true });
    });
    await page.goto(`${site.origin}/demos/playground.html`);
    const handle = await page.waitForFunction(
      () => globalThis.firstToken && [performance.timeOrigin, globalThis.pressed, globalThis.firstToken],
    );
    const [origin, pressed, first] = /** @type {[number, number, number]} */ (await handle.jsonValue());
    const { worker = 0, file = 0, came = 0 } = at;
    return {
      "page, until Generate is pressed": pressed,
      code: worker - origin - pressed,
      worker: file - worker,
      "file and module": came - file,
      "compiling, tokenizer, weights, first pass": origin + first - came,
      "first token after the press": first - pressed,
    };
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
console.log(`Cold start in Chromium, ms, least and median of ${runs} fresh profiles:`);
console.table(
  Object.keys(starts[0]).map((part) => {
    const times = starts.map((start) => start[/** @type {keyof typeof start} */ (part)]);
    return { part, least: Math.min(...times).toFixed(0), median: median(times).toFixed(0) };
  }),
);
