// The adapters in a page, with the engines that they are for, which run our model there. Nothing is fetched from
// elsewhere.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { onnxModel } from "../vectors/export-onnx.js";
import { openSite } from "./site.js";

const { name } = onnxModel("draft");

const { site, driver, close } = await openSite("chromium");
after(close);

/** Reopens the page and runs a function in it. */
async function inPage(fn) {
  await driver.open(`${site.origin}/tests/browser/peers.html`);
  const result = await driver.evaluate(fn, name);
  const elsewhere = (await driver.requests()).filter((url) => /^https?:/.test(url) && !url.startsWith(site.origin));
  assert.deepEqual(elsewhere, []);
  return result;
}

test("transformers.js writes our sampler's choice, and valid JSON", async () => {
  const { ids, expected, texts } = await inPage(async (name) => {
    const { AutoModelForCausalLM, AutoTokenizer, env } = await import("@huggingface/transformers");
    const { compileGrammar, createSampler } = await import("lastinch");
    const { createTransformersSampler, vocabularyOf } = await import("lastinch/transformers");
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: "/build/onnx/" });
    Object.assign(env, { useBrowserCache: false, useWasmCache: false });
    env.backends.onnx.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";
    const tokenizer = await AutoTokenizer.from_pretrained(name);
    const model = await AutoModelForCausalLM.from_pretrained(name, { device: "wasm", dtype: "fp32" });
    const inputs = tokenizer("Once upon a time");
    const options = { temperature: 1.1, topP: 0.9, minP: 0.02, repetitionPenalty: 1.2, seed: 7 };

    const lastinch = await createTransformersSampler({ model, tokenizer }, options);
    const rows = [];
    const record = (_, logits) => {
      rows.push(logits.data.slice());
      return logits;
    };
    const logits_processor = [record, ...lastinch.logits_processor];
    const output = await model.generate({ ...inputs, max_new_tokens: 20, ...lastinch, logits_processor });
    const sampler = await createSampler({ ...options, vocabSize: 2048, eos: 2 });
    sampler.accept(inputs.input_ids.tolist()[0], { prompt: true });
    const expected = rows.map((row) => sampler.sample(row));

    const vocabulary = vocabularyOf({ model, tokenizer });
    const jsonSchema = { enum: [{ color: "red" }, { color: "green", size: 3 }, ["blue"]] };
    const grammar = await compileGrammar({ vocabulary, jsonSchema, whitespace: "compact" });
    const strict = await createTransformersSampler({ model, tokenizer }, { grammar, temperature: 4, seed: 1 });
    await model.generate({ ...tokenizer(new Array(6).fill("A")), max_new_tokens: 40, ...strict });
    const ids = output.tolist()[0].slice(-20).map(Number);
    return { ids, expected, texts: strict.rows.map(({ text }) => text) };
  });
  assert.equal(ids.length, 20);
  assert.deepEqual(ids, expected);
  const values = new Set(texts.map((text) => JSON.stringify(JSON.parse(text))));
  assert.ok(values.size > 1);
  for (const value of values) assert.ok(['{"color":"red"}', '{"color":"green","size":3}', '["blue"]'].includes(value));
});

test("a session of onnxruntime-web writes texts: drawn, in a group, drafted and by beams", async () => {
  const found = await inPage(async (name) => {
    const { InferenceSession, Tensor, env } = await import("onnxruntime-web");
    const { openSession } = await import("lastinch/onnxruntime");
    const { createSampler, loadModel } = await import("lastinch");
    env.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";
    const session = await InferenceSession.create(`/build/onnx/${name}/onnx/model.onnx`);
    const own = await loadModel(new URL("/demos/model/draft.gguf", location.href));
    const { vocabulary } = own;
    const model = openSession(session, { Tensor, vocabulary });
    const prompt = await own.tokenize("Once upon a time", { bos: true });
    const write = async (options) => {
      const texts = [];
      const tokens = [];
      for await (const chunk of model.generate(prompt, { maxTokens: 30, ...options })) {
        const { index = 0 } = chunk;
        texts[index] = (texts[index] ?? "") + chunk.text;
        (tokens[index] ??= []).push(...chunk.tokens);
      }
      return { texts, tokens };
    };
    const options = { temperature: 1.1, topP: 0.9, seed: 3 };
    const { tokens } = await write({ ...options, captureLogits: true });
    const sampler = await createSampler({ ...options, vocabSize: 2048, eos: 2 });
    const expected = tokens[0].map(({ logits }) => sampler.sample(logits));
    const result = {
      ids: tokens[0].map(({ id }) => id),
      expected,
      greedy: (await write({ temperature: 0 })).texts,
      drafted: (await write({ temperature: 0, draft: "lookup" })).texts,
      group: (await write({ ...options, n: 3 })).texts,
      alone: (await write({ ...options, stream: 2 })).texts,
      beams: (await write({ beams: 3, n: 2 })).texts,
    };
    own.dispose();
    return result;
  });
  assert.equal(found.ids.length, 30);
  assert.deepEqual(found.ids, found.expected);
  assert.match(found.greedy[0], /^, there was a little girl named Lily/);
  assert.deepEqual(found.drafted, found.greedy);
  assert.equal(found.group.length, 3);
  assert.equal(found.group[2], found.alone[0]);
  assert.equal(new Set(found.beams).size, 2);
});
