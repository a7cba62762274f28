// The NumPy code of the lesson: it runs as it stands, and computes what the sampler computes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { createBeamSearch, createDecoder, createSampler } from "lastinch";

const page = readFileSync(new URL("../../demos/article.html", import.meta.url), "utf8");
const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
const examples = new Map(
  [...page.matchAll(/<code data-check="([a-z-]+)">([^<]*)<\/code\s*>/g)].map(([, name, code]) => [
    name,
    unescape(code.trim()),
  ]),
);

const cat = Float32Array.of(6, 5, 4.5, 3.5, 2, 0);

/** What the sampler makes of a row: probabilities by token. */
async function probabilities(options, row = cat, prepare = () => {}) {
  const sampler = await createSampler({ vocabSize: row.length, ...options });
  prepare(sampler);
  const { tokens, probabilities: shares } = sampler.distribution(row);
  sampler.dispose();
  const all = Array(row.length).fill(0);
  tokens.forEach((id, i) => (all[id] = shares[i]));
  return all;
}
const log = (...values) => Float32Array.from(values, Math.log);

/** What the code of each example must print. */
const expected = {
  softmax: () => probabilities({}),
  greedy: async () => (await probabilities({ temperature: 0 })).indexOf(1),
  async draw([u]) {
    const sampler = await createSampler({ vocabSize: 6 });
    return [u, sampler.pick(u, cat)];
  },
  async surprise() {
    const sampler = await createSampler({ vocabSize: 6 });
    return [0, 1, 2, 3, 4, 5].map((token) => sampler.information(cat, { token }).raw.surprise);
  },
  temperature: () => probabilities({ temperature: 2 }),
  async cutoffs() {
    const kept = [];
    for (const cut of [{ topK: 3 }, { topP: 0.9 }, { minP: 0.1 }])
      kept.push((await probabilities(cut)).filter(Boolean).length);
    return kept;
  },
  "top-p": () => probabilities({ topP: 0.7 }, log(0.33, 0.22, 0.14, 0.11, 0.07, 0.055, 0.035, 0.025, 0.01, 0.005)),
  penalty: () => probabilities({ repetitionPenalty: 1.25 }, cat, (sampler) => sampler.accept([0])),
  async beams() {
    const after = { "": [0.4, 0.35, 0.25], 0: [0.5, 0.3, 0.2], 1: [0.9, 0.05, 0.05], 2: [0.4, 0.3, 0.3] };
    const search = await createBeamSearch({ vocabSize: 3, beams: 2, maxTokens: 2, lengthPenalty: 0 });
    while (!search.isOver) search.step(search.beams.map(({ tokens }) => log(...after[tokens.join()])));
    return Math.exp(search.results[0].score);
  },
  async guidance() {
    const decoder = await createDecoder({ vocabSize: 3 });
    return probabilities({}, decoder.guide(Float32Array.of(1, 1.8, 0.5), Float32Array.of(2, 1, 0.5), 2).slice());
  },
  mask: () => probabilities({ allowedTokens: [3, 5] }),
  speculation: () => probabilities({}, log(0.6, 0.3, 0.1)),
};

test("every code example is compared with the sampler and has at most six lines", () => {
  assert.deepEqual([...examples.keys()].sort(), Object.keys(expected).sort());
  for (const [name, code] of examples) {
    const lines = code.split("\n");
    assert.ok(lines.length <= 6 && lines[0] === "import numpy as np", name);
    assert.ok(
      lines.every((line) => line.length <= 96),
      name,
    );
  }
});

/** A Python with NumPy, if there is one. */
const python = ["python3", "/usr/bin/python3"].find((path) => !spawnSync(path, ["-c", "import numpy"]).status);
const skip = python === undefined && "no python3 with NumPy: install the Debian package python3-numpy";

for (const [name, code] of examples)
  test(`the lesson's code of ${name} computes what the sampler computes`, { skip }, async () => {
    const { stdout, stderr, status } = spawnSync(/** @type {string} */ (python), ["-c", code], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const printed = [JSON.parse(stdout)].flat();
    const wanted = [await expected[name](printed)].flat();
    assert.equal(printed.length, wanted.length);
    printed.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < 1e-6, `${value}, not ${wanted[i]}`));
  });
