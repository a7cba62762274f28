// Marked texts and p-values are the same in every browser.
import assert from "node:assert/strict";
import test from "node:test";
import { MARKED_DIGEST } from "../vectors/marked-stream.js";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

for (const name of browserNames)
  test(`marked texts in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const found = await driver.evaluate(async () => {
      const lastinch = await import("/dist/index.js");
      const { markedStream } = await import("/tests/vectors/marked-stream.js");
      return markedStream(lastinch);
    });
    assert.equal(found, MARKED_DIGEST);
    assert.deepEqual(await driver.consoleErrors(), []);
  });
