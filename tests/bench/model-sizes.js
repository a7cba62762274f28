// Shapes of real checkpoints with random weights: memory, loading and speed in Chromium, beside wllama in the same
// browser and llama.cpp: `node tests/bench/model-sizes.js [--only SmolLM2-135M] [--mixes Q8_0,Q4_0,Q4_K_M] [--rounds N]`.
// One thread each.
import { readFileSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import { launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { openHeader } from "../js/model-wasm.js";
import { installPeers, openNative, pathInBench } from "./model-peers.js";
import { record } from "./record.js";
import { POSITIONS, realFile, realShapes } from "./real-shapes.js";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    mixes: { type: "string", default: "Q8_0,Q4_0,Q4_K_M" },
    rounds: { type: "string", default: "5" },
  },
});
const rounds = Number(values.rounds);

const megabytes = (bytes) => Number((bytes / 1e6).toFixed(1));

/** Bytes of weights and of keys and values, as the library plans them from the header. */
async function memory(path) {
  const header = await openHeader(readFileSync(path));
  const plans = ["f32", "f16", "q8_0"].map((cache) => [cache, header.plan(POSITIONS, cache)]);
  const keep = Object.fromEntries(
    plans.map(([cache, plan]) => [`MB of 4,096 positions, ${cache}`, megabytes(plan.cache)]),
  );
  return { "MB of weights": megabytes(plans[0][1].weights), ...keep };
}

/** @type {Record<string, Record<string, number>>} */
const kept = {};
/** Tokens a second. @param {Record<string, number>} times ms of a token */
const rates = ({ decode, peer, native }) => ({ lastinch: 1e3 / decode, wllama: 1e3 / peer, llamacpp: 1e3 / native });
/** What runs the models. */
let browser = "";

async function speed(name, mix, path) {
  const file = realFile(name, mix);
  const site = await startSite();
  const driver = await launch("chromium");
  const native = await openNative(path);
  const times = {};
  const call = (fn) =>
    driver.evaluate(
      async (fn, file) => (await import("/tests/bench/sizes-page.js"))[fn](file),
      fn,
      /** @type {any} */ (`/build/bench/${file}`),
    );
  const note = (found) => {
    for (const [key, time] of Object.entries(found)) times[key] = Math.min(times[key] ?? Infinity, time);
  };
  try {
    site.isIsolated = false;
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const version = await driver.evaluate(() => /Chrome\/(\d+)/.exec(navigator.userAgent)?.[1]);
    browser = `one thread, Chromium ${version}`;
    note(await call("openBoth"));
    for (let i = 0; i < rounds; i++) {
      note(await call("measureOurs"));
      note(await call("measurePeer"));
      if (native) note({ native: Math.min(...(await native.decode(32))), nativePrompt: await native.prompt() });
    }
  } finally {
    await driver.close();
    await site.close();
    await native?.dispose();
  }
  if (native && times.peer) kept[`${name} ${mix}`] = rates(times);
  const digits = (value) => (Number.isFinite(value) ? Number(value.toPrecision(3)) : "not there");
  return {
    "load, MB/s": digits(statSync(path).size / 1e3 / times.load),
    "tokens/s": digits(1e3 / times.decode),
    "prompt, tokens/s": digits(1e3 / times.prompt),
    "times wllama": digits(times.peer / times.decode),
    "prompt, times wllama": digits(times.peerPrompt / times.prompt),
    "of llama.cpp": digits(times.native / times.decode),
    "prompt, of llama.cpp": digits(times.nativePrompt / times.prompt),
  };
}

installPeers();
const table = {};
for (const name of Object.keys(realShapes).filter((name) => !values.only || name === values.only))
  for (const mix of values.mixes.split(",")) {
    const path = pathInBench(realFile(name, mix));
    const size = { "MB of the file": megabytes(statSync(path).size), ...(await memory(path)) };
    table[`${name} ${mix}`] = { ...size, ...(await speed(name, mix, path)) };
    console.log(name, mix, table[`${name} ${mix}`]);
  }
console.table(table);
record("models", "tokens a second", kept, { place: browser, byClock: true });
process.exit(0);
