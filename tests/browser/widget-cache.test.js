import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { estimateModel, loadModel } from "../../dist/index.js";
import { readGguf } from "../vectors/gguf-files.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const { tensors } = readGguf(file);

/** Multiplications of a pass over the tokens from `first` to `end`: each matrix of the file times each token, and attention. */
function multiplications(first, end) {
  let sum = 0;
  for (let position = first; position < end; position++)
    for (const { name, shape, count } of tensors) {
      if (shape.length === 2 && name !== "token_embd.weight") sum += count;
      // 6 heads of 32: a product with each key, and a share of each value.
      if (name.endsWith("attn_q.weight")) sum += (position + 1) * 6 * (32 + 32);
    }
  // The embeddings are the output matrix, and only the last token needs it.
  return sum + tensors.find(({ name }) => name === "token_embd.weight").count;
}

const number = (/** @type {string} */ text) => Number(text.replaceAll(",", ""));
const COUNT = 5;
const PROMPT = "Tom had a";

for (const name of contentBrowserNames)
  test(`cache in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    /** Squares of each picture: computed, and read from the cache. */
    const squares = () =>
      page.inside((_, root) =>
        [...root.querySelectorAll("svg.picture")].map((picture) => [
          picture.querySelectorAll("rect.kept").length,
          picture.querySelectorAll("rect.hollow").length,
        ]),
      );
    /** Multiplications of each pass, with the cache and without. */
    const operations = async (index = 0) => (await page.table(index)).map((row) => row.slice(1, 3).map(number));
    const expected = (prompt, count) =>
      Array.from({ length: count }, (_, pass) => [
        multiplications(pass ? prompt + pass - 1 : 0, prompt + pass),
        multiplications(0, prompt + pass),
      ]);

    await t.test("a recording draws what is read again, and counts it", async () => {
      await page.show("<lastinch-cache></lastinch-cache>", { script: "widget-cache.js" });
      assert.match(await page.text(), /This is a recording/);
      const [prompt, count] = [8, 12];
      const ends = Array.from({ length: count }, (_, pass) => prompt + pass);
      const all = ends.reduce((sum, end) => sum + end, 0);
      assert.deepEqual(await squares(), [
        [prompt + count - 1, all - prompt - count + 1],
        [all, 0],
      ]);
      assert.deepEqual(await operations(), expected(prompt, count));
      await page.checkAccess();
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")), "no model was asked for");
    });

    await t.test("memory is what the model would take, by position and type", async () => {
      await page.inside((_, root) => (root.querySelector("#positions").closest("details").open = true));
      const rows = await page.table(1);
      for (const [i, cacheType] of /** @type {const} */ (["f32", "f16", "q8_0"]).entries()) {
        const { memory } = await estimateModel(new Blob([file]), { contextLength: 512, cacheType });
        const each = number(rows[i][1]);
        assert.equal(each, 5 * 2 * 64 * { f32: 4, f16: 2, q8_0: 34 / 32 }[cacheType]);
        // The model keeps a little more than the text's positions.
        assert.ok(memory.cache >= 512 * each && memory.cache < 1.5 * 512 * each, `${memory.cache} ${each}`);
      }
      // Llama 3.1 8B: 32 layers of 8 heads of 128 numbers, keys and values, in halves, for 131,072 tokens.
      assert.match(await page.text(), /Llama 3\.1 8B in halves: 131,072 bytes a token, 17\.2 GB for 131,072 tokens\./);
      // As far as the contexts of those models.
      await page.press("#positions", "End");
      assert.match(await page.text(), /Tokens in the text, for its memory.*131072/);
      await page.press("#positions", "Home");
      assert.match((await page.table(1))[0][2], /^2560 bytes$|^3 KB$/);
    });

    await t.test("it writes the model's greedy text both ways, and measures each pass", async () => {
      const model = await loadModel(new Blob([file]), { worker: false });
      const { text } = await model.complete(PROMPT, { temperature: 0, maxTokens: COUNT });
      const prompt = (await model.tokenize(PROMPT, { bos: true })).length;
      model.dispose();
      await page.show(`<lastinch-cache prompt="${PROMPT}" count="${COUNT}"></lastinch-cache>`);
      assert.equal(await page.inside((_, root) => root.querySelector("svg.picture")), null);
      await page.click("button.primary");
      await page.until((_, root) => /Both texts are the same, and so is every logit/.test(root.textContent));
      assert.equal(await page.inside((_, root) => root.querySelector(".text").textContent), PROMPT + text);
      const rows = await page.table();
      assert.deepEqual(
        rows.map((row) => row.slice(1, 3).map(number)),
        expected(prompt, COUNT),
      );
      assert.ok(rows.every((row) => /^\d+\.\d\d$/.test(row[3]) && /^\d+\.\d\d$/.test(row[4])));
      await page.until((_, root) =>
        /times as many\. Measured here/.test(root.querySelector("[role=status]").textContent),
      );
      await page.checkAccess();
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-cache></lastinch-cache>", { lang: "zh-CN" });
      assert.match(await page.text(), /为什么第二个词来得更快/);
    });
    await page.checkQuiet();
  });
