import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const COUNT = 100;
const regimes = [
  { temperature: 0, topP: 1 },
  { temperature: 0.7, topP: 0.9 },
  { temperature: 2, topP: 1 },
];
/** The share of repeated 4-grams, and mean bits by the model's own score. @type {[repeated: number, bits: number][]} */
const expected = [];

{
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  const prompt = await model.tokenize("The dog had a box", { bos: true });
  for (const settings of regimes) {
    const ids = [];
    for await (const { tokens } of model.generate(prompt, { ...settings, seed: 1, maxTokens: COUNT }))
      ids.push(...tokens.map(({ id }) => id));
    const runs = ids.slice(3).map((_, i) => ids.slice(i, i + 4).join());
    const repeated = runs.filter((run, i) => runs.indexOf(run) < i).length / runs.length;
    const { logprobs } = await model.score([...prompt, ...ids]);
    const own = logprobs.slice(prompt.length - 1);
    expected.push([repeated, own.reduce((sum, logprob) => sum - logprob / Math.LN2, 0) / own.length]);
  }
  model.dispose();
}

const isDone = (_, root) => root.querySelector("[role=status]").textContent.includes("repeated");

for (const name of contentBrowserNames)
  test(`failure modes in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    await page.show(`<lastinch-failure-modes pace="0" count="${COUNT}"></lastinch-failure-modes>`, {
      script: "widget-failure-modes.js",
    });

    await t.test("three regimes fail in their own ways, with the measures of the model's own score", async () => {
      assert.match(await page.text(), /Run all three \(loads 2\.6 MB\)/);
      await page.checkAccess();
      await page.click("button.primary");
      await page.until(isDone);
      const rows = await page.table();
      rows.forEach(([, repeated, bits, count], i) => {
        assert.ok(Math.abs(parseFloat(repeated) - 100 * expected[i][0]) < 0.06, `${repeated} is not ${expected[i][0]}`);
        assert.ok(Math.abs(parseFloat(bits) - expected[i][1]) < 0.006, `${bits} is not ${expected[i][1]}`);
        assert.equal(count, String(COUNT));
      });
      assert.deepEqual(
        rows.map((row) => row[4]),
        ["of 11 tokens", "–", "–"],
      );
      const [careful, sweet, hot] = expected;
      assert.ok(careful[0] > 0.4 && sweet[0] < 0.15 && sweet[1] < hot[1] / 3);
      assert.equal(await page.inside((_, root) => root.querySelectorAll("[data-marked]").length), 1);
      await page.checkAccess();
    });

    await t.test("moving one regime changes only its text", async () => {
      const texts = (_, root) => [...root.querySelectorAll(".text")].map((text) => text.textContent);
      const before = await page.inside(texts);
      await page.press("#hotTemperature", "Home");
      assert.equal(await page.inside((widget) => widget.hotTemperature), 0);
      await page.inside((widget) => widget.announce(""));
      await page.click("button.primary");
      await page.until(isDone);
      const after = await page.inside(texts);
      assert.deepEqual(after, [before[0], before[1], before[0]]);
    });

    await t.test("Stop ends the texts", async () => {
      await page.inside((widget, root) => {
        widget.announce("");
        widget.count = 160;
        root.querySelector("button.primary").click();
      });
      await page.until((_, root) => root.querySelector(".text .token:nth-child(3)") !== null);
      await page.inside((_, root) =>
        [...root.querySelectorAll("button")].find((b) => b.textContent === "Stop")?.click(),
      );
      await page.until(isDone);
    });

    await t.test("any text may be the beginning, and Chinese pages get Chinese", async () => {
      await page.show('<lastinch-failure-modes prompt="🙂 سلام" count="1"></lastinch-failure-modes>', { lang: "zh" });
      assert.match(await page.text(), /采样出错的时候/);
      await page.click("button.primary");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.includes("比特"));
      assert.equal((await page.table()).length, 3);
      await page.checkAccess();
      await page.show('<lastinch-failure-modes hot-top-p="2"></lastinch-failure-modes>');
      assert.match(await page.text(), /hot-top-p must be a number from 0 to 1, but is 2/);
    });
    await page.checkQuiet();
  });
