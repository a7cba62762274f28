// Heads that were trained for the storyteller draft in a page: the text is the same as without them, in fewer passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

for (const name of browserNames)
  test(`Medusa heads change no text in ${name}`, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const texts = await driver.evaluate(async () => {
      const { loadModel } = await import("/dist/index.js");
      const open = (file) => loadModel(`/demos/model/${file}.gguf`, { cache: false });
      const [model, heads] = await Promise.all([open("storyteller"), open("medusa")]);
      const texts = [];
      for (const options of [{ temperature: 0 }, { temperature: 0.8, seed: 7 }])
        for (const draft of [undefined, heads]) {
          const how = { ...options, maxTokens: 60, ...(draft && { draft, draftTokens: 7 }) };
          const { text, usage } = await model.complete("Once upon a time", how);
          texts.push({ text, passes: usage.passes, kind: heads.config.heads });
        }
      heads.dispose();
      model.dispose();
      return texts;
    });
    for (const [plain, drafted] of [texts.slice(0, 2), texts.slice(2)]) {
      assert.equal(drafted.text, plain.text);
      assert.equal(drafted.kind, "medusa");
      assert.ok(drafted.passes < 0.8 * plain.passes, `${drafted.passes} passes, ${plain.passes} without heads`);
    }
    assert.deepEqual(await driver.consoleErrors(), []);
  });
