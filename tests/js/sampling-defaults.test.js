// A file's recommendations for sampling are read into config.sampling and apply beneath a caller's options.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { withSampling } from "../../web/chat/sampling-defaults.js";
import { randomModel } from "./tiny-gguf.js";

/** A model whose file has these keys below general.sampling. */
const withKeys = (keys, worker = false) => {
  const extra = Object.fromEntries(Object.entries(keys).map(([name, value]) => [`general.sampling.${name}`, value]));
  return loadModel(randomModel({ extra }), { worker, cache: false });
};

async function samplingOf(keys) {
  const model = await withKeys(keys);
  model.dispose();
  return model.config.sampling;
}

const usual = {
  temp: ["float32", 0.7],
  top_k: ["int32", 20],
  top_p: ["float32", 0.8],
  min_p: ["float32", 0.05],
  xtc_probability: ["float32", 0.1],
  xtc_threshold: ["float32", 0.15],
  penalty_last_n: ["int32", 64],
  penalty_repeat: ["float32", 1.05],
};

test("the keys of a file become options, with the numbers that the author wrote", async () => {
  for (const worker of [false, true]) {
    const model = await withKeys(usual, worker);
    assert.deepEqual(model.config.sampling, {
      options: {
        temperature: 0.7,
        topK: 20,
        topP: 0.8,
        minP: 0.05,
        xtcProbability: 0.1,
        xtcThreshold: 0.15,
        penaltyWindow: 64,
        repetitionPenalty: 1.05,
      },
      dropped: [],
    });
    model.dispose();
  }
  assert.deepEqual(await samplingOf({}), { options: {}, dropped: [] });
  const { options } = await samplingOf({ temp: ["float32", 1 / 3], mirostat: ["uint32", 2], mirostat_tau: ["float32", 4.5], mirostat_eta: ["float32", 0.2] }); // prettier-ignore
  assert.deepEqual(options, { temperature: 0.33333334, mirostat: 2, mirostatTau: 4.5, mirostatEta: 0.2 });
});

test("special numbers have the meaning that llama.cpp gives them", async () => {
  const keys = { temp: ["float32", -1], top_k: ["int32", -1], penalty_last_n: ["int32", -1] };
  assert.deepEqual(await samplingOf(keys), { options: { temperature: 0, topK: 0, penaltyWindow: 0 }, dropped: [] });
  const { options, dropped } = await samplingOf({ penalty_last_n: ["int32", 0], penalty_repeat: ["float32", 1.5] });
  assert.deepEqual(options, {});
  assert.deepEqual(
    dropped.map(({ name, value }) => [name, value]),
    [
      ["general.sampling.penalty_last_n", 0],
      ["general.sampling.penalty_repeat", 1.5],
    ],
  );
});

test("invalid recommendations are listed with their reasons, and the model loads", async () => {
  const { options, dropped } = await samplingOf({
    temp: ["string", "hot"],
    top_k: ["float32", 2.5],
    top_p: ["float32", 1.5],
    min_p: ["float32", NaN],
    mirostat: ["int32", 3],
    penalty_last_n: ["int32", -2],
    penalty_repeat: ["bool", true],
    xtc_probability: ["float32", [0.5]],
    xtc_threshold: ["float32", 0.25],
    sequence: ["string", "top_k;infill"],
  });
  assert.deepEqual(options, { xtcThreshold: 0.25 });
  const reasons = Object.fromEntries(
    dropped.map(({ name, reason }) => [name.replace("general.sampling.", ""), reason]),
  );
  assert.match(reasons.temp, /number/);
  assert.match(reasons.top_k, /2\.5.*whole/);
  assert.match(reasons.top_p, /1\.5.*from 0 to 1/);
  assert.match(reasons.min_p, /NaN/);
  assert.match(reasons.mirostat, /from 0 to 2/);
  assert.match(reasons.penalty_last_n, /-2/);
  assert.match(reasons.penalty_repeat, /number/);
  assert.match(reasons.xtc_probability, /number/);
  assert.match(reasons.sequence, /infill/);
  assert.equal(dropped.length, 9);
  assert.equal(dropped.find(({ name }) => name.endsWith(".temp"))?.value, null);
});

test("of recommendations that contradict each other the first wins", async () => {
  const mirostat = await samplingOf({ ...usual, mirostat: ["int32", 2], sequence: ["string", "top_k;temperature"] });
  assert.deepEqual(Object.keys(mirostat.options).sort(), ["mirostat", "penaltyWindow", "repetitionPenalty", "temperature", "xtcThreshold"]); // prettier-ignore
  assert.deepEqual(mirostat.dropped.map(({ name }) => name.slice(17)).sort(), [
    "min_p",
    "sequence",
    "top_k",
    "top_p",
    "xtc_probability",
  ]);
  const greedy = await samplingOf({ temp: ["float32", 0], mirostat: ["int32", 1] });
  assert.deepEqual(greedy.options, { temperature: 0 });
  assert.match(greedy.dropped[0].reason, /temperature above 0/);
});

