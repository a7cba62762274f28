// The forward pass against llama.cpp: see tests/vectors/make-llama-fixtures.js.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { convertGguf, randomGguf, typeNames } from "../vectors/gguf-files.js";
import { openModel } from "./model-wasm.js";

const root = new URL("../../", import.meta.url);
const tolerances = { F32: 1e-4, F16: 0.05, Q8_0: 0.6, Q4_0: 0.6 };
const storyteller = new URL("demos/model/storyteller.gguf", root);

const argmax = (logits) => logits.reduce((best, logit, id) => (logit > logits[best] ? id : best), 0);

function readFixture(name) {
  const fixture = JSON.parse(readFileSync(new URL(`tests/vectors/llama-${name}.json`, root), "utf8"));
  for (const variant of Object.values(fixture.variants)) {
    const bytes = Buffer.from(variant.logits, "base64");
    variant.logits = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }
  return fixture;
}

// Returns { worst: the largest difference of a logit, equal: the share of positions with the same argmax }.
function compare(rows, variant, ids) {
  const width = ids.length + 1;
  let worst = 0;
  let equal = 0;
  rows.forEach((logits, i) => {
    const best = variant.argmax[i];
    const kept = variant.logits.subarray(i * width, (i + 1) * width);
    [...ids, best].forEach((id, j) => (worst = Math.max(worst, Math.abs(logits[id] - kept[j]))));
    if (argmax(logits) === best) equal++;
  });
  return { worst, equal: equal / rows.length };
}

async function check(t, name, file) {
  const fixture = readFixture(name);
  assert.equal(createHash("sha256").update(file).digest("hex"), fixture.sha256, "make the fixtures again");
  for (const [type, number] of Object.entries(typeNames)) {
    await t.test(`${name} ${type}: ${fixture.forced.length} forced positions`, async (t) => {
      const model = await openModel(convertGguf(file, number), { slots: 512 });
      const rows = fixture.forced.map((token) => model.forward([token]).slice());
      const { worst, equal } = compare(rows, fixture.variants[type], fixture.ids);
      t.diagnostic(`largest difference ${worst.toPrecision(3)}, equal argmax ${(equal * 100).toFixed(1)} %`);
      assert.ok(worst <= tolerances[type], `${worst}`);
      assert.ok(equal >= 0.95, `${equal}`);
    });
  }
  await t.test(`${name} F32: ${fixture.greedy.length} greedy tokens`, async () => {
    const model = await openModel(convertGguf(file, typeNames.F32), { slots: 512 });
    let token = 1;
    const greedy = fixture.greedy.map(() => (token = argmax(model.forward([token]))));
    assert.deepEqual(greedy, fixture.greedy);
  });
}

test("a model of random weights gives llama.cpp's logits", (t) => check(t, "random", randomGguf()));

test("the storyteller gives llama.cpp's logits", (t) =>
  check(t, "storyteller", new Uint8Array(readFileSync(storyteller))));
