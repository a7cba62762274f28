import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, isPercent, softmax, survivors } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`funnel in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("shows where each token falls out", async () => {
      await page.show("<lastinch-funnel></lastinch-funnel>", { script: "widget-funnel.js" });
      const probabilities = softmax(cat.logits);
      const rows = await page.table();
      const left = survivors(probabilities, [
        ["topK", 5],
        ["topP", 0.95],
        ["minP", 0.1],
      ]);
      const total = left.reduce((sum, id) => sum + probabilities[id], 0);
      rows.forEach(([token, percent, fate], id) => {
        assert.ok(isPercent(percent, probabilities[id]));
        assert.equal(left.includes(id), fate.startsWith("✓"), token);
        if (left.includes(id)) assert.ok(isPercent(fate.split(", ")[1], probabilities[id] / total), fate);
      });
      assert.deepEqual(
        rows.slice(3).map((row) => row[2]),
        ["✕ Min-p", "✕ Top-p", "✕ Top-k"],
      );
      const text = await page.text();
      assert.match(text, /Top-k · 6 in, 5 out · 99\.9% of the probability stays/);
      assert.match(text, /“bed” had 4\.8% and was removed by Min-p/);
      await page.checkAccess();
    });

    await t.test("the funnel is as wide as the number of tokens that it lets through", async () => {
      const widths = await page.inside((_, root) =>
        [...root.querySelectorAll(".funnel path")].map((path) => {
          const numbers = path
            .getAttribute("d")
            .match(/-?[\d.]+/g)
            .map(Number);
          return [numbers[2] - numbers[0], numbers[3] - numbers[5]];
        }),
      );
      assert.equal(widths.length, 3);
      const unit = widths[0][0] / 6;
      for (const [i, counts] of [
        [6, 5],
        [5, 4],
        [4, 3],
      ].entries())
        counts.forEach((count, side) => assert.ok(Math.abs(widths[i][side] - count * unit) < 0.5, `${widths[i]}`));
      assert.match(await page.inside((_, root) => root.querySelector("svg.picture").textContent), /✕ bed/);
    });

    await t.test("the reader can watch another token, which survives", async () => {
      await page.inside((_, root) => {
        const select = root.querySelector("select");
        select.value = "0";
        select.dispatchEvent(new Event("change"));
      });
      assert.match(await page.text(), /“mat” survives with 62\.9% of what is left; it had 59\.0%/);
    });

    await t.test("the keyboard reorders stages and moves their knobs", async () => {
      await page.show('<lastinch-funnel watch="4"></lastinch-funnel>');
      await page.inside((_, root) =>
        [...root.querySelectorAll("button")].find((b) => b.ariaLabel === "Move Min-p up").click(),
      );
      assert.equal(await page.inside((widget) => widget.order), "temperature top_k min_p top_p typical");
      assert.match(await page.text(), /“moon” had 1\.1% and was removed by Min-p/);
      for (const id of ["topK", "minP"]) await page.press(`#${id}`, "Home");
      for (const id of ["topP", "typicalP"]) await page.press(`#${id}`, "End");
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "6 of 6 tokens survive.");
      await page.press("#temperature", "Home");
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "1 of 6 tokens survive.");
      await page.checkAccess();
    });

    await t.test("its words are Chinese, and it watches another token in place of a missing one", async () => {
      await page.show('<lastinch-funnel watch="99"></lastinch-funnel>', { lang: "zh" });
      assert.match(await page.text(), /6 个，出 5 个/);
    });
    await page.checkQuiet();
  });
