// The seeded stream of 2,750 tokens is the same in every browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

const { digest } = JSON.parse(readFileSync(new URL("../vectors/golden.json", import.meta.url), "utf8"));

for (const name of browserNames)
  test(`the golden stream in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const found = await driver.evaluate(async () => {
      const { createSampler } = await import("/dist/index.js");
      const { goldenStream } = await import("/tests/vectors/golden-stream.js");
      return goldenStream(createSampler);
    });
    assert.equal(found, digest);
    assert.deepEqual(await driver.consoleErrors(), []);
  });
