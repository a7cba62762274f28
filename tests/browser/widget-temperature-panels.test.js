import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, isPercent, softmax } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`temperature panels in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const check = async (temperatures) => {
      for (const [panel, temperature] of temperatures.entries()) {
        const expected = softmax(cat.logits, temperature);
        (await page.table(panel)).forEach(([, percent], id) => assert.ok(isPercent(percent, expected[id]), percent));
      }
    };

    await t.test("has the example's three distributions and the odds of a derailment", async () => {
      await page.show("<lastinch-temperature-panels></lastinch-temperature-panels>", {
        script: "widget-temperature-panels.js",
      });
      await check([0.5, 1, 2]);
      const odds = 1 - (1 - softmax(cat.logits, 2)[5]) ** 200;
      const text = await page.text();
      assert.ok(isPercent(/T = 2: 2\.0% a step, (\S+) in all/.exec(text)?.[1] ?? "", odds), text);
      await page.checkAccess();
    });

    await t.test("temperature 0 is greedy, and the keyboard moves every slider", async () => {
      await page.press("#low", "Home");
      await page.press("#high", "End");
      await page.press("#rolls", "End");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.includes("mat 100%"));
      await check([0, 1, 5]);
      assert.equal(await page.inside((widget) => widget.rolls), 1000);
      await page.checkAccess();
    });

    await t.test("a bad temperature is explained, and the words are Chinese on a Chinese page", async () => {
      await page.show('<lastinch-temperature-panels low="hot"></lastinch-temperature-panels>');
      assert.match(await page.text(), /low must be a number from 0 to 5, but is NaN/);
      await page.show("<lastinch-temperature-panels></lastinch-temperature-panels>", { lang: "zh-Hans" });
      assert.match(await page.text(), /三种温度/);
    });
    await page.checkQuiet();
  });
