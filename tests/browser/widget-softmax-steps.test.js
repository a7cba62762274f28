import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { isPercent, softmax } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

const weather = [3.1, 2.4, 1.9, 1.2, 0.9, 0.4, -0.2, -0.8];

for (const name of contentBrowserNames)
  test(`softmax steps in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const values = async () => (await page.table()).map((row) => row.at(-1));
    const close = (printed, expected) =>
      printed.forEach((text, i) =>
        assert.ok(Math.abs(Number(text) / expected[i] - 1) < 1e-3, `${text} ${expected[i]}`),
      );

    await t.test("each step shows one phase, beside the numbers of earlier phases", async () => {
      await page.show("<lastinch-softmax-steps></lastinch-softmax-steps>", { script: "widget-softmax-steps.js" });
      close(await values(), weather);
      await page.checkAccess();
      await page.press(".primary", "Enter");
      close(
        await values(),
        weather.map((z) => z / 0.7),
      );
      await page.click(".primary");
      close(
        await values(),
        weather.map((z) => Math.exp(z / 0.7)),
      );
      await page.click(".primary");
      const shares = softmax(weather, 0.7);
      (await values()).forEach((text, id) => assert.ok(isPercent(text, shares[id]), text));
      assert.equal((await page.table())[0].length, 5);
      assert.equal((await page.table())[0][1], "3.1");
      await page.until((_, root) => /Phase 4 of 4/.test(root.querySelector("[role=status]").textContent));
      assert.ok(await page.inside((_, root) => root.querySelector(".primary").disabled));
      await page.checkAccess();
    });

    await t.test("subtracting the largest logit changes no share", async () => {
      await page.click("input[type=checkbox]");
      const shares = softmax(weather, 0.7);
      (await values()).forEach((text, id) => assert.ok(isPercent(text, shares[id]), text));
      await page.show('<lastinch-softmax-steps stable phase="2" temperature="1"></lastinch-softmax-steps>');
      close(
        await values(),
        weather.map((z) => Math.exp(z - 3.1)),
      );
    });

    await t.test("two leaders have 52 and 47 %, a single leader 96 %", async () => {
      await page.show('<lastinch-softmax-steps example="close" phase="3" temperature="1"></lastinch-softmax-steps>');
      assert.deepEqual(await values(), ["52.0%", "47.0%", "0.95%"]);
      await page.inside((_, root) => root.querySelectorAll("input[name=example]")[2].click());
      assert.deepEqual(await values(), ["95.6%", "4.3%", "0.09%"]);
    });

    await t.test("numbers beyond 32 bits are infinite, and the widget says so", async () => {
      await page.show(
        '<lastinch-softmax-steps phase="2" temperature="0.2"><table><tr><td>a</td><td>20</td></tr><tr><td>b</td><td>1</td></tr></table></lastinch-softmax-steps>',
      );
      assert.equal((await values())[0], "Infinity");
      assert.match(await page.text(), /In 32 bits/);
    });

    await t.test("Play runs at the chosen pace, and announces where it ends", async () => {
      await page.show("<lastinch-softmax-steps></lastinch-softmax-steps>");
      const press = (_, root, at) => root.querySelectorAll(".actions button")[at].click();
      const columns = async () => (await page.table())[0].length;
      const choose = (pace) =>
        page.inside((_, root, value) => {
          const field = root.querySelector("#pace");
          field.value = value;
          field.dispatchEvent(new Event("change"));
        }, pace);
      // A step of 20 tokens takes five seconds. The page looks by a timer of its own, which comes first however late.
      await choose("4");
      const [count, text] = await page.inside(async (_, root) => {
        const [step, play] = root.querySelectorAll(".actions button");
        play.click();
        await new Promise((resolve) => setTimeout(resolve, 300));
        const seen = [
          [...root.querySelector("table").tBodies[0].rows[0].cells].filter((cell) => !cell.ariaHidden).length,
          root.textContent,
        ];
        step.click();
        return seen;
      });
      assert.equal(count, 2, "the first phase is still shown");
      assert.match(text, /Pause/);
      assert.equal(await columns(), 3, "Step ends Play and takes one step");
      assert.doesNotMatch(await page.text(), /Pause/);
      await choose("0");
      await page.inside(press, 1);
      await page.until((_, root) => /Phase 4 of 4/.test(root.querySelector("[role=status]").textContent));
      assert.equal(await columns(), 5);
    });

    await t.test("without motion there is no Play, and the words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-softmax-steps></lastinch-softmax-steps>", { lang: "zh" });
      assert.match(await page.text(), /一步一步来/);
      assert.equal(await page.inside((_, root) => root.querySelectorAll(".actions button").length), 3);
      if (name !== "chromium") return;
      await page.driver.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
      await page.inside((widget) => void widget.requestUpdate());
      assert.equal(await page.inside((_, root) => root.querySelectorAll(".actions button").length), 2);
      assert.equal(await page.inside((_, root) => root.querySelector("#pace")), null);
    });
    await page.checkQuiet();
  });
