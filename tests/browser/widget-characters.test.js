import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`characters in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const start = async (/** @type {string} */ attributes) => {
      await page.show(`<lastinch-characters ${attributes}></lastinch-characters>`);
      await page.click("button.primary");
      await page.until((widget, root) => widget.statusText && !!root.querySelector(".bars tbody"));
    };
    const text = () => page.inside((_, root) => root.querySelector("p.text").textContent);

    await t.test("shows the whole distribution of the next character", async () => {
      await page.show("<lastinch-characters></lastinch-characters>", { script: "widget-characters.js" });
      await page.checkAccess();
      assert.match(await page.text(), /\(loads [\d.]+ [MK]B\)/);
      await start('temperature="0.5" top-k="3"');
      const [expected, shown] = await page.inside((widget, root) => {
        const logits = [...widget.logits];
        const ids = logits.map((_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);
        // The model's own shares; then those of only the first three, at the temperature.
        const weights = logits.map((logit) => Math.exp(logit - logits[ids[0]]));
        const total = weights.reduce((a, b) => a + b);
        const best = ids.slice(0, 3).reduce((sum, id) => sum + weights[id] ** 2, 0);
        const cells = [...root.querySelector(".bars").tBodies[0].rows].map((row) =>
          [...row.cells].filter((cell) => !cell.ariaHidden).map((cell) => cell.textContent.trim()),
        );
        return [ids.slice(0, 12).map((id, i) => [weights[id] / total, i < 3 ? weights[id] ** 2 / best : 0]), cells];
      });
      const near = (/** @type {string} */ said, /** @type {number} */ share) =>
        said.startsWith("<") ? share < 1e-4 : Math.abs(parseFloat(said.replace(">", "")) / 100 - share) < 6e-4;
      expected.forEach(([before, after], i) => {
        assert.ok(near(shown[i][1], before), `${shown[i]}: ${before}`);
        assert.ok(i < 3 ? near(shown[i][2], after) : shown[i][2] === "✕ cut", `${shown[i]}: ${after}`);
      });
      assert.match(shown[12][0], /^everything else/);
      await page.checkAccess();
    });

    await t.test("the text grows by one character, by keyboard, then by many", async () => {
      await start('prompt="Once upon a time" seed="4"');
      assert.equal(await text(), "Once upon a time");
      await page.press("button.primary", "Enter");
      await page.until((widget) => widget.written.length === 1 && widget.statusText.startsWith("Drawn: “"));
      assert.equal(await page.inside((_, root) => root.querySelectorAll(".text [data-marked]").length), 1);
      await page.click("button.primary + button");
      await page.until((widget) => widget.written.length > 30);
      await page.checkAccess();
    });

    await t.test("the same seed writes the same text; greedy takes the top", async () => {
      const write = async (/** @type {string} */ attributes) => {
        await start(attributes);
        for (let i = 1; i <= 5; i++) {
          await page.click("button.primary");
          await page.until(
            (widget, _, count) => widget.written.length === count && widget.statusText.startsWith("Drawn"),
            i,
          );
        }
        return text();
      };
      const first = await write('seed="9" temperature="1.5"');
      assert.equal(await write('seed="9" temperature="1.5"'), first);
      assert.notEqual(await write('seed="10" temperature="1.5"'), first);
      await start('temperature="0"');
      const [top] = await page.table();
      assert.equal(top[2], "100%");
    });

    await t.test("another beginning starts again, and may be empty", async () => {
      await start('prompt=""');
      await page.inside((_, root) => {
        const field = root.querySelector("#prompt");
        field.value = "🙂 سلام";
        field.dispatchEvent(new Event("change"));
      });
      await page.click("button.primary");
      await page.until((widget, root) => widget.statusText && !!root.querySelector(".bars tbody"));
      assert.equal(await text(), "🙂 سلام");
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-characters></lastinch-characters>", { lang: "zh" });
      assert.match(await page.text(), /一次一个字符/);
    });
    await page.checkQuiet();
  });
