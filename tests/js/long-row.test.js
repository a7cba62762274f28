// What widgets compute from a row as long as a large model's, against float64.
import assert from "node:assert/strict";
import test from "node:test";
import { createSampler } from "lastinch";
import { look, restOf, sumBut, survivors, uncut } from "../../web/widgets/shared/look.js";
import { topOf } from "../../web/widgets/shared/sampling.js";
import { realisticRow } from "../bench/steps.js";

const SIZE = 128256;
const SHOWN = 20;
const row = realisticRow(SIZE);
const sampler = await createSampler({ vocabSize: SIZE, seed: 0 });
const order = [...row.keys()].sort((a, b) => row[b] - row[a] || a - b);

/** @param {number} temperature @param {Float32Array} [logits] */
function softmax(temperature, logits = row) {
  const top = logits.reduce((a, b) => Math.max(a, b));
  const weights = Float64Array.from(logits, (logit) => Math.exp((logit - top) / temperature));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
}

/** How many of the likeliest stay. @param {Float64Array} probabilities @param {string} rule @param {number} value */
function keptBy(probabilities, rule, value) {
  let sum = 0;
  if (rule === "topK") return value;
  if (rule === "minP") return order.findIndex((id) => probabilities[id] < value * probabilities[order[0]]);
  return 1 + order.findIndex((id) => (sum += probabilities[id]) >= value);
}

/** @param {number} a @param {number} b @param {number} [most] relative */
const isNear = (a, b, most = 1e-9) => Math.abs(a - b) <= most * b;

test("without a cut, probabilities are the softmax; temperature 0 shows those of temperature 1", () => {
  for (const temperature of [0, 0.5, 1, 2]) {
    const expected = softmax(temperature || 1);
    const { probabilities } = uncut(sampler, row, { temperature });
    assert.ok(expected.every((p, id) => isNear(probabilities[id], p)));
    const shown = topOf(row, SHOWN);
    assert.deepEqual(shown, order.slice(0, SHOWN));
    const rest = order.slice(SHOWN).reduce((sum, id) => sum + expected[id], 0);
    assert.ok(isNear(sumBut(probabilities, shown), rest));
  }
});

test("a truncation keeps the tokens and shares of its definition, by every method", () => {
  for (const [temperature, rule, value] of /** @type {[number, string, number][]} */ ([
    [1, "topK", 5],
    [1, "topP", 0.9],
    [2, "topP", 0.9],
    [1, "topP", 0.55],
    [1, "minP", 0.05],
    [2, "minP", 0.01],
  ])) {
    const probabilities = softmax(temperature);
    const settings = { temperature, [rule]: value };
    const { count, shares } = survivors(sampler, row, settings, { top: SHOWN });
    // Single precision decides which of tens of thousands of tokens is the last.
    const about = keptBy(probabilities, rule, value);
    assert.ok(isNear(count, about, 1e-4), `${rule} ${value}: ${count} for ${about}`);
    const kept = order.slice(0, count);
    const mass = kept.reduce((sum, id) => sum + probabilities[id], 0);
    assert.deepEqual([...shares.keys()], kept.slice(0, SHOWN));
    for (const [id, share] of shares) assert.ok(isNear(share, probabilities[id] / mass, 1e-6));
    const rest = restOf({ count, shares }, order.slice(0, SHOWN));
    assert.equal(rest.count, Math.max(0, count - SHOWN));
    const share = kept.slice(SHOWN).reduce((sum, id) => sum + probabilities[id] / mass, 0);
    assert.ok(Math.abs(rest.share - share) < 1e-6 && rest.share > 0 === rest.count > 0);

    const view = look(sampler, row, settings);
    assert.deepEqual([...view.kept], kept);
    assert.ok(kept.every((id) => isNear(view.shares[id], probabilities[id] / mass) && view.removedBy(id) === null));
    const stage = { topK: "top_k", topP: "top_p", minP: "min_p" }[rule];
    assert.ok(order.slice(count).every((id) => view.shares[id] === 0 && view.removedBy(id) === stage));
    const drawn = sampler.distribution(row);
    assert.ok(drawn.tokens.every((id, i) => isNear(view.shares[id], drawn.probabilities[i])));
  }
});

test("greedy leaves one token, in whatever order the stages are", () => {
  const { probabilities, ...view } = look(sampler, row, {
    temperature: 0,
    topP: 0.9,
    order: ["top_p", "temperature", "top_k"],
  });
  assert.deepEqual([[...view.kept], view.shares[order[0]]], [[order[0]], 1]);
  assert.ok(isNear(probabilities[order[0]], softmax(1)[order[0]]));
});

test("the share of a penalised token is found", () => {
  const settings = { repetitionPenalty: 2 };
  const { shares } = survivors(sampler, row, settings, { top: SHOWN, token: order[0] }, [order[0]]);
  const edited = row.with(order[0], row[order[0]] / 2);
  assert.ok(shares.size === SHOWN + 1 && isNear(shares.get(order[0]) ?? 0, softmax(1, edited)[order[0]], 1e-6));
});

test("an unchanged row is computed once, and a changed row again", (t) => {
  const trace = t.mock.method(sampler, "trace");
  const own = row.slice();
  const ask = (/** @type {import("lastinch").SamplerOptions["temperature"]} */ temperature) =>
    uncut(sampler, own, { temperature, topP: Math.random() }).probabilities[order[0]];
  const [first, second] = [ask(0.7), ask(1.1)];
  assert.deepEqual([ask(0.7), ask(1.1), ask(0.7)], [first, second, first]);
  assert.equal(trace.mock.callCount(), 2);
  own[order[0]] += 1;
  assert.ok(ask(0.7) > first);
  assert.equal(trace.mock.callCount(), 3);
});
