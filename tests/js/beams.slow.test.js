// Beam search with the shipped storyteller: what it finds, what it costs, and how it ends.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";
import { logSoftmax, referenceBeams } from "./beam-reference.js";
import { rounds } from "../rounds.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const bytes = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));

/** The exports of the model instance loaded last, and a hook before every pass. */
const watched = { exports: null, model: 0, onForward: () => {} };
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (module, imports) => {
  const { exports } = await instantiate(module, imports);
  if (!exports.li_model_forward) return { exports };
  const li_model_forward = (model, count) => {
    const status = exports.li_model_forward(model, count);
    Object.assign(watched, { exports, model });
    watched.onForward(count);
    return status;
  };
  return { exports: { ...exports, li_model_forward } };
};

const model = await loadModel(new Blob([bytes]), { cache: false, worker: false });
after(() => model.dispose());
const { vocabSize, contextLength } = model.config;
const [eos] = model.vocabulary.eos;

async function collect(generation) {
  const chunks = [];
  for await (const chunk of generation) chunks.push(chunk);
  return chunks;
}

/** The texts that beams find: tokens, score, and the chunk. */
async function find(prompt, options) {
  const chunks = await collect(model.generate(prompt, options));
  return chunks
    .filter((chunk) => !chunk.beams)
    .map((chunk) => ({ ...chunk, tokens: chunk.tokens.map(({ id }) => id), details: chunk.tokens }));
}

const freeSlots = () => watched.exports.li_model_free_slots(watched.model) >>> 0;

/** Rows after a prompt and some tokens, each computed once. */
function rowsAfter(prompt, ids) {
  const rows = new Map();
  let former = [];
  return async (tokens) => {
    const key = tokens.join();
    if (!rows.has(key)) {
      const all = [...ids, ...tokens];
      let keep = 0;
      while (keep < all.length - 1 && all[keep] === former[keep]) keep++;
      rows.set(key, await model.forward(all.slice(keep), { keep }));
      former = all;
    }
    return rows.get(key);
  };
}

function same(found, expected, message) {
  assert.deepEqual(
    found.map(({ tokens }) => tokens),
    expected.map(({ tokens }) => tokens),
    message,
  );
  found.forEach(({ score }, i) =>
    assert.ok(Math.abs(score - expected[i].score) < 2e-6 * Math.max(1, -score), `${score}, ${expected[i].score}`),
  );
}

for (const prompt of ["Once upon a time, there was a little", "Tom and Lily went home. They were"])
  test(`30 steps after "${prompt}" are those of a search in float64`, async () => {
    const ids = await model.tokenize(prompt, { bos: true });
    const rowAfter = rowsAfter(prompt, ids);
    const logprobsAfter = async (tokens) => logSoftmax(await rowAfter(tokens));
    for (const [i, beams] of [1, 2, 3, 4, 8].entries())
      for (const [j, lengthPenalty] of [0, 0.7, 1, 2].entries()) {
        // Every width and every penalty; each prompt takes other pairs.
        if ((i + j + prompt.length) % rounds(1, 2)) continue;
        const options = { beams, lengthPenalty, maxTokens: 30 };
        const expected = await referenceBeams(logprobsAfter, { ...options, eos: [eos] });
        same(await find(prompt, { ...options, n: beams }), expected, JSON.stringify(options));
      }
    for (const earlyStopping of [true, "never"]) {
      const options = { beams: 4, earlyStopping, maxTokens: 30 };
      const expected = await referenceBeams(logprobsAfter, { ...options, eos: [eos] });
      same(await find(prompt, { ...options, n: 4 }), expected, JSON.stringify(options));
    }
    const groups = { beams: 4, beamGroups: 2, diversityPenalty: 0.8, maxTokens: 30 };
    const diverse = await referenceBeams(logprobsAfter, { ...groups, eos: [eos] });
    same(await find(prompt, { ...groups, n: 4 }), diverse, "groups");
  });

test("texts that end on their own are found before maxTokens, and compared by length", async () => {
  const prompt = "They all went home and went to sleep. The end";
  const ids = await model.tokenize(prompt, { bos: true });
  const rowAfter = rowsAfter(prompt, ids);
  const logprobsAfter = async (tokens) => logSoftmax(await rowAfter(tokens));
  for (const lengthPenalty of [0, 1]) {
    const options = { beams: 3, lengthPenalty, maxTokens: 40 };
    const found = await find(prompt, { ...options, n: 3 });
    same(found, await referenceBeams(logprobsAfter, { ...options, eos: [eos] }));
    assert.ok(found.some(({ finishReason }) => finishReason === "eos"));
    for (const { tokens, finishReason } of found) assert.equal(finishReason === "eos", tokens.at(-1) === eos);
  }
});

