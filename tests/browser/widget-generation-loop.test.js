import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`generation-loop in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const step = async (/** @type {number} */ line) => {
      await page.press("button.primary", "Enter");
      await page.until((widget, _, wanted) => widget.line === wanted, line);
    };
    const press = (/** @type {string} */ label) =>
      page.inside(
        (_, root, text) => void [...root.querySelectorAll("button")].find((b) => b.textContent.includes(text)).click(),
        label,
      );
    /** What is shown beside each line of the program. */
    const values = () =>
      page.inside((_, root) => [...root.querySelectorAll(".code span")].map((span) => span.textContent));
    const current = () => page.inside((_, root) => root.querySelector("[aria-current]")?.textContent.trim());

    await t.test("each press runs the next line and shows its result", async () => {
      await page.show('<lastinch-generation-loop prompt="Once upon a" temperature="0"></lastinch-generation-loop>', {
        script: "widget-generation-loop.js",
      });
      assert.match(await page.text(), /Step \(loads 2\.6 MB\)/);
      await page.checkAccess();
      await step(0);
      assert.match((await values())[0], /^4 tokens: start of text Once ␣upon ␣a$/);
      await step(1);
      assert.equal((await values())[1], "Prefill: 4 tokens read in one pass");
      await step(3);
      assert.deepEqual((await values()).slice(2, 4), ["token 1", "“␣time”, drawn with 100%"]);
      assert.match(await current(), /next = sample\(row\)/);
      const mark = (_, root) => getComputedStyle(root.querySelector("[aria-current]"), "::before").content;
      assert.equal(await page.inside(mark), '"▸"');
      await step(4);
      assert.equal((await values())[4], "no");
      await step(5);
      assert.equal(await page.inside((_, root) => root.querySelector("p.text").textContent), "Once upon a time");
      assert.match(await page.inside((_, root) => root.querySelector("footer").textContent), /Live: a real model/);
      await step(6);
      assert.equal((await values())[6], "Decode: 1 token read; 4 came from the cache");
      await page.checkAccess();
      await step(3);
      assert.equal((await values())[2], "token 2");
    });

    await t.test("it writes what generate writes", async () => {
      for (let token = 2; token < 6; token++) for (const line of [4, 5, 6, 3]) await step(line);
      const [shown, expected] = await page.inside(async (_, root) => {
        const [{ loaded: model }] = [...globalThis[Symbol.for("lastinch.models")].values()];
        let text = "Once upon a";
        for await (const chunk of model.generate(text, { maxTokens: 5, temperature: 0 })) text += chunk.text;
        return [root.querySelector("p.text").textContent, text];
      });
      assert.equal(shown, expected);
    });

    await t.test(
      "with a cache each token is one row, without a cache every row runs again; the text is the same",
      async () => {
        await page.show('<lastinch-generation-loop prompt="Once upon a" tokens="12"></lastinch-generation-loop>');
        await step(0);
        await press("Write 12");
        await page.until((widget) => /The texts are the same\.$/.test(widget.statusText));
        await page.inside((_, root) => void (root.querySelector("details").open = true));
        const rows = (await page.table()).map((row) => row.map(Number));
        assert.equal(rows.length, 12);
        let all = 0;
        rows.forEach(([length, cached, without, ms, msWithout], i) => {
          all += 4 + i;
          assert.deepEqual([length, cached, without], [4 + i, 4 + i, all]);
          assert.ok(ms >= 0 && msWithout >= 0);
        });
        assert.match(await page.text(), /With a cache 15 rows and \d+ ms, without 114 rows/);
        assert.equal(await page.inside((_, root) => root.querySelectorAll(".plot").length), 2);
        await page.checkAccess();
      },
    );

    await t.test("a restart, another seed or another prompt clears everything", async () => {
      await press("Start again");
      assert.equal(await current(), undefined);
      await step(0);
      await page.inside((_, root) => {
        const field = root.querySelector("#prompt");
        field.value = "🙂 سلام";
        field.dispatchEvent(new Event("change"));
      });
      assert.equal(await current(), undefined);
      await step(0);
      assert.match((await values())[0], /tokens: start of text/);
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-generation-loop></lastinch-generation-loop>", { lang: "zh" });
      assert.match(await page.text(), /生成循环/);
    });
    await page.checkQuiet();
  });
