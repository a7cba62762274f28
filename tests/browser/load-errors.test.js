// Errors for files that a page cannot load. Browsers do not say why a file of another site failed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserNames, launch } from "./browsers.js";
import { startSite } from "./site.js";

for (const name of browserNames)
  test(`another site's file, a page and a missing file have errors that tell them apart in ${name}`, async (t) => {
    const [site, other] = [await startSite(), await startSite()];
    t.after(() => site.close());
    t.after(() => other.close());
    const driver = await launch(name);
    t.after(() => driver.close());
    site.isIsolated = false;
    other.isOpen = false;
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const path = "/demos/model/draft.gguf";
    const found = await driver.evaluate(
      async ([far, page, missing, near]) => {
        const { estimateModel, loadModel } = await import("/dist/index.js");
        const tell = ({ code, message }) => ({ code, message });
        const errors = [];
        for (const worker of [true, false])
          for (const address of [far, page, missing])
            errors.push(await loadModel(address, { worker, cache: false }).then(() => "loaded", tell));
        errors.push(await estimateModel(far).then(() => "estimated", tell));
        const { runs, bytes } = await estimateModel(near);
        return { errors, runs, bytes };
      },
      [other.origin + path, `${site.origin}/demos/`, `${site.origin}/none.gguf`, site.origin + path],
    );
    const codes = ["model-download", "file-page", "model-download"];
    assert.deepEqual(
      found.errors.map(({ code }) => code),
      [...codes, ...codes, "model-download"],
    );
    for (const i of [0, 3, 6]) assert.match(found.errors[i].message, /no connection.*Access-Control-Allow-Origin/);
    for (const i of [2, 5]) assert.match(found.errors[i].message, /HTTP 404.*no such file/);
    assert.equal(found.runs, true);
    assert.ok(found.bytes > 300_000);

    other.isOpen = true;
    const size = await driver.evaluate(async (address) => {
      const { estimateModel } = await import("/dist/index.js");
      return (await estimateModel(address)).bytes;
    }, other.origin + path);
    assert.equal(size, found.bytes);
  });
