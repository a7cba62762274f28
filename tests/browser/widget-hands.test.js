import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, isPercent, softmax, survivors } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`hands in ${name}`, { timeout: 900_000 }, async (t) => {
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

    await t.test("each hand edits the result of the hand before", async () => {
      await page.show('<lastinch-hands on="guidance penalty"></lastinch-hands>');
      const edited = [6 / 1.25, 5 + 1, 4.5, 3.5, 2, 0];
      await check(softmax(edited), [0, 1, 2, 3, 4, 5]);
      await page.show('<lastinch-hands on="grammar"></lastinch-hands>');
      await check(softmax(cat.logits), [1, 2, 3, 4, 5]);
    });

    await t.test("the picture shows the hands that act on the row, and bars to scale", async () => {
      await page.show('<lastinch-hands order="cutoff" on="cutoff training"></lastinch-hands>');
      const { label, boxes, arrows, heights, shares } = await page.inside((_, root) => {
        const picture = root.querySelector(".picture");
        const of = (selector) => [...picture.querySelectorAll(selector)];
        return {
          label: picture.getAttribute("aria-label"),
          boxes: of("rect[rx]").map((box) => [box.nextElementSibling.textContent, box.matches(".tint")]),
          arrows: of("path.kept").length,
          heights: of("rect.hollow").map((bar) => bar.getBoundingClientRect().height),
          shares: [...root.querySelectorAll("tbody tr")].map((row) => parseFloat(row.cells[2].textContent) / 100),
        };
      });
      const names = ["Grammar", "1. Guidance", "2. Penalty", "3. Cutoff", "4. Temperature", "Training"];
      assert.deepEqual(
        boxes,
        names.map((name) => [name, /Cutoff|Training/.test(name)]),
      );
      assert.equal(arrows, 2);
      assert.match(label, /Grammar, Guidance, Penalty, Cutoff, Temperature, Training\. On: Cutoff, Training\.$/);
      heights.forEach((height, i) => assert.ok(Math.abs(height / heights[0] - shares[i] / shares[0]) < 0.02, `${i}`));
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

    await t.test("no button makes an order that the sampler refuses", async () => {
      await page.show('<lastinch-hands order="cutoff" on="guidance penalty temperature cutoff"></lastinch-hands>');
      const orders = await page.inside(async (widget, root) => {
        const seen = [];
        for (let i = 0; i < 8; i++) {
          const button = root.querySelectorAll("button.move")[i];
          if (!button.disabled) button.click();
          await widget.updateComplete;
          seen.push(root.querySelector(".problem")?.textContent ?? widget.order);
        }
        return seen;
      });
      assert.deepEqual(
        orders.filter((order) => !/^(guidance penalty|penalty guidance|cutoff$)/.test(order)),
        [],
      );
    });

    await t.test("training draws a group, and learns nothing from equal texts", async () => {
      await page.show('<lastinch-hands on="temperature training"></lastinch-hands>');
      assert.match(await page.text(), /A group of 8: .* [2-6] different answers/);
      await page.show(
        '<lastinch-hands on="training"><table><tr><td>yes</td><td>90</td></tr><tr><td>no</td><td>0</td></tr></table></lastinch-hands>',
      );
      assert.match(await page.text(), /1 different answers\.\s*All alike/);
    });

    await t.test("shows a row of one token, in Chinese", async () => {
      await page.show(
        '<lastinch-hands on="grammar guidance" order="cutoff"><table><tr><td>猫</td><td>1</td></tr></table></lastinch-hands>',
        { lang: "zh" },
      );
      assert.match(await page.text(), /一个分布，许多只手/);
      assert.equal((await page.table())[0][2], "100%");
    });
    await page.checkQuiet();
  });
