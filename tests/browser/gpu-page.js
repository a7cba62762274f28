// Runs in a page: steps on rows that lie on a GPU, beside the same steps on rows of the page.
import { createGroup, createSampler, loadModel } from "/dist/index.js";
import { partOf } from "/web/widgets/shared/part-of-row.js";

const STORAGE = 128;
const COPY_SRC = 4;
const COPY_DST = 8;

/** What crosses from the device: reads since the last `take`. */
const reads = { trips: 0, bytes: 0, words: new Uint32Array() };
/** The ids whose logits the device gathers: a lane writes them to a buffer of this size and no other. @type {number[]} */
let listedIds = [];
const { mapAsync, getMappedRange } = globalThis.GPUBuffer?.prototype ?? {};
if (mapAsync) {
  GPUBuffer.prototype.mapAsync = function (...given) {
    reads.trips++;
    reads.bytes += given[2];
    return mapAsync.apply(this, given);
  };
  GPUBuffer.prototype.getMappedRange = function (...given) {
    const range = getMappedRange.apply(this, given);
    if (reads.trips === 1) reads.words = new Uint32Array(range.slice(0));
    return range;
  };
  const { writeBuffer } = GPUQueue.prototype;
  GPUQueue.prototype.writeBuffer = function (...given) {
    const [{ size, usage }, , data] = given;
    if (size === 4 * 8192 && usage === (STORAGE | COPY_DST)) listedIds = [...data];
    return writeBuffer.apply(this, given);
  };
}

let seed = 1;
function random() {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) / 2 ** 32;
}
const pool = Float32Array.from(
  { length: 65536 },
  () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
);

/** @type {Record<string, (row: Float32Array, id: number) => number>} changes of a row like a model's */
const shapes = {
  model: (row, id) => row[id],
  sure: (row, id) => row[id] * 2 + (id === 77 ? 20 : 0),
  unsure: (row, id) => row[id] / 2,
  scaled: (row, id) => row[id] * 15,
  flat: (row, id) => row[id] / 50,
  tied: (row, id) => Math.floor(row[id] * 2) / 2,
  masked: (row, id) => (id % 3 ? row[id] : id % 2 ? -Infinity : -3.4e38),
  few: (row, id) => (id % 997 ? -Infinity : row[id]),
  huge: (row, id) => row[id] * 1e6,
  tiny: (row, id) => row[id] * 2 ** -130,
};
const shapeNames = [...Object.keys(shapes), "recorded"];

/** @param {number} size @param {string} shape */
function makeRow(size, shape) {
  const from = Math.floor(random() * 65536);
  const row = Float32Array.from({ length: size }, (_, id) => 2.2 * pool[(from + 7 * id) & 65535]);
  for (let i = 0; i < 150; i++) row[Math.floor(random() * size)] += 2.2 * (3 + 4 * random() * random());
  return row.map((_, id) => shapes[shape](row, id));
}

const halves = new Float16Array(1);
const halfWords = new Uint16Array(halves.buffer);
/** @param {number} value */
function halfOf(value) {
  halves[0] = value;
  return halfWords[0];
}

/** A grammar that allows about one token in `step`, others at each position. @param {number} size @param {number} step */
function matcherOf(size, step) {
  let at = 0;
  const mask = new Uint32Array(Math.ceil(size / 32));
  return {
    mask,
    bitmask() {
      mask.fill(0);
      for (let id = at % step; id < size; id += step) mask[id >>> 5] |= 1 << (id & 31);
      return mask;
    },
    accept: () => (at++, true),
    rollback: (/** @type {number} */ count) => void (at -= count),
  };
}

/** A part with its tokens by ascending id, and nothing after the last. @param {Uint32Array} words */
function inOrder(words) {
  const sorted = words.slice();
  const [start, end] = [1029, 3077];
  const pairs = Array.from({ length: words[4] }, (_, i) => [words[start + 2 * i], words[start + 2 * i + 1]]);
  pairs.sort((a, b) => a[0] - b[0]);
  sorted.fill(0, start, end);
  sorted.set(pairs.flat(), start);
  return sorted;
}

