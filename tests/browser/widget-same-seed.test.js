import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const TEXTS = 16;
const starts = [1, 2, 3, 5, 9, 17, 33];

/** Mean bits of a draw at T = 1.5, from each of `starts` on: in texts at T = 1.5 and at 0.7. @type {number[][]} */
const expected = [];

{
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  for (const temperature of [1.5, 0.7]) {
    const sums = starts.map(() => [0, 0]);
    const places = Array(TEXTS).fill(0);
    const options = { temperature, seed: 1, n: TEXTS, maxTokens: 64, captureLogits: true };
    for await (const { tokens, index = 0 } of model.generate("Once upon a time", options))
      for (const { logits } of tokens) {
        const sum = sums[starts.filter((start) => start <= places[index] + 1).length - 1];
        places[index]++;
        sum[0] += cost(/** @type {Float32Array} */ (logits));
        sum[1]++;
      }
    expected.push(sums.map(([bits, count]) => bits / count));
  }
  model.dispose();
}

/** The sum of p at T = 1.5 times the bits of p at T = 1, in float64. @param {Float32Array} logits */
function cost(logits) {
  const largest = Math.max(...logits);
  const total = (/** @type {number} */ t) => logits.reduce((sum, logit) => sum + Math.exp((logit - largest) / t), 0);
  const [cool, hot] = [total(1), total(1.5)];
  return logits.reduce(
    (sum, logit) => sum - (Math.exp((logit - largest) / 1.5) / hot) * Math.log2(Math.exp(logit - largest) / cool),
    0,
  );
}

const texts = (_, root) => [...root.querySelectorAll(".text")].map((text) => text.textContent);

for (const name of contentBrowserNames)
  test(`same seed in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    await page.show('<lastinch-same-seed pace="0"></lastinch-same-seed>', { script: "widget-same-seed.js" });
    const recorded = await page.inside(texts);

    await t.test("recorded texts say that they are recorded, and marks show where they differ", async () => {
      assert.match(await page.text(), /Recorded from the shipped model/);
      assert.equal(recorded.length, 3);
      const marked = await page.inside((_, root) =>
        [...root.querySelectorAll("section")].map((panel) => panel.querySelector("[data-marked]")?.textContent ?? ""),
      );
      assert.equal(marked[0], "");
      for (const i of [1, 2]) {
        const start = recorded[i].slice(0, recorded[i].indexOf(marked[i], "Once upon a time".length));
        assert.ok(
          recorded[0].startsWith(start) && !recorded[0].startsWith(start + marked[i]),
          `${start}[${marked[i]}]`,
        );
      }
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")));
      await page.checkAccess();
    });

    await t.test("Run gives the recorded texts, and says that they are live", async () => {
      await page.click("button.primary");
      await page.until((_, root) => root.querySelector(".plot svg") !== null);
      assert.deepEqual(await page.inside(texts), recorded);
      assert.match(await page.text(), /Live: a real model/);
    });

    await t.test("hot draws cost more bits in their own text than in a sound one, as computed in float64", async () => {
      await page.inside((_, root) => void (root.querySelector("details").open = true));
      const rows = await page.table();
      assert.deepEqual(
        rows.map(([position]) => position),
        ["1", "2", "3–4", "5–8", "9–16", "17–32", "33–64"],
      );
      rows.forEach(([, ...numbers], i) =>
        numbers.forEach((bits, column) => {
          // Another build of the model may draw another token now and then, but nothing comes before the first
          // position.
          const tolerance = i ? 0.3 : 0.006;
          assert.ok(Math.abs(Number(bits) - expected[column][i]) < tolerance, `${bits} is not ${expected[column][i]}`);
        }),
      );
      assert.equal(rows[0][1], rows[0][2]);
      assert.ok(Number(rows[6][1]) > Number(rows[6][2]) + 0.5);
      await page.checkAccess();
    });

    await t.test("settings that were not recorded show nothing until they are run", async () => {
      await page.press("#middle", "End");
      assert.equal(await page.inside((widget) => widget.middle), 5);
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "Press Run to see them.");
      assert.deepEqual(await page.inside(texts), []);
      await page.inside((widget) => {
        Object.assign(widget, { prompt: "🙂 سلام", count: 5, middle: 0, high: 0 });
      });
      await page.click("button.primary");
      await page.until((_, root) => root.querySelector(".plot svg") !== null);
      const [low, ...others] = await page.inside(texts);
      assert.deepEqual(others, [low, low]);
      assert.ok(low.startsWith("🙂 سلام"));
      assert.match(await page.text(), /The same as text 1/);
    });

    await t.test("its words are Chinese on a Chinese page, and refuses nonsense in words", async () => {
      await page.show("<lastinch-same-seed></lastinch-same-seed>", { lang: "zh" });
      assert.match(await page.text(), /同一个种子/);
      await page.checkAccess();
      await page.show('<lastinch-same-seed high="-1"></lastinch-same-seed>');
      assert.match(await page.text(), /high must be a number from 0 to 5, but is -1/);
    });
    await page.checkQuiet();
  });