test("one beam with early stopping is greedy, and a search does not change a later greedy text", async () => {
  const prompt = "One day, a cat";
  const greedy = () => collect(model.generate(prompt, { temperature: 0, maxTokens: 60 }));
  const before = await greedy();
  const [one] = await find(prompt, { beams: 1, earlyStopping: true, maxTokens: 60 });
  assert.deepEqual(
    one.tokens,
    before.flatMap(({ tokens }) => tokens.map(({ id }) => id)),
  );
  await find(prompt, { beams: 6, maxTokens: 60 });
  const later = await greedy();
  assert.deepEqual(
    later.map(({ text, tokens }) => ({ text, tokens })),
    before.map(({ text, tokens }) => ({ text, tokens })),
  );
});

test("each text is one chunk, best first, with index, score and reason", async () => {
  const prompt = "Once upon a time";
  const found = await find(prompt, { beams: 5, n: 3, maxTokens: 12, captureLogits: true });
  const plain = await find(prompt, { beams: 5, n: 3, maxTokens: 12 });
  assert.deepEqual(
    found.map(({ index }) => index),
    [0, 1, 2],
  );
  const ids = await model.tokenize(prompt, { bos: true });
  for (const [i, { text, tokens, details, score, usage, finishReason }] of found.entries()) {
    assert.equal(finishReason, "length");
    if (i) assert.ok(score <= found[i - 1].score);
    assert.equal(text, (await model.detokenize([...ids, ...tokens])).slice((await model.detokenize(ids)).length));
    const { logprobs } = await model.score([...ids, ...tokens]);
    details.forEach(({ id, probability, rawLogprob, logits }, k) => {
      assert.equal(rawLogprob, logprobs[ids.length - 1 + k]);
      assert.ok(Math.abs(plain[i].details[k].rawLogprob - rawLogprob) < 1e-6);
      assert.ok(Math.abs(Math.log(probability) - rawLogprob) < 1e-6);
      assert.equal(logits.length, vocabSize);
      assert.ok(Math.abs(logSoftmax(logits)[id] - rawLogprob) < 1e-6);
    });
    const sum = details.reduce((total, { probability }) => total + Math.log(probability), 0);
    assert.ok(Math.abs(sum / 12 - score) < 1e-9);
    assert.equal(usage.completionTokens, 12);
    assert.equal(usage.passes, 12);
    assert.equal(usage.promptTokens, ids.length);
  }
  const [first] = await find(prompt, { beams: 2, maxTokens: 2, echo: true });
  assert.equal(first.text, prompt);
});

test("all texts found under a schema are instances of it", async () => {
  const grammar = await compileGrammar({
    vocabulary: model.vocabulary,
    whitespace: "compact",
    jsonSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 12 },
        age: { type: "integer", minimum: 1, maximum: 99 },
        friend: { enum: ["Tom", "Lily", "the old bear"] },
      },
      required: ["name", "age", "friend"],
      additionalProperties: false,
    },
  });
  const prompt = "There was a girl.";
  const ids = await model.tokenize(prompt, { bos: true });
  for (const more of [{}, { beamGroups: 2, diversityPenalty: 0.5 }, { repetitionPenalty: 1.1 }]) {
    const found = await find(prompt, { grammar, beams: 4, n: 4, maxTokens: 80, ...more });
    assert.equal(found.length, 4);
    for (const { text, finishReason, details, tokens } of found) {
      assert.equal(finishReason, "eos", text);
      const value = JSON.parse(text);
      assert.deepEqual(Object.keys(value), ["name", "age", "friend"]);
      assert.ok(value.name.length >= 1 && value.name.length <= 12 && value.age >= 1 && value.age <= 99, text);
      assert.ok(["Tom", "Lily", "the old bear"].includes(value.friend), text);
      if (more.repetitionPenalty) continue;
      // The grammar does not make tokens likelier than the model finds them.
      const { logprobs } = await model.score([...ids, ...tokens]);
      details.forEach(({ probability }, i) =>
        assert.ok(Math.abs(Math.log(probability) - logprobs[ids.length - 1 + i]) < 1e-5),
      );
    }
    // The same text may be found as different tokens.
    if (!more.beamGroups) assert.equal(new Set(found.map(({ tokens }) => tokens.join())).size, 4);
  }
  // There are fewer texts than asked for.
  const few = await compileGrammar({ vocabulary: model.vocabulary, choice: ["q", "z"] });
  const answers = await find(prompt, { grammar: few, beams: 8, n: 8, maxTokens: 20 });
  assert.deepEqual([...new Set(answers.map(({ text }) => text))].sort(), ["q", "z"]);
  assert.ok(answers.length < 8);
  grammar.dispose();
  few.dispose();
});

