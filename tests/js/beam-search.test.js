// The bookkeeping of beam search, on tables instead of models.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBeamSearch } from "lastinch";
import { logSoftmax, referenceBeams } from "./beam-reference.js";
import { power, exponential } from "../../web/core/power.js";
import { logs, normalRow } from "./sampler-tools.js";

/** Every result of a search whose rows depend on the tokens of a beam, and the number of steps taken. */
async function search(rowAfter, options) {
  const beams = await createBeamSearch(options);
  let steps = 0;
  try {
    for (; !beams.isOver; steps++) beams.step(beams.beams.map(({ tokens }) => rowAfter(tokens)));
    return Object.assign(beams.results, { steps });
  } finally {
    beams.dispose();
  }
}

/** Rows that depend on the last two tokens; `eosBias` makes texts short or long. */
function tableModel(vocabSize, seed, eosBias = 0, eos = [0]) {
  const rows = new Map();
  return (tokens) => {
    const key = tokens.slice(-2).join();
    if (!rows.has(key)) {
      const place = tokens.slice(-2).reduce((sum, token) => sum * vocabSize + token + 1, 0);
      const row = normalRow(vocabSize, 7919 * seed + place, 1.5);
      for (const token of eos) row[token] += eosBias;
      rows.set(key, row);
    }
    return rows.get(key);
  };
}

function same(actual, expected, message) {
  if ("steps" in expected) assert.equal(actual.steps, expected.steps, message);
  assert.deepEqual(
    actual.map(({ tokens }) => tokens),
    expected.map(({ tokens }) => tokens),
    message,
  );
  actual.forEach(({ score }, i) =>
    assert.ok(
      Math.abs(score - expected[i].score) < 1e-6 * Math.max(1, -score),
      `${score} is not ${expected[i].score} (${message})`,
    ),
  );
}

const after = { "": [0.4, 0.35, 0.25], 0: [0.5, 0.3, 0.2], 1: [0.9, 0.05, 0.05], 2: [0.4, 0.3, 0.3] };
const worked = (tokens) => logs(...after[tokens.join()]);

test("two beams find the text of .315 where greedy ends with .20", async () => {
  const options = { vocabSize: 3, maxTokens: 2, lengthPenalty: 0 };
  const [greedy] = await search(worked, { ...options, beams: 1 });
  assert.deepEqual(greedy.tokens, [0, 0]);
  assert.ok(Math.abs(Math.exp(greedy.score) - 0.2) < 1e-7);
  const found = await search(worked, { ...options, beams: 2 });
  assert.deepEqual(
    found.map(({ tokens }) => tokens),
    [
      [1, 0],
      [0, 0],
    ],
  );
  assert.ok(Math.abs(Math.exp(found[0].score) - 0.315) < 1e-7);
  assert.ok(Math.abs(Math.exp(found[1].score) - 0.2) < 1e-7);
  const [{ logprobs, finishReason }] = found;
  assert.equal(finishReason, "length");
  assert.ok(Math.abs(logprobs[0] - Math.log(0.35)) < 1e-7 && Math.abs(logprobs[1] - Math.log(0.9)) < 1e-7);
  // Rows may also come one by one, and as float16 bits.
  const flat = await createBeamSearch({ ...options, beams: 2 });
  flat.step(worked([]));
  assert.deepEqual(
    flat.beams.map(({ parent, token }) => [parent, token]),
    [
      [0, 0],
      [0, 1],
    ],
  );
  flat.step(Float32Array.from([...worked([0]), ...worked([1])]));
  assert.deepEqual(flat.results, [...found]);
  assert.ok(flat.isOver && flat.beams.length === 0);
  flat.dispose();
});

test("early stopping, length penalty and width agree with Hugging Face's beam search", async () => {
  let count = 0;
  const reasons = new Set();
  for (let seed = 1; seed <= 6; seed++)
    for (const eosBias of [-2, 0, 2]) {
      const rowAfter = tableModel(14, seed, eosBias);
      for (const beams of [1, 2, 3, 6])
        for (const lengthPenalty of [-1, 0, 0.6, 1, 2.5])
          for (const earlyStopping of [true, false, "never"]) {
            const options = { beams, lengthPenalty, earlyStopping, maxTokens: 9, eos: [0] };
            const expected = await referenceBeams((tokens) => logSoftmax(rowAfter(tokens)), options);
            const found = await search(rowAfter, { ...options, vocabSize: 14 });
            same(found, expected, JSON.stringify({ seed, eosBias, ...options }));
            for (const { tokens, finishReason } of found) {
              assert.equal(finishReason, tokens.at(-1) === 0 ? "eos" : "length");
              reasons.add(finishReason);
            }
            count++;
          }
    }
  assert.ok(count === 1080 && reasons.size === 2);
});

