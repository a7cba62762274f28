import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { heldOut } from "../../web/widgets/shared/held-out.js";
import { requantize } from "../../web/widgets/shared/requantize.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const file = new Uint8Array(readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url)));
const [PROMPT, COUNT, SEED] = ["Tom had a", 12, 5];

/** Surprise and story with so many bits. requantize.test.js compares the weights with the rule. */
async function measure(bits) {
  const model = await loadModel((await requantize(file, bits)).bytes, { worker: false });
  const { logprobs } = await model.score(heldOut);
  const { text } = await model.complete(PROMPT, { maxTokens: COUNT, seed: SEED, temperature: 0.7 });
  model.dispose();
  return { surprise: -logprobs.reduce((sum, one) => sum + one, 0) / Math.LN2 / logprobs.length, text };
}

for (const name of contentBrowserNames)
  test(`bits in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const texts = () =>
      page.inside((_, root) => [...root.querySelectorAll(".panels .text")].map((one) => one.textContent));

    await t.test("a recording compares seven numbers of bits, by the keyboard, without a model", async () => {
      await page.show("<lastinch-bits></lastinch-bits>", { script: "widget-bits.js" });
      assert.match(await page.text(), /This is a recording/);
      const rows = await page.table();
      assert.deepEqual(
        rows.map(([bits]) => bits),
        ["16", "8", "6", "5", "4", "3", "2"],
      );
      const surprise = rows.map((row) => Number(row[2]));
      assert.ok(surprise[6] > surprise[4] + 0.3 && surprise[4] >= surprise[1], surprise.join(" "));
      assert.equal(rows[1][3], "+0.00");
      rows.forEach(([, , bits, more, choices], i) => {
        assert.ok(Math.abs(surprise[i] - surprise[1] - Number(more.replace("−", "-"))) < 0.011, more);
        assert.ok(Math.abs(2 ** Number(bits) / Number(choices) - 1) < 0.01, choices);
      });
      await page.checkAccess();
      await page.inside((_, root) => root.querySelectorAll("[name=bits]")[6].focus());
      await page.driver.press(" ");
      await page.until((_, root) => /^With 2 bits: /.test(root.querySelector("[role=status]").textContent));
      const [two, eight] = await texts();
      assert.ok(two !== eight && two.startsWith("Once upon a time") && eight.startsWith("Once upon a time"));
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")), "no model was asked for");
    });

    await t.test("the page rounds the weights, and the models tell the same stories here and there", async () => {
      await page.show(
        `<lastinch-bits prompt="${PROMPT}" count="${COUNT}" seed="${SEED}" temperature="0.7" bits="2"></lastinch-bits>`,
      );
      await page.click("button.primary");
      await page.until((_, root) => /^With 2 bits: /.test(root.querySelector("[role=status]").textContent));
      const rows = await page.table();
      for (const [i, bits] of [16, 8, 6, 5, 4, 3, 2].entries()) {
        if (![8, 4, 2].includes(bits)) continue;
        const { surprise, text } = await measure(bits);
        // Builds of the model may differ in its last bits.
        assert.ok(Math.abs(Number(rows[i][2]) - surprise) < 0.011, `${rows[i]} ${surprise}`);
        await page.inside((widget, _, value) => widget.turn("bits", value, true), bits);
        assert.equal((await texts())[0], PROMPT + text);
      }
      assert.deepEqual(
        rows.map((row) => row[1]),
        ["4.8 MB", "2.6 MB", "2.0 MB", "1.7 MB", "1.4 MB", "1.1 MB", "776 KB"],
      );
      await page.checkAccess();
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-bits></lastinch-bits>", { lang: "zh" });
      assert.match(await page.text(), /更少的位数/);
    });
    await page.checkQuiet();
  });
