// Rows on a GPU, 128,256 logits: what a step of sampleFrom costs, by options, beside reading the whole row, and beside
// onnxruntime's TopK on the device. Then what demos/gpu-check.html prints. `node tests/bench/gpu.js`; with
// CHROMIUM=/path the browser of a machine with a graphics card. On SwiftShader the times of steps say nothing; bytes,
// passes and round trips do, and the time in the page after a read, which is in units of sampler.js (U).
//
// Not beside it: WebLLM's argsort is compiled into the library of each of its models, which no package has.
import { closeBrowsers } from "../browser/browsers.js";
import { openSite } from "../browser/site.js";
import { Graph } from "../vectors/onnx-file.js";

const vocabSize = 128_256;
const rounds = 25;

/** Options of the steps. */
const settings = [
  { temperature: 0 },
  { topK: 40, topP: 0.95, temperature: 0.8 },
  { minP: 0.05 },
  { minP: 0.05, repetitionPenalty: 1.2, dryMultiplier: 0.8 },
  { topP: 0.9 },
  { temperature: 1 },
];

/** The forty largest of a row and their ids, as an ONNX model. */
function topKModel() {
  const graph = new Graph();
  const logits = graph.input("logits", "float32", [1, vocabSize]);
  graph.op("TopK", [logits, graph.ints([40])], {}, ["values", "ids"]);
  graph.output("values", "float32", [1, 40]);
  graph.output("ids", "int64", [1, 40]);
  return graph.finish();
}

/** Runs in the page. */
async function inPage({ settings, vocabSize, rounds, model }) {
  const [{ createSampler }, { createUnit, realisticRow }, { InferenceSession, Tensor, env }] = await Promise.all([
    import("lastinch"),
    import("/tests/bench/steps.js"),
    import("onnxruntime-web/webgpu"),
  ]);
  const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
  env.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";
  const session = await InferenceSession.create(Uint8Array.from(model), { executionProviders: ["webgpu"] });
  const device = await env.webgpu.device;
  const counts = { bytes: 0, passes: 0, trips: 0, readAt: 0 };
  const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
  GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...given) {
    counts.passes++;
    return dispatchWorkgroups.apply(this, given);
  };
  const { mapAsync } = GPUBuffer.prototype;
  GPUBuffer.prototype.mapAsync = async function (mode, offset, size) {
    counts.trips++;
    counts.bytes += size ?? this.size;
    await mapAsync.call(this, mode, offset, size);
    counts.readAt = performance.now();
  };

  const row = realisticRow(vocabSize);
  const buffer = device.createBuffer({ size: 4 * vocabSize, usage: 128 | 4 | 8 });
  device.queue.writeBuffer(buffer, 0, row);
  const target = device.createBuffer({ size: 4 * vocabSize, usage: 1 | 8 });
  const here = await createSampler({ topK: 40, topP: 0.95, temperature: 0.8, vocabSize, seed: 1 });
  const works = new Map();
  for (const options of settings) {
    const sampler = await createSampler({ ...options, vocabSize, seed: 1 });
    works.set(`sampleFrom ${JSON.stringify(options)}`, () => sampler.sampleFrom(buffer, { device }));
  }
  works.set("the whole row, and sample with topK and topP", async () => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, target, 0, 4 * vocabSize);
    device.queue.submit([encoder.finish()]);
    await target.mapAsync(1);
    here.sample(new Float32Array(target.getMappedRange()));
    target.unmap();
  });
  works.set("onnxruntime's TopK of 40, without a choice", async () => {
    const logits = Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims: [1, vocabSize] });
    const { ids } = await session.run({ logits });
    await ids.getData();
  });
  const unit = await createUnit(await (await fetch("/build/bench/unit.wasm")).arrayBuffer(), row);

  // One step after the other, of which the part is there at once.
  const { makePageDevice } = await import("/web/widgets/shared/page-device.js");
  const inARow = async (options) => {
    const device = makePageDevice();
    const { createBuffer } = device;
    let readAt = 0;
    const mapAsync = async () => void (readAt = performance.now());
    device.createBuffer = (descriptor) => Object.assign(createBuffer(descriptor), { mapAsync });
    const buffer = device.createBuffer({ size: 4 * vocabSize, usage: 128 | 4 | 8 });
    device.queue.writeBuffer(buffer, 0, row);
    const sampler = await createSampler({ ...options, vocabSize, seed: 1 });
    await sampler.sampleFrom(buffer, { device });
    device.queue.submit = () => {}; // the part stays as it is
    const [units, after] = [[], []];
    for (let i = 0; i < 1000; i++) {
      const start = performance.now();
      unit();
      units.push(performance.now() - start);
      await sampler.sampleFrom(buffer, { device });
      after.push(performance.now() - readAt);
    }
    const ratio = (median(after) / median(units)).toFixed(2);
    sampler.dispose();
    return ratio;
  };

  const units = [];
  const steps = new Map([...works.keys()].map((name) => [name, { ms: [], after: [] }]));
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of works) {
      const begin = performance.now();
      unit();
      const start = performance.now();
      Object.assign(counts, { bytes: 0, passes: 0, trips: 0 });
      await work();
      const end = performance.now();
      if (round < 5) continue; // code is compiled, buffers are made
      units.push(start - begin);
      const step = steps.get(name);
      step.ms.push(end - start);
      step.after.push(end - counts.readAt);
      Object.assign(step, { bytes: counts.bytes, passes: counts.passes, trips: counts.trips });
    }
  const u = median(units);
  const rows = [...steps].map(([name, { ms, after, ...counted }]) => ({
    name,
    ...counted,
    ms: median(ms).toFixed(2),
    afterRead: (median(after) / u).toFixed(2),
  }));
  // Options whose part is the same at each step, and proves the cut.
  for (const [i, options] of settings.entries())
    if (rows[i].trips === 1 && !options.repetitionPenalty) rows[i].inARow = await inARow(options);
  return { u, rows };
}

const { site, driver, close } = await openSite("chromium");
await driver.open(`${site.origin}/tests/browser/peers.html`);
const { u, rows } = await driver.evaluate(inPage, { settings, vocabSize, rounds, model: [...topKModel()] });
console.log(`U: ${(1000 * u).toFixed(0)} µs. In U, the median time in the page from a read to the token: afterRead, of these
steps, between which the page sleeps; inARow, of steps one after the other, whose part is there at once.`);
console.table(rows);
const lines = await driver.evaluate(async () => {
  const { measure } = await import("/demos/gpu-measure.js");
  return (await measure(await import("/dist/index.js"), () => {})).lines;
});
console.log(lines.join("\n"));
await close();
await closeBrowsers();
