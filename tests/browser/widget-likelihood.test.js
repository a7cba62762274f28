import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`likelihood in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    /** @type {string[][]} */
    let recorded = [];
    await t.test("opens with recorded texts, and names their source", async () => {
      await page.show("<lastinch-likelihood></lastinch-likelihood>", { script: "widget-likelihood.js" });
      assert.match(await page.text(), /Beatrix Potter, The Tale of Peter Rabbit, 1902/);
      assert.match(await page.text(), /This is a recording/);
      recorded = await page.table();
      await page.checkAccess();
    });

    await t.test("a person's text surprises the model most, and a searched text least", async () => {
      await page.press("button.primary", "Enter");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Bits per token"));
      const rows = await page.table();
      assert.deepEqual(
        rows.map(([way]) => way),
        ["a person", "simple story", "greedy", "4 beams", "top-p 0.9"],
      );
      rows.forEach((row, i) =>
        assert.ok(Math.abs(Number(row[1]) - Number(recorded[i][1])) < 0.02, `${row}, recorded ${recorded[i]}`),
      );
      const [person, plain, greedy, beam, nucleus] = rows.map(([, mean]) => Number(mean));
      assert.ok(person > 3 * plain && person > nucleus && nucleus > greedy && nucleus > beam, rows.join(" "));
      await page.checkAccess();
    });

    await t.test("the numbers are the softmax of the model's own rows", async () => {
      const reference = await page.inside(async ({ prompt, human }) => {
        const [{ loaded }] = globalThis[Symbol.for("lastinch.models")].values();
        const start = await loaded.tokenize(prompt, { bos: true });
        const ids = [...start, ...(await loaded.tokenize(human))];
        const rows = await loaded.forward(ids, { rows: "all" });
        return ids.slice(start.length).map((id, i) => {
          const row = rows[start.length - 1 + i];
          const sum = row.reduce((total, logit) => total + Math.exp(logit), 0);
          return Math.log2(sum) - row[id] / Math.LN2;
        });
      });
      const mean = reference.reduce((a, b) => a + b) / reference.length;
      assert.ok(Math.abs(mean - (await page.table())[0][1]) < 0.006);
      const curve = await page.table(1);
      reference.forEach((bits, i) => assert.ok(Math.abs(bits - curve[i][2]) < 0.06, curve[i][2]));
    });

    await t.test("the picture has the table's numbers", async () => {
      const { ends, points } = await page.inside((_, root) => ({
        // The first numbers at the axis are its ends: 0 and 16 bits.
        ends: [...root.querySelectorAll("svg text[dy='0.35em']")].slice(0, 2).map((text) => text.y.baseVal[0].value),
        points: root.querySelector("svg .line").getAttribute("d").split(/[ML]/).slice(1),
      }));
      const [bottom, top] = ends;
      const curve = await page.table(1);
      points.forEach((point, i) => {
        const bits = Math.min(16, curve[i][2]);
        assert.ok(Math.abs(((bottom - point.split(" ")[1]) * 16) / (bottom - top) - bits) < 0.07, `${point} ${bits}`);
      });
      await page.inside((_, root) => void (root.querySelector("details").open = true));
      await page.checkAccess();
    });

    await t.test("a reader's own text is measured, and one that is too short is explained", async () => {
      await page.inside((widget, root) => {
        const field = root.querySelector("textarea");
        field.value = " there was a سلام 🙂 cat.";
        field.dispatchEvent(new Event("change"));
      });
      await page.until((_, root) => root.querySelector("figure .text").textContent.includes("there was a"));
      await page.inside((widget, root) => {
        const field = root.querySelector("textarea");
        field.value = "";
        field.dispatchEvent(new Event("change"));
      });
      await page.until((_, root) => root.querySelector("[role=status]").textContent.includes("too few tokens"));
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-likelihood></lastinch-likelihood>", { lang: "zh-CN" });
      assert.match(await page.text(), /可能性高不等于好/);
    });
    await page.checkQuiet();
  });