/** Options, and whether they have a grammar. */
const settings = [
  { temperature: 0 },
  { topK: 40, topP: 0.95, minP: 0.05, temperature: 0.8 },
  { topP: 0.9 },
  { minP: 0.05, temperature: 1.3 },
  { topP: 0.9, repetitionPenalty: 1.2, frequencyPenalty: 0.2, dryMultiplier: 0.8 },
  { topK: 64, typicalP: 0.9, order: "llamacpp" },
  { topK: 50, logitBias: { 5: 3, 9: -Infinity }, bannedTokens: [77], draw: "gumbel" },
  { temperature: 0.9, step: 499 },
  { topP: 0.9, step: 3 },
  { temperature: 1 },
  { mirostat: 2 },
  { topP: 0.8, tokenCountLess: 21 },
];

/** Four steps for each number. @param {number} first @param {number} end @param {number} stride */
export async function run(first, end, stride) {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const model = await loadModel("/dist/storyteller.gguf", { worker: false });
  const recorded = await model.forward([1, 300, 420, 77, 500, 12, 900, 1200, 40, 60, 333, 1999], { rows: "all" });
  model.dispose();
  const result = { steps: 0, rows: {}, wrong: [], largest: 0, trips: 0, listed: 0 };
  for (let number = first; number < end; number += stride) {
    seed = 1 + number * 2654435761;
    random();
    const { step, tokenCountLess = 0, ...options } = settings[number % settings.length];
    const turn = Math.floor(number / settings.length);
    const shape = shapeNames[turn % shapeNames.length];
    const vocabSize = shape === "recorded" ? 2048 : [32000, 4001, 131072, 50257][turn % 4];
    const isHalf = number % 5 === 4;
    const tokenCount = vocabSize - tokenCountLess;
    const make = (grammar) => createSampler({ ...options, vocabSize, tokenCount, seed: number, grammar });
    const matchers = [0, 1].map(() => (step ? matcherOf(vocabSize, step) : undefined));
    const [near, far] = await Promise.all(matchers.map(make));
    const offset = 256 * (number % 3);
    const buffer = device.createBuffer({ size: offset + 4 * vocabSize, usage: STORAGE | COPY_SRC | COPY_DST });
    for (let i = 0; i < 4; i++) {
      const row = shape === "recorded" ? recorded[(number + i) % recorded.length].slice() : makeRow(vocabSize, shape);
      const given = isHalf ? Uint16Array.from(row, halfOf) : row;
      const bytes = new Uint8Array(4 * Math.ceil(given.byteLength / 4));
      bytes.set(new Uint8Array(given.buffer));
      device.queue.writeBuffer(buffer, offset, bytes);
      const location = { device, offset, type: isHalf ? "f16" : "f32" };
      Object.assign(reads, { trips: 0, bytes: 0 });
      const outcome = async (work) => {
        try {
          return await work();
        } catch (error) {
          return error.code ?? String(error);
        }
      };
      const distribution = i === 2 ? await outcome(() => far.distributionFrom(buffer, location)) : undefined;
      const same = i === 2 ? await outcome(() => near.distribution(given)) : undefined;
      Object.assign(reads, { trips: 0, bytes: 0 });
      listedIds = [];
      const got = await outcome(() => far.sampleFrom(buffer, location));
      const expected = await outcome(() => near.sample(given));
      const last = far.lastRead;
      const isCounted =
        last.bytes === reads.bytes &&
        last.isWhole === reads.trips > 1 &&
        last.tokens === reads.words[4] &&
        last.gathered === listedIds.length;
      const wide = isHalf ? Float32Array.from(new Float16Array(given.buffer)) : row;
      const words = inOrder(reads.words);
      const twin = inOrder(partOf(wide, tokenCount, matchers[1]?.mask, listedIds));
      const isPart = twin.length === words.length && twin.every((word, at) => word === words[at]);
      result.listed = Math.max(result.listed, listedIds.length);
      const isEqual =
        (isCounted || typeof got === "string") &&
        got === expected &&
        near.lastProbability === far.lastProbability &&
        JSON.stringify(distribution) === JSON.stringify(same);
      if (!isEqual || !isPart) result.wrong.push({ number, i, shape, got, expected, isPart });
      result.steps++;
      const name = JSON.stringify(settings[number % settings.length]);
      result.rows[name] ??= { steps: 0, needed: 0 };
      result.rows[name].steps++;
      if (reads.trips > 1) result.rows[name].needed++;
      else {
        result.largest = Math.max(result.largest, reads.bytes);
        result.trips = Math.max(result.trips, reads.trips);
      }
    }
    near.dispose();
    far.dispose();
    buffer.destroy();
  }
  device.destroy();
  return result;
}