test("penalties count each beam's own tokens", async () => {
  const prompt = "The dog ran. The dog ran. The dog";
  const ids = await model.tokenize(prompt, { bos: true });
  const rowAfter = rowsAfter(prompt, ids);
  const penalised = async (tokens) => {
    const row = Float64Array.from(await rowAfter(tokens));
    for (const token of new Set([...ids, ...tokens])) row[token] *= row[token] > 0 ? 1 / 1.3 : 1.3;
    // No three tokens twice.
    const all = [...ids, ...tokens];
    const logprobs = logSoftmax(row);
    for (let i = 2; i < all.length; i++)
      if (all[i - 2] === all.at(-2) && all[i - 1] === all.at(-1)) logprobs[all[i]] = -1e8;
    return logprobs;
  };
  for (const beams of [1, 4]) {
    const options = { beams, maxTokens: 25 };
    const expected = await referenceBeams(penalised, { ...options, eos: [eos] });
    const found = await find(prompt, { ...options, n: beams, repetitionPenalty: 1.3, noRepeatNgram: 3 });
    same(found, expected);
    const { logprobs } = await model.score([...ids, ...found[0].tokens]);
    found[0].details.forEach(({ rawLogprob }, i) => assert.equal(rawLogprob, logprobs[ids.length - 1 + i]));
  }
});

test("a text ends before its stop string, which may come in pieces", async () => {
  const prompt = "Once upon a time, there was a little";
  const found = await find(prompt, { beams: 4, n: 4, stop: [". S", "y."], maxTokens: 60 });
  for (const { text, finishReason, tokens } of found) {
    assert.equal(finishReason, "stop");
    assert.ok(!text.includes(". S") && !text.includes("y."), text);
    const whole = (await model.detokenize([...(await model.tokenize(prompt)), ...tokens])).slice(prompt.length);
    assert.ok(whole.startsWith(text) && /\. S|y\./.test(whole), `${text} of ${whole}`);
  }
  const ids = await model.tokenize(prompt, { bos: true });
  const rowAfter = rowsAfter(prompt, ids);
  const full = new Set(
    model.vocabulary.tokens.flatMap((token, id) => (Buffer.from(token).toString().includes(".") ? [id] : [])),
  );
  const options = { beams: 3, maxTokens: 60 };
  const endings = [eos, ...full];
  // A search that ends at any token with a full stop. As many candidates as for one eos suffice here.
  const expected = await referenceBeams(async (tokens) => logSoftmax(await rowAfter(tokens)), {
    ...options,
    eos: endings,
  });
  same(await find(prompt, { ...options, n: 3, stop: "." }), expected);
});

