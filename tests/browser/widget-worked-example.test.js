import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, isPercent, softmax } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`worked example in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const edit = (at, value) =>
      page.inside(
        (_, root, at, value) => {
          const input = root.querySelectorAll("input[type=number]")[at];
          input.value = value;
          for (const type of ["input", "change"]) input.dispatchEvent(new Event(type));
        },
        at,
        value,
      );

    await t.test("shows the example's row", async () => {
      await page.show("<lastinch-worked-example></lastinch-worked-example>", { script: "widget-worked-example.js" });
      const expected = softmax(cat.logits);
      (await page.table()).forEach(([token, , percent], id) => {
        assert.equal(token, cat.tokens[id]);
        assert.ok(isPercent(percent, expected[id]), percent);
      });
      assert.match(await page.text(), /Entropy 1\.61 bits: as uncertain as 3\.05/);
      await page.checkAccess();
    });

    await t.test("an edited logit moves every widget that shares the example, and no other", async () => {
      await page.show(
        `<lastinch-worked-example></lastinch-worked-example><lastinch-rulers></lastinch-rulers>
         <lastinch-worked-example><table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>1</td></tr></table></lastinch-worked-example>`,
      );
      await edit(5, "7");
      const rows = await page.driver.evaluate(async () => {
        const rulers = document.querySelector("lastinch-rulers");
        await rulers.updateComplete;
        const own = document.querySelectorAll("lastinch-worked-example")[1].shadowRoot;
        return [
          rulers.shadowRoot.querySelector("tbody th").textContent,
          own.querySelector("tbody td:last-child").textContent,
        ];
      });
      assert.deepEqual(rows, ["banana", "50.0%"]);
      assert.match(await page.inside((_, root) => root.querySelector("[role=status]").textContent), /banana/);
    });

    await t.test("arrow keys move a logit by half", async () => {
      await page.show("<lastinch-worked-example></lastinch-worked-example>");
      await page.press("input[type=number]", "ArrowUp");
      assert.equal(await page.inside((_, root) => root.querySelector("input").value), "6.5");
      assert.ok(isPercent((await page.table())[0][2], softmax([6.5, ...cat.logits.slice(1)])[0]));
    });

    await t.test("a row of thousands of tokens ends in one bar for the rest", async () => {
      const rows = Array.from({ length: 5000 }, (_, i) => `<tr><td>t${i}</td><td>0</td></tr>`).join("");
      await page.show(`<lastinch-worked-example><table>${rows}</table></lastinch-worked-example>`);
      assert.deepEqual((await page.table()).at(-1), ["everything else (4980 tokens)", "", "99.6%"]);
    });

    await t.test("one token has the whole probability, in Chinese too", async () => {
      await page.show(
        "<lastinch-worked-example><table><tr><td>猫</td><td>-3</td></tr></table></lastinch-worked-example>",
        { lang: "zh" },
      );
      assert.equal((await page.table())[0][2], "100%");
      assert.match(await page.text(), /softmax 把分数变成份额/);
      await page.checkAccess();
    });
    await page.checkQuiet();
  });
