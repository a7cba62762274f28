// What a step of the sampler costs, in microseconds and in units of one exact SIMD pass of max plus exp-and-sum over
// the logits (unit.c). Runs in Node and in pages.

let state = 12345;
const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** A row like a model's: N(-2, 2.2) with 300 spikes N(6, 3). */
export function realisticRow(size) {
  const row = Float32Array.from({ length: size }, () => -2 + 2.2 * normal());
  for (let i = 0; i < 300; i++) row[Math.floor(uniform() * size)] = 6 + 3 * normal();
  return row;
}

/** A row of noise: N(0, 1). */
export const flatRow = (size) => Float32Array.from({ length: size }, normal);

const everything = { topK: 40, topP: 0.95, minP: 0.05, repetitionPenalty: 1.1, frequencyPenalty: 0.1 };

/** [name, goal in units or null, options, kind of row, method] */
export const chains = [
  ["greedy", 0.15, { temperature: 0 }],
  ["temperature .8", null, { temperature: 0.8 }],
  ["top-k 40, min-p .05, temperature .8", 0.25, { temperature: 0.8, topK: 40, minP: 0.05 }],
  ["top-p .95, temperature .8", 1.2, { temperature: 0.8, topP: 0.95 }],
  [
    "penalties over 2,000 tokens, top-k 40, top-p .95, min-p .05, temperature .8",
    0.35,
    { temperature: 0.8, ...everything, presencePenalty: 0.1, countScope: "context" },
  ],
  ["top-p .999, flat", 2.5, { topP: 0.999 }, flatRow],
  ["top-p .999, flat: distribution()", 10, { topP: 0.999 }, flatRow, "distribution"],
  ["typical .95", null, { typicalP: 0.95 }],
  ["epsilon 3e-4", null, { epsilonCutoff: 3e-4 }],
  ["eta 3e-4", null, { etaCutoff: 3e-4 }],
  ["top-n-sigma 1", null, { topNSigma: 1 }],
  ["top-h .4", null, { topH: 0.4 }],
  ["tail-free .95", null, { tfsZ: 0.95 }],
  ["XTC", null, { xtcProbability: 1 }],
  ["dynamic temperature", null, { dynatempRange: 0.5 }],
];

/** The unit over a row, as a call. */
export async function createUnit(bytes, row) {
  const { exports } = (await WebAssembly.instantiate(bytes, {})).instance;
  new Float32Array(exports.memory.buffer, exports.row(), row.length).set(row);
  return () => exports.pass(row.length);
}

/** A sampler with its row in wasm memory and 2,000 tokens read. */
export async function createStep(createSampler, vocabSize, options, row) {
  const sampler = await createSampler({ vocabSize, seed: 1, ...options });
  const history = Array.from({ length: 2000 }, () => Math.floor(uniform() * Math.min(vocabSize, 900)));
  sampler.accept(history, { prompt: true });
  sampler.logits.set(row);
  return sampler;
}

/**
 * Minimum and median microseconds of every call, all of them in turn so that a slow moment meets them alike.
 * @param {Record<string, () => unknown>} calls
 * @param {number} rounds
 * @param {number} shortest milliseconds that one measurement lasts at least, for clocks that tick slowly
 */
export async function interleave(calls, rounds, shortest) {
  const all = [];
  for (const [name, call] of Object.entries(calls)) {
    for (let i = 0; i < 3; i++) await call();
    const start = performance.now();
    let repeats = 0;
    do {
      await call();
      repeats++;
    } while (performance.now() - start < shortest);
    all.push({ name, call, repeats, samples: [] });
  }
  for (let round = 0; round < rounds; round++)
    for (const { call, repeats, samples } of all) {
      const first = call(); // warms the caches up
      const isAsync = first instanceof Promise;
      await first;
      const start = performance.now();
      for (let i = 0; i < repeats; i++) isAsync ? await call() : call();
      samples.push(((performance.now() - start) * 1000) / repeats);
    }
  return Object.fromEntries(
    all.map(({ name, samples }) => {
      samples.sort((a, b) => a - b);
      return [name, { minimum: samples[0], median: samples[rounds >> 1] }];
    }),
  );
}

/** Every chain at one size, with the unit among them as "U". */
export async function measureChains({ createSampler, unitBytes, vocabSize, rounds, shortest, only = () => true }) {
  const rows = new Map([realisticRow, flatRow].map((make) => [make, make(vocabSize)]));
  const realistic = rows.get(realisticRow);
  const calls = { U: await createUnit(unitBytes, realistic) };
  const samplers = [];
  for (const [name, goal, options, row = realisticRow, method = "sample"] of chains) {
    if (!only(goal)) continue;
    const sampler = await createStep(createSampler, vocabSize, options, rows.get(row));
    samplers.push(sampler);
    // Steps in the middle of a text: what is accepted while measuring is forgotten again.
    const start = sampler.snapshot();
    let steps = 0;
    calls[name] =
      method === "sample"
        ? () => {
            if (++steps % 1000 === 0) sampler.restore(start);
            return sampler.sample();
          }
        : () => void sampler[method]();
  }
  const measured = await interleave(calls, rounds, shortest);
  for (const sampler of samplers) sampler.dispose();
  return measured;
}
