// The steps for outside engines: judging a draft, a step of beams, rows combined.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createDecoder, createSampler } from "lastinch";
import * as bound from "lastinch/model";
import { logSoftmax } from "./beam-reference.js";
import { logs, near, normalRow, softmax, uniforms } from "./sampler-tools.js";

const open = [];
async function decoderOf(options) {
  const decoder = await createDecoder({ seed: 5, ...options });
  open.push(decoder);
  return decoder;
}
after(() => open.forEach((decoder) => decoder.dispose()));

/** What the options leave of a row, by token. */
function probabilities(decoder, row) {
  const { tokens, probabilities: found } = decoder.distribution(row);
  const all = new Float64Array(row.length);
  tokens.forEach((token, i) => (all[token] = found[i]));
  return all;
}

test("a decoder is a sampler, and its clones are decoders", async () => {
  const options = { vocabSize: 50, temperature: 0.8, topK: 9, repetitionPenalty: 1.2, seed: 9 };
  const decoder = await decoderOf(options);
  const sampler = await createSampler(options);
  for (let i = 0; i < 20; i++) assert.equal(decoder.sample(normalRow(50, i)), sampler.sample(normalRow(50, i)));
  const clone = decoder.clone();
  open.push(clone);
  assert.equal(clone.sample(normalRow(50, 99)), sampler.sample(normalRow(50, 99)));
  assert.equal(typeof clone.guide, "function");
  const copy = clone.clone({ stream: 3 });
  clone.restore(decoder.snapshot());
  assert.deepEqual(clone.distribution(normalRow(50, 7)), decoder.distribution(normalRow(50, 7)));
  copy.dispose();
  sampler.dispose();
});

test("a draft's token is accepted with probability target / draft, else another is drawn from the difference", async () => {
  const decoder = await decoderOf({ vocabSize: 12, temperature: 0.9, topK: 8, repetitionPenalty: 1.3 });
  decoder.accept([3, 3, 5]);
  const [targetRow, draftRow] = [normalRow(12, 1), normalRow(12, 2)];
  const target = probabilities(decoder, targetRow);
  const draft = probabilities(decoder, draftRow);
  const residual = target.map((p, i) => Math.max(0, p - draft[i]));
  const rest = residual.reduce((a, b) => a + b);
  const before = decoder.snapshot();
  for (let token = 0; token < 12; token++) {
    if (!draft[token]) {
      assert.throws(() => decoder.acceptDraft(targetRow, draftRow, token), { code: "bad-argument", message: /draft/ });
      continue;
    }
    const ratio = Math.min(1, target[token] / draft[token]);
    for (const u of [0, ratio - 1e-6, ratio + 1e-6].filter((one) => one >= 0 && one < 1)) {
      const verdict = decoder.acceptDraft(targetRow, draftRow, token, { u, v: 0.5 });
      assert.equal(verdict.isAccepted, u < ratio, `${token} at ${u} of ${ratio}`);
      assert.equal(verdict.isAccepted, verdict.token === token);
      assert.ok(Math.abs(verdict.probability - target[verdict.token]) < 1e-6);
    }
    if (ratio > 1 - 1e-6) continue;
    // The token drawn instead: by ascending id, the first whose running sum exceeds v.
    for (let v = 0.0005; v < 1; v += 0.037) {
      let sum = 0;
      const expected = residual.findIndex((weight) => (sum += weight / rest) > v);
      assert.equal(decoder.acceptDraft(targetRow, draftRow, token, { u: 1 - 1e-9, v }).token, expected);
    }
  }
  assert.deepEqual(decoder.snapshot(), before);
  // Its own random numbers are those of the step: the same until a token is accepted.
  const token = draft.indexOf(Math.max(...draft));
  const first = decoder.acceptDraft(targetRow, draftRow, token);
  assert.deepEqual(decoder.acceptDraft(targetRow, draftRow, token), first);
  decoder.accept(first.token);
  assert.ok(Math.abs(decoder.lastProbability - first.probability) < 1e-12);
});

