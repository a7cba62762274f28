// Runs in a page: texts of a session of onnxruntime-web on WebGPU, and what is read from the device meanwhile.
import { createSampler } from "lastinch";
import { openSession } from "lastinch/onnxruntime";
import { InferenceSession, Tensor, env } from "onnxruntime-web/webgpu";

env.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";
env.logLevel = "error";

/** Bytes of each read. @type {number[]} */
let reads = [];
let copies = 0;
const { mapAsync } = GPUBuffer.prototype;
GPUBuffer.prototype.mapAsync = function (mode, offset, size) {
  reads.push(size ?? this.size);
  return mapAsync.call(this, mode, offset, size);
};
const { copyBufferToBuffer } = GPUCommandEncoder.prototype;
GPUCommandEncoder.prototype.copyBufferToBuffer = function (...given) {
  // From a tensor to another one: all of these have these usages.
  if (given[0].usage === (128 | 8 | 4) && given[2].usage === given[0].usage) copies++;
  return copyBufferToBuffer.apply(this, given);
};

const sessions = new Map();
/** @param {string} name @param {"webgpu" | "wasm"} provider @param {object} [options] */
function sessionOf(name, provider, options) {
  const key = provider + JSON.stringify(options);
  if (!sessions.has(key))
    sessions.set(
      key,
      InferenceSession.create(`/build/onnx/${name}/onnx/model.onnx`, { executionProviders: [provider], ...options }),
    );
  return sessions.get(key);
}

/** Writes a text for each set of options. */
export async function write(name, all) {
  const results = [];
  for (const { isHere, prompt = [1, 300, 420, 77, 500], ...options } of all) {
    const real = await sessionOf(name, isHere ? "wasm" : "webgpu");
    const { inputMetadata, outputMetadata } = real;
    // Keys and values that come from the page, but for none at the beginning.
    let sent = 0;
    const run = (feeds, fetches) => {
      for (const [input, { location, size }] of Object.entries(feeds))
        if (input.startsWith("past") && location === "cpu") sent += size;
      return real.run(feeds, fetches);
    };
    const session = { inputMetadata, outputMetadata, run };
    const model = openSession(session, { Tensor, ...(!isHere && { device: await env.webgpu.device }) });
    [reads, copies] = [[], 0];
    const ids = [];
    const tokens = [];
    /** The tokens of each text. */
    const texts = [];
    const scores = [];
    let usage;
    for await (const chunk of model.generate(prompt, options)) {
      (ids[chunk.index ?? 0] ??= []).push(...chunk.tokens.map(({ id }) => id));
      tokens.push(...chunk.tokens);
      (texts[chunk.index ?? 0] ??= []).push(...chunk.tokens);
      if (chunk.score !== undefined) scores.push(chunk.score);
      usage = chunk.usage ?? usage;
    }
    const result = { ids, usage, reads: [...reads], copies, sent, scores };
    if (options.captureLogits) {
      const { maxTokens: _, captureLogits: __, logprobs: ___, n: ____, draft: _____, ...given } = options;
      result.expected = [];
      for (const [stream, text] of texts.entries()) {
        const sampler = await createSampler({ ...given, stream, vocabSize: 2048 });
        sampler.accept(prompt, { prompt: true });
        result.expected.push(text.map(({ logits }) => sampler.sample(logits)));
      }
    }
    result.tokens = tokens.map(({ logits: _, ...token }) => token);
    results.push(result);
  }
  return results;
}

const codeOf = async (work) => {
  try {
    await work();
    return "no error";
  } catch (error) {
    return error.code ? `${error.name} ${error.code}` : String(error);
  }
};

/** What happens with a session of the CPU and a device, and with one on the device without it. */
export async function refused(name) {
  await sessionOf(name, "webgpu");
  const device = await env.webgpu.device;
  const first = async (session, options) =>
    openSession(session, { Tensor, ...options })
      .generate([1])
      .next();
  return {
    wasm: await codeOf(async () => first(await sessionOf(name, "wasm"), { device })),
    mute: await codeOf(async () => first(await sessionOf(name, "webgpu", { preferredOutputLocation: "gpu-buffer" }))),
  };
}

/** A row of halves like a model's, with ties and masked tokens. @param {number} size @param {() => number} random */
const halfRow = (size, random) =>
  Float16Array.from({ length: size }, (_, id) =>
    id % 7 ? 2.2 * (random() + random() + random() + random() - 2) + (random() < 0.01 ? 9 : 0) : -Infinity,
  );

/**
 * Texts of a session that makes logits of float16, by hand: SwiftShader has no halves, but the rows are only moved and
 * compared. Rows of an odd size begin after prompts of some lengths where a binding may, where only a copy may, and
 * inside a word.
 * @param {string} name of any model
 * @param {number[]} lengths of prompts
 */
export async function halves(name, lengths) {
  await sessionOf(name, "webgpu"); // makes the device
  const device = await env.webgpu.device;
  const vocabSize = 4001;
  const dims = ["batch", 1, "length", 4];
  let seed = 9;
  const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  /** @type {Uint16Array[]} the last row of each pass */
  const rows = [];
  const session = {
    inputMetadata: [
      { name: "input_ids", type: "int64", shape: ["batch", "length"] },
      { name: "past_key_values.0.key", type: "float32", shape: dims },
    ],
    outputMetadata: [
      { name: "logits", type: "float16", shape: ["batch", "length", vocabSize] },
      { name: "present.0.key", type: "float32", shape: dims },
    ],
    async run({ input_ids }, outputs) {
      const count = input_ids.dims[1];
      const all = new Float16Array(2 * Math.ceil((count * vocabSize) / 2));
      for (let i = 0; i < count; i++) all.set(halfRow(vocabSize, random), i * vocabSize);
      rows.push(new Uint16Array(all.buffer.slice(2 * (count - 1) * vocabSize, 2 * count * vocabSize)));
      device.queue.writeBuffer(outputs.logits.gpuBuffer, 0, all);
      return outputs;
    },
  };
  const results = [];
  for (const length of lengths)
    for (const options of [{ topK: 40 }, { topP: 0.8, repetitionPenalty: 1.2 }, { temperature: 1 }]) {
      const prompt = Array.from({ length }, (_, i) => 1 + i);
      rows.length = reads.length = 0;
      const ids = [];
      const probabilities = [];
      for await (const { tokens } of openSession(session, { Tensor, device }).generate(prompt, {
        ...options,
        seed: length,
        maxTokens: 3,
      }))
        for (const { id, probability } of tokens) {
          ids.push(id);
          probabilities.push(probability);
        }
      const sampler = await createSampler({ ...options, seed: length, vocabSize });
      sampler.accept(prompt, { prompt: true });
      const expected = rows.map((row) => [sampler.sample(row), sampler.lastProbability]);
      results.push({ length, options, ids, probabilities, expected, reads: [...reads] });
    }
  return results;
}
