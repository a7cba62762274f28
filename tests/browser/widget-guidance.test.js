import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const softmax = (logs) => {
  const powers = logs.map(Math.exp);
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
};
/** Sanchez et al. 2023: unconditional + weight * (conditional - unconditional), of log-probabilities. */
const guided = (first, second, weight) =>
  softmax(first.map((p, i) => Math.log(second[i]) + weight * (Math.log(p) - Math.log(second[i]))));
/** Li et al. 2023: strong - weight * weak, where strong is at least a share of its largest. */
const contrasted = (first, second, weight, least) =>
  softmax(
    first.map((p, i) => (p >= least * Math.max(...first) ? Math.log(p) - weight * Math.log(second[i]) : -Infinity)),
  );
const number = (text) => (text.startsWith("✕") ? 0 : Number(text.replace(/[%<>]/g, "")) / 100);

/** Checks that the third column of the first table combines the first two. Returns its rows. */
async function check(page, combine) {
  const rows = await page.table();
  const [first, second, now] = [1, 2, 3].map((column) => rows.map((row) => number(row[column])));
  combine(first, second).forEach((share, i) => assert.ok(Math.abs(share - now[i]) < 0.002, `${rows[i]}: ${share}`));
  return rows;
}

/** Presses the button that combines the rows. */
async function combine(page) {
  await page.until((_, root) => root.querySelectorAll("table").length > 0);
  await page.press("button.primary", "Enter");
  await page.until((_, root) => root.querySelectorAll("tbody tr:first-child td:not(.bar)").length === 3);
}

for (const name of contentBrowserNames)
  test(`guidance in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("both rows are shown before they are combined", async () => {
      await page.show("<lastinch-guidance></lastinch-guidance>", { script: "widget-guidance.js" });
      await page.until((_, root) => root.querySelectorAll("table").length > 0);
      assert.deepEqual(await page.table(), [
        ["happy", "24.0%", "42.0%"],
        ["lost", "22.0%", "9.0%"],
        ["big", "20.0%", "26.0%"],
        ["crying", "14.0%", "5.0%"],
        ["alone", "12.0%", "4.0%"],
        ["brown", "8.0%", "14.0%"],
      ]);
      await page.checkAccess();
    });

    await t.test("guidance extends the line from the second row beyond the first", async () => {
      await combine(page);
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Weight 1.5: most"));
      const rows = await check(page, (first, second) => guided(first, second, 1.5));
      assert.deepEqual(rows[0].slice(0, 3), ["lost", "22.0%", "9.0%"]);
      await page.checkAccess();
      await page.press("#weight", "Home");
      const untold = await check(page, (_, second) => second);
      assert.equal(untold[0][0], "happy");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Weight 0"));
    });

    await t.test("a restart shows both rows, and a move of a slider combines them", async () => {
      await page.click(".actions button");
      await page.until((_, root) => root.querySelectorAll("tbody tr:first-child td:not(.bar)").length === 2);
      await page.press("#weight", "ArrowRight");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Weight 0.1: most"));
      await check(page, (first, second) => guided(first, second, 0.1));
    });

    await t.test("contrast subtracts the weak model among plausible tokens", async () => {
      await page.click("input[type=radio]:not(:checked)");
      await page.until((widget, root) => widget.way === "contrast" && !!root.querySelector("#plausibility"));
      await page.inside((widget) => void (widget.weight = 1));
      const rows = await check(page, (first, second) => contrasted(first, second, 1, 0.1));
      assert.equal(rows[0][0], "chasing");
      assert.deepEqual(rows[5], ["moon", "1.0%", "0.10%", "✕ cut"]);
      await page.checkAccess();
      await page.press("#plausibility", "Home");
      assert.equal((await check(page, (first, second) => contrasted(first, second, 1, 0)))[0][0], "moon");
    });

    await t.test("an author's table has three columns", async () => {
      const table = (rows) =>
        `<lastinch-guidance weight="2"><table><tr><th>t</th><th>p</th><th>p</th></tr>${rows}</table></lastinch-guidance>`;
      await page.show(
        table("<tr><td>سلام</td><td>.5</td><td>.25</td></tr><tr><td>🙂</td><td>.5</td><td>.75</td></tr>"),
      );
      await combine(page);
      const rows = await check(page, (first, second) => guided(first, second, 2));
      assert.equal(rows[0][0], "سلام");
      await page.show(table("<tr><td>a</td><td>.5</td><td>.25</td></tr><tr><td>b</td><td>.5</td></tr>"));
      assert.match(await page.text(), /three columns/);
      await page.show(table("<tr><td>a</td><td>NaN</td><td>.25</td></tr>"));
      assert.match(await page.text(), /“NaN” where a number should be/);
    });

    await t.test("a bad weight is explained", async () => {
      await page.show('<lastinch-guidance weight="-1"></lastinch-guidance>');
      assert.match(await page.text(), /weight must be a number from 0 to 5, but is -1/);
    });

    for (const way of ["guidance", "contrast"])
      await t.test(`the models write with ${way}, and the table shows their next token`, async () => {
        await page.show(`<lastinch-guidance way="${way}" weight="2"></lastinch-guidance>`);
        await page.inside((_, root) => void [...root.querySelectorAll("button.primary")].at(-1).click());
        await page.until((_, root) => root.querySelectorAll(".panels .text").length === 2);
        const reference = await page.inside(async ({ prompt, negativePrompt }, _, isContrast) => {
          const [model, draft] = [...globalThis[Symbol.for("lastinch.models")].values()].map(({ loaded }) => loaded);
          const ids = await model.tokenize(prompt, { bos: true });
          const away = await model.tokenize(negativePrompt, { bos: true });
          const rows = [await model.forward(ids), await (isContrast ? draft.forward(ids) : model.forward(away))];
          return rows.map((row) => [...row]);
        }, way === "contrast");
        const [first, second] = reference.map(softmax);
        const all = way === "guidance" ? guided(first, second, 2) : contrasted(first, second, 2, 0.1);
        const best = [...all].sort((a, b) => b - a);
        const rows = await page.table(1);
        for (let i = 0; i < 5; i++) assert.ok(Math.abs(number(rows[i][3]) - best[i]) < 0.001, `${rows[i]} ${best[i]}`);
        assert.match(rows[rows.length - 1][0], /everything else \(2,0\d\d tokens\)/);
        const [alone, steered] = await page.inside((_, root) =>
          [...root.querySelectorAll(".panels .text")].map(({ textContent }) => textContent),
        );
        assert.notEqual(alone, steered);
        await page.checkAccess();
      });

    await t.test("each way of combining begins with its own weight", async () => {
      await page.show('<lastinch-guidance weight="5"></lastinch-guidance>');
      await page.inside((_, root) => root.querySelectorAll("input[name=way]")[1].click());
      assert.equal(await page.inside((widget) => widget.weight), 0.5);
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-guidance></lastinch-guidance>", { lang: "zh-CN" });
      assert.match(await page.text(), /两种意见/);
    });
    await page.checkQuiet();
  });
