import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createWatermarkDetector, detectWatermark, loadModel } from "../../dist/index.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const COUNT = 40;
const SEED = 3;

/** What the model writes with and without the mark. */
const expected = await (async () => {
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  const mark = { scheme: /** @type {const} */ ("synthid"), key: `lastinch ${SEED}` };
  const write = async (watermark) => {
    const options = { temperature: 0.9, seed: SEED, maxTokens: COUNT, minTokens: COUNT, watermark };
    const { text, tokens } = await model.complete("Tom had", options);
    const detector = await createWatermarkDetector(mark);
    const falls = tokens.map(({ id }) => (detector.add(id), detector.result.pValue));
    return { text, falls };
  };
  const texts = { marked: await write(mark), unmarked: await write(undefined) };
  const thin = texts.marked.text.split(/(?=\s\S)/).filter((_, i) => i % 5 < 4);
  const { pValue } = await detectWatermark(thin.join(""), { ...mark, vocabulary: model });
  model.dispose();
  return { ...texts, thin: thin.join(""), thinned: pValue };
})();

/** The number that a p-value on the page stands for. @param {string} text */
const numberOf = (text) =>
  Number(text.replace(/·10⁻/, "e-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String("⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit))));
const isNear = (text, value) => assert.ok(Math.abs(numberOf(text) / value - 1) < 0.06, `${text} is not ${value}`);

for (const name of contentBrowserNames)
  test(`watermark in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const texts = () => page.inside((_, root) => [...root.querySelectorAll(".text")].map((one) => one.textContent));
    const status = () => page.inside((_, root) => root.querySelector("[role=status]").textContent);

    await t.test("a recording asks which text is marked, and only then shows p-values, by the keyboard", async () => {
      await page.show("<lastinch-watermark></lastinch-watermark>", { script: "widget-watermark.js" });
      assert.match(await page.text(), /This is a recording/);
      assert.equal(await page.inside((_, root) => root.querySelector(".plot")), null);
      await page.checkAccess();
      await page.press("[name=guess]", " ");
      await page.until((_, root) => root.querySelector(".plot") !== null);
      await page.until((_, root) =>
        /^p-values: Text A \(unmarked\) 0\.\d+, Text B \(marked\) \S+⁻/.test(
          root.querySelector("[role=status]").textContent,
        ),
      );
      assert.match(await page.text(), /No: text B is marked\./);
      assert.equal(await page.inside((_, root) => root.querySelector("#edit").readOnly), true);
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")), "no model was asked for");
      await page.inside((_, root) => root.querySelectorAll("[name=guess]")[1].click());
      await page.until((_, root) => /Yes: text B is marked/.test(root.textContent));
      await page.checkAccess();
    });

    await t.test("both texts are the model's, and their p-values are the detector's, token by token", async () => {
      await page.show(
        `<lastinch-watermark pace="0" prompt="Tom had" scheme="synthid" count="${COUNT}" temperature="0.9" seed="${SEED}"></lastinch-watermark>`,
      );
      await page.click("button.primary");
      await page.until((_, root) => /Which is marked/.test(root.querySelector("[role=status]").textContent));
      await page.press("[name=guess]", " ");
      await page.until((_, root) => root.querySelector(".plot") !== null);
      const shown = await texts();
      const at = shown.indexOf("Tom had" + expected.marked.text);
      assert.ok(at >= 0, shown.join(" / "));
      assert.equal(shown[1 - at], "Tom had" + expected.unmarked.text);
      for (const row of await page.table()) {
        isNear(row[1 + at], expected.marked.falls[Number(row[0]) - 1]);
        isNear(row[2 - at], expected.unmarked.falls[Number(row[0]) - 1]);
      }
      assert.ok(expected.marked.falls.at(-1) < 1e-4);
    });

    await t.test("an edit is read again at once, says its p-value when it rests, and can be undone", async () => {
      const [thin, undo] = [0, 1];
      const press = (/** @type {number} */ i) =>
        page.inside((_, root, at) => root.querySelectorAll(".actions")[2].querySelectorAll("button")[at].click(), i);
      await press(thin);
      await page.until((_, root) => /Your version/.test(root.querySelector("[role=status]").textContent));
      assert.equal(await page.inside((_, root) => root.querySelector("#edit").value), expected.thin);
      isNear((await status()).match(/Your version (\S+?)\.?$/)[1], expected.thinned);
      await page.checkAccess();
      await page.press("#edit", "x", "y");
      await page.until(
        (widget, root) => widget.edited.includes("xy") && root.querySelector("#edit").value.includes("xy"),
      );
      await press(undo);
      await page.until((_, root) => !/Your version/.test(root.querySelector("[role=status]").textContent));
      assert.equal(await page.inside((_, root) => root.querySelector("#edit").value), expected.marked.text);
    });

    await t.test("a seed decides which text is marked, and another setting takes the texts away", async () => {
      const sides = new Set();
      for (const seed of [1, 2, 3, 4, 5, 6, 7, 8])
        sides.add(
          await page.inside(async (widget, root, value) => {
            widget.turn("seed", value, true);
            await widget.updateComplete;
            const isGone = !root.querySelector(".text");
            const { isFirstMarked } = await import("/web/widgets/shared/marks.js");
            return isGone && isFirstMarked(value);
          }, seed),
        );
      assert.deepEqual([...sides].sort(), [false, true]);
    });

    await t.test("greedy draws cannot be marked, nonsense is explained, and a Chinese page gets Chinese", async () => {
      await page.show('<lastinch-watermark temperature="0" count="2"></lastinch-watermark>', { lang: "zh" });
      assert.match(await page.text(), /找出水印/);
      await page.click("button.primary");
      await page.until((_, root) => /temperature/.test(root.querySelector(".problem")?.textContent));
      await page.show('<lastinch-watermark scheme="ink"></lastinch-watermark>');
      assert.match(await page.text(), /scheme must be one of gumbel, green, synthid, but is “ink”/);
    });
    await page.checkQuiet();
  });