test("the three settings of early stopping differ in how long they search", async () => {
  const steps = async (earlyStopping, eosBias) => {
    let total = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const rowAfter = tableModel(14, seed, eosBias);
      await search((tokens) => (total++, rowAfter(tokens)), {
        ...{ vocabSize: 14, beams: 3, earlyStopping, maxTokens: 30, eos: [0] },
      });
    }
    return total;
  };
  const [yes, no, never] = [await steps(true, 1), await steps(false, 1), await steps("never", 1)];
  assert.ok(yes < no && no < never, `${yes}, ${no}, ${never}`);
});

test("several eos tokens end texts, and the number of beams stays the same", async () => {
  const eos = [0, 3, 5];
  for (let seed = 1; seed <= 20; seed++) {
    const rowAfter = tableModel(14, seed, seed % 4, eos);
    const options = { beams: 3, maxTokens: 7, eos, earlyStopping: "never" };
    const expected = await referenceBeams((tokens) => logSoftmax(rowAfter(tokens)), options);
    same(await search(rowAfter, { ...options, vocabSize: 14 }), expected, `seed ${seed}`);
  }
});

test("a search of a small tree is exhaustive", async () => {
  for (let seed = 1; seed <= 10; seed++)
    for (const lengthPenalty of [0, 1, 2]) {
      const rowAfter = tableModel(3, seed);
      const all = [];
      const walk = (tokens, score) =>
        logSoftmax(rowAfter(tokens)).forEach((logprob, token) => {
          const next = [...tokens, token];
          const sum = score + logprob;
          if (token === 0 || next.length === 4) all.push({ tokens: next, score: sum / next.length ** lengthPenalty });
          else walk(next, sum);
        });
      walk([], 0);
      all.sort((a, b) => b.score - a.score);
      assert.equal(all.length, 31);
      const options = { vocabSize: 3, beams: 32, maxTokens: 4, eos: [0], lengthPenalty, earlyStopping: "never" };
      same(await search(rowAfter, options), all, `seed ${seed}`);
      same(await search(rowAfter, { ...options, n: 5 }), all.slice(0, 5), `seed ${seed}`);
    }
});

test("groups avoid tokens that earlier groups have chosen at the same step", async () => {
  for (let seed = 1; seed <= 6; seed++)
    for (const [beams, beamGroups] of [
      [2, 2],
      [4, 2],
      [6, 3],
    ])
      for (const diversityPenalty of [0, 0.4, 3, 100]) {
        const rowAfter = tableModel(14, seed, 0.5);
        const options = { beams, beamGroups, diversityPenalty, maxTokens: 8, eos: [0] };
        const expected = await referenceBeams((tokens) => logSoftmax(rowAfter(tokens)), options);
        const found = await search(rowAfter, { ...options, vocabSize: 14 });
        same(found, expected, JSON.stringify({ seed, ...options }));
        // The penalty counts in the score, but not in a token's probability.
        for (const { tokens, logprobs } of found)
          logprobs.forEach((logprob, i) => {
            const row = logSoftmax(rowAfter(tokens.slice(0, i)));
            assert.ok(Math.abs(logprob - row[tokens[i]]) < 1e-6);
          });
      }
  // Without a penalty the groups are the same search; with a large one they begin with different tokens.
  const rowAfter = tableModel(14, 3, -9);
  const firsts = async (diversityPenalty) => {
    const options = { vocabSize: 14, beams: 3, beamGroups: 3, diversityPenalty, maxTokens: 5 };
    return (await search(rowAfter, options)).map(({ tokens }) => tokens[0]);
  };
  assert.equal(new Set(await firsts(0)).size, 1);
  assert.equal(new Set(await firsts(100)).size, 3);
});

test("penalties count each beam's own tokens and the prompt", async () => {
  const penalised = (rowAfter, prompt) => (tokens) => {
    const row = Float64Array.from(rowAfter(tokens));
    const frequencies = new Map();
    for (const token of tokens) frequencies.set(token, (frequencies.get(token) ?? 0) + 1);
    for (const token of new Set([...prompt, ...tokens])) row[token] *= row[token] > 0 ? 1 / 1.5 : 1.5;
    for (const [token, count] of frequencies) row[token] -= 0.3 * count + 0.2;
    return logSoftmax(row);
  };
  const prompt = [4, 4, 7];
  const penalties = { repetitionPenalty: 1.5, frequencyPenalty: 0.3, presencePenalty: 0.2, order: undefined };
  for (let seed = 1; seed <= 10; seed++) {
    const rowAfter = tableModel(14, seed);
    const options = { beams: 4, maxTokens: 12, eos: [0] };
    const expected = await referenceBeams(penalised(rowAfter, prompt), options);
    const found = await search(rowAfter, { ...options, ...penalties, vocabSize: 14, prompt });
    same(found, expected, `seed ${seed}`);
  }
});

