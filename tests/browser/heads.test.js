// Heads that were trained for the storyteller draft in a page: the text is the same as without them, in fewer passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

for (const name of browserNames)
  test(`heads change no text in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const texts = await driver.evaluate(async () => {
      const { loadModel } = await import("/dist/index.js");
      const open = (file) => loadModel(`/demos/model/${file}.gguf`, { cache: false });
      const [model, medusa, eagle] = await Promise.all(["storyteller", "medusa", "eagle"].map(open));
      const texts = [];
      for (const options of [{ temperature: 0 }, { temperature: 0.8, seed: 7 }])
        for (const draft of [undefined, medusa, eagle]) {
          const how = { ...options, maxTokens: 60, ...(draft && { draft, draftTokens: 7 }) };
          const { text, usage } = await model.complete("Once upon a time", how);
          texts.push({ text, passes: usage.passes, kind: draft?.config.heads });
        }
      for (const one of [model, medusa, eagle]) one.dispose();
      return texts;
    });
    for (const [plain, ...drafted] of [texts.slice(0, 3), texts.slice(3)]) {
      assert.deepEqual(
        drafted.map(({ kind }) => kind),
        ["medusa", "eagle"],
      );
      for (const { text, passes, kind } of drafted) {
        assert.equal(text, plain.text);
        assert.ok(passes < 0.8 * plain.passes, `${kind}: ${passes} passes, ${plain.passes} without heads`);
      }
    }
    assert.deepEqual(await driver.consoleErrors(), []);
  });
