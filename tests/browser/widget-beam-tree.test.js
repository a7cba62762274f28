import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** The worked tree by hand: every text with its probability. */
const texts = [
  ["set sail", 0.35 * 0.9, 2],
  ["end of text", 0.25, 1],
  ["was old", 0.4 * 0.5, 2],
  ["was red", 0.4 * 0.3, 2],
];
const percent = (share) => (100 * share).toFixed(1) + "%";

/** The lines of the worked tree, each without what is below it. */
const lines = (page) =>
  page.inside((_, root) =>
    [...root.querySelector(".tree").querySelectorAll("li")].map((item) =>
      [...item.childNodes]
        .filter(({ localName, nodeType }) => localName !== "ul" && nodeType !== Node.COMMENT_NODE)
        .map(({ textContent }) => textContent)
        .join(" ")
        .replace(/\s+/g, " ")
        .trim(),
    ),
  );

/** Presses the button that searches the worked tree. */
async function search(page) {
  await page.press("button.primary", "Enter");
  await page.until((_, root) => root.querySelectorAll("table").length === 1);
}

for (const name of contentBrowserNames)
  test(`beam tree in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("before any search the tree is shown, with the score of every text", async () => {
      await page.show("<lastinch-beam-tree></lastinch-beam-tree>", { script: "widget-beam-tree.js" });
      assert.deepEqual(await lines(page), [
        "was 40.0%",
        "old 50.0% → 20.0%",
        "red 30.0% → 12.0%",
        "here 20.0% → 8.0%",
        "set 35.0%",
        "sail 90.0% → 31.5%",
        "off 7.0% → 2.5%",
        "out 3.0% → 1.0%",
        "end of text 25.0%",
      ]);
      await page.checkAccess();
    });

    await t.test("width 2 finds the text that greedy never looks at", async () => {
      await search(page);
      assert.deepEqual(await page.table(), [
        [texts[0][0], percent(texts[0][1]), Math.log(texts[0][1]).toFixed(2)],
        [texts[2][0], percent(texts[2][1]), Math.log(texts[2][1]).toFixed(2)],
      ]);
      const tree = await lines(page);
      assert.equal(tree.length, 9);
      const drawn = await page.inside((_, root) =>
        [...root.querySelectorAll("svg.picture g")].map((node) => [
          node.querySelector("rect").classList.contains("kept"),
          [...node.querySelectorAll("text")].map((text) => text.textContent).join(" "),
        ]),
      );
      assert.equal(drawn.length, 10);
      assert.deepEqual(
        drawn.filter(([isBest]) => isBest).map(([, text]) => text),
        ["sail 90.0% → 31.5% ★ best found", "set 35.0%"],
      );
      assert.ok(tree.includes("was 40.0% · greedy"), tree.join("\n"));
      assert.ok(tree.includes("old 50.0% → 20.0% · greedy"));
      assert.ok(tree.includes("sail 90.0% → 31.5% · ★ best found"));
      assert.ok(tree.includes("end of text 25.0% · ✕ dropped"));
      await page.checkAccess();
    });

    await t.test("width 1 is greedy, and shows the likelier text that it misses", async () => {
      await page.press("#width", "Home");
      await page.until((_, root) => root.querySelectorAll("tbody tr").length === 1);
      assert.equal((await page.table())[0][0], "was old");
      assert.ok((await lines(page)).includes("sail 90.0% → 31.5% · ✕ never looked at"));
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Width 1"));
      assert.match(await page.text(), /Width 1: the best text found is “… was old”, 20\.0%/);
    });

    await t.test("a restart removes the marks, and a move of a control searches again", async () => {
      await page.click(".actions button");
      await page.until((_, root) => !root.querySelector("table, .cut, .best"));
      await page.press("#width", "End");
      await page.until((_, root) => root.querySelectorAll("tbody tr").length === 4);
    });

    await t.test("the length penalty moves a short text down", async () => {
      for (const penalty of [0, 1]) {
        await page.show(`<lastinch-beam-tree width="3" length-penalty="${penalty}"></lastinch-beam-tree>`);
        await search(page);
        const scored = texts.map(([text, p, length]) => [text, Math.log(p) / length ** penalty]);
        const best = scored.sort((a, b) => b[1] - a[1]).slice(0, 3);
        assert.deepEqual(
          (await page.table()).map(([text, , score]) => [text, score]),
          best.map(([text, score]) => [text, score.toFixed(2)]),
        );
      }
      await page.checkAccess();
    });

    await t.test("a bad width is explained", async () => {
      await page.show('<lastinch-beam-tree width="99"></lastinch-beam-tree>');
      assert.match(await page.text(), /width must be a whole number from 1 to 8, but is 99/);
    });

    await t.test("on the model wider beams find likelier texts, and drawing finds less likely texts", async () => {
      await page.show('<lastinch-beam-tree pace="0" prompt="Once upon a time" width="3"></lastinch-beam-tree>');
      await search(page);
      await page.click("button.primary");
      await page.until((_, root) => root.querySelectorAll("table")[1]?.tBodies[0].rows.length === 5);
      const rows = await page.table(1);
      assert.deepEqual(
        rows.map(([way]) => way),
        ["drawn", "greedy", "2 beams", "3 beams", "4 beams"],
      );
      const means = rows.map(([, mean]) => Number(mean));
      assert.ok(means[0] < means[1] && means[1] <= means[4], means.join());
      const bars = await page.inside((_, root) =>
        [...root.querySelectorAll("table")[1].querySelectorAll(".bar span")].map(
          (bar) => bar.getBoundingClientRect().right,
        ),
      );
      assert.equal(
        bars.indexOf(Math.max(...bars)),
        means.indexOf(Math.max(...means)),
        "the likeliest text has the longest bar",
      );
      // The same texts, scored by the model in another way.
      const scored = await page.inside(async (widget, root) => {
        const [{ loaded }] = globalThis[Symbol.for("lastinch.models")].values();
        const greedy = root.querySelectorAll("dd")[1].textContent.slice(1);
        const { logprobs } = await loaded.score(
          "Once upon a time" + (greedy.startsWith(" ,") ? greedy.slice(1) : greedy),
        );
        const skipped = (await loaded.tokenize("Once upon a time")).length;
        const own = logprobs.slice(skipped);
        return own.reduce((sum, one) => sum + one, 0) / own.length;
      });
      assert.ok(Math.abs(scored - means[1]) < 0.02, `${scored} ${means[1]}`);
      const tree = await page.inside((_, root) => root.querySelectorAll(".tree .best small").length);
      assert.ok(tree > 0);
      await page.checkAccess();
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-beam-tree></lastinch-beam-tree>", { lang: "zh-CN" });
      assert.match(await page.text(), /束搜索/);
    });
    await page.checkQuiet();
  });
