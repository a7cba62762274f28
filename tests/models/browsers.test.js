// Chat models in the browsers: the answer that Node and llama.cpp give.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { browserNames, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";
import { pathOf } from "./llama.js";

for (const file of ["MiniMind2-Small-Q8_0.gguf", "TinyLlama-1.1B-Chat-Q4_K_M.gguf"]) {
  const skip = existsSync(pathOf(file)) ? false : "run make models first";
  for (const name of browserNames) {
    test(`${file} knows the capital of France in ${name}`, { skip }, async (t) => {
      const site = await startSite();
      t.after(() => site.close());
      const driver = await launch(name);
      t.after(() => driver.close());
      await driver.open(`${site.origin}/tests/browser/blank.html`);
      const answer = await driver.evaluate(async (address) => {
        const { createLanguageModel } = await import("/dist/prompt-api.js");
        const load = { cache: false, contextLength: 256 };
        const LanguageModel = createLanguageModel(address, { load, generate: { maxTokens: 16 } });
        const session = await LanguageModel.create({ temperature: 0 });
        const text = await session.prompt("What is the capital of France?");
        session.destroy();
        return text;
      }, `/build/models/${file}`);
      assert.equal(answer, "The capital of France is Paris.");
      assert.deepEqual(await driver.consoleErrors(), []);
    });
  }
}
