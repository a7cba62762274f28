// Measures what the page of gpu-check.html prints: whether this device's kernels choose the tokens of whole rows, how
// long a read takes, and a step.

/** @typedef {typeof import("../dist/index.js")} LastInch */

/**
 * @typedef {object} Shown
 * @property {string} options
 * @property {import("../dist/index.js").RowRead} read
 * @property {string} proof
 */

/**
 * @typedef {object} Report
 * @property {string[]} lines to copy
 * @property {Shown[]} shown what crossed of one row, by options
 */

const VOCABULARY = 128_256;
const STORAGE = 128;
const COPY_SRC = 4;
const COPY_DST = 8;
const MAP_READ = 1;

/** Options, and what proves that the tokens left on the device do not matter. @type {[string, object, string][]} */
const settings = [
  ["temperature 0", { temperature: 0 }, "the largest logit is listed"],
  ["topK 40, topP 0.95, temperature 0.8", { topK: 40, topP: 0.95, temperature: 0.8 }, "40 are listed above all others"],
  ["minP 0.05, repetitionPenalty 1.2", { minP: 0.05, repetitionPenalty: 1.2 }, "the threshold is above all others"],
  ["topP 0.9", { topP: 0.9 }, "bounds of the mass of all others keep the same set"],
  ["temperature 1 alone", {}, "nothing"],
];

let seed = 1;
function random() {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) / 2 ** 32;
}

/** A row with the shape of a language model's: a bulk that is nearly normal, and likelier tokens. @param {number} size */
function makeRow(size) {
  const row = Float32Array.from({ length: size }, () => 2.2 * (random() + random() + random() + random() - 2) * 1.7);
  for (let i = 0; i < 150; i++) row[Math.floor(random() * size)] += 2.2 * (3 + 4 * random() * random());
  return row;
}

/** @param {number} ms */
const inMs = (ms) => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;

/** The time of one, in ms: a clock may be too coarse for less than some. @param {number} count @param {() => any} work */
async function timeOf(count, work) {
  const start = performance.now();
  for (let i = 0; i < count; i++) await work();
  return (performance.now() - start) / count;
}

/** @param {number[]} times */
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/**
 * @param {LastInch} lastinch
 * @param {(text: string) => void} say what is being done
 * @returns {Promise<Report>}
 */
export async function measure(lastinch, say) {
  const lines = [`Browser: ${navigator.userAgent}`];
  seed = 1;
  const { gpu } = /** @type {any} */ (navigator);
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) {
    lines.push(`WebGPU: ${gpu ? "no adapter" : "not in this browser"}`, "same tokens: not checked, without WebGPU");
    const sampler = await lastinch.createSampler({ vocabSize: VOCABULARY, topK: 40, seed: 1 });
    const row = makeRow(VOCABULARY);
    say("Timing rows of the page …");
    lines.push(
      `sample of a row in the page, ${VOCABULARY} logits: ${inMs(await timeOf(50, () => sampler.sample(row)))}`,
    );
    sampler.dispose();
    return { lines, shown: [] };
  }
  const { vendor, architecture, description } = adapter.info ?? {};
  const named = [vendor, architecture, description].filter(Boolean).join(" ") || "not named";
  lines.push(`WebGPU adapter: ${named}; shader-f16: ${adapter.features.has("shader-f16") ? "yes" : "no"}`);
  const device = await adapter.requestDevice();
  try {
    const shown = await checkTokens(lastinch, device, lines, say);
    await timeSteps(lastinch, device, lines, say);
    return { lines, shown };
  } finally {
    device.destroy();
  }
}

