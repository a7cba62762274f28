import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`nucleus in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("keeps the smallest set that reaches p and scales it up", async () => {
      await page.show("<lastinch-nucleus></lastinch-nucleus>", { script: "widget-nucleus.js" });
      const rows = await page.table();
      assert.deepEqual(rows[0], ["store", "33.0%", "33.0%", "35.7%", "35.7%"]);
      assert.deepEqual(rows[5], ["movies", "5.5%", "92.5%", "5.9%", "100%"]);
      assert.deepEqual(rows[6], ["airport", "3.5%", "96.0%", "✕ cut", ""]);
      await page.checkAccess();
    });

    await t.test("a sum of exactly p is enough", async () => {
      await page.show('<lastinch-nucleus top-p="0.55"></lastinch-nucleus>');
      assert.equal((await page.table()).filter((row) => !row[3].startsWith("✕")).length, 2);
    });

    await t.test("the keyboard moves the slider, and its effect is announced", async () => {
      await page.show('<lastinch-nucleus top-p="0.9"></lastinch-nucleus>');
      await page.press("#topP", "Home");
      assert.equal(await page.inside((widget) => widget.topP), 0);
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("1 of 10 tokens kept"));
      await page.press("#topP", "End");
      assert.equal((await page.table()).filter((row) => row[3].startsWith("✕")).length, 0);
    });

    await t.test("a draw marks one of the survivors", async () => {
      await page.show('<lastinch-nucleus u="0.5"></lastinch-nucleus>');
      assert.equal(await page.inside((_, root) => root.querySelector("[data-marked] th").textContent), "park");
      await page.checkAccess();
    });

    await t.test("a draw falls on the strip where the scaled sums put it, and the widget states the sums", async () => {
      await page.show('<lastinch-nucleus u="0.83"></lastinch-nucleus>');
      assert.match(await page.text(), /0\.830 falls between 0\.746 and 0\.865: on “gym”/);
      await page.atRest();
      const [mark, part] = await page.inside((_, root) => {
        const strip = root.querySelector(".strip").getBoundingClientRect();
        const place = (/** @type {number} */ x) => (x - strip.left) / strip.width;
        const part = root.querySelector(".strip [data-marked]").getBoundingClientRect();
        return [
          place(root.querySelector(".strip i").getBoundingClientRect().left),
          [place(part.left), place(part.right)],
        ];
      });
      assert.ok(Math.abs(mark - 0.83) < 0.01, `the mark lies at ${mark}`);
      assert.ok(Math.abs(part[0] - 0.746) < 0.01 && Math.abs(part[1] - 0.865) < 0.01, `gym lies at ${part}`);
      await page.checkAccess();
    });

    await t.test("a name on the strip is whole or hidden", async () => {
      await page.show("<lastinch-nucleus></lastinch-nucleus>");
      const seen = await page.inside((_, root) => {
        document.querySelector("main").style.width = "390px";
        return [...root.querySelectorAll(".strip span")].map((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          const [box, name] = [part.getBoundingClientRect(), range.getBoundingClientRect()];
          const isWhole = name.left >= box.left - 1 && name.right <= box.right + 1 && name.top < box.bottom;
          const words = range.getClientRects();
          return [
            isWhole || words[words.length - 1].top >= box.bottom - 1,
            words[words.length - 1].top < box.bottom - 1,
          ];
        });
      });
      assert.ok(
        seen.every(([isFine]) => isFine),
        JSON.stringify(seen),
      );
      assert.ok(seen[0][1] && !seen[seen.length - 1][1], "“store” is seen and “movies” is not");
    });

    await t.test("the author's table replaces the data, and nonsense in it is explained", async () => {
      const table = (rows) =>
        `<lastinch-nucleus><table><tr><th>token</th><th>logit</th></tr>${rows}</table></lastinch-nucleus>`;
      await page.show(table("<tr><td>سلام</td><td>2</td></tr><tr><td>🙂</td><td>1</td></tr>"));
      assert.deepEqual(
        (await page.table()).map(([token]) => token),
        ["سلام", "🙂"],
      );
      await page.checkAccess();
      for (const [rows, problem] of [
        ["", /no rows/],
        ["<tr><td>a</td><td>NaN</td></tr>", /“NaN” where a number should be/],
        ["<tr><td>a</td><td>1</td></tr>".repeat(5001), /5001 rows/],
      ]) {
        await page.show(table(rows));
        assert.match(await page.text(), problem);
      }
    });

    await t.test("its words are Chinese on a Chinese page, and the author's own on any page", async () => {
      await page.show("<lastinch-nucleus></lastinch-nucleus>", { lang: "zh-CN" });
      assert.match(await page.text(), /核采样/);
      await page.inside((widget) => void (widget.texts = { title: "Kern" }));
      assert.match(await page.text(), /Kern/);
    });

    await t.test("a link sets the widget, and bad values in a link are left out", async () => {
      await page.show("<lastinch-nucleus></lastinch-nucleus>", {
        hash: "#v=1&w=nucleus&top-p=0.5&temperature=junk",
      });
      assert.deepEqual(await page.inside(({ topP, temperature }) => [topP, temperature]), [0.5, 1]);
    });
    await page.checkQuiet();
  });
