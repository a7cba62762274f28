// WebLLM's own code around the sampling of a token, run without a GPU: its class is taken from the package as it is,
// and JavaScript in single precision replaces its kernels.
import { readFileSync, rmSync, writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const source = fileURLToPath(import.meta.resolve("@mlc-ai/web-llm"));

async function pipelineClass() {
  const folder = mkdtempSync(join(tmpdir(), "lastinch-web-llm-"));
  const file = join(folder, "index.mjs");
  writeFileSync(file, `${readFileSync(source, "utf8")}\nexport { LLMChatPipeline };\n`);
  try {
    return (await import(pathToFileURL(file).href)).LLMChatPipeline;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What TVM calls a tensor. */
class Tensor {
  constructor(shape, data) {
    this.shape = shape;
    this.data = data;
  }

  get dtype() {
    return this.data instanceof Int32Array ? "int32" : "float32";
  }

  copyFrom(other) {
    const from = other instanceof Tensor ? other.data : other;
    if (from.length !== this.data.length) throw new Error("the sizes differ");
    this.data.set(from);
    return this;
  }

  toArray() {
    return this.data.slice();
  }

  view(shape) {
    return new Tensor(shape, this.data);
  }

  dispose() {}
}

/** The most negative float32, with which its kernels mask. */
const MASKED = -3.4028234663852886e38;

const kernels = {
  fapplyBitmask(logits, _, { data: mask }) {
    logits.data.forEach((__, id) => (mask[id >> 5] >> (id & 31)) & 1 || (logits.data[id] = MASKED));
  },
  fapplyLogitBias(logits, _, { data: ids }, { data: biases }) {
    ids.forEach((id, i) => (logits.data[id] += biases[i]));
  },
  fapplyPenalty(logits, _, __, { data: ids }, { data: counts }, { data: [presence, frequency, repetition] }) {
    ids.forEach((id, i) => {
      logits.data[id] -= presence + counts[i] * frequency;
      logits.data[id] *= logits.data[id] > 0 ? 1 / repetition : repetition;
    });
  },
  fsoftmaxWithTemperature({ shape, data }, { data: [temperature] }) {
    const heated = data.map((logit) => logit / temperature);
    const most = heated.reduce((a, b) => Math.max(a, b));
    const weights = heated.map((logit) => Math.exp(logit - most));
    const sum = weights.reduce((a, b) => a + b);
    return new Tensor(
      shape,
      weights.map((weight) => weight / sum),
    );
  },
  fargsortProbs({ data }) {
    const order = Int32Array.from(data.keys()).sort((a, b) => data[b] - data[a]);
    const sorted = [Float32Array.from(order, (id) => data[id]), order];
    return { get: (i) => new Tensor([data.length], sorted[i]) };
  },
  fsampleWithTopP({ data: probabilities }, { data: ids }, { data: [u] }, _, { data: [topP] }) {
    let count = 0;
    let mass = 0;
    while (count < ids.length && mass < topP) mass += probabilities[count++];
    let sum = 0;
    for (let i = 0; i < count; i++)
      if (u * mass < (sum += probabilities[i])) return new Tensor([1], ids.slice(i, i + 1));
    return new Tensor([1], ids.slice(count - 1, count));
  },
};

const tvm = {
  cpu: () => "cpu",
  beginScope() {},
  endScope() {},
  detachFromCurrentScope: (tensor) => tensor,
  empty: (shape, type) =>
    new Tensor(shape, new (type === "int32" ? Int32Array : Float32Array)(shape.reduce((a, b) => a * b))),
  uniform: () => new Tensor([1], Float32Array.of(Math.random())),
};

const LLMChatPipeline = await pipelineClass();

/**
 * A pipeline that asks `logitProcessor`. The rows of logits are the caller's.
 * @param {import("@mlc-ai/web-llm").LogitProcessor} logitProcessor
 * @param {number} vocabSize
 * @param {{ getNextTokenBitmask: () => Promise<Int32Array>, acceptToken: (token: number) => boolean }} [grammarMatcher]
 */
export function createPipeline(logitProcessor, vocabSize, grammarMatcher) {
  const pipeline = Object.assign(Object.create(LLMChatPipeline.prototype), kernels, {
    tvm,
    logitProcessor,
    grammarMatcher,
    device: { sync: async () => {} },
    config: { temperature: 1, top_p: 1, repetition_penalty: 1, frequency_penalty: 0, presence_penalty: 0 },
    fullVocabSize: vocabSize,
    bitmaskSize: Math.ceil(vocabSize / 32),
    appearedTokensFreq: new Map(),
    sampleIndices: Int32Array.of(0),
    sampleIndicesDevice: new Tensor([1], Int32Array.of(0)),
    topPDevice: new Tensor([1], Float32Array.of(1)),
    tokenLogprobArray: [],
    curRoundGrammarPerTokenTotalTime: 0,
    conversation: { reset() {} },
    resetKVCache() {},
  });
  return {
    /**
     * What WebLLM does with a row: chooses a token by its request's settings, and commits it.
     * @param {Float32Array} row
     * @param {object} [request]
     * @returns {Promise<number>}
     */
    async step(row, request) {
      const token = await pipeline.sampleFromRawLogits(new Tensor([1, 1, vocabSize], row.slice()), request);
      pipeline.commitSamplerState(token, request);
      const { appearedTokensFreq: counts } = pipeline;
      counts.set(token, (counts.get(token) ?? 0) + 1);
      return token;
    },
    /** A token of an earlier text that is continued. @param {number} token */
    replay: (token) => pipeline.commitSamplerState(token),
    reset: () => pipeline.resetChat(),
  };
}
