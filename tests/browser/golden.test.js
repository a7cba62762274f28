// The seeded stream of 2,000 tokens is the same in every browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { browserNames, launch } from "./browsers.js";
import { startSite } from "./site.js";

const { digest } = JSON.parse(readFileSync(new URL("../vectors/golden.json", import.meta.url), "utf8"));

for (const name of browserNames)
  test(`the golden stream in ${name}`, async (t) => {
    const site = await startSite();
    t.after(() => site.close());
    const driver = await launch(name);
    t.after(() => driver.close());
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const found = await driver.evaluate(async () => {
      const { createSampler } = await import("/dist/index.js");
      const { goldenStream } = await import("/tests/vectors/golden-stream.js");
      return goldenStream(createSampler);
    });
    assert.equal(found, digest);
    assert.deepEqual(await driver.consoleErrors(), []);
  });
