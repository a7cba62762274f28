// Runs in a page: a model of transformers.js on WebGPU with our sampler, and what is read from the device.
import { AutoModelForCausalLM, AutoTokenizer, env } from "@huggingface/transformers";
import { createSampler } from "lastinch";
import { createTransformersSampler } from "lastinch/transformers";

Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: "/build/onnx/" });
Object.assign(env, { useBrowserCache: false, useWasmCache: false });
env.backends.onnx.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";

/** Bytes of each read. @type {number[]} */
let reads = [];
const { mapAsync } = GPUBuffer.prototype;
GPUBuffer.prototype.mapAsync = function (mode, offset, size) {
  reads.push(size ?? this.size);
  return mapAsync.call(this, mode, offset, size);
};

const options = { temperature: 1.1, topK: 50, minP: 0.02, repetitionPenalty: 1.2, seed: 7 };
let model, tokenizer, device;
/** Rows of each text of the batch, as they came to the page. */
const rows = [[], []];

export async function open(name, dtype) {
  await model?.dispose();
  rows.forEach((list) => list.splice(0));
  tokenizer = await AutoTokenizer.from_pretrained(name);
  model = await AutoModelForCausalLM.from_pretrained(name, { device: "webgpu", dtype });
  device = await env.backends.onnx.webgpu.device;
}

const record = (_, logits) => {
  rows.forEach((list, i) => list.push(logits.data.slice(2048 * i, 2048 * (i + 1))));
  return logits;
};

/** Writes a batch of two. @param {number} count @param {{ isFar?: boolean, isRecorded?: boolean, logprobs?: boolean, isPlain?: boolean }} how */
export async function write(count, { isFar, isRecorded, logprobs, isPlain }) {
  const inputs = tokenizer(["Once upon a time", "Once upon a time"]);
  const all = { ...inputs, max_new_tokens: count };
  const newOf = (output) => output.tolist().map((ids) => ids.slice(-count).map(Number));
  if (isPlain) return newOf(await model.generate({ ...all, do_sample: false }));
  const own = { ...options, logprobs, device: isFar ? device : undefined };
  const lastinch = await createTransformersSampler({ model, tokenizer }, own);
  reads = [];
  const logits_processor = [...(isRecorded ? [record] : []), ...lastinch.logits_processor];
  try {
    const ids = newOf(await model.generate({ ...all, ...lastinch, logits_processor }));
    const rawLogprobs = lastinch.rows.flatMap(({ tokens }) => tokens.map(({ rawLogprob }) => rawLogprob));
    return { ids, reads: [...reads], rawLogprobs };
  } catch (error) {
    return `${error.name} ${error.code ?? error}`;
  } finally {
    lastinch.dispose();
  }
}

/** What the sampler chooses from the recorded rows. */
export async function choices() {
  const prompt = tokenizer("Once upon a time").input_ids.tolist()[0];
  const expected = [];
  for (const [stream, list] of rows.entries()) {
    const sampler = await createSampler({ ...options, stream, vocabSize: 2048, eos: 2 });
    sampler.accept(prompt, { prompt: true });
    expected.push(list.map((row) => sampler.sample(row)));
  }
  return expected;
}
