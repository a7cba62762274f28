// Where the time of a load goes in a browser: reading the bytes from a server on this machine, hashing and keeping them,
// repacking them, and the second visit. MB a second, best of --runs.
// node tests/bench/loading.js [--model LFM2-350M] [--mix Q8_0] [--browser chromium] [--runs 5]
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { closeBrowsers, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { pathInBench } from "./model-peers.js";
import { realFile } from "./real-shapes.js";

const { values: flags } = parseArgs({
  options: {
    model: { type: "string", default: "LFM2-350M" },
    mix: { type: "string", default: "Q8_0" },
    browser: { type: "string", default: "chromium" },
    runs: { type: "string", default: "5" },
  },
});
const file = realFile(flags.model, /** @type {"Q8_0" | "Q4_0" | "Q4_K_M"} */ (flags.mix));
const { size } = statSync(pathInBench(file));

/**
 * Runs in the page. Seconds of each part.
 * @param {string} url
 */
async function measure(url) {
  const { loadModel, removeModel } = await import("/dist/index.js");
  const part = 1 << 22;
  /** @type {Record<string, number>} */
  const seconds = {};
  const time = async (/** @type {string} */ name, /** @type {() => Promise<any>} */ run) => {
    const started = performance.now();
    const result = await run();
    seconds[name] = (performance.now() - started) / 1000;
    return result;
  };
  const drain = async (/** @type {(bytes: Uint8Array<ArrayBuffer>) => Promise<any>} */ use) => {
    const { body } = await fetch(url, { cache: "no-store" });
    let [bytes, filled] = [new Uint8Array(part), 0];
    for await (const piece of /** @type {any} */ (body))
      for (let at = 0; at < piece.length;) {
        const some = piece.subarray(at, at + part - filled);
        bytes.set(some, filled);
        at += some.length;
        filled += some.length;
        if (filled < part) continue;
        await use(bytes);
        [bytes, filled] = [new Uint8Array(part), 0];
      }
  };
  await time("read only", async () => {
    const reader = /** @type {ReadableStream} */ ((await fetch(url, { cache: "no-store" })).body).getReader();
    while (!(await reader.read()).done);
  });
  await time("read and copy", () => drain(async () => {}));
  await time("read and hash", () => drain((bytes) => crypto.subtle.digest("SHA-256", bytes)));
  const cache = await caches.open("bench");
  let index = 0;
  await time("read and keep", () => drain((bytes) => cache.put(`/part/${index++}`, new Response(bytes))));
  await caches.delete("bench");
  const load = async (/** @type {any} */ source, /** @type {object} */ options) =>
    (await loadModel(source, { contextLength: 128, ...options })).dispose();
  const whole = await (await fetch(url, { cache: "no-store" })).blob();
  const bytes = await whole.arrayBuffer();
  await time("load, from memory of the page", () => load(bytes, {}));
  await time("load, from a Blob", () => load(whole, {}));
  await time("load, no copy kept", () => load(url, { cache: false }));
  await removeModel(url);
  await time("load, first visit", () => load(url, {}));
  await time("load, second visit", () => load(url, {}));
  await removeModel(url);
  return seconds;
}

/** @type {Record<string, number>} */
const best = {};
for (let run = 0; run < Number(flags.runs); run++) {
  const site = await startSite();
  const driver = await launch(flags.browser);
  try {
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const seconds = await driver.evaluate(measure, `${site.origin}/build/bench/${encodeURIComponent(file)}`);
    for (const [name, time] of Object.entries(seconds)) best[name] = Math.max(best[name] ?? 0, size / 1e6 / time);
  } finally {
    await driver.close();
    await site.close();
  }
}
console.log(`${file}, ${(size / 1e6).toFixed(0)} MB, ${flags.browser}: MB a second, best of ${flags.runs}`);
console.table(Object.entries(best).map(([part, rate]) => ({ part, "MB/s": rate.toFixed(0) })));
await closeBrowsers();
