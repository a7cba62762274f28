// WebLLM's own sampling code with our processor. Its kernels need WebGPU, so JavaScript stands in for them; what it does
// around them is its own code. What the GPU itself does with the rows is not tested anywhere here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { MLCEngine, WebWorkerMLCEngineHandler } from "@mlc-ai/web-llm";
import { compileGrammar, createSampler, loadModel } from "lastinch";
import { createLogitProcessor } from "lastinch/web-llm";
import { createPipeline } from "./web-llm-pipeline.js";

const file = new Blob([readFileSync(new URL("../../demos/model/draft.gguf", import.meta.url))]);
const model = await loadModel(file, { cache: false, worker: false });
after(() => model.dispose());
const { vocabSize } = model.config;
const prompt = await model.tokenize("Once upon a time", { bos: true });
const options = { temperature: 0.9, minP: 0.03, topK: 50, frequencyPenalty: 0.4, dryMultiplier: 0.8, seed: 12 };

/** The tokens that `choose` takes from the model's rows. */
async function write(choose, count = 25) {
  let row = await model.forward(prompt);
  const tokens = [];
  while (tokens.length < count) {
    const token = await choose(row);
    tokens.push(token);
    row = await model.forward([token], { keep: prompt.length + tokens.length - 1 });
  }
  return tokens;
}

async function samplerTokens(more) {
  const sampler = await createSampler({ vocabSize, ...options, ...more });
  const tokens = await write((row) => sampler.sample(row));
  sampler.dispose();
  return tokens;
}

test("the text is our sampler's, whatever options a request has", async () => {
  const expected = await samplerTokens();
  for (const request of [
    undefined,
    { temperature: 0 },
    { temperature: 2, top_p: 1 },
    { temperature: 1.5, top_p: 0.01, repetition_penalty: 2 },
    { frequency_penalty: 2, presence_penalty: 2, temperature: 1 },
    { logit_bias: Object.fromEntries(Array.from({ length: 60 }, (_, id) => [id + 200, id % 2 ? 100 : -100])) },
    { logprobs: true, top_logprobs: 0 },
  ]) {
    const processor = await createLogitProcessor(options);
    assert.equal(processor.sampler, undefined);
    const pipeline = createPipeline(processor, vocabSize);
    assert.deepEqual(await write((row) => pipeline.step(row, request)), expected, JSON.stringify(request));
    assert.equal(processor.sampler.seed, 12);
    processor.dispose();
  }
});

test("without a processor WebLLM writes another text, so the test can fail", async () => {
  const pipeline = createPipeline(undefined, vocabSize);
  assert.notDeepEqual(await write((row) => pipeline.step(row, { temperature: 1.5 })), await samplerTokens());
});

test("the returned row is finite and leaves one token", async () => {
  const processor = await createLogitProcessor({ temperature: 0 });
  const row = Float32Array.of(1, 3, -3.4028234663852886e38, 2);
  assert.equal(processor.processLogits(row), row);
  assert.deepEqual([...row], [-1e30, 0, -1e30, -1e30].map(Math.fround));
  assert.ok([...row].every((logit) => Number.isFinite(Math.fround(logit / 1e-6))));
  processor.dispose();
});

test("a new chat restarts the seed and forgets the history", async () => {
  const processor = await createLogitProcessor(options);
  const pipeline = createPipeline(processor, vocabSize);
  pipeline.reset(); // as WebLLM does before there is any row
  const first = await write((row) => pipeline.step(row));
  const on = await write((row) => pipeline.step(row));
  pipeline.reset();
  assert.deepEqual(await write((row) => pipeline.step(row)), first);
  assert.deepEqual(first, await samplerTokens());
  assert.notDeepEqual(on, first);
  processor.dispose();
});

test("a continued text counts as history, before and after the first row", async () => {
  const replayed = [300, 301, 300, 302];
  const sampler = await createSampler({ vocabSize, ...options });
  sampler.accept(replayed);
  const expected = await write((row) => sampler.sample(row), 5);
  const processor = await createLogitProcessor(options);
  const pipeline = createPipeline(processor, vocabSize);
  for (const token of replayed) pipeline.replay(token);
  assert.deepEqual(await write((row) => pipeline.step(row), 5), expected);
  for (const token of replayed) pipeline.replay(token);
  sampler.accept(replayed);
  assert.deepEqual(await write((row) => pipeline.step(row), 5), await write((row) => sampler.sample(row), 5));
  processor.dispose();
  sampler.dispose();
});

test("WebLLM's grammar masks the row before the sampler, and holds", async () => {
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex: "(cat|dog|bird)( (cat|dog|bird)){3}" });
  const matcher = grammar.matcher();
  const theirs = {
    getNextTokenBitmask: async () => Int32Array.from(matcher.bitmask()),
    acceptToken: (token) => matcher.accept(token),
  };
  const processor = await createLogitProcessor(options);
  const pipeline = createPipeline(processor, vocabSize, theirs);
  const request = { response_format: { type: "json_object" }, temperature: 1.5 };
  const tokens = [];
  await write(async (row) => {
    if (tokens.includes(2)) return 0;
    tokens.push(await pipeline.step(row, request));
    return tokens.at(-1);
  }, 30);
  assert.match(await model.detokenize(tokens), /^(cat|dog|bird)( (cat|dog|bird)){3}$/);
  processor.dispose();
  grammar.dispose();
});

test("WebLLM's engines take the processor, in the page and in a worker", async () => {
  const processor = await createLogitProcessor(options);
  const registry = new Map([["some-model", processor]]);
  const engine = new MLCEngine({ logitProcessorRegistry: registry });
  const handler = new WebWorkerMLCEngineHandler();
  handler.setLogitProcessorRegistry(registry);
  for (const each of [engine, handler.engine]) assert.equal(each.logitProcessorRegistry.get("some-model"), processor);
});

test("options are checked at creation, the vocabulary size at the first row", async () => {
  await assert.rejects(createLogitProcessor({ tempreature: 1 }), { code: "unknown-option", message: /temperature/ });
  await assert.rejects(createLogitProcessor({ topP: 2 }), { name: "RangeError" });
  await assert.rejects(createLogitProcessor({ vocabSize: 5 }), { code: "conflict" });
  const biased = await createLogitProcessor({ logitBias: { 5: 1 } });
  assert.throws(() => biased.processLogits(new Float32Array(5)), { name: "RangeError" });
  const processor = await createLogitProcessor({ tokenCount: 2, temperature: 0 });
  assert.throws(() => processor.processLogits(Float32Array.of(NaN, 1, 2)), { code: "logits-nan" });
  assert.deepEqual([...processor.processLogits(Float32Array.of(0, 1, 2))].indexOf(0), 1);
  assert.throws(() => processor.processLogits(new Float32Array(4)), { code: "wrong-length" });
  processor.dispose();
  assert.throws(() => processor.processLogits(new Float32Array(3)), { code: "disposed" });
});
