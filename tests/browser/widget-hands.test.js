import assert from "node:assert/strict";
import { test } from "node:test";
import { browserNames, once } from "./names.js";
import { cat, isPercent, softmax, survivors } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of browserNames)
  test(`hands in ${name}`, { timeout: 240_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const check = async (probabilities, ids) => {
      const total = ids.reduce((sum, id) => sum + probabilities[id], 0);
      (await page.table()).forEach((row, id) => {
        if (ids.includes(id)) assert.ok(isPercent(row[2], probabilities[id] / total), row.join(" "));
        else assert.equal(row[2], "✕ cut");
      });
    };

    await t.test("temperature and cutoff are the sampler's", async () => {
      await page.show("<lastinch-hands></lastinch-hands>", { script: "widget-hands.js" });
      const hot = softmax(cat.logits, 2);
      await check(hot, survivors(hot, [["topP", 0.9]]));
      await page.checkAccess();
    });

    await t.test("each hand edits what the one before left", once(name), async () => {
      await page.show('<lastinch-hands on="guidance penalty"></lastinch-hands>');
      const edited = [6 / 1.25, 5 + 1, 4.5, 3.5, 2, 0];
      await check(softmax(edited), [0, 1, 2, 3, 4, 5]);
      await page.show('<lastinch-hands on="grammar"></lastinch-hands>');
      await check(softmax(cat.logits), [1, 2, 3, 4, 5]);
    });

    await t.test("switches and order work by keyboard", async () => {
      await page.show("<lastinch-hands></lastinch-hands>");
      await page.press("input[type=checkbox]", " ");
      assert.equal(await page.inside((widget) => widget.on), "temperature cutoff grammar");
      await page.inside((_, root) =>
        [...root.querySelectorAll("button")].find((b) => b.ariaLabel === "Move Cutoff up").click(),
      );
      assert.equal(await page.inside((widget) => widget.order), "guidance penalty cutoff temperature");
      await page.until((_, root) => /Most likely: sofa/.test(root.querySelector("[role=status]").textContent));
      await page.checkAccess();
    });

    await t.test("training draws a group, and learns nothing from one that is all alike", once(name), async () => {
      await page.show('<lastinch-hands on="temperature training"></lastinch-hands>');
      assert.match(await page.text(), /A group of 8: .* [2-6] different answers/);
      await page.show(
        '<lastinch-hands on="training"><table><tr><td>yes</td><td>90</td></tr><tr><td>no</td><td>0</td></tr></table></lastinch-hands>',
      );
      assert.match(await page.text(), /1 different answers\.\s*All alike/);
    });

    await t.test("one token, and Chinese", once(name), async () => {
      await page.show(
        '<lastinch-hands on="grammar guidance" order="cutoff"><table><tr><td>猫</td><td>1</td></tr></table></lastinch-hands>',
        { lang: "zh" },
      );
      assert.match(await page.text(), /一个分布，许多只手/);
      assert.equal((await page.table())[0][2], "100%");
    });
    await page.checkQuiet();
  });
