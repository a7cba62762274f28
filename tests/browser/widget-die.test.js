import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const example = [0.6, 0.25, 0.1, 0.05];

/** The share of each face at a temperature and a top-k. @param {number} temperature @param {number} k */
function reference(temperature, k) {
  const weights = example.map((p, i) => (i < k ? p ** (1 / temperature) : 0));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** From printed tables for 3 degrees of freedom: values of χ², and the share of all trials that exceed them. */
const table = [
  [0.584, 0.9],
  [1.424, 0.7],
  [2.366, 0.5],
  [6.251, 0.1],
  [11.345, 0.01],
];

for (const name of contentBrowserNames)
  test(`die in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("shows the example's die, and knobs reshape it", async () => {
      await page.show("<lastinch-die></lastinch-die>", { script: "widget-die.js" });
      assert.deepEqual(
        (await page.table()).map(([face, before, die]) => [face, before, die]),
        [
          ["the", "60.0%", "60.0%"],
          ["a", "25.0%", "25.0%"],
          ["that", "10.0%", "10.0%"],
          ["one", "5.0%", "5.0%"],
        ],
      );
      await page.checkAccess();
      await page.show('<lastinch-die temperature="2" top-k="3"></lastinch-die>');
      const rows = await page.table();
      assert.deepEqual(
        rows.map((row) => row[1]),
        ["60.0%", "25.0%", "10.0%", "5.0%"],
      );
      reference(2, 3).forEach((share, i) =>
        assert.equal(rows[i][2], i < 3 ? `${(100 * share).toFixed(1)}%` : "✕ cut", rows[i][0]),
      );
      await page.checkAccess();
    });

    await t.test("rolls add up, by pointer and by keyboard, and are near the expectation", async () => {
      await page.show("<lastinch-die></lastinch-die>");
      await page.click(".actions button");
      await page.until((_, root) =>
        /Rolls so far: 1\. χ² says little/.test(root.querySelector("[role=status]").textContent),
      );
      await page.press(".actions button:nth-child(2)", "Enter");
      await page.until((widget) => widget.rolls === 101);
      await page.press(".actions button:nth-child(3)", "Enter");
      await page.until((widget) => widget.statusText.includes("10,000"));
      const rolled = (await page.table()).map((row) => parseFloat(row[3]) / 100);
      rolled.forEach((share, i) => assert.ok(Math.abs(share - example[i]) < 0.02, `${share}`));
      await page.checkAccess();
      await page.click(".actions button:nth-child(4)");
      await page.until((widget) => widget.rolls === undefined);
    });

    await t.test("χ² follows from the counts, and its probability agrees with tables", async () => {
      for (let seed = 1; seed <= 8; seed++) {
        await page.show(`<lastinch-die rolls="400" seed="${seed}"></lastinch-die>`);
        const rows = await page.table();
        const counts = rows.map((row) => Math.round(4 * parseFloat(row[3])));
        const chi = counts.reduce((sum, n, i) => sum + (n - 400 * example[i]) ** 2 / (400 * example[i]), 0);
        const [, said, p] = /χ² = ([\d.]+) with 3 degrees.* in ([<>\d.]+)%/.exec(await page.text());
        // Percentages have one digit after the point, and a roll is a quarter of a percent.
        assert.ok(Math.abs(Number(said) - chi) < 0.06, `${said}, ${chi}`);
        for (const [limit, tail] of table.filter(([limit]) => Math.abs(Number(said) - limit) > 0.05))
          assert.equal(Number(said) > limit, parseFloat(p) < 100 * tail, `${said} has ${p} %`);
      }
    });

    await t.test("an expectation of 5 for each face is enough for χ², and a smaller one is not", async () => {
      await page.show('<lastinch-die rolls="100"></lastinch-die>');
      assert.match(await page.text(), /Rolls so far: 100\. χ² = /);
      await page.show('<lastinch-die rolls="99"></lastinch-die>');
      assert.match(await page.text(), /χ² says little yet: a face is expected fewer than 5 times/);
    });

    await t.test("the same seed gives the same rolls, and another seed others", async () => {
      const rolled = async (/** @type {number} */ seed) => {
        await page.show(`<lastinch-die rolls="1000" seed="${seed}"></lastinch-die>`);
        return page.table();
      };
      assert.deepEqual(await rolled(5), await rolled(5));
      assert.notDeepEqual(await rolled(5), await rolled(6));
      await page.inside((_, root) => {
        const field = root.querySelector("#seed");
        field.value = "-3";
        field.dispatchEvent(new Event("change"));
      });
      // An invalid seed is refused, and the field says so.
      assert.deepEqual(await page.inside((widget, root) => [widget.seed, root.querySelector("#seed").value]), [6, "6"]);
    });

    await t.test("takes one face, many faces and other scripts, and explains nonsense", async () => {
      const table = (/** @type {string} */ rows) => `<lastinch-die rolls="50"><table>${rows}</table></lastinch-die>`;
      await page.show(table("<tr><td>سلام</td><td>2</td></tr>"));
      assert.deepEqual(await page.table(), [["سلام", "100%", "100%", "100%"]]);
      await page.show(table("<tr><td>🙂</td><td>1</td></tr>".repeat(5000)));
      const rows = await page.table();
      assert.equal(rows.length, 13);
      assert.equal(rows[12][0], "everything else (4,988 tokens)");
      // With 5,000 faces axe-core would read them all.
      await page.show(table("<tr><td>🙂</td><td>1</td></tr>".repeat(20)));
      await page.checkAccess();
      await page.show(table("<tr><td>a</td><td>much</td></tr>"));
      assert.match(await page.text(), /“much” where a number should be/);
      await page.show('<lastinch-die rolls="many"></lastinch-die>');
      assert.match(await page.text(), /rolls must be a whole number from 1 to 10000/);
    });

    await t.test("the wheel has a sector for each face, and stops at the last roll", async () => {
      await page.show('<lastinch-die rolls="1" seed="4"></lastinch-die>');
      const [row] = (await page.table()).filter((cells) => cells.at(-1) === "100%");
      await page.atRest();
      const [label, spans, turn] = await page.inside((_, root) => {
        const wheel = root.querySelector(".wheel");
        const angle = (/** @type {number[]} */ [x, y]) => (Math.atan2(y - 50, x - 50) / (2 * Math.PI) + 1.25) % 1;
        const spans = [...wheel.querySelectorAll("g path")].map((path) => {
          const numbers = path
            .getAttribute("d")
            .match(/-?[\d.]+/g)
            .map(Number);
          return [angle(numbers.slice(2, 4)), angle(numbers.slice(-2)), path.classList.contains("lit")];
        });
        const { a, b } = new DOMMatrix(getComputedStyle(wheel.querySelector("g")).transform);
        return [wheel.getAttribute("aria-label"), spans, (Math.atan2(b, a) / (2 * Math.PI) + 1) % 1];
      });
      assert.match(label, new RegExp(`stopped at ${row[0]}`));
      const sizes = spans.map(([from, to]) => (to - from + 1) % 1);
      [0.6, 0.25, 0.1, 0.05].forEach((share, i) => assert.ok(Math.abs(sizes[i] - share) < 0.01, `${sizes}`));
      const [from, ,] = spans.find(([, , isLit]) => isLit);
      const place = (1 - turn - from + 1) % 1;
      assert.ok(place > 0 && place < sizes[spans.findIndex(([, , isLit]) => isLit)], "the pointer is on its sector");
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-die></lastinch-die>", { lang: "zh-Hans" });
      assert.match(await page.text(), /不均匀的骰子/);
    });
    await page.checkQuiet();
  });