const codeOf = async (work) => {
  try {
    await work();
    return "no error";
  } catch (error) {
    return `${error.name} ${error.code}`;
  }
};

/** What is refused, and what it changes. */
export async function refusals() {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const other = await (await navigator.gpu.requestAdapter()).requestDevice();
  const vocabSize = 5000;
  const make = (from, usage = STORAGE | COPY_SRC | COPY_DST, size = 4 * vocabSize) =>
    from.createBuffer({ size, usage });
  const row = makeRow(vocabSize, "model");
  const buffer = make(device);
  device.queue.writeBuffer(buffer, 0, row);
  const options = { vocabSize, topK: 30, mirostat: 0, repetitionPenalty: 1.1, seed: 3 };
  const [sampler, same] = [await createSampler(options), await createSampler(options)];
  for (const each of [sampler, same]) each.sample(row);
  const codes = {};
  const from = (given, place = {}) => sampler.sampleFrom(given, { device, ...place });
  codes.usage = await codeOf(() => from(make(device, STORAGE | COPY_DST)));
  codes.short = await codeOf(() => from(make(device, undefined, 4 * vocabSize - 4)));
  codes.offset = await codeOf(() => from(buffer, { offset: 100 }));
  codes.beyond = await codeOf(() => from(buffer, { offset: 256 }));
  codes.type = await codeOf(() => from(buffer, { type: "bf16" }));
  codes.wake = await codeOf(() => from(buffer, { wake: 1 }));
  codes.name = await codeOf(() => from(buffer, { size: 3 }));
  codes.noBuffer = await codeOf(() => from({ usage: STORAGE | COPY_SRC, size: 1e7 }));
  codes.noBufferWhole = await codeOf(() =>
    sampler.informationFrom({ usage: STORAGE | COPY_SRC, size: 1e7 }, { device }),
  );
  codes.token = await codeOf(() => sampler.informationFrom(buffer, { device, token: vocabSize }));
  codes.top = await codeOf(() => sampler.informationFrom(buffer, { device, top: "3" }));
  codes.device = await codeOf(() => from(buffer, { device: {} }));
  codes.other = await codeOf(() => from(make(other)));
  const notANumber = make(device);
  device.queue.writeBuffer(
    notANumber,
    0,
    row.map((value, id) => (id === 9 ? NaN : value)),
  );
  codes.nan = await codeOf(() => from(notANumber));
  const probability = [sampler.lastProbability, same.lastProbability];
  const { tokens } = await sampler.distributionFrom(buffer, { device });
  const isSameDistribution = String(tokens) === String(same.distribution(row).tokens);
  const information = await sampler.informationFrom(buffer, { device, token: 5, top: 3 });
  const isSameInformation = JSON.stringify(information) === JSON.stringify(same.information(row, { token: 5, top: 3 }));
  probability.push(sampler.lastProbability);
  // A device whose reads end only after a few submissions: a waking sampler makes them.
  let submissions = 0;
  const { submit } = device.queue;
  device.queue.submit = (lists) => (submissions++, submit.call(device.queue, lists));
  const { mapAsync: mapNow } = GPUBuffer.prototype;
  GPUBuffer.prototype.mapAsync = async function (...given) {
    await mapNow.apply(this, given);
    const end = submissions + 3;
    for (let i = 0; submissions < end; i++) {
      if (i > 10_000) throw new Error("nothing is submitted meanwhile");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const woken = [await from(buffer, { wake: true }), same.sample(row)];
  GPUBuffer.prototype.mapAsync = mapNow;
  device.queue.submit = submit;
  const pending = from(buffer);
  codes.sample = await codeOf(() => sampler.sample(row));
  codes.set = await codeOf(() => sampler.set({ topK: 3 }));
  codes.second = await codeOf(() => from(buffer));
  const drawn = [woken, [await pending, same.sample(row)]];
  drawn.push([sampler.sample(row), same.sample(row)]);
  const clone = sampler.clone();
  drawn.push([await clone.sampleFrom(buffer, { device }), await from(buffer)]);
  same.sample(row);
  // A sampler that has moved is disposed of while the kernels are looked up, and while the part is read.
  for (const [name, method] of [
    ["disposedFirst", "popErrorScope"],
    ["disposedReading", "mapAsync"],
  ]) {
    const doomed = await createSampler(options);
    await doomed.sampleFrom(buffer, { device });
    const owner = method === "mapAsync" ? GPUBuffer.prototype : device;
    const former = owner[method];
    owner[method] = function (...given) {
      doomed.dispose();
      return former.apply(this, given);
    };
    codes[name] = await codeOf(() => doomed.sampleFrom(buffer, { device }));
    owner[method] = former;
  }
  const disposed = from(buffer);
  clone.dispose();
  device.destroy();
  codes.lost = await codeOf(() => disposed);
  codes.lostAgain = await codeOf(() => from(buffer));
  codes.tokenLost = await codeOf(() => sampler.informationFrom(buffer, { device, token: -1 }));
  drawn.push([sampler.sample(row), same.sample(row)]);
  const last = sampler.sampleFrom(make(other), { device: other });
  sampler.dispose();
  codes.disposed = await codeOf(() => last);
  return { codes, drawn, probability, isSameDistribution, isSameInformation };
}

/** What steps on rows of one buffer, and many at once, leave on the device, and in memory. */
export async function economy() {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const vocabSize = 4096;
  const buffer = device.createBuffer({ size: 8 * vocabSize, usage: STORAGE | COPY_SRC | COPY_DST });
  for (const offset of [0, 4 * vocabSize]) device.queue.writeBuffer(buffer, offset, makeRow(vocabSize, "model"));
  const group = await createGroup(24, { vocabSize, topK: 30, seed: 1 });
  const made = { bindGroups: 0, buffers: 0, destroyed: 0 };
  const { createBindGroup, createBuffer } = device;
  device.createBindGroup = (given) => (made.bindGroups++, createBindGroup.call(device, given));
  device.createBuffer = (given) => (made.buffers++, createBuffer.call(device, given));
  const { destroy } = GPUBuffer.prototype;
  GPUBuffer.prototype.destroy = function () {
    made.destroyed++;
    destroy.call(this);
  };
  const [first] = group.samplers;
  const steps = async (count) => {
    for (let i = 0; i < count; i++) await first.sampleFrom(buffer, { device, offset: 4 * vocabSize * (i % 2) });
    return made.bindGroups;
  };
  const bindGroups = [await steps(2), await steps(10)];
  await Promise.all(group.samplers.map((sampler) => sampler.sampleFrom(buffer, { device })));
  const memories = new Set(group.samplers.map(({ instance }) => instance.views().bytes.buffer));
  const inputs = group.samplers.map((sampler) => {
    const { exports, views } = sampler.instance;
    return views().words[exports.li_sampler_get_arrays(sampler.address) >>> 2];
  });
  GPUBuffer.prototype.destroy = destroy;
  group.dispose();
  device.destroy();
  const kept = made.buffers - made.destroyed;
  return { bindGroups, kept, destroyed: made.destroyed, memories: memories.size, scratches: new Set(inputs).size };
}

/** What the example of demos/docs/gpu.md writes, by rows that the page computes. */
export async function rowsOfExample() {
  const vocabSize = 128256;
  const sampler = await createSampler({ vocabSize, topK: 40, topP: 0.95, temperature: 0.8, seed: 7 });
  const text = [0];
  while (text.length <= 20) {
    const salt = Math.imul(text.at(-1) + 1, 2246822519);
    const row = Float32Array.from({ length: vocabSize }, (_, id) => {
      const shared = Math.fround((((Math.imul(id, 2654435761) ^ salt) >>> 8) % 65536) / 65536);
      const { fround } = Math;
      return fround(fround(fround(20 * shared) * shared) * shared);
    });
    text.push(sampler.sample(row));
  }
  return text;
}