test("speculation with a decoder has the sampler's distribution", async () => {
  const decoder = await decoderOf({ vocabSize: 6, temperature: 0.8, topP: 0.9, seed: 77 });
  const rowAfter = (seed) => (token) => normalRow(6, seed + token, 1);
  const [large, small] = [rowAfter(100), rowAfter(200)];
  const texts = 30_000;
  /** How often each pair of tokens was written, with both drafted ahead. */
  const counts = new Float64Array(36);
  const expected = new Float64Array(36);
  probabilities(decoder, large(0)).forEach((p, a) =>
    probabilities(decoder, large(a)).forEach((q, b) => (expected[6 * a + b] = texts * p * q)),
  );
  const drafter = decoder.clone({ stream: 1 });
  for (let i = 0; i < texts; i++) {
    const text = [];
    while (text.length < 2) {
      const start = text.at(-1) ?? 0;
      const guess = [drafter.sample(small(start))];
      guess.push(drafter.sample(small(guess[0])));
      for (const [k, token] of guess.entries()) {
        const before = k ? guess[k - 1] : start;
        const verdict = decoder.acceptDraft(large(before), small(before), token);
        decoder.accept(verdict.token);
        text.push(verdict.token);
        if (!verdict.isAccepted) break;
      }
    }
    counts[6 * text[0] + text[1]]++;
  }
  drafter.dispose();
  let chiSquare = 0;
  let freedom = -1;
  expected.forEach((mean, i) => {
    if (mean) freedom++;
    if (mean) chiSquare += (counts[i] - mean) ** 2 / mean;
    else assert.equal(counts[i], 0);
  });
  assert.ok(chiSquare < freedom + 3.1 * Math.sqrt(2 * freedom) + 5, `${chiSquare} of ${freedom}`);
});

/** Looks at all continuations, slowly. */
function bestContinuations(rows, scores, count, edit = (row) => row, penalties = new Map()) {
  const all = rows.flatMap((row, beam) =>
    logSoftmax(edit(Float64Array.from(row), beam)).map((logprob, token) => ({
      score: scores[beam] + logprob - (penalties.get(token) ?? 0),
      beam,
      token,
    })),
  );
  const finite = all.filter(({ score }) => score > -1e30);
  return finite.sort((a, b) => b.score - a.score || a.beam - b.beam || a.token - b.token).slice(0, count);
}

function sameCandidates(found, expected) {
  assert.deepEqual(
    found.map(({ beam, token }) => [beam, token]),
    expected.map(({ beam, token }) => [beam, token]),
  );
  found.forEach(({ score }, i) => assert.ok(Math.abs(score - expected[i].score) < 1e-5, `${score}`));
}

test("a step of beams finds the best continuations of all rows", async () => {
  const first = await decoderOf({ vocabSize: 3 });
  const one = first.beamStep([logs(0.4, 0.35, 0.25)], [0], { count: 2 });
  assert.deepEqual(
    one.map(({ beam, token }) => [beam, token]),
    [
      [0, 0],
      [0, 1],
    ],
  );
  const rows = [logs(0.5, 0.3, 0.2), logs(0.9, 0.05, 0.05)];
  const two = first.beamStep(
    rows,
    one.map(({ score }) => score),
  );
  assert.equal(two.length, 4);
  near(
    two.slice(0, 2).map(({ score }) => Math.exp(score)),
    [0.315, 0.2],
    1e-7,
  );
  assert.deepEqual([two[0].beam, two[0].token, two[1].beam, two[1].token], [1, 0, 0, 0]);

  for (let seed = 1; seed <= 20; seed++) {
    const vocabSize = 300 + 37 * seed;
    const decoder = await createDecoder({ vocabSize });
    const random = uniforms(seed);
    const many = Array.from({ length: 1 + (seed % 5) }, (_, i) => normalRow(vocabSize, 100 * seed + i));
    const scores = many.map(() => -3 * random());
    for (const count of [1, 2, 9, 50, 2000]) {
      sameCandidates(decoder.beamStep(many, scores, { count }), bestContinuations(many, scores, count));
      const lowered = new Map([
        [seed, 2],
        [seed + 50, 0.5],
      ]);
      const expected = bestContinuations(many, scores, count, undefined, lowered);
      sameCandidates(decoder.beamStep(many, scores, { count, penalties: lowered }), expected);
    }
    const flat = new Float32Array(many.flatMap((row) => [...row]));
    assert.deepEqual(decoder.beamStep(flat, scores), decoder.beamStep(many, Float64Array.from(scores)));
    decoder.dispose();
  }
  assert.deepEqual(first.beamStep([], []), []);
});

