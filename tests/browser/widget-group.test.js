import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** The reward by the widget's rule. */
function reward(text) {
  const lengths = [...text.matchAll(/([^.!?]+)[.!?]/g)].map(([, one]) => one.match(/[\p{L}\p{N}'-]+/gu)?.length ?? 0);
  if (!lengths.length) return 0;
  const mean = lengths.reduce((a, b) => a + b) / lengths.length;
  return Math.max(0, 1 - Math.abs(mean - 8) / 8);
}

/** The texts that the widget lists, one for each number. */
async function textsOf(page) {
  const listed = await page.inside((_, root) =>
    [...root.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent]),
  );
  const texts = [];
  for (const [numbers, text] of listed)
    for (const number of numbers.split(", ")) texts[number - 1] = text.replace(/^… /, "");
  return texts;
}

for (const name of contentBrowserNames)
  test(`group in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test(
      "opens with a recorded group and says so; other settings show nothing until a model has written",
      async () => {
        await page.show("<lastinch-group></lastinch-group>", { script: "widget-group.js" });
        assert.match(await page.text(), /Write the group \(loads 2\.6 MB\)/);
        assert.match(await page.text(), /This is a recording/);
        assert.equal((await page.table()).length, 8);
        await page.checkAccess();
        await page.press("#size", "End");
        assert.equal(await page.inside((_, root) => root.querySelectorAll("table").length), 0);
        assert.doesNotMatch(await page.text(), /recording/);
        await page.show("<lastinch-group></lastinch-group>");
      },
    );

    await t.test("rewards, advantages and the vote follow from the texts", async () => {
      await page.press("button.primary", "Enter");
      await page.until((widget, root) => !widget.isRecorded && root.querySelectorAll("tbody tr").length === 8);
      const [texts, rows] = [await textsOf(page), await page.table()];
      const rewards = texts.map(reward);
      const mean = rewards.reduce((a, b) => a + b) / 8;
      const spread = Math.sqrt(rewards.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 8);
      rows.forEach(([, word, own, advantage], i) => {
        assert.equal(word, texts[i].match(/[\p{L}\p{N}'-]+/u)[0]);
        assert.ok(Math.abs(own - rewards[i]) < 0.006, texts[i]);
        assert.ok(Math.abs(advantage - (rewards[i] - mean) / spread) < 0.006, texts[i]);
      });
      const [, word, votes] = (await page.text()).match(/next word: “(.*?)”, (\d) of 8/);
      assert.equal(rows.filter((row) => row[1].toLowerCase() === word).length, Number(votes));
      const drawn = await page.inside((_, root) =>
        [...root.querySelectorAll("tbody .bar")].map((cell) => {
          const [track, bar] = [cell.firstElementChild, cell.querySelector("b")].map((one) =>
            one.getBoundingClientRect(),
          );
          const middle = (track.left + track.right) / 2;
          return bar.left < middle - 3 ? -bar.width / track.width : bar.width / track.width;
        }),
      );
      rows.forEach((row, i) => assert.ok(Math.abs(drawn[i] - row[3] / 6) < 0.03, `${drawn[i]} of ${row[3]}`));
      await page.checkAccess();
    });

    await t.test("at temperature 0 all texts are alike, and there is nothing to learn", async () => {
      await page.press("#temperature", "Home");
      await page.until((_, root) => root.querySelector("figure").innerText.includes("nothing to learn"));
      assert.match(await page.text(), /Different texts: 1 of 8\..*spread 0\.00/);
      assert.ok((await page.table()).every(([, , , advantage]) => advantage === "0.00"));
    });

    await t.test("a sweep draws the spread, and its table has the numbers of the picture", async () => {
      await page.inside(
        (_, root) =>
          void [...root.querySelectorAll("button")].find((one) => one.textContent.includes("Try temperatures")).click(),
      );
      await page.until((_, root) => root.querySelectorAll("circle").length === 10);
      const rows = await page.table(1);
      assert.deepEqual(
        rows.map(([temperature]) => Number(temperature)),
        [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5],
      );
      const [bottom, top, ...heights] = await page.inside((_, root) => [
        // The first numbers at the axis are its ends.
        ...[...root.querySelectorAll("svg text[dy='0.35em']")].map((text) => text.y.baseVal[0].value),
        ...[...root.querySelectorAll("circle")].map((c) => c.cy.baseVal.value),
      ]);
      assert.equal(heights.length, 10);
      for (const [i, [, , , spread]] of rows.entries())
        assert.ok(Math.abs((bottom - heights[i]) / (bottom - top) - spread) < 0.006, `${spread}`);
      await page.checkAccess();
    });

    await t.test("another run writes other texts", async () => {
      await page.inside((widget) => void (widget.temperature = 1));
      await page.until((_, root) => root.querySelectorAll("dt").length > 1);
      const before = await textsOf(page);
      await page.click("button.primary");
      await page.until(({ seed }) => seed !== 1);
      await page.until((_, root) => root.querySelectorAll("dt").length > 1);
      assert.notDeepEqual(await textsOf(page), before);
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-group size='99'></lastinch-group>", { lang: "zh-CN" });
      assert.match(await page.text(), /size 必须是 2 到 16 之间的整数/);
    });
    await page.checkQuiet();
  });
