// The widgets that consist of words: cheat sheet and glossary.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

for (const name of contentBrowserNames)
  test(`cheat sheet and glossary in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("the cheat sheet links only to widgets that the page has", async () => {
      await page.show('<lastinch-cheat-sheet></lastinch-cheat-sheet><lastinch-rulers id="cuts"></lastinch-rulers>');
      const links = await page.inside((_, root) => [...root.querySelectorAll("a")].map((a) => a.textContent + a.hash));
      assert.deepEqual(links, ["Top-k#cuts"]);
      assert.equal((await page.table()).length, 9);
      await page.inside((_, root) => root.querySelectorAll("details").forEach((one) => (one.open = true)));
      assert.match(await page.text(), /greedy does not even find it/);
      await page.checkAccess();
    });

    await t.test("the glossary finds words by their meaning", async () => {
      await page.show("<lastinch-glossary></lastinch-glossary>", { script: "widget-glossary.js" });
      const find = (text) =>
        page.inside((_, root, text) => {
          const input = root.querySelector("input");
          input.value = text;
          input.dispatchEvent(new Event("input"));
        }, text);
      await find("nucleus");
      assert.deepEqual(
        await page.inside((_, root) => [...root.querySelectorAll("dt")].map((one) => one.textContent.trim())),
        ["Top-p"],
      );
      await page.checkAccess();
      await find("zebra");
      assert.match(await page.text(), /There is no such word here/);
    });

    await t.test("a single word in a sentence shows its meaning, by keyboard too", async () => {
      await page.driver.open(`${page.site.origin}/tests/browser/widget.html`);
      page.site.rewrite = (html) =>
        html.replace(
          "</body>",
          '<main><p>Raise the <lastinch-glossary term="temperature">heat</lastinch-glossary>.</p></main></body>',
        );
      await page.driver.open(`${page.site.origin}/tests/browser/widget.html`);
      await page.driver.evaluate(async () => void (await import("/dist/widgets.js")));
      await page.until((_, root) => Boolean(root?.querySelector("button")));
      await page.press("button", "Enter");
      assert.ok(await page.inside((_, root) => root.querySelector("[popover]").matches(":popover-open")));
      await page.until((_, root) => {
        const [word, meaning] = ["button", "[popover]"].map((one) => root.querySelector(one).getBoundingClientRect());
        return Math.abs(meaning.top - word.bottom) < 4 && Math.abs(meaning.left - word.left) < 4; // at its word
      });
      assert.match(
        await page.inside((_, root) => root.querySelector("[popover]").textContent),
        /divided by before softmax/,
      );
      await page.checkAccess();
    });

    await t.test("both have Chinese words", async () => {
      await page.show("<lastinch-glossary></lastinch-glossary>", { lang: "zh" });
      assert.match(await page.text(), /词汇表/);
      await page.show("<lastinch-cheat-sheet></lastinch-cheat-sheet>", { lang: "zh" });
      assert.match(await page.text(), /速查表/);
    });
    await page.checkQuiet();
  });
