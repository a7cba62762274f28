import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/**
 * How many tokens the two rules keep, and whether that is too close to call in single precision.
 * @param {number[]} logits @param {number} temperature @param {number} topP @param {number} minP
 */
function reference(logits, temperature, topP, minP) {
  if (temperature === 0) return { p: [1, 1], m: [1, 1] };
  const top = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp((logit - top) / temperature)).sort((a, b) => b - a);
  const total = weights.reduce((a, b) => a + b);
  /** @param {number} limit */
  const nucleus = (limit) => {
    let sum = 0;
    const found = weights.findIndex((weight) => (sum += weight / total) >= limit);
    return found < 0 ? weights.length : found + 1;
  };
  const tall = (/** @type {number} */ limit) => weights.filter((weight) => weight >= limit).length;
  const close = 1e-5;
  return {
    p: [nucleus(topP - close), nucleus(topP + close)],
    m: [tall(minP * (1 + close)), tall(minP * (1 - close))],
  };
}

for (const name of contentBrowserNames)
  test(`min-p-heat in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("the curves for the model's row are those of a float64 reference", async () => {
      await page.show('<lastinch-min-p-heat top-p="0.9" min-p="0.1"></lastinch-min-p-heat>', {
        script: "widget-min-p-heat.js",
      });
      await page.checkAccess();
      assert.match(await page.text(), /loads 2\.6 MB/);
      await page.click("button.primary");
      await page.until((widget, root) => widget.statusText && !!root.querySelector(".plot"));
      const logits = await page.inside((widget) => [...widget.logits]);
      assert.equal(logits.length, 2048);
      await page.inside((_, root) => void (root.querySelector("details").open = true));
      for (const [heat, ...counts] of await page.table()) {
        const { p, m } = reference(logits, Number(heat), 0.9, 0.1);
        const [gotP, gotM] = counts.map((text) => Number(text.replace(",", "")));
        assert.ok(p[0] <= gotP && gotP <= p[1], `top-p at ${heat}: ${gotP}, not ${p}`);
        assert.ok(m[0] <= gotM && gotM <= m[1], `min-p at ${heat}: ${gotM}, not ${m}`);
      }
      await page.checkAccess();
    });

    await t.test("heat opens top-p far wider than min-p, and the picture has the table's numbers", async () => {
      const rows = await page.table();
      const at = (/** @type {string} */ heat) =>
        rows
          .find((row) => row[0] === heat)
          .slice(1)
          .map((text) => Number(text.replace(",", "")));
      assert.ok(at("1.5")[0] > 10 * at("1.5")[1]);
      const points = await page.inside((_, root) =>
        [...root.querySelectorAll(".plot .line")].map((line) => line.getAttribute("d").match(/[ML]/g).length),
      );
      assert.deepEqual(points, [rows.length, rows.length, 2]);
    });

    await t.test("the keyboard moves the sliders, and their effect is announced", async () => {
      await page.press("#temperature", "End");
      await page.until((widget) => widget.statusText.startsWith("At temperature 5, top-p keeps "));
      await page.press("#topP", "End");
      await page.until((widget) => widget.statusText.includes("top-p keeps 2,048 and"));
      await page.press("#minP", "End");
      await page.until((widget) => widget.statusText.includes("min-p 1 of 2,048"));
    });

    await t.test("another prompt computes another row", async () => {
      await page.inside((_, root) => {
        const field = root.querySelector("#prompt");
        field.value = "The";
        field.dispatchEvent(new Event("change"));
      });
      assert.equal(await page.inside((_, root) => Boolean(root.querySelector(".plot"))), false);
    });

    await t.test("an author's row needs no model, and nonsense is explained", async () => {
      const table = (/** @type {string} */ rows) => `<lastinch-min-p-heat><table>${rows}</table></lastinch-min-p-heat>`;
      await page.show(table("<tr><td>سلام</td><td>2</td></tr><tr><td>🙂</td><td>1</td></tr>"));
      await page.until((_, root) => !!root.querySelector(".plot"));
      assert.match(await page.text(), /of 2 tokens/);
      await page.checkAccess();
      await page.show(table("<tr><td>a</td><td>1</td></tr>"));
      await page.until((_, root) => !!root.querySelector(".plot"));
      await page.show(table("<tr><td>a</td><td>1</td></tr>".repeat(5001)));
      assert.match(await page.text(), /5001 rows/);
      await page.show(table("<tr><td>a</td><td>NaN</td></tr>"));
      assert.match(await page.text(), /“NaN” where a number should be/);
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-min-p-heat></lastinch-min-p-heat>", { lang: "zh" });
      assert.match(await page.text(), /升温时的/);
    });
    await page.checkQuiet();
  });