test("banned and masked tokens are never continuations, and do not raise the scores of others", async () => {
  const rowAfter = tableModel(14, 5);
  const masked = (tokens) => {
    const logprobs = logSoftmax(rowAfter(tokens));
    if (tokens.length < 4) logprobs[0] = -1e8;
    // No pair of tokens twice.
    for (let i = 1; i < tokens.length; i++) if (tokens[i - 1] === tokens.at(-1)) logprobs[tokens[i]] = -1e8;
    for (const token of [2, 9]) logprobs[token] = -1e8;
    return logprobs;
  };
  const options = { beams: 3, maxTokens: 12, eos: [0] };
  const expected = await referenceBeams(masked, options);
  const bans = { bannedTokens: [2, 9], minTokens: 4, noRepeatNgram: 2 };
  same(await search(rowAfter, { ...options, ...bans, vocabSize: 14 }), expected);
  const matcher = choiceMatcher(14, ["1 2 0", "1 3 0", "5 0"]);
  const texts = await search(rowAfter, { ...options, beams: 4, vocabSize: 14, grammar: matcher });
  assert.deepEqual(texts.map(({ tokens }) => tokens.join(" ")).sort(), ["1 2 0", "1 3 0", "5 0"]);
  for (const { tokens, logprobs } of texts)
    logprobs.forEach((logprob, i) => {
      const expectedLogprob = logSoftmax(rowAfter(tokens.slice(0, i)))[tokens[i]];
      assert.ok(Math.abs(logprob - expectedLogprob) < 1e-6);
    });
  assert.equal(matcher.open, 1, "clones are disposed, the caller's matcher is not");
});

/** A matcher of a few texts that counts its clones not yet disposed. */
function choiceMatcher(vocabSize, texts) {
  const lists = texts.map((text) => text.split(" ").map(Number));
  const shared = { open: 0 };
  const create = (accepted) => {
    shared.open++;
    const left = () => lists.filter((list) => accepted.every((token, i) => list[i] === token));
    return {
      bitmask(into) {
        into.fill(0);
        for (const list of left()) {
          const token = list[accepted.length];
          if (token !== undefined) into[token >> 5] |= 1 << (token & 31);
        }
      },
      accept: (token) => left().some((list) => list[accepted.length] === token) && accepted.push(token) > 0,
      rollback: (count) => void accepted.splice(accepted.length - count),
      clone: () => create([...accepted]),
      dispose: () => void shared.open--,
      get open() {
        return shared.open;
      },
      vocabSize,
    };
  };
  return create([]);
}

test("isStop ends texts as eos does", async () => {
  const rowAfter = tableModel(14, 2, -20);
  const isStop = (tokens) => tokens.at(-1) === 7;
  const options = { vocabSize: 14, beams: 4, maxTokens: 9 };
  const stopped = await search(rowAfter, { ...options, isStop });
  const ended = await search(rowAfter, { ...options, eos: [7] });
  assert.deepEqual(
    stopped.map(({ tokens, score }) => ({ tokens, score })),
    ended.map(({ tokens, score }) => ({ tokens, score })),
  );
  assert.ok(stopped.some(({ finishReason }) => finishReason === "stop"));
});

test("a beam without a continuation is dropped; if all are and no text is finished, that is an error", async () => {
  const rowAfter = (tokens) =>
    tokens[0] === 1 ? Float32Array.of(-Infinity, -Infinity, -Infinity) : logs(0.2, 0.7, 0.1);
  const found = await search(rowAfter, { vocabSize: 3, beams: 2, maxTokens: 3 });
  assert.ok(found.length && found.every(({ tokens }) => tokens[0] === 0));
  const deadEnd = () => Float32Array.of(-Infinity, -Infinity, -Infinity);
  await assert.rejects(search(deadEnd, { vocabSize: 3, beams: 2, maxTokens: 3 }), { code: "nothing-left" });
});

