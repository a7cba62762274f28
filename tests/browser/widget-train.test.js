// A model that learns in the widget: its losses are the trainer's, it stops, goes on, breaks, and is saved and given to
// the other widgets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrainer } from "../../dist/train.js";
import { curve } from "../../web/widgets/recorded/train.js";
import { trainText } from "../train-golden.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const STEPS = 40;

/** What a trainer with the widget's options says after 20 and 40 steps. */
const expected = await (async () => {
  const trainer = await createTrainer(trainText, { seed: 5, context: 128, batch: 8 });
  const reports = [];
  for await (const { loss, heldOut } of trainer.learn({ steps: STEPS, every: 20 })) reports.push([loss, heldOut]);
  trainer.dispose();
  return reports;
})();

/** Puts a text into the widget, as a reader pastes it. */
const paste = (widget, root, text) => {
  const field = root.querySelector("#text");
  field.value = text;
  field.dispatchEvent(new Event("change"));
};

for (const name of contentBrowserNames)
  test(`train in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const status = () => page.inside((_, root) => root.querySelector("[role=status]").textContent);
    const show = (attributes) => page.show(`<lastinch-train ${attributes}></lastinch-train>`);
    const isStill = (_, root) => root.querySelector("#stop") === null;

    await t.test("a recording shows the curve, lines and counts of each order, and fetches nothing", async () => {
      await page.show("<lastinch-train></lastinch-train>", { script: "widget-train.js" });
      assert.match(await page.text(), /This is a recording/);
      const rows = await page.table();
      assert.equal(rows[0][0], "0");
      assert.equal(rows.at(-1)[0], "2,000");
      // The recording learns its text by heart: its held-out loss has been lower, while the other fell.
      const [steps, losses, heldOut] = curve.map((list) => list.split(" ").map(Number));
      const least = heldOut.indexOf(Math.min(...heldOut));
      assert.ok(heldOut.at(-1) > heldOut[least] + 5 && losses.at(-1) < losses[least]);
      const [low, now] = [heldOut[least], heldOut.at(-1)].map((hundredths) => (hundredths / 100).toFixed(2));
      assert.ok((await page.text()).includes(`rises: it was ${low} at step ${steps[least]} and is ${now}.`));
      const before = await page.inside((_, root) => root.querySelector(".text").textContent);
      await page.press("#order", "ArrowRight");
      await page.until((_, root, text) => root.querySelector(".text").textContent !== text, before);
      assert.ok(!page.site.log.some((path) => /text-|train\.wasm|widgets-learning/.test(path)));
      await page.checkAccess();
    });

    await t.test("a text that is too short is refused with its length", async () => {
      await show('source="own"');
      await page.inside(paste, "too short");
      await page.click("#learn");
      await page.until((_, root) => /Your text has 9 characters/.test(root.querySelector(".problem")?.textContent));
      await page.checkAccess();
    });

    await t.test(
      "counts write, then the model learns with the trainer's losses, and the end is announced",
      async () => {
        await show(`source="own" steps="${STEPS}" seed="5" order="2"`);
        await page.inside(paste, trainText);
        await page.press("#learn", "Enter");
        await page.until((_, root) => /After 40 steps/.test(root.querySelector("[role=status]").textContent));
        const [loss, heldOut] = expected.at(-1).map((number) => number.toFixed(2));
        assert.ok(
          (await status()).includes(`the loss is ${loss}; on text that it never sees, ${heldOut}`),
          await status(),
        );
        assert.equal(await page.inside((_, root) => root.activeElement.id), "learn");
        const rows = await page.table();
        assert.deepEqual(
          rows.map(([step]) => step),
          ["0", "20", "40"],
        );
        assert.equal(rows[1][1], expected[0][0].toFixed(2));
        assert.equal(new Set(rows.map(([, , line]) => line)).size, 3, "each line is another");
        // All that counts of order 2 write stands somewhere in the text, three characters at a time.
        const line = await page.inside((_, root) => root.querySelector(".text").textContent);
        for (let i = 0; i + 3 <= line.length; i++)
          assert.ok(trainText.includes(line.slice(i, i + 3)), line.slice(i, i + 3));
        await page.checkAccess();
      },
    );

    await t.test("it goes on where it stopped", async () => {
      await page.click("#learn");
      await page.until((_, root) => /After 80 steps/.test(root.querySelector("[role=status]").textContent));
      await page.inside((widget) => (widget.steps = 10_000));
      await page.click("#learn");
      await page.until((_, root) => {
        const [, step] = /^Step ([\d,]+)/.exec(root.querySelector("progress + .hint")?.textContent) ?? [];
        return Number(step?.replace(",", "")) > 80;
      });
      await page.click("#stop");
      await page.until(isStill);
      const [, stopped] = (await status()).match(/After ([\d,]+) steps/);
      assert.ok(Number(stopped.replace(",", "")) > 80, stopped);
    });

    await t.test("it is saved as a file, and other widgets take it", async () => {
      const file = await page.inside(async (_, root) => {
        const { createObjectURL } = URL;
        const { click } = HTMLAnchorElement.prototype;
        /** @type {Blob} */
        let blob;
        URL.createObjectURL = (given) => createObjectURL.call(URL, (blob = given));
        const saved = new Promise((resolve) => {
          HTMLAnchorElement.prototype.click = function () {
            resolve(this.download);
          };
        });
        root.querySelector("#save").click();
        const name = await saved;
        URL.createObjectURL = createObjectURL;
        HTMLAnchorElement.prototype.click = click;
        return { name, magic: await blob.slice(0, 4).text(), size: blob.size };
      });
      assert.equal(file.name, "own.gguf");
      assert.equal(file.magic, "GGUF");
      assert.ok(file.size > 150_000 && file.size < 250_000, `${file.size}`);
      await page.click("#share");
      await page.until((_, root) =>
        /can now take this model, as it is at step/.test(root.querySelector("[role=status]").textContent),
      );
      const text = await page.driver.evaluate(() => [...globalThis[Symbol.for("lastinch.models")].values()][0].text);
      assert.equal(text, trainText);
    });

    await t.test("a rate that is too high breaks it, and the widget says so", async () => {
      await page.inside((widget) => {
        widget.turn("learningRate", 1, true);
        widget.steps = 10_000;
      });
      await page.click("#learn");
      await page.until((_, root) => /worse than knowing nothing/.test(root.querySelector(".problem")?.textContent));
      await page.click("#reset");
      await page.until(
        (_, root) => !root.querySelector(".plot") && root.querySelector("#learn").textContent === "Learn",
      );
    });

    await t.test(
      "leaving the page ends the Worker, nonsense is explained, and a Chinese page gets Chinese",
      async () => {
        // More steps than it takes before anybody leaves.
        await page.show('<lastinch-train steps="10000"></lastinch-train>', { lang: "zh" });
        assert.match(await page.text(), /看模型学习/);
        await page.click("#learn");
        await page.until((_, root) => root.querySelector("progress") !== null);
        const after = await page.driver.evaluate(async () => {
          const widget = document.querySelector("lastinch-train");
          widget.remove();
          await new Promise((go) => setTimeout(go));
          return [widget.shadowRoot.querySelector(".plot"), await widget.updateComplete, widget.isRecorded];
        });
        assert.deepEqual(after[0], null, "the model is thrown away");
        await show('learning-rate="7"');
        assert.match(await page.text(), /learning-rate must be a number from 0.0001 to 1, but is 7/);
      },
    );
    await page.checkQuiet();
  });