test("ties go to the earlier beam, then to the lower token; a beam without continuations is left out", async () => {
  const decoder = await decoderOf({ vocabSize: 4 });
  const flat = new Float32Array(4);
  assert.deepEqual(
    decoder.beamStep([flat, flat], [-1, -1], { count: 6 }).map(({ beam, token }) => 10 * beam + token),
    [0, 1, 2, 3, 10, 11],
  );
  const dead = new Float32Array(4).fill(-Infinity);
  const left = decoder.beamStep([dead, flat, dead.map(() => -3.4e38)], [0, -9, 0]);
  assert.deepEqual(
    left.map(({ beam, token }) => [beam, token]),
    [0, 1, 2, 3].map((token) => [1, token]),
  );
  assert.deepEqual(decoder.beamStep([dead], [0]), []);
});

test("options edit each row; decoders give each beam its own history and grammar", async () => {
  const vocabSize = 40;
  const rows = [1, 2, 3].map((seed) => normalRow(vocabSize, seed));
  const scores = [-1, -1.2, -0.8];
  const matcher = {
    told: [],
    bitmask: (into) => void into.fill(0x55555555),
    accept: (token) => token % 2 === 0,
    rollback() {},
    clone: () => matcher,
  };
  const decoder = await decoderOf({ vocabSize, repetitionPenalty: 1.4, logitBias: { 6: 2 }, bannedTokens: [8] });
  const guided = await decoderOf({ vocabSize, grammar: matcher });
  const histories = [[1, 2], [3], []];
  const decoders = histories.map((ids) => {
    const clone = decoder.clone();
    clone.accept(ids);
    return clone;
  });
  const edit = (row, beam) => {
    row[6] += 2;
    for (const token of histories[beam]) row[token] *= row[token] > 0 ? 1 / 1.4 : 1.4;
    return row;
  };
  const expected = bestContinuations(rows, scores, 30, edit).filter(({ token }) => token !== 8);
  const found = decoder.beamStep(rows, scores, { count: 30, decoders });
  sameCandidates(found.slice(0, expected.length), expected);
  const even = bestContinuations(rows, scores, 999).filter(({ token }) => token % 2 === 0);
  sameCandidates(guided.beamStep(rows, scores, { count: 999 }), even);
  const judge = await createDecoder({ vocabSize, grammar: matcher });
  assert.throws(() => judge.acceptDraft(rows[0], rows[1], 3), { code: "bad-argument" });
  judge.dispose();
  const mixed = decoder.beamStep(rows, scores, { count: 999, decoders: [guided, guided, decoders[2]] });
  assert.ok(mixed.every(({ beam, token }) => beam === 2 || token % 2 === 0));
  for (const clone of decoders) clone.dispose();
});

test("guidance, contrast and divergence follow their papers, and leave the rows unchanged", async () => {
  const vocabSize = 500;
  const decoder = await decoderOf({ vocabSize });
  const [a, b] = [normalRow(vocabSize, 1), normalRow(vocabSize, 2)];
  const [keptA, keptB] = [a.slice(), b.slice()];
  const [p, q] = [logSoftmax(a), logSoftmax(b)];
  for (const scale of [0, 0.5, 1, 1.5, 3])
    near(
      decoder.guide(a, b, scale),
      p.map((z, i) => q[i] + scale * (z - q[i])),
      1e-5,
    );
  for (const [weight, plausibility] of [
    [1, 0.1],
    [0.5, 0.01],
    [0, 0],
  ]) {
    const limit = Math.max(...p) + Math.log(plausibility);
    const found = decoder.contrast(a, b, { weight, plausibility });
    p.forEach((z, i) => {
      if (Math.abs(z - limit) < 1e-6) return;
      if (z < limit) assert.equal(found[i], -Infinity);
      else assert.ok(Math.abs(found[i] - (z - weight * q[i])) < 1e-5);
    });
  }
  assert.deepEqual(decoder.contrast(a, b), decoder.contrast(a, b, { weight: 1, plausibility: 0.1 }));
  const [weightsA, weightsB] = [softmax(a), softmax(b)];
  const half = (own, other) =>
    own.reduce((sum, w, i) => sum + (w ? (w / 2) * Math.log((2 * w) / (w + other[i])) : 0), 0);
  const expected = half(weightsA, weightsB) + half(weightsB, weightsA);
  assert.ok(Math.abs(decoder.divergence(a, b) - expected) < 1e-6);
  assert.ok(Math.abs(decoder.divergence(a, a)) < 1e-9);
  assert.deepEqual([a, b], [keptA, keptB]);

  // Rows may be float16 bits, or lie in the decoder's own memory.
  const bits = Uint16Array.from({ length: vocabSize }, (_, i) => 0x3800 + ((i * 7) % 1000));
  const wide = Float32Array.from(bits, (half) => 2 ** ((half >> 10) - 15) * (1 + (half & 1023) / 1024));
  assert.deepEqual(decoder.guide(bits, b, 2), decoder.guide(wide, b, 2));
  assert.deepEqual(decoder.contrast(b, bits), decoder.contrast(b, wide));
  decoder.guide(a, b, 2);
  const own = decoder.logits;
  own.set(a);
  assert.deepEqual(decoder.guide(own, b, 2), decoder.guide(a, b, 2));
  assert.deepEqual(decoder.guide(b, own, 2), decoder.guide(b, a, 2));

  // A token that either row masks is masked.
  const masked = a.slice();
  masked[3] = -Infinity;
  masked[4] = -3.4e38;
  for (const row of [decoder.guide(masked, b, 2), decoder.guide(b, masked, 2), decoder.contrast(b, masked)])
    assert.ok(row[3] <= -1e30 && row[4] <= -1e30);
});

