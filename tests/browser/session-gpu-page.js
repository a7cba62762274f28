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
    let usage;
    for await (const chunk of model.generate(prompt, options)) {
      (ids[chunk.index ?? 0] ??= []).push(...chunk.tokens.map(({ id }) => id));
      tokens.push(...chunk.tokens);
      usage = chunk.usage ?? usage;
    }
    const result = { ids, usage, reads: [...reads], copies, sent };
    if (options.captureLogits) {
      const { maxTokens: _, captureLogits: __, logprobs: ___, ...given } = options;
      const sampler = await createSampler({ ...given, vocabSize: 2048 });
      sampler.accept(prompt, { prompt: true });
      result.expected = [tokens.map(({ logits }) => sampler.sample(logits))];
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