/** @param {LastInch} lastinch @param {any} device @param {string[]} lines @param {(text: string) => void} say */
async function checkTokens({ createSampler }, device, lines, say) {
  let [same, all, whole] = [0, 0, 0];
  /** @type {Shown[]} */
  const shown = [];
  for (const vocabSize of [VOCABULARY, 32_000, 4001]) {
    const buffer = device.createBuffer({ size: 4 * vocabSize, usage: STORAGE | COPY_SRC | COPY_DST });
    for (const [options, given, proof] of settings) {
      say(`Comparing tokens: ${options}, ${vocabSize} logits …`);
      const make = () => createSampler({ ...given, vocabSize, seed: all });
      const [far, near] = [await make(), await make()];
      for (let step = 0; step < 8; step++) {
        const row = makeRow(vocabSize);
        device.queue.writeBuffer(buffer, 0, row);
        const token = await far.sampleFrom(buffer, { device });
        all++;
        same += Number(token === near.sample(row) && far.lastProbability === near.lastProbability);
        const read = /** @type {import("../dist/index.js").RowRead} */ (far.lastRead);
        whole += Number(read.isWhole);
        if (vocabSize === VOCABULARY && step === 7)
          shown.push({ options, read, proof: read.isWhole ? "nothing" : proof });
      }
      far.dispose();
      near.dispose();
    }
    buffer.destroy();
  }
  const verdict = same === all ? "yes" : "NO";
  lines.push(`same tokens: ${verdict} (${same} of ${all} rows, of which ${whole} were read whole)`);
  return shown;
}

/** @param {LastInch} lastinch @param {any} device @param {string[]} lines @param {(text: string) => void} say */
async function timeSteps({ createSampler }, device, lines, say) {
  const small = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
  const one = device.createBuffer({ size: 4, usage: COPY_SRC });
  /** @param {boolean} wake */
  const roundTrip = async (wake) => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(one, 0, small, 0, 4);
    device.queue.submit([encoder.finish()]);
    const beat = wake ? setInterval(() => device.queue.submit([]), 1) : undefined;
    await small.mapAsync(MAP_READ);
    clearInterval(beat);
    small.unmap();
  };
  const buffer = device.createBuffer({ size: 4 * VOCABULARY, usage: STORAGE | COPY_SRC | COPY_DST });
  const target = device.createBuffer({ size: 4 * VOCABULARY, usage: MAP_READ | COPY_DST });
  const row = makeRow(VOCABULARY);
  device.queue.writeBuffer(buffer, 0, row);
  const sampler = await createSampler({ vocabSize: VOCABULARY, topK: 40, topP: 0.95, temperature: 0.8, seed: 1 });
  const onPage = await createSampler({ vocabSize: VOCABULARY, topK: 40, topP: 0.95, temperature: 0.8, seed: 1 });
  const wholeRow = async () => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, target, 0, 4 * VOCABULARY);
    device.queue.submit([encoder.finish()]);
    await target.mapAsync(MAP_READ);
    onPage.sample(new Float32Array(target.getMappedRange()));
    target.unmap();
  };
  /** @type {Record<string, () => any>} */
  const works = {
    "a round trip": () => roundTrip(false),
    "a round trip, waking the device meanwhile": () => roundTrip(true),
    "a step, sampleFrom": () => sampler.sampleFrom(buffer, { device }),
    "a step, sampleFrom with wake": () => sampler.sampleFrom(buffer, { device, wake: true }),
    "a step, reading the whole row": wholeRow,
    "of which sample in the page": () => onPage.sample(row),
  };
  /** @type {Record<string, number[]>} */
  const times = {};
  for (let turn = 0; turn < 7; turn++)
    for (const [name, work] of Object.entries(works)) {
      say(`Timing, ${turn + 1} of 7: ${name} …`);
      if (!turn) await work(); // pipelines and buffers are made at first
      (times[name] ??= []).push(await timeOf(5, work));
    }
  const { bytes } = /** @type {import("../dist/index.js").RowRead} */ (sampler.lastRead);
  lines.push(`read in a step: ${bytes} bytes of ${4 * VOCABULARY} (${VOCABULARY} logits)`);
  for (const [name, list] of Object.entries(times)) lines.push(`${name}: ${inMs(median(list))}`);
  sampler.dispose();
  onPage.dispose();
}
