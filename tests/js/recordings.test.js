// The recordings that widgets show until a reader runs them are what the models write.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { folder, record, sourceOf } from "../../demos/model/record.js";

/** Steps of the model that learns; the recording has more, of which these are the first. */
const STEPS = 160;

/** The recording of a model that learns, as far as a shorter run goes. @param {typeof import("../../web/widgets/recorded/train.js")} recorded */
function begun({ settings, counted, curve, samples }) {
  const columns = curve.map((list) => list.split(" "));
  const count = columns[0].filter((step) => Number(step) <= STEPS).length;
  return {
    settings,
    counted,
    curve: columns.map((list) => list.slice(0, count).join(" ")),
    samples: samples.filter(({ step }) => step <= STEPS),
  };
}

test("every recording equals a new run", async () => {
  const { train, ...recorded } = await record(STEPS);
  const whole = begun(await import("../../web/widgets/recorded/train.js"));
  // The long run has dropped some of the first lines.
  const steps = whole.samples.map(({ step }) => step);
  assert.deepEqual({ ...train, samples: train.samples.filter(({ step }) => steps.includes(step)) }, whole);
  assert.ok(steps.length > 2);
  // tests/models/thinking.test.js runs what thinking has recorded.
  const names = [...Object.keys(recorded), "train", "thinking"];
  assert.deepEqual(readdirSync(folder).sort(), names.map((name) => `${name}.js`).sort());
  for (const [name, values] of Object.entries(recorded))
    assert.equal(
      readFileSync(new URL(`${name}.js`, folder), "utf8"),
      await sourceOf(values),
      `node demos/model/record.js makes ${name} anew`,
    );
});