test("an unusable row leaves the search unchanged", async () => {
  for (const groups of [{}, { beamGroups: 2, diversityPenalty: 1 }]) {
    const rowAfter = tableModel(14, 4);
    const options = { vocabSize: 14, beams: 4, maxTokens: 6, eos: [0], repetitionPenalty: 1.2, ...groups };
    const expected = await search(rowAfter, options);
    const beams = await createBeamSearch(options);
    while (!beams.isOver) {
      const rows = beams.beams.map(({ tokens }) => rowAfter(tokens));
      const before = beams.beams;
      const broken = rows.map((row) => row.slice());
      broken.at(-1)[3] = NaN;
      assert.throws(() => beams.step(broken), { code: "logits-nan" });
      broken.at(-1)[3] = Infinity;
      assert.throws(() => beams.step(broken), { code: "logits-infinite" });
      assert.deepEqual(beams.beams, before);
      beams.step(rows);
    }
    assert.deepEqual(beams.results, [...expected]);
    beams.dispose();
  }
});

test("options that conflict are refused, and so are wrong rows", async () => {
  const base = { vocabSize: 5, beams: 2, maxTokens: 3 };
  const refused = (options, error) => assert.rejects(createBeamSearch({ ...base, ...options }), error);
  for (const options of [
    { temperature: 0.7 },
    { topK: 3 },
    { top_p: 0.5 },
    { minP: 0.1 },
    { typicalP: 0.5 },
    { epsilonCutoff: 0.1 },
    { topNSigma: 1 },
    { tfsZ: 0.5 },
    { xtcProbability: 0.5 },
    { mirostat: 2 },
    { adaptiveTarget: 0.3 },
    { dynatempRange: 0.3 },
    { draw: "gumbel" },
    { minKeep: 2 },
    { diversityPenalty: 1 },
    { maxTokens: undefined },
    { maxTokens: undefined, eos: [1], earlyStopping: "never" },
    { max_tokens: 4 },
  ])
    await refused(options, { code: "conflict" });
  await refused({ beams: undefined }, { name: "TypeError", code: "bad-type" });
  await refused({ beams: 0 }, { name: "RangeError", code: "out-of-range", message: /^beams/ });
  await refused({ beams: 33 }, { code: "out-of-range" });
  await refused({ beams: 4, beamGroups: 3 }, { code: "out-of-range" });
  await refused({ n: 3 }, { code: "out-of-range" });
  await refused({ earlyStopping: "always" }, { code: "out-of-range" });
  await refused({ lengthPenalty: NaN }, { code: "out-of-range" });
  await refused({ maxTokens: 0 }, { code: "out-of-range" });
  await refused({ isStop: "." }, { code: "bad-type" });
  await refused({ prompt: [5] }, { code: "out-of-range" });
  await refused({ lengthPenalti: 1 }, { code: "unknown-option", message: /lengthPenalty/ });
  // These change nothing, or are other systems' names.
  const search = await createBeamSearch({
    ...{ vocabSize: 5, num_beams: 2, max_new_tokens: 3, length_penalty: 1, early_stopping: true },
    ...{ num_return_sequences: 1, temperature: 0, seed: 3, top_k: 0 },
  });
  assert.throws(() => search.step([new Float32Array(5), new Float32Array(5)]), { code: "wrong-length" });
  assert.throws(() => search.step(new Float32Array(4)), { code: "wrong-length" });
  assert.throws(() => search.step([new Float32Array(4)]), { code: "wrong-length" });
  assert.throws(() => search.step([[1, 2, 3, 4, 5]]), { code: "bad-type" });
  search.step([new Float32Array(5)]);
  search.step(new Uint16Array(10));
  search.step([new Float32Array(5), new Uint16Array(5)]);
  assert.equal(search.results.length, 1);
  // Ties: the lower beam, then the lower token.
  assert.deepEqual(search.results[0].tokens, [0, 0, 0]);
  assert.throws(() => search.step(new Float32Array(10)), { code: "bad-argument" });
  search.dispose();
  search.dispose();
  assert.throws(() => search.beams, { code: "disposed" });
  assert.throws(() => search.results, { code: "disposed" });
  assert.throws(() => search.isOver, { code: "disposed" });
  assert.throws(() => search.step(new Float32Array(5)), { code: "disposed" });
});

test("powers have the same bits in every engine, and equal Math.pow up to rounding", () => {
  for (let i = 1; i < 2000; i += 7)
    for (const exponent of [-3, -1.7, -0.5, 0, 0.3, 0.6, 0.99, 1, 1.2, 2, 2.5]) {
      const ratio = power(i, exponent) / i ** exponent;
      assert.ok(Math.abs(ratio - 1) < 2e-14, `${i} ** ${exponent}`);
    }
  assert.equal(power(7, 1), 7);
  assert.equal(power(7, 0), 1);
  assert.equal(power(9, 2), 81);
  for (let x = -700; x < 700; x += 3.7) assert.ok(Math.abs(exponential(x) / Math.exp(x) - 1) < 1e-15, `${x}`);
  assert.deepEqual([exponential(0), exponential(-Infinity), exponential(-1e9)], [1, 0, 0]);
});