test("a sequence becomes an order, and stages that it lacks have no effect", async () => {
  const { options, dropped } = await samplingOf({
    ...usual,
    sequence: ["string", "penalties;dry;temp;typ_p;top-k;min_p"],
  });
  const { order, ...others } = options;
  const places = ["repetition", "frequency", "dry", "temperature", "typical", "top_k", "min_p"];
  assert.deepEqual(
    order?.filter((stage) => places.includes(stage)),
    places,
  );
  assert.deepEqual(Object.keys(others).sort(), ["minP", "penaltyWindow", "repetitionPenalty", "temperature", "topK"]);
  assert.deepEqual(dropped.map(({ name }) => name.slice(17)).sort(), ["top_p", "xtc_probability", "xtc_threshold"]);
  for (const [text, reason] of [
    ["top_k;penalties", /penalties/],
    ["top_k;top_k", /twice/],
    [";", /no stage/],
    ["constructor", /constructor/],
    ["mask", /mask/],
  ]) {
    const wrong = await samplingOf({ ...usual, sequence: ["string", text] });
    assert.equal(wrong.options.order, undefined);
    assert.match(wrong.dropped[0].reason, reason);
    assert.equal(Object.keys(wrong.options).length, 8, "the others stay");
  }
});

test("a caller's options win, by any of their names", async () => {
  const sampling = await samplingOf(usual);
  const all = withSampling({}, sampling);
  assert.deepEqual(all, sampling.options);
  assert.deepEqual(withSampling({ top_k: 5, repeat_penalty: 1, maxTokens: 3 }, sampling), {
    ...all,
    topK: 5,
    repetitionPenalty: 1,
    maxTokens: 3,
  });
  assert.deepEqual(withSampling({ topK: undefined, max_tokens: undefined }, sampling), all);
  assert.throws(() => withSampling({ topQ: 1 }, sampling), { code: "unknown-option" });
  assert.throws(() => withSampling({ topK: 1, top_k: 1 }, sampling), { code: "conflict" });
});

test("a recommendation that contradicts a caller's option is dropped", async () => {
  const sampling = await samplingOf(usual);
  const names = (options, from = sampling) => Object.keys(withSampling(options, from)).sort();
  assert.deepEqual(names({ mirostat: 2 }), ["mirostat", "penaltyWindow", "repetitionPenalty", "temperature", "xtcThreshold"]); // prettier-ignore
  assert.deepEqual(names({ order: "webllm" }), ["order", "penaltyWindow", "repetitionPenalty", "temperature", "topP"]);
  assert.deepEqual(names({ beams: 2 }), ["beams", "penaltyWindow", "repetitionPenalty", "xtcThreshold"]);
  const mirostat = await samplingOf({ mirostat: ["int32", 2], temp: ["float32", 0.5] });
  assert.deepEqual(names({ topK: 4 }, mirostat), ["temperature", "topK"]);
  assert.deepEqual(names({ temperature: 0 }, mirostat), ["temperature"]);
  const greedy = await samplingOf({ temp: ["float32", 0] });
  assert.deepEqual(names({ penaltyAlpha: 0.5, topK: 4 }, greedy), ["penaltyAlpha", "topK"]);
  assert.deepEqual(names({ forcedLast: [2], maxTokens: 4 }), names({ ...sampling.options, forcedLast: [2], maxTokens: 4 })); // prettier-ignore
});

test("every option a caller may give stays allowed with every file's recommendations", async () => {
  const files = [
    usual,
    { ...usual, sequence: ["string", "penalties;top_k;temperature"] },
    { temp: ["float32", 0] },
    { mirostat: ["int32", 1], mirostat_tau: ["float32", 3] },
    { sequence: ["string", "min_p;temperature"], min_p: ["float32", 0.1] },
  ];
  const callers = [
    { mirostat: 1 },
    { temperature: 0 },
    { temperature: 0.5, dynatempRange: 0.2 },
    { order: ["top_k", "temperature"], topK: 3 },
    { order: "hf", typicalP: 0.9 },
    { beams: 3, n: 2 },
    { beams: 2, noRepeatNgram: 2 },
    { penaltyAlpha: 0.4, topK: 4 },
    { minTokens: 3, lengthDecay: 1.1, dryMultiplier: 0.5 },
    { adaptiveTarget: 0.5 },
    { forcedLast: [2], maxTokens: 4 },
    { topNSigma: 1, xtcProbability: 0.5 },
    { regex: "a+", draft: "lookup" },
  ];
  for (const keys of files) {
    const model = await withKeys(keys);
    for (const options of callers) {
      const merged = withSampling(options, model.config.sampling);
      for (const [name, value] of Object.entries(options)) assert.deepEqual(merged[name], value);
      model.generate("a", merged);
      assert.ok((await model.complete("a", { seed: 1, maxTokens: 4, ...merged, n: 1 })).tokens.length > 0);
    }
    model.dispose();
  }
});

test("generate and complete do not follow the file", async () => {
  const [followed, plain] = await Promise.all([withKeys({ temp: ["float32", 0] }), withKeys({})]);
  const options = { seed: 3, maxTokens: 20 };
  const { text } = await followed.complete("ab", options);
  assert.equal(text, (await plain.complete("ab", options)).text);
  assert.notEqual(text, (await plain.complete("ab", { ...options, temperature: 0 })).text);
  followed.dispose();
  plain.dispose();
});
