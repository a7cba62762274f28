// The bars of a picture have one scale: at every width their lengths in pixels have the ratio of their numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const WIDTHS = [304, 374, 620, 884, 1264];
/**
 * A widget's markup, and the numbers that the bars of a row show, from top to bottom: their indexes among the cells of
 * the row that are read out.
 * @type {Record<string, [markup: string, numbers: number[]]>}
 */
const pictures = {
  nucleus: ["<lastinch-nucleus></lastinch-nucleus>", [1, 3]],
  "order-bench": ["<lastinch-order-bench></lastinch-order-bench>", [1, 2]],
  die: ['<lastinch-die rolls="1000"></lastinch-die>', [2, 3]],
  hands: ["<lastinch-hands></lastinch-hands>", [1, 2]],
  penalties: ["<lastinch-penalties></lastinch-penalties>", [3, 4]],
  rulers: ["<lastinch-rulers></lastinch-rulers>", [1]],
  funnel: ["<lastinch-funnel></lastinch-funnel>", [1]],
  "peaked-flat": ["<lastinch-peaked-flat></lastinch-peaked-flat>", [1]],
  "temperature-panels": ["<lastinch-temperature-panels></lastinch-temperature-panels>", [1]],
  "worked-example": ["<lastinch-worked-example></lastinch-worked-example>", [2]],
};

/** Every drawn bar: its visible pixels, and the percentage that its row prints for it. */
const measure = (_, root, width, numbers) => {
  document.querySelector("main").style.width = `${width}px`;
  document.body.style.margin = "0";
  return [...root.querySelectorAll("tbody tr")].flatMap((row) => {
    const read = [...row.cells].filter((cell) => !cell.ariaHidden).map((cell) => cell.textContent.trim());
    // A token that was cut keeps its place among the bars, but its empty bar is not drawn.
    const shown = numbers.map((at) => read[at]).filter((text) => /^[\d.]+%$/.test(text));
    const bars = [...row.querySelectorAll(".bar span")];
    if (bars.length !== shown.length) return [];
    return bars.map((bar, i) => ({
      percent: parseFloat(shown[i]),
      pixels: bar.getBoundingClientRect().right - bar.closest(".bar").getBoundingClientRect().left,
    }));
  });
};

for (const name of contentBrowserNames)
  test(`bars are drawn to scale in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    for (const [widget, [markup, numbers]] of Object.entries(pictures))
      await t.test(`${widget}: twice the number is twice the length, from 320 px`, async () => {
        await page.show(markup);
        for (const width of WIDTHS) {
          await page.inside(measure, width, numbers);
          await page.atRest();
          const bars = await page.inside(measure, width, numbers);
          assert.ok(bars.length > 3, `${bars.length} bars at ${width} px`);
          const largest = bars.reduce((a, b) => (b.percent > a.percent ? b : a));
          assert.ok(largest.pixels > 12, `at ${width} px the longest bar has ${largest.pixels} px`);
          for (const { percent, pixels } of bars) {
            const wanted = Math.max(2, (percent / largest.percent) * largest.pixels);
            assert.ok(
              Math.abs(pixels - wanted) <= 1 + 0.02 * wanted,
              `${percent}% has ${pixels} px, not ${wanted}, at ${width} px`,
            );
          }
        }
      });
    await page.checkQuiet();
  });
