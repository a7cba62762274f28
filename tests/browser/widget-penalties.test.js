import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { byRank, cat, isPercent, softmax } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

/** CTRL's repetition penalty and OpenAI's two. */
function penalised(logits, counts, { theta = 1, frequency = 0, presence = 0 }) {
  return logits.map((logit, id) => {
    if (!counts[id]) return logit;
    const scaled = logit > 0 ? logit / theta : logit * theta;
    return scaled - counts[id] * frequency - presence;
  });
}

for (const name of contentBrowserNames)
  test(`penalties in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const check = async (counts, how, shift = 0) => {
      const logits = cat.logits.map((logit) => logit - shift);
      const [before, after] = [logits, penalised(logits, counts, how)].map((row) => softmax(row));
      const rows = await page.table();
      byRank(logits).forEach((id, i) => {
        assert.equal(rows[i][1], String(counts[id]));
        assert.ok(isPercent(rows[i][3], before[id]) && isPercent(rows[i][4], after[id]), rows[i].join(" "));
      });
    };

    await t.test("mat falls to .303 and sofa leads with .370", async () => {
      await page.show("<lastinch-penalties></lastinch-penalties>", { script: "widget-penalties.js" });
      await check([1, 0, 0, 0, 0, 0], { theta: 1.25 });
      const text = await page.text();
      assert.match(text, /“mat” had 59\.0%, now “sofa” leads with 37\.0%/);
      assert.match(text, /6 → 4\.8/);
      await page.checkAccess();
    });

    await t.test("counts come from the text, and each penalty changes logits by its formula", async () => {
      await page.show(
        '<lastinch-penalties said="A mat, a Sofa and a mat!" repetition-penalty="1" frequency-penalty="0.5" presence-penalty="0.3"></lastinch-penalties>',
      );
      await check([2, 1, 0, 0, 0, 0], { frequency: 0.5, presence: 0.3 });
    });

    await t.test("a logit below zero is multiplied", async () => {
      await page.show('<lastinch-penalties shift="7"></lastinch-penalties>');
      await check([1, 0, 0, 0, 0, 0], { theta: 1.25 }, 7);
      assert.match(await page.text(), /With 7 taken off, “mat” goes from -1 to -1\.25/);
    });

    await t.test("typing counts again, the keyboard moves sliders, and the status says which token leads", async () => {
      await page.show("<lastinch-penalties></lastinch-penalties>");
      await page.press("#repetitionPenalty", "Home");
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "“mat” leads with 59.0%.");
      for (const id of ["frequencyPenalty", "presencePenalty", "shift", "strong"]) await page.press(`#${id}`, "End");
      const values = await page.inside((w) => [w.frequencyPenalty, w.presencePenalty, w.shift, w.strong]);
      assert.deepEqual(values, [2, 2, 10, 2]);
      await page.inside((_, root) => {
        const input = root.querySelector("input[type=text]");
        input.value = "sofa sofa";
        input.dispatchEvent(new Event("input"));
      });
      assert.deepEqual(
        (await page.table()).map((row) => row[1]),
        ["0", "2", "0", "0", "0", "0"],
      );
      await page.checkAccess();
    });

    await t.test("too strong a penalty drives the hero out of her story", async () => {
      await page.show('<lastinch-penalties strong="1.8"></lastinch-penalties>');
      assert.match(await page.inside((_, root) => root.querySelector(".actions .primary").textContent), /2\.6 MB/);
      await page.click(".actions .primary");
      await page.until(
        (widget, root) => widget.stories.length === 2 && !root.querySelector("figure .actions button:not(.primary)"),
      );
      const [plain, strong] = await page.inside((widget) => widget.stories);
      assert.ok(plain.count >= 3 && 2 * strong.count < plain.count, `${plain.count} and ${strong.count}`);
      await page.checkAccess();
    });

    await t.test("its words are Chinese", async () => {
      await page.show("<lastinch-penalties></lastinch-penalties>", { lang: "zh" });
      assert.match(await page.text(), /历史改写 logit/);
    });
    await page.checkQuiet();
  });
