// Rows on a GPU, 128,256 logits: what a step of sampleFrom costs, by options, beside reading the whole row. Then what
// demos/gpu-check.html prints. `node tests/bench/gpu.js`; with CHROMIUM=/path the browser of a machine with a graphics
// card. On SwiftShader the times say nothing; bytes, passes and round trips do.
//
// Not beside it: WebLLM's argsort is compiled into the library of each of its models, which no package has.
import { closeBrowsers } from "../browser/browsers.js";
import { openSite } from "../browser/site.js";

const { site, driver, close } = await openSite("chromium");
await driver.open(`${site.origin}/tests/browser/blank.html`);

/** Options of the steps. */
const settings = [
  { temperature: 0 },
  { topK: 40, topP: 0.95, temperature: 0.8 },
  { minP: 0.05, repetitionPenalty: 1.2, dryMultiplier: 0.8 },
  { topP: 0.9 },
  { temperature: 1 },
];

const table = await driver.evaluate(async (all) => {
  const { createSampler } = await import("/dist/index.js");
  const vocabSize = 128_256;
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const counts = { passes: 0, trips: 0 };
  const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
  GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...given) {
    counts.passes++;
    return dispatchWorkgroups.apply(this, given);
  };
  const { mapAsync } = GPUBuffer.prototype;
  GPUBuffer.prototype.mapAsync = function (...given) {
    counts.trips++;
    return mapAsync.apply(this, given);
  };
  const buffer = device.createBuffer({ size: 4 * vocabSize, usage: 128 | 4 | 8 });
  let seed = 7;
  const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const row = Float32Array.from({ length: vocabSize }, () => 3.7 * (random() + random() + random() + random() - 2));
  for (let i = 0; i < 150; i++) row[Math.floor(random() * vocabSize)] += 2.2 * (3 + 4 * random() * random());
  device.queue.writeBuffer(buffer, 0, row);
  const rows = [];
  for (const options of all) {
    const sampler = await createSampler({ ...options, vocabSize, seed: 1 });
    await sampler.sampleFrom(buffer, { device });
    Object.assign(counts, { passes: 0, trips: 0 });
    const start = performance.now();
    for (let i = 0; i < 10; i++) await sampler.sampleFrom(buffer, { device });
    const ms = (performance.now() - start) / 10;
    const { bytes, isWhole } = sampler.lastRead;
    rows.push({
      options: JSON.stringify(options),
      bytes,
      isWhole,
      passes: counts.passes / 10,
      trips: counts.trips / 10,
      ms,
    });
    sampler.dispose();
  }
  device.destroy();
  return rows;
}, settings);
console.table(table.map(({ ms, ...rest }) => ({ ...rest, ms: ms.toFixed(2) })));

const lines = await driver.evaluate(async () => {
  const { measure } = await import("/demos/gpu-measure.js");
  return (await measure(await import("/dist/index.js"), () => {})).lines;
});
console.log(lines.join("\n"));
await close();
await closeBrowsers();
