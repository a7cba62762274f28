import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** How many of the largest probabilities it takes to reach p. @param {number[]} probabilities @param {number} p */
function nucleus(probabilities, p) {
  const sorted = [...probabilities].sort((a, b) => b - a);
  let sum = 0;
  return 1 + sorted.findIndex((probability) => (sum += probability) >= p - 1e-9);
}

/** @param {ArrayLike<number>} logits */
function softmax(logits) {
  const weights = Array.from(logits, Math.exp);
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
}

/** For each p: how many steps keep 2^i tokens or more, but fewer than 2^(i+1). @type {Record<string, number[]>} */
const expected = { 0.9: [], 0.5: [] };

{
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  for await (const { tokens } of model.generate("Once upon a time", { seed: 1, maxTokens: 200, captureLogits: true }))
    for (const { logits } of tokens)
      for (const [p, bins] of Object.entries(expected)) {
        const bin = Math.floor(Math.log2(nucleus(softmax(/** @type {Float32Array} */ (logits)), Number(p))));
        bins[bin] = (bins[bin] ?? 0) + 1;
      }
  model.dispose();
}

/** The bins as text, with 0 in empty ones. @param {number[]} bins */
const shown = (bins) => Array.from(bins, (count = 0) => String(count));

for (const name of contentBrowserNames)
  test(`peaked and flat in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    await page.show("<lastinch-peaked-flat></lastinch-peaked-flat>", { script: "widget-peaked-flat.js" });
    const kept = (text) =>
      // The status repeats it.
      [...text.matchAll(/Kept of (\d+) tokens: (\d+) by top-k, (\d+) by top-p, (\d+) by min-p/g)]
        .slice(0, 2)
        .map(([, ...numbers]) => numbers.map(Number));

    await t.test("top-k keeps three tokens in every row, and the other rules as many as are plausible", async () => {
      assert.deepEqual(kept(await page.text()), [
        [12, 3, 1, 1],
        [60, 3, 40, 48],
      ]);
      const [sure, open] = [await page.table(0), await page.table(1)];
      assert.deepEqual(sure[0], ["Paris", "97.0%", "✓", "✓", "✓"]);
      assert.deepEqual(sure[1], ["Lyon", "0.80%", "✓", "✕", "✕"]);
      const flat = softmax(Array.from({ length: 60 }, (_, i) => i * Math.log(0.953)));
      assert.equal(nucleus(flat, 0.9), 40);
      open.slice(0, 12).forEach((row, i) => assert.ok(Math.abs(parseFloat(row[1]) - 100 * flat[i]) < 0.06));
      const rest = flat.slice(12).reduce((a, b) => a + b);
      assert.deepEqual(open[12], ["48 others", `${(100 * rest).toFixed(1)}%`, "✕", "28", "36"]);
      await page.checkAccess();
    });

    await t.test("the keyboard moves the rulers", async () => {
      await page.press("#topK", "End");
      await page.press("#minP", "Home");
      assert.deepEqual(kept(await page.text()), [
        [12, 12, 1, 12],
        [60, 60, 40, 60],
      ]);
      await page.until((_, root) => root.querySelector("[role=status]").textContent.includes("Kept of 60 tokens: 60"));
    });

    await t.test("the histogram of a passage follows from its logits, at any p without writing it again", async () => {
      await page.click("button.primary");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("In 200 steps"));
      assert.deepEqual(
        (await page.table(2)).map(([, steps]) => steps),
        shown(expected[0.9]),
      );
      await page.inside((widget) => void widget.turn("topP", 0.5, true));
      assert.deepEqual(
        (await page.table(2)).map(([, steps]) => steps),
        shown(expected[0.5]),
      );
      await page.checkAccess();
    });

    await t.test("the author's tables replace the two rows, and nonsense in them is explained", async () => {
      const table = (rows, caption = "") =>
        `<table><caption>${caption}</caption><tr><th>token</th><th>p</th></tr>${rows}</table>`;
      const one = "<tr><td>سلام</td><td>1</td></tr>";
      const show = (html) => page.show(`<lastinch-peaked-flat>${html}</lastinch-peaked-flat>`);
      await show(table(one, "Sure") + table("<tr><td>🙂</td><td>50%</td></tr><tr><td>b</td><td>50%</td></tr>", "Open"));
      await page.until((_, root) => root.querySelectorAll("section").length === 2);
      assert.deepEqual(kept(await page.text()), [
        [1, 1, 1, 1],
        [2, 2, 2, 2],
      ]);
      assert.match(await page.text(), /Sure[^]*Open/);
      await page.checkAccess();
      await show(table(one) + table("<tr><td>b</td><td>NaN</td></tr>"));
      assert.match(await page.text(), /“NaN” where a number should be/);
      await show(table("<tr><td>a</td><td>0.0002</td></tr>".repeat(5000)));
      await page.until((_, root) => /4,988 others/.test(root.textContent));
      await show(table(""));
      assert.match(await page.text(), /no rows/);
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-peaked-flat></lastinch-peaked-flat>", { lang: "zh" });
      const text = await page.text();
      assert.match(text, /12 个词元中：top-k 保留 3 个，top-p 保留 1 个/);
      assert.match(text, /60 个词元中：top-k 保留 3 个，top-p 保留 40 个/);
      await page.checkAccess();
    });
    await page.checkQuiet();
  });
