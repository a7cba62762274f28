// What a returning visitor waits for: the first token after a prompt that the model reads, after one that the browser has
// kept, and after one that is restored from a Blob, in Node and in the browsers, on random weights of real shapes:
// `node tests/bench/saved-prompts.js [--shapes ERNIE-4.5-0.3B,Qwen3-0.6B] [--tokens 1000] [--types auto] [--browsers chromium]`
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { browserNames, closeBrowsers, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { pathInBench } from "./model-peers.js";
import { realFile } from "./real-shapes.js";

const { values } = parseArgs({
  options: {
    shapes: { type: "string", default: "ERNIE-4.5-0.3B,Qwen3-0.6B" },
    tokens: { type: "string", default: "1000" },
    types: { type: "string", default: "auto" },
    browsers: { type: "string", default: ["node", ...browserNames].join() },
  },
});

/**
 * One visit. Runs in Node and in pages.
 * @param {string} library
 * @param {any} source
 * @param {{ count: number, cacheType: any, isFirst: boolean }} how
 */
async function visit(library, source, { count, cacheType, isFirst }) {
  const { loadModel } = await import(library);
  // Under WebDriver, WebKit keeps a Worker's caches only if the page has seen them.
  const looking = setInterval(() => globalThis.caches?.keys(), 50);
  const time = async (/** @type {() => Promise<any>} */ run) => {
    const start = performance.now();
    const value = await run();
    return { value, ms: Math.round(performance.now() - start) };
  };
  /** @type {any} */
  const times = {};
  const options = { ...(cacheType !== "auto" && { cacheType }), ...(typeof source === "string" && { cache: false }) };
  const loaded = await time(() => loadModel(source, options));
  times.load = loaded.ms;
  let model = loaded.value;
  times.threads = model.threads;
  const prompt = Array.from({ length: count }, (_, i) => 3 + ((7 * i * i + i) % 3000));
  const first = async (/** @type {number} */ last) => {
    const { value, ms } = await time(() => model.complete([...prompt, last], { maxTokens: 1 }));
    return { ms, cached: value.usage.cachedTokens };
  };
  if (!isFirst) {
    times.kept = await first(5);
    model.dispose();
    clearInterval(looking);
    return times;
  }
  times.read = await first(5);
  const saved = await time(() => model.save(prompt));
  times.save = saved.ms;
  times.megabytes = Math.round(saved.value.size / 1e5) / 10;
  times.keep = await time(() => model.keepPrefix(prompt)).then(
    ({ ms }) => ms,
    (error) => error.code,
  );
  model.dispose();
  model = await loadModel(source, options);
  times.restore = (await time(() => model.restore(saved.value))).ms;
  times.afterRestore = await first(6);
  model.dispose();
  clearInterval(looking);
  return times;
}

/**
 * What a function gives in a page, as JSON. Drivers wait for a promise for two minutes only.
 * @param {import("../browser/browsers.js").Driver} driver
 * @param {string} code
 * @param {any[]} args
 * @returns {Promise<string>}
 */
async function outcome(driver, code, args) {
  await driver.evaluate(
    (code, args) => {
      const end = (/** @type {any} */ value) => /** @type {any} */ (globalThis.outcome = JSON.stringify(value));
      (0, eval)(`(${code})`)(...args).then(end, (/** @type {Error} */ error) => end(String(error)));
    },
    code,
    args,
  );
  for (;;) {
    const found = await driver.evaluate(() => /** @type {any} */ (globalThis).outcome ?? "");
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const site = await startSite();
for (const shape of values.shapes.split(","))
  for (const cacheType of values.types.split(","))
    for (const name of values.browsers.split(",")) {
      const file = realFile(shape, "Q8_0");
      const how = { count: Number(values.tokens), cacheType, isFirst: true };
      console.log(`${shape}, ${cacheType}, ${name}`);
      if (name === "node") {
        const library = String(new URL("../../dist/index.js", import.meta.url));
        console.log(JSON.stringify(await visit(library, new Blob([readFileSync(pathInBench(file))]), how)));
        continue;
      }
      const driver = await launch(name);
      for (const isFirst of [true, false]) {
        await driver.open(`${site.origin}/tests/browser/blank.html`);
        const args = ["/dist/index.js", `${site.origin}/build/bench/${file}`, { ...how, isFirst }];
        console.log(await outcome(driver, String(visit), args));
      }
      await driver.close();
    }
await closeBrowsers();
await site.close();
