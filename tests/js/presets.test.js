// Every order preset against a small float64 implementation of its system: kept set and probabilities. Comments say
// where systems disagree. None of this is their code.
import assert from "node:assert/strict";
import test from "node:test";
import { near, normalRow, ranking, uniforms, withSampler } from "./sampler-tools.js";

/** Probabilities by id; 0 for removed tokens. */
function probabilities(logits, temperature = 1) {
  const peak = Math.max(...logits);
  const weights = logits.map((z) => Math.exp((z - peak) / temperature));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
}

const entropy = (p) => -p.reduce((sum, x) => sum + (x > 0 ? x * Math.log(x) : 0), 0);

/** The logits, -Infinity where `stays` is false. */
const keepWhere = (logits, stays) => logits.map((z, id) => (z > -Infinity && stays(id) ? z : -Infinity));

const keepFirst = (logits, order, count) => {
  const first = new Set(order.slice(0, count));
  return keepWhere(logits, (id) => first.has(id));
};

/** How many of the ordered tokens it takes until their mass is enough. */
function countUntil(p, order, isEnough) {
  let sum = 0;
  const at = order.findIndex((id) => isEnough((sum += p[id])));
  return at < 0 ? order.length : at + 1;
}

const alive = (logits) => ranking(logits).filter((id) => logits[id] > -Infinity);

