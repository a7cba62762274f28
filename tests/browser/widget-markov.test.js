// Counts and a transformer before one passage: their rows and their texts are those of counting and of the model.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import text from "../../web/widgets/texts/richard.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const PASSAGE = "the king, thy foe";

/** How often each character follows the last `order` of a beginning, or fewer where these are new; written apart. */
function follow(beginning, order) {
  for (let length = Math.min(order, beginning.length); ; length--) {
    const tail = beginning.slice(beginning.length - length);
    const found = new Map();
    let times = 0;
    for (let at = text.indexOf(tail); at >= 0 && at + length < text.length; at = text.indexOf(tail, at + 1)) {
      const next = text[at + length];
      found.set(next, (found.get(next) ?? 0) + 1);
      times++;
    }
    if (times) return { tail, times, found };
  }
}

/** What the model gives the character after a beginning. */
async function shareOf(beginning, next) {
  const file = readFileSync(new URL("../../demos/model/shakespeare.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  const row = await model.forward(await model.tokenize(beginning));
  const [id] = await model.tokenize(next);
  const total = row.reduce((sum, logit) => sum + Math.exp(logit), 0);
  model.dispose();
  return Math.exp(row[id]) / total;
}

/** The share that a cell shows. @param {string} cell */
const shown = (cell) => (cell.includes("never") ? 0 : Number(cell.match(/([\d.]+)%/)[1]) / 100);

for (const name of contentBrowserNames)
  test(`markov in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("a recording shows six readers, and another place by the keyboard", async () => {
      await page.show("<lastinch-markov></lastinch-markov>", { script: "widget-markov.js" });
      assert.match(await page.text(), /This is a recording/);
      assert.equal((await page.table(0)).length, 6);
      const before = await page.table(1);
      assert.match(before[1][3], /never/);
      await page.press("#place", "ArrowLeft");
      await page.until((_, root) => /before “h”/.test(root.querySelector(".name").textContent));
      assert.notDeepEqual(await page.table(1), before);
      assert.ok(!page.site.log.some((path) => /gguf|text-|train\.wasm/.test(path)));
      await page.checkAccess();
    });

    await t.test("its rows are counted in the text, and the transformer's is the model's", async () => {
      await page.show(`<lastinch-markov passage="${PASSAGE}" place="12" seed="3"></lastinch-markov>`);
      await page.click("button.primary");
      await page.until((_, root) => /“.” was given/.test(root.querySelector("[role=status]").textContent));
      for (const place of [1, 9, 12, PASSAGE.length - 1]) {
        await page.inside((widget, _, at) => widget.turn("place", at, true), place);
        const rows = await page.table(1);
        const beginning = PASSAGE.slice(0, place);
        const next = PASSAGE[place];
        for (let order = 1; order <= 5; order++) {
          const { tail, times, found } = follow(beginning, order);
          const [, looks, , share] = rows[order - 1];
          assert.ok(looks.includes(`“${tail.replaceAll(" ", "␣")}”`), `${looks}: ${tail}`);
          assert.ok(looks.includes(`${times.toLocaleString("en")}×`), `${looks}: ${times}`);
          const expected = (found.get(next) ?? 0) / times;
          assert.ok(Math.abs(shown(share) - expected) < 0.0006, `order ${order}, ${place}: ${share}, not ${expected}`);
        }
        const expected = await shareOf(beginning, next);
        assert.ok(Math.abs(shown(rows[5][3]) - expected) < 0.0006, `${place}: ${rows[5][3]}, not ${expected}`);
      }
      // What counts of order 5 write, stands in the text: six characters at a time.
      const shownLine = await page.inside((_, root) => [...root.querySelectorAll(".written i")][4].textContent);
      const line = shownLine.replaceAll("⏎", "\n");
      assert.equal(line.length, 40);
      assert.ok(text.includes(line.slice(0, 6)), line);
      await page.checkAccess();
    });

    await t.test(
      "a model of words is refused, a passage of one letter too, and a Chinese page gets Chinese",
      async () => {
        await page.show('<lastinch-markov src="/demos/model/draft.gguf"></lastinch-markov>');
        await page.click("button.primary");
        await page.until((_, root) => /no single characters/.test(root.querySelector(".problem")?.textContent));
        await page.show('<lastinch-markov passage="a"></lastinch-markov>', { lang: "zh" });
        assert.match(await page.text(), /计数，还是学习/);
        await page.click("button.primary");
        await page.until((_, root) => /至少要有两个字符/.test(root.querySelector(".problem")?.textContent));
      },
    );
    await page.checkQuiet();
  });