test("every step can be watched, and the cache holds each position of the beams once", async (t) => {
  t.mock.method(performance, "now", () => 0); // passes that take long would be split
  const prompt = "Once upon a time, there was a boy named Tim. He liked to";
  const promptLength = (await model.tokenize(prompt, { bos: true })).length;
  await collect(model.generate("Hello", { maxTokens: 1 }));
  const used = [];
  const rows = [];
  watched.onForward = (count) => {
    rows.push(count);
    used.push(contextLength - freeSlots());
  };
  const fresh = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  const beams = 6;
  const chunks = await collect(fresh.generate(prompt, { beams, n: beams, maxTokens: 40, captureBeams: true }));
  watched.onForward = () => {};
  const steps = chunks.filter((chunk) => chunk.beams).map((chunk) => chunk.beams);
  assert.equal(steps.length, 40);
  assert.ok(chunks.slice(0, 40).every(({ text, tokens }) => text === "" && tokens.length === 0));
  // The passes of the prompt, then one a step.
  const ofPrompt = rows.splice(0, rows.length - 39);
  assert.equal(
    ofPrompt.reduce((a, b) => a + b),
    promptLength,
  );
  assert.deepEqual(rows, Array(39).fill(beams));
  used.splice(0, ofPrompt.length - 1);
  assert.equal(used[0], promptLength);
  /** Texts of the beams of every step, as paths. */
  let paths = [[]];
  let largest = 0;
  steps.forEach((step, i) => {
    paths = step.map(({ parent, token }) => [...paths[parent], token]);
    const running = paths.filter((_, k) => !step[k].finishReason);
    if (i === steps.length - 1) return assert.equal(running.length, 0);
    const distinct = new Set(running.flatMap((path) => path.map((_, k) => path.slice(0, k + 1).join())));
    assert.equal(used[i + 1], promptLength + distinct.size, `step ${i}`);
    largest = Math.max(largest, distinct.size);
  });
  console.log(`# 6 beams of 40 tokens held ${largest} positions besides the prompt; copies would hold ${6 * 39}`);
  assert.ok(largest < 6 * 39);
  const last = chunks.slice(40).map(({ tokens }) => tokens.map(({ id }) => id));
  for (const tokens of last) assert.ok(paths.some((path) => path.join() === tokens.join()) || tokens.at(-1) === eos);
  // Afterwards only the prompt is kept, for the next call.
  assert.equal(contextLength - freeSlots(), promptLength);
  const [again] = (await collect(fresh.generate(prompt, { beams: 2, maxTokens: 2 }))).slice(-1);
  assert.equal(again.usage.cachedTokens, promptLength - 1);
  fresh.dispose();
});

test("many beams grow the cache, or displace the slots of earlier texts", async () => {
  const fresh = await loadModel(new Blob([bytes]), { cache: false, worker: false, contextLength: 64 });
  const run = async (options) =>
    (await collect(fresh.generate("Once upon a time", options))).map(({ tokens }) => tokens.map(({ id }) => id));
  const options = { beams: 16, n: 16, beamGroups: 16, diversityPenalty: 5 };
  const whole = await fresh.generate("Once upon a time", options);
  const chunks = await collect(whole);
  assert.equal(chunks.length, 16);
  for (const { finishReason } of chunks) assert.ok(["context", "eos"].includes(finishReason));
  const few = await run({ ...options, maxTokens: 30 });
  const other = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  const [first] = await collect(other.generate("Once upon a time", { ...options, maxTokens: 30 }));
  assert.deepEqual(
    few[0],
    first.tokens.map(({ id }) => id),
  );
  other.dispose();
  fresh.dispose();
});

test("an abort ends a search, frees its slots, and the model stays usable", async () => {
  const controller = new AbortController();
  const prompt = "A frog and a bird";
  const promptLength = (await model.tokenize(prompt, { bos: true })).length;
  let count = 0;
  let finishReason;
  await find("Hello", { beams: 2, maxTokens: 3 });
  const before = freeSlots();
  const options = { beams: 8, maxTokens: 200, captureBeams: true, signal: controller.signal };
  for await (const chunk of model.generate(prompt, options)) {
    if (++count === 10) controller.abort();
    finishReason = chunk.finishReason;
  }
  assert.equal(finishReason, "abort");
  assert.ok(count < 30);
  const [text] = await find("Hello", { beams: 2, maxTokens: 3 });
  assert.equal(text.tokens.length, 3);
  assert.ok(before - freeSlots() <= promptLength + 2, "slots of dropped beams are free");
  // Leaving the loop does the same.
  for await (const _ of model.generate(prompt, { beams: 3, captureBeams: true })) break;
  assert.equal((await find("Hello", { beams: 2, maxTokens: 3 })).length, 1);
});

