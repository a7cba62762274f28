import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, softmax, survivors } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`quick check in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const status = () => page.inside((_, root) => root.querySelector("[role=status]").textContent);

    await t.test("explains each answer, keeps the score, and starts again", async () => {
      await page.show("<lastinch-quick-check></lastinch-quick-check>", { script: "widget-quick-check.js" });
      await page.press("input[type=radio]", " ");
      assert.match(await page.text(), /✕ Not quite\..*Greedy is the cheapest/);
      assert.equal(await status(), "0 of 3 right, 1 answered.");
      assert.match(await page.inside((_, root) => root.querySelector(".check.right").textContent), /fall into loops ✓/);
      assert.ok(await page.inside((_, root) => root.querySelector(".check.wrong :checked") !== null));
      await page.inside((_, root) => root.querySelectorAll("input[name=q0]")[1].click());
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "1 of 3 right, 1 answered.");
      await page.checkAccess();
      await page.click(".actions button");
      assert.equal(await page.inside((_, root) => root.querySelectorAll(":checked").length), 0);
      assert.equal(await status(), "");
    });

    await t.test("the answer to a question about the page's example is computed", async () => {
      const count = survivors(softmax(cat.logits), [["topP", 0.9]]).length;
      const answers = await page.inside((_, root) =>
        [...root.querySelectorAll("input[name=q2]")].map((input) => input.parentElement.textContent.trim()),
      );
      await page.inside(
        (_, root, at) => root.querySelectorAll("input[name=q2]")[at].click(),
        answers.indexOf(String(count)),
      );
      assert.match(await page.text(), /✓ Right\. The sampler says 3: mat, sofa, floor/);
    });

    await t.test("an author's questions replace ours, and a question without a right answer is explained", async () => {
      const question = (mark) =>
        `<lastinch-quick-check><details><summary>2 + 2?</summary><ul><li>3</li><li ${mark}>4</li></ul><p>Count.</p></details></lastinch-quick-check>`;
      await page.show(question("data-right"));
      await page.inside((_, root) => root.querySelectorAll("input")[1].click());
      assert.match(await page.text(), /1\. 2 \+ 2\?[^]*✓ Right\. Count\./);
      assert.equal(await status(), "1 of 1 right, 1 answered.");
      await page.show(question(""));
      assert.match(await page.text(), /Question 1 has no answer with data-right/);
    });

    await t.test("its words are Chinese", async () => {
      await page.show("<lastinch-quick-check></lastinch-quick-check>", { lang: "zh" });
      assert.match(await page.text(), /小测验/);
    });
    await page.checkQuiet();
  });