test("degeneration is the largest cosine similarity to an earlier state", async () => {
  const decoder = await decoderOf({ vocabSize: 2 });
  const dim = 67;
  const states = Array.from({ length: 30 }, (_, i) => normalRow(dim, i + 1));
  const state = normalRow(dim, 99);
  const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  const cosines = states.map((one) => dot(state, one) / Math.sqrt(dot(state, state) * dot(one, one)));
  assert.ok(Math.abs(decoder.degeneration(state, states) - Math.max(...cosines)) < 1e-6);
  const flat = new Float32Array(states.flatMap((one) => [...one]));
  assert.equal(decoder.degeneration(state, flat), decoder.degeneration(state, states));
  assert.equal(decoder.degeneration(state, []), 0);
  assert.equal(decoder.degeneration(state, new Float32Array(0)), 0);
  assert.equal(decoder.degeneration(new Float32Array(dim), states), 0);
  assert.ok(Math.abs(decoder.degeneration(state, [state.map((value) => 3 * value)]) - 1) < 1e-6);
  assert.throws(() => decoder.degeneration(state, [state.slice(1)]), { code: "wrong-length" });
  assert.throws(() => decoder.degeneration(state, flat.slice(1)), { code: "wrong-length" });
  assert.throws(() => decoder.degeneration(new Float32Array(0), []), { code: "wrong-length" });
  assert.throws(() => decoder.degeneration([1], []), { code: "bad-type" });
  assert.throws(() => decoder.degeneration(state, [[...state]]), { code: "bad-type" });
  assert.throws(
    () =>
      decoder.degeneration(
        state.map(() => NaN),
        states,
      ),
    { code: "out-of-range" },
  );
});