test("in a Worker the search is the same, and waits for a slow reader", async () => {
  const distant = await loadModel(new Blob([bytes]), { cache: false });
  const options = { beams: 3, n: 3, maxTokens: 150, captureBeams: true };
  const there = [];
  for await (const chunk of distant.generate("The sun was", options)) {
    if (there.length % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    there.push(chunk);
  }
  assert.deepEqual(
    there.map(({ usage, stats, ...rest }) => rest),
    (await collect(model.generate("The sun was", options))).map(({ usage, stats, ...rest }) => rest),
  );
  // Texts that begin alike have the same rows, and each comes with its own copy.
  const rows = { beams: 4, n: 3, maxTokens: 6, captureLogits: true };
  const inFull = (chunks) => chunks.map(({ index, tokens }) => ({ index, tokens }));
  assert.deepEqual(
    inFull(await collect(distant.generate("The sun was", rows))),
    inFull(await collect(model.generate("The sun was", rows))),
  );
  // Another call takes its turn while a reader rests.
  const slow = distant.generate("The sun was", options);
  await slow.next();
  const [quick] = await collect(distant.generate("Hello", { maxTokens: 1, temperature: 0 }));
  assert.equal(quick.tokens.length, 1);
  let rest = 0;
  for await (const { tokens } of slow) rest += tokens.length;
  assert.ok(rest > 0);
  distant.dispose();
});

test("with guidance or healing the beams use the combined logits", async () => {
  const prompt = "The princess went to the";
  const options = { beams: 1, earlyStopping: true, maxTokens: 15 };
  for (const more of [{ guidance: 1.7, negativePrompt: "The" }, { heal: true }, { dola: "high" }]) {
    const [one] = await find(prompt, { ...options, ...more });
    const greedy = await collect(model.generate(prompt, { temperature: 0, maxTokens: 15, ...more }));
    assert.equal(one.text, greedy.map(({ text }) => text).join(""));
    const raw = greedy.flatMap(({ tokens }) => tokens.map(({ rawLogprob }) => rawLogprob));
    one.details.forEach(({ rawLogprob }, i) => assert.ok(Math.abs(rawLogprob - raw[i]) < 1e-6));
    const four = await find(prompt, { ...options, beams: 4, n: 4, ...more });
    assert.ok(four.length === 4 && four[0].score >= one.score);
  }
});

test("options that conflict are refused", () => {
  const refused = (options, error) => assert.throws(() => model.generate("", options), error);
  for (const options of [
    { beams: 2, temperature: 0.7 },
    { beams: 2, topK: 4 },
    { beams: 2, top_p: 0.9 },
    { beams: 2, minP: 0.1 },
    { beams: 2, xtcProbability: 0.5 },
    { beams: 2, mirostat: 1 },
    { beams: 2, adaptiveTarget: 0.5 },
    { beams: 2, draw: "gumbel" },
    { beams: 2, draft: "lookup" },
    { beams: 2, penaltyAlpha: 0.6, topK: 4 },
    { beams: 2, num_beams: 2 },
    { lengthPenalty: 1 },
    { earlyStopping: true },
    { beamGroups: 2 },
    { beams: 2, diversityPenalty: 1 },
    { beams: 2, beamGroups: 1, diversityPenalty: 1 },
    { captureBeams: true },
  ])
    refused(options, { code: "conflict" });
  refused({ beams: 0 }, { name: "RangeError", code: "out-of-range" });
  refused({ beams: 33 }, { code: "out-of-range" });
  refused({ beams: 2, n: 3 }, { code: "out-of-range" });
  refused({ beams: 4, beamGroups: 3 }, { code: "out-of-range" });
  refused({ beams: 2, earlyStopping: "sometimes" }, { code: "out-of-range" });
  refused({ beams: "2" }, { name: "TypeError", code: "bad-type" });
  refused({ beams: 2, captureBeams: 1 }, { code: "bad-type" });
  refused({ beam: 2 }, { code: "unknown-option", message: /beams/ });
});

test("Hugging Face's names do the same", async () => {
  const prompt = "Once upon a time";
  const theirs = { num_beams: 4, num_return_sequences: 2, length_penalty: 2, early_stopping: true, max_new_tokens: 9 };
  const more = { num_beam_groups: 2, diversity_penalty: 1 };
  const ours = { beams: 4, n: 2, lengthPenalty: 2, earlyStopping: true, maxTokens: 9 };
  const strip = (found) => found.map(({ text, score }) => ({ text, score }));
  assert.deepEqual(
    strip(await find(prompt, { ...theirs, ...more })),
    strip(await find(prompt, { ...ours, beamGroups: 2, diversityPenalty: 1 })),
  );
});

test("broken logits are an error, and the search frees its memory", async () => {
  const { bytes: broken } = { bytes: randomModel({ vocabulary: vocabularyOf(["a", "b"]) }) };
  const good = await loadModel(broken, { worker: false });
  const [text] = await collect(good.generate("a", { beams: 4, maxTokens: 5 }));
  assert.equal(text.tokens.length, 5);
  await assert.rejects(collect(good.generate("a", { beams: 2, allowedTokens: [2], minTokens: 2, maxTokens: 4 })), {
    code: "nothing-left",
  });
  assert.equal((await collect(good.generate("a", { beams: 4, maxTokens: 5 })))[0].score, text.score);
  good.dispose();
});
