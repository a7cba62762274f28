// What a reader waits for when they come back: loading and the first token at the first visit, at the second visit and in
// the second turn, beside wllama (the same file) and transformers.js (the storyteller as ONNX, in float32), on one thread
// each, in one run. Every visit is a page of its own; a peer that cannot be had is left out. Least of --runs, in ms.
// node tests/bench/visits.js [--file demos/model/storyteller.gguf] [--tokens 300] [--browser chromium] [--runs 3]
import { parseArgs } from "node:util";
import { closeBrowsers, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { onnxModel } from "../vectors/export-onnx.js";
import { installPeers } from "./model-peers.js";

const { values: flags } = parseArgs({
  options: {
    file: { type: "string", default: "demos/model/storyteller.gguf" },
    tokens: { type: "string", default: "300" },
    browser: { type: "string", default: "chromium" },
    runs: { type: "string", default: "3" },
  },
});
const context = 2 ** Math.ceil(Math.log2(Number(flags.tokens) + 150));
const isStoryteller = flags.file.endsWith("storyteller.gguf");

/**
 * One visit: loads the model, then reads a prompt and a second one that goes on from it. Runs in the page.
 * @param {string} engine
 * @param {{ url: string, onnx: string, count: number, context: number, isFirst: boolean }} how
 */
async function visit(engine, { url, onnx, count, context, isFirst }) {
  const sentence = "Once there was a little dog who went to the park with her friend and saw a big red ball . ";
  const prompt = sentence.repeat(Math.ceil(count / 20));
  /** @type {Record<string, number>} */
  const times = {};
  const time = async (/** @type {string} */ name, /** @type {() => Promise<any>} */ run) => {
    const started = performance.now();
    const result = await run();
    times[name] = performance.now() - started;
    return result;
  };
  // Reads until the first token, and gives the whole text.
  const first = async (/** @type {string} */ name, /** @type {AsyncIterable<string>} */ texts) => {
    const started = performance.now();
    let all = "";
    for await (const text of texts) {
      times[name] ??= performance.now() - started;
      all += text;
    }
    return all;
  };
  /** @type {(text: string) => AsyncIterable<string>} */
  let write;
  let end = async () => {};
  if (engine.startsWith("lastinch")) {
    const { loadModel, removeModel } = await import("/dist/index.js");
    if (isFirst) await removeModel(url);
    const model = await time("load", () => loadModel(url, { threads: 1, contextLength: context }));
    write = async function* (text) {
      for await (const { text: piece } of model.generate(text, { maxTokens: 24, temperature: 0 })) yield piece;
    };
    end = async () => {
      if (isFirst && engine.includes("kept")) await model.keepPrefix(prompt);
      model.dispose();
    };
  } else if (engine === "wllama") {
    const { newWllama } = await import("/tests/bench/model-page.js");
    const peer = await newWllama();
    if (isFirst) await peer.cacheManager.clear();
    await time("load", () => peer.loadModelFromUrl(url, { n_ctx: context, n_threads: 1, n_gpu_layers: 0 }));
    write = async function* (text) {
      const options = { prompt: text, max_tokens: 24, temperature: 0, stream: true, cache_prompt: true };
      for await (const { choices } of await peer.createCompletion(options)) yield choices[0]?.text ?? "";
    };
    end = () => peer.exit();
  } else {
    const { AutoModelForCausalLM, AutoTokenizer, BaseStreamer, env } = await import("@huggingface/transformers");
    Object.assign(env, { remoteHost: location.origin, remotePathTemplate: "build/onnx/{model}/" });
    Object.assign(env, { allowLocalModels: false });
    Object.assign(env.backends.onnx.wasm, { numThreads: 1, wasmPaths: "/node_modules/onnxruntime-web/dist/" });
    if (isFirst) await caches.delete("transformers-cache");
    const [tokenizer, model] = await time("load", () =>
      Promise.all([
        AutoTokenizer.from_pretrained(onnx),
        AutoModelForCausalLM.from_pretrained(onnx, { device: "wasm", dtype: "fp32" }),
      ]),
    );
    write = async function* (text) {
      /** @type {string[]} */
      const pieces = [];
      let wake = () => {};
      let calls = 0;
      const streamer = Object.assign(new BaseStreamer(), {
        put(/** @type {bigint[][]} */ ids) {
          // The first call brings the prompt.
          if (calls++) pieces.push(tokenizer.decode(ids[0], { skip_special_tokens: true }));
          wake();
        },
        end: () => wake(),
      });
      let isOver = false;
      const over = model
        .generate({ ...tokenizer(text), max_new_tokens: 24, do_sample: false, streamer })
        .then(() => ((isOver = true), wake()));
      while (!isOver || pieces.length)
        if (pieces.length) yield /** @type {string} */ (pieces.shift());
        else await new Promise((resolve) => (wake = () => resolve(undefined)));
      await over;
    };
    end = () => model.dispose();
  }
  const answer = await first("first token", write(prompt));
  await first("second turn", write(`${prompt}${answer} Then what did the dog do with her friend at the park ? `));
  await end();
  return times;
}

installPeers();
const onnx = isStoryteller ? onnxModel("storyteller").name : "";
const engines = ["lastinch", "lastinch, prefix kept", "wllama", ...(isStoryteller ? ["transformers.js"] : [])];
/** @type {Record<string, Record<string, number>>} */
const least = {};
for (let run = 0; run < Number(flags.runs); run++)
  for (const engine of engines) {
    const site = await startSite();
    const driver = await launch(flags.browser);
    for (const isFirst of [true, false]) {
      await driver.open(`${site.origin}/tests/browser/peers.html`);
      const url = `${site.origin}/${flags.file}`;
      const how = { url, onnx, count: Number(flags.tokens), context, isFirst };
      const times = await driver.evaluate(visit, engine, how).catch((error) => {
        console.error(`${engine}: ${error.message}`);
        return {};
      });
      const row = (least[engine] ??= {});
      for (const [name, ms] of Object.entries(times)) {
        const title = `${isFirst ? "1st" : "2nd"} visit: ${name}`;
        row[title] = Math.round(Math.min(row[title] ?? Infinity, /** @type {number} */ (ms)));
      }
    }
    await driver.close();
    await site.close();
  }
console.log(`${flags.file}, about ${flags.tokens} tokens of prompt, ${flags.browser}, one thread, ms`);
console.table(least);
await closeBrowsers();