test("unusable arguments are refused, with the reason", async () => {
  const decoder = await decoderOf({ vocabSize: 3 });
  const row = Float32Array.of(1, 2, 3);
  const nan = Float32Array.of(1, NaN, 3);
  const infinite = Float32Array.of(1, Infinity, 3);
  const empty = new Float32Array(3).fill(-Infinity);
  for (const [bad, code] of [
    [nan, "logits-nan"],
    [infinite, "logits-infinite"],
    [empty, "nothing-left"],
  ]) {
    for (const pair of [
      [bad, row],
      [row, bad],
    ]) {
      assert.throws(() => decoder.guide(...pair, 2), { name: "LastInchError", code });
      assert.throws(() => decoder.contrast(...pair), { code });
      assert.throws(() => decoder.divergence(...pair), { code });
      assert.throws(() => decoder.acceptDraft(...pair, 1), { code, message: /^(?!.*draft)/ });
    }
    if (code !== "nothing-left") assert.throws(() => decoder.beamStep([row, bad], [0, 0]), { code });
  }
  for (const bad of [Float32Array.of(1, 2), new Uint16Array(4)])
    for (const call of [
      () => decoder.guide(row, bad, 2),
      () => decoder.guide(bad, row, 2),
      () => decoder.contrast(row, bad),
      () => decoder.divergence(bad, row),
      () => decoder.acceptDraft(row, bad, 1),
      () => decoder.beamStep([bad], [0]),
      () => decoder.beamStep(bad, [0]),
    ])
      assert.throws(call, { name: "RangeError", code: "wrong-length" });
  for (const call of [
    () => decoder.guide(row, [1, 2, 3], 2),
    () => decoder.contrast(undefined, row),
    () => decoder.divergence(row),
    () => decoder.acceptDraft(row, null, 1),
    () => decoder.acceptDraft(row, row, "1"),
    () => decoder.acceptDraft(row, row, 1, { u: "0" }),
    () => decoder.guide(row, row, "2"),
    () => decoder.beamStep([row], ["0"]),
    () => decoder.beamStep([row], 0),
    () => decoder.beamStep("row", [0]),
    () => decoder.beamStep([row], [0], { decoders: [{}] }),
    () => decoder.beamStep([row], [0], { penalties: [1] }),
    () => decoder.beamStep([row], [0], { penalties: [null] }),
  ])
    assert.throws(call, { name: "TypeError", code: "bad-type" });
  for (const call of [
    () => decoder.acceptDraft(row, row, 3),
    () => decoder.acceptDraft(row, row, 1, { u: 1 }),
    () => decoder.acceptDraft(row, row, 1, { v: -0.1 }),
    () => decoder.guide(row, row, -1),
    () => decoder.guide(row, row, NaN),
    () => decoder.contrast(row, row, { weight: -1 }),
    () => decoder.contrast(row, row, { plausibility: 2 }),
    () => decoder.beamStep([row], [NaN]),
    () => decoder.beamStep([row], [-Infinity]),
    () => decoder.beamStep([row], [0], { count: 0 }),
    () => decoder.beamStep([row], [0], { penalties: [[3, 1]] }),
    () => decoder.beamStep([row], [0], { penalties: [[1, -1]] }),
  ])
    assert.throws(call, { name: "RangeError", code: "out-of-range" });
  assert.throws(() => decoder.beamStep([row], [0, 0]), { code: "wrong-length" });
  assert.throws(() => decoder.beamStep([row], [0], { decoders: [] }), { code: "wrong-length" });
  assert.throws(() => decoder.contrast(row, row, { alpha: 1 }), { code: "unknown-option" });
  assert.throws(() => decoder.beamStep([row], [0], { keep: 1 }), { code: "unknown-option" });
  await assert.rejects(createDecoder({ vocabSize: 3, topk: 2 }), { code: "unknown-option" });

  const gone = await createDecoder({ vocabSize: 3 });
  gone.beamStep([row], [0]);
  gone.acceptDraft(row, row, 1);
  gone.guide(row, row, 2);
  gone.dispose();
  gone.dispose();
  for (const call of [
    () => gone.beamStep([row], [0]),
    () => gone.acceptDraft(row, row, 1),
    () => gone.guide(row, row, 2),
    () => gone.contrast(row, row),
    () => gone.divergence(row, row),
    () => gone.degeneration(row, [row]),
  ])
    assert.throws(call, { code: "disposed" });
});

test("many decoders, each disposed of, need no more memory than a few", async () => {
  const row = normalRow(4096, 1);
  const kept = await decoderOf({ vocabSize: 4096 });
  const use = async (times) => {
    for (let i = 0; i < times; i++) {
      const decoder = await createDecoder({ vocabSize: 4096, repetitionPenalty: 1.1 });
      decoder.beamStep([row, row], [0, -1], { count: 100 });
      decoder.acceptDraft(row, row, 1);
      decoder.guide(row, row, 2);
      decoder.degeneration(row, [row, row, row]);
      decoder.dispose();
    }
    return kept.logits.buffer.byteLength;
  };
  const before = await use(3);
  assert.equal(await use(60), before);
});

test("the entry for service workers exports the decoding functions too", async () => {
  const decoder = await bound.createDecoder({ vocabSize: 3 });
  assert.equal(decoder.beamStep([logs(0.4, 0.35, 0.25)], [0]).length, 2);
  decoder.dispose();
  const search = await bound.createBeamSearch({ vocabSize: 3, beams: 2, maxTokens: 1 });
  search.step([logs(0.4, 0.35, 0.25)]);
  assert.deepEqual(search.results[0].tokens, [0]);
  search.dispose();
});
