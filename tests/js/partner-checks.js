// Run by partner.test.js in a Node with JavaScript Promise Integration, where this file says that memory cannot be
// shared. Prints what models compute alone and with a partner, and what happens when the partner is lost.
import threads from "node:worker_threads";
import { loadModel } from "../../dist/index.js";
import { tensorTypes } from "../models/blocks.js";
import { randomModel } from "../models/random-model.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { threadDigests, threadedGguf, threadedGgufs } from "../vectors/thread-digests.js";

Object.assign(globalThis, { crossOriginIsolated: false });
const timer = setInterval(() => {}, 1000); // who waits for a partner keeps no process alive
/** @type {import("node:worker_threads").Worker[]} */
const workers = [];
const { Worker } = threads;
threads.Worker = class extends Worker {
  /** @param {any[]} given */
  constructor(...given) {
    super(.../** @type {[any, any]} */ (given));
    workers.push(this);
  }
};

const shape = { vocab: 512, dim: 256, hidden: 512, heads: 4, keyWidth: 64, base: 10000, context: 256 };
const delta = { heads: 16, keyHeads: 4, width: 64, taps: 4, interval: 3 };
const file = threadedGguf();
const load = (bytes, count, options = {}) => loadModel(bytes, { threads: count, worker: false, ...options });
/** @type {Record<string, any>} */
const result = { counts: [] };

// ---- the same bits -----------------------------------------------------------------------------------

const files = threadedGgufs();
for (const type of Object.keys(tensorTypes).filter((type) => tensorTypes[type].values > 1))
  files.push([`all ${type}`, randomModel("llama", { ...shape, vocab: 4096, layers: 2, kvHeads: 2 }, { type })]);
const digests = (count) =>
  threadDigests(async (bytes) => {
    const model = await load(bytes, count);
    result.counts.push(model.threads);
    return model;
  }, files);
result.together = await digests(2);
result.alone = await digests(1);

/** What reads the model in other ways: drafts, beams, layers that vote, activations, scores, a state that is cut. */
async function texts(count) {
  const model = await load(
    randomModel("qwen35", { ...shape, layers: 4, kvHeads: 2, ropeWidth: 32, delta, tied: true, ahead: 1 }),
    count,
  );
  const plain = await load(randomModel("lfm2", { ...shape, layers: 3, kvHeads: [0, 2, 0] }), count);
  const prompt = randomNumbers("partner", 40, shape.vocab);
  const write = async (of, options) => {
    const ids = [];
    for await (const { tokens } of of.generate(prompt, { maxTokens: 24, seed: 7, ...options }))
      for (const { id } of tokens) ids.push(id);
    return ids;
  };
  const { layers } = await plain.activations(prompt);
  const found = {
    mtp: await write(model, { draft: "mtp" }),
    again: await write(model, { temperature: 0 }),
    lookup: await write(plain, { draft: "lookup" }),
    beams: await write(plain, { beams: 3, temperature: 0 }),
    dola: await write(plain, { dola: "low" }),
    contrastive: await write(plain, { penaltyAlpha: 0.6, topK: 4 }),
    score: [...(await plain.score(prompt)).logprobs],
    activations: layers.map(({ norm, attention, logits }) => [norm, attention?.map((head) => [...head]), [...logits]]),
  };
  model.dispose();
  plain.dispose();
  return found;
}
result.texts = [await texts(1), await texts(2)];

// ---- no partner --------------------------------------------------------------------------------------

const started = workers.length;
result.one = (await load(file, 1)).threads;
result.automatic = (await loadModel(file, { worker: false })).threads;
result.startedForNone = workers.length - started;

/** What a call ends with, and whether all Workers are gone. */
async function outcomeOf(work) {
  const first = workers.length;
  const code = await work().then(
    () => "done",
    ({ code, name }) => (name === "AbortError" ? name : code),
  );
  const gone = workers
    .slice(first)
    .map((worker) => worker.threadId < 0 || new Promise((ok) => worker.once("exit", ok)));
  await Promise.all(gone);
  return { code, workers: gone.length };
}

// ---- ends --------------------------------------------------------------------------------------------

result.lost = await outcomeOf(async () => {
  const model = await load(file, 2);
  const pass = model.forward(randomNumbers("lost", 200, 4096));
  setTimeout(() => workers.at(-1).terminate(), 1);
  await pass.finally(() => model.dispose());
});
result.lostLater = await outcomeOf(async () => {
  const model = await load(file, 2);
  await workers.at(-1).terminate();
  await model.forward([1]).finally(() => model.dispose());
});
result.disposed = await outcomeOf(async () => {
  const model = await load(file, 2);
  const pass = model.forward(randomNumbers("disposed", 200, 4096));
  setTimeout(() => model.dispose(), 1);
  await pass;
});
result.aborted = await outcomeOf(async () => {
  const controller = new AbortController();
  const onProgress = ({ loaded, total }) => loaded > total / 2 && controller.abort();
  await load(file, 2, { signal: controller.signal, onProgress });
});
result.truncated = await outcomeOf(() => load(new Blob([file.subarray(0, file.length - 99)]).stream(), 2));
const infinite = file.slice();
new DataView(infinite.buffer).setFloat32(infinite.length - 4, Infinity, true);
result.refused = await outcomeOf(() => load(infinite, 2));
result.refusedAlone = await outcomeOf(() => load(infinite, 1));

// Without a script for the partner there is one thread, and the same bits.
threads.Worker = class {
  constructor() {
    throw new Error("not today");
  }
};
const without = await load(file, 2);
result.without = without.threads;

console.log(JSON.stringify(result));
clearInterval(timer);
process.exit();
