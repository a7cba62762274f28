// A model learns in a page's Worker with the losses that it has in Node, and its file is a model in the same page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { trainDigest, trainLosses, trainText } from "../train-golden.js";
import { browserNames } from "./browsers.js";
import { openSite } from "./site.js";

/** In the page. */
async function learn(text) {
  const { createTrainer } = await import("/dist/train.js");
  const { loadModel } = await import("/dist/index.js");
  const trainer = await createTrainer(text, { seed: 7 });
  const reports = [];
  for await (const { loss, heldOut } of trainer.learn({ steps: 60, every: 20 })) reports.push({ loss, heldOut });
  const model = await loadModel(await trainer.save());
  const rows = [await trainer.logits("The cat"), await model.forward(await model.tokenize("The cat"))];
  const difference = Math.max(...rows[0].map((logit, i) => Math.abs(logit - rows[1][i])));
  trainer.dispose();
  model.dispose();
  return { reports, difference };
}

for (const name of browserNames)
  test(`a model learns in ${name} with the same bits as in Node`, { timeout: 300_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const { reports, difference } = await driver.evaluate(learn, trainText);
    assert.equal(trainLosses(reports), trainDigest);
    assert.ok(difference < 1e-5);
  });
