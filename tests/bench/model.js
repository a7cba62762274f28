// How fast the forward pass is, beside wllama in the same Chromium and llama.cpp in the same run:
// `node tests/bench/model.js [--runs N] [--only 15M-Q8_0]`. Weights are random, so only shapes matter. One thread each.
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { typeNames } from "../vectors/gguf-files.js";
import { buildLimits, installPeers, modelFile, openNative, shapes } from "./model-peers.js";

const { values } = parseArgs({ options: { runs: { type: "string", default: "12" }, only: { type: "string" } } });
const runs = Number(values.runs);
const all = ["15M-Q8_0", "15M-Q4_0", "15M-F16", "15M-F32", "110M-Q8_0", "110M-Q4_0"];

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const digits = (value, count = 3) => (value === undefined ? "not there" : Number(value.toPrecision(count)));

function multiplyAdds({ vocab, dim, hidden, layers }) {
  return layers * (4 * dim * dim + 3 * dim * hidden) + vocab * dim;
}

// Everything takes its turn in every round, so that a busy moment of the machine falls on all.
async function measure(name) {
  const [shape, type] = name.split("-");
  const path = modelFile(shape, type);
  const site = await startSite();
  const driver = await launch("chromium");
  const native = await openNative(path);
  const times = {};
  const note = (key, value) => value !== null && (times[key] ??= []).push(...[value].flat());
  const call = (fn, ...args) =>
    driver.evaluate(
      async (fn, args) => (await import("/tests/bench/model-page.js"))[fn](...args),
      fn,
      /** @type {any} */ (args),
    );
  const ours = async (label, ...args) => {
    const found = await call("measureOurs", ...args);
    for (const [key, value] of Object.entries(found)) note(`${label} ${key}`, value);
  };
  try {
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const file = `/build/bench/${name}.gguf`;
    const { isFast, peer } = await call("openAll", file, shapes[shape], typeNames[type]);
    if (peer) console.error(`bench: wllama is not there: ${peer}`);
    if (!native) console.error("bench: llama.cpp is not there");
    for (let i = 0; i < runs; i++) {
      await ours("plain", "model");
      await ours("relaxed", "model-relaxed", isFast);
      await ours("bytes", "model-relaxed", true);
      for (const [key, value] of Object.entries(await call("measureLimits"))) note(`limit ${key}`, value);
      note("native", native ? await native.decode(64) : null);
      note("wllama", await call("measurePeer", 17));
    }
    await call("closeAll");
  } finally {
    await driver.close();
    await site.close();
    await native?.dispose();
  }
  return { name, shape: shapes[shape], size: readFileSync(path).length, times };
}

function report({ name, shape, size, times }) {
  const least = (key) => times[key] && Math.min(...times[key]);
  const speeds = {};
  for (const [label, key] of [
    ["plain", "plain decode"],
    ["relaxed, as it chooses", "relaxed decode"],
    ["relaxed, by bytes", "bytes decode"],
    ["wllama", "wllama"],
    ["llama.cpp", "native"],
  ]) {
    speeds[label] = {
      "tokens/s, best": times[key] ? digits(1e3 / least(key)) : "not there",
      "tokens/s, median": times[key] ? digits(1e3 / median(times[key])) : "not there",
      "times wllama": digits(least("wllama") / least(key)),
      "of llama.cpp": digits(least("native") / least(key)),
    };
  }
  console.log(`\n== ${name}: ${(size / 1e6).toFixed(1)} MB, decode at positions 0 to 63`);
  console.table(speeds);
  const count = multiplyAdds(shape);
  const lines = {};
  for (const label of ["plain", "relaxed", "bytes"])
    lines[label] = {
      "prefill of 64 against decode": digits(least(`${label} decode`) / least(`${label} prefill`)),
      "four rows against one": digits(least(`${label} four`) / least(`${label} one`)),
      "G multiply-adds/s, one row": digits(count / least(`${label} one`) / 1e6),
      "four rows": digits((4 * count) / least(`${label} four`) / 1e6),
      "GB/s of weights, one row": digits(size / least(`${label} one`) / 1e6),
    };
  lines["limit: products alone, plain"] = {
    "four rows against one": digits(least("limit four") / least("limit products")),
    "G multiply-adds/s, one row": digits(count / least("limit products") / 1e6),
    "four rows": digits((4 * count) / least("limit four") / 1e6),
    "GB/s of weights, one row": digits(size / least("limit products") / 1e6),
  };
  const isQuantised = name.includes("-Q");
  lines["limit: only multiplying and adding"] = {
    "G multiply-adds/s, one row": digits(1 / least(`limit ${isQuantised ? "words" : "floats"}`)),
  };
  lines["limit: only reading"] = { "GB/s of weights, one row": digits(size / least("limit read") / 1e6) };
  console.table(lines);
  const share = 1 - least("limit products") / least("limit step");
  console.log(`not matrix products, of a step at 256 positions: ${(100 * share).toFixed(1)} %`);
  const { layers, dim, kvHeads, heads } = shape;
  const cached = (layers * 256 * 2 * 4 * dim * kvHeads) / heads;
  console.log(
    `bytes of keys and values read at 256 positions, beside those of weights: ${digits((100 * cached) / size)} %`,
  );
}

installPeers();
const names = values.only ? [values.only] : all;
for (const name of names) modelFile(...name.split("-"));
buildLimits();
for (const name of names) report(await measure(name));
console.log("\n== bytes, brotli");
for (const variant of ["model", "model-relaxed"]) {
  const wasm = readFileSync(new URL(`../../build/wasm/${variant}.wasm`, import.meta.url));
  console.log(`${variant}.wasm: ${brotliCompressSync(wasm).length} (${wasm.length} uncompressed)`);
}
process.exit(0);