/** Occurrences by id. */
function countsOf(tokens) {
  const counts = new Map();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function repeat(logits, tokens, penalty = 1) {
  const next = [...logits];
  for (const id of new Set(tokens)) next[id] = Math.fround(next[id] > 0 ? next[id] / penalty : next[id] * penalty);
  return next;
}

function subtract(logits, tokens, { frequencyPenalty = 0, presencePenalty = 0 }) {
  const next = [...logits];
  for (const [id, count] of countsOf(tokens))
    next[id] = Math.fround(next[id] - count * frequencyPenalty - presencePenalty);
  return next;
}

const addBias = (logits, bias = {}) => logits.map((z, id) => Math.fround(z + (bias[id] ?? 0)));
const scale = (logits, temperature = 1) => logits.map((z) => z / temperature);
const topP = (logits, p) =>
  p === undefined
    ? logits
    : keepFirst(
        logits,
        alive(logits),
        countUntil(probabilities(logits), alive(logits), (sum) => sum >= p),
      );
const minP = (logits, share) =>
  share === undefined ? logits : keepWhere(logits, (id) => logits[id] >= Math.max(...logits) + Math.log(share));

/** DRY: finds every earlier place where the end of the text occurred, what followed, and how long the repetition is. */
function dry(logits, tokens, { dryMultiplier, dryBase = 1.75, dryAllowedLength = 2, dryBreakers = [] }) {
  if (!dryMultiplier) return logits;
  const text = tokens.slice(-64);
  const breakers = dryBreakers.flat();
  const last = text.findLastIndex((token) => breakers.includes(token));
  const limit = text.length - 1 - last;
  const longest = new Map();
  for (let next = 1; next < text.length; next++) {
    let length = 0;
    while (length < next && length < limit && text[next - 1 - length] === text[text.length - 1 - length]) length++;
    longest.set(text[next], Math.max(longest.get(text[next]) ?? 0, length));
  }
  const edited = [...logits];
  for (const [token, length] of longest)
    if (length >= dryAllowedLength && !breakers.includes(token))
      edited[token] = Math.fround(edited[token] - dryMultiplier * dryBase ** (length - dryAllowedLength));
  return edited;
}

/**
 * llama.cpp: bias, penalties over the last 64 tokens (prompt too), DRY, top-n-sigma, top-k (exactly k), typical (until
 * the mass is exceeded), top-p, min-p, XTC, and the temperature last.
 */
function llamacpp(row, o, prompt, output) {
  const window = [...prompt, ...output].slice(-64);
  let z = addBias([...row], o.logitBias);
  z = subtract(repeat(z, window, o.repetitionPenalty), window, o);
  z = dry(z, [...prompt, ...output], o);
  if (o.topNSigma) {
    const values = z.filter((value) => value > -Infinity);
    const mean = values.reduce((a, b) => a + b) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    const least = Math.max(...z) - o.topNSigma * deviation;
    z = keepWhere(z, (id) => z[id] >= least);
  }
  if (o.topK) z = keepFirst(z, alive(z), o.topK);
  if (o.typicalP !== undefined) {
    const p = probabilities(z);
    const h = entropy(p);
    const distance = p.map((x) => Math.abs(-Math.log(x) - h));
    const order = alive(z).sort((a, b) => distance[a] - distance[b]);
    z = keepFirst(
      z,
      order,
      countUntil(p, order, (sum) => sum > o.typicalP),
    );
  }
  z = minP(topP(z, o.topP), o.minP);
  if (o.xtcProbability) {
    const p = probabilities(z);
    const choices = alive(z).filter((id) => p[id] >= o.xtcThreshold);
    const excluded = new Set(choices.slice(0, -1));
    z = keepWhere(z, (id) => !excluded.has(id));
  }
  return scale(z, o.temperature);
}

/**
 * Hugging Face: sequence bias, repetition over prompt and output, n-grams, minimum length, length decay, temperature,
 * top-h, top-k (with all that ties), top-p, min-p, typical (with all that ties), epsilon, eta.
 */
function hf(row, o, prompt, output) {
  const text = [...prompt, ...output];
  let z = addBias([...row], o.logitBias);
  for (const [ids, bias] of o.sequenceBias ?? [])
    if (ids.slice(0, -1).every((id, i) => id === text.at(i + 1 - ids.length)))
      z[ids.at(-1)] = Math.fround(z[ids.at(-1)] + bias);
  z = repeat(z, text, o.repetitionPenalty);
  if (o.noRepeatNgram) {
    const n = o.noRepeatNgram;
    const end = text.slice(text.length - n + 1).join();
    for (let i = 0; i + n <= text.length; i++)
      if (text.slice(i, i + n - 1).join() === end) z[text[i + n - 1]] = -Infinity;
  }
  if (output.length < (o.minTokens ?? 0)) for (const id of o.eos) z[id] = -Infinity;
  if (o.lengthDecay)
    for (const id of o.eos)
      if (z[id] > -Infinity) z[id] = Math.fround(z[id] + Math.abs(z[id]) * (o.lengthDecay ** output.length - 1));
  z = scale(z, o.temperature);
  if (o.topH) {
    const first = alive(z).slice(0, 100);
    const p = probabilities(first.map((id) => z[id]));
    const limit = o.topH * entropy(p);
    let sum = 0;
    const beyond = p.findIndex((x) => (sum -= x * Math.log(x)) > limit);
    z = keepFirst(z, first, beyond < 0 ? first.length : Math.max(1, beyond));
  }
  if (o.topK) {
    const least = z[alive(z)[Math.min(o.topK, alive(z).length) - 1]];
    z = keepWhere(z, (id) => z[id] >= least);
  }
  z = minP(topP(z, o.topP), o.minP);
  if (o.typicalP !== undefined) {
    const p = probabilities(z);
    const h = entropy(p);
    const distance = p.map((x) => Math.abs(-Math.log(x) - h));
    const order = alive(z).sort((a, b) => distance[a] - distance[b]);
    const last = order[countUntil(p, order, (sum) => sum >= o.typicalP) - 1];
    // Rounding must not tell equal logits apart.
    z = keepWhere(z, (id) => distance[id] <= distance[last] + 1e-12);
  }
  for (const [cutoff, threshold] of [
    [o.epsilonCutoff, () => o.epsilonCutoff],
    [o.etaCutoff, (p) => Math.min(o.etaCutoff, Math.sqrt(o.etaCutoff) * Math.exp(-entropy(p)))],
  ]) {
    if (!cutoff) continue;
    const p = probabilities(z);
    const least = threshold(p);
    const peak = Math.max(...z);
    z = keepWhere(z, (id) => p[id] >= least || z[id] === peak);
  }
  return z;
}

/** vLLM: bad words in the output, bias, repetition over prompt and output, counts over the output, temperature, min-p, top-k (with all that ties), top-p. */
function vllm(row, o, prompt, output) {
  let z = [...row];
  for (const ids of o.badWords ?? [])
    if (ids.slice(0, -1).every((id, i) => id === output.at(i + 1 - ids.length))) z[ids.at(-1)] = -Infinity;
  if (output.length < (o.minTokens ?? 0)) for (const id of o.eos) z[id] = -Infinity;
  z = addBias(z, o.logitBias);
  z = subtract(repeat(z, [...prompt, ...output], o.repetitionPenalty), output, o);
  z = minP(scale(z, o.temperature), o.minP);
  if (o.topK) {
    const least = z[alive(z)[Math.min(o.topK, alive(z).length) - 1]];
    z = keepWhere(z, (id) => z[id] >= least);
  }
  return topP(z, o.topP);
}

/** WebLLM: bias, counts before the repetition penalty, both over the output of this turn, temperature, top-p. */
function webllm(row, o, prompt, output) {
  const z = repeat(subtract(addBias([...row], o.logitBias), output, o), output, o.repetitionPenalty);
  return topP(scale(z, o.temperature), o.topP);
}

/** Tail-free sampling with z: cuts the sorted probabilities where the sum of their second differences exceeds z. */
function tailFree(z, share) {
  const order = alive(z);
  if (share === undefined || order.length < 3) return z;
  const p = probabilities(z);
  const bends = order.slice(2).map((id, i) => Math.abs(p[order[i]] - 2 * p[order[i + 1]] + p[id]));
  const all = bends.reduce((a, b) => a + b);
  let sum = 0;
  const cut = bends.findIndex((bend, i) => (sum += all > 1e-6 ? bend / all : 1 / bends.length) > share && i >= 1);
  return cut < 0 ? z : keepFirst(z, order, cut);
}

/**
 * KoboldCpp: bias, DRY, repetition and presence over the last tokens (prompt too), top-k, top-a, tail-free, typical
 * (until the mass is exceeded), top-p, min-p, temperature with smoothing, top-n-sigma, XTC.
 */
function koboldcpp(row, o, prompt, output) {
  const window = [...prompt, ...output];
  let z = dry(addBias([...row], o.logitBias), window, o);
  z = subtract(repeat(z, window, o.repetitionPenalty), window, o);
  if (o.topK) z = keepFirst(z, alive(z), o.topK);
  if (o.topA) {
    const p = probabilities(z);
    const largest = Math.max(...p);
    z = keepWhere(z, (id) => p[id] >= o.topA * largest ** 2);
  }
  z = tailFree(z, o.tfsZ);
  if (o.typicalP !== undefined) {
    const p = probabilities(z);
    const h = entropy(p);
    const distance = p.map((x) => Math.abs(-Math.log(x) - h));
    const order = alive(z).sort((a, b) => distance[a] - distance[b]);
    z = keepFirst(
      z,
      order,
      countUntil(p, order, (sum) => sum > o.typicalP),
    );
  }
  z = scale(minP(topP(z, o.topP), o.minP), o.temperature);
  if (o.smoothingFactor) {
    const h = Math.max(...z);
    const curve = o.smoothingCurve ?? 1;
    const bent = (x) =>
      x === -Infinity ? x : o.smoothingFactor * (((curve - 1) / 2) * (x - h) ** 3 - ((3 - curve) / 2) * (x - h) ** 2);
    z = z.map(bent);
  }
  if (o.topNSigma) {
    const values = z.filter((value) => value > -Infinity);
    const mean = values.reduce((a, b) => a + b) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    const least = Math.max(...z) - o.topNSigma * deviation;
    z = keepWhere(z, (id) => z[id] >= least);
  }
  if (o.xtcProbability) {
    const p = probabilities(z);
    const excluded = new Set(
      alive(z)
        .filter((id) => p[id] >= o.xtcThreshold)
        .slice(0, -1),
    );
    z = keepWhere(z, (id) => !excluded.has(id));
  }
  return z;
}

/**
 * ExLlamaV3: bias, repetition and counts over prompt and output, temperature, min-p, top-k (with all that ties), top-p
 * without the token that crosses p.
 */
function exllama(row, o, prompt, output) {
  const text = [...prompt, ...output];
  let z = scale(subtract(repeat(addBias([...row], o.logitBias), text, o.repetitionPenalty), text, o), o.temperature);
  z = minP(z, o.minP);
  if (o.topK) {
    const least = z[alive(z)[Math.min(o.topK, alive(z).length) - 1]];
    z = keepWhere(z, (id) => z[id] >= least);
  }
  if (o.topP !== undefined) {
    const p = probabilities(z);
    const order = alive(z);
    let sum = 0;
    const crossing = order.findIndex((id) => (sum += p[id]) > o.topP);
    if (crossing >= 0) z = keepFirst(z, order, Math.max(1, crossing));
  }
  return z;
}

/**
 * SGLang: counts before repetition, both over the output, minimum length, bias, temperature; then top-k and top-p, which
 * both see the whole distribution, and min-p.
 */
function sglang(row, o, prompt, output) {
  let z = subtract([...row], output, o);
  if (output.length < (o.minTokens ?? 0)) for (const id of o.eos) z[id] = -Infinity;
  z = scale(addBias(repeat(z, output, o.repetitionPenalty), o.logitBias), o.temperature);
  const first = o.topK ? alive(z).slice(0, o.topK) : alive(z);
  const both = new Set(alive(topP(z, o.topP)).filter((id) => first.includes(id)));
  return minP(
    keepWhere(z, (id) => both.has(id)),
    o.minP,
  );
}

const pick = (next, values) => values[Math.floor(next() * values.length)];
const between = (next, low, high) => low + next() * (high - low);

/** Random values of each system's options. */
const ranges = {
  temperature: (next) => between(next, 0.3, 2.5),
  repetitionPenalty: (next) => between(next, 0.8, 1.6),
  frequencyPenalty: (next) => between(next, -0.5, 1.5),
  presencePenalty: (next) => between(next, -0.5, 1.5),
  logitBias: (next, size) => Object.fromEntries([0, 1, 2].map((id) => [(id * 7) % size, between(next, -3, 3)])),
  topK: (next) => Math.ceil(40 * next()),
  topP: (next) => between(next, 0.1, 0.99),
  minP: (next) => between(next, 0.001, 0.4),
  typicalP: (next) => between(next, 0.1, 0.99),
  topNSigma: (next) => between(next, 0.3, 3),
  topH: (next) => between(next, 0.1, 0.95),
  topA: (next) => between(next, 0.01, 1),
  tfsZ: (next) => between(next, 0.3, 0.99),
  smoothingFactor: (next) => between(next, 0.1, 2),
  epsilonCutoff: (next) => between(next, 0.001, 0.05),
  etaCutoff: (next) => between(next, 0.001, 0.2),
  dryMultiplier: (next) => between(next, 0.2, 2),
  noRepeatNgram: (next) => pick(next, [2, 3]),
  xtcProbability: () => 1,
  minTokens: (next) => pick(next, [1, 40]),
  lengthDecay: (next) => between(next, 0.9, 1.1),
  sequenceBias: (next, size) => sequences(next, size).map((ids) => [ids, between(next, -4, 4)]),
  badWords: (next, size) => sequences(next, size),
};
const sequences = (next, size) =>
  Array.from({ length: 12 }, () =>
    Array.from({ length: 1 + Math.floor(3 * next()) }, () => Math.floor(Math.min(size, 9) * next() ** 2)),
  );
const counted = ["repetitionPenalty", "frequencyPenalty", "presencePenalty"];
const systems = [
  [
    ...["llamacpp", llamacpp, "logitBias"],
    ...[...counted, "dryMultiplier", "topNSigma", "topK", "typicalP", "topP", "minP", "xtcProbability", "temperature"],
  ],
  [
    ...["hf", hf, "logitBias", "sequenceBias", "repetitionPenalty", "noRepeatNgram", "minTokens"],
    ...["lengthDecay", "temperature", "topH", "topK", "topP", "minP", "typicalP", "epsilonCutoff", "etaCutoff"],
  ],
  ["vllm", vllm, "badWords", "minTokens", "logitBias", ...counted, "temperature", "minP", "topK", "topP"],
  ["webllm", webllm, "logitBias", ...counted, "temperature", "topP"],
  [
    ...["koboldcpp", koboldcpp, "logitBias", "dryMultiplier", "repetitionPenalty", "presencePenalty", "topK", "topA"],
    ...["tfsZ", "typicalP", "topP", "minP", "temperature", "smoothingFactor", "topNSigma", "xtcProbability"],
  ],
  ["exllama", exllama, "logitBias", ...counted, "temperature", "topK", "topP", "minP"],
  ["sglang", sglang, "minTokens", "logitBias", ...counted, "temperature", "topK", "topP", "minP"],
];

for (const [order, system, ...names] of systems)
  test(`${order} keeps the tokens of its system, with the same probabilities`, async () => {
    const next = uniforms(5);
    const used = new Set();
    let reached = 0;
    for (let run = 0; run < 400; run++) {
      const size = pick(next, [12, 60, 400]);
      const logits = normalRow(size, run, pick(next, [0.3, 2, 4]));
      // Some rows are full of ties, some masked in places.
      if (next() < 0.3) logits.forEach((z, id) => (logits[id] = Math.round(z)));
      if (next() < 0.3) logits.forEach((_, id) => id % 3 === 1 && (logits[id] = pick(next, [-Infinity, -3.4e38])));
      const options = {};
      for (const name of names) if (next() < 0.4) options[name] = ranges[name](next, size);
      if (options.smoothingFactor) options.smoothingCurve = between(next, 1, 3);
      if (options.xtcProbability) options.xtcThreshold = between(next, 0.02, 0.3);
      if (options.dryMultiplier) options.dryBreakers = [[size - 1], [size - 2]];
      if (options.minTokens || options.lengthDecay) options.eos = [3, 4];
      const tokens = (count) => Array.from({ length: count }, () => Math.floor(Math.min(size, 9) * next() ** 2));
      const prompt = tokens(Math.floor(60 * next()));
      const output = tokens(Math.floor(30 * next() ** 3));
      const masked = Array.from(logits, (z) => (z < -1e30 ? -Infinity : z));
      const left = system(masked, options, prompt, output);
      await withSampler({ vocabSize: size, order, ...options }, (sampler) => {
        sampler.accept(prompt, { prompt: true });
        sampler.accept(output);
        const what = `run ${run}: ${JSON.stringify(options)}`;
        if (!alive(left).length) return assert.throws(() => sampler.distribution(logits), { code: "nothing-left" });
        const actual = sampler.distribution(logits);
        const expected = probabilities(left);
        assert.deepEqual(
          [...actual.tokens].sort((a, b) => a - b),
          alive(left).sort((a, b) => a - b),
          what,
        );
        near(
          [...actual.probabilities],
          [...actual.tokens].map((id) => expected[id]),
          1e-6,
        );
        Object.keys(options).forEach((name) => used.add(name));
        reached++;
      });
    }
    assert.ok(reached > 300 && names.every((name) => used.has(name)), `${reached} rows, ${[...used]}`);
  });

test("every system ends the nucleus where the sum is exactly p", async () => {
  for (const order of ["llamacpp", "hf", "vllm", "webllm", "koboldcpp", "sglang", "default"])
    for (const [topP, count] of [
      [0.5, 4],
      [0.50001, 5],
      [0.49999, 4],
      [0, 1],
    ])
      await withSampler({ vocabSize: 8, order, topP }, (sampler) =>
        assert.equal(sampler.distribution(new Float32Array(8)).tokens.length, count),
      );
});

test("exllama leaves out the token with which the sum exceeds p, but never the likeliest", async () => {
  for (const [topP, count] of [
    [0.5, 4],
    [0.50001, 4],
    [0.49999, 3],
    [0.1, 1],
    [0, 1],
  ])
    await withSampler({ vocabSize: 8, order: "exllama", topP }, (sampler) =>
      assert.equal(sampler.distribution(new Float32Array(8)).tokens.length, count),
    );
});

test("exllama's top-p counts only the mass that min-p leaves", async () => {
  // Min-p at 0.7 leaves .4 and .3, so .57 and .43: the second crosses .75. Of all, .4 + .3 would fit.
  await withSampler({ vocabSize: 4, order: "exllama", minP: 0.7, topP: 0.75 }, (sampler) =>
    assert.deepEqual([...sampler.distribution(Float32Array.of(0.4, 0.3, 0.2, 0.1).map(Math.log)).tokens], [0]),
  );
});

// What each system has no stage for.
const refused = {
  llamacpp: ["sequenceBias", "badWords", "noRepeatNgram", "minTokens", "lengthDecay", "epsilonCutoff", "etaCutoff"],
  hf: ["dryMultiplier", "topNSigma", "tfsZ", "xtcProbability", "mirostat", "adaptiveTarget"],
  vllm: ["dryMultiplier", "noRepeatNgram", "lengthDecay", "typicalP", "epsilonCutoff", "topH", "tfsZ", "mirostat"],
  webllm: ["sequenceBias", "badWords", "dryMultiplier", "noRepeatNgram", "minTokens", "topK", "minP", "typicalP"],
  koboldcpp: ["sequenceBias", "badWords", "noRepeatNgram", "minTokens", "epsilonCutoff", "etaCutoff", "topH", "pLess"],
  exllama: ["dryMultiplier", "minTokens", "typicalP", "topA", "tfsZ", "smoothingFactor", "xtcProbability", "mirostat"],
  sglang: ["dryMultiplier", "noRepeatNgram", "badWords", "typicalP", "topA", "entropyEquilibrium", "mirostat"],
};
const settings = {
  sequenceBias: [[[1], 1]],
  badWords: [[1]],
  noRepeatNgram: 2,
  minTokens: 1,
  lengthDecay: 1.1,
  epsilonCutoff: 0.1,
  etaCutoff: 0.1,
  dryMultiplier: 1,
  topNSigma: 1,
  topH: 0.5,
  tfsZ: 0.5,
  xtcProbability: 0.5,
  mirostat: 2,
  adaptiveTarget: 0.5,
  typicalP: 0.5,
  topK: 3,
  minP: 0.1,
  topA: 0.5,
  pLess: true,
  entropyEquilibrium: 1,
  smoothingFactor: 0.5,
};
for (const [order, names] of Object.entries(refused))
  test(`${order} refuses options that its system lacks`, async () => {
    for (const name of names) {
      const options = { vocabSize: 6, order, [name]: settings[name], eos: [1] };
      await assert.rejects(
        withSampler(options, () => {}),
        {
          name: "RangeError",
          code: "conflict",
          message: new RegExp(`^${name} needs the stage`),
        },
      );
    }
  });

test("scopes and window follow the system, unless given", async () => {
  const options = { vocabSize: 3, repetitionPenalty: 2, frequencyPenalty: 0.25 };
  const logits = Float32Array.of(8, 8, 8);
  // Token 0 was read 65 tokens ago, token 1 read after it, token 2 emitted.
  for (const [order, expected, given] of [
    ["llamacpp", [8, 8 / 2 - 63 * 0.25, 8 / 2 - 0.25]],
    ["hf", [8 / 2, 8 / 2, 8 / 2 - 0.25]],
    ["vllm", [8 / 2, 8 / 2, 8 / 2 - 0.25]],
    ["webllm", [8, 8, (8 - 0.25) / 2]],
    ["koboldcpp", [8 / 2 - 0.25, 8 / 2 - 63 * 0.25, 8 / 2 - 0.25]],
    ["exllama", [8 / 2 - 0.25, 8 / 2 - 63 * 0.25, 8 / 2 - 0.25]],
    ["sglang", [8, 8, (8 - 0.25) / 2]],
    ["llamacpp", [8 / 2 - 0.25, 8 / 2 - 63 * 0.25, 8 / 2 - 0.25], { penaltyWindow: 0 }],
    [
      "webllm",
      [(8 - 0.25) / 2, (8 - 63 * 0.25) * 2, (8 - 0.25) / 2],
      { repetitionScope: "context", countScope: "context" },
    ],
    ["vllm", [8, 8, 8 / 2 - 0.25], { penaltyWindow: 1 }],
  ])
    await withSampler({ ...options, order, ...given }, (sampler) => {
      sampler.accept([0, ...new Array(63).fill(1)], { prompt: true });
      sampler.accept(2);
      near([...sampler.trace(logits).logits], expected);
    });
});

test("vllm is greedy below a temperature of 1e-5, sglang below 1e-6, and hf's top-k leaves min_tokens_to_keep", async () => {
  const tied = Float32Array.of(1, 2, 2, 0);
  const kept = (options) =>
    withSampler({ vocabSize: 4, ...options }, (sampler) => [...sampler.distribution(tied).tokens]);
  assert.deepEqual(await kept({ order: "vllm", temperature: 9e-6, topK: 2 }), [1]);
  assert.deepEqual(await kept({ order: "vllm", temperature: 1e-5, topK: 2 }), [1, 2]);
  assert.deepEqual(await kept({ temperature: 9e-6, topK: 2 }), [1, 2]);
  assert.deepEqual(await kept({ order: "sglang", temperature: 9e-7, topK: 2 }), [1]);
  assert.deepEqual(await kept({ order: "sglang", temperature: 1e-6, topK: 2 }), [1, 2]);
  assert.deepEqual(await kept({ order: "hf", topK: 1, minKeep: 3 }), [1, 2, 0]);
  assert.deepEqual(await kept({ topK: 1, minKeep: 3 }), [1]);
});
