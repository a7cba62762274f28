import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, isPercent, softmax, survivors } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`order bench in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const kept = async () => {
      const rows = await page.table();
      return [1, 2].map((column) => rows.filter((row) => !row[column].startsWith("✕")).map(([token]) => token));
    };
    const names = (ids) => ids.map((id) => cat.tokens[id]);

    await t.test("top-p keeps fewer tokens before the temperature than after it", async () => {
      await page.show("<lastinch-order-bench></lastinch-order-bench>", { script: "widget-order-bench.js" });
      assert.deepEqual(await kept(), [
        names(survivors(softmax(cat.logits, 2), [["topP", 0.9]])),
        names(survivors(softmax(cat.logits), [["topP", 0.9]])),
      ]);
      assert.match(await page.text(), /Only one chain keeps: bed/);
      await page.checkAccess();
    });

    await t.test("a bias lifts its token in both chains", async () => {
      await page.show('<lastinch-order-bench bias="2" temperature="1" top-p="1"></lastinch-order-bench>');
      const shares = softmax(cat.logits.map((logit, id) => (id === 1 ? logit + 2 : logit)));
      for (const [id, row] of (await page.table()).entries())
        for (const column of [1, 2]) assert.ok(isPercent(row[column], shares[id]), `${row}`);
      await page.show("<lastinch-order-bench></lastinch-order-bench>");
    });

    await t.test("the keyboard moves a stage until both chains are the same", async () => {
      for (let moves = 0; moves < 3; moves++)
        await page.inside((_, root) => {
          const button = [...root.querySelectorAll("button")].find((one) =>
            /^Move Temperature up in Chain B$/.test(one.ariaLabel),
          );
          button.focus();
          button.click();
        });
      assert.match(await page.text(), /Both chains keep the same 4 tokens/);
      await page.until(
        (_, root) => root.querySelector("[role=status]").textContent === "Tokens kept: 4 by chain A, 4 by chain B.",
      );
    });

    await t.test("each cut works on the survivors of the previous cut, in the given order", async () => {
      await page.show(
        '<lastinch-order-bench temperature="1" top-k="3" top-p="0.6" first="top_k top_p" second="top_p top_k"></lastinch-order-bench>',
      );
      const probabilities = softmax(cat.logits);
      assert.deepEqual(await kept(), [
        names(
          survivors(probabilities, [
            ["topK", 3],
            ["topP", 0.6],
          ]),
        ),
        names(
          survivors(probabilities, [
            ["topP", 0.6],
            ["topK", 3],
          ]),
        ),
      ]);
    });

    await t.test("presets are buttons, knobs are sliders, and the words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-order-bench></lastinch-order-bench>", { lang: "zh" });
      assert.match(await page.text(), /顺序很要紧/);
      await page.inside((_, root) =>
        [...root.querySelectorAll("button.quiet")].find((b) => /WebLLM/.test(b.textContent)).click(),
      );
      assert.equal(await page.inside((widget) => widget.first), "repetition temperature top_p");
      for (const id of ["repetitionPenalty", "temperature", "topK", "topP", "minP"]) await page.press(`#${id}`, "End");
      assert.deepEqual(
        await page.inside((w) => [w.repetitionPenalty, w.temperature, w.topK, w.topP, w.minP]),
        [2, 5, 6, 1, 1],
      );
      await page.checkAccess();
    });
    await page.checkQuiet();
  });
