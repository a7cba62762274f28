import assert from "node:assert/strict";
import { test } from "node:test";
import { questions } from "../../web/widgets/recorded/thinking.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const BUDGETS = [0, 4, 7, 11, 14, 18, 21];

/** As the widget writes shares. @param {string} thousandths */
function percent(thousandths) {
  const tenths = Number(thousandths);
  if (!tenths || tenths === 1000) return `${tenths / 10}%`;
  return tenths < 10 ? `${(tenths / 10).toFixed(2)}%` : `${(tenths / 10).toFixed(1)}%`;
}

for (const name of contentBrowserNames)
  test(`thinking in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const thought = () => page.inside((_, root) => root.querySelector(".text").textContent);

    await t.test("each question shows its recorded answers, and asks for no model", async () => {
      for (const [i, { text, right, answers, chances }] of questions.entries()) {
        await page.show(`<lastinch-thinking question="${i + 1}"></lastinch-thinking>`, {
          script: "widget-thinking.js",
        });
        assert.ok((await page.text()).includes(text));
        const rows = answers.split(" ").map((answer, at) => {
          const verdict = answer === right ? "right" : "wrong";
          return [String(BUDGETS[at]), `${answer} (${verdict})`, percent(chances.split(" ")[at])];
        });
        assert.deepEqual(await page.table(), rows);
      }
      assert.match(await page.text(), /Recorded: TinyLlama-1.1B-Chat/);
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")));
      await page.checkAccess();
    });

    await t.test("the keyboard moves the budget, and the thought ends there", async () => {
      await page.show("<lastinch-thinking></lastinch-thinking>");
      assert.equal(await thought(), "");
      const tokens = questions[0].thought.split("|");
      await page.press("[type=range]", "ArrowRight", "ArrowRight");
      await page.until((widget) => widget.statusText.startsWith("After 7 tokens"));
      assert.equal(await thought(), tokens.slice(0, 7).join(""));
      await page.press("[type=range]", "End");
      await page.until((widget) => widget.statusText.startsWith("After 21 tokens"));
      assert.equal(await thought(), tokens.join(""));
      assert.equal(await page.inside((_, root) => root.querySelector("[data-marked] th").textContent), "21");
      const rights = questions.filter(({ answers, right }) => answers.split(" ").at(-1) === right).length;
      assert.match(await page.text(), new RegExp(`${rights} of the 4 questions`));
      await page.press("[type=radio]", "ArrowRight");
      await page.until((widget) => widget.question === 2);
      assert.ok((await page.text()).includes(questions[1].text));
      await page.checkAccess();
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-thinking></lastinch-thinking>", { lang: "zh" });
      assert.match(await page.text(), /用来思考的词元/);
    });
    await page.checkQuiet();
  });
