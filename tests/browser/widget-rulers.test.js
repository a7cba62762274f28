import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { cat, softmax, survivors } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`rulers in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const kept = async () => {
      const rows = await page.table();
      return [3, 4, 5].map((column) => rows.filter((row) => row[column].startsWith("✓")).map(([token]) => token));
    };
    const expected = (topK, topP, minP, temperature) => {
      const probabilities = softmax(cat.logits, temperature);
      return [{ topK }, { topP }, { minP }].map((cut) =>
        survivors(probabilities, Object.entries(cut)).map((id) => cat.tokens[id]),
      );
    };

    await t.test("all three rules keep the same three tokens of the example's row", async () => {
      await page.show("<lastinch-rulers></lastinch-rulers>", { script: "widget-rulers.js" });
      assert.deepEqual(await kept(), expected(3, 0.9, 0.1, 1));
      assert.match(await page.text(), /All three keep the same 3: mat, sofa, floor/);
      await page.checkAccess();
    });

    await t.test("each setting keeps the tokens of its definition", async () => {
      for (const [k, p, m, T] of [
        [1, 0.59, 0.5, 1],
        [0, 1, 0, 2],
        [6, 0.8, 0.2, 2],
        [2, 0.99, 0.01, 0.5],
      ]) {
        await page.show(
          `<lastinch-rulers top-k="${k}" top-p="${p}" min-p="${m}" temperature="${T}"></lastinch-rulers>`,
        );
        assert.deepEqual(await kept(), expected(k, p, m, T), `${k} ${p} ${m} ${T}`);
      }
    });

    await t.test("the cuts are drawn on the bars where the numbers put them", async () => {
      await page.show('<lastinch-rulers top-k="2" top-p="0.9" min-p="0.3"></lastinch-rulers>');
      assert.deepEqual(
        await page.inside((_, root) =>
          [...root.querySelectorAll("[data-line]")].map((row) => [
            row.cells[0].textContent.trim(),
            row.querySelector("small").textContent,
          ]),
        ),
        [
          ["sofa", "Top-k"],
          ["floor", "Top-p"],
        ],
      );
      const [line, bar] = await page.inside((_, root) => {
        const cell = root.querySelector("tbody .bar > div");
        const { left } = cell.getBoundingClientRect();
        return [
          cell.querySelector(".line").getBoundingClientRect().left,
          cell.querySelector("span").getBoundingClientRect().right,
        ].map((x) => x - left);
      });
      assert.ok(Math.abs(line / bar - 0.3) < 0.02, `min-p's line stands at ${line} of ${bar} px`);
    });

    await t.test("the keyboard moves the sliders, and the widget says where the rules differ", async () => {
      await page.show("<lastinch-rulers></lastinch-rulers>");
      await page.press("#topK", "End");
      assert.match(await page.text(), /They agree on mat, sofa, floor\. Kept by some only: bed, moon, banana/);
      await page.until(
        (_, root) => root.querySelector("[role=status]").textContent === "Top-k keeps 6, top-p 3, min-p 3.",
      );
      for (const id of ["topP", "minP", "temperature"]) await page.press(`#${id}`, "Home");
      assert.deepEqual(await page.inside(({ topP, minP, temperature }) => [topP, minP, temperature]), [0, 0, 0]);
      await page.checkAccess();
    });

    await t.test("nonsense is explained", async () => {
      await page.show('<lastinch-rulers top-p="1.2"></lastinch-rulers>');
      assert.match(await page.text(), /top-p must be a number from 0 to 1, but is 1\.2/);
    });
    await page.checkQuiet();
  });
